//! Reading large native arrays: `cargo bench -p npy-benches --bench bulk`
//!
//! With a path as its argument it loads that file once and ends, for `strace`.

use std::fs::File;
use std::hint::black_box;
use std::io::Read;

use npy_benches::compare;
use npy_core::NpyReader;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    if let Some(path) = arguments.next() {
        let values = npy_core::load::<f64>(path).unwrap();
        println!("{} values, the last is {:?}", values.len(), values.last());
        return;
    }
    let path = std::env::temp_dir().join(format!("npy-bench-{}.npy", std::process::id()));
    let count = 64 << 17;
    npy_core::save(&path, &vec![1.5_f64; count]).unwrap();
    let mut warm = vec![0.0_f64; count];
    let mut warm_bytes = vec![0_u8; count * 8 + 128];
    compare(
        "64 MiB of f64, in the page cache; ratios to read(2) into a warm buffer",
        15,
        &mut [
            ("read(2) into a warm buffer", &mut || File::open(&path).unwrap().read_exact(black_box(&mut warm_bytes)).unwrap()),
            ("read_into a warm slice", &mut || NpyReader::open(&path).unwrap().read_into(black_box(&mut warm)).unwrap()),
            ("load", &mut || drop(black_box(npy_core::load::<f64>(&path).unwrap()))),
            ("std::fs::read", &mut || drop(black_box(std::fs::read(&path).unwrap()))),
        ],
    );
    std::fs::remove_file(&path).unwrap();
}

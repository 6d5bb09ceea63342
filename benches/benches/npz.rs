//! Archives: `cargo bench -p npy-benches --bench npz`

use std::fs::File;
use std::hint::black_box;
use std::path::Path;

use ndarray::Array1;
use npy_benches::compare;

/// Floats of which the last digits look random, and which compress by a little.
fn walk(count: usize) -> Array1<f64> {
    let mut state = 1_u64;
    let mut value = 0.0;
    Array1::from_shape_simple_fn(count, || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        value += (state >> 40) as f64 / 16_777_216.0 - 0.5;
        (value * 64.0).round() / 64.0
    })
}

fn main() {
    let folder = std::env::temp_dir().join(format!("npz-bench-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let array = walk(64 << 17);
    for is_compressed in [false, true] {
        let (ours, theirs) = (folder.join("ours.npz"), folder.join("theirs.npz"));
        let mut write_ours = || write_ours(&ours, &array, is_compressed);
        let mut write_theirs = || write_theirs(&theirs, &array, is_compressed);
        let kind = if is_compressed { "deflated" } else { "stored" };
        let rounds = if is_compressed { 3 } else { 9 };
        compare(
            &format!("64 MiB of f64, {kind}, in the page cache; writing; ratios to ndarray-npy"),
            rounds,
            &mut [("ndarray-npy", &mut write_theirs), ("npy-ndarray", &mut write_ours)],
        );
        let bytes = |path: &Path| std::fs::metadata(path).unwrap().len();
        println!("  {} bytes of ndarray-npy, {} of npy-ndarray", bytes(&theirs), bytes(&ours));
        compare(
            &format!("64 MiB of f64, {kind}, in the page cache; reading; ratios to ndarray-npy"),
            rounds,
            &mut [
                ("ndarray-npy", &mut || {
                    let mut archive = ndarray_npy::NpzReader::new(File::open(&theirs).unwrap()).unwrap();
                    let array: Array1<f64> = archive.by_name("x").unwrap();
                    drop(black_box(array));
                }),
                ("npy-ndarray", &mut || {
                    let array: Array1<f64> = npy_ndarray::NpzReader::open(&theirs).unwrap().by_name("x").unwrap();
                    drop(black_box(array));
                }),
            ],
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn write_ours(path: &Path, array: &Array1<f64>, is_compressed: bool) {
    let create = if is_compressed { npy_ndarray::NpzWriter::create_compressed } else { npy_ndarray::NpzWriter::create };
    let mut archive = create(path).unwrap();
    archive.add_array("x", array).unwrap();
    archive.finish().unwrap();
}

fn write_theirs(path: &Path, array: &Array1<f64>, is_compressed: bool) {
    let file = File::create(path).unwrap();
    let mut archive = if is_compressed { ndarray_npy::NpzWriter::new_compressed(file) } else { ndarray_npy::NpzWriter::new(file) };
    archive.add_array("x", array).unwrap();
    archive.finish().unwrap();
}

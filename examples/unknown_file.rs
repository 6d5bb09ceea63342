//! What is in a file that one was handed, and the struct that reads it. `cargo run --example unknown_file --features dynamic -- file.npy`

use npy_core::NpyReader;

const PICKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/picks.npy");

fn main() -> npy_core::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| PICKS.to_owned());
    let header = NpyReader::open(&path)?.header().clone();
    println!("{path}");
    println!("  shape {:?}, {:?} order, {} bytes an element", header.shape(), header.order(), header.dtype().itemsize());
    println!("  dtype {}\n\n{}", header.dtype(), header.dtype().to_rust("Record"));
    Ok(())
}

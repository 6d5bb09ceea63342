use npy_core::NpyRecord;
use npy_ndarray::NpzArchive;

#[derive(NpyRecord, NpzArchive)]
struct Point {
    x: f64,
}

#[derive(NpzArchive)]
struct Run {
    point: Point,
}

fn main() {}

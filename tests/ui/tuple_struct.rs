use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Point(f64, f64);

fn main() {}

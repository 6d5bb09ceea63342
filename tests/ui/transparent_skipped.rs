use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick(#[npy(skip)] f64);

fn main() {}

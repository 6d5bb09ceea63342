use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Nothing;

fn main() {}

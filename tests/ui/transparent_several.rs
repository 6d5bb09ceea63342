use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(transparent)]
struct Pick {
    time: f64,
    depth: f64,
}

fn main() {}

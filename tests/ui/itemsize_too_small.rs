use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(itemsize = 12)]
struct Pick {
    time: f64,
    depth: f64,
}

fn main() {}

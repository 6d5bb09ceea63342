use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    time: f64,
    #[npy(offset = 4)]
    depth: f64,
}

fn main() {}

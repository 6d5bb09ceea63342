use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(flatten)]
    time: f64,
}

fn main() {}

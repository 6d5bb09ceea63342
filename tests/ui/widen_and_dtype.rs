use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(widen, dtype = "<f8")]
    time: f64,
}

fn main() {}

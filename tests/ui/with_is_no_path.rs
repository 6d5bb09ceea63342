use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(with = "not a path")]
    time: f64,
}

fn main() {}

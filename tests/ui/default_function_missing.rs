use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(default = seven)]
    time: f64,
}

fn main() {}

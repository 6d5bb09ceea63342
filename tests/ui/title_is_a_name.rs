use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    time: f64,
    #[npy(title = "time")]
    span: f64,
}

fn main() {}

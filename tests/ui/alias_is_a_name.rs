use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    time: f64,
    #[npy(alias = "time", alias = "span")]
    span: f64,
}

fn main() {}

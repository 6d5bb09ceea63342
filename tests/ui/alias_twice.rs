use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(alias = "t")]
    time: f64,
    #[npy(alias = "t")]
    span: f64,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(skip, rename = "t")]
    time: f64,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(dtype = "U8")]
    time: f64,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(itemsize = "16")]
struct Pick {
    #[npy(offset = -8)]
    time: f64,
    #[npy(offset)]
    depth: f64,
}

fn main() {}

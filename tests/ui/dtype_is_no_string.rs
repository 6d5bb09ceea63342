use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(dtype = f64)]
    time: f64,
}

fn main() {}

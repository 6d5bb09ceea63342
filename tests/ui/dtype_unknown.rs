use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(dtype = "double")]
    time: f64,
    #[npy(dtype = "(2,3)f4")]
    trace: [[f32; 3]; 2],
}

fn main() {}

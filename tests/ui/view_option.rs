use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(view)]
#[repr(C)]
struct Pick {
    time: Option<f64>,
}

fn main() {}

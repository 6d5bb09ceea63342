use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(view, endian = "big")]
#[repr(C)]
struct Pick {
    time: f64,
}

fn main() {}

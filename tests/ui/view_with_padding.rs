use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(view)]
#[repr(C)]
struct Pick {
    quality: u8,
    time: f64,
}

fn main() {}

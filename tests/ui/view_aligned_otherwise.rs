use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(view, align)]
#[repr(C, packed)]
struct Pick {
    quality: u8,
    time: f64,
}

fn main() {}

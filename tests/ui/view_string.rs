use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(view)]
#[repr(C)]
struct Pick {
    name: String,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(dtype = "<u8")]
    count: i32,
}

fn main() {}

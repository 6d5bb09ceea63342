use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(dtype = "<i4")]
    name: String,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(dtype = "M8[sec]")]
    time: i64,
}

fn main() {}

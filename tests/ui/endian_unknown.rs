use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(endian = "network")]
struct Pick {
    time: f64,
}

fn main() {}

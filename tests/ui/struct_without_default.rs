use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(default)]
struct Pick {
    time: f64,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(crate = elsewhere)]
struct Pick {
    time: f64,
}

fn main() {}

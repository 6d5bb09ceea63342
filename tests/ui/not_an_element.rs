use npy_core::NpyRecord;

struct Station;

#[derive(NpyRecord)]
struct Pick {
    time: f64,
    station: Station,
}

fn main() {}

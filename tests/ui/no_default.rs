use npy_core::NpyRecord;

struct Station;

#[derive(NpyRecord)]
struct Pick {
    time: f64,
    #[npy(skip)]
    station: Station,
}

fn main() {}

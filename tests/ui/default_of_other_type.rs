use npy_core::NpyRecord;

fn seven() -> u8 {
    7
}

#[derive(NpyRecord)]
struct Pick {
    #[npy(default = seven)]
    time: f64,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(rename = 5)]
    time: f64,
    #[npy(rename)]
    phase: u8,
    #[npy(default = 1 + 2)]
    id: u32,
    #[npy = "x"]
    station: u8,
    #[npy(skip = true)]
    quality: u8,
}

fn main() {}

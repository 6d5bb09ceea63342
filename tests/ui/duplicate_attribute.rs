use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(crate = npy_core)]
#[npy(crate = npy_core)]
struct Pick {
    #[npy(rename = "t", rename = "u")]
    time: f64,
    #[npy(default)]
    #[npy(default)]
    phase: u8,
}

fn main() {}

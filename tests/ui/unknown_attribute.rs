use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(rename_everything = "lowercase", crate = npy_core)]
struct Pick {
    #[npy(renam = "t")]
    time: f64,
    #[npy(default, skipped)]
    phase: u8,
    #[npy(rename::all = "x")]
    id: u32,
}

fn main() {}

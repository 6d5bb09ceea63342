use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(transparent, rename_all = "UPPERCASE", align)]
struct Pick {
    #[npy(rename = "t", alias = "s")]
    time: f64,
}

fn main() {}

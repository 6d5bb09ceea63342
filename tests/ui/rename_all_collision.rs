use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(rename_all = "UPPERCASE")]
struct Pick {
    time: f64,
    #[npy(rename = "TIME")]
    other: f64,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(align = true, view = "yes")]
struct Pick {
    #[npy(skip = true)]
    time: f64,
    #[npy(flatten(all))]
    depth: f64,
}

fn main() {}

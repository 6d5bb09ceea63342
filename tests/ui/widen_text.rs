use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(widen)]
    name: String,
}

fn main() {}

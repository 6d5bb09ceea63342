use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(truncate)]
    name: String,
}

fn main() {}

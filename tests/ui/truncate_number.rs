use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(dtype = "<f8", truncate)]
    time: f32,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    #[npy(dtype = "S4", truncate)]
    code: [u8; 4],
}

fn main() {}

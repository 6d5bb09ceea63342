use npy_core::NpyRecord;

mod seconds {
    pub type Element = f64;
}

#[derive(NpyRecord)]
struct Pick {
    #[npy(with = seconds, dtype = "<f8")]
    time: std::time::Duration,
}

fn main() {}

use npy_core::NpyRecord;

mod seconds {}

#[derive(NpyRecord)]
#[npy(view, default)]
#[repr(C)]
struct Pick {
    #[npy(dtype = "<f8")]
    time: f64,
    #[npy(with = seconds)]
    span: f64,
    #[npy(skip)]
    cache: f64,
    #[npy(default)]
    depth: f64,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct DtypeIsNoString {
    #[npy(dtype = f64)]
    time: f64,
}

#[derive(NpyRecord)]
struct DtypeUnknown {
    #[npy(dtype = "double")]
    time: f64,
    #[npy(dtype = "(2,3)f4")]
    trace: [[f32; 3]; 2],
}

#[derive(NpyRecord)]
struct DtypeUnknownUnit {
    #[npy(dtype = "M8[sec]")]
    time: i64,
}

#[derive(NpyRecord)]
struct DtypeWithoutWidth {
    #[npy(dtype = "U")]
    name: String,
}

#[derive(NpyRecord)]
struct TruncateNumber {
    #[npy(dtype = "<f8", truncate)]
    time: f32,
}

#[derive(NpyRecord)]
struct TruncateWithoutDtype {
    #[npy(truncate)]
    name: String,
}

#[derive(NpyRecord)]
struct WidenAndDtype {
    #[npy(widen, dtype = "<f8")]
    time: f64,
}

mod seconds {
    pub type Element = f64;
}

#[derive(NpyRecord)]
struct WithAndDtype {
    #[npy(with = seconds, dtype = "<f8")]
    time: std::time::Duration,
}

#[derive(NpyRecord)]
struct WithIsNoPath {
    #[npy(with = "not a path")]
    time: f64,
}

fn main() {}

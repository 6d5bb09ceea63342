use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct DtypeNumberForText {
    #[npy(dtype = "<i4")]
    name: String,
}

#[derive(NpyRecord)]
struct DtypeOfOtherSign {
    #[npy(dtype = "<u8")]
    count: i32,
}

#[derive(NpyRecord)]
struct DtypeTextForNumber {
    #[npy(dtype = "U8")]
    time: f64,
}

#[derive(NpyRecord)]
struct DtypeTooNarrow {
    #[npy(dtype = "<f4")]
    time: f64,
}

#[derive(NpyRecord)]
struct TruncateBytes {
    #[npy(dtype = "S4", truncate)]
    code: [u8; 4],
}

#[derive(NpyRecord)]
struct WidenText {
    #[npy(widen)]
    name: String,
}

fn main() {}

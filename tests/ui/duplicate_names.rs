use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Pick {
    time: f64,
    #[npy(rename = "time")]
    origin_time: f64,
    r#type: u8,
    #[npy(rename = "type")]
    kind: u8,
}

fn main() {}

use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(rename_all = "Camel")]
struct Pick {
    arrival_time: f64,
}

fn main() {}

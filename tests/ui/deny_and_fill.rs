use npy_core::NpyRecord;

#[derive(NpyRecord)]
#[npy(deny_unknown_fields, fill_unknown_fields)]
struct Pick {
    time: f64,
}

fn main() {}

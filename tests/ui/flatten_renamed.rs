use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Place {
    x: f64,
}

#[derive(NpyRecord)]
struct Pick {
    #[npy(flatten, rename = "position", default)]
    place: Place,
}

fn main() {}

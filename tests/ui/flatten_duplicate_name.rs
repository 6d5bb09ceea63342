use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Place {
    x: f64,
    #[npy(alias = "t")]
    y: f64,
}

#[derive(NpyRecord)]
struct Pick {
    t: f64,
    #[npy(flatten)]
    place: Place,
}

fn main() {}

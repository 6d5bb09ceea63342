use npy_core::NpyRecord;

#[derive(NpyRecord)]
struct Place {
    x: f64,
}

#[derive(NpyRecord)]
struct Pick {
    #[npy(flatten)]
    place: Option<Place>,
}

fn main() {}

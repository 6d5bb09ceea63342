use npy_ndarray::NpzArchive;

struct NoDefault;

#[derive(NpzArchive)]
struct Run {
    #[npy(skip)]
    x: NoDefault,
    #[npy(default = missing)]
    y: Vec<f64>,
}

#[derive(NpzArchive)]
#[npy(default)]
struct Whole {
    y: Vec<f64>,
}

fn main() {}

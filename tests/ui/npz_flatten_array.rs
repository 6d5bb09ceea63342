use ndarray::Array1;
use npy_ndarray::NpzArchive;

#[derive(NpzArchive)]
struct Run {
    #[npy(flatten)]
    x: Array1<f64>,
}

fn main() {}

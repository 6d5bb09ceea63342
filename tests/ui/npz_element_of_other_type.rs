use ndarray::{Array1, Array2};
use npy_ndarray::NpzArchive;

#[derive(NpzArchive)]
struct Run {
    x: Array2<usize>,
    y: Vec<Vec<f64>>,
    z: usize,
    names: Array1<&'static str>,
}

fn main() {}

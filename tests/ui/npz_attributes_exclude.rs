use ndarray::Array1;
use npy_ndarray::NpzArchive;

#[derive(NpzArchive)]
struct Run {
    #[npy(skip, rename = "a", alias = "b", flatten)]
    x: Array1<f64>,
    #[npy(flatten, rename = "a", alias = "b", default)]
    y: Inner,
}

#[derive(NpzArchive)]
struct Inner {
    z: Array1<f64>,
    #[npy(rename = "z")]
    y: Array1<f64>,
    #[npy(alias = "u")]
    u: Array1<f64>,
}

fn main() {}

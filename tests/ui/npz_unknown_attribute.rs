use ndarray::Array1;
use npy_ndarray::NpzArchive;

#[derive(NpzArchive)]
#[npy(align, rename_all = "camel")]
struct Run {
    #[npy(dtype = "U8")]
    x: Array1<f64>,
    #[npy(rename = "a", rename = "b")]
    y: Array1<f64>,
}

fn main() {}

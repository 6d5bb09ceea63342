use std::rc::Rc;

use ndarray::Array1;
use npy_ndarray::NpzArchive;

#[derive(NpzArchive)]
struct Run {
    x: Array1<f64>,
    y: Rc<Vec<f64>>,
    z: Option<std::time::Duration>,
}

fn main() {}

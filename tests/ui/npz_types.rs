use std::collections::{BTreeMap, HashMap};

use npy_ndarray::NpzArchive;

#[derive(NpzArchive)]
struct Run {
    x: Option<Option<f64>>,
    #[npy(flatten)]
    first: BTreeMap<String, Vec<f64>>,
    #[npy(flatten)]
    second: HashMap<String, Vec<u8>>,
}

fn main() {}

use std::collections::{BTreeMap, HashMap};

use ndarray::Array1;
use npy_ndarray::NpzArchive;

#[derive(NpzArchive)]
struct NpzAttributesExclude {
    #[npy(skip, rename = "a", alias = "b", flatten)]
    x: Array1<f64>,
    #[npy(flatten, rename = "a", alias = "b", default)]
    y: NpzAttributesExcludeInner,
}

#[derive(NpzArchive)]
struct NpzAttributesExcludeInner {
    z: Array1<f64>,
    #[npy(rename = "z")]
    y: Array1<f64>,
    #[npy(alias = "u")]
    u: Array1<f64>,
}

#[derive(NpzArchive)]
enum NpzNoStruct {
    X(Vec<f64>),
}

#[derive(NpzArchive)]
struct NpzNoStructUnit;

#[derive(NpzArchive)]
struct NpzNoStructBorrowed<'a> {
    x: &'a [f64],
}

#[derive(NpzArchive)]
struct NpzTypes {
    x: Option<Option<f64>>,
    #[npy(flatten)]
    first: BTreeMap<String, Vec<f64>>,
    #[npy(flatten)]
    second: HashMap<String, Vec<u8>>,
}

#[derive(NpzArchive)]
#[npy(align, rename_all = "camel")]
struct NpzUnknownAttribute {
    #[npy(dtype = "U8")]
    x: Array1<f64>,
    #[npy(rename = "a", rename = "b")]
    y: Array1<f64>,
}

fn main() {}

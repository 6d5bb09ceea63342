use npy_ndarray::NpzArchive;

#[derive(NpzArchive)]
enum Run {
    X(Vec<f64>),
}

#[derive(NpzArchive)]
struct Unit;

#[derive(NpzArchive)]
struct Borrowed<'a> {
    x: &'a [f64],
}

fn main() {}

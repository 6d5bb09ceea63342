//! An array in, an array out. `cargo run --example quickstart`

use std::path::Path;

use ndarray::{Array2, Axis};
use npy_ndarray::{ReadNpyExt, WriteNpyExt};

fn main() -> npy_ndarray::Result<()> {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/data/travel_times.npy");
    let seconds = Array2::<f64>::load_npy(input)?;

    // NumPy saved it in Fortran order. It arrives so, and goes back so, without an element being moved.
    println!("{:?}, strides {:?}", seconds.dim(), seconds.strides());
    println!("mean of each column: {:.1}", seconds.mean_axis(Axis(0)).unwrap_or_default());

    let output = Path::new("target/quickstart/minutes.npy");
    std::fs::create_dir_all("target/quickstart")?;
    (seconds / 60.0).save_npy(output)?;
    println!("np.load({output:?})");
    Ok(())
}

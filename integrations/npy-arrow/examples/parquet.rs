//! A record file as Parquet, in bounded memory, and back with the same dtype.
//!
//! cargo run -p npy-arrow --features parquet --example parquet -- file.npy [file.parquet]

use std::path::PathBuf;

use npy_arrow::arrow_array::RecordBatchReader;
use npy_arrow::npy_core::NpyReader;
use npy_arrow::{ArrayOptions, BatchOptions, parquet, read_batches};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let example = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/picks.npy"));
    let npy = arguments.next().unwrap_or_else(example);
    let directory = tempfile::tempdir()?;
    let name = npy.with_extension("parquet");
    let table = arguments.next().unwrap_or_else(|| directory.path().join(name.file_name().unwrap_or_default()));

    let options = BatchOptions::new().bytes_as_text(true);
    let batches = read_batches(&npy, options.clone())?;
    println!("{} as Arrow:", npy.display());
    for field in batches.schema().fields() {
        println!("  {}: {}", field.name(), field.data_type());
    }

    let rows = parquet::from_npy(&npy, &table, options)?;
    let [before, after] = [std::fs::metadata(&npy)?.len(), std::fs::metadata(&table)?.len()];
    println!("{rows} rows: {before} bytes as .npy, {after} as Parquet");

    // The dtype is part of the Parquet file's metadata.
    let copy = directory.path().join("copy.npy");
    parquet::to_npy(&table, &copy, ArrayOptions::new())?;
    println!("back as {}", NpyReader::open(&copy)?.header().dtype());
    Ok(())
}

//! Arrow IPC files, also known as Feather version 2.
//!
//! They are uncompressed, and readable by every implementation of Arrow.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use arrow_array::RecordBatchReader;
pub use arrow_ipc;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;

use crate::error::{Error, ErrorKind, Result};
use crate::options::{ArrayOptions, BatchOptions};
use crate::replace::replace;
use crate::{read_batches, write_batches};

/// Saves an `.npy` file as an IPC file, atomically and batch by batch. Returns the number of rows.
///
/// # Errors
///
/// Fails like [`read_batches`], or if the IPC file cannot be written; an existing one is then
/// untouched.
///
/// ```
/// use npy_arrow::{ArrayOptions, BatchOptions, ipc};
///
/// # let directory = tempfile::tempdir()?;
/// # let [npy, arrow, copy] = ["a.npy", "a.arrow", "b.npy"].map(|name| directory.path().join(name));
/// npy_core::save(&npy, &[1.5_f64, 2.5])?;
/// ipc::from_npy(&npy, &arrow, BatchOptions::new())?;
/// assert_eq!(ipc::to_npy(&arrow, &copy, ArrayOptions::new())?, 2);
/// assert_eq!(npy_core::load::<f64>(&copy)?, [1.5, 2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_npy(npy: impl AsRef<Path>, ipc: impl AsRef<Path>, options: impl Into<BatchOptions>) -> Result<u64> {
    write(ipc, read_batches(npy, options)?)
}

/// Saves batches as an IPC file, atomically. Returns the number of rows.
///
/// # Errors
///
/// Fails if the source of the batches fails, or if the file cannot be written; an existing one is
/// then untouched.
///
/// ```
/// use npy_arrow::arrow_array::{RecordBatchIterator, RecordBatchReader};
/// use npy_arrow::ipc;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.arrow");
/// let batch = npy_arrow::items_to_batch(&[1_u8, 2])?;
/// let schema = batch.schema();
/// ipc::write(&path, RecordBatchIterator::new([Ok(batch)], schema))?;
/// assert_eq!(ipc::read(&path)?.next().expect("a batch")?.num_rows(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(path: impl AsRef<Path>, batches: impl RecordBatchReader) -> Result<u64> {
    replace(path.as_ref(), |output| {
        let (mut writer, mut rows) = (FileWriter::try_new(output, &batches.schema())?, 0);
        for batch in batches {
            let batch = batch?;
            rows += batch.num_rows() as u64;
            writer.write(&batch)?;
        }
        writer.finish()?;
        Ok(rows)
    })
}

/// Opens an IPC file, whose batches are read one after the other.
///
/// # Errors
///
/// Fails if it cannot be opened, or is not an IPC file.
///
/// See [`write()`] for an example.
pub fn read(path: impl AsRef<Path>) -> Result<FileReader<BufReader<File>>> {
    let path = path.as_ref();
    let open = || {
        let file = File::open(path).map_err(|error| npy_core::ErrorKind::Io { action: "cannot open the file", error })?;
        Ok(FileReader::try_new_buffered(file, None).map_err(ErrorKind::Arrow)?)
    };
    open().map_err(|error: Error| error.with_path(path))
}

/// Saves an IPC file as an `.npy` file, atomically and batch by batch. Returns the number of rows.
///
/// # Errors
///
/// Fails like [`read`] and [`write_batches`].
///
/// See [`from_npy`] for an example.
pub fn to_npy(ipc: impl AsRef<Path>, npy: impl AsRef<Path>, options: impl Into<ArrayOptions>) -> Result<u64> {
    let batches = read(ipc)?;
    write_batches(npy, &RecordBatchReader::schema(&batches), batches, options)
}

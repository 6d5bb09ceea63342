//! Arrow IPC files, also known as Feather version 2.
//!
//! They are uncompressed, and readable by every implementation of Arrow. The feature `codecs` reads
//! compressed ones, whose blocks claim a length: do not read those of untrusted files with it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use arrow_array::RecordBatchReader;
pub use arrow_ipc;
use arrow_ipc::reader::{FileReader, read_footer_length};
use arrow_ipc::root_as_footer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use npy_core::atomic::replace_file;
use npy_core::{Error, Result, SaveOptions};

use crate::error::of_arrow;
use crate::options::{ArrayOptions, BatchOptions};
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
    replace_file(path, SaveOptions::new(), |output| {
        let (mut writer, mut rows) = (FileWriter::try_new(output, &batches.schema()).map_err(of_arrow)?, 0);
        for batch in batches {
            let batch = batch.map_err(of_arrow)?;
            rows += batch.num_rows() as u64;
            writer.write(&batch).map_err(of_arrow)?;
        }
        writer.finish().map_err(of_arrow)?;
        Ok(rows)
    })
}

/// Opens an IPC file, whose batches are read one after the other.
///
/// # Errors
///
/// Fails if it cannot be opened, is not an IPC file, or is shorter than its footer says.
///
/// See [`write()`] for an example.
pub fn read(path: impl AsRef<Path>) -> Result<FileReader<BufReader<File>>> {
    let path = path.as_ref();
    let open = || {
        let cannot_open = |error| Error::io("cannot open the file", error);
        let mut file = File::open(path).map_err(cannot_open)?;
        expect_blocks(&mut file)?;
        FileReader::try_new_buffered(file, None).map_err(of_arrow)
    };
    open().map_err(|error: Error| error.with_path(path))
}

/// The bytes after the footer: its length, and the magic string.
const TRAILER_BYTES: usize = 10;

/// Checks that the file has the blocks of its footer, because the reader allocates them before reading.
fn expect_blocks(file: &mut File) -> Result<()> {
    let cannot_read = |error| Error::io("cannot read the footer", error);
    let damaged = |problem| of_arrow(ArrowError::ParseError(problem));
    let length = file.metadata().map_err(cannot_read)?.len();
    let Some(end) = length.checked_sub(TRAILER_BYTES as u64) else {
        // Too short, which is an error of the reader.
        return Ok(());
    };
    let mut trailer = [0; TRAILER_BYTES];
    file.seek(SeekFrom::Start(end)).and_then(|_| file.read_exact(&mut trailer)).map_err(cannot_read)?;
    let footer_bytes = read_footer_length(trailer).map_err(of_arrow)?;
    let Some(begin) = end.checked_sub(footer_bytes as u64) else {
        return Err(damaged(format!("footer too long: {footer_bytes} bytes in a file of {length}")));
    };
    let mut footer = vec![0; footer_bytes];
    file.seek(SeekFrom::Start(begin)).and_then(|_| file.read_exact(&mut footer)).map_err(cannot_read)?;
    let footer = root_as_footer(&footer).map_err(|error| damaged(format!("invalid footer: {error}")))?;
    for block in footer.recordBatches().into_iter().flatten().chain(footer.dictionaries().into_iter().flatten()) {
        let number = |number: i64| u64::try_from(number).unwrap_or(u64::MAX);
        let (offset, body) = (number(block.offset()), number(block.bodyLength()));
        let expected = number(block.metaDataLength().into()).saturating_add(body);
        let found = length.saturating_sub(offset);
        if found < expected {
            return Err(Error::truncated("the array", offset, expected, found));
        }
    }
    Ok(())
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

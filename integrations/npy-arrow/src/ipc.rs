//! Arrow IPC files, also known as Feather version 2, and IPC streams.
//!
//! Files that are written are uncompressed, and readable by every implementation of Arrow. The feature `codecs` reads
//! compressed ones. A buffer takes at most the memory that its compressed bytes can hold: 255 times as much with LZ4, 32,768
//! times with Zstandard.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};
pub use arrow_ipc;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, SchemaRef};
use npy_core::atomic::replace_file;
use npy_core::{Error, ErrorKind, Result, SaveOptions};

use crate::claims::{STREAM_MARK, expect_blocks, expect_messages};
use crate::error::{arrow_error, guarded, of_arrow};
use crate::options::{ArrayOptions, BatchOptions};
use crate::{convert, read_batches};

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

/// Opens an IPC file or stream, whose batches are read one after the other.
///
/// # Errors
///
/// Fails if it cannot be opened, is neither, or is shorter than it says.
///
/// See [`write()`] for an example.
pub fn read(path: impl AsRef<Path>) -> Result<IpcReader> {
    let path = path.as_ref();
    convert::open(path).and_then(|file| IpcReader::new(&file)).map_err(|error| error.with_path(path))
}

/// The batches of an IPC file or stream.
///
/// See [`write()`] for an example.
#[derive(Debug)]
pub struct IpcReader(Container);

#[derive(Debug)]
enum Container {
    File(FileReader<BufReader<File>>),
    Stream(StreamReader<BufReader<File>>),
}

/// The first bytes of an IPC file, and of Feather version 1.
const MAGIC: &[u8] = b"ARROW1";
const FEATHER_1: &[u8] = b"FEA1";

impl IpcReader {
    /// Reads a file from its beginning.
    fn new(file: &File) -> Result<Self> {
        let cannot_read = |error| Error::io("cannot read the file", error);
        let mut file = file.try_clone().map_err(cannot_read)?;
        let mut front = Vec::new();
        file.rewind().and_then(|()| (&file).take(MAGIC.len() as u64).read_to_end(&mut front)).map_err(cannot_read)?;
        if front.starts_with(FEATHER_1) {
            let message = "unsupported format: Feather version 1; `pyarrow.feather.write_feather` writes version 2";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        file.rewind().map_err(cannot_read)?;
        let container = if front == MAGIC {
            expect_blocks(&mut file)?;
            guarded(|| FileReader::try_new_buffered(file, None))?.map(Container::File)
        } else {
            if !front.starts_with(STREAM_MARK) {
                let message = "not an Arrow IPC file: expected \"ARROW1\", or the first message of a stream";
                return Err(Error::new(ErrorKind::WrongFormat, message));
            }
            expect_messages(&mut file)?;
            file.rewind().map_err(cannot_read)?;
            guarded(|| StreamReader::try_new_buffered(file, None))?.map(Container::Stream)
        };
        container.map(Self).map_err(of_arrow)
    }
}

impl Iterator for IpcReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = guarded(|| match &mut self.0 {
            Container::File(reader) => reader.next(),
            Container::Stream(reader) => reader.next(),
        });
        let batch = batch.unwrap_or_else(|error| Some(Err(arrow_error(error))))?;
        Some(batch.map_err(|error| arrow_error(of_arrow(error))))
    }
}

impl RecordBatchReader for IpcReader {
    fn schema(&self) -> SchemaRef {
        match &self.0 {
            Container::File(reader) => reader.schema(),
            Container::Stream(reader) => reader.schema(),
        }
    }
}

/// Saves an IPC file or stream as an `.npy` file, atomically and batch by batch. Returns the number of rows.
///
/// A table of another program is read twice where its dtype depends on the values: texts become as wide as
/// the widest, and lists of one length sub-arrays. What cannot be read twice, such as a pipe, is first copied
/// to a temporary file. The page [`types`](crate::types) has the dtype of each type, and what is lost.
///
/// # Errors
///
/// Fails like [`read`], [`Survey`](crate::Survey) and [`write_batches`](crate::write_batches).
///
/// See [`from_npy`] for an example.
pub fn to_npy(ipc: impl AsRef<Path>, npy: impl AsRef<Path>, options: impl Into<ArrayOptions>) -> Result<u64> {
    let path = ipc.as_ref();
    let file = convert::open(path).map_err(|error| error.with_path(path))?;
    convert::to_npy(|| IpcReader::new(&file), npy.as_ref(), options.into()).map_err(|error| error.with_path(path))
}

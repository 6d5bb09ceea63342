//! Arrow IPC files, also known as Feather version 2, and IPC streams.
//!
//! Files that are written are uncompressed, and readable by every implementation of Arrow. The feature `codecs` reads
//! compressed ones, whose blocks claim a length: do not read those of untrusted files with it.
//!
//! The reader of Arrow panics on some damaged files instead of returning an error.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};
pub use arrow_ipc;
use arrow_ipc::reader::{FileReader, StreamReader, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use npy_core::atomic::replace_file;
use npy_core::{Error, ErrorKind, Result, SaveOptions};

use crate::error::{arrow_error, of_arrow};
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

/// The first bytes of an IPC file, of a stream, and of Feather version 1.
const MAGIC: &[u8] = b"ARROW1";
const STREAM_MARK: &[u8] = &[0xff; 4];
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
            FileReader::try_new_buffered(file, None).map(Container::File)
        } else {
            if !front.starts_with(STREAM_MARK) {
                let message = "not an Arrow IPC file: expected \"ARROW1\", or the first message of a stream";
                return Err(Error::new(ErrorKind::WrongFormat, message));
            }
            expect_messages(&mut file)?;
            file.rewind().map_err(cannot_read)?;
            StreamReader::try_new_buffered(file, None).map(Container::Stream)
        };
        container.map(Self).map_err(of_arrow)
    }
}

impl Iterator for IpcReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match &mut self.0 {
            Container::File(reader) => reader.next(),
            Container::Stream(reader) => reader.next(),
        };
        batch.map(|batch| batch.map_err(|error| arrow_error(of_arrow(error))))
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

/// Checks that a stream has the bodies that its messages claim, because the reader allocates them before reading.
fn expect_messages(file: &mut File) -> Result<()> {
    let cannot_read = |error| Error::io("cannot read a message", error);
    let length = file.metadata().map_err(cannot_read)?.len();
    let mut offset = 0;
    while let Some(metadata_bytes) = metadata_bytes(file).map_err(cannot_read)? {
        let begin = file.stream_position().map_err(cannot_read)?;
        let expect = |expected: u64| match length.saturating_sub(begin) {
            found if found < expected => Err(Error::truncated("the message", offset, expected, found)),
            _ => Ok(()),
        };
        expect(metadata_bytes.into())?;
        let mut metadata = vec![0; usize::try_from(metadata_bytes).unwrap_or(usize::MAX)];
        file.read_exact(&mut metadata).map_err(cannot_read)?;
        let message = root_as_message(&metadata);
        let message = message.map_err(|error| of_arrow(ArrowError::ParseError(format!("invalid message: {error}"))))?;
        let body = u64::try_from(message.bodyLength()).unwrap_or(u64::MAX);
        expect(u64::from(metadata_bytes).saturating_add(body))?;
        offset = begin + u64::from(metadata_bytes) + body;
        file.seek(SeekFrom::Start(offset)).map_err(cannot_read)?;
    }
    Ok(())
}

/// The length of the metadata of the next message of a stream; `None` at its end, which may lack its mark.
fn metadata_bytes(file: &mut File) -> io::Result<Option<u32>> {
    let mut word = [0; 4];
    let mut next = || match file.read_exact(&mut word) {
        Ok(()) => Ok(u32::from_le_bytes(word)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        Err(error) => Err(error),
    };
    // The mark is optional: Arrow before version 0.15 lacks it.
    let bytes = match next()? {
        u32::MAX => next()?,
        bytes => bytes,
    };
    Ok(Some(bytes).filter(|bytes| *bytes > 0))
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

//! Files, streams and memory as batches.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_buffer::Buffer;
use arrow_schema::{ArrowError, SchemaRef};
use npy_core::{Error, Header, NpyReader, Result};

use crate::columns::{Columns, RowRange};
use crate::decode::Block;
use crate::error::{arrow_error, batch_too_large};
#[cfg(feature = "object")]
use crate::objects;
use crate::options::BatchOptions;

/// Reads a file as batches, in bounded memory.
///
/// A record array has a column for each field. Any other array has one column, `value`, with a row for
/// each index of the first axis; the other axes become lists of fixed size. A shorthand for
/// [`BatchReader::open`].
///
/// # Errors
///
/// Fails if the file cannot be opened, is truncated, has a dtype without an Arrow type, or lacks a
/// column that the options select. Values without an Arrow equivalent are errors of their batch.
///
/// ```
/// use npy_arrow::{BatchOptions, read_batches};
/// # use npy_core::{DynValues, Order};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("picks.npy");
/// # let dtype = "[('id', '<u2'), ('origin', [('time', '<M8[ns]')])]".parse()?;
/// # DynValues::new(dtype, Order::C, &[3], vec![1; 30])?.save(&path)?;
/// let mut rows = 0;
/// for batch in read_batches(&path, BatchOptions::new().rows(2).columns(["id", "origin.time"]))? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_batches(path: impl AsRef<Path>, options: impl Into<BatchOptions>) -> Result<BatchReader> {
    BatchReader::open(path, options)
}

/// Reads a mapped file as batches that share its memory if possible.
///
/// It is for contiguous numbers in native byte order: arrays of one dimension, lists of matrices in C
/// order, and the [columns](BatchOptions::matrix_columns) of matrices in Fortran order. Other batches
/// are decoded, as by [`read_batches`]. The file stays mapped until the last batch is dropped.
///
/// # Errors
///
/// Fails like [`read_batches`].
///
/// ```
/// use npy_arrow::{BatchOptions, map_batches};
/// use npy_core::NpyMap;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("embeddings.npy");
/// npy_core::save(&path, &[[0.5_f32, 1.5], [2.5, 3.5]])?;
/// // SAFETY: no process changes the file.
/// let map = unsafe { NpyMap::open(&path)? };
/// let first = map.bytes().as_ptr();
/// let batch = map_batches(map, BatchOptions::new())?.next().expect("a batch")?;
/// let lists = batch.column(0).to_data();
/// assert_eq!(lists.child_data()[0].buffers()[0].as_ptr(), first);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "mmap")]
pub fn map_batches(map: npy_core::NpyMap, options: impl Into<BatchOptions>) -> Result<BatchReader> {
    /// The owner of the memory.
    struct Mapped(npy_core::NpyMap);

    impl AsRef<[u8]> for Mapped {
        fn as_ref(&self) -> &[u8] {
            self.0.file_bytes()
        }
    }

    let (header, begin) = (map.header().clone(), map.data_offset());
    let buffer = Buffer::from(bytes::Bytes::from_owner(Mapped(map)));
    BatchReader::in_memory(header, buffer, begin, &options.into())
}

/// An iterator over the batches of a file, a stream, or bytes in memory.
///
/// It reads a batch when the caller asks for it. After an error it ends.
///
/// ```
/// use npy_arrow::{BatchOptions, BatchReader};
/// use npy_arrow::arrow_array::RecordBatchReader;
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[1.5_f64, 2.5, 3.5])?;
/// let reader = BatchReader::new(std::io::Cursor::new(file), BatchOptions::new().rows(2))?;
/// assert_eq!(reader.schema().field(0).name(), "value");
/// let rows: Vec<usize> = reader.map(|batch| batch.map(|batch| batch.num_rows())).collect::<Result<_, _>>()?;
/// assert_eq!(rows, [2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchReader {
    header: Header,
    columns: Columns,
    source: Source,
    path: Option<PathBuf>,
    rows: usize,
    /// The next row.
    position: usize,
    /// The bytes of rows that no batch shares.
    stage: Vec<u8>,
}

enum Source {
    Memory {
        buffer: Buffer,
        begin: usize,
    },
    File {
        file: File,
        begin: u64,
    },
    Stream {
        reader: Box<dyn Read + Send>,
        begin: u64,
    },
    /// All rows.
    #[cfg(feature = "object")]
    Decoded(RecordBatch),
}

impl BatchReader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// Fails like [`read_batches`].
    ///
    /// See [`read_batches`] for an example.
    pub fn open(path: impl AsRef<Path>, options: impl Into<BatchOptions>) -> Result<Self> {
        let (path, options) = (path.as_ref(), options.into());
        let open = || {
            let reader = NpyReader::open_with(path, options.read)?;
            let (header, begin) = (reader.header().clone(), reader.data_offset());
            #[cfg(feature = "object")]
            if objects::are_allowed(&header, &options) {
                return Self::of_objects(header, &reader.into_objects(options.read)?, &options);
            }
            let reader = reader.into_inner();
            let metadata = reader.get_ref().metadata().map_err(|error| cannot_read("cannot open the file", error))?;
            if !metadata.is_file() {
                return Self::of_stream(header, begin, Box::new(reader), &options);
            }
            let columns = Columns::new(&header, &options)?;
            let (expected, found) = (header.data_bytes(), metadata.len().saturating_sub(begin));
            if found < expected {
                return Err(truncated(begin, expected, found));
            }
            let mut file = reader.into_inner();
            file.seek(SeekFrom::Start(begin)).map_err(|error| cannot_read(READING, error))?;
            Ok(Self::with_source(header, columns, Source::File { file, begin }, &options))
        };
        let reader = open().map_err(|error: Error| error.with_path(path))?;
        Ok(Self { path: Some(path.to_owned()), ..reader })
    }

    /// Reads the header of a stream, such as a pipe, a socket or a member of an archive.
    ///
    /// A matrix in Fortran order has to be read as a whole, because its rows end with the stream.
    ///
    /// # Errors
    ///
    /// Fails like [`read_batches`].
    ///
    /// See [`BatchReader`] for an example.
    pub fn new(mut reader: impl Read + Send + 'static, options: impl Into<BatchOptions>) -> Result<Self> {
        let options = options.into();
        let opened = NpyReader::new_with(&mut reader, options.read)?;
        let (header, begin) = (opened.header().clone(), opened.data_offset());
        #[cfg(feature = "object")]
        if objects::are_allowed(&header, &options) {
            return Self::of_objects(header, &opened.into_objects(options.read)?, &options);
        }
        Self::of_stream(header, begin, Box::new(reader), &options)
    }

    /// Reads the bytes of a file in memory. Batches share them where the bytes allow it.
    ///
    /// `Buffer::from_vec` makes a buffer of a vector, and `Buffer::from(bytes::Bytes)` of any owner
    /// of bytes.
    ///
    /// # Errors
    ///
    /// Fails like [`read_batches`].
    ///
    /// ```
    /// use npy_arrow::arrow_buffer::Buffer;
    /// use npy_arrow::{BatchOptions, BatchReader};
    ///
    /// let mut file = Vec::new();
    /// npy_core::write(&mut file, &[1_u8, 2, 3])?;
    /// let buffer = Buffer::from_vec(file);
    /// let batch = BatchReader::from_buffer(buffer.clone(), BatchOptions::new())?.next().expect("a batch")?;
    /// assert_eq!(batch.column(0).to_data().buffers()[0].as_ptr(), buffer[128..].as_ptr());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_buffer(buffer: Buffer, options: impl Into<BatchOptions>) -> Result<Self> {
        let options = options.into();
        let (header, begin) = Header::parse_with(&buffer, options.read)?;
        Self::in_memory(header, buffer, begin, &options)
    }

    pub(crate) fn in_memory(header: Header, buffer: Buffer, begin: usize, options: &BatchOptions) -> Result<Self> {
        #[cfg(feature = "object")]
        if objects::are_allowed(&header, options) {
            let array = NpyReader::from_bytes_with(&buffer, options.read)?.into_objects(options.read)?;
            return Self::of_objects(header, &array, options);
        }
        let columns = Columns::new(&header, options)?;
        let (expected, found) = (header.data_bytes(), buffer.len().saturating_sub(begin) as u64);
        if found < expected {
            return Err(truncated(begin as u64, expected, found));
        }
        Ok(Self::with_source(header, columns, Source::Memory { buffer, begin }, options))
    }

    #[cfg(feature = "object")]
    fn of_objects(header: Header, array: &npy_core::object::ObjectArray, options: &BatchOptions) -> Result<Self> {
        let batch = objects::to_columns(array, options)?;
        let columns = Columns::decoded(&batch);
        Ok(Self::with_source(header, columns, Source::Decoded(batch), options))
    }

    fn of_stream(header: Header, begin: u64, mut reader: Box<dyn Read + Send>, options: &BatchOptions) -> Result<Self> {
        let columns = Columns::new(&header, options)?;
        if columns.range_count().is_none() {
            return Ok(Self::with_source(header, columns, Source::Stream { reader, begin }, options));
        }
        let mut bytes = Vec::new();
        let read =
            reader.by_ref().take(header.data_bytes()).read_to_end(&mut bytes).map_err(|error| cannot_read(READING, error))?;
        if (read as u64) < header.data_bytes() {
            return Err(truncated(begin, header.data_bytes(), read as u64));
        }
        let buffer = Buffer::from_vec(bytes);
        Ok(Self::with_source(header, columns, Source::Memory { buffer, begin: 0 }, options))
    }

    fn with_source(header: Header, columns: Columns, source: Source, options: &BatchOptions) -> Self {
        let rows = columns.batch_rows(options);
        Self { header, columns, source, path: None, rows, position: 0, stage: Vec::new() }
    }

    /// Returns dtype, order and shape of the array.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next batch of `rows` rows.
    fn read(&mut self, rows: usize) -> Result<RecordBatch> {
        let first_row = self.position as u64;
        let Self { columns, source, stage, .. } = self;
        #[cfg(feature = "object")]
        if let Source::Decoded(batch) = source {
            return Ok(batch.slice(self.position, rows));
        }
        if let Source::Memory { buffer, begin } = source {
            let range = RowRange { begin: *begin, from: self.position, rows, ..RowRange::all(columns.rows) };
            let block = Block { bytes: buffer, shared: Some(buffer), strides: &[], first_row };
            return columns.batch(&block, &range);
        }
        let range = RowRange::all(rows);
        let overflow = || batch_too_large("", rows);
        let length = rows.checked_mul(columns.row_bytes).ok_or_else(overflow)?;
        let done = (self.position as u64).saturating_mul(columns.row_bytes as u64);
        let missing = |begin: u64, found: usize| truncated(begin, self.header.data_bytes(), done + found as u64);
        let is_shared = columns.can_share();
        let mut bytes = if is_shared { Vec::new() } else { std::mem::take(stage) };
        bytes.clear();
        match source {
            Source::Memory { .. } => {}
            #[cfg(feature = "object")]
            Source::Decoded(_) => {}
            Source::File { file, begin } => match columns.range_count() {
                None => {
                    // The length of the file was checked.
                    bytes.try_reserve_exact(length).map_err(|_| overflow())?;
                    fill(file, length, &mut bytes).and_then(|()| check(&bytes, length, |found| missing(*begin, found)))?;
                }
                Some(ranges) => {
                    let (itemsize, all) = (columns.itemsize() as u64, columns.rows as u64);
                    let range_bytes = length / ranges;
                    bytes.try_reserve_exact(length).map_err(|_| overflow())?;
                    for index in 0..ranges {
                        let offset = (index as u64 * all + first_row) * itemsize;
                        file.seek(SeekFrom::Start(*begin + offset)).map_err(|error| cannot_read(READING, error))?;
                        let end = bytes.len() + range_bytes;
                        fill(file, range_bytes, &mut bytes)?;
                        check(&bytes, end, |found| missing(*begin, found))?;
                    }
                }
            },
            Source::Stream { reader, begin } => {
                fill(reader, length, &mut bytes).and_then(|()| check(&bytes, length, |found| missing(*begin, found)))?;
            }
        }
        if is_shared {
            let buffer = Buffer::from_vec(bytes);
            let block = Block { bytes: &buffer, shared: Some(&buffer), strides: &[], first_row };
            return columns.batch(&block, &range);
        }
        let batch = columns.batch(&Block { bytes: &bytes, shared: None, strides: &[], first_row }, &range);
        self.stage = bytes;
        batch
    }
}

impl Iterator for BatchReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.rows.min(self.columns.rows - self.position);
        if rows == 0 {
            return None;
        }
        let batch = self.read(rows);
        // After an error the position in a stream is unknown.
        self.position = if batch.is_ok() { self.position + rows } else { self.columns.rows };
        Some(batch.map_err(|error| match &self.path {
            Some(path) => arrow_error(error.with_path(path)),
            None => arrow_error(error),
        }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let batches = (self.columns.rows - self.position).div_ceil(self.rows);
        // Fewer after an error.
        (0, Some(batches))
    }
}

impl std::iter::FusedIterator for BatchReader {}

impl RecordBatchReader for BatchReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.columns.schema)
    }
}

impl std::fmt::Debug for BatchReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchReader").field("header", &self.header).field("position", &self.position).finish_non_exhaustive()
    }
}

const READING: &str = "cannot read the data";

/// Bytes that are reserved before any byte of a stream has come.
const FIRST_RESERVE: usize = 1 << 20;

/// Appends bytes, as long as there are any. Memory is bounded by the bytes present.
fn fill(reader: &mut impl Read, length: usize, bytes: &mut Vec<u8>) -> Result<()> {
    bytes.reserve(length.min(FIRST_RESERVE));
    reader.take(length as u64).read_to_end(bytes).map_err(|error| cannot_read(READING, error))?;
    Ok(())
}

fn check(bytes: &[u8], expected: usize, missing: impl FnOnce(usize) -> Error) -> Result<()> {
    if bytes.len() < expected { Err(missing(bytes.len())) } else { Ok(()) }
}

#[cold]
fn cannot_read(action: &'static str, error: io::Error) -> Error {
    Error::io(action, error)
}

#[cold]
fn truncated(offset: u64, expected: u64, found: u64) -> Error {
    Error::truncated("the array", offset, expected, found)
}

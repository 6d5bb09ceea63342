//! Batches into a file that grows.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use npy_core::atomic::Output;
use npy_core::{Error, Header, Order, Result};

use crate::encode::{Encoder, Unknown};
use crate::error::failed_before;
use crate::options::ArrayOptions;
use crate::values::IntoBatch;

/// Saves batches as a file, one after the other, atomically. Returns the number of rows.
///
/// # Errors
///
/// Fails like [`BatchWriter::write`], or if the source of the batches fails; an existing file is then
/// untouched, unless it is overwritten `in_place`.
///
/// ```
/// use npy_arrow::{ArrayOptions, BatchOptions, read_batches, write_batches};
/// use npy_arrow::arrow_array::RecordBatchReader;
///
/// # let directory = tempfile::tempdir()?;
/// # let (path, copy) = (directory.path().join("a.npy"), directory.path().join("b.npy"));
/// npy_core::save(&path, &[1.5_f64, 2.5, 3.5])?;
/// let batches = read_batches(&path, BatchOptions::new().rows(2))?;
/// assert_eq!(write_batches(&copy, &batches.schema(), batches, ArrayOptions::new())?, 3);
/// assert_eq!(npy_core::load::<f64>(&copy)?, [1.5, 2.5, 3.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_batches<B: IntoBatch>(
    path: impl AsRef<Path>,
    schema: &Schema,
    batches: impl IntoIterator<Item = B>,
    options: impl Into<ArrayOptions>,
) -> Result<u64> {
    let mut writer = BatchWriter::create(path, schema, options)?;
    for batch in batches {
        writer.write_in_slices(&batch.into_batch()?)?;
    }
    let rows = writer.rows();
    writer.commit()?;
    Ok(rows)
}

/// The most bytes of encoded rows in memory.
const STAGE_BYTES: usize = 16 << 20;

/// Writes an array batch by batch, in the memory of one batch.
///
/// The file of [`create`](Self::create) appears with [`commit`](Self::commit). A writer that is dropped before leaves no
/// file, and an existing one untouched. With `in_place` an existing file is overwritten from the first write on. In a stream, [`finish`](Self::finish) ends the array.
///
/// ```
/// use npy_arrow::{ArrayOptions, BatchWriter};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("values.npy");
/// let batch = npy_arrow::items_to_batch(&[1_u8, 2])?;
/// let mut writer = BatchWriter::create(&path, &batch.schema(), ArrayOptions::new())?;
/// writer.write(&batch)?;
/// writer.write(&batch)?;
/// assert!(!path.exists());
/// writer.commit()?;
/// assert_eq!(npy_core::load::<u8>(&path)?, [1, 2, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchWriter<W> {
    encoder: Encoder,
    writer: W,
    /// The offset of the header, and its length.
    begin: u64,
    header_bytes: usize,
    /// The path of a file, for errors.
    path: Option<PathBuf>,
    stage: Vec<u8>,
    has_failed: bool,
}

impl BatchWriter<Output> {
    /// Creates a file for batches of a schema.
    ///
    /// Of the [`SaveOptions`](npy_core::SaveOptions), `durable` and `in_place` apply.
    ///
    /// # Errors
    ///
    /// Fails like [`new`](Self::new), or if the file cannot be created.
    ///
    /// See [`BatchWriter`] for an example.
    pub fn create(path: impl AsRef<Path>, schema: &Schema, options: impl Into<ArrayOptions>) -> Result<Self> {
        let (path, options) = (path.as_ref(), options.into());
        let create = || {
            // Errors of the schema come before a file is created.
            let encoder = Encoder::new(schema, &options, &Unknown)?;
            let writer = Self::begin(encoder, Output::create(path, options.save)?)?;
            Ok(Self { path: Some(path.to_owned()), ..writer })
        };
        create().map_err(|error: Error| error.with_path(path))
    }

    /// Writes the number of rows into the header, and replaces an existing file.
    ///
    /// # Errors
    ///
    /// Fails if writing fails, or if an earlier write did; an existing file is then untouched, unless it is overwritten
    /// `in_place`.
    ///
    /// See [`BatchWriter`] for an example.
    pub fn commit(self) -> Result<()> {
        self.finish()?.commit()
    }
}

impl<W: Write + Seek> BatchWriter<W> {
    /// Writes the header of an array of a schema at the current position of a stream.
    ///
    /// # Errors
    ///
    /// Fails if a type of the schema has no dtype, if it does not fit the dtype of the options or of
    /// the metadata `npy:descr`, if the width of a text is unknown, or if writing fails.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_arrow::{ArrayOptions, BatchWriter};
    ///
    /// let batch = npy_arrow::items_to_batch(&[1_u8, 2])?;
    /// let mut writer = BatchWriter::new(Cursor::new(Vec::new()), &batch.schema(), ArrayOptions::new())?;
    /// writer.write(&batch)?;
    /// let file = writer.finish()?.into_inner();
    /// assert_eq!(npy_core::read::<u8>(&file[..])?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(writer: W, schema: &Schema, options: impl Into<ArrayOptions>) -> Result<Self> {
        let encoder = Encoder::new(schema, &options.into(), &Unknown)?;
        Self::begin(encoder, writer)
    }

    fn begin(encoder: Encoder, mut writer: W) -> Result<Self> {
        let header = header_of(&encoder)?;
        let begin = writer.stream_position().map_err(cannot_write)?;
        writer.write_all(&header).map_err(cannot_write)?;
        Ok(Self { encoder, writer, begin, header_bytes: header.len(), path: None, stage: Vec::new(), has_failed: false })
    }

    /// Appends the rows of a batch.
    ///
    /// # Errors
    ///
    /// Fails if the batch has another schema, has a null or a value that the dtype does not hold, or
    /// if writing fails. After a batch that does not fit, others can be written; after a failure of
    /// the stream, nothing can.
    ///
    /// See [`BatchWriter`] for an example.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_batch(batch).map_err(|error| self.located(error))
    }

    /// Appends the rows of a batch of any number, of which a part may be written if it fails.
    pub(crate) fn write_in_slices(&mut self, batch: &RecordBatch) -> Result<()> {
        let step = (STAGE_BYTES / self.encoder.row_bytes.max(1)).max(1);
        if batch.num_rows() <= step {
            return self.write(batch);
        }
        let begins = (0..batch.num_rows()).step_by(step);
        begins.into_iter().try_for_each(|begin| self.write(&batch.slice(begin, step.min(batch.num_rows() - begin))))
    }

    fn write_batch(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.has_failed {
            return Err(failed_before());
        }
        self.stage.clear();
        self.encoder.append(batch, &mut self.stage)?;
        self.writer.write_all(&self.stage).map_err(|error| {
            self.has_failed = true;
            cannot_write(error)
        })
    }

    /// Returns the number of rows so far.
    pub fn rows(&self) -> u64 {
        self.encoder.rows
    }

    /// Writes the number of rows into the header. Returns the stream, positioned after the array.
    ///
    /// # Errors
    ///
    /// Fails if writing fails, or if an earlier write did.
    ///
    /// See [`new`](Self::new) for an example.
    pub fn finish(mut self) -> Result<W> {
        if self.has_failed {
            return Err(self.located(failed_before()));
        }
        self.write_header().map_err(|error| self.located(error))?;
        Ok(self.writer)
    }

    fn write_header(&mut self) -> Result<()> {
        let header = header_of(&self.encoder)?;
        // NumPy's padding keeps the length, whatever the number of rows.
        if header.len() != self.header_bytes {
            let (expected, found) = (self.header_bytes as u64, header.len() as u64);
            return Err(Error::wrong_length(expected, found));
        }
        let end = self.writer.stream_position().map_err(cannot_write)?;
        self.writer.seek(SeekFrom::Start(self.begin)).map_err(cannot_write)?;
        self.writer.write_all(&header).map_err(cannot_write)?;
        self.writer.seek(SeekFrom::Start(end)).map_err(cannot_write)?;
        self.writer.flush().map_err(cannot_write)
    }

    fn located(&self, error: Error) -> Error {
        match &self.path {
            Some(path) => error.with_path(path),
            None => error,
        }
    }
}

impl<W> std::fmt::Debug for BatchWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchWriter").field("dtype", &self.encoder.dtype).field("rows", &self.encoder.rows).finish_non_exhaustive()
    }
}

/// The header for the rows so far.
fn header_of(encoder: &Encoder) -> Result<Vec<u8>> {
    let rows = usize::try_from(encoder.rows).unwrap_or(usize::MAX);
    let shape = [&[rows], &encoder.axes[..]].concat();
    Ok(Header::new(encoder.dtype.clone(), Order::C, &shape)?.to_bytes())
}

#[cold]
fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write the file", error)
}

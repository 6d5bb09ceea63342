//! Growing files whose rows are bytes, for a dtype that is known at run time.

use std::fmt;
use std::fs::File;
use std::path::Path;

use super::append::{create_growing, open_to_append};
use super::bytes::ElementBytes;
use super::growth::{FILE_CHANGES, Growable, Growth};
use super::output::Stream;
use super::stage::Stage;
use crate::error::{Error, Result};
use crate::format::header::Header;

/// Appends rows to a file of any dtype, as bytes.
///
/// It is [`NpyWriter`](crate::NpyWriter) for code that knows the dtype at run time: the same locks, commits and
/// [recovery](crate::append::recover). Rows are in the order and the byte order of the file.
///
/// ```
/// use npy_core::append::RowsWriter;
/// use npy_core::{Header, Order};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("log.npy");
/// let header = Header::new("[('id', '|u1'), ('value', '<u2')]".parse()?, Order::C, &[0])?;
/// let mut writer = RowsWriter::create(&path, &header)?;
/// writer.write(&[1, 5, 0, 2, 7, 0])?; // two records
/// writer.finish()?;
///
/// let mut writer = RowsWriter::append(&path)?;
/// assert_eq!(writer.header().shape(), [2]);
/// writer.write(&[3, 9, 0])?;
/// writer.flush()?; // survives a crash from here on
/// writer.finish()?;
/// assert_eq!(npy_core::NpyReader::open(&path)?.header().shape(), [3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[must_use = "errors of writing the last rows are seen only by `finish`"]
pub struct RowsWriter {
    writer: Stream<File>,
    stage: Stage,
    header: Header,
}

impl RowsWriter {
    /// Creates a growing file with the dtype, the order and the inner axes of a header.
    ///
    /// See [`NpyWriter::create_like`](crate::NpyWriter::create_like).
    pub fn create(path: impl AsRef<Path>, header: &Header) -> Result<Self> {
        let grow = |header: &Header, length| Growable::new(header, header, length);
        create_growing(path.as_ref(), header, grow, |file, header, growth| Ok(Self::growing(file, header, growth)))
    }

    /// Opens an existing file to append to it.
    ///
    /// See [`NpyWriter::append`](crate::NpyWriter::append).
    pub fn append(path: impl AsRef<Path>) -> Result<Self> {
        let grow = |header: &Header, length| Ok((Growable::new(header, header, length)?, header.element_count() as u64));
        open_to_append(path.as_ref(), grow, |file, header, growth| Ok(Self::growing(file, header, growth)))
    }

    fn growing(file: File, header: &Header, growth: Growth) -> Self {
        let mut stage = Stage::new(header, header, Vec::new());
        stage.grow(growth);
        let mut writer = Stream::new(file);
        writer.allow(FILE_CHANGES);
        Self { writer, stage, header: header.clone() }
    }

    /// Returns the header of the file as it was opened.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Writes elements as their bytes, which [`flush`](Self::flush) commits.
    ///
    /// Fails if the bytes are not whole elements.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let itemsize = self.header.dtype().itemsize();
        let count = bytes.len().checked_div(itemsize).unwrap_or_default();
        let result = if count * itemsize == bytes.len() {
            self.stage.put_bytes(&mut self.writer, ElementBytes::from_bytes(bytes, self.header.dtype()), count)
        } else {
            Err(Error::wrong_length((count as u64 + 1) * itemsize as u64, bytes.len() as u64))
        };
        self.stage.note_result(result)
    }

    /// Commits the rows written so far: they survive a crash from here on.
    pub fn flush(&mut self) -> Result<()> {
        self.stage.commit(&mut self.writer).map_err(|error| self.stage.locate(error))
    }

    /// Commits all rows and closes the file.
    ///
    /// Fails if the elements do not fill their last row.
    pub fn finish(mut self) -> Result<()> {
        self.stage.end(&mut self.writer).map_err(|error| self.stage.locate(error))
    }
}

impl Drop for RowsWriter {
    fn drop(&mut self) {
        self.stage.close(&mut self.writer);
    }
}

impl fmt::Debug for RowsWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowsWriter").field("header", &self.header).finish_non_exhaustive()
    }
}

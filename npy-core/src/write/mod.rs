//! Writes slices and single elements to files and streams.

pub(crate) mod append;
pub(crate) mod bytes;
pub(crate) mod growth;
pub(crate) mod order;
pub(crate) mod output;
pub(crate) mod replace;
pub(crate) mod rows;
mod save;
mod stage;
mod whole;

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use crate::element::{self, Difference, NpyElement, PlanOf};
use crate::error::Result;
use crate::format::header::Header;
use bytes::ElementBytes;
use output::{Stream, cannot_write};
use save::layout_of;
use stage::Stage;

pub(crate) use save::header_of;
pub use save::{dtype_of, save, save_like, save_with, write};

/// Writes an array, one element or slice after another.
///
/// It buffers small writes, so that a file needs no `BufWriter`. The constructor decides what a crash
/// leaves of the array:
///
/// | length | constructors | after a kill | after a power cut | a [`flush`](Self::flush) takes |
/// |---|---|---|---|---|
/// | known | [`with_len`](Self::with_len), [`with_header`](Self::with_header): any stream | torn | torn | a `write` |
/// | unknown | [`new`](Self::new): a stream that can seek | flushed rows | uncertain | two `write`s |
/// | unknown | [`create`](NpyWriter::create), [`append`](NpyWriter::append): a file | flushed rows | flushed rows | two `fsync`s |
///
/// # Known length
///
/// The header is complete from the start, and nothing is rewritten later. This fits pipes and
/// sockets:
///
/// ```
/// use npy_core::NpyWriter;
///
/// let mut writer = NpyWriter::with_len(Vec::new(), 4)?;
/// writer.push(&0.5_f64)?;
/// writer.write_slice(&[1.5, 2.5])?;
/// writer.extend([3.5].iter())?;
/// let file = writer.finish()?;
/// assert_eq!(npy_core::read::<f64>(&file[..])?, [0.5, 1.5, 2.5, 3.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Any shape and dtype
///
/// Elements are written in the order of the header, here column by column:
///
/// ```
/// use npy_core::{Header, NpyWriter, Order};
///
/// let header = Header::new(">u2".parse()?, Order::Fortran, &[2, 3])?;
/// let mut writer = NpyWriter::with_header(Vec::new(), &header)?;
/// writer.write_slice(&[1_u16, 4, 2, 5, 3, 6])?; // in Python: array([[1, 2, 3], [4, 5, 6]], dtype='>u2')
/// let file = writer.finish()?;
/// assert_eq!(file[128..132], [0, 1, 0, 4]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Files that grow
///
/// The file is valid at every instant, and other processes can read it. A flush commits the rows so
/// far:
///
/// ```
/// use npy_core::NpyWriter;
///
/// # let path = tempfile::TempDir::new()?.keep().join("log.npy");
/// let mut log = NpyWriter::<f64, _>::create_or_append(&path)?;
/// log.push(&1.5)?;
/// log.flush()?; // committed
/// # drop(log);
/// # std::fs::remove_dir_all(path.parent().unwrap())?;
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Rows of more dimensions grow along the outer axis: the first in C order, the last in Fortran
/// order. Here a row has 2 × 3 elements:
///
/// ```
/// use npy_core::{Header, NpyElement, NpyWriter, Order};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let header = Header::new(u8::dtype(), Order::C, &[0, 2, 3])?;
/// let mut frames = NpyWriter::create_like(&path, &header)?;
/// frames.write_slice(&[1_u8, 2, 3, 4, 5, 6])?;
/// frames.flush()?;
/// assert_eq!(Header::read(std::fs::File::open(&path)?)?.shape(), [1, 2, 3]);
/// frames.finish()?;
///
/// let mut frames = NpyWriter::append(&path)?; // tomorrow
/// frames.write_slice(&[7_u8; 6])?;
/// frames.finish()?;
/// assert_eq!(Header::read(std::fs::File::open(&path)?)?.shape(), [2, 2, 3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Drop
///
/// A drop cannot report an error, so call [`finish`](Self::finish). Dropping a writer finishes it,
/// unless writing has failed. An array that grows keeps every whole row that was accepted, even after
/// elements were refused and in a panic. An array of known length gets the buffered elements, but not
/// after an error or in a panic.
#[must_use = "errors of writing the end of the array are seen only by `finish`"]
pub struct NpyWriter<T: NpyElement, W: Write> {
    writer: Stream<W>,
    plan: PlanOf<T>,
    stage: Stage,
    element: PhantomData<fn(&T)>,
}

impl<T: NpyElement, W: Write> NpyWriter<T, W> {
    /// Begins a one-dimensional array of `len` elements, in any stream.
    ///
    /// The dtype is `T::dtype()`. That of text without a fixed width (`String`) holds no character here:
    /// use [`with_header`](Self::with_header).
    pub fn with_len(writer: W, len: usize) -> Result<Self> {
        Self::with_header(writer, &header_of(T::dtype(), &[len])?)
    }

    /// Begins an array of any shape, order and dtype, in any stream.
    ///
    /// Write the elements in the order of the header.
    ///
    /// # Errors
    ///
    /// Fails if the dtype does not fit `T`, and lists every difference. A field for which `T` has no
    /// value is one of them.
    pub fn with_header(writer: W, header: &Header) -> Result<Self> {
        let layout = layout_of::<T>(header);
        let (plan, missing) = element::plan_to_write::<T>(layout.dtype())?;
        Ok(Self { plan, stage: Stage::new(header, &layout, missing), writer: Stream::new(writer), element: PhantomData })
    }

    /// Replaces the `.npy` header, before any element.
    #[cfg(feature = "rawarray")]
    pub(crate) fn begin_with(&mut self, header: Vec<u8>) {
        self.stage.bytes = header;
    }

    /// Begins an array of unknown length, whose header the caller writes.
    #[cfg(feature = "npz")]
    pub(crate) fn open_ended(writer: W, header: &Header) -> Result<Self> {
        let mut writer = Self::with_header(writer, header)?;
        writer.stage.open_end();
        Ok(writer)
    }

    /// Ends an [`open_ended`](Self::open_ended) array and returns the number of its elements.
    #[cfg(feature = "npz")]
    pub(crate) fn finish_open(mut self) -> Result<u64> {
        self.stage.end_open(&mut self.writer)
    }

    /// Writes the next element.
    ///
    /// Fails if the array is full, if the element cannot be expressed in the dtype, or if writing fails.
    #[inline]
    pub fn push(&mut self, item: &T) -> Result<()> {
        let items = std::slice::from_ref(item);
        // Most calls copy a few bytes, for which there is space.
        if const { element::is_plain::<T>() }
            && let Some(ElementBytes { bytes, difference: Difference::None, .. }) =
                ElementBytes::of_plan(&self.plan, self.stage.itemsize, items)
            && self.stage.push(bytes)
        {
            return Ok(());
        }
        self.write_slice(items)
    }

    /// Writes the next elements. Fails like [`push`](Self::push).
    pub fn write_slice(&mut self, items: &[T]) -> Result<()> {
        let result = self.stage.put_items(&mut self.writer, &self.plan, items);
        self.stage.note_result(result)
    }

    /// Writes the elements of an iterator over references, as of a strided array.
    ///
    /// Fails like [`push`](Self::push).
    pub fn extend<'a>(&mut self, items: impl IntoIterator<Item = &'a T>) -> Result<()>
    where
        T: 'a,
    {
        let result = self.stage.put_each(&mut self.writer, &self.plan, items.into_iter());
        self.stage.note_result(result)
    }

    /// Writes the buffered elements, and commits an array that grows.
    ///
    /// A commit writes the data to the disk first, then the header that counts them. Whatever happens
    /// afterwards, the file holds at least these rows. An incomplete row is counted later.
    ///
    /// A commit calls `fsync`, which takes some milliseconds on a disk. A crash loses the rows since the
    /// last one, so commit as often as you can afford to lose them, not every element.
    pub fn flush(&mut self) -> Result<()> {
        self.stage.commit(&mut self.writer).map_err(|error| self.stage.locate(error))
    }

    /// Writes the buffered elements and returns the stream.
    ///
    /// An array that grows is [committed](Self::flush).
    ///
    /// # Errors
    ///
    /// Fails if fewer elements were written than the header says, if the last row is incomplete, or if
    /// writing fails.
    pub fn finish(mut self) -> Result<W> {
        let ended = self.stage.end(&mut self.writer).and_then(|()| self.writer.take().map_err(cannot_write));
        ended.map_err(|error| self.stage.locate(error))
    }

    /// Prevents a drop from writing more: the owner of the elements has failed.
    #[cfg(feature = "npz")]
    pub(crate) fn abandon(&mut self) {
        self.stage.abandon();
    }
}

impl<T: NpyElement, W: Write> Drop for NpyWriter<T, W> {
    fn drop(&mut self) {
        self.stage.close(&mut self.writer);
    }
}

impl<T: NpyElement, W: Write> fmt::Debug for NpyWriter<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stage { expected, count, .. } = &self.stage;
        f.debug_struct("NpyWriter").field("expected", expected).field("count", count).finish_non_exhaustive()
    }
}

//! Reads arrays into aligned memory.

use std::io::Read;
use std::path::Path;

use super::NpyReader;
use super::file::with_file;
use crate::element;
use crate::element::{Difference, NpyElement};
use crate::error::Result;
use crate::memory::Bulk;
use crate::memory::aligned::AlignedBuffer;
use crate::options::ReadOptions;

/// Reads a one-dimensional file to memory that begins at a line of the cache or at a huge page, which was measured to be up to
/// a fifth faster than to a `Vec` where both are fresh memory of 16 MiB or more. [`NpyReader::into_aligned`] takes arrays of any shape.
///
/// An array of `ndarray` cannot own such memory, but can view it. Elements whose memory is not the bytes of the file, such as `String`s,
/// are moved there, which gains nothing.
///
/// # Errors
///
/// Like [`load`](crate::load).
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// # npy_core::save(&path, &[1.5_f64, 2.5])?;
/// let samples = npy_core::load_aligned::<f64>(&path)?;
/// assert_eq!(samples.iter().sum::<f64>(), 4.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn load_aligned<T: NpyElement>(path: impl AsRef<Path>) -> Result<AlignedBuffer<T>> {
    load_aligned_with(path, ReadOptions::new())
}

/// [`load_aligned`] with [`ReadOptions`], or with [`Limits`](crate::Limits) of one's own.
///
/// # Errors
///
/// Like [`load`](crate::load).
///
/// ```
/// use npy_core::ReadOptions;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// # npy_core::save(&path, &[1.5_f64, 2.5])?;
/// let samples = npy_core::load_aligned_with::<f64>(&path, ReadOptions::new().threads(2))?;
/// assert_eq!(samples.len(), 2);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn load_aligned_with<T: NpyElement>(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<AlignedBuffer<T>> {
    with_file(path.as_ref(), options.into(), |reader| reader.with_dimensions::<T>(1)?.into_aligned())
}

impl<R: Read> NpyReader<R> {
    /// Reads all elements that are left, in the order of the file, whatever the shape, to aligned memory.
    ///
    /// See [`load_aligned`]. What comes from a stream of unknown length is moved there.
    ///
    /// # Errors
    ///
    /// Like [`into_vec`](Self::into_vec).
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// # let mut file = Vec::new();
    /// # npy_core::write(&mut file, &[1.0_f32, 2.0, 3.0])?;
    /// let samples = NpyReader::from_bytes(&file)?.into_aligned::<f32>()?;
    /// assert_eq!(*samples, [1.0, 2.0, 3.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn into_aligned<T: NpyElement>(mut self) -> Result<AlignedBuffer<T>> {
        let plan = self.plan::<T>()?;
        let count = self.remaining();
        let bulk = element::bulk::<T>(&plan, self.header().dtype().itemsize()).filter(|_| self.is_there::<T>(count));
        let Some((bulk, difference)) = bulk else {
            return AlignedBuffer::from_vec(self.read_vec(&plan, count)?);
        };
        self.begin()?;
        let items = self.read_aligned(bulk, count, difference == Difference::ByteOrder)?;
        self.position += count;
        self.end()?;
        Ok(items)
    }

    /// Reads elements whose memory is the file's bytes, and which are there.
    fn read_aligned<T>(&mut self, bulk: Bulk<T>, count: usize, swap: bool) -> Result<AlignedBuffer<T>> {
        let offset = self.offset();
        #[cfg(unix)]
        if let Some(part) = self.part_for_threads(count.saturating_mul(size_of::<T>())) {
            let end = part.end;
            let items = bulk.read_aligned_by_threads(count, swap, part)?;
            self.go_on_at(end)?;
            return Ok(items);
        }
        let Self { reader, source, .. } = self;
        bulk.read_aligned(count, swap, offset, &mut |spare| (source.fill)(reader, spare))
    }
}

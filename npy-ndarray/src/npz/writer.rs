//! Writes arrays to an archive.

use std::fmt;
use std::fs::File;
use std::io::{Seek, Write};
use std::ops::{Deref, DerefMut};
use std::path::Path;

use npy_core::npz::WriteOptions;
use npy_core::{Result, npz};

use super::super::write::WriteNpyExt;

/// Writes an `.npz` archive, byte for byte as `np.savez` does.
///
/// ```
/// use ndarray::{Array2, array};
/// use npy_ndarray::{NpzReader, NpzWriter};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let matrix = array![[1.0, 2.0], [3.0, 4.0]];
/// let mut archive = NpzWriter::create_compressed(&path)?; // as np.savez_compressed does
/// archive.add_array("transposed", &matrix.t())?; // any array or view
/// archive.add_slice("names", &["Ada".to_owned(), "Grace".to_owned()])?;
/// archive.add_bytes("notes.txt", b"hello")?; // a method of `npy_core::npz::NpzWriter`
/// archive.finish()?;
///
/// let mut archive = NpzWriter::append(&path)?; // tomorrow
/// archive.add_scalar("rate", &0.5)?;
/// archive.finish()?;
///
/// let mut archive = NpzReader::open(&path)?;
/// let transposed: Array2<f64> = archive.by_name("transposed")?;
/// assert_eq!(transposed, matrix.t());
/// assert_eq!(archive.len(), 4);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
///
/// Dropping a writer finishes it, unless its last call failed or the thread panics, as
/// [`npz::NpzWriter`](npz::NpzWriter#drop) describes. A drop cannot report an error, so call
/// [`finish`](Self::finish).
#[must_use = "errors of finishing the archive are seen only by `finish`"]
pub struct NpzWriter<W: Write> {
    pub(super) archive: npz::NpzWriter<W>,
}

impl NpzWriter<File> {
    /// Creates an archive file, as `np.savez` does.
    ///
    /// It replaces an existing file when it is finished, and never after an error or in a panic.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        Self::create_with(path, WriteOptions::new())
    }

    /// [`create`](Self::create) with options: compression, level, alignment, durable, threads.
    pub fn create_with(path: impl AsRef<Path>, options: impl Into<WriteOptions>) -> Result<Self> {
        npz::NpzWriter::create_with(path, options).map(|archive| Self { archive })
    }

    /// [`create`](Self::create) with compression, as `np.savez_compressed` does.
    pub fn create_compressed(path: impl AsRef<Path>) -> Result<Self> {
        Self::create_with(path, WriteOptions::new().compressed(true))
    }

    /// Opens an existing archive to add members to it.
    ///
    /// The other members are not written again: see [`npz::NpzWriter::append`].
    pub fn append(path: impl AsRef<Path>) -> Result<Self> {
        Self::append_with(path, WriteOptions::new())
    }

    /// [`append`](Self::append) with options: compression, level, alignment, durable, threads.
    pub fn append_with(path: impl AsRef<Path>, options: impl Into<WriteOptions>) -> Result<Self> {
        npz::NpzWriter::append_with(path, options).map(|archive| Self { archive })
    }
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Begins an archive without compression, in a stream that can seek.
    pub fn new(writer: W) -> Self {
        Self::new_with(writer, WriteOptions::new())
    }

    /// [`new`](Self::new) with options: compression, level, alignment, threads.
    pub fn new_with(writer: W, options: impl Into<WriteOptions>) -> Self {
        Self { archive: npz::NpzWriter::new_with(writer, options) }
    }

    /// [`new`](Self::new) with compression, as `np.savez_compressed` does.
    pub fn new_compressed(writer: W) -> Self {
        Self::new_with(writer, WriteOptions::new().compressed(true))
    }
}

impl<W: Write> NpzWriter<W> {
    /// Begins an archive in a stream that cannot seek, such as a pipe.
    ///
    /// See [`npz::NpzWriter::streaming`].
    pub fn streaming(writer: W) -> Self {
        Self { archive: npz::NpzWriter::streaming(writer) }
    }

    /// Adds an array of any kind and dimension.
    ///
    /// Fails if the name is taken, if an element cannot be expressed in the dtype, or if writing
    /// fails.
    pub fn add_array<N: Into<String>, A: WriteNpyExt + ?Sized>(&mut self, name: N, array: &A) -> Result<()> {
        self.archive.add_content(&name.into(), |member| array.write_npy(member))
    }

    /// Sets the options of the next members.
    // Not left to `Deref`, through which `set_options(archive.options()…)` would borrow the archive twice.
    pub fn set_options(&mut self, options: WriteOptions) {
        self.archive.set_options(options);
    }

    /// Writes the central directory and returns the stream.
    pub fn finish(self) -> Result<W> {
        self.archive.finish()
    }

    /// Discards the archive: see [`npz::NpzWriter::discard`].
    pub fn discard(self) {
        self.archive.discard();
    }
}

/// Slices, scalars, raw bytes, members of unknown length, options.
impl<W: Write> Deref for NpzWriter<W> {
    type Target = npz::NpzWriter<W>;

    fn deref(&self) -> &Self::Target {
        &self.archive
    }
}

impl<W: Write> DerefMut for NpzWriter<W> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.archive
    }
}

impl<W: Write> fmt::Debug for NpzWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.archive.fmt(f)
    }
}

//! Writes arrays to an archive.

use std::fmt;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

use npy_core::npz::WriteOptions;
use npy_core::{NpyElement, Result, npz};

use super::super::write::WriteNpyExt;

/// Writes an `.npz` archive, byte for byte as `np.savez` does.
///
/// See [`NpzReader`](super::NpzReader) for an example. Dropping a writer finishes it, unless its last call failed or
/// the thread panics, as [`npz::NpzWriter`](npz::NpzWriter#drop) describes. A drop cannot report an
/// error, so call [`finish`](Self::finish).
#[must_use = "errors of finishing the archive are seen only by `finish`"]
pub struct NpzWriter<W: Write> {
    pub(super) archive: npz::NpzWriter<W>,
}

impl NpzWriter<File> {
    /// Creates an archive file, as `np.savez` does.
    ///
    /// It replaces an existing file when it is finished, and never after an error or in a panic.
    ///
    /// ```
    /// # use npy_ndarray::NpzWriter;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let mut archive = NpzWriter::create(&path)?;
    /// archive.add_array("x", &ndarray::array![1.0, 2.0])?;
    /// assert!(!path.exists());
    /// archive.finish()?; // np.load(path)
    /// assert!(path.exists());
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be created.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        Self::create_with(path, WriteOptions::new())
    }

    /// Creates a file like [`create`](Self::create), with [`WriteOptions`].
    ///
    /// ```
    /// # use ndarray::Array2;
    /// use npy_ndarray::{NpzWriter, npz::WriteOptions};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let mut archive = NpzWriter::create_with(&path, WriteOptions::new().compressed(true).threads(2).durable(true))?;
    /// archive.add_array("zeros", &Array2::<f64>::zeros((100, 100)))?;
    /// archive.finish()?;
    /// assert!(std::fs::metadata(&path).is_ok_and(|file| file.len() < 1000));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`create`](Self::create).
    pub fn create_with(path: impl AsRef<Path>, options: impl Into<WriteOptions>) -> Result<Self> {
        npz::NpzWriter::create_with(path, options).map(|archive| Self { archive })
    }

    /// Creates a file with compression, as `np.savez_compressed` does.
    ///
    /// ```
    /// # use npy_ndarray::NpzWriter;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let mut archive = NpzWriter::create_compressed(&path)?;
    /// archive.add_array("zeros", &ndarray::Array2::<f64>::zeros((100, 100)))?;
    /// archive.finish()?;
    /// assert!(std::fs::metadata(&path)?.len() < 1000);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`create`](Self::create).
    pub fn create_compressed(path: impl AsRef<Path>) -> Result<Self> {
        Self::create_with(path, WriteOptions::new().compressed(true))
    }

    /// Opens an existing archive to add members to it.
    ///
    /// The other members are not written again: see [`npz::NpzWriter::append`].
    ///
    /// ```
    /// # use npy_ndarray::{NpzReader, NpzWriter};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("log.npz");
    /// # let mut archive = NpzWriter::create(&path)?;
    /// # archive.add_slice("day1", &[1.0, 2.0])?;
    /// # archive.finish()?;
    /// let mut archive = NpzWriter::append(&path)?; // which has day1
    /// archive.add_array("day2", &ndarray::array![3.0])?;
    /// archive.finish()?;
    /// assert_eq!(NpzReader::open(&path)?.names()?, ["day1", "day2"]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such file, if it cannot be written to, or if the archive is not whole.
    pub fn append(path: impl AsRef<Path>) -> Result<Self> {
        Self::append_with(path, WriteOptions::new())
    }

    /// [`append`](Self::append) with [`WriteOptions`].
    ///
    /// See [`npz::NpzWriter::append_with`] for an example.
    ///
    /// # Errors
    ///
    /// Fails like [`append`](Self::append).
    pub fn append_with(path: impl AsRef<Path>, options: impl Into<WriteOptions>) -> Result<Self> {
        npz::NpzWriter::append_with(path, options).map(|archive| Self { archive })
    }
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Begins an archive without compression.
    ///
    /// ```
    /// let mut archive = npy_ndarray::NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("x", &ndarray::array![1.0, 2.0])?;
    /// let download: Vec<u8> = archive.finish()?.into_inner();
    /// assert!(download.starts_with(b"PK"));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn new(writer: W) -> Self {
        Self::new_with(writer, WriteOptions::new())
    }

    /// [`new`](Self::new) with [`WriteOptions`].
    ///
    /// See [`npz::NpzWriter::new_with`] for an example.
    pub fn new_with(writer: W, options: impl Into<WriteOptions>) -> Self {
        Self { archive: npz::NpzWriter::new_with(writer, options) }
    }

    /// Begins an archive with compression, as `np.savez_compressed` does.
    ///
    /// ```
    /// let mut archive = npy_ndarray::NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("zeros", &ndarray::Array2::<f64>::zeros((100, 100)))?;
    /// assert!(archive.finish()?.into_inner().len() < 1000);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn new_compressed(writer: W) -> Self {
        Self::new_with(writer, WriteOptions::new().compressed(true))
    }
}

impl<W: Write> NpzWriter<W> {
    /// Begins an archive in a stream that cannot seek, such as a pipe.
    ///
    /// See [`npz::NpzWriter::streaming`].
    ///
    /// ```
    /// use npy_ndarray::{NpzWriter, npy_core::npz::NpzStream};
    ///
    /// let mut archive = NpzWriter::streaming(Vec::new()); // a pipe, a socket, standard output
    /// archive.add_array("x", &ndarray::array![1.0, 2.0])?;
    /// let pipe = archive.finish()?;
    /// if let Some(mut x) = NpzStream::new(&pipe[..]).next()? {
    ///     assert_eq!(x.array()?.into_vec::<f64>()?, [1.0, 2.0]);
    /// }
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn streaming(writer: W) -> Self {
        Self { archive: npz::NpzWriter::streaming(writer) }
    }

    /// Adds an array of any kind and dimension.
    ///
    /// # Errors
    ///
    /// Fails if the name is taken, if an element cannot be expressed in the dtype, or if writing
    /// fails.
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use npy_ndarray::{NpzReader, NpzWriter};
    ///
    /// let matrix = array![[1.0, 2.0], [3.0, 4.0]];
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("transposed", &matrix.t())?;
    /// let transposed: Array2<f64> = NpzReader::new(archive.finish()?)?.by_name("transposed")?;
    /// assert_eq!(transposed, matrix.t());
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn add_array<N: Into<String>, A: WriteNpyExt + ?Sized>(&mut self, name: N, array: &A) -> Result<()> {
        self.archive.add_content(&name.into(), |member| array.write_npy(member))
    }

    /// Adds a one-dimensional array of elements or records.
    ///
    /// # Errors
    ///
    /// Fails if the name is taken, if an element cannot be expressed in the dtype, or if writing
    /// fails.
    ///
    /// ```
    /// let mut archive = npy_ndarray::NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_slice("times", &[0.5, 1.5])?;
    /// archive.add_slice("names", &["Ada".to_owned(), "Grace".to_owned()])?;
    /// archive.finish()?;
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn add_slice<T: NpyElement>(&mut self, name: &str, items: &[T]) -> Result<()> {
        self.archive.add_slice(name, items)
    }

    /// Adds a zero-dimensional array: a number, a text, a record.
    ///
    /// # Errors
    ///
    /// Fails like [`add_slice`](Self::add_slice).
    ///
    /// ```
    /// use npy_ndarray::{NpzReader, NpzWriter};
    ///
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_scalar("rate", &0.5)?; // np.savez(path, rate=0.5)
    /// let file = archive.finish()?;
    /// assert_eq!(NpzReader::new(file)?.scalar::<f64>("rate")?, 0.5);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn add_scalar<T: NpyElement>(&mut self, name: &str, item: &T) -> Result<()> {
        self.archive.add_scalar(name, item)
    }

    /// Returns the options of the next members.
    pub fn options(&self) -> WriteOptions {
        self.archive.options()
    }

    /// Sets the options of the next members.
    ///
    /// See [`WriteOptions`] for an example.
    pub fn set_options(&mut self, options: WriteOptions) {
        self.archive.set_options(options);
    }

    /// Returns the writer of `npy_core`.
    ///
    /// It writes raw bytes and members of unknown length.
    ///
    /// ```
    /// let mut archive = npy_ndarray::NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.get_mut().add_bytes("notes.txt", b"hello")?;
    /// archive.finish()?;
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn get_mut(&mut self) -> &mut npz::NpzWriter<W> {
        &mut self.archive
    }

    /// Writes the central directory and returns the stream.
    ///
    /// See [`NpzReader`](super::NpzReader) for an example.
    ///
    /// # Errors
    ///
    /// Fails if writing fails, or if an earlier write failed.
    pub fn finish(self) -> Result<W> {
        self.archive.finish()
    }

    /// Discards the archive: see [`npz::NpzWriter::discard`].
    ///
    /// ```
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let mut archive = npy_ndarray::NpzWriter::create(&path)?;
    /// archive.add_array("x", &ndarray::array![1.0, 2.0])?;
    /// archive.discard();
    /// assert!(!path.exists());
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn discard(self) {
        self.archive.discard();
    }
}

impl<W: Write> fmt::Debug for NpzWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.archive.fmt(f)
    }
}

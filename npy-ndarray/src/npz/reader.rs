//! Reads the arrays of an archive.

use std::fmt;
use std::io::{Cursor, Read, Seek};
use std::path::Path;

use npy_core::{NpyElement, NpyView, ReadOptions, Result, npz};

use super::super::ndarray::{Array, ArrayBase, ArrayView, CowArray, DataOwned, Dimension};
use super::super::read::into_array;
use super::super::view::ViewNpyExt;

/// Reads the arrays of an `.npz` archive.
///
/// ```
/// use ndarray::{Array1, Array2, array};
/// use npy_ndarray::{NpzReader, NpzWriter};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("run.npz");
/// let mut archive = NpzWriter::create(&path)?;
/// archive.add_array("matrix", &array![[1.0, 2.0], [3.0, 4.0]])?;
/// archive.add_array("labels", &array![1_u8, 2])?;
/// archive.finish()?; // np.load(path)
///
/// let mut archive = NpzReader::open(&path)?;
/// let matrix: Array2<f64> = archive.by_name("matrix")?;
/// let labels: Array1<u8> = archive.by_name("labels")?;
/// assert_eq!(matrix[[1, 0]], 3.0);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
///
/// The checksum of a member is always checked, except by [`view`](Self::view).
pub struct NpzReader<R> {
    pub(super) archive: npz::NpzReader<R>,
    /// The options for arrays of unknown dtype.
    pub(super) arrays: ReadOptions,
}

impl NpzReader<npz::ArchiveFile> {
    /// Opens an archive and reads its central directory.
    ///
    /// ```
    /// # use npy_ndarray::{NpzReader, NpzWriter};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// # let mut writer = NpzWriter::create(&path)?;
    /// # writer.add_slice("x", &[1.5, 2.5])?;
    /// # writer.finish()?;
    /// let x: ndarray::Array1<f64> = NpzReader::open(&path)?.by_name("x")?;
    /// assert_eq!(x.sum(), 4.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or is not a zip archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, ReadOptions::new())
    }

    /// [`open`](Self::open) with [`ReadOptions`] or [`Limits`](npy_core::Limits).
    ///
    /// The threads are those of [`set_threads`](Self::set_threads).
    ///
    /// ```
    /// # use ndarray::{Array1, array};
    /// # use npy_ndarray::NpzWriter;
    /// use npy_ndarray::{ReadOptions, NpzReader};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// # let mut writer = NpzWriter::create(&path)?;
    /// # writer.add_array("x", &array![1.5, 2.5])?;
    /// # writer.finish()?;
    /// let mut archive = NpzReader::open_with(&path, ReadOptions::new().threads(2))?;
    /// let x: Array1<f64> = archive.by_name("x")?;
    /// assert_eq!(x, array![1.5, 2.5]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        Ok(Self { archive: npz::NpzReader::open_with(path, options)?, arrays: options })
    }
}

impl<R: Read + Seek> NpzReader<R> {
    /// Reads the central directory of an archive.
    ///
    /// ```
    /// use ndarray::{Array1, array};
    /// use npy_ndarray::{NpzReader, NpzWriter};
    ///
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("x", &array![1.0, 2.0])?;
    /// let x: Array1<f64> = NpzReader::new(archive.finish()?)?.by_name("x")?;
    /// assert_eq!(x, array![1.0, 2.0]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if reading fails or `reader` is not a zip archive.
    pub fn new(reader: R) -> Result<Self> {
        Self::new_with(reader, ReadOptions::new())
    }

    /// Reads the directory like [`new`](Self::new), with [`ReadOptions`] or
    /// [`Limits`](npy_core::Limits).
    ///
    /// ```
    /// use ndarray::{Array1, array};
    /// use npy_ndarray::{NpzReader, NpzWriter, npy_core::Limits};
    ///
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("x", &array![1.0, 2.0])?;
    /// let mut archive = NpzReader::new_with(archive.finish()?, Limits::new().data_bytes(10))?;
    /// assert!(archive.by_name::<ndarray::OwnedRepr<f64>, ndarray::Ix1>("x").is_err()); // 16 bytes
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`new`](Self::new).
    pub fn new_with(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        npz::NpzReader::new_with(reader, options).map(|archive| Self { archive, arrays: options })
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.archive.len()
    }

    /// Returns whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.archive.is_empty()
    }

    /// Returns the names of the members, without `.npy` at their ends.
    ///
    /// They are in the order of the archive.
    ///
    /// ```
    /// # use npy_ndarray::{NpzReader, NpzWriter};
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("matrix", &ndarray::array![[1.0, 2.0]])?;
    /// archive.get_mut().add_bytes("notes.txt", b"hello")?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(archive.names()?, ["matrix", "notes.txt"]);
    /// assert_eq!(archive.len(), 2);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Never fails. It is a `Result` as in `ndarray-npy`.
    pub fn names(&mut self) -> Result<Vec<String>> {
        Ok(self.archive.names().map(str::to_owned).collect())
    }

    /// Reads the array of a name.
    ///
    /// As in NumPy, `.npy` at its end may be left out. Of several members of one name the last is
    /// read.
    ///
    /// ```
    /// # use ndarray::{Array2, array};
    /// # use npy_ndarray::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_array("matrix", &array![[1.0, 2.0]])?;
    /// # let file = archive.finish()?.into_inner();
    /// let mut archive = NpzReader::from_bytes(&file)?;
    /// let matrix: Array2<f64> = archive.by_name("matrix")?;
    /// assert_eq!(matrix[[0, 1]], 2.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, if it is damaged or not an array, and like
    /// [`ReadNpyExt::load_npy`](super::super::ReadNpyExt::load_npy).
    pub fn by_name<S, D>(&mut self, name: &str) -> Result<ArrayBase<S, D>>
    where
        S::Elem: NpyElement,
        S: DataOwned,
        D: Dimension,
    {
        let index = self.archive.find(name)?;
        self.by_index(index)
    }

    /// Reads the array at an index.
    ///
    /// ```
    /// # use ndarray::{Array2, array};
    /// # use npy_ndarray::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_array("matrix", &array![[1.0, 2.0]])?;
    /// # let file = archive.finish()?.into_inner();
    /// let mut archive = NpzReader::from_bytes(&file)?;
    /// let matrix: Array2<f64> = archive.by_index(0)?;
    /// assert_eq!(matrix[[0, 1]], 2.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name).
    pub fn by_index<S, D>(&mut self, index: usize) -> Result<ArrayBase<S, D>>
    where
        S::Elem: NpyElement,
        S: DataOwned,
        D: Dimension,
    {
        let read = self.archive.array(index).and_then(|mut reader| into_array(reader.elements(), self.arrays.order));
        read.map_err(|error| self.archive.locate(error, index))
    }

    /// Reads an array without dimensions: a number, a text, a record.
    ///
    /// ```
    /// # use npy_ndarray::{NpzReader, NpzWriter};
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_scalar("name", &"run 7".to_owned())?;
    /// archive.add_slice("times", &[0.5, 1.5])?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(archive.scalar::<String>("name")?, "run 7");
    /// assert!(archive.scalar::<f64>("times").is_err()); // two of them
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name), and if the array has dimensions.
    pub fn scalar<T: NpyElement>(&mut self, name: &str) -> Result<T> {
        self.archive.scalar(name)
    }

    /// Returns the reader of `npy_core`.
    ///
    /// It reads records into vectors, headers, raw bytes and files.
    ///
    /// ```
    /// use ndarray::{array};
    /// use npy_ndarray::{NpzReader, NpzWriter};
    ///
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("x", &array![1.0, 2.0])?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(archive.get_mut().header(0)?.shape(), [2]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn get_mut(&mut self) -> &mut npz::NpzReader<R> {
        &mut self.archive
    }
}

impl<R: Read + Seek + Clone + Send> NpzReader<R> {
    /// Sets how many threads decompress a member; the default is 1.
    ///
    /// See [`npz::NpzReader::set_threads`].
    ///
    /// ```
    /// use ndarray::Array2;
    /// use npy_ndarray::{NpzReader, NpzWriter};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// # let weights = Array2::<f64>::eye(1000);
    /// let mut archive = NpzWriter::create_compressed(&path)?;
    /// archive.add_array("weights", &weights)?;
    /// archive.finish()?;
    ///
    /// let mut archive = NpzReader::open(&path)?;
    /// archive.set_threads(2);
    /// let read: Array2<f64> = archive.by_name("weights")?;
    /// assert_eq!(read, weights);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn set_threads(&mut self, threads: usize) {
        self.archive.set_threads(threads);
    }
}

impl<'a> NpzReader<Cursor<&'a [u8]>> {
    /// Reads the central directory of an archive in memory.
    ///
    /// It was read, mapped or embedded.
    ///
    /// ```
    /// use ndarray::{Array1, array};
    /// use npy_ndarray::{NpzReader, NpzWriter};
    ///
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("x", &array![1.0, 2.0])?;
    /// let download: Vec<u8> = archive.finish()?.into_inner();
    /// let x: Array1<f64> = NpzReader::from_bytes(&download)?.by_name("x")?;
    /// assert_eq!(x, array![1.0, 2.0]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if `bytes` are not a zip archive.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        npz::NpzReader::from_bytes(bytes).map(|archive| Self { archive, arrays: ReadOptions::new() })
    }

    /// Views an array in place, without copying it.
    ///
    /// The checksum is not checked, because that would read everything.
    ///
    /// ```
    /// use ndarray::{ArrayView2, array};
    /// use npy_ndarray::{NpzReader, NpzWriter, npz::WriteOptions};
    ///
    /// let mut archive = NpzWriter::new_with(std::io::Cursor::new(Vec::new()), WriteOptions::new().aligned(true));
    /// archive.add_array("matrix", &array![[1.0, 2.0], [3.0, 4.0]])?;
    /// let file = archive.finish()?.into_inner();
    /// # let mut memory = vec![0; file.len() + 64];
    /// # let begin = memory.as_ptr().align_offset(64);
    /// # memory[begin..][..file.len()].copy_from_slice(&file);
    /// # let map = &memory[begin..][..file.len()];
    ///
    /// let mut archive = NpzReader::from_bytes(map)?; // a map of the file, say
    /// let matrix: ArrayView2<f64> = archive.view("matrix")?;
    /// assert_eq!(matrix[[1, 0]], 3.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, if it is compressed, and like [`ViewNpyExt::view_npy`].
    /// NumPy's own archives put arrays at any address, so that viewing them mostly fails with
    /// [`Misaligned`](npy_core::ErrorKind::Misaligned); [`view_or_read`](Self::view_or_read) reads
    /// a copy then.
    pub fn view<A: NpyView, D: Dimension>(&mut self, name: &str) -> Result<ArrayView<'a, A, D>> {
        let index = self.archive.find(name)?;
        let limits = self.archive.limits();
        self.archive
            .stored(index)
            .and_then(|bytes| ArrayView::view_npy_with(bytes, limits))
            .map_err(|error| error.with_member(name))
    }

    /// Views an array in place if possible, and reads a copy otherwise.
    ///
    /// Members that are compressed, misaligned or in the other byte order are copied, and their
    /// checksum is checked.
    ///
    /// ```
    /// # use npy_ndarray::{NpzReader, NpzWriter};
    /// use ndarray::{CowArray, Ix1, array};
    ///
    /// let mut archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    /// archive.add_array("x", &array![1.0, 2.0])?;
    /// let file = archive.finish()?.into_inner();
    /// let x: CowArray<'_, f64, Ix1> = NpzReader::from_bytes(&file)?.view_or_read("x")?;
    /// assert!(x.is_owned() && x == array![1.0, 2.0]); // compressed data cannot be viewed
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name).
    pub fn view_or_read<A: NpyView, D: Dimension>(&mut self, name: &str) -> Result<CowArray<'a, A, D>> {
        match self.view(name) {
            Ok(view) => Ok(view.into()),
            Err(error) if npz::is_about_place(&error) => self.by_name(name).map(|array: Array<A, D>| array.into()),
            Err(error) => Err(error),
        }
    }
}

impl<R> fmt::Debug for NpzReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.archive.fmt(f)
    }
}

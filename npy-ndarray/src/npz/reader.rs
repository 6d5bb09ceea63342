//! Reads the arrays of an archive.

use std::fmt;
use std::io::{Cursor, Read, Seek};
use std::ops::{Deref, DerefMut};
use std::path::Path;

use npy_core::{ErrorKind, NpyElement, NpyView, ReadOptions, Result, npz};

use super::super::ndarray::{Array, ArrayBase, ArrayView, CowArray, DataOwned, Dimension};
use super::super::read::into_array;
use super::super::view::ViewNpyExt;

/// Reads the arrays of an `.npz` archive.
///
/// [`open`](NpzReader::open) opens a file, [`new`](Self::new) takes any stream that can seek, and
/// [`from_bytes`](NpzReader::from_bytes) memory.
///
/// ```
/// use ndarray::{Array1, Array2, array};
/// use npy_ndarray::{NpzReader, NpzWriter};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let mut archive = NpzWriter::create(&path)?;
/// archive.add_array("matrix", &array![[1.0, 2.0], [3.0, 4.0]])?;
/// archive.add_array("labels", &array![1_u8, 2])?;
/// archive.add_scalar("name", &"run 7".to_owned())?;
/// archive.finish()?; // np.load(path)
///
/// let mut archive = NpzReader::open(&path)?;
/// assert_eq!(archive.names()?, ["matrix", "labels", "name"]);
/// let matrix: Array2<f64> = archive.by_name("matrix")?;
/// assert_eq!(matrix[[1, 0]], 3.0);
/// let labels: Array1<u8> = archive.by_index(1)?;
/// assert_eq!(labels, array![1, 2]);
/// assert_eq!(archive.scalar::<String>("name")?, "run 7");
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
///
/// A struct for a whole archive derives `NpzArchive` (feature `derive`). Arrays of any dtype are read by
/// `dynamic` (feature `dynamic`). The methods of [`npz::NpzReader`] read the rest: scalars, headers, and members
/// that are no arrays. For records as vectors, `(*archive).by_name` is its method of that name.
///
/// The checksum of a member is always checked, except by [`view`](Self::view).
pub struct NpzReader<R> {
    pub(super) archive: npz::NpzReader<R>,
    /// The options for arrays of unknown dtype.
    pub(super) arrays: ReadOptions,
}

impl NpzReader<npz::ArchiveFile> {
    /// Opens an archive and reads its central directory.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, ReadOptions::new())
    }

    /// [`open`](Self::open) with options: limits, order, [threads](npz::NpzReader::set_threads).
    pub fn open_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        Ok(Self { archive: npz::NpzReader::open_with(path, options)?, arrays: options })
    }
}

impl<R: Read + Seek> NpzReader<R> {
    /// Reads the central directory of an archive in any stream that can seek.
    pub fn new(reader: R) -> Result<Self> {
        Self::new_with(reader, ReadOptions::new())
    }

    /// [`new`](Self::new) with options: limits, order.
    pub fn new_with(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        npz::NpzReader::new_with(reader, options).map(|archive| Self { archive, arrays: options })
    }

    /// Returns the names of the members in the order of the archive, without `.npy` at their ends.
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
    pub fn by_index<S, D>(&mut self, index: usize) -> Result<ArrayBase<S, D>>
    where
        S::Elem: NpyElement,
        S: DataOwned,
        D: Dimension,
    {
        let read = self.archive.array(index).and_then(|mut reader| into_array(reader.elements(), self.arrays.order));
        read.map_err(|error| self.archive.locate(error, index))
    }
}

/// Records as vectors, headers, raw bytes, files.
impl<R> Deref for NpzReader<R> {
    type Target = npz::NpzReader<R>;

    fn deref(&self) -> &Self::Target {
        &self.archive
    }
}

impl<R> DerefMut for NpzReader<R> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.archive
    }
}

impl<'a> NpzReader<Cursor<&'a [u8]>> {
    /// Reads the central directory of an archive in memory: read, mapped or embedded.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        npz::NpzReader::from_bytes(bytes).map(|archive| Self { archive, arrays: ReadOptions::new() })
    }

    /// Views an array in place, without copying it.
    ///
    /// The checksum is not checked, because that would read everything.
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, if it is compressed, and like [`ViewNpyExt::view_npy`].
    /// NumPy's own archives put arrays at any address, so that viewing them mostly fails with
    /// [`NotViewable`](npy_core::ErrorKind::NotViewable); [`view_or_read`](Self::view_or_read) reads
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
    pub fn view_or_read<A: NpyView, D: Dimension>(&mut self, name: &str) -> Result<CowArray<'a, A, D>> {
        match self.view(name) {
            Ok(view) => Ok(view.into()),
            Err(error) if error.kind() == ErrorKind::NotViewable => self.by_name(name).map(|array: Array<A, D>| array.into()),
            Err(error) => Err(error),
        }
    }
}

impl<R> fmt::Debug for NpzReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.archive.fmt(f)
    }
}

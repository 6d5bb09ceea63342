//! Arrays in archives of the crate `zip`.

use std::io::{Read, Seek, Write};

use npy_core::npz::{find_zip_member, read_zip_member, write_zip_member};
use npy_core::{NpyElement, ReadOptions, Result, npz};
use zip::write::{FileOptionExtension, FileOptions};
use zip::{ZipArchive, ZipReadOptions, ZipWriter};

use super::super::write::WriteNpyExt;
use super::archive::NpzValue;

/// Reads arrays from a [`zip::ZipArchive`] (feature `zip`).
///
/// Use it for archives that hold more than arrays or are encrypted. [`NpzReader`](crate::NpzReader)
/// is faster, and refuses more damaged archives.
///
/// Every member is read to its end, which checks its checksum and, if it is encrypted with AES, its
/// authentication code. A full name takes precedence over one without `.npy`, as in NumPy.
///
/// ```
/// use std::io::{Cursor, Write};
///
/// use ndarray::{Array2, array};
/// use npy_ndarray::{ZipArchiveExt, ZipWriterExt};
/// use npy_ndarray::zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};
///
/// let options = SimpleFileOptions::default();
/// let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
/// archive.start_file("readme.txt", options)?;
/// archive.write_all(b"Weights of epoch 7")?;
/// archive.write_npy("weights", &array![[1.0, 2.0], [3.0, 4.0]], options)?;
/// archive.write_npy_slice("layers", &["dense".to_owned(), "relu".to_owned()], options)?;
///
/// let mut archive = ZipArchive::new(archive.finish()?)?;
/// let weights: Array2<f64> = archive.read_npy("weights")?;
/// let layers: Vec<String> = archive.read_npy("layers")?;
/// assert_eq!((weights[[1, 0]], &*layers[1]), (3.0, "relu"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The feature exposes types of `zip` 9. A new major release of `zip` is therefore a breaking
/// change of this feature, and of nothing else.
pub trait ZipArchiveExt {
    /// Reads the array of a name: an owned array, a vector or a `DynArray`.
    ///
    /// The elements of a vector are numbers or records.
    ///
    /// # Errors
    ///
    /// Fails if the archive has no such member, if `zip` cannot read it, if it is not an array, or
    /// like [`ReadNpyExt::load_npy`](crate::ReadNpyExt::load_npy).
    fn read_npy<V: NpzValue>(&mut self, name: &str) -> Result<V> {
        self.read_npy_with(name, ReadOptions::new(), ZipReadOptions::new())
    }

    /// Reads the array at an index.
    fn read_npy_by_index<V: NpzValue>(&mut self, index: usize) -> Result<V>;

    /// [`read_npy`](Self::read_npy) with limits, and options of `zip`, such as a password.
    fn read_npy_with<V: NpzValue>(&mut self, name: &str, options: impl Into<ReadOptions>, member: ZipReadOptions<'_>) -> Result<V>;
}

impl<R: Read + Seek> ZipArchiveExt for ZipArchive<R> {
    fn read_npy_by_index<V: NpzValue>(&mut self, index: usize) -> Result<V> {
        let options = ReadOptions::new();
        read_zip_member(self, index, options.limits, ZipReadOptions::new(), |reader| V::from_npy_with(reader, options))
    }

    fn read_npy_with<V: NpzValue>(&mut self, name: &str, options: impl Into<ReadOptions>, member: ZipReadOptions<'_>) -> Result<V> {
        let (index, options) = (find_zip_member(self, name)?, options.into());
        read_zip_member(self, index, options.limits, member, |reader| V::from_npy_with(reader, options))
    }
}

/// Writes arrays into a [`zip::ZipWriter`] (feature `zip`).
///
/// See [`ZipArchiveExt`] for an example. A member of about 4 GiB or more gets
/// [`large_file`](FileOptions::large_file).
pub trait ZipWriterExt {
    /// Writes an array as the member `name`, with `.npy` added.
    ///
    /// It takes an array or a view of `ndarray`, or a `DynArray`.
    ///
    /// # Errors
    ///
    /// Fails if `zip` refuses the member, if an element cannot be expressed in the dtype, or if
    /// writing fails. The member is removed then.
    fn write_npy<A: WriteNpyExt + ?Sized, E: FileOptionExtension>(
        &mut self,
        name: &str,
        array: &A,
        options: FileOptions<'_, '_, E>,
    ) -> Result<()>;

    /// Writes a one-dimensional array of elements or records.
    fn write_npy_slice<T: NpyElement, E: FileOptionExtension>(
        &mut self,
        name: &str,
        items: &[T],
        options: FileOptions<'_, '_, E>,
    ) -> Result<()>;
}

impl<W: Write + Seek> ZipWriterExt for ZipWriter<W> {
    fn write_npy<A: WriteNpyExt + ?Sized, E: FileOptionExtension>(
        &mut self,
        name: &str,
        array: &A,
        options: FileOptions<'_, '_, E>,
    ) -> Result<()> {
        write_zip_member(self, name, array.data_bytes(), options, |member| array.write_npy(member))
    }

    fn write_npy_slice<T: NpyElement, E: FileOptionExtension>(
        &mut self,
        name: &str,
        items: &[T],
        options: FileOptions<'_, '_, E>,
    ) -> Result<()> {
        npz::ZipWriterExt::write_npy(self, name, items, options)
    }
}

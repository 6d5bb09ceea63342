//! Files of the [RawArray format](https://github.com/davidssmith/ra) (`.ra`).
//!
//! They have a header of some numbers, the elements, and any metadata after them.
//!
//! ```
//! use npy_core::rawarray::{self, RaArray};
//! use npy_core::{DynValues, Order};
//!
//! # let directory = tempfile::tempdir()?;
//! # let (path, converted) = (directory.path().join("image.ra"), directory.path().join("image.npy"));
//! let image = DynValues::new("<u2".parse()?, Order::C, &[2, 3], vec![1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0])?;
//! RaArray::try_from(image)?.with_metadata(b"exposure: 20 ms".to_vec()).save(&path)?;
//!
//! let image = RaArray::load(&path)?;
//! assert_eq!(image.metadata(), b"exposure: 20 ms");
//! assert_eq!(image.header().dims(), [2, 3]);
//! image.into_values().into_order(Order::C)?.save(&converted)?; // np.load(converted)
//!
//! rawarray::save(&path, &[0.5_f32, 1.5])?; // one dimension, by its path
//! assert_eq!(rawarray::load::<f32>(&path)?, [0.5, 1.5]);
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! # Order
//!
//! The first dimension of an `.ra` file varies fastest, as in Julia and Matlab. The Python
//! implementation reverses the dimensions, reshapes and transposes, so that the shape is that of
//! the file: an array in Fortran order. So does this module. Other arrays are written transposed,
//! as by the Python implementation, and each element keeps its index. The file does not say which
//! order the array had in memory. [`DynValues::into_order`](crate::DynValues::into_order) restores
//! C order. Arrays whose order makes no difference, such as those of one dimension, are in C order,
//! as in NumPy.
//!
//! # Types
//!
//! | type code | bytes | dtype |
//! |---|---|---|
//! | 0, user-defined | any | `\|V` of that many bytes |
//! | 1, signed | 1, 2, 4, 8 | `\|i1` `<i2` `<i4` `<i8` |
//! | 2, unsigned | 1, 2, 4, 8 | `\|u1` `<u2` `<u4` `<u8` |
//! | 1 and 2 | 16 | `\|V16`, because NumPy has no such integers: their bytes, in the order that the file has them |
//! | 3, float | 2, 4, 8, 12, 16 | `<f2` `<f4` `<f8`, and the long doubles `<f12` and `<f16` |
//! | 4, complex | 4, 8, 16, 24, 32 | `<W4` (`complex32` of `ml_dtypes`) `<c8` `<c16`, and the long doubles `<c24` and `<c32` |
//! | 5, brain float | 2 | `<V2` (`bfloat16` of `ml_dtypes`) |
//!
//! With the flag 0x1 the data are big-endian (`>f8`). The header itself is always little-endian.
//!
//! Every other dtype (bools, text, times, records) is written as user-defined elements, as by the
//! Python implementation. The file does not say which, so the reader has to: with a Rust type
//! ([`load`], [`RaArray::to_vec`]) of the same size, such as a struct of `#[derive(NpyRecord)]`, or
//! with [`RaArray::with_dtype`].
//!
//! # Compressed data
//!
//! With the flag 0x2 the data are one block of LZ4 without a frame, and the header has its size.
//! Such files are read with the feature `lz4`, made by [`RaArray::compressed`], and written back
//! byte for byte. The crate `rawarray` for Rust gives the flag 0x2 another name (run-length
//! encoded) and has a flag 0x4 (single bits), but neither writes nor reads either.
//!
//! # Maps
//!
//! `RaMap` and `RaMapMut` (feature `mmap`) map a file into memory. Its elements are a slice, and
//! only the pages that you touch are read.

// In the order in which data flow, as in the crate.
mod lz4;
mod elements;
mod array;

use std::io::{Read, Write};
use std::path::Path;

use crate::dynamic::DynValues;
use crate::element::{self, NpyElement};
use crate::error::Result;
use crate::format::dtype::DType;
use crate::limits::Limits;
use crate::options::{Order, ReadOptions, SaveOptions};
use crate::read::NpyReader;
use crate::write::dtype_of;
use crate::write::replace::replace_file;

pub use crate::format::rawarray::{RaHeader, RaKind};
#[cfg(feature = "mmap")]
pub use crate::view::map::{RaMap, RaMapMut};
pub use array::RaArray;
pub use elements::{RaData, open, reader, writer};

/// Reads a one-dimensional `.ra` file into a vector.
///
/// Metadata after the elements are ignored. Elements of a user-defined type are read as `T` if they
/// have its size.
///
/// # Errors
///
/// Fails if the file cannot be read, is not an `.ra` file, has elements of another type than `T`,
/// or does not have one dimension.
///
/// ```
/// use npy_core::rawarray;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// rawarray::save(&path, &[1.5_f32, 2.5])?; // in Python: ra.read(path)
/// assert_eq!(std::fs::read(&path)?.len(), 48 + 8 + 8);
/// assert_eq!(rawarray::load::<f32>(&path)?, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn load<T: NpyElement>(path: impl AsRef<Path>) -> Result<Vec<T>> {
    load_with(path, Limits::new())
}

/// [`load`] with options: limits.
pub fn load_with<T: NpyElement>(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Vec<T>> {
    let path = path.as_ref();
    open::<T>(path, options).and_then(one_dimension::<T, _>).map_err(|error| error.with_path(path))
}

/// Reads a one-dimensional array from a stream into a vector.
///
/// The stream is left just after the elements. See [`write`](write()) for an example.
pub fn read<T: NpyElement>(reader: impl Read) -> Result<Vec<T>> {
    read_with(reader, Limits::new())
}

/// [`read`] with options: limits.
pub fn read_with<T: NpyElement>(reader: impl Read, options: impl Into<ReadOptions>) -> Result<Vec<T>> {
    one_dimension::<T, _>(elements::reader::<T, _>(reader, options)?)
}

/// The elements of an array with one axis, and those of `T` if it is an array: these vary slowest
/// in the file.
fn one_dimension<T: NpyElement, R: Read>(reader: NpyReader<R>) -> Result<Vec<T>> {
    if element::inner_axes::<T>() == 0 {
        return reader.into_one_dimension();
    }
    reader.into_values()?.into_order(Order::C)?.reader().into_one_dimension()
}

/// Saves a slice as a one-dimensional `.ra` file, atomically.
///
/// A slice of arrays `[T; N]` becomes a file of one more dimension. See [`load`] for an example.
///
/// Fails if the file cannot be written, or if an element cannot be expressed in the dtype.
pub fn save<T: NpyElement>(path: impl AsRef<Path>, items: &[T]) -> Result<()> {
    save_with(path, items, SaveOptions::new())
}

/// [`save`] with options: durable, in place.
pub fn save_with<T: NpyElement>(path: impl AsRef<Path>, items: &[T], options: impl Into<SaveOptions>) -> Result<()> {
    replace_file(path, options, |file| write(file, items))
}

/// Writes a slice to a stream as a one-dimensional `.ra` file.
///
/// A slice of arrays is transposed, because the first dimension of the file varies fastest:
///
/// ```
/// use npy_core::rawarray;
///
/// let mut file = Vec::new();
/// rawarray::write(&mut file, &[[1_u8, 2], [3, 4], [5, 6]])?;
/// let (header, data_offset) = rawarray::RaHeader::parse(&file)?;
/// assert_eq!(header.dims(), [3, 2]);
/// assert_eq!(file[data_offset..], [1, 3, 5, 2, 4, 6]);
///
/// let mut file = Vec::new();
/// rawarray::write(&mut file, &[1_u8, 2, 3])?;
/// assert_eq!(rawarray::read::<u8>(&file[..])?, [1, 2, 3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn write<T: NpyElement>(writer: impl Write, items: &[T]) -> Result<()> {
    let dtype = dtype_of(items.iter());
    if matches!(dtype, DType::SubArray(_)) {
        // Their axes vary slowest in the file.
        return RaArray::try_from(DynValues::from_slice(items)?)?.write(writer);
    }
    let mut writer = elements::writer(writer, dtype, &[items.len()])?;
    writer.write_slice(items)?;
    writer.finish()?;
    Ok(())
}

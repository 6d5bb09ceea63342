//! The types that a member of an archive becomes.

use std::io::{Read, Write};

use super::super::super::ndarray::{ArrayBase, DataOwned, Dimension};
use npy_core::{NpyElement, NpyReader, ReadOptions, Result};

#[cfg(feature = "dynamic")]
use super::super::super::dynamic::{DynArray, from_reader};
use super::super::super::read::into_array;
use super::super::super::write::WriteNpyExt;

/// A value that is one array of an archive: an `ndarray` array or a vector.
///
/// Implement it for array types of other crates, to have them as fields of `#[derive(NpzArchive)]`.
///
/// ```
/// use std::io::{Read, Write};
///
/// use npy_ndarray::{NpzArchive, NpzValue, Result, npy_core::{self, NpyReader}};
///
/// /// Bits, stored as bools.
/// #[derive(Debug, PartialEq)]
/// struct Bits(u64);
///
/// impl NpzValue for Bits {
///     fn from_npy<R: Read>(reader: NpyReader<R>) -> Result<Self> {
///         let bits: Vec<bool> = reader.into_vec()?;
///         Ok(Self(bits.iter().rev().fold(0, |number, bit| number << 1 | u64::from(*bit))))
///     }
///
///     fn to_npy(&self, writer: &mut dyn Write) -> Result<()> {
///         npy_core::write(writer, &(0..64).map(|i| self.0 >> i & 1 == 1).collect::<Vec<_>>())
///     }
/// }
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// # use std::collections::BTreeMap;
/// BTreeMap::from([("mask".to_owned(), Bits(5))]).save_npz(&path)?;
/// assert_eq!(BTreeMap::<String, Bits>::load_npz(&path)?["mask"], Bits(5));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait NpzValue: Sized + Send + 'static {
    /// Reads the value from an array whose header was read.
    ///
    /// Fails if the array is not of this type, if it is damaged, or if reading fails.
    fn from_npy<R: Read>(reader: NpyReader<R>) -> Result<Self>;

    /// [`from_npy`](Self::from_npy) with the options of the archive.
    ///
    /// Limits and threads are those of the reader.
    #[doc(hidden)]
    fn from_npy_with<R: Read>(reader: NpyReader<R>, options: ReadOptions) -> Result<Self> {
        let _ = options;
        Self::from_npy(reader)
    }

    /// Writes the value as a whole `.npy` file.
    ///
    /// Fails if an element cannot be expressed in the dtype, or if writing fails.
    fn to_npy(&self, writer: &mut dyn Write) -> Result<()>;
}

impl<A, S, D> NpzValue for ArrayBase<S, D>
where
    A: NpyElement,
    S: DataOwned<Elem = A>,
    D: Dimension,
    Self: Send + 'static,
{
    fn from_npy<R: Read>(mut reader: NpyReader<R>) -> Result<Self> {
        into_array(reader.elements(), None)
    }

    fn from_npy_with<R: Read>(mut reader: NpyReader<R>, options: ReadOptions) -> Result<Self> {
        into_array(reader.elements(), options.order)
    }

    fn to_npy(&self, writer: &mut dyn Write) -> Result<()> {
        self.write_npy(writer)
    }
}

/// Any array; one of Python objects if [`ReadOptions::objects`] allows it.
#[cfg(feature = "dynamic")]
impl NpzValue for DynArray {
    fn from_npy<R: Read>(reader: NpyReader<R>) -> Result<Self> {
        from_reader(reader, ReadOptions::new())
    }

    fn from_npy_with<R: Read>(reader: NpyReader<R>, options: ReadOptions) -> Result<Self> {
        from_reader(reader, options)
    }

    fn to_npy(&self, writer: &mut dyn Write) -> Result<()> {
        self.write_npy(writer)
    }
}

/// One dimension, or more if the elements are arrays `[T; N]`.
impl<T: NpyElement + Send + 'static> NpzValue for Vec<T> {
    fn from_npy<R: Read>(reader: NpyReader<R>) -> Result<Self> {
        reader.into_one_dimension()
    }

    fn to_npy(&self, writer: &mut dyn Write) -> Result<()> {
        npy_core::write(writer, self)
    }
}

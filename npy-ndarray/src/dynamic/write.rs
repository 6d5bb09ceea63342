//! Arrays of whatever dtype into files and streams.

use std::io::Write;
use std::path::Path;

use npy_core::{DType, DynValues, NpyElement, Result, SaveOptions, ScalarKind};

use super::read::steps_dtype;
use super::{DynArray, TypedArray, each};
use crate::write::{WriteNpyExt, write_as};

impl DynArray {
    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    ///
    /// When the file cannot be written; what was at `path` is there still then.
    pub fn save_npy<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        WriteNpyExt::save_npy(self, path)
    }

    /// [`save_npy`](Self::save_npy) with options.
    ///
    /// # Errors
    ///
    /// Like [`save_npy`](Self::save_npy).
    pub fn save_npy_with<P: AsRef<Path>>(&self, path: P, options: SaveOptions) -> Result<()> {
        WriteNpyExt::save_npy_with(self, path, options)
    }

    /// Writes the array to a stream.
    ///
    /// # Errors
    ///
    /// When writing fails.
    pub fn write_npy<W: Write>(&self, writer: W) -> Result<()> {
        WriteNpyExt::write_npy(self, writer)
    }

    /// The array as bytes with a dtype, copied.
    ///
    /// # Errors
    ///
    /// When there is no memory for them, or the elements are Python objects.
    ///
    /// ```
    /// # use ndarray::array;
    /// # use npy_ndarray::DynArray;
    /// let values = DynArray::from(array![1_u8, 2]).to_values()?;
    /// assert_eq!(values.bytes(), [1, 2]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn to_values(&self) -> Result<DynValues> {
        match self {
            Self::Bytes(values) | Self::Unicode(values) | Self::Void(values) | Self::Record(values) | Self::Raw(values) => {
                Ok(values.clone())
            }
            #[cfg(feature = "object")]
            Self::Object(_) => Err(super::object::instead_of::<DynValues>()),
            numbers => to_values(numbers),
        }
    }
}

impl WriteNpyExt for DynArray {
    fn write_npy<W: Write>(&self, writer: W) -> Result<()> {
        each!(self, numbers => numbers.write_npy(writer), values => values.write(writer), objects => objects.write(writer))
    }

    fn data_bytes(&self) -> u64 {
        each!(self, numbers => numbers.data_bytes(), values => values.header().data_bytes(), _objects => 0)
    }
}

/// Under the dtype of the file.
impl<T: NpyElement> WriteNpyExt for TypedArray<T> {
    fn write_npy<W: Write>(&self, writer: W) -> Result<()> {
        let stored = match self.dtype() {
            DType::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. }) => {
                steps_dtype(*scalar)
            }
            dtype => dtype.clone(),
        };
        write_as(self, self.dtype(), &stored, writer)
    }

    fn data_bytes(&self) -> u64 {
        (**self).data_bytes()
    }
}

/// What would be written.
pub(super) fn to_values<A: WriteNpyExt + ?Sized>(array: &A) -> Result<DynValues> {
    let mut file = Vec::new();
    array.write_npy(&mut file)?;
    DynValues::read(&file[..])
}

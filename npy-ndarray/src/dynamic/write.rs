//! Arrays of whatever dtype into files and streams.

use std::io::Write;
use std::path::Path;

use npy_core::{DType, DynValues, Result};

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
    /// When there is no memory for them.
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
            numbers => to_values(numbers),
        }
    }
}

impl WriteNpyExt for DynArray {
    fn write_npy<W: Write>(&self, writer: W) -> Result<()> {
        match self {
            Self::Datetime(steps) | Self::Timedelta(steps) => write_steps(steps, writer),
            numbers => each!(
                numbers,
                numbers => write_as(numbers, numbers.dtype(), numbers.dtype(), writer),
                values => values.write(writer),
            ),
        }
    }
}

fn write_steps<W: Write>(steps: &TypedArray<i64>, writer: W) -> Result<()> {
    let stored = match steps.dtype() {
        DType::Scalar(scalar) => steps_dtype(*scalar),
        other => other.clone(),
    };
    write_as(steps, steps.dtype(), &stored, writer)
}

/// What would be written.
pub(super) fn to_values<A: WriteNpyExt + ?Sized>(array: &A) -> Result<DynValues> {
    let mut file = Vec::new();
    array.write_npy(&mut file)?;
    DynValues::read(&file[..])
}

//! Writing from `ArrayRef`, which `ndarray` has since 0.17.

use std::io::Write;

use ndarray::{ArrayRef, Dimension};
use npy_core::{NpyElement, Result, SaveOptions};

#[cfg(feature = "rawarray")]
use super::WriteRaExt;
use super::{ArrayOf, WriteNpyExt};

/// ```
/// use ndarray::{Array2, ArrayRef2, array};
/// use npy_ndarray::{ReadNpyExt, Result, WriteNpyExt};
///
/// fn npy(matrix: &ArrayRef2<f64>) -> Result<Vec<u8>> {
///     let mut file = Vec::new();
///     matrix.write_npy(&mut file)?;
///     Ok(file)
/// }
///
/// let matrix = array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(Array2::<f64>::read_npy(&npy(&matrix.t())?[..])?, matrix.t());
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
impl<A, D> WriteNpyExt for ArrayRef<A, D>
where
    Self: ArrayOf<A>,
{
    fn write_npy_with<W: Write>(&self, writer: W, options: impl Into<SaveOptions>) -> Result<()> {
        self.write_array(writer, options.into())
    }

    fn data_bytes(&self) -> u64 {
        self.array_bytes()
    }
}

impl<A: NpyElement, D: Dimension> ArrayOf<A> for ArrayRef<A, D> {
    fn write_array<W: Write>(&self, writer: W, options: SaveOptions) -> Result<()> {
        self.view().write_array(writer, options)
    }

    fn array_bytes(&self) -> u64 {
        self.view().array_bytes()
    }
}

#[cfg(feature = "rawarray")]
impl<A: NpyElement, D: Dimension> WriteRaExt for ArrayRef<A, D> {
    fn write_ra<W: Write>(&self, writer: W) -> Result<()> {
        self.view().write_ra(writer)
    }

    fn data_bytes(&self) -> u64 {
        WriteRaExt::data_bytes(&self.view())
    }
}

//! Zero-copy views of files in memory.

use super::ndarray::{ArrayView, ArrayViewMut, Dimension};
use npy_core::adapter::{view_mut_with_header, view_with_header};
use npy_core::{Error, Header, Limits, NpyView, Result};

use super::order::layout;

/// Views a file in memory as an array, without copying its data.
///
/// The file was read, mapped or embedded.
///
/// ```
/// use ndarray::{ArrayView2, array};
/// use npy_ndarray::{ViewNpyExt, WriteNpyExt};
///
/// let mut file = Vec::new();
/// array![[1_u8, 2], [3, 4]].write_npy(&mut file)?;
/// let matrix = ArrayView2::<u8>::view_npy(&file)?; // bytes may lie at any address
/// assert_eq!(matrix[[1, 0]], 3);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ViewNpyExt<'a>: Sized {
    /// Views the array at the beginning of `buf`.
    ///
    /// # Errors
    ///
    /// Fails if `buf` does not hold a complete `.npy` file of that dtype and number of dimensions.
    /// Fails if its byte order is not native, if its data are not aligned for the elements, or if a
    /// bool is neither 0 nor 1.
    fn view_npy(buf: &'a [u8]) -> Result<Self> {
        Self::view_npy_with(buf, Limits::new())
    }

    /// [`view_npy`](Self::view_npy) with limits.
    fn view_npy_with(buf: &'a [u8], limits: Limits) -> Result<Self>;
}

/// Views a file in memory as a mutable array.
///
/// ```
/// use ndarray::{Array2, ArrayViewMut2, array};
/// use npy_ndarray::{ReadNpyExt, ViewMutNpyExt, WriteNpyExt};
///
/// let mut file = Vec::new();
/// array![[1_u8, 2], [3, 4]].write_npy(&mut file)?;
/// ArrayViewMut2::<u8>::view_mut_npy(&mut file)?[[1, 0]] = 9;
/// assert_eq!(Array2::<u8>::read_npy(&file[..])?, array![[1, 2], [9, 4]]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ViewMutNpyExt<'a>: Sized {
    /// Views the array at the beginning of `buf`. Fails like [`ViewNpyExt::view_npy`].
    fn view_mut_npy(buf: &'a mut [u8]) -> Result<Self> {
        Self::view_mut_npy_with(buf, Limits::new())
    }

    /// [`view_mut_npy`](Self::view_mut_npy) with limits.
    fn view_mut_npy_with(buf: &'a mut [u8], limits: Limits) -> Result<Self>;
}

impl<'a, A: NpyView, D: Dimension> ViewNpyExt<'a> for ArrayView<'a, A, D> {
    fn view_npy_with(buf: &'a [u8], limits: Limits) -> Result<Self> {
        let (header, items) = view_with_header::<A>(buf, limits)?;
        ArrayView::from_shape(layout(&header, header.order())?, items).map_err(|_| overflow(&header))
    }
}

impl<'a, A: NpyView, D: Dimension> ViewMutNpyExt<'a> for ArrayViewMut<'a, A, D> {
    fn view_mut_npy_with(buf: &'a mut [u8], limits: Limits) -> Result<Self> {
        let (header, items) = view_mut_with_header::<A>(buf, limits)?;
        ArrayViewMut::from_shape(layout(&header, header.order())?, items).map_err(|_| overflow(&header))
    }
}

pub(crate) fn overflow(header: &Header) -> Error {
    Error::shape_overflow(header.shape(), header.dtype().itemsize())
}

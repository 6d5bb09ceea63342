//! Zero-copy views of files in memory.

use super::ndarray::{ArrayView, ArrayViewMut, Dimension};
use npy_core::__private::{view_mut_with_header, view_with_header};
use npy_core::{ErrorKind, Header, Limits, NpyView, Result};

use super::order::layout;

/// Views a file in memory as an array, without copying its data.
///
/// The file was read, mapped or embedded.
///
/// ```
/// # use ndarray::{ArrayView2, array};
/// # use npy_ndarray::{ViewNpyExt, WriteNpyExt};
/// # let mut memory = vec![0_u8; 256];
/// # let begin = memory.as_ptr().align_offset(64);
/// # array![[1.0, 2.0], [3.0, 4.0]].write_npy(&mut memory[begin..])?;
/// # let file = &memory[begin..];
/// let matrix = ArrayView2::<f64>::view_npy(file)?;
/// assert_eq!(matrix[[1, 0]], 3.0);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ViewNpyExt<'a>: Sized {
    /// Views the array at the beginning of `buf`.
    ///
    /// See [`ViewNpyExt`] for an example.
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
    ///
    /// ```
    /// use ndarray::ArrayView1;
    /// use npy_ndarray::{ViewNpyExt, npy_core::Limits};
    ///
    /// # let mut file = Vec::new();
    /// # npy_core::write(&mut file, &[0.0_f64; 1000])?;
    /// assert!(ArrayView1::<f64>::view_npy_with(&file, Limits::new().data_bytes(1000)).is_err()); // 8000 bytes
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`view_npy`](Self::view_npy).
    fn view_npy_with(buf: &'a [u8], limits: Limits) -> Result<Self>;
}

/// Views a file in memory as a mutable array.
///
/// ```
/// # use ndarray::{Array2, ArrayViewMut2, array};
/// # use npy_ndarray::{ReadNpyExt, ViewMutNpyExt, WriteNpyExt};
/// # let mut memory = vec![0_u8; 256];
/// # let begin = memory.as_ptr().align_offset(64);
/// # let file = &mut memory[begin..][..128 + 32];
/// # array![[1.0, 2.0], [3.0, 4.0]].write_npy(&mut *file)?;
/// ArrayViewMut2::<f64>::view_mut_npy(file)?[[1, 0]] = 9.0;
/// assert_eq!(Array2::<f64>::read_npy(&*file)?, array![[1.0, 2.0], [9.0, 4.0]]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ViewMutNpyExt<'a>: Sized {
    /// Views the array at the beginning of `buf`.
    ///
    /// See [`ViewMutNpyExt`] for an example.
    ///
    /// # Errors
    ///
    /// Fails like [`ViewNpyExt::view_npy`].
    fn view_mut_npy(buf: &'a mut [u8]) -> Result<Self> {
        Self::view_mut_npy_with(buf, Limits::new())
    }

    /// [`view_mut_npy`](Self::view_mut_npy) with limits.
    ///
    /// ```
    /// use ndarray::ArrayViewMut1;
    /// use npy_ndarray::{ViewMutNpyExt, npy_core::Limits};
    ///
    /// # let mut file = Vec::new();
    /// # npy_core::write(&mut file, &[0.0_f64; 1000])?;
    /// assert!(ArrayViewMut1::<f64>::view_mut_npy_with(&mut file, Limits::new().data_bytes(1000)).is_err()); // 8000 bytes
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`ViewNpyExt::view_npy`].
    fn view_mut_npy_with(buf: &'a mut [u8], limits: Limits) -> Result<Self>;
}

impl<'a, A: NpyView, D: Dimension> ViewNpyExt<'a> for ArrayView<'a, A, D> {
    fn view_npy_with(buf: &'a [u8], limits: Limits) -> Result<Self> {
        let (header, items) = view_with_header::<A>(buf, limits)?;
        ArrayView::from_shape(layout(&header, header.order())?, items).map_err(|_| overflow(&header).into())
    }
}

impl<'a, A: NpyView, D: Dimension> ViewMutNpyExt<'a> for ArrayViewMut<'a, A, D> {
    fn view_mut_npy_with(buf: &'a mut [u8], limits: Limits) -> Result<Self> {
        let (header, items) = view_mut_with_header::<A>(buf, limits)?;
        ArrayViewMut::from_shape(layout(&header, header.order())?, items).map_err(|_| overflow(&header).into())
    }
}

pub(crate) fn overflow(header: &Header) -> ErrorKind {
    ErrorKind::ShapeOverflow { shape: header.shape().to_vec(), itemsize: header.dtype().itemsize() }
}

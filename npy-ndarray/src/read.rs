//! Reading files and streams into owned arrays.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::ndarray::{ArrayBase, DataOwned, Dimension};
use npy_core::adapter::{Elements, with_file};
use npy_core::region::AxisRange;
use npy_core::{Error, NpyElement, NpyReader, Order, ReadOptions, Result};

use super::order::layout;
use super::region::read_region;

/// Reads a file into an owned array: `Array2::<f64>::load_npy(path)?`.
///
/// Implemented for every owned array ([`Array`](ndarray::Array), [`ArcArray`](ndarray::ArcArray),
/// [`CowArray`](ndarray::CowArray)) of every dimension, fixed or dynamic. The array has the order
/// of the file, unless options set another.
///
/// ```
/// use ndarray::{Array2, ArrayD, array};
/// use npy_ndarray::{AxisRange, Order, ReadNpyExt, ReadOptions, WriteNpyExt};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// array![[1, 2, 3], [4, 5, 6], [7, 8, 9]].save_npy(&path)?;
///
/// let matrix = Array2::<i32>::load_npy(&path)?;
/// assert_eq!(matrix[[1, 0]], 4);
/// let any_dimension = ArrayD::<i32>::load_npy(&path)?;
/// assert_eq!(any_dimension.shape(), [3, 3]);
///
/// // In Python: np.load(path, mmap_mode="r")[1:, ::2]
/// let part = Array2::<i32>::load_npy_region(&path, &[(1..).into(), AxisRange::from(..).step_by(2)])?;
/// assert_eq!(part, array![[4, 6], [7, 9]]);
///
/// let columns_first = Array2::<i32>::load_npy_with(&path, ReadOptions::new().order(Order::Fortran))?;
/// assert_eq!(columns_first.strides(), [1, 3]);
/// assert_eq!(columns_first, matrix);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ReadNpyExt: Sized {
    /// Reads the array at the current position of a stream, which is left just after it.
    ///
    /// # Errors
    ///
    /// Fails if reading fails, if no `.npy` file begins there, if the dtype is not that of the
    /// elements, or if the number of dimensions differs.
    fn read_npy<R: Read>(reader: R) -> Result<Self> {
        Self::read_npy_with(reader, ReadOptions::new())
    }

    /// Loads a file by path.
    fn load_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        Self::load_npy_with(path, ReadOptions::new())
    }

    /// [`read_npy`](Self::read_npy) with options: limits, order.
    fn read_npy_with<R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<Self>;

    /// [`load_npy`](Self::load_npy) with options: limits, threads, order.
    fn load_npy_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self>;

    /// Loads an open file, as fast as [`load_npy`](Self::load_npy).
    ///
    /// The array begins at the current position of the file. Use it for a file that was opened relative
    /// to a directory, or that has no name. Errors name no path.
    fn load_npy_file(file: File) -> Result<Self> {
        Self::load_npy_file_with(file, ReadOptions::new())
    }

    /// [`load_npy_file`](Self::load_npy_file) with options: limits, threads, order.
    fn load_npy_file_with(file: File, options: impl Into<ReadOptions>) -> Result<Self>;

    /// Loads a rectangular region of a file without reading the rest.
    ///
    /// Each axis takes a range, an index or a stepped range. The array has the axes and the order of the
    /// file. For several regions of one file, and for streams, see [`read_region`](super::read_region).
    ///
    /// Fails if the region has the wrong number of axes, exceeds one of them, or has a step of 0.
    fn load_npy_region<P: AsRef<Path>>(path: P, region: &[AxisRange]) -> Result<Self>;
}

/// For every owned array whose elements have a dtype ([`NpyElement`]).
// The bound is on the array and not on its elements: the compiler shows the message of a bound that
// a method needs only if it is on the type that the method is called on.
impl<S, D> ReadNpyExt for ArrayBase<S, D>
where
    S: DataOwned,
    Self: OwnedArrayOf<S::Elem>,
{
    fn read_npy_with<R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        Self::from_elements(NpyReader::new_with(reader, options)?.elements(), options.order)
    }

    fn load_npy_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        with_file(path, options, |mut reader| Self::from_elements(reader.elements(), options.order))
    }

    fn load_npy_file_with(file: File, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        Self::from_elements(NpyReader::from_file_with(file, options)?.elements(), options.order)
    }

    fn load_npy_region<P: AsRef<Path>>(path: P, region: &[AxisRange]) -> Result<Self> {
        let path = path.as_ref();
        Self::from_region(&mut NpyReader::open(path)?, region).map_err(|error| error.with_path(path))
    }
}

/// An owned array of elements that have a dtype.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{A}` is not an element of a NumPy array",
    label = "`{A}` does not implement `npy_core::NpyElement`",
    note = "for a custom struct, use `#[derive(NpyRecord)]` of the feature `derive`",
    note = "use `u64` for `usize`, `i64` for `isize`, `u32` for `char`, `[T; N]` or one more axis for `Vec<T>`, `String` for `&str`"
)]
pub trait OwnedArrayOf<A>: Sized {
    fn from_elements(elements: Elements<'_>, order: Option<Order>) -> Result<Self>;

    fn from_region<R: Read + Seek>(reader: &mut NpyReader<R>, region: &[AxisRange]) -> Result<Self>;
}

impl<A, S, D> OwnedArrayOf<A> for ArrayBase<S, D>
where
    A: NpyElement,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    fn from_elements(elements: Elements<'_>, order: Option<Order>) -> Result<Self> {
        into_array(elements, order)
    }

    fn from_region<R: Read + Seek>(reader: &mut NpyReader<R>, region: &[AxisRange]) -> Result<Self> {
        read_region(reader, region)
    }
}

/// Reads the rest of a reader.
pub(crate) fn into_array<A, S, D>(mut elements: Elements<'_>, order: Option<Order>) -> Result<ArrayBase<S, D>>
where
    A: NpyElement,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    let order = order.unwrap_or(elements.header().order());
    // Checked before the data are read.
    let layout = layout::<D>(elements.header(), order)?;
    let shape = layout.raw_dim().clone();
    let items = elements.read_vec_in(order)?;
    let overflow = || Error::shape_overflow(shape.slice(), size_of::<A>());
    // The header has refused other shapes. `ndarray` refuses Rust types that are too large.
    ArrayBase::from_shape_vec(layout, items).map_err(|_| overflow())
}

/// Loads a file into an owned array of the type that the context demands.
///
/// See [`write_npy`](super::write_npy) for an example.
pub fn read_npy<P, T>(path: P) -> Result<T>
where
    P: AsRef<Path>,
    T: ReadNpyExt,
{
    T::load_npy(path)
}

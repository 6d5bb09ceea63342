//! Reading files and streams into owned arrays.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::ndarray::{ArrayBase, DataOwned, Dimension};
use npy_core::__private::{Elements, with_file};
use npy_core::region::AxisRange;
use npy_core::{ErrorKind, NpyElement, NpyReader, Order, ReadOptions, Result};

use super::order::layout;
use super::region::read_region;

/// Reads a file into an owned array: `Array2::<f64>::load_npy(path)?`.
///
/// Implemented for every owned array ([`Array`](ndarray::Array), [`ArcArray`](ndarray::ArcArray),
/// [`CowArray`](ndarray::CowArray)) of every dimension, fixed or dynamic. The array has the order
/// of the file.
///
/// ```
/// use ndarray::{ArrayD, array};
/// use npy_ndarray::{ReadNpyExt, WriteNpyExt};
///
/// let mut file = Vec::new();
/// array![[1_i32, 2], [3, 4]].write_npy(&mut file)?;
/// let any_dimension = ArrayD::<i32>::read_npy(&file[..])?;
/// assert_eq!(any_dimension.shape(), [2, 2]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ReadNpyExt: Sized {
    /// Reads the array at the current position of a stream.
    ///
    /// The stream is left just behind the array.
    ///
    /// # Errors
    ///
    /// Fails if reading fails, if no `.npy` file begins there, if the dtype is not that of the
    /// elements, or if the number of dimensions differs.
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use npy_ndarray::{ReadNpyExt, WriteNpyExt};
    ///
    /// let mut stream = Vec::new();
    /// array![[1.5, 2.5]].write_npy(&mut stream)?;
    /// assert_eq!(Array2::<f64>::read_npy(&stream[..])?, array![[1.5, 2.5]]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn read_npy<R: Read>(reader: R) -> Result<Self> {
        Self::read_npy_with(reader, ReadOptions::new())
    }

    /// Loads a file by path.
    ///
    /// # Errors
    ///
    /// Fails like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use ndarray::Array1;
    /// use npy_ndarray::ReadNpyExt;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("trace.npy");
    /// # npy_core::save(&path, &[1.5_f64, 2.5])?;
    /// let trace = Array1::<f64>::load_npy(&path)?;
    /// assert_eq!(trace.sum(), 4.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        Self::load_npy_with(path, ReadOptions::new())
    }

    /// Reads a stream like [`read_npy`](Self::read_npy), with options.
    ///
    /// # Errors
    ///
    /// Fails like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use ndarray::{Array1, array};
    /// use npy_ndarray::{ReadOptions, ReadNpyExt, WriteNpyExt, npy_core::Limits};
    ///
    /// let mut upload = Vec::new();
    /// array![1.5, 2.5].write_npy(&mut upload)?;
    /// let small = ReadOptions::new().limits(Limits::new().data_bytes(10));
    /// assert!(Array1::<f64>::read_npy_with(&upload[..], small).is_err());
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn read_npy_with<R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<Self>;

    /// Reads a file like [`load_npy`](Self::load_npy), with options.
    ///
    /// # Errors
    ///
    /// Fails like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use npy_ndarray::{ReadOptions, Order, ReadNpyExt, WriteNpyExt};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("matrix.npy");
    /// array![[1, 2], [3, 4]].save_npy(&path)?;
    /// let matrix = Array2::<i32>::load_npy_with(&path, ReadOptions::new().order(Order::Fortran).threads(2))?;
    /// assert_eq!((matrix[[1, 0]], matrix.strides()), (3, &[1, 2][..]));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self>;

    /// Loads an open file.
    ///
    /// Use it for a file that was opened relative to a directory, or that has no name.
    ///
    /// The array begins at the current position of the file. Errors name no path. It is as fast as
    /// [`load_npy`](Self::load_npy).
    ///
    /// # Errors
    ///
    /// Fails like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use std::fs::File;
    ///
    /// use ndarray::Array1;
    /// use npy_ndarray::ReadNpyExt;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("trace.npy");
    /// # npy_core::save(&path, &[1.5_f64, 2.5])?;
    /// let trace = Array1::<f64>::load_npy_file(File::open(&path)?)?;
    /// assert_eq!(trace.sum(), 4.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy_file(file: File) -> Result<Self> {
        Self::load_npy_file_with(file, ReadOptions::new())
    }

    /// Reads an open file like [`load_npy_file`](Self::load_npy_file), with [`ReadOptions`] or
    /// [`Limits`](npy_core::Limits).
    ///
    /// # Errors
    ///
    /// Fails like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use std::fs::File;
    ///
    /// use ndarray::Array1;
    /// use npy_ndarray::{Limits, ReadNpyExt};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("trace.npy");
    /// # npy_core::save(&path, &[1.5_f64, 2.5])?;
    /// let file = File::open(&path)?;
    /// assert!(Array1::<f64>::load_npy_file_with(file, Limits::new().data_bytes(10)).is_err()); // 16 bytes
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy_file_with(file: File, options: impl Into<ReadOptions>) -> Result<Self>;

    /// Loads a rectangular region of a file without reading the rest.
    ///
    /// Each axis takes a range, an index or a stepped range.
    ///
    /// The array has the axes and the order of the file. For several regions of one file, and for
    /// streams, see [`read_region`](super::read_region).
    ///
    /// # Errors
    ///
    /// Fails like [`read_npy`](Self::read_npy), and if the region has the wrong number of axes,
    /// exceeds one of them, or has a step of 0.
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use npy_ndarray::{AxisRange, ReadNpyExt, WriteNpyExt};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("matrix.npy");
    /// array![[1, 2, 3], [4, 5, 6], [7, 8, 9]].save_npy(&path)?;
    /// // In Python: np.load(path, mmap_mode="r")[1:, ::2]
    /// let part = Array2::<i32>::load_npy_region(&path, &[(1..).into(), AxisRange::from(..).step_by(2)])?;
    /// assert_eq!(part, array![[4, 6], [7, 9]]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
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
        with_file(path.as_ref(), options, |mut reader| Self::from_elements(reader.elements(), options.order))
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
    // Before the data are read, which may be large.
    let layout = layout::<D>(elements.header(), order)?;
    let shape = layout.raw_dim().clone();
    let items = elements.read_vec_in(order)?;
    let overflow = || ErrorKind::ShapeOverflow { shape: shape.slice().to_vec(), itemsize: size_of::<A>() };
    // `ndarray` refuses what the header has refused already, except for a Rust type larger than
    // that of the file.
    ArrayBase::from_shape_vec(layout, items).map_err(|_| overflow().into())
}

/// Loads a file into an owned array of the type that the context demands.
///
/// # Errors
///
/// Fails like [`ReadNpyExt::load_npy`].
///
/// ```
/// # use ndarray::{Array1, array};
/// # use npy_ndarray::{read_npy, write_npy};
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// write_npy(&path, &array![1.0_f32, 2.0])?;
/// let samples: Array1<f32> = read_npy(&path)?;
/// assert_eq!(samples.len(), 2);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn read_npy<P, T>(path: P) -> Result<T>
where
    P: AsRef<Path>,
    T: ReadNpyExt,
{
    T::load_npy(path)
}

//! Writing arrays and views to files and streams.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use super::array_ref;
use super::ndarray::{ArrayBase, ArrayViewD, Axis, Data, Dimension, IntoDimension};
use npy_core::adapter::dtype_of;
use npy_core::atomic::replace_file;
use npy_core::{DType, Header, NpyElement, NpyWriter, Order, Result, SaveOptions};

/// The least part of a line that is transposed: a cache line.
const LEAST_BYTES_OF_LINES: usize = 64;

/// The least size of an array that is transposed in parts, beyond the cache.
const LEAST_BYTES_ACROSS: usize = 4096;

/// Writes an array as `np.save` does: `array.save_npy(path)?`.
///
/// Implemented for every array and view of every dimension, contiguous, strided or reversed. A
/// Fortran-contiguous array becomes a file in Fortran order, every other one in C order. Elements
/// that are arrays, `[T; N]`, are refused: give the array one more axis.
///
/// ```
/// use ndarray::{Array2, s};
/// use npy_ndarray::{ReadNpyExt, WriteNpyExt};
///
/// let matrix = Array2::from_shape_fn((4, 6), |(i, j)| (i * 10 + j) as f32);
/// let mut file = Vec::new();
/// matrix.slice(s![..;-1, 1..;2]).write_npy(&mut file)?;
/// assert_eq!(Array2::<f32>::read_npy(&file[..])?, matrix.slice(s![..;-1, 1..;2]));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array that can be written",
    note = "arrays and views of `ndarray` are, if their elements have a dtype (`npy_core::NpyElement`)",
    note = "for a slice or a vector see `npy_core::save`, in an archive `add_slice`; for a number `ndarray::arr0`, in an archive `add_scalar`"
)]
pub trait WriteNpyExt {
    /// Writes the array to a stream, without a second copy.
    ///
    /// Fails if writing fails, or if an element cannot be expressed in its dtype.
    fn write_npy<W: Write>(&self, writer: W) -> Result<()> {
        self.write_npy_with(writer, SaveOptions::new())
    }

    /// Saves the array as a file, atomically.
    ///
    /// A save either replaces the whole file or leaves the old one untouched.
    ///
    /// Fails like [`write_npy`](Self::write_npy), and if the file cannot be created.
    fn save_npy<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        self.save_npy_with(path, SaveOptions::new())
    }

    /// [`write_npy`](Self::write_npy) with options: order.
    fn write_npy_with<W: Write>(&self, writer: W, options: impl Into<SaveOptions>) -> Result<()>;

    /// [`save_npy`](Self::save_npy) with options: order, durable, in place.
    fn save_npy_with<P: AsRef<Path>>(&self, path: P, options: impl Into<SaveOptions>) -> Result<()> {
        let options = options.into();
        replace_file(path, options, |file| {
            file.reserve(self.data_bytes());
            self.write_npy_with(file, options)
        })
    }

    /// The least number of bytes that will be written, as far as it is known.
    #[doc(hidden)]
    fn data_bytes(&self) -> u64 {
        0
    }
}

/// For every array and view whose elements have a dtype ([`NpyElement`]).
// The bound is on the array for the sake of the compiler message: see `ReadNpyExt`.
impl<S, D> WriteNpyExt for ArrayBase<S, D>
where
    S: Data,
    Self: ArrayOf<S::Elem>,
{
    fn write_npy_with<W: Write>(&self, writer: W, options: impl Into<SaveOptions>) -> Result<()> {
        self.write_array(writer, options.into())
    }

    fn data_bytes(&self) -> u64 {
        self.array_bytes()
    }
}

/// An array of elements that have a dtype.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{A}` is not an element of a NumPy array",
    label = "`{A}` does not implement `npy_core::NpyElement`",
    note = "for a custom struct, use `#[derive(NpyRecord)]` of the feature `derive`",
    note = "use `u64` for `usize`, `i64` for `isize`, `u32` for `char`, `[T; N]` or one more axis for `Vec<T>`, `String` for `&str`"
)]
pub trait ArrayOf<A> {
    fn write_array<W: Write>(&self, writer: W, options: SaveOptions) -> Result<()>;

    fn array_bytes(&self) -> u64;
}

impl<A, S, D> ArrayOf<A> for ArrayBase<S, D>
where
    A: NpyElement,
    S: Data<Elem = A>,
    D: Dimension,
{
    fn write_array<W: Write>(&self, writer: W, options: SaveOptions) -> Result<()> {
        write_array(self, &dtype_of(self.iter()), writer, options)
    }

    fn array_bytes(&self) -> u64 {
        bytes_of::<A>(self.len())
    }
}

/// The size of a number of elements; `None` if it depends on their values.
pub(crate) fn bytes_of<A: NpyElement>(count: usize) -> u64 {
    (count as u64).saturating_mul(A::dtype().itemsize() as u64)
}

fn write_array<A: NpyElement, D: Dimension, W: Write>(
    array: array_ref!(&A, D),
    dtype: &DType,
    writer: W,
    options: SaveOptions,
) -> Result<()> {
    let shape = array.shape();
    // NumPy takes C for arrays that are contiguous in both orders.
    let in_c_order = array.as_slice();
    let order = match options.order {
        None if in_c_order.is_some() => Order::C,
        _ if Order::are_same(shape) || dtype.itemsize() == 0 => Order::C,
        Some(order) => order,
        None if items_in(array, Order::Fortran).is_some() => Order::Fortran,
        None => Order::C,
    };
    let items = if order == Order::C { in_c_order } else { items_in(array, order) };
    let mut writer = NpyWriter::with_header(writer, &Header::new(dtype.clone(), order, shape)?)?;
    match items {
        Some(items) => writer.write_slice(items)?,
        None => write_scattered(&mut writer, array, order)?,
    }
    writer.finish()?;
    Ok(())
}

/// All elements, if they are contiguous in an order.
fn items_in<A, D: Dimension>(array: array_ref!(&A, D), order: Order) -> Option<&[A]> {
    match order {
        Order::C => array.as_slice(),
        Order::Fortran => array.view().reversed_axes().to_slice(),
    }
}

/// Writes the elements in the given order.
pub(crate) fn write_elements<A, D, W>(writer: &mut NpyWriter<A, W>, array: array_ref!(&A, D), order: Order) -> Result<()>
where
    A: NpyElement,
    D: Dimension,
    W: Write,
{
    match items_in(array, order) {
        Some(items) => writer.write_slice(items),
        None => write_scattered(writer, array, order),
    }
}

/// Writes elements that are not contiguous, in an order.
fn write_scattered<A, D, W>(writer: &mut NpyWriter<A, W>, array: array_ref!(&A, D), order: Order) -> Result<()>
where
    A: NpyElement,
    D: Dimension,
    W: Write,
{
    let view = array.view().into_dyn();
    let view = if order == Order::Fortran { view.reversed_axes() } else { view };
    write_view(writer, &view)
}

/// Writes the elements of a view in row-major order.
fn write_view<A: NpyElement, W: Write>(writer: &mut NpyWriter<A, W>, view: &ArrayViewD<'_, A>) -> Result<()> {
    if let Some(axis) = axis_across::<A>(view) {
        if axis == 0 {
            let length = view.len_of(Axis(0));
            let lines = || view.lanes(Axis(0)).into_iter().filter_map(|lane| lane.to_slice());
            return writer.write_transposed(lines, view.len() / length, length);
        }
        return view.outer_iter().try_for_each(|part| write_view(writer, &part));
    }
    // Rows are often contiguous even if the slice is not.
    for row in view.rows() {
        match row.to_slice() {
            Some(items) => writer.write_slice(items)?,
            None => writer.extend(row)?,
        }
    }
    Ok(())
}

/// The axis along which elements are contiguous in memory, if it is not the last one, and long
/// enough for transposing parts of lines in the cache.
fn axis_across<A>(view: &ArrayViewD<'_, A>) -> Option<usize> {
    let axis = view.axes().find(|axis| axis.stride == 1 && axis.len > 1)?;
    let number = axis.axis.index();
    // One part for each index of the preceding axes.
    let part = view.shape().iter().skip(number).product::<usize>().saturating_mul(size_of::<A>());
    let is_worth_it = number + 1 < view.ndim() && axis.len.saturating_mul(size_of::<A>()) >= LEAST_BYTES_OF_LINES;
    (is_worth_it && part >= LEAST_BYTES_ACROSS).then_some(number)
}

/// Saves an array as a file; see [`WriteNpyExt::save_npy`].
///
/// ```
/// use ndarray::{Array2, array};
/// use npy_ndarray::{read_npy, write_npy};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// write_npy(&path, &array![[1_u8, 2], [3, 4]])?;
/// let matrix: Array2<u8> = read_npy(&path)?;
/// assert_eq!(matrix[[1, 0]], 3);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn write_npy<P, T>(path: P, array: &T) -> Result<()>
where
    P: AsRef<Path>,
    T: WriteNpyExt + ?Sized,
{
    array.save_npy(path)
}

/// Saves an array as a new file; an existing file is an error.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::create_new_npy;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("matrix.npy");
/// create_new_npy(&path, &array![1.0, 2.0])?;
/// assert!(create_new_npy(&path, &array![3.0]).is_err());
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn create_new_npy<P, T>(path: P, array: &T) -> Result<()>
where
    P: AsRef<Path>,
    T: WriteNpyExt + ?Sized,
{
    let path = path.as_ref();
    let file = File::create_new(path).map_err(npy_core::Error::from).map_err(|error| error.with_path(path))?;
    array.write_npy(file).map_err(|error| {
        // The new file is torn. The first error is reported.
        let _ = fs::remove_file(path);
        error.with_path(path)
    })
}

/// Writes an array of zeros in C order, without writing the zeros.
///
/// It begins at the current position of the file. On most file systems the zeros take no disk
/// space. Map the file afterwards and fill it in place through
/// [`ViewMutNpyExt`](super::ViewMutNpyExt). Bytes after the position are lost.
///
/// ```
/// use ndarray::Array2;
/// use npy_ndarray::{ReadNpyExt, write_zeroed_npy};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// write_zeroed_npy::<f64, _>(&std::fs::File::create(&path)?, [1000, 1000])?;
/// assert_eq!(Array2::<f64>::load_npy(&path)?, Array2::<f64>::zeros([1000, 1000]));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn write_zeroed_npy<A, D>(mut file: &File, shape: D) -> Result<()>
where
    A: NpyElement,
    D: IntoDimension,
{
    let shape = shape.into_dimension();
    let header = Header::new(A::dtype(), Order::C, shape.slice())?;
    let bytes = header.to_bytes();
    let begin = file.stream_position()?;
    // Truncated first, so that it is extended by zeros.
    file.set_len(begin)?;
    file.write_all(&bytes)?;
    let end = begin + bytes.len() as u64 + header.data_bytes();
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(())
}

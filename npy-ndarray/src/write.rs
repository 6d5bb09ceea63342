//! Arrays of every kind into files and streams.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use ndarray::{ArrayBase, ArrayRef, Data, Dimension, IntoDimension};
use npy_core::__private::{dtype_of, replace_file_with};
use npy_core::{DType, Header, NpyElement, NpyWriter, Order, Result, SaveOptions};

/// Writes an array as `np.save` would: `array.save_npy(path)?`.
///
/// Implemented for every array and view of every dimension, contiguous, strided or reversed. A Fortran-contiguous array becomes a file
/// in Fortran order, every other one in C order. Elements that are arrays, `[T; N]`, are refused: give the array one more axis.
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
    message = "`{Self}` is no array that can be written",
    note = "arrays and views of `ndarray` are, if their elements have a dtype (`npy_core::NpyElement`)",
    note = "for a slice or a vector see `npy_core::save`, in an archive `add_slice`; for a number `ndarray::arr0`, in an archive `add_scalar`"
)]
pub trait WriteNpyExt {
    /// Writes the array to a stream, without a copy of the whole.
    ///
    /// # Errors
    ///
    /// When writing fails, or an element cannot be expressed in its dtype.
    fn write_npy<W: Write>(&self, writer: W) -> Result<()>;

    /// Saves the array as a file. Afterwards either the whole new file stands under `path` or what stood there before.
    ///
    /// # Errors
    ///
    /// Like [`write_npy`](Self::write_npy), and when the file cannot be made.
    fn save_npy<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        self.save_npy_with(path, SaveOptions::new())
    }

    /// [`save_npy`](Self::save_npy) with options.
    ///
    /// ```
    /// # use ndarray::array;
    /// # use npy_ndarray::{SaveOptions, WriteNpyExt};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("matrix.npy");
    /// array![[1.0, 2.0]].save_npy_with(&path, SaveOptions::new().durable())?;
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`save_npy`](Self::save_npy).
    fn save_npy_with<P: AsRef<Path>>(&self, path: P, options: SaveOptions) -> Result<()> {
        replace_file_with(path.as_ref(), options, self.data_bytes(), |file| self.write_npy(file))
    }

    /// How many bytes are going to be written at least, as far as that is known beforehand.
    #[doc(hidden)]
    fn data_bytes(&self) -> u64 {
        0
    }
}

impl<A, S, D> WriteNpyExt for ArrayBase<S, D>
where
    A: NpyElement,
    S: Data<Elem = A>,
    D: Dimension,
{
    fn write_npy<W: Write>(&self, writer: W) -> Result<()> {
        write(self, writer)
    }

    fn data_bytes(&self) -> u64 {
        bytes_of::<A>(self.len())
    }
}

impl<A, D> WriteNpyExt for ArrayRef<A, D>
where
    A: NpyElement,
    D: Dimension,
{
    fn write_npy<W: Write>(&self, writer: W) -> Result<()> {
        write(self, writer)
    }

    fn data_bytes(&self) -> u64 {
        bytes_of::<A>(self.len())
    }
}

/// How many bytes so many elements have; none if that depends on their values.
fn bytes_of<A: NpyElement>(count: usize) -> u64 {
    (count as u64).saturating_mul(A::dtype().itemsize() as u64)
}

fn write<A: NpyElement, D: Dimension, W: Write>(array: &ArrayRef<A, D>, writer: W) -> Result<()> {
    let dtype = dtype_of(array.iter());
    write_as(array, &dtype, &dtype, writer)
}

/// Writes an array that the header says is of `dtype`, with its elements as those of `stored`, which has the same bytes.
pub(crate) fn write_as<A: NpyElement, D: Dimension, W: Write>(
    array: &ArrayRef<A, D>,
    dtype: &DType,
    stored: &DType,
    writer: W,
) -> Result<()> {
    // C first, as NumPy has it for arrays that are contiguous in both orders.
    let is_fortran = array.as_slice().is_none() && array.view().reversed_axes().as_slice().is_some();
    let order = if is_fortran { Order::Fortran } else { Order::C };
    let header = |dtype: &DType| Header::new(dtype.clone(), order, array.shape());
    let mut writer = NpyWriter::with_header_as(writer, &header(dtype)?, &header(stored)?)?;
    write_elements(&mut writer, array, order)?;
    writer.finish()?;
    Ok(())
}

/// Writes the elements in an order.
pub(crate) fn write_elements<A, D, W>(writer: &mut NpyWriter<A, W>, array: &ArrayRef<A, D>, order: Order) -> Result<()>
where
    A: NpyElement,
    D: Dimension,
    W: Write,
{
    let view = array.view().into_dyn();
    let view = if order == Order::Fortran { view.reversed_axes() } else { view };
    if let Some(items) = view.as_slice() {
        return writer.write_slice(items);
    }
    // Rows of a slice are often contiguous although the slice is not.
    for row in view.rows() {
        match row.to_slice() {
            Some(items) => writer.write_slice(items)?,
            None => writer.extend(row)?,
        }
    }
    Ok(())
}

/// Saves an array as a file; see [`WriteNpyExt::save_npy`].
///
/// # Errors
///
/// Like [`WriteNpyExt::save_npy`].
///
/// ```
/// # use ndarray::array;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("matrix.npy");
/// npy_ndarray::write_npy(&path, &array![[1_u8, 2], [3, 4]])?;
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn write_npy<P, T>(path: P, array: &T) -> Result<()>
where
    P: AsRef<Path>,
    T: WriteNpyExt + ?Sized,
{
    array.save_npy(path)
}

/// Saves an array as a new file; one that stands there already is an error.
///
/// # Errors
///
/// Like [`WriteNpyExt::save_npy`], and when the file exists.
///
/// ```
/// # use ndarray::array;
/// # use npy_ndarray::create_new_npy;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("matrix.npy");
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
        // The file is ours, and torn. The error that led here is the one to report.
        let _ = fs::remove_file(path);
        error.with_path(path)
    })
}

/// Writes an array of zeros in C order from the file's position on, without writing the zeros: on most file systems they take no room.
///
/// Map the file afterwards and fill it in place through [`ViewMutNpyExt`](crate::ViewMutNpyExt). What stood in the file behind the
/// position is gone.
///
/// # Errors
///
/// When writing fails or the shape is larger than any array can be.
///
/// ```
/// # use ndarray::Array2;
/// # use npy_ndarray::{ReadNpyExt, write_zeroed_npy};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("zeros.npy");
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
    // Cut first, so that what is added afterwards is zeros.
    file.set_len(begin)?;
    file.write_all(&bytes)?;
    let end = begin + bytes.len() as u64 + header.data_bytes();
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok(())
}

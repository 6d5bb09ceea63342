//! Arrays in files of the RawArray format (`.ra`).

mod dynamic;

use std::io::{Read, Write};
use std::path::Path;

use super::array_ref;
use super::ndarray::{ArrayBase, Data, DataOwned, Dimension};
use npy_core::adapter::dtype_of;
use npy_core::atomic::replace_file;
use npy_core::{NpyElement, Order, ReadOptions, Result, SaveOptions, rawarray};

use super::read::into_array;
use super::write::{bytes_of, write_elements};

/// Reads an `.ra` file into an owned array: `Array2::<f32>::load_ra(path)?`.
///
/// Implemented for every owned array of every dimension, fixed or dynamic. The shape is that of the
/// file. The first axis varies fastest in memory (Fortran order), unless options set another order.
/// [`npy_core::rawarray`] explains this, and which elements are read.
/// [`RaArray`](npy_core::rawarray::RaArray) reads and writes the metadata after the elements.
///
/// ```
/// use ndarray::{Array2, array};
/// use npy_ndarray::{ReadOptions, Order, ReadRaExt, WriteRaExt};
///
/// let mut file = Vec::new();
/// array![[1_i32, 2, 3], [4, 5, 6]].write_ra(&mut file)?;
/// let matrix = Array2::<i32>::read_ra(&file[..])?;
/// assert_eq!(matrix, array![[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(matrix.strides(), [1, 2]);
/// let matrix = Array2::<i32>::read_ra_with(&file[..], ReadOptions::new().order(Order::C))?;
/// assert_eq!(matrix.strides(), [3, 1]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ReadRaExt: Sized {
    /// Reads the file at the current position of a stream.
    ///
    /// The stream is left just after the elements.
    ///
    /// # Errors
    ///
    /// Fails if reading fails, if no `.ra` file begins there, if its elements are of another type,
    /// or if the number of dimensions differs.
    fn read_ra<R: Read>(reader: R) -> Result<Self> {
        Self::read_ra_with(reader, ReadOptions::new())
    }

    /// Loads a file by path.
    fn load_ra<P: AsRef<Path>>(path: P) -> Result<Self> {
        Self::load_ra_with(path, ReadOptions::new())
    }

    /// [`read_ra`](Self::read_ra) with options: limits, order.
    fn read_ra_with<R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<Self>;

    /// [`load_ra`](Self::load_ra) with options: limits, order.
    fn load_ra_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self>;
}

impl<A, S, D> ReadRaExt for ArrayBase<S, D>
where
    A: NpyElement,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    fn read_ra_with<R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        into_array(rawarray::reader::<A, R>(reader, options)?.elements(), options.order)
    }

    fn load_ra_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self> {
        let (path, options) = (path.as_ref(), options.into());
        let mut reader = rawarray::open::<A>(path, options)?;
        into_array(reader.elements(), options.order).map_err(|error| error.with_path(path))
    }
}

/// Writes an array as an `.ra` file: `array.save_ra(path)?`.
///
/// Implemented for every array and view of every dimension, contiguous, strided or reversed. The
/// shape is kept, and the elements are written with the first axis fastest, as the format demands;
/// each keeps its index. Elements that are arrays, `[T; N]`, are refused: give the array one more
/// axis.
///
/// ```
/// use ndarray::{Array2, s};
/// use npy_ndarray::{ReadRaExt, WriteRaExt};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let matrix = Array2::from_shape_fn((4, 6), |(i, j)| (i * 10 + j) as f32);
/// matrix.slice(s![..;-1, 1..;2]).save_ra(&path)?;
/// assert_eq!(Array2::<f32>::load_ra(&path)?, matrix.slice(s![..;-1, 1..;2]));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array that can be written",
    note = "arrays and views of `ndarray` are, if their elements have a dtype (`npy_core::NpyElement`)",
    note = "for a slice or a vector see `npy_core::rawarray::save`"
)]
pub trait WriteRaExt {
    /// Writes the array to a stream, without a second copy.
    ///
    /// Fails if writing fails, or if an element cannot be expressed in its dtype.
    fn write_ra<W: Write>(&self, writer: W) -> Result<()>;

    /// Saves the array as a file, atomically.
    ///
    /// A save either replaces the whole file or leaves the old one untouched.
    ///
    /// Fails like [`write_ra`](Self::write_ra), and if the file cannot be created.
    fn save_ra<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        self.save_ra_with(path, SaveOptions::new())
    }

    /// [`save_ra`](Self::save_ra) with options: durable, in place.
    fn save_ra_with<P: AsRef<Path>>(&self, path: P, options: impl Into<SaveOptions>) -> Result<()> {
        replace_file(path, options, |file| {
            file.reserve(self.data_bytes());
            self.write_ra(file)
        })
    }

    /// The least number of bytes that will be written, as far as it is known.
    #[doc(hidden)]
    fn data_bytes(&self) -> u64 {
        0
    }
}

impl<A, S, D> WriteRaExt for ArrayBase<S, D>
where
    A: NpyElement,
    S: Data<Elem = A>,
    D: Dimension,
{
    fn write_ra<W: Write>(&self, writer: W) -> Result<()> {
        write(self, writer)
    }

    fn data_bytes(&self) -> u64 {
        bytes_of::<A>(self.len())
    }
}

fn write<A: NpyElement, D: Dimension, W: Write>(array: array_ref!(&A, D), writer: W) -> Result<()> {
    let mut writer = rawarray::writer(writer, dtype_of(array.iter()), array.shape())?;
    write_elements(&mut writer, array, Order::Fortran)?;
    writer.finish()?;
    Ok(())
}

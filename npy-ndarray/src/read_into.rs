//! Files and streams into existing arrays.

use std::io::Read;
use std::path::Path;

use super::array_ref;
use super::ndarray::Dimension;
use npy_core::__private::with_file;
use npy_core::{ErrorKind, NpyElement, NpyReader, Order, ReadOptions, Result};

/// The number of elements that are read at a time if those of the array are not contiguous.
const ELEMENTS: usize = 1 << 15;

/// Reads a file into an existing array or a part of one.
///
/// No memory is allocated for another array. Use it in loops over many files.
///
/// The array keeps its order; a file in the opposite order is transposed. A file in the same order
/// is fastest.
///
/// # Errors
///
/// Fails like [`ReadNpyExt::load_npy`](super::ReadNpyExt::load_npy), and if the shapes differ.
/// After an error some elements may be overwritten.
///
/// ```
/// use ndarray::{Array2, Array3, array, s};
/// use npy_ndarray::{WriteNpyExt, load_npy_into};
///
/// # let directory = tempfile::tempdir()?;
/// # let paths = [directory.path().join("a.npy"), directory.path().join("b.npy")];
/// # array![[1, 2], [3, 4]].save_npy(&paths[0])?;
/// # array![[5, 6], [7, 8]].save_npy(&paths[1])?;
/// let mut images = Array3::<i32>::zeros((2, 2, 2));
/// for (path, mut image) in paths.iter().zip(images.outer_iter_mut()) {
///     load_npy_into(path, &mut image)?;
/// }
/// assert_eq!(images.slice(s![.., 1, 0]), array![3, 7]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn load_npy_into<P, A, D>(path: P, array: array_ref!(&mut A, D)) -> Result<()>
where
    P: AsRef<Path>,
    A: NpyElement,
    D: Dimension,
{
    load_npy_into_with(path, array, ReadOptions::new())
}

/// [`load_npy_into`] with [`ReadOptions`] or [`Limits`](npy_core::Limits).
///
/// # Errors
///
/// Fails like [`load_npy_into`].
///
/// ```
/// use ndarray::Array1;
/// use npy_ndarray::load_npy_into_with;
/// use npy_core::ReadOptions;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("trace.npy");
/// # npy_core::save(&path, &[1.5_f64, 2.5])?;
/// let mut trace = Array1::<f64>::zeros(2);
/// load_npy_into_with(&path, &mut trace, ReadOptions::new().threads(2))?;
/// assert_eq!(trace.sum(), 4.0);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn load_npy_into_with<P, A, D>(path: P, array: array_ref!(&mut A, D), options: impl Into<ReadOptions>) -> Result<()>
where
    P: AsRef<Path>,
    A: NpyElement,
    D: Dimension,
{
    with_file(path.as_ref(), options.into(), |mut reader| fill(&mut reader, array))
}

/// Reads the array at the current position of a stream into an existing array.
///
/// The stream is left just behind the array.
///
/// See [`load_npy_into`].
///
/// # Errors
///
/// Fails like [`load_npy_into`].
///
/// ```
/// use ndarray::{Array1, array};
/// use npy_ndarray::{WriteNpyExt, read_npy_into};
///
/// let mut stream = Vec::new();
/// array![1.5, 2.5].write_npy(&mut stream)?;
/// let mut samples = Array1::<f64>::zeros(2);
/// read_npy_into(&stream[..], &mut samples)?;
/// assert_eq!(samples, array![1.5, 2.5]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn read_npy_into<R, A, D>(reader: R, array: array_ref!(&mut A, D)) -> Result<()>
where
    R: Read,
    A: NpyElement,
    D: Dimension,
{
    fill(&mut NpyReader::new(reader)?, array)
}

fn fill<R, A, D>(reader: &mut NpyReader<R>, array: array_ref!(&mut A, D)) -> Result<()>
where
    R: Read,
    A: NpyElement,
    D: Dimension,
{
    let (found, order) = (reader.header().shape(), reader.header().order());
    if found != array.shape() {
        return Err(ErrorKind::WrongShape { expected: array.shape().to_vec(), found: found.to_vec() }.into());
    }
    if let Some(items) = array.as_slice_mut() {
        return reader.read_into_in(items, Order::C);
    }
    if let Some(items) = array.view_mut().reversed_axes().into_slice() {
        return reader.read_into_in(items, Order::Fortran);
    }
    // The last of the axes varies fastest in the file, or the first does.
    let array = array.view_mut();
    let array = if order == Order::Fortran { array.reversed_axes() } else { array };
    let mut slots = array.into_iter();
    for chunk in reader.chunks::<A>(ELEMENTS) {
        // In this order, because the end of a chunk must not take a slot.
        chunk?.into_iter().zip(slots.by_ref()).for_each(|(item, slot)| *slot = item);
    }
    Ok(())
}

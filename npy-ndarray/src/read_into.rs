//! Files and streams into existing arrays.

use std::io::Read;
use std::path::Path;

use super::array_ref;
use super::ndarray::Dimension;
use npy_core::adapter::with_file;
use npy_core::{Error, NpyElement, NpyReader, Order, ReadOptions, Result};

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
/// use ndarray::{Array3, array, s};
/// use npy_ndarray::{WriteNpyExt, load_npy_into};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// array![[1, 2], [3, 4]].save_npy(&path)?;
///
/// let mut images = Array3::<i32>::zeros((5, 2, 2));
/// load_npy_into(&path, &mut images.slice_mut(s![3, .., ..]))?;
/// assert_eq!(images.slice(s![2.., 1, 0]), array![0, 3, 0]);
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

/// [`load_npy_into`] with options: limits, threads.
pub fn load_npy_into_with<P, A, D>(path: P, array: array_ref!(&mut A, D), options: impl Into<ReadOptions>) -> Result<()>
where
    P: AsRef<Path>,
    A: NpyElement,
    D: Dimension,
{
    with_file(path, options, |mut reader| fill(&mut reader, array))
}

/// Reads the array at the current position of a stream into an existing array.
///
/// The stream is left just after the array. See [`load_npy_into`] for an example.
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
        return Err(Error::wrong_shape(array.shape(), found));
    }
    if let Some(items) = array.as_slice_mut() {
        return reader.elements().read_slice_in(items, Order::C);
    }
    if let Some(items) = array.view_mut().reversed_axes().into_slice() {
        return reader.elements().read_slice_in(items, Order::Fortran);
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

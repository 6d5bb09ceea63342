//! Reading parts of arrays: regions, and blocks along the outer axis.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::path::Path;

use super::ndarray::{Array, ArrayBase, DataOwned, Dimension};
use npy_core::region::{AxisRange, region_shape};
use npy_core::{Error, NpyElement, NpyReader, Order, Result};

use super::order::{layout, layout_of};

/// Reads a rectangular region of the array of a reader.
///
/// [`ReadNpyExt::load_npy_region`](super::ReadNpyExt::load_npy_region) does this with a file. Use a
/// reader for several regions of one file, for streams, and for limits.
///
/// The array has the order of the file. The reader is then positioned after the last element of
/// the region.
///
/// Fails like [`NpyReader::read_region`], and if the number of dimensions differs.
///
/// ```
/// use ndarray::{Array2, array};
/// use npy_ndarray::npy_core::NpyReader;
/// use npy_ndarray::{WriteNpyExt, read_region};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// array![[1, 2, 3], [4, 5, 6], [7, 8, 9]].save_npy(&path)?;
/// let mut reader = NpyReader::open(&path)?;
/// let corner: Array2<i32> = read_region(&mut reader, &[(1..).into(), (..2).into()])?;
/// let column: Array2<i32> = read_region(&mut reader, &[(..).into(), 2.into()])?;
/// assert_eq!(corner, array![[4, 5], [7, 8]]);
/// assert_eq!(column, array![[3], [6], [9]]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn read_region<R, A, S, D>(reader: &mut NpyReader<R>, region: &[AxisRange]) -> Result<ArrayBase<S, D>>
where
    R: Read + Seek,
    A: NpyElement,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    let order = reader.header().order();
    // Before the data are read, which may be large.
    layout::<D>(reader.header(), order)?;
    let shape = region_shape(reader.header(), region)?;
    let layout = layout_of(&shape, order)?;
    let items = reader.read_region(region)?;
    ArrayBase::from_shape_vec(layout, items).map_err(|_| Error::shape_overflow(&shape, size_of::<A>()))
}

/// An iterator over blocks of rows, in the memory of one block.
///
/// A row is what one index of the outer axis has: of the first axis in C order, and of the **last**
/// in Fortran order. Of a Fortran file of shape (2, 100), blocks of 10 rows have the shape (2, 10).
/// The last block may have fewer rows. Each block has the order of the file. An array without
/// elements has no blocks. After an error the iterator ends.
///
/// ```
/// use ndarray::{Array2, Axis, Ix2};
/// use npy_ndarray::{NpyBlocks, WriteNpyExt};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// Array2::from_shape_fn((5, 3), |(i, _)| i as f64).save_npy(&path)?;
/// let mut sums = Vec::new();
/// for block in NpyBlocks::<f64, Ix2>::open(&path, 2)? {
///     sums.extend(block?.sum_axis(Axis(1)));
/// }
/// assert_eq!(sums, [0.0, 3.0, 6.0, 9.0, 12.0]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub struct NpyBlocks<A, D, R = BufReader<File>> {
    reader: NpyReader<R>,
    /// The shape of a block of one row.
    shape: Vec<usize>,
    axis: usize,
    per_row: usize,
    rows: usize,
    is_done: bool,
    array: PhantomData<fn() -> Array<A, D>>,
}

impl<A: NpyElement, D: Dimension> NpyBlocks<A, D> {
    /// Opens a file to read it in blocks of `rows` rows. 0 is 1.
    ///
    /// Fails if the file has no dimension or another number of them than `D`.
    pub fn open(path: impl AsRef<Path>, rows: usize) -> Result<Self> {
        let path = path.as_ref();
        let open = || Self::new(NpyReader::open(path)?, rows);
        open().map_err(|error| error.with_path(path))
    }
}

impl<A: NpyElement, D: Dimension, R: Read> NpyBlocks<A, D, R> {
    /// Reads the remaining rows of a reader in blocks of `rows` rows.
    ///
    /// Fails if the array has no dimension or another number of them than `D`, or if the reader is not
    /// at the beginning of a row.
    pub fn new(reader: NpyReader<R>, rows: usize) -> Result<Self> {
        let header = reader.header();
        layout::<D>(header, header.order())?;
        let mut shape = header.shape().to_vec();
        let axis = if header.order() == Order::Fortran { shape.len().saturating_sub(1) } else { 0 };
        let Some(length) = shape.get_mut(axis) else {
            return Err(Error::wrong_dimensions(1, &shape, None));
        };
        let per_row = header.element_count().checked_div(*length).unwrap_or(0);
        *length = 1;
        let torn = reader.remaining().checked_rem(per_row).unwrap_or(0);
        if torn != 0 {
            return Err(Error::wrong_count(per_row as u64, torn as u64));
        }
        Ok(Self { reader, shape, axis, per_row, rows: rows.max(1), is_done: false, array: PhantomData })
    }

    /// Returns the reader, positioned after the last block.
    pub fn into_inner(self) -> NpyReader<R> {
        self.reader
    }

    fn read(&mut self) -> Result<Option<Array<A, D>>> {
        let length = self.rows.saturating_mul(self.per_row);
        // The first chunk, which reports another dtype even if there is nothing to read.
        let Some(items) = self.reader.chunks::<A>(length).next().transpose()? else { return Ok(None) };
        let mut shape = self.shape.clone();
        if let Some(rows) = shape.get_mut(self.axis) {
            *rows = items.len().checked_div(self.per_row).unwrap_or(0);
        }
        let layout = layout_of(&shape, self.reader.header().order())?;
        let overflow = |_| Error::shape_overflow(&shape, size_of::<A>());
        Ok(Some(Array::from_shape_vec(layout, items).map_err(overflow)?))
    }
}

impl<A: NpyElement, D: Dimension, R: Read> Iterator for NpyBlocks<A, D, R> {
    type Item = Result<Array<A, D>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let block = self.read();
        self.is_done = !matches!(block, Ok(Some(_))) || self.reader.remaining() == 0;
        block.transpose()
    }
}

impl<A: NpyElement, D: Dimension, R: Read> FusedIterator for NpyBlocks<A, D, R> {}

impl<A, D, R> fmt::Debug for NpyBlocks<A, D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpyBlocks").field("reader", &self.reader).field("rows", &self.rows).finish_non_exhaustive()
    }
}

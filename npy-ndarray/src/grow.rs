//! Files that grow by blocks of rows.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::array_ref;
use super::ndarray::Dimension;
use npy_core::error::{axes, tuple};
use npy_core::{Error, Header, NpyElement, NpyWriter, Order, Result};

use super::write::write_elements;

/// Writes blocks of rows into a file that grows.
///
/// The file is valid at every instant. It is [`NpyWriter::create`] for arrays of `ndarray`.
///
/// The outer axis grows: the first in C order, the last in Fortran order.
///
/// ```
/// use ndarray::{Array2, array};
/// use npy_ndarray::{NpyBlockWriter, Order, ReadNpyExt};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let mut positions = NpyBlockWriter::<f32>::create(&path, Order::C, &[0, 3])?;
/// positions.write_block(&array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
/// positions.flush()?; // from now on the file holds two rows, whatever happens
/// positions.write_block(&array![[7.0, 8.0, 9.0]])?;
/// positions.finish()?;
/// assert_eq!(Array2::<f32>::load_npy(&path)?.dim(), (3, 3));
///
/// let mut positions = NpyBlockWriter::<f32>::append(&path)?;
/// positions.write_block(&array![[0.0, 0.0, 0.0]])?;
/// positions.finish()?;
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[must_use = "without `finish` errors at the end are not seen"]
pub struct NpyBlockWriter<A: NpyElement> {
    writer: NpyWriter<A, File>,
    path: PathBuf,
    shape: Vec<usize>,
    order: Order,
    /// Whether a block was written partly.
    failed: bool,
}

impl<A: NpyElement> NpyBlockWriter<A> {
    /// Creates a growing file.
    ///
    /// The length of the outer axis in `shape` has no effect: `&[0, 3]` has rows of three in C order, and
    /// `&[2, 3, 0]` grows by its last axis in Fortran order.
    pub fn create<P: AsRef<Path>>(path: P, order: Order, shape: &[usize]) -> Result<Self> {
        let header = Header::new(A::dtype(), order, &grown(shape, order, 0))?;
        let writer = NpyWriter::create_like(&path, &header)?;
        Ok(Self { writer, path: path.as_ref().to_path_buf(), shape: shape.to_vec(), order, failed: false })
    }

    /// Opens an existing file to append to it. Fails like [`NpyWriter::append`].
    pub fn append<P: AsRef<Path>>(path: P) -> Result<Self> {
        let path = path.as_ref();
        let writer = NpyWriter::append(path)?;
        // Locked by the writer.
        let header =
            File::open(path).map_err(npy_core::Error::from).and_then(Header::read).map_err(|error| error.with_path(path))?;
        Ok(Self { writer, path: path.to_path_buf(), shape: header.shape().to_vec(), order: header.order(), failed: false })
    }

    /// Appends a block of rows.
    ///
    /// # Errors
    ///
    /// Fails if the block has another number of dimensions or another length of an inner axis, if
    /// an element cannot be expressed in the dtype, or if writing fails.
    pub fn write_block<D: Dimension>(&mut self, block: array_ref!(&A, D)) -> Result<()> {
        if block.ndim() != self.shape.len() {
            let (expected, shape) = (self.shape.len(), block.shape().to_vec());
            return Err(self.refused(Error::wrong_dimensions(expected, &shape, None)));
        }
        let outer = outer_axis(self.shape.len(), self.order);
        let rows = outer.map_or(0, |outer| block.shape()[outer]);
        if grown(&self.shape, self.order, rows) != block.shape() {
            let inner = self.shape.iter().enumerate().map(|(axis, length)| (Some(axis) != outer).then_some(*length));
            let (expected, found) = (axes(&inner.collect::<Vec<_>>()), tuple(block.shape()));
            return Err(self.refused(Error::cannot_grow(format_args!("expected a block of shape {expected}, found {found}"))));
        }
        self.expect_whole()?;
        let written = write_elements(&mut self.writer, block, self.order);
        self.failed = written.is_err();
        written
    }

    fn refused(&self, error: Error) -> Error {
        error.with_path(&self.path)
    }

    /// Refuses rows behind a block that was written partly.
    fn expect_whole(&self) -> Result<()> {
        if self.failed {
            return Err(self.refused(Error::cannot_grow(
                "an earlier block was written in part; reopen the file to continue after its last complete row",
            )));
        }
        Ok(())
    }

    /// Commits all rows: see [`NpyWriter::flush`].
    pub fn flush(&mut self) -> Result<()> {
        self.expect_whole()?;
        self.writer.flush()
    }

    /// Commits all rows and closes the file.
    pub fn finish(self) -> Result<()> {
        self.expect_whole()?;
        self.writer.finish().map(drop)
    }
}

fn outer_axis(axes: usize, order: Order) -> Option<usize> {
    if order == Order::Fortran { axes.checked_sub(1) } else { (axes > 0).then_some(0) }
}

/// The shape with a number of rows.
fn grown(shape: &[usize], order: Order, rows: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    if let Some(outer) = outer_axis(shape.len(), order) {
        shape[outer] = rows;
    }
    shape
}

impl<A: NpyElement> fmt::Debug for NpyBlockWriter<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpyBlockWriter").field("shape", &self.shape).field("order", &self.order).finish_non_exhaustive()
    }
}

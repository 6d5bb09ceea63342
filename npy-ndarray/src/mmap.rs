//! Array views of memory-mapped files.

use std::ops::Range;

use super::ndarray::{ArrayView, ArrayViewMut, Dimension, Shape};
use npy_core::map::{Map, MapHeader, MapMut};
use npy_core::{Error, Header, NpyView, Order, Result};

use super::order::{layout, layout_of};
use super::view::overflow;

/// Views a mapped file as an array: `map.array::<f64, Ix2>()?`.
///
/// Maps of `.ra` files have it too (`RaMap`, feature `rawarray`). Maps for writing dereference to maps that have it.
///
/// ```
/// use ndarray::{Ix2, array};
/// use npy_core::NpyMap;
/// use npy_ndarray::{MapNpyExt, WriteNpyExt};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].save_npy(&path)?;
/// // SAFETY: no one changes or truncates this file while it is mapped.
/// let map = unsafe { NpyMap::open(&path)? };
/// assert_eq!(map.array::<f64, Ix2>()?.column(1).sum(), 12.0);
/// assert_eq!(map.array_rows::<f64, Ix2>(1..3)?, array![[3.0, 4.0], [5.0, 6.0]]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait MapNpyExt {
    /// Views the whole array in place.
    ///
    /// Fails like [`Map::view`], and if the number of dimensions differs.
    fn array<A: NpyView, D: Dimension>(&self) -> Result<ArrayView<'_, A, D>>;

    /// Views a range of rows in place.
    ///
    /// Rows are those of the first axis in C order, and of the last in Fortran order. Nothing else
    /// is read, so that others may change it.
    ///
    /// Fails like [`array`](Self::array), and if there are fewer rows.
    fn array_rows<A: NpyView, D: Dimension>(&self, rows: Range<usize>) -> Result<ArrayView<'_, A, D>>;
}

/// Views a mapped file as a mutable array: `map.array_mut::<f64, Ix2>()?`.
///
/// ```
/// use ndarray::{Ix2, array};
/// use npy_core::{Header, NpyElement, NpyMapMut, Order};
/// use npy_ndarray::{MapMutNpyExt, MapNpyExt};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let header = Header::new(f64::dtype(), Order::C, &[3, 2])?;
/// // SAFETY: no one else uses this file while it is mapped.
/// let mut map = unsafe { NpyMapMut::create(&path, &header)? };
/// map.array_mut::<f64, Ix2>()?.column_mut(1).fill(4.0);
/// map.array_rows_mut::<f64, Ix2>(1..2)?[[0, 0]] = 8.0;
/// assert_eq!(map.array::<f64, Ix2>()?, array![[0.0, 4.0], [8.0, 4.0], [0.0, 4.0]]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait MapMutNpyExt {
    /// Views the whole array in place.
    fn array_mut<A: NpyView, D: Dimension>(&mut self) -> Result<ArrayViewMut<'_, A, D>>;

    /// Views a range of rows mutably, for one of many processes to fill.
    fn array_rows_mut<A: NpyView, D: Dimension>(&mut self, rows: Range<usize>) -> Result<ArrayViewMut<'_, A, D>>;
}

impl<H: MapHeader> MapNpyExt for Map<H> {
    fn array<A: NpyView, D: Dimension>(&self) -> Result<ArrayView<'_, A, D>> {
        let header = self.header().to_npy();
        ArrayView::from_shape(layout(header, header.order())?, self.view()?).map_err(|_| overflow(header))
    }

    fn array_rows<A: NpyView, D: Dimension>(&self, rows: Range<usize>) -> Result<ArrayView<'_, A, D>> {
        let header = self.header().to_npy();
        let layout = layout_of_rows(header, rows.len())?;
        ArrayView::from_shape(layout, self.rows(rows)?).map_err(|_| overflow(header))
    }
}

impl<H: MapHeader> MapMutNpyExt for MapMut<H> {
    fn array_mut<A: NpyView, D: Dimension>(&mut self) -> Result<ArrayViewMut<'_, A, D>> {
        let header = self.header().to_npy();
        let (overflow, layout) = (overflow(header), layout(header, header.order())?);
        ArrayViewMut::from_shape(layout, self.view_mut()?).map_err(|_| overflow)
    }

    fn array_rows_mut<A: NpyView, D: Dimension>(&mut self, rows: Range<usize>) -> Result<ArrayViewMut<'_, A, D>> {
        let header = self.header().to_npy();
        let (overflow, layout) = (overflow(header), layout_of_rows(header, rows.len())?);
        ArrayViewMut::from_shape(layout, self.rows_mut(rows)?).map_err(|_| overflow)
    }
}

/// The layout of an array of the given number of rows.
fn layout_of_rows<D: Dimension>(header: &Header, rows: usize) -> Result<Shape<D>> {
    let mut shape = header.shape().to_vec();
    let axis = if header.order() == Order::Fortran { shape.last_mut() } else { shape.first_mut() };
    let Some(axis) = axis else {
        return Err(Error::wrong_dimensions(1, &shape, None));
    };
    *axis = rows;
    layout_of(&shape, header.order())
}

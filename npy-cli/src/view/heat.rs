//! Heat colors: the background of a number tells its place in the range of the column, or of the whole array.

use npy_core::region::AxisRange;

use super::block::MOST_BYTES;
use super::grid::Grid;
use super::histogram::Summary;
use super::scan::Step;
use super::tiles::Tiles;
use crate::colors::{Color, ColorMap};
use crate::failure::Result;
use crate::input::source::Source;
use crate::values::{fields, reals};

/// The range of each field of records, or of all elements; `None` where there are no real numbers.
#[derive(Debug)]
pub(crate) struct Ranges(Vec<Option<Summary>>);

/// Whether the cells of a column can have heat colors. Those of sub-arrays have several numbers.
pub(crate) fn has_heat(grid: &Grid, column: usize) -> bool {
    let dtype = grid.dtype(column);
    reals::is_real(dtype) && fields::scalar_of(dtype).is_some_and(|scalar| scalar.itemsize() == dtype.itemsize())
}

impl Ranges {
    /// The colors of some cells of a column; none where it has no range.
    pub(crate) fn colors(&self, grid: &Grid, column: usize, cells: &[&[u8]], map: ColorMap) -> Vec<Color> {
        let place = if grid.fields().is_some() { column } else { 0 };
        let Some(Some(range)) = self.0.get(place) else { return Vec::new() };
        let parts = range.parts(grid.dtype(column), &cells.concat()).unwrap_or_default();
        parts.into_iter().map(|part| part.map_or(map.missing(), |part| map.color(part))).collect()
    }
}

/// The ranges, which are being looked for.
#[derive(Debug)]
pub(crate) struct Ranging {
    tiles: Tiles,
    region: Vec<AxisRange>,
    ranges: Vec<Option<Summary>>,
}

impl Ranging {
    pub(crate) fn new(source: &Source, grid: &Grid) -> Self {
        let header = source.header();
        let columns = if grid.fields().is_some() { grid.columns() } else { 1 };
        let range = |column: usize| (source.objects().is_none() && has_heat(grid, column)).then(Summary::default);
        let ranges: Vec<Option<Summary>> = (0..columns).map(range).collect();
        let is_any = ranges.iter().any(Option::is_some);
        let region = header.shape().iter().map(|_| 0.into()).collect();
        // Where there are no numbers, nothing is read, and of elements that are too large to be shown neither.
        let tiles = if is_any && header.dtype().itemsize() <= MOST_BYTES { Tiles::new(header, |_| true) } else { Tiles::none() };
        Self { tiles, region, ranges }
    }

    /// Reads more. Returns the ranges at the end.
    pub(crate) fn step(&mut self, source: &mut Source, grid: &Grid) -> Result<Step<Ranges>> {
        if self.tiles.next(&mut self.region).is_none() {
            return Ok(Step::Done(Ranges(std::mem::take(&mut self.ranges))));
        }
        let values = source.with(|mut array| array.read_region(&self.region))?;
        let (bytes, itemsize) = (values.bytes(), grid.element().itemsize().max(1));
        for (column, range) in self.ranges.iter_mut().enumerate() {
            let Some(range) = range else { continue };
            match grid.fields().and_then(|fields| fields.get(column)) {
                Some(field) => {
                    let (cell, mut cells) = (field.bytes(), Vec::with_capacity(bytes.len() / itemsize * field.dtype.itemsize()));
                    bytes.chunks_exact(itemsize).for_each(|element| {
                        cells.extend_from_slice(element.get(cell.clone()).unwrap_or_default());
                    });
                    range.add_cells(&field.dtype, &cells)?;
                }
                None => range.add_cells(grid.element(), bytes)?,
            }
        }
        Ok(Step::More(self.tiles.thousandths()))
    }
}

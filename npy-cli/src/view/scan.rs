//! One column in pieces, so that the keys are read in between.

use std::ops::Range;

use super::block::Block;
use super::grid::Grid;
use crate::failure::Result;
use crate::input::source::Source;

/// About as much is read between two looks at the keys.
pub(crate) const PIECE_BYTES: usize = 1 << 20;

/// The result of one step of a job.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step<T> {
    /// There is more to do; how much is done, in thousandths.
    More(u16),
    Done(T),
}

/// Which rows of a column come next.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) column: usize,
    next: usize,
    rows: usize,
    piece: usize,
}

impl Scan {
    pub(crate) fn new(grid: &Grid, column: usize) -> Self {
        // One element of each row is read, with gaps between them.
        let most = if grid.column_axis().is_some() { 1 << 12 } else { 1 << 17 };
        let piece = (PIECE_BYTES / grid.element().itemsize().max(1)).clamp(1, most);
        Self { column, next: 0, rows: grid.rows(), piece }
    }

    /// Reads the next rows; returns the bytes of their cells and which rows they are; `None` at the end.
    pub(crate) fn next(&mut self, source: &mut Source, grid: &Grid) -> Result<Option<(Vec<u8>, Range<usize>)>> {
        let rows = self.next..self.rows.min(self.next.saturating_add(self.piece));
        if rows.is_empty() {
            return Ok(None);
        }
        let block = Block::read(source, grid, std::slice::from_ref(&rows), &(self.column..self.column + 1))?;
        self.next = rows.end;
        Ok(Some((block.column(grid, rows.len(), self.column), rows)))
    }

    /// The progress in thousandths.
    pub(crate) fn thousandths(&self) -> u16 {
        thousandths(self.next, self.rows)
    }
}

/// A part of a whole in thousandths.
pub(crate) fn thousandths(part: usize, whole: usize) -> u16 {
    u16::try_from(part as u128 * 1000 / (whole as u128).max(1)).unwrap_or(1000)
}

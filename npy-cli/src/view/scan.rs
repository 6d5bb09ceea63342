//! One column in pieces, so that the keys are read in between.

use std::rc::Rc;

use super::block::Block;
use super::grid::Grid;
use super::order::RowOrder;
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
    /// The rows that pass a filter, if there is one.
    kept: Option<Rc<[usize]>>,
}

impl Scan {
    pub(crate) fn new(grid: &Grid, order: &RowOrder, column: usize) -> Self {
        // One element of each row is read, with gaps between them.
        let most = if grid.column_axis().is_some() { 1 << 12 } else { 1 << 17 };
        let piece = (PIECE_BYTES / grid.element().itemsize().max(1)).clamp(1, most);
        let kept = order.kept().map(|kept| Rc::clone(&kept.rows));
        Self { column, next: 0, rows: grid.rows(), piece, kept }
    }

    /// Begins again.
    pub(crate) fn rewind(&mut self) {
        self.next = 0;
    }

    /// The row of the file that was the first, the second … to be read.
    pub(crate) fn row(&self, place: usize) -> usize {
        self.kept.as_ref().map_or(place, |kept| kept.get(place).copied().unwrap_or(place))
    }

    /// Reads the next rows; returns the bytes of their cells and the number of rows; `None` at the end.
    pub(crate) fn next(&mut self, source: &mut Source, grid: &Grid) -> Result<Option<(Vec<u8>, usize)>> {
        loop {
            let rows = self.next..self.rows.min(self.next.saturating_add(self.piece));
            if rows.is_empty() {
                return Ok(None);
            }
            let kept = self.kept.as_ref().map(|kept| {
                let place = |row: usize| kept.partition_point(|found| *found < row);
                kept.get(place(rows.start)..place(rows.end)).unwrap_or_default()
            });
            if kept.is_some_and(<[usize]>::is_empty) {
                self.next = rows.end;
                continue;
            }
            let block = Block::read(source, grid, std::slice::from_ref(&rows), &(self.column..self.column + 1))?;
            let cells = match kept {
                None => (block.column(grid, rows.len(), self.column), rows.len()),
                Some(kept) => {
                    let cells = kept.iter().flat_map(|row| block.cell(grid, row - rows.start, self.column));
                    (cells.copied().collect(), kept.len())
                }
            };
            self.next = rows.end;
            return Ok(Some(cells));
        }
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

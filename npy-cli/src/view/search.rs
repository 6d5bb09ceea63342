//! Search through the cells, row by row, in pieces.

use std::cmp::Ordering;
use std::ops::Range;

use npy_core::DType;
use npy_core::dtype::ScalarKind;
use npy_core::scalar::Class;

use super::block::{Block, object_text, texts_of};
use super::grid::Grid;
use super::order::RowOrder;
use super::scan::{PIECE_BYTES, Step, thousandths};
use crate::failure::Result;
use crate::input::source::Source;
use crate::values::{fields, reals};

/// A text or a condition to search for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Query {
    /// As the user typed it.
    pub(crate) text: String,
    lower: String,
    /// For numbers: the orders that are wanted, and the number to compare with.
    number: Option<(&'static [Ordering], f64)>,
}

const EQUAL: &[Ordering] = &[Ordering::Equal];

impl Query {
    pub(crate) fn new(text: &str) -> Self {
        const PREFIXES: [(&str, &[Ordering]); 5] = [
            ("<=", &[Ordering::Less, Ordering::Equal]),
            (">=", &[Ordering::Greater, Ordering::Equal]),
            ("<", &[Ordering::Less]),
            (">", &[Ordering::Greater]),
            ("=", EQUAL),
        ];
        let found = PREFIXES.iter().find_map(|(prefix, orders)| Some((*orders, text.strip_prefix(prefix)?)));
        let (orders, number) = found.unwrap_or((EQUAL, text));
        let number = number.trim().parse().ok().map(|number| (orders, number));
        Self { text: text.to_owned(), lower: text.to_lowercase(), number }
    }

    /// Whether a number of this dtype is found.
    fn finds(&self, dtype: &DType, number: f64) -> bool {
        let Some((orders, wanted)) = self.number else { return false };
        // An f4 is shown with its shortest digits.
        let wanted = if orders == EQUAL && is_single(dtype) { f64::from(narrow(wanted)) } else { wanted };
        match number.partial_cmp(&wanted) {
            Some(order) => orders.contains(&order),
            None => orders == EQUAL && wanted.is_nan() && number.is_nan(),
        }
    }

    fn finds_text(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.lower)
    }

    /// For each of some cells of one column, whether it is found.
    fn matches(&self, dtype: &DType, bytes: &[u8], count: usize) -> Result<Vec<bool>> {
        let is_time = fields::scalar_of(dtype).is_some_and(reals::is_time);
        if reals::is_real(dtype) && !is_time && !is_bool(dtype) {
            if self.number.is_none() {
                return Ok(vec![false; count]);
            }
            if self.is_large_integer(dtype) {
                return Ok(texts_of(dtype, bytes, count).iter().map(|text| text.trim_start() == self.text).collect());
            }
            let numbers = reals::numbers_of(dtype, bytes)?;
            let each = numbers.len().checked_div(count).unwrap_or(0).max(1);
            return Ok(numbers.chunks(each).map(|cell| cell.iter().any(|number| self.finds(dtype, *number))).collect());
        }
        Ok(texts_of(dtype, bytes, count).iter().map(|text| self.finds_text(text)).collect())
    }

    /// Whether an integer is wanted that `f64` cannot tell from its neighbors.
    fn is_large_integer(&self, dtype: &DType) -> bool {
        let is_wide = reals::is_whole(dtype) && fields::scalar_of(dtype).is_some_and(|scalar| scalar.itemsize() == 8);
        is_wide && matches!(self.number, Some((EQUAL, number)) if number.abs() >= 9e15)
    }
}

fn is_single(dtype: &DType) -> bool {
    fields::scalar_of(dtype).is_some_and(|scalar| scalar.kind() == ScalarKind::Float32)
}

#[allow(clippy::cast_possible_truncation, reason = "rounds as f4 does")]
fn narrow(number: f64) -> f32 {
    number as f32
}

fn is_bool(dtype: &DType) -> bool {
    fields::scalar_of(dtype).is_some_and(|scalar| scalar.class() == Class::Bool)
}

/// A search that is going on. It goes through the cells of some columns once, and ends where it began.
#[derive(Debug)]
pub(crate) struct Search {
    query: Query,
    columns: Range<usize>,
    is_forward: bool,
    /// The cell where it began, by its number among those of these columns.
    begin: usize,
    /// The number of cells that were searched.
    done: usize,
    count: usize,
}

impl Search {
    /// Begins at a cell of one of the columns.
    pub(crate) fn new(query: Query, rows: usize, columns: Range<usize>, row: usize, column: usize, is_forward: bool) -> Self {
        let count = rows.saturating_mul(columns.len());
        let begin = row.saturating_mul(columns.len()).saturating_add(column.saturating_sub(columns.start));
        Self { query, columns, is_forward, begin, done: 0, count }
    }

    /// Looks at more cells; returns the row and the column of the one that was found.
    pub(crate) fn step(&mut self, source: &mut Source, grid: &Grid, order: &RowOrder) -> Result<Step<Option<(usize, usize)>>> {
        let columns = self.columns.len();
        if self.done >= self.count || columns == 0 {
            return Ok(Step::Done(None));
        }
        // The next cells, after or before the last one that was seen, up to the end of the table.
        let piece = self.piece(source, grid, order);
        let remaining = self.count - self.done;
        let (mut first, mut end) = if self.is_forward {
            let first = wrapped(self.begin, self.done + 1, self.count);
            (first, (first + piece.min(remaining)).min(self.count))
        } else {
            let end = wrapped(self.begin, self.count - self.done - 1, self.count) + 1;
            (end.saturating_sub(piece.min(remaining)), end)
        };
        // A part of a row is not joined to the next one, because then all of both would be read.
        if piece < columns && self.is_forward {
            end = end.min((first / columns + 1) * columns);
        } else if piece < columns {
            first = first.max((end - 1) / columns * columns);
        }
        // Whole rows, or a part of one.
        let (first_row, last_row) = (first / columns, (end - 1) / columns);
        let wanted = if first_row == last_row { first % columns..(end - 1) % columns + 1 } else { 0..columns };
        let wanted = self.columns.start + wanted.start..self.columns.start + wanted.end;
        let found = self.find(source, grid, order, first_row..last_row + 1, &wanted)?;
        let inside = |cell: &usize| (first..end).contains(cell);
        let found = if self.is_forward { found.into_iter().find(inside) } else { found.into_iter().rev().find(inside) };
        if let Some(cell) = found {
            return Ok(Step::Done(Some((cell / columns, self.columns.start + cell % columns))));
        }
        self.done += end - first;
        Ok(Step::More(thousandths(self.done, self.count)))
    }

    /// The number of cells that are searched at once: about a piece of bytes, and whole rows if they are smaller.
    fn piece(&self, source: &Source, grid: &Grid, order: &RowOrder) -> usize {
        let columns = self.columns.len();
        if source.objects().is_some() {
            return 1 << 12;
        }
        let itemsize = grid.element().itemsize().max(1);
        let row_bytes = if grid.column_axis().is_some() { itemsize.saturating_mul(columns) } else { itemsize };
        if row_bytes > PIECE_BYTES && grid.column_axis().is_some() {
            return (PIECE_BYTES / itemsize).clamp(1, columns);
        }
        let has_gaps = grid.column_axis().is_some() && columns < grid.columns();
        let most = match (order.is_scattered(), has_gaps) {
            (true, _) => 1 << 10,
            (false, true) => 1 << 12,
            (false, false) => 1 << 15,
        };
        (PIECE_BYTES / row_bytes).clamp(1, most).saturating_mul(columns)
    }

    /// The cells that are found in some rows and columns, ascending.
    fn find(
        &self,
        source: &mut Source,
        grid: &Grid,
        order: &RowOrder,
        rows: Range<usize>,
        columns: &Range<usize>,
    ) -> Result<Vec<usize>> {
        let number = |row: usize, column: usize| row * self.columns.len() + column - self.columns.start;
        let mut found = Vec::new();
        if let Some(objects) = source.objects() {
            for row in rows {
                let cells = columns
                    .clone()
                    .filter(|column| self.query.finds_text(&object_text(objects, grid.position(order.row(row), *column))));
                found.extend(cells.map(|column| number(row, column)));
            }
            return Ok(found);
        }
        let block = Block::read(source, grid, &order.ranges(rows.start, rows.len()), columns)?;
        if grid.fields().is_none() {
            // All cells are of one dtype.
            let count = rows.len() * columns.len();
            let matches = self.query.matches(grid.element(), &block.into_bytes(), count)?;
            let cells = rows.flat_map(|row| columns.clone().map(move |column| number(row, column)));
            return Ok(cells.zip(matches).filter(|(_, is_match)| *is_match).map(|(cell, _)| cell).collect());
        }
        for column in columns.clone() {
            let bytes = block.column(grid, rows.len(), column);
            let matches = self.query.matches(grid.dtype(column), &bytes, rows.len())?;
            let cells = rows.clone().zip(matches).filter(|(_, is_match)| *is_match);
            found.extend(cells.map(|(row, _)| number(row, column)));
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// A number some steps after another, around the end.
fn wrapped(begin: usize, steps: usize, count: usize) -> usize {
    let sum = (begin as u128 + steps as u128) % (count as u128).max(1);
    usize::try_from(sum).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(query: &str, dtype: &str, bytes: &[u8]) -> Vec<bool> {
        let dtype: DType = dtype.parse().unwrap();
        let count = bytes.len() / dtype.itemsize();
        Query::new(query).matches(&dtype, bytes, count).unwrap()
    }

    #[test]
    fn numbers_are_compared_and_text_is_contained() {
        assert_eq!(finds("5", "|u1", &[5, 15, 50]), [true, false, false]);
        assert_eq!(finds(">=15", "|u1", &[5, 15, 50]), [false, true, true]);
        let large = [(1_i64 << 60) + 1, 1 << 60].map(i64::to_le_bytes).concat();
        assert_eq!(finds("1152921504606846976", "<i8", &large), [false, true]);
        assert_eq!(finds("0.1", "<f4", &0.1_f32.to_le_bytes()), [true]);
        assert_eq!(finds("nan", "<f4", &f32::NAN.to_le_bytes()), [true]);
        assert_eq!(finds("1969", "<M8[s]", &(-1_i64).to_le_bytes()), [true]);
        assert_eq!(finds("true", "|b1", &[0, 1]), [false, true]);
        assert_eq!(finds("b", "|S2", b"ABxy"), [true, false]);
        assert_eq!(finds("x", "|u1", &[5]), [false]);
    }
}

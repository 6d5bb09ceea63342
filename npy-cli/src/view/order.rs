//! Which rows are shown, and in which order.

use std::ops::Range;
use std::rc::Rc;

/// The rows that are shown: all of the file or those that pass a filter, in the order of the file or sorted by a column.
#[derive(Debug, Default)]
pub(crate) struct RowOrder {
    kept: Option<Kept>,
    sorted: Option<Sorted>,
}

/// The rows that pass a filter.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// The expression, as the user typed it.
    pub(crate) text: String,
    /// Ascending.
    pub(crate) rows: Rc<[usize]>,
}

#[derive(Debug)]
struct Sorted {
    column: usize,
    is_descending: bool,
    rows: Vec<usize>,
}

impl RowOrder {
    /// Shows rows that pass a filter, or all of them, in the order of the file.
    pub(crate) fn keep(&mut self, kept: Option<Kept>) {
        *self = Self { kept, sorted: None };
    }

    /// The rows that pass the filter, if there is one.
    pub(crate) fn kept(&self) -> Option<&Kept> {
        self.kept.as_ref()
    }

    /// Shows these rows sorted by a column.
    pub(crate) fn sort(&mut self, column: usize, is_descending: bool, rows: Vec<usize>) {
        self.sorted = Some(Sorted { column, is_descending, rows });
    }

    /// Shows the rows in the order of the file.
    pub(crate) fn unsort(&mut self) {
        self.sorted = None;
    }

    /// The column that it is sorted by, and whether descending.
    pub(crate) fn column(&self) -> Option<(usize, bool)> {
        self.sorted.as_ref().map(|sorted| (sorted.column, sorted.is_descending))
    }

    /// The rows of the file at the rows of the table; `None` if they are the same.
    fn rows(&self) -> Option<&[usize]> {
        let kept = self.kept.as_ref().map(|kept| &*kept.rows);
        self.sorted.as_ref().map(|sorted| &*sorted.rows).or(kept)
    }

    /// Whether rows beside each other are apart in the file.
    pub(crate) fn is_scattered(&self) -> bool {
        self.rows().is_some()
    }

    /// The number of rows of the table, of as many in the file.
    pub(crate) fn count(&self, all: usize) -> usize {
        self.rows().map_or(all, <[usize]>::len)
    }

    /// The row of the file at a row of the table.
    pub(crate) fn row(&self, position: usize) -> usize {
        self.rows().and_then(|rows| rows.get(position).copied()).unwrap_or(position)
    }

    /// The row of the table at a row of the file. Of a row that does not pass it is the next one that does.
    pub(crate) fn position(&self, row: usize) -> usize {
        match (&self.sorted, &self.kept) {
            (Some(sorted), _) => sorted.rows.iter().position(|found| *found == row).unwrap_or(row),
            (None, Some(kept)) => kept.rows.partition_point(|found| *found < row),
            (None, None) => row,
        }
    }

    /// The rows of the file at some rows of the table.
    pub(crate) fn ranges(&self, first: usize, count: usize) -> Vec<Range<usize>> {
        let end = first.saturating_add(count);
        if !self.is_scattered() {
            return std::iter::once(first..end).collect();
        }
        let mut ranges = Vec::<Range<usize>>::new();
        for row in (first..end).map(|place| self.row(place)) {
            match ranges.last_mut() {
                Some(last) if last.end == row => last.end += 1,
                _ => ranges.push(row..row + 1),
            }
        }
        ranges
    }
}

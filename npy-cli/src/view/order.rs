//! The order in which the rows are shown.

use std::ops::Range;

/// The order of the rows: of the file, or sorted by a column.
#[derive(Debug, Default)]
pub(crate) struct RowOrder {
    sorted: Option<Sorted>,
}

#[derive(Debug)]
struct Sorted {
    column: usize,
    is_descending: bool,
    rows: Vec<usize>,
}

impl RowOrder {
    pub(crate) fn sorted(column: usize, is_descending: bool, rows: Vec<usize>) -> Self {
        Self { sorted: Some(Sorted { column, is_descending, rows }) }
    }

    pub(crate) fn is_sorted(&self) -> bool {
        self.sorted.is_some()
    }

    /// The column that it is sorted by, and whether descending.
    pub(crate) fn column(&self) -> Option<(usize, bool)> {
        self.sorted.as_ref().map(|sorted| (sorted.column, sorted.is_descending))
    }

    /// The row of the file at a row of the table.
    pub(crate) fn row(&self, position: usize) -> usize {
        self.sorted.as_ref().and_then(|sorted| sorted.rows.get(position).copied()).unwrap_or(position)
    }

    /// The row of the table at a row of the file.
    pub(crate) fn position(&self, row: usize) -> usize {
        self.sorted.as_ref().and_then(|sorted| sorted.rows.iter().position(|found| *found == row)).unwrap_or(row)
    }

    /// The rows of the file at some rows of the table.
    pub(crate) fn ranges(&self, first: usize, count: usize) -> Vec<Range<usize>> {
        let end = first.saturating_add(count);
        if !self.is_sorted() {
            return std::iter::once(first..end).collect();
        }
        (first..end).map(|place| self.row(place)..self.row(place) + 1).collect()
    }
}

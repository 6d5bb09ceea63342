//! Rows: the parts of an array that are contiguous in the file.

use std::ops::Range;

use super::header::Header;
use crate::error::{Error, ErrorKind, RegionProblem, Result};
use crate::options::Order;

/// Returns the `i`-th of `n` nearly equal parts of `rows` rows.
///
/// Each of `n` processes or threads works on one of them.
///
/// The parts differ by at most one row, come in order, and are all rows together. If there are
/// fewer rows than parts, the last parts are empty. So are those from the `n`-th on.
///
/// ```
/// use npy_core::region::row_range;
///
/// assert_eq!(row_range(10, 0, 4), 0..3);
/// assert_eq!(row_range(10, 1, 4), 3..6);
/// assert_eq!(row_range(10, 2, 4), 6..8);
/// assert_eq!(row_range(10, 3, 4), 8..10);
/// assert_eq!(row_range(10, 4, 4), 10..10);
/// ```
pub fn row_range(rows: usize, i: usize, n: usize) -> Range<usize> {
    if i >= n {
        return rows..rows;
    }
    let (length, longer) = (rows / n, rows % n);
    // At most `rows`, because `i` is less than `n`.
    let begin = i * length + i.min(longer);
    begin..begin + length + usize::from(i < longer)
}

/// The outer axis of an array: the one that varies slowest in the file.
pub(crate) struct OuterAxis {
    axis: usize,
    pub(crate) rows: usize,
    /// Elements in a row.
    pub(crate) per_row: usize,
}

impl OuterAxis {
    pub(crate) fn of(header: &Header) -> Self {
        let shape = header.shape();
        let axis = if header.order() == Order::C { 0 } else { shape.len().saturating_sub(1) };
        // An array without axes is one row of one element.
        let rows = shape.get(axis).copied().unwrap_or(1);
        Self { axis, rows, per_row: header.element_count().checked_div(rows).unwrap_or(0) }
    }

    /// The header of an array of this many rows, of which there are no fewer.
    #[cfg(feature = "dynamic")]
    pub(crate) fn header_of_rows(&self, header: &Header, rows: usize) -> Result<Header> {
        let mut shape = header.shape().to_vec();
        if let Some(length) = shape.get_mut(self.axis) {
            *length = rows;
        }
        header.with_shape(shape)
    }

    /// The element that a row begins with. The row behind the last is the end.
    pub(crate) fn element(&self, row: usize) -> Result<usize> {
        if row <= self.rows {
            // Not more than all elements, whose number was checked.
            return Ok(row * self.per_row);
        }
        Err(self.out_of_bounds(row..row))
    }

    #[cold]
    fn out_of_bounds(&self, rows: Range<usize>) -> Error {
        let problem = RegionProblem::OutOfBounds { range: rows.start as u64..rows.end as u64, length: self.rows as u64 };
        ErrorKind::InvalidRegion { axis: self.axis, problem }.into()
    }

    /// The elements of some rows.
    pub(crate) fn elements(&self, rows: &Range<usize>) -> Result<Range<usize>> {
        if rows.start.max(rows.end) > self.rows {
            return Err(self.out_of_bounds(rows.clone()));
        }
        let (begin, end) = (self.element(rows.start)?, self.element(rows.end)?);
        if rows.start > rows.end {
            let problem = RegionProblem::Reversed { range: rows.start as u64..rows.end as u64 };
            return Err(ErrorKind::InvalidRegion { axis: self.axis, problem }.into());
        }
        Ok(begin..end)
    }
}

#[cfg(test)]
mod tests {
    use super::row_range;

    #[test]
    fn parts_are_all_rows_and_nearly_equal() {
        for rows in (0..40).chain([usize::MAX - 1, usize::MAX]) {
            for n in 1..50 {
                let parts: Vec<_> = (0..n).map(|i| row_range(rows, i, n)).collect();
                let mut end = 0;
                for part in &parts {
                    assert_eq!(part.start, end);
                    end = part.end;
                }
                assert_eq!(end, rows);
                let mut lengths: Vec<_> = parts.iter().map(|part| part.end - part.start).collect();
                lengths.sort_unstable();
                assert!(lengths[n - 1] - lengths[0] <= 1, "{rows} {n}");
                assert!(row_range(rows, n, n).is_empty());
            }
            assert!(row_range(rows, 0, 0).is_empty());
            assert!(row_range(rows, usize::MAX, 3).is_empty());
            assert_eq!(row_range(rows, usize::MAX - 1, usize::MAX).end, rows);
        }
    }
}

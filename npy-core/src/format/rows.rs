//! Rows: the parts of an array that are contiguous in the file.

use std::ops::Range;

use super::header::Header;
use crate::error::{Error, Result};
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

impl Header {
    /// Returns the rows whose first byte is in a range of the file's bytes.
    ///
    /// `data_offset` is the length of the header in the file, and `bytes` counts from the beginning
    /// of the file. A row is an index of the first axis in C order, and of the last in Fortran
    /// order. However a file is cut into ranges, each row belongs to exactly one of them. Rows
    /// without bytes belong to the range that holds the last byte of the header.
    ///
    /// ```
    /// use npy_core::{Header, NpyElement, Order};
    ///
    /// let header = Header::new(f64::dtype(), Order::C, &[10])?;
    /// let data_offset = header.to_bytes().len() as u64; // 128
    /// assert_eq!(header.rows_for_byte_range(data_offset, 0..150), 0..3); // rows at 128, 136, 144
    /// assert_eq!(header.rows_for_byte_range(data_offset, 150..1000), 3..10);
    /// assert_eq!(header.byte_range_of_rows(data_offset, 3..5)?, 152..168);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn rows_for_byte_range(&self, data_offset: u64, bytes: Range<u64>) -> Range<usize> {
        let outer = OuterAxis::of(self);
        let row_bytes = outer.row_bytes(self);
        // The first row that begins at a byte or after it.
        let from = |byte: u64| {
            let rows = match byte.saturating_sub(data_offset).checked_div(row_bytes) {
                Some(before) => before + u64::from(!byte.saturating_sub(data_offset).is_multiple_of(row_bytes)),
                None if byte < data_offset => 0,
                None => u64::MAX,
            };
            usize::try_from(rows).map_or(outer.rows, |rows| rows.min(outer.rows))
        };
        let begin = from(bytes.start);
        begin..from(bytes.end).max(begin)
    }

    /// Returns the bytes of the file that some rows occupy.
    ///
    /// It is the inverse of [`rows_for_byte_range`](Self::rows_for_byte_range), for rows that have
    /// bytes. Fails if the array has fewer rows, or holds Python objects, whose pickle has no rows.
    pub fn byte_range_of_rows(&self, data_offset: u64, rows: Range<usize>) -> Result<Range<u64>> {
        if self.dtype().has_object() {
            return Err(Error::object_array());
        }
        let outer = OuterAxis::of(self);
        outer.elements(&rows)?;
        let row_bytes = outer.row_bytes(self);
        // Within the data, whose size was checked; the offset is the caller's.
        let byte = |row: usize| data_offset.saturating_add(row as u64 * row_bytes);
        Ok(byte(rows.start)..byte(rows.end))
    }
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

    fn row_bytes(&self, header: &Header) -> u64 {
        self.per_row as u64 * header.dtype().itemsize() as u64
    }

    /// Returns the header of an array of at most as many rows.
    #[cfg(feature = "dynamic")]
    pub(crate) fn header_of_rows(&self, header: &Header, rows: usize) -> Result<Header> {
        let mut shape = header.shape().to_vec();
        if let Some(length) = shape.get_mut(self.axis) {
            *length = rows;
        }
        header.reshaped(&shape)
    }

    /// Returns the index of the first element of a row. The row after the last is the end.
    pub(crate) fn element(&self, row: usize) -> Result<usize> {
        if row <= self.rows {
            // Not more than all elements, whose number was checked.
            return Ok(row * self.per_row);
        }
        Err(self.out_of_bounds(&(row..row)))
    }

    #[cold]
    fn out_of_bounds(&self, rows: &Range<usize>) -> Error {
        Error::invalid_region(self.axis, rows.start as u64..rows.end as u64, self.rows as u64)
    }

    /// The elements of some rows.
    pub(crate) fn elements(&self, rows: &Range<usize>) -> Result<Range<usize>> {
        if rows.start > rows.end || rows.end > self.rows {
            return Err(self.out_of_bounds(rows));
        }
        Ok(self.element(rows.start)?..self.element(rows.end)?)
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

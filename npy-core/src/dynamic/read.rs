//! Reading of arrays whose dtype is known at run time, as a whole or piece by piece.

use std::io::Read;

use super::array::DynValues;
use crate::error::Result;
use crate::format::rows::OuterAxis;
use crate::read::NpyReader;

impl<R: Read> NpyReader<R> {
    /// Reads the remaining elements as bytes with a dtype.
    ///
    /// Fails if the dtype holds Python objects.
    pub fn into_values(mut self) -> Result<DynValues> {
        let header = self.header().clone();
        if header.dtype().has_object() {
            return Err(crate::error::Error::object_array());
        }
        let header = match self.remaining() {
            left if left == header.element_count() => header,
            left => header.reshaped(&[left])?,
        };
        let left = self.remaining();
        let bytes = self.elements().read_bytes(left)?;
        DynValues::with_header(header, bytes)
    }

    /// Reads the next rows, at most `rows` of them, as bytes with a dtype; `None` at the end.
    ///
    /// The values have the axes of the array, and the order of the file. [`NpyReader`] explains what a
    /// row is. An array without axes is one row. After a row that was read in part, its remaining
    /// elements come first, as an array of one dimension.
    ///
    /// ```
    /// use npy_core::NpyReader;
    ///
    /// let mut file = Vec::new();
    /// npy_core::write(&mut file, &[[1_u8, 2], [3, 4], [5, 6]])?;
    ///
    /// let mut reader = NpyReader::new(&file[..])?;
    /// let mut shapes = Vec::new();
    /// while let Some(values) = reader.next_rows(2)? {
    ///     shapes.push(values.shape().to_vec());
    /// }
    /// assert_eq!(shapes, [[2, 2], [1, 2]]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn next_rows(&mut self, rows: usize) -> Result<Option<DynValues>> {
        if self.header().dtype().has_object() {
            return Err(crate::error::Error::object_array());
        }
        let outer = OuterAxis::of(self.header());
        let Some(read_in_part) = self.state.position.checked_rem(outer.per_row) else { return Ok(None) };
        let remaining = (self.remaining() + read_in_part) / outer.per_row;
        let (count, header) = match (read_in_part, rows.min(remaining)) {
            (_, 0) => return Ok(None),
            (0, rows) => (rows * outer.per_row, outer.header_of_rows(self.header(), rows)?),
            (read, _) => {
                let left = outer.per_row - read;
                (left, self.header().reshaped(&[left])?)
            }
        };
        let bytes = self.elements().read_bytes(count)?;
        DynValues::with_header(header, bytes).map(Some)
    }

    /// Reads the next elements in the order of the file, at most `count` of them, as an array of
    /// one dimension; `None` at the end.
    ///
    /// Where a row can be large, this takes less memory than [`next_rows`](Self::next_rows).
    pub fn next_elements(&mut self, count: usize) -> Result<Option<DynValues>> {
        if self.header().dtype().has_object() {
            return Err(crate::error::Error::object_array());
        }
        let count = count.min(self.remaining());
        if count == 0 {
            return Ok(None);
        }
        let header = self.header().reshaped(&[count])?;
        let bytes = self.elements().read_bytes(count)?;
        DynValues::with_header(header, bytes).map(Some)
    }
}

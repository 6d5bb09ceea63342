//! Rows whose bytes the caller has read.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_schema::SchemaRef;
use npy_core::{Error, ErrorKind, Header, Result};

use crate::columns::{Columns, RowRange};
use crate::decode::Block;
use crate::options::BatchOptions;

/// Makes batches of rows whose bytes the caller has read, for engines that fetch a file in ranges.
///
/// ```
/// use npy_arrow::arrow_buffer::Buffer;
/// use npy_arrow::{BatchDecoder, BatchOptions};
/// use npy_core::Header;
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[1.5_f64, 2.5, 3.5, 4.5])?;
/// let (header, data_offset) = Header::parse(&file)?;
/// let decoder = BatchDecoder::new(&header, BatchOptions::new())?;
///
/// let ranges = decoder.byte_ranges(1..4)?;
/// assert_eq!(ranges, [8..32]); // from the first byte of the data
/// let bytes = Buffer::from_slice_ref(&file[data_offset..][8..32]);
/// let batch = decoder.decode(&bytes, 1..4, 2..4)?; // rows 2 and 3, of the bytes of 1 to 3
/// assert_eq!(batch.num_rows(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchDecoder {
    columns: Columns,
    batch_rows: usize,
}

impl BatchDecoder {
    /// Selects the columns of an array.
    ///
    /// # Errors
    ///
    /// Fails if a selected dtype has no Arrow type, or if a selected column does not exist.
    ///
    /// See [`BatchDecoder`] for an example.
    pub fn new(header: &Header, options: impl Into<BatchOptions>) -> Result<Self> {
        let options = options.into();
        let columns = Columns::new(header, &options)?;
        let batch_rows = columns.batch_rows(&options);
        Ok(Self { columns, batch_rows })
    }

    /// Returns the schema of the batches.
    ///
    /// ```
    /// use npy_arrow::{BatchDecoder, BatchOptions};
    /// use npy_core::{Header, NpyElement, Order};
    ///
    /// let header = Header::new(f64::dtype(), Order::C, &[4])?;
    /// let decoder = BatchDecoder::new(&header, BatchOptions::new())?;
    /// assert_eq!(decoder.schema().field(0).name(), "value");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn schema(&self) -> &SchemaRef {
        &self.columns.schema
    }

    /// Returns the number of rows of the array; 1 if it has no axes.
    ///
    /// ```
    /// use npy_arrow::{BatchDecoder, BatchOptions};
    /// use npy_core::{Header, NpyElement, Order};
    ///
    /// let header = Header::new(f64::dtype(), Order::Fortran, &[4, 3])?;
    /// assert_eq!(BatchDecoder::new(&header, BatchOptions::new())?.rows(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.columns.rows
    }

    /// Returns the maximum number of rows in a batch, as the options and the size of a row set it.
    ///
    /// [`decode`](Self::decode) makes batches of any number of rows.
    ///
    /// ```
    /// use npy_arrow::{BatchDecoder, BatchOptions};
    /// use npy_core::{Header, NpyElement, Order};
    ///
    /// let header = Header::new(f64::dtype(), Order::C, &[4])?;
    /// assert_eq!(BatchDecoder::new(&header, BatchOptions::new())?.batch_rows(), 8192);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn batch_rows(&self) -> usize {
        self.batch_rows
    }

    /// Returns the bytes of a row in the file, including those of columns that are not selected.
    ///
    /// ```
    /// use npy_arrow::{BatchDecoder, BatchOptions};
    /// use npy_core::{Header, NpyElement, Order};
    ///
    /// let header = Header::new(f64::dtype(), Order::C, &[4, 3])?;
    /// assert_eq!(BatchDecoder::new(&header, BatchOptions::new())?.row_bytes(), 24);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn row_bytes(&self) -> usize {
        self.columns.row_bytes
    }

    /// Returns where the bytes of some rows are, counted from the first byte of the data.
    ///
    /// Rows in C order are one range. Rows of a matrix in Fortran order are a range for each column.
    ///
    /// # Errors
    ///
    /// Fails if the array has fewer rows.
    ///
    /// ```
    /// use npy_arrow::{BatchDecoder, BatchOptions};
    /// use npy_core::{Header, NpyElement, Order};
    ///
    /// let header = Header::new(f64::dtype(), Order::Fortran, &[4, 3])?;
    /// let decoder = BatchDecoder::new(&header, BatchOptions::new())?;
    /// assert_eq!(decoder.byte_ranges(1..2)?, [8..16, 40..48, 72..80]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn byte_ranges(&self, rows: Range<usize>) -> Result<Vec<Range<u64>>> {
        let count = self.count(&rows)? as u64;
        let (first, all) = (rows.start as u64, self.columns.rows as u64);
        // No product exceeds the bytes of the array, which the header has checked.
        let range = |begin: u64, width: u64| begin * width..(begin + count) * width;
        Ok(match self.columns.range_count() {
            None => [range(first, self.columns.row_bytes as u64)].into(),
            Some(ranges) => {
                let itemsize = self.columns.itemsize() as u64;
                (0..ranges as u64).map(|index| range(index * all + first, itemsize)).collect()
            }
        })
    }

    /// Makes a batch of `rows`, which are some of `block`.
    ///
    /// `bytes` are those of the [`byte_ranges`](Self::byte_ranges) of `block`, one range after the
    /// other. A batch shares them where their layout allows it. An error counts rows from the
    /// beginning of the array.
    ///
    /// # Errors
    ///
    /// Fails if the array has fewer rows, if `block` does not have them, if there are fewer or more
    /// bytes than the block has, or if a value has no Arrow equivalent.
    ///
    /// See [`BatchDecoder`] for an example.
    pub fn decode(&self, bytes: &Buffer, block: Range<usize>, rows: Range<usize>) -> Result<RecordBatch> {
        if rows.start < block.start || rows.end > block.end || rows.start > rows.end {
            return Err(out_of_bounds(&rows, block.end));
        }
        let range = RowRange { from: rows.start - block.start, rows: rows.end - rows.start, ..RowRange::all(block.len()) };
        self.batch(bytes, &block, &range)
    }

    /// Makes a batch of the rows of `block` at some indices, which count from its first row, in their order.
    ///
    /// For rows that passed a filter: decodes no others.
    ///
    /// # Errors
    ///
    /// Fails like [`decode`](Self::decode), and if an index is not less than the length of the block.
    ///
    /// ```
    /// use npy_arrow::arrow_buffer::Buffer;
    /// use npy_arrow::{BatchDecoder, BatchOptions, arrow_array::Float64Array};
    /// use npy_core::Header;
    ///
    /// let mut file = Vec::new();
    /// npy_core::write(&mut file, &[1.5_f64, 2.5, 3.5, 4.5])?;
    /// let (header, data_offset) = Header::parse(&file)?;
    /// let decoder = BatchDecoder::new(&header, BatchOptions::new())?;
    /// let batch = decoder.take(&Buffer::from_slice_ref(&file[data_offset..]), 0..4, &[3, 0])?;
    /// assert_eq!(**batch.column(0), Float64Array::from(vec![4.5, 1.5]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take(&self, bytes: &Buffer, block: Range<usize>, indices: &[usize]) -> Result<RecordBatch> {
        let rows = block.len();
        if let Some(index) = indices.iter().copied().max().filter(|index| *index >= rows) {
            return Err(out_of_bounds(&(index..index + 1), rows));
        }
        let range = RowRange { rows: indices.len(), taken: Some(indices), ..RowRange::all(rows) };
        self.batch(bytes, &block, &range)
    }

    fn batch(&self, bytes: &Buffer, block: &Range<usize>, range: &RowRange<'_>) -> Result<RecordBatch> {
        let in_memory = self.count(block)?;
        let expected = in_memory.saturating_mul(self.columns.row_bytes);
        if bytes.len() != expected {
            let found = bytes.len();
            let message = format!("wrong size of a batch of length {in_memory}: expected {expected} B, found {found} B");
            return Err(Error::new(ErrorKind::WrongShape, message));
        }
        let first_row = (block.start + range.from) as u64;
        self.columns.batch(&Block { bytes, shared: Some(bytes), strides: &[], first_row }, range)
    }

    fn count(&self, rows: &Range<usize>) -> Result<usize> {
        let all = self.columns.rows;
        if rows.start > rows.end || rows.end > all {
            return Err(out_of_bounds(rows, all));
        }
        Ok(rows.end - rows.start)
    }
}

#[cold]
fn out_of_bounds(rows: &Range<usize>, length: usize) -> Error {
    Error::invalid_region(0, rows.start as u64..rows.end as u64, length as u64)
}

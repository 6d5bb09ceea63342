//! Rows whose bytes the caller has read.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_schema::SchemaRef;
use npy_core::Header;
use npy_core::error::RegionProblem;

use crate::columns::{Columns, Part};
use crate::decode::Block;
use crate::error::{ErrorKind, Result};
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
/// let ranges = decoder.byte_ranges(1..3)?;
/// assert_eq!(ranges, [8..24]); // from the first byte of the data
/// let bytes = Buffer::from_slice_ref(&file[data_offset..][8..24]);
/// let batch = decoder.decode(&bytes, 1..3)?;
/// assert_eq!(batch.num_rows(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchDecoder {
    columns: Columns,
}

impl BatchDecoder {
    /// Selects the columns of an array. The number of rows in the options does not apply.
    ///
    /// # Errors
    ///
    /// Fails if a selected dtype has no Arrow type, or if a selected column does not exist.
    ///
    /// See [`BatchDecoder`] for an example.
    pub fn new(header: &Header, options: impl Into<BatchOptions>) -> Result<Self> {
        Ok(Self { columns: Columns::new(header, &options.into())? })
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
        Ok(match self.columns.pieces() {
            None => [range(first, self.columns.row_bytes as u64)].into(),
            Some(pieces) => {
                let itemsize = self.columns.itemsize() as u64;
                (0..pieces as u64).map(|piece| range(piece * all + first, itemsize)).collect()
            }
        })
    }

    /// Makes a batch of rows. `bytes` are those of [`byte_ranges`](Self::byte_ranges), one range
    /// after the other; a batch shares them where their layout allows it.
    ///
    /// # Errors
    ///
    /// Fails if the array has fewer rows, if there are fewer or more bytes than the rows have, or if
    /// a value has no Arrow equivalent.
    ///
    /// See [`BatchDecoder`] for an example.
    pub fn decode(&self, bytes: &Buffer, rows: Range<usize>) -> Result<RecordBatch> {
        let count = self.count(&rows)?;
        let expected = count.saturating_mul(self.columns.row_bytes);
        if bytes.len() != expected {
            return Err(ErrorKind::WrongLength { rows: count, expected, found: bytes.len() }.into());
        }
        let part = Part { begin: 0, in_memory: count, from: 0, rows: count };
        let block = Block { bytes, shared: Some(bytes), strides: &[], first_row: rows.start as u64 };
        self.columns.batch(&block, &part)
    }

    fn count(&self, rows: &Range<usize>) -> Result<usize> {
        let all = self.columns.rows;
        if rows.start > rows.end || rows.end > all {
            let problem = RegionProblem::OutOfBounds { range: rows.start as u64..rows.end as u64, length: all as u64 };
            return Err(npy_core::ErrorKind::InvalidRegion { axis: 0, problem }.into());
        }
        Ok(rows.end - rows.start)
    }
}

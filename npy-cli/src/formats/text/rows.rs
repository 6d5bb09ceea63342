//! Rows of bytes that are assembled from text.

use npy_core::{DType, DynValues, Order};

use crate::failure::{Failure, Result};
use crate::input::pieces::{Sink, elements_of_piece};

/// Rows that are assembled before they are passed on.
pub(crate) struct RowBuffer {
    dtype: DType,
    row_bytes: usize,
    bytes: Vec<u8>,
    rows: usize,
    most_rows: usize,
}

impl RowBuffer {
    pub(crate) fn new(dtype: &DType, row_bytes: usize) -> Self {
        let most_rows = (elements_of_piece(dtype) * dtype.itemsize().max(1) / row_bytes.max(1)).max(1);
        Self { dtype: dtype.clone(), row_bytes, bytes: Vec::new(), rows: 0, most_rows }
    }

    /// A new row of zeros.
    pub(crate) fn row(&mut self) -> Result<&mut [u8]> {
        let begin = self.bytes.len();
        let reserved = self.bytes.try_reserve(self.row_bytes);
        reserved.map_err(|_| Failure::allocation(self.row_bytes))?;
        self.bytes.resize(begin + self.row_bytes, 0);
        self.rows += 1;
        Ok(&mut self.bytes[begin..])
    }

    /// The row that was added last.
    pub(crate) fn newest(&mut self) -> &mut [u8] {
        let begin = self.bytes.len().saturating_sub(self.row_bytes);
        &mut self.bytes[begin..]
    }

    /// Passes the rows on if they are enough.
    pub(crate) fn flush_full(&mut self, sink: Sink<'_>) -> Result<()> {
        if self.rows >= self.most_rows { self.flush(sink) } else { Ok(()) }
    }

    /// Passes the rows on.
    pub(crate) fn flush(&mut self, sink: Sink<'_>) -> Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        let count = match self.dtype.itemsize() {
            0 => self.rows,
            size => bytes.len() / size,
        };
        self.rows = 0;
        if count == 0 {
            return Ok(());
        }
        sink(DynValues::new(self.dtype.clone(), Order::C, &[count], bytes)?)
    }
}

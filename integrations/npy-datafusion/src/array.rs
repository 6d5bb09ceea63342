//! The arrays of a file, and their columns.

use npy_arrow::npy_core::Header;
use npy_arrow::{BatchDecoder, BatchOptions, Result};

use crate::options::ColumnOptions;

/// An array of a file: an `.npy` file, or a member of an archive.
#[derive(Debug)]
pub(crate) struct ArrayHeader {
    pub(crate) header: Header,
    /// The name of the member, which is that of its column if it is not of records.
    pub(crate) member: Option<String>,
}

impl ArrayHeader {
    pub(crate) fn row_count(&self) -> usize {
        self.header.shape().first().copied().unwrap_or(1)
    }

    /// The decoder of some columns; of all without names.
    pub(crate) fn decoder(&self, options: &ColumnOptions, names: Option<&[String]>) -> Result<BatchDecoder> {
        let mut options = BatchOptions::from(options);
        if let Some(member) = &self.member {
            options = options.column_name(member);
        }
        if let Some(names) = names {
            options = options.columns(names);
        }
        BatchDecoder::new(&self.header, options)
    }
}

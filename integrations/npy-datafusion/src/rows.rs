//! The bytes of rows of a file.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::buffer::Buffer;
use datafusion::common::{DataFusionError, Result};
use futures::stream::{self, StreamExt, TryStreamExt};
use npy_arrow::BatchDecoder;
use npy_remote::RemoteNpy;
use object_store::{ObjectMeta, ObjectStore};

use crate::objects::fetch;
use crate::schema::external;

/// Ranges of one chunk in flight: rows of a matrix in Fortran order have one for each column.
const IN_FLIGHT: usize = 8;

/// An array whose rows are fetched.
pub(crate) struct ArrayRows {
    pub(crate) meta: ObjectMeta,
    pub(crate) source: Source,
    /// Of all columns: it tells where rows are.
    pub(crate) layout: BatchDecoder,
}

/// Where the bytes of an array are.
pub(crate) enum Source {
    /// In an object, from an offset on.
    Object(Arc<dyn ObjectStore>, u64),
    /// In an archive.
    Member(RemoteNpy),
}

impl ArrayRows {
    /// Whether rows are one range of bytes, each row after the other.
    pub(crate) fn are_contiguous(&self) -> Result<bool> {
        let ranges = self.layout.byte_ranges(0..self.layout.rows().min(1));
        Ok(ranges.map_err(|error| external(&self.meta, error))?.len() == 1)
    }

    /// The bytes of some rows, one of their ranges after the other.
    pub(crate) async fn fetch(&self, rows: Range<usize>) -> Result<Buffer> {
        let (store, data_offset) = match &self.source {
            Source::Object(store, data_offset) => (store, *data_offset),
            Source::Member(member) => {
                return member.fetch_rows(rows).await.map_err(|error| DataFusionError::External(Box::new(error)));
            }
        };
        let bytes = (rows.end - rows.start).saturating_mul(self.layout.row_bytes());
        let ranges = self.layout.byte_ranges(rows).map_err(|error| external(&self.meta, error))?;
        let ranges = ranges.into_iter().map(|range| data_offset + range.start..data_offset + range.end);
        let mut ranges = stream::iter(ranges).map(|range| fetch(&**store, &self.meta, range)).buffered(IN_FLIGHT);
        let first = ranges.try_next().await?.unwrap_or_default();
        if first.len() == bytes {
            return Ok(Buffer::from(first));
        }
        let mut joined = Vec::with_capacity(bytes);
        joined.extend_from_slice(&first);
        while let Some(range) = ranges.try_next().await? {
            joined.extend_from_slice(&range);
        }
        Ok(Buffer::from_vec(joined))
    }
}

//! The headers of files, each fetched once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::FileRange;
use npy_arrow::npy_core::{Error, ErrorKind, Header, Order, error::Part};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};

use crate::objects::fetch;

/// What is fetched first: enough for the header of a record of a hundred fields.
const FIRST: u64 = 4096;

/// The most headers that are kept. Those of further files are fetched again.
const KEPT: usize = 1 << 16;

/// The headers of the files of a table.
#[derive(Debug, Default)]
pub(crate) struct Headers {
    kept: Mutex<HashMap<Key, Arc<FileHeader>>>,
}

/// An object in one of its versions.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    location: Path,
    size: u64,
    last_modified: DateTime<Utc>,
    e_tag: Option<String>,
}

/// A header, and where the data begins.
#[derive(Debug)]
pub(crate) struct FileHeader {
    pub(crate) header: Header,
    pub(crate) data_offset: u64,
}

impl Headers {
    /// Returns the header of a file, whose data is as long as it says.
    pub(crate) async fn get(&self, store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<Arc<FileHeader>> {
        let ObjectMeta { location, size, last_modified, e_tag, .. } = meta.clone();
        let key = Key { location, size, last_modified, e_tag };
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let fetched = Arc::new(FileHeader::fetch(store, meta).await?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&fetched));
        Ok(fetched)
    }
}

impl FileHeader {
    async fn fetch(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<Self> {
        let first = fetch(store, meta, 0..meta.size.min(FIRST)).await?;
        let mut bytes = first.to_vec();
        // Twice at most: the first bytes may end before the length of the header.
        let mut parsed = Header::bytes_needed(&bytes).map_err(|error| at(meta, error))?;
        while (bytes.len() as u64) < (parsed as u64).min(meta.size) {
            let rest = fetch(store, meta, bytes.len() as u64..(parsed as u64).min(meta.size)).await?;
            bytes.extend_from_slice(&rest);
            parsed = Header::bytes_needed(&bytes).map_err(|error| at(meta, error))?;
        }
        let (header, data_offset) = Header::parse(&bytes).map_err(|error| at(meta, error))?;
        let (offset, expected) = (data_offset as u64, header.data_bytes());
        let found = meta.size.saturating_sub(offset);
        if found < expected {
            return Err(at(meta, ErrorKind::Truncated { part: Part::Data, offset, expected, found }.into()));
        }
        Ok(Self { header, data_offset: offset })
    }

    /// The rows of the first axis that belong to a range of the file: each row to the range that has
    /// its first byte.
    ///
    /// Rows of a matrix in Fortran order are scattered; they are divided as those of one in C order.
    pub(crate) fn rows(&self, range: Option<&FileRange>) -> Result<Range<usize>> {
        let all = self.header.shape().first().copied().unwrap_or(1);
        let Some(range) = range else { return Ok(0..all) };
        let range = u64::try_from(range.start).unwrap_or(0)..u64::try_from(range.end).unwrap_or(0);
        if self.header.order() == Order::C {
            return Ok(self.header.rows_for_byte_range(self.data_offset, range));
        }
        let (dtype, shape) = (self.header.dtype().clone(), self.header.shape());
        let same = Header::new(dtype, Order::C, shape).map_err(|error| DataFusionError::External(Box::new(error)))?;
        Ok(same.rows_for_byte_range(self.data_offset, range))
    }
}

/// An error of a file, with its path.
#[cold]
pub(crate) fn at(meta: &ObjectMeta, error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error.with_path(meta.location.as_ref())))
}

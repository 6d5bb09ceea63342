//! The headers of files, each fetched once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::FileRange;
use npy_arrow::npy_core::{Error, FileFormat, Header, Order};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};

use crate::archive::{self, Archive};
use crate::objects::fetch;
use crate::options::ColumnOptions;

/// What is fetched first: enough for the header of a record of a hundred fields.
const FIRST: u64 = 4096;

/// The most headers that are kept. Those of further files are fetched again.
const KEPT: usize = 1 << 16;

/// The headers that an archive counts as: the end of the file stays in memory, 128 KiB or more.
const ARCHIVE: usize = 256;

/// The headers of the files of a table.
#[derive(Debug, Default)]
pub(crate) struct Headers {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    headers: HashMap<Key, Arc<FileHeader>>,
    /// How many they count as.
    weight: usize,
}

/// An object in one of its versions.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    location: Path,
    size: u64,
    last_modified: DateTime<Utc>,
    e_tag: Option<String>,
}

/// What is known of a file before its rows are read.
#[derive(Debug)]
pub(crate) struct FileHeader {
    /// One, or the members of an archive. All have the same number of rows.
    pub(crate) arrays: Vec<ArrayHeader>,
    pub(crate) archive: Option<Archive>,
}

/// An array, and where its data begins.
#[derive(Debug)]
pub(crate) struct ArrayHeader {
    pub(crate) header: Header,
    /// Of a member, 0: the archive knows where it is.
    pub(crate) data_offset: u64,
    /// The name of the only column of an array that is not of records, if the array has one.
    pub(crate) member: Option<String>,
}

impl Headers {
    /// Returns the headers of a file, whose data is as long as they say.
    pub(crate) async fn get(
        &self,
        store: &Arc<dyn ObjectStore>,
        meta: &ObjectMeta,
        options: &ColumnOptions,
    ) -> Result<Arc<FileHeader>> {
        let ObjectMeta { location, size, last_modified, e_tag, .. } = meta.clone();
        let key = Key { location, size, last_modified, e_tag };
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).headers.get(&key).cloned();
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let fetched = Arc::new(FileHeader::fetch(store, meta, options).await?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let weight = if fetched.archive.is_some() { ARCHIVE } else { 1 };
        if kept.weight + weight > KEPT {
            *kept = Kept::default();
        }
        if kept.headers.insert(key, Arc::clone(&fetched)).is_none() {
            kept.weight += weight;
        }
        Ok(fetched)
    }
}

impl FileHeader {
    async fn fetch(store: &Arc<dyn ObjectStore>, meta: &ObjectMeta, options: &ColumnOptions) -> Result<Self> {
        let first = fetch(&**store, meta, 0..meta.size.min(FIRST)).await?;
        if FileFormat::of(&first) == Some(FileFormat::Npz) {
            let (archive, arrays) = Archive::open(store, meta, options.members()).await?;
            return Ok(Self { arrays, archive: Some(archive) });
        }
        let mut bytes = first.to_vec();
        // Twice at most: the first bytes may end before the length of the header.
        let mut parsed = Header::bytes_needed(&bytes).map_err(|error| at(meta, error))?;
        while (bytes.len() as u64) < (parsed as u64).min(meta.size) {
            let rest = fetch(&**store, meta, bytes.len() as u64..(parsed as u64).min(meta.size)).await?;
            bytes.extend_from_slice(&rest);
            parsed = Header::bytes_needed(&bytes).map_err(|error| at(meta, error))?;
        }
        let (header, data_offset) = Header::parse(&bytes).map_err(|error| at(meta, error))?;
        let (offset, expected) = (data_offset as u64, header.data_bytes());
        let found = meta.size.saturating_sub(offset);
        if found < expected {
            return Err(at(meta, Error::truncated("the array", offset, expected, found)));
        }
        Ok(Self { arrays: vec![ArrayHeader { header, data_offset: offset, member: None }], archive: None })
    }

    pub(crate) fn row_count(&self) -> usize {
        self.arrays.first().map_or(0, ArrayHeader::row_count)
    }

    pub(crate) fn data_bytes(&self) -> u64 {
        self.arrays.iter().map(|array| array.header.data_bytes()).fold(0, u64::saturating_add)
    }

    /// The rows of the first axis that belong to a range of the file: each row to the range that has
    /// its first byte.
    ///
    /// Rows of a matrix in Fortran order are scattered; they are divided as those of one in C order.
    pub(crate) fn rows(&self, meta: &ObjectMeta, range: Option<&FileRange>) -> Result<Range<usize>> {
        let Some(range) = range else { return Ok(0..self.row_count()) };
        let range = u64::try_from(range.start).unwrap_or(0)..u64::try_from(range.end).unwrap_or(0);
        let [ArrayHeader { header, data_offset, member: None }] = self.arrays.as_slice() else {
            let is_whole = self.archive.as_ref().is_some_and(Archive::is_compressed);
            return Ok(archive::rows(self.row_count(), meta.size, &range, is_whole));
        };
        if header.order() == Order::C {
            return Ok(header.rows_for_byte_range(*data_offset, range));
        }
        let same = Header::new(header.dtype().clone(), Order::C, header.shape()).map_err(|error| at(meta, error))?;
        Ok(same.rows_for_byte_range(*data_offset, range))
    }
    /// A byte such that the range from there to the end of the file has the rows from this one on.
    ///
    /// The range has other rows if rows have no bytes, or if members are compressed: see [`rows`](Self::rows).
    pub(crate) fn first_byte(&self, meta: &ObjectMeta, row: usize) -> Option<u64> {
        let count = self.row_count().max(1) as u64;
        let [ArrayHeader { header, data_offset, member: None }] = self.arrays.as_slice() else {
            return archive::first_byte(count, meta.size, row as u64);
        };
        Some(data_offset + header.data_bytes() / count * row as u64)
    }
}

impl ArrayHeader {
    pub(crate) fn row_count(&self) -> usize {
        self.header.shape().first().copied().unwrap_or(1)
    }
}

/// An error of a file, with its path.
#[cold]
pub(crate) fn at(meta: &ObjectMeta, error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error.with_path(meta.location.as_ref())))
}

//! The headers of files, each fetched once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::FileRange;
use npy_remote::npy_core::{Header, Order};
use npy_remote::{Error, RemoteFile, RemoteNpy, RemoteOptions};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use tokio::sync::OnceCell;

use crate::archive;
use crate::array::ArrayHeader;
use crate::bounds::{Bounds, Key, LONGEST_ROW};
use crate::error::external;
use crate::options::ColumnOptions;

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
    headers: HashMap<Path, KeptHeader>,
    /// The headers that they count as.
    weight: usize,
}

/// The header of an object in one of its versions.
#[derive(Debug)]
struct KeptHeader {
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
    header: Arc<FileHeader>,
}

/// A file whose headers were read.
#[derive(Debug)]
pub(crate) struct FileHeader {
    file: RemoteFile,
    /// One, or the members of an archive. All have the same number of rows.
    pub(crate) arrays: Vec<ArrayHeader>,
    /// Whether a row can only be fetched with all others.
    is_compressed: bool,
    /// Those of the table's key, once a query needed them.
    bounds: OnceCell<Bounds>,
}

impl Headers {
    /// Returns the headers of a file, whose data is as long as they say.
    pub(crate) async fn get(
        &self,
        store: &Arc<dyn ObjectStore>,
        meta: &ObjectMeta,
        options: &ColumnOptions,
    ) -> Result<Arc<FileHeader>> {
        if let Some(kept) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).headers.get(&meta.location)
            && Arc::ptr_eq(&kept.store, store)
            && kept.meta == *meta
        {
            return Ok(Arc::clone(&kept.header));
        }
        let header = Arc::new(FileHeader::fetch(store, meta, options).await?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.weight + header.weight() > KEPT {
            *kept = Kept::default();
        }
        let new = KeptHeader { store: Arc::clone(store), meta: meta.clone(), header: Arc::clone(&header) };
        let replaced = kept.headers.insert(meta.location.clone(), new);
        kept.weight = kept.weight + header.weight() - replaced.map_or(0, |old| old.header.weight());
        Ok(header)
    }

    /// Forgets the version of a file that was replaced, so that the next query opens the new one.
    pub(crate) fn forget(&self, path: &Path) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.weight -= kept.headers.remove(path).map_or(0, |old| old.header.weight());
    }
}

impl FileHeader {
    async fn fetch(store: &Arc<dyn ObjectStore>, meta: &ObjectMeta, options: &ColumnOptions) -> Result<Self> {
        let file = RemoteFile::open(Arc::clone(store), meta.clone(), RemoteOptions::new()).await.map_err(external)?;
        let (arrays, is_compressed) = match &file {
            RemoteFile::Npy(array) => (vec![ArrayHeader { header: array.header().clone(), member: None }], false),
            RemoteFile::Npz(archive) => archive::members(archive, options.members()).await?,
        };
        Ok(Self { file, arrays, is_compressed, bounds: OnceCell::new() })
    }

    /// The headers that it counts as.
    fn weight(&self) -> usize {
        if self.is_archive() { ARCHIVE } else { 1 }
    }

    pub(crate) fn is_archive(&self) -> bool {
        matches!(self.file, RemoteFile::Npz(_))
    }

    /// Opens one of its arrays for reading rows.
    pub(crate) async fn open(&self, array: &ArrayHeader) -> Result<RemoteNpy> {
        match (&self.file, &array.member) {
            (RemoteFile::Npz(archive), Some(member)) => archive.member(member).await.map_err(external),
            (RemoteFile::Npy(array), _) => Ok(array.clone()),
            (RemoteFile::Npz(_), None) => Err(DataFusionError::Internal("a member of an archive without a name".to_owned())),
        }
    }

    /// An error of one of its arrays, with the path of the file.
    #[cold]
    pub(crate) fn locate(&self, array: &ArrayHeader, error: Error) -> DataFusionError {
        let error = self.file.locate(error);
        external(match &array.member {
            Some(member) => error.with_member(member),
            None => error,
        })
    }

    /// Returns the bounds of the key that the files of the table are sorted by.
    pub(crate) async fn bounds(&self, path: &Path, key: &Key, options: &ColumnOptions) -> Result<&Bounds> {
        self.bounds.get_or_try_init(|| self.read_bounds(path, key, options)).await
    }

    async fn read_bounds(&self, path: &Path, key: &Key, options: &ColumnOptions) -> Result<Bounds> {
        for array in &self.arrays {
            let decoder = |names: Option<&[String]>| array.decoder(options, names).map_err(|error| self.locate(array, error));
            let all = decoder(None)?;
            let Ok(field) = all.schema().field_with_name(&key.name) else { continue };
            if field.data_type().is_nested() || all.row_bytes() > LONGEST_ROW || self.is_compressed {
                break;
            }
            let key_alone = decoder(Some(std::slice::from_ref(&key.name)))?;
            return Bounds::read(path, &self.open(array).await?, &key_alone, key).await;
        }
        Ok(Bounds::default())
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
    pub(crate) fn rows(&self, range: Option<&FileRange>) -> Result<Range<usize>> {
        let Some(range) = range else { return Ok(0..self.row_count()) };
        let range = u64::try_from(range.start).unwrap_or(0)..u64::try_from(range.end).unwrap_or(0);
        let array = match &self.file {
            RemoteFile::Npy(array) => array,
            RemoteFile::Npz(archive) => {
                return Ok(archive::rows(self.row_count(), archive.object_meta().size, &range, self.is_compressed));
            }
        };
        let header = array.header();
        if header.order() == Order::C {
            return Ok(header.rows_for_byte_range(array.data_offset(), range));
        }
        let same = Header::new(header.dtype().clone(), Order::C, header.shape());
        Ok(same.map_err(|error| external(array.locate(error)))?.rows_for_byte_range(array.data_offset(), range))
    }

    /// A byte such that the range from there to the end of the file has the rows from this one on.
    ///
    /// The range has other rows if rows have no bytes, or if members are compressed: see [`rows`](Self::rows).
    pub(crate) fn first_byte(&self, row: usize) -> Option<u64> {
        let count = self.row_count().max(1) as u64;
        match &self.file {
            RemoteFile::Npy(array) => Some(array.data_offset() + array.header().data_bytes() / count * row as u64),
            RemoteFile::Npz(archive) => archive::first_byte(count, archive.object_meta().size, row as u64),
        }
    }
}

//! The rows of a file, or of a part of one, as a stream of batches.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener};
use futures::stream::{self, StreamExt, TryStreamExt};
use object_store::ObjectStore;

use crate::batches::Batches;
use crate::headers::Headers;
use crate::scan::{Fetched, Query, Scan};

/// Bytes of a request. Two of them are in memory at a time, for each partition of a plan.
const CHUNK: usize = 4 << 20;

/// Requests in flight for each partition.
const IN_FLIGHT: usize = 2;

/// A batch has fewer rows if its bytes exceed this.
const BATCH_BYTES: usize = 16 << 20;

#[derive(Clone)]
pub(crate) struct NpyOpener {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) headers: Arc<Headers>,
    pub(crate) query: Query,
    pub(crate) limit: Option<usize>,
    pub(crate) batch_rows: usize,
}

impl FileOpener for NpyOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let opener = self.clone();
        Ok(Box::pin(async move {
            let header = opener.headers.get(&opener.store, &file.object_meta, &opener.query.options).await?;
            let mut rows = header.rows(file.range.as_ref())?;
            if let Some(limit) = opener.limit {
                rows.end = rows.end.min(rows.start.saturating_add(limit));
            }
            if rows.is_empty() {
                // Another part of the plan reads all rows of a compressed archive.
                return Ok(stream::empty().boxed());
            }
            let mut scan = Scan::new(&opener.query, &opener.headers, file.object_meta, &header).await?;
            let mut fetched = None;
            if scan.search.is_some() && rows.len().saturating_mul(scan.row_bytes) <= CHUNK {
                // A search in the store would be more requests than the rows are.
                fetched = Some(scan.fetch(rows.clone()).await?);
            }
            if let (Some(search), Some(predicate)) = (&mut scan.search, &opener.query.predicate) {
                search.loaded = fetched.as_ref().map(|block| (block.bytes[search.array].clone(), block.rows.clone()));
                rows = search.narrow(rows, predicate).await?;
            }
            log::debug!("{}: selected rows {}..{}", scan.meta.location, rows.start, rows.end);
            Ok(batches(Arc::new(scan), rows, fetched, opener.batch_rows).boxed())
        }))
    }
}

/// The batches of some rows, whose bytes may have been fetched already.
fn batches(
    scan: Arc<Scan>,
    rows: Range<usize>,
    fetched: Option<Fetched>,
    batch_rows: usize,
) -> impl futures::Stream<Item = Result<RecordBatch>> + Send {
    let row_bytes = scan.row_bytes.max(1);
    let batch_rows = batch_rows.min(BATCH_BYTES / row_bytes).max(1);
    let per_chunk = (CHUNK / row_bytes / batch_rows).max(1) * batch_rows;
    let step = if fetched.is_some() || scan.arrays.is_empty() { rows.len().max(1) } else { per_chunk };
    let chunks = split(rows, step);
    let blocks = stream::iter(chunks).map({
        let scan = Arc::clone(&scan);
        let mut fetched = fetched;
        move |rows| {
            let (scan, fetched) = (Arc::clone(&scan), fetched.take());
            async move {
                let block = match fetched {
                    Some(block) => block,
                    None => scan.fetch(rows.clone()).await?,
                };
                Ok::<_, DataFusionError>((block, rows))
            }
        }
    });
    blocks
        .buffered(IN_FLIGHT)
        .map_ok(move |(block, rows)| stream::iter(Batches::new(Arc::clone(&scan), block, rows, batch_rows)))
        .try_flatten()
}

/// Splits rows into ranges of the same length.
fn split(rows: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> + Send {
    let end = rows.end;
    rows.step_by(length).map(move |start| start..start.saturating_add(length).min(end))
}

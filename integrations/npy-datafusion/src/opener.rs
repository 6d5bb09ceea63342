//! The rows of a file, or of a part of one, as a stream of batches.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, BooleanArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::compute::{filter_record_batch, prep_null_mask_filter};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::cast::as_boolean_array;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use futures::stream::{self, StreamExt, TryStreamExt};
use npy_arrow::BatchDecoder;
use object_store::{ObjectMeta, ObjectStore};

use crate::headers::{FileHeader, Headers};
use crate::options::ColumnOptions;
use crate::rows::FileRows;
use crate::schema::{check, decoder, external};
use crate::sorted::Search;

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
    pub(crate) options: ColumnOptions,
    /// Indices of the schema.
    pub(crate) columns: Vec<usize>,
    /// In terms of the schema.
    pub(crate) predicate: Option<Arc<dyn PhysicalExpr>>,
    pub(crate) sorted_by: Option<String>,
    pub(crate) limit: Option<usize>,
    pub(crate) batch_rows: usize,
    /// The columns of the table that are in the files.
    pub(crate) schema: SchemaRef,
}

impl FileOpener for NpyOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let opener = self.clone();
        Ok(Box::pin(async move {
            let header = opener.headers.get(&*opener.store, &file.object_meta).await?;
            let mut rows = header.rows(file.range.as_ref())?;
            if let Some(limit) = opener.limit {
                rows.end = rows.end.min(rows.start.saturating_add(limit));
            }
            let scan = Scan::new(&opener, file.object_meta, &header)?;
            if let (Some(name), Some(predicate)) = (&opener.sorted_by, &opener.predicate) {
                let key = decoder(&scan.file.meta, &header, &opener.options, Some(std::slice::from_ref(name)))?;
                rows = Search { file: &scan.file, key }.narrow(rows, predicate).await?;
            }
            log::debug!("{}: selected rows {}..{}", scan.file.meta.location, rows.start, rows.end);
            Ok(Arc::new(scan).stream(rows, opener.batch_rows).boxed())
        }))
    }
}

/// What is read of a file.
struct Scan {
    file: FileRows,
    filter: Option<Filter>,
    /// The columns that the filter does not decode already.
    rest: Option<BatchDecoder>,
    /// Of the output, in its order.
    schema: SchemaRef,
    row_bytes: usize,
    is_contiguous: bool,
}

/// Which rows are wanted, and the columns that tell.
struct Filter {
    decoder: BatchDecoder,
    /// In terms of the decoder's schema.
    predicate: Arc<dyn PhysicalExpr>,
}

/// The bytes of some rows, of which a batch has some.
struct Fetched {
    bytes: Buffer,
    rows: Range<usize>,
}

impl Scan {
    fn new(opener: &NpyOpener, meta: ObjectMeta, file: &FileHeader) -> Result<Self> {
        let layout = decoder(&meta, file, &opener.options, None)?;
        check(&meta, &opener.schema, layout.schema(), "that of the table")?;
        let name = |index: &usize| opener.schema.field(*index).name().clone();
        let of_file = |names: &[String]| decoder(&meta, file, &opener.options, Some(names));
        let (mut filter, mut wanted) = (None, opener.columns.clone());
        if let Some(predicate) = &opener.predicate {
            let mut columns: Vec<_> = collect_columns(predicate).iter().map(Column::index).collect();
            columns.sort_unstable();
            wanted.retain(|index| !columns.contains(index));
            let names: Vec<_> = columns.iter().map(name).collect();
            let decoder = of_file(&names)?;
            let predicate = reassign_expr_columns(Arc::clone(predicate), decoder.schema())?;
            filter = Some(Filter { decoder, predicate });
        }
        let names: Vec<_> = wanted.iter().map(name).collect();
        let rest = if names.is_empty() { None } else { Some(of_file(&names)?) };
        let schema = Arc::new(opener.schema.project(&opener.columns)?);
        let row_bytes = layout.row_bytes();
        let file = FileRows { store: Arc::clone(&opener.store), meta, data_offset: file.data_offset, layout };
        let is_contiguous = file.are_contiguous()?;
        Ok(Self { file, filter, rest, schema, row_bytes, is_contiguous })
    }

    fn stream(self: Arc<Self>, rows: Range<usize>, batch_rows: usize) -> impl futures::Stream<Item = Result<RecordBatch>> + Send {
        let row_bytes = self.row_bytes.max(1);
        let batch_rows = batch_rows.min(BATCH_BYTES / row_bytes).max(1);
        let per_chunk = (CHUNK / row_bytes / batch_rows).max(1) * batch_rows;
        let has_data = self.filter.is_some() || self.rest.is_some();
        let chunks = pieces(rows, if has_data { per_chunk } else { batch_rows });
        let fetched = stream::iter(chunks).map({
            let scan = Arc::clone(&self);
            move |rows| {
                let scan = Arc::clone(&scan);
                async move {
                    Ok::<_, DataFusionError>((
                        if has_data { scan.file.fetch(rows.clone()).await? } else { Buffer::default() },
                        rows,
                    ))
                }
            }
        });
        fetched.buffered(IN_FLIGHT).map_ok(move |(bytes, rows)| Arc::clone(&self).batches(bytes, rows, batch_rows)).try_flatten()
    }

    /// The batches of rows whose bytes were fetched.
    fn batches(
        self: Arc<Self>,
        bytes: Buffer,
        rows: Range<usize>,
        batch_rows: usize,
    ) -> impl futures::Stream<Item = Result<RecordBatch>> + Send {
        let block = Fetched { bytes, rows: rows.clone() };
        stream::iter(pieces(rows, batch_rows).filter_map(move |rows| self.batch(&block, rows).transpose()))
    }

    /// The wanted rows of a batch; `None` if there are none.
    fn batch(&self, block: &Fetched, rows: Range<usize>) -> Result<Option<RecordBatch>> {
        let decode = |decoder: &BatchDecoder| self.decode(decoder, block, rows.clone());
        let rest = || self.rest.as_ref().map(decode).transpose();
        let Some(filter) = &self.filter else {
            return self.assemble(None, rest()?.as_ref(), rows.len()).map(Some);
        };
        let known = decode(&filter.decoder)?;
        let mask = filter.predicate.evaluate(&known)?.into_array(known.num_rows())?;
        let mask = match as_boolean_array(&mask)? {
            mask if mask.null_count() == 0 => mask.clone(),
            mask => prep_null_mask_filter(mask),
        };
        let count = mask.true_count();
        if count == 0 {
            return Ok(None);
        }
        if count == mask.len() {
            return self.assemble(Some(&known), rest()?.as_ref(), count).map(Some);
        }
        let rest = self.rest.as_ref().map(|rest| self.decode_some(rest, block, &rows, &mask, count)).transpose()?;
        self.assemble(Some(&filter_record_batch(&known, &mask)?), rest.as_ref(), count).map(Some)
    }

    fn decode(&self, decoder: &BatchDecoder, block: &Fetched, rows: Range<usize>) -> Result<RecordBatch> {
        decoder.decode(&block.bytes, block.rows.clone(), rows).map_err(|error| external(&self.file.meta, error))
    }

    /// The other columns of the rows of a mask.
    fn decode_some(
        &self,
        rest: &BatchDecoder,
        block: &Fetched,
        rows: &Range<usize>,
        mask: &BooleanArray,
        count: usize,
    ) -> Result<RecordBatch> {
        // A copy of a few rows costs less than to decode all.
        if self.is_contiguous && count <= mask.len() / 2 {
            let begin = (rows.start - block.rows.start) * self.row_bytes;
            let mut gathered = Vec::with_capacity(count * self.row_bytes);
            for row in mask.values().set_indices() {
                gathered.extend_from_slice(&block.bytes[begin + row * self.row_bytes..begin + (row + 1) * self.row_bytes]);
            }
            let gathered_rows = rows.start..rows.start + count;
            if let Ok(batch) = rest.decode(&Buffer::from_vec(gathered), gathered_rows.clone(), gathered_rows) {
                return Ok(batch);
            }
            // Once more in their places, so that the error has the right row.
        }
        Ok(filter_record_batch(&self.decode(rest, block, rows.clone())?, mask)?)
    }

    /// The columns of the output, from those of two batches.
    fn assemble(&self, known: Option<&RecordBatch>, rest: Option<&RecordBatch>, rows: usize) -> Result<RecordBatch> {
        let column = |name: &str| [known, rest].into_iter().flatten().find_map(|batch| batch.column_by_name(name));
        let missing = |name: &str| DataFusionError::Internal(format!("{}: column {name:?} was not read", self.file.meta.location));
        let fields = self.schema.fields().iter();
        let columns = fields.map(|field| column(field.name()).cloned().ok_or_else(|| missing(field.name())));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns.collect::<Result<_>>()?, &options)?)
    }
}

/// Rows in pieces of the same length.
fn pieces(rows: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> + Send {
    let end = rows.end;
    rows.step_by(length).map(move |start| start..start.saturating_add(length).min(end))
}

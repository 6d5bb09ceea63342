//! The scan of a file: what is decoded of its rows, and their bytes.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_plan::metrics::Count;
use futures::future::try_join_all;
use npy_arrow::BatchDecoder;
use npy_remote::{Error, ErrorKind};
use object_store::ObjectMeta;

use crate::error::external;
use crate::headers::{FileHeader, Headers};
use crate::options::ColumnOptions;
use crate::rows::Rows;
use crate::schema::{check, file_schema};
use crate::sorted::Search;

/// The most members of an archive whose file is open once for each.
const MOST_OPEN: usize = 16;

/// What a query wants of each file.
#[derive(Clone)]
pub(crate) struct Query {
    pub(crate) options: ColumnOptions,
    /// Indices of the schema.
    pub(crate) columns: Vec<usize>,
    /// In terms of the schema.
    pub(crate) predicate: Option<Arc<dyn PhysicalExpr>>,
    pub(crate) sorted_by: Option<String>,
    /// The columns of the table that are in the files.
    pub(crate) schema: SchemaRef,
    /// The metric of `EXPLAIN ANALYZE` for the data that was fetched.
    pub(crate) bytes_scanned: Count,
}

/// The scan of a file.
pub(crate) struct Scan {
    pub(crate) meta: ObjectMeta,
    headers: Arc<Headers>,
    /// The arrays that have a wanted column.
    pub(crate) arrays: Vec<ArrayScan>,
    pub(crate) filter: Option<Filter>,
    /// If the filter tests the column that the file is sorted by.
    pub(crate) search: Option<Search>,
    /// The schema of the output.
    pub(crate) schema: SchemaRef,
    /// The bytes of a row in all arrays.
    pub(crate) row_bytes: usize,
    bytes_scanned: Count,
}

/// The scan of an array.
pub(crate) struct ArrayScan {
    pub(crate) rows: Arc<Rows>,
    /// The columns of the filter.
    pub(crate) filter: Option<BatchDecoder>,
    /// The columns of the output that the filter does not decode already.
    pub(crate) rest: Option<BatchDecoder>,
    /// All columns of the output.
    pub(crate) output: Option<BatchDecoder>,
}

/// The filter of rows, in terms of the columns that it tests.
pub(crate) struct Filter {
    pub(crate) schema: SchemaRef,
    pub(crate) predicate: Arc<dyn PhysicalExpr>,
}

/// The bytes of some rows, of which a batch has some: of each array.
pub(crate) struct Fetched {
    pub(crate) bytes: Vec<Buffer>,
    pub(crate) rows: Range<usize>,
}

impl Scan {
    pub(crate) async fn new(query: &Query, headers: &Arc<Headers>, meta: ObjectMeta, file: &FileHeader) -> Result<Self> {
        check(&meta, &query.schema, &*file_schema(&meta, file, &query.options)?, "that of the table")?;
        let (mut filter, mut tested) = (None, Vec::new());
        if let Some(predicate) = &query.predicate {
            tested = collect_columns(predicate).iter().map(Column::index).collect();
            tested.sort_unstable();
            let schema = Arc::new(query.schema.project(&tested)?);
            let predicate = reassign_expr_columns(Arc::clone(predicate), &schema)?;
            filter = Some(Filter { schema, predicate });
        }
        let rest: Vec<_> = query.columns.iter().copied().filter(|index| !tested.contains(index)).collect();
        let (mut arrays, mut search, mut row_bytes) = (Vec::new(), None, 0_usize);
        for array in &file.arrays {
            let decoder =
                |names: Option<&[String]>| array.decoder(&query.options, names).map_err(|error| file.locate(array, error));
            let all = decoder(None)?;
            let some = |indices: &[usize]| {
                let names = indices.iter().map(|index| query.schema.field(*index).name());
                let names: Vec<_> = names.filter(|name| has(&all, name)).cloned().collect();
                if names.is_empty() { Ok(None) } else { decoder(Some(&names)).map(Some) }
            };
            let (filter, rest, output) = (some(&tested)?, some(&rest)?, some(&query.columns)?);
            if filter.is_none() && rest.is_none() {
                continue;
            }
            let rows = Rows::open(file.open(array).await?, file.arrays.len() <= MOST_OPEN).await;
            let rows = Arc::new(rows.map_err(|error| failed(headers, &meta, error))?);
            if let Some(name) = query.sorted_by.as_ref().filter(|name| filter.as_ref().is_some_and(|filter| has(filter, name))) {
                let key = decoder(Some(std::slice::from_ref(name)))?;
                search = Some(Search { rows: Arc::clone(&rows), array: arrays.len(), key, loaded: None });
            }
            row_bytes = row_bytes.saturating_add(all.row_bytes());
            arrays.push(ArrayScan { rows, filter, rest, output });
        }
        let schema = Arc::new(query.schema.project(&query.columns)?);
        let (headers, bytes_scanned) = (Arc::clone(headers), query.bytes_scanned.clone());
        Ok(Self { meta, headers, arrays, filter, search, schema, row_bytes, bytes_scanned })
    }

    /// Reads the bytes of some rows.
    pub(crate) async fn fetch(&self, rows: Range<usize>) -> Result<Fetched> {
        let fetched = try_join_all(self.arrays.iter().map(|array| array.rows.fetch(rows.clone()))).await;
        let bytes = fetched.map_err(|error| failed(&self.headers, &self.meta, error))?;
        self.bytes_scanned.add(bytes.iter().map(Buffer::len).sum());
        Ok(Fetched { bytes, rows })
    }
}

/// An error of a file, which is opened anew by the next query if it was replaced.
#[cold]
fn failed(headers: &Headers, meta: &ObjectMeta, error: Error) -> DataFusionError {
    if error.kind() == ErrorKind::Conflict {
        headers.forget(&meta.location);
    }
    external(error)
}

fn has(columns: &BatchDecoder, name: &str) -> bool {
    columns.schema().field_with_name(name).is_ok()
}

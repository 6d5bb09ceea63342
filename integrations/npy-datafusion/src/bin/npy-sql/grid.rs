//! Arrays of several axes as tables: a column for each index, and the element.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use futures::stream::{self, StreamExt};
use npy_datafusion::datafusion::arrow::array::{Array, ArrayRef, FixedSizeListArray, Int64Array, RecordBatch, RecordBatchOptions};
use npy_datafusion::datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use npy_datafusion::datafusion::catalog::streaming::StreamingTable;
use npy_datafusion::datafusion::catalog::{Session, TableProvider};
use npy_datafusion::datafusion::common::{DataFusionError, Result, ScalarValue};
use npy_datafusion::datafusion::execution::TaskContext;
use npy_datafusion::datafusion::logical_expr::{BinaryExpr, Expr, Operator, TableProviderFilterPushDown, TableType};
use npy_datafusion::datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use npy_datafusion::datafusion::physical_plan::streaming::PartitionStream;
use npy_datafusion::datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream};
use npy_datafusion::npy_arrow::{BatchDecoder, BatchOptions, Error};
use npy_remote::RemoteNpy;

/// Elements that are fetched at once, at least a row of the first axis.
const ELEMENTS: usize = 1 << 16;

/// Bytes of the arrays of the query: those that its scans need, and those that were read. The program runs one query.
pub(crate) static PLANNED: AtomicU64 = AtomicU64::new(0);
pub(crate) static READ: AtomicU64 = AtomicU64::new(0);

/// An array of two axes or more.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    array: Arc<RemoteNpy>,
    decoder: Arc<BatchDecoder>,
    schema: SchemaRef,
    shape: Vec<usize>,
}

impl Grid {
    pub(crate) fn new(array: RemoteNpy) -> npy_remote::Result<Self> {
        let shape = array.header().shape().to_vec();
        let options = BatchOptions::new().bytes_as_text(true);
        let decoder = BatchDecoder::new(array.header(), options).map_err(|error| array.locate(error))?;
        let mut fields: Vec<_> = (0..shape.len()).map(|axis| Field::new(format!("i{axis}"), DataType::Int64, false)).collect();
        for field in decoder.schema().fields() {
            let element = (1..shape.len()).fold(field.data_type(), |data_type, _| match data_type {
                DataType::FixedSizeList(item, _) => item.data_type(),
                other => other,
            });
            fields.push(Field::new(field.name(), element.clone(), true));
        }
        Ok(Self { array: Arc::new(array), decoder: Arc::new(decoder), schema: Arc::new(Schema::new(fields)), shape })
    }

    /// The elements of rows of the first axis.
    async fn fetch(&self, rows: Range<usize>, has_values: bool) -> Result<RecordBatch> {
        let per_row: usize = self.shape[1..].iter().product();
        let count = rows.len() * per_row;
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        let mut inner = per_row;
        for (axis, length) in self.shape.iter().enumerate() {
            if axis > 0 {
                inner /= (*length).max(1);
            }
            let first = if axis == 0 { rows.start } else { 0 };
            let length = if axis == 0 { rows.len() } else { *length };
            #[allow(clippy::cast_possible_wrap, reason = "no array has so many elements")]
            let index = |element: usize| (first + element / inner.max(1) % length.max(1)) as i64;
            columns.push(Arc::new(Int64Array::from_iter_values((0..count).map(index))));
        }
        if has_values {
            let located = |error: Error| DataFusionError::External(Box::new(self.array.locate(error)));
            let bytes = self.array.fetch_rows(rows.clone()).await.map_err(|error| DataFusionError::External(Box::new(error)))?;
            READ.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            let batch = self.decoder.decode(&bytes, rows.clone(), rows).map_err(located)?;
            columns.extend(batch.columns().iter().map(|column| elements(column, self.shape.len() - 1)));
        } else {
            let nulls = self.schema.fields().iter().skip(self.shape.len());
            columns.extend(nulls.map(|field| npy_datafusion::datafusion::arrow::array::new_null_array(field.data_type(), count)));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }

    /// The rows of the first axis that filters leave.
    fn rows(&self, filters: &[Expr]) -> Range<usize> {
        let bounds = filters.iter().filter_map(bounds).fold((0, i128::MAX), |all, one| (all.0.max(one.0), all.1.min(one.1)));
        let clamp = |index: i128| usize::try_from(index.max(0)).unwrap_or(usize::MAX).min(self.shape[0]);
        let (start, end) = (clamp(bounds.0), clamp(bounds.1));
        start..end.max(start)
    }
}

/// The elements of nested lists of one length, in C order.
fn elements(column: &ArrayRef, axes: usize) -> ArrayRef {
    (0..axes).fold(Arc::clone(column), |column, _| match column.as_any().downcast_ref::<FixedSizeListArray>() {
        Some(lists) => Arc::clone(lists.values()),
        None => column,
    })
}

/// The first index of the first axis that a filter leaves, and the one after the last.
fn bounds(filter: &Expr) -> Option<(i128, i128)> {
    match filter {
        Expr::Between(between) if !between.negated && is_first(&between.expr) => {
            Some((literal(&between.low)?, literal(&between.high)? + 1))
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => match (bounds(left), bounds(right)) {
            (Some(left), Some(right)) => Some((left.0.max(right.0), left.1.min(right.1))),
            (left, right) => left.or(right),
        },
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (op, value) = if is_first(left) {
                (*op, literal(right)?)
            } else if is_first(right) {
                (op.swap()?, literal(left)?)
            } else {
                return None;
            };
            match op {
                Operator::Eq => Some((value, value + 1)),
                Operator::Lt => Some((0, value)),
                Operator::LtEq => Some((0, value + 1)),
                Operator::Gt => Some((value + 1, i128::MAX)),
                Operator::GtEq => Some((value, i128::MAX)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_first(expression: &Expr) -> bool {
    matches!(expression, Expr::Column(column) if column.name == "i0")
}

fn literal(expression: &Expr) -> Option<i128> {
    match expression {
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => Some(i128::from(*value)),
        _ => None,
    }
}

#[async_trait]
impl TableProvider for Grid {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let pushed = |filter: &&Expr| match bounds(filter) {
            Some(_) => TableProviderFilterPushDown::Inexact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(pushed).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = self.rows(filters);
        let has_values = projection.is_none_or(|columns| columns.iter().any(|column| *column >= self.shape.len()));
        if has_values {
            PLANNED.fetch_add(self.decoder.row_bytes().saturating_mul(rows.len()) as u64, Ordering::Relaxed);
        }
        let parts = state.config().target_partitions().clamp(1, rows.len().max(1));
        let cut = |part: usize| rows.start + rows.len() * part / parts;
        let parts = (0..parts).map(|part| {
            let part = Part { grid: self.clone(), rows: cut(part)..cut(part + 1), has_values };
            Arc::new(part) as Arc<dyn PartitionStream>
        });
        StreamingTable::try_new(self.schema(), parts.collect())?.scan(state, projection, filters, limit).await
    }
}

/// Rows of the first axis.
#[derive(Debug)]
struct Part {
    grid: Grid,
    rows: Range<usize>,
    has_values: bool,
}

impl PartitionStream for Part {
    fn schema(&self) -> &SchemaRef {
        &self.grid.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let step = (ELEMENTS / self.grid.shape[1..].iter().product::<usize>().max(1)).max(1);
        let (grid, end, has_values) = (self.grid.clone(), self.rows.end, self.has_values);
        let batches = stream::iter(self.rows.clone().step_by(step)).then(move |start| {
            let grid = grid.clone();
            async move { grid.fetch(start..start.saturating_add(step).min(end), has_values).await }
        });
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.grid.schema), batches.boxed()))
    }
}

//! The scan of files: projection and filters are its own.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::physical_plan::{FileOpener, FileScanConfig, FileSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::physical_expr::expressions::{Column, DynamicFilterTracking};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, conjunction, split_conjunction};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::projection::ProjectionExprs;
use datafusion::physical_plan::{DisplayFormatType, ExecutionPlan};
use datafusion_datasource::projection::{ProjectionOpener, SplitProjection};
use object_store::ObjectStore;

use crate::headers::Headers;
use crate::opener::NpyOpener;
use crate::options::ColumnOptions;
use crate::scan::Query;

/// The rows of a batch, where the session sets none.
const BATCH_ROWS: usize = 8192;

/// Reads `.npy` files for a plan. [`NpyTable`](crate::NpyTable) makes it; a plan has it inside of a
/// `DataSourceExec`.
#[derive(Clone)]
pub struct NpySource {
    pub(crate) options: ColumnOptions,
    headers: Arc<Headers>,
    table_schema: TableSchema,
    projection: SplitProjection,
    pub(crate) predicate: Option<Arc<dyn PhysicalExpr>>,
    /// The number of files that the bounds of their keys have left out.
    pub(crate) pruned_files: usize,
    batch_rows: usize,
    metrics: ExecutionPlanMetricsSet,
}

impl NpySource {
    pub(crate) fn new(options: ColumnOptions, headers: Arc<Headers>, table_schema: TableSchema) -> Self {
        Self {
            options,
            headers,
            projection: SplitProjection::unprojected(&table_schema),
            table_schema,
            predicate: None,
            pruned_files: 0,
            batch_rows: BATCH_ROWS,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    pub(crate) fn with_predicate(mut self, predicate: Option<Arc<dyn PhysicalExpr>>) -> Self {
        self.predicate = predicate;
        self
    }

    /// The source without as many files, which only `EXPLAIN` shows.
    pub(crate) fn with_pruned_files(self, pruned_files: usize) -> Self {
        Self { pruned_files, ..self }
    }

    /// Whether a filter needs columns of the file, and nothing else.
    fn is_of_file(&self, filter: &Arc<dyn PhysicalExpr>) -> bool {
        let (columns, used) = (self.table_schema.file_schema().fields().len(), collect_columns(filter));
        !used.is_empty() && used.iter().all(|column| column.index() < columns) && !is_volatile(filter)
    }
}

impl FileSource for NpySource {
    fn create_file_opener(
        &self,
        object_store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let schema = Arc::clone(self.table_schema.file_schema());
        // A file that is sorted by several keys is in the order of the first one. NumPy sorts missing times last.
        let key = config.output_ordering.first().map(LexOrdering::first);
        let key = key.filter(|key| !key.options.descending && !key.options.nulls_first);
        let sorted_by = key.and_then(|key| key.expr.downcast_ref::<Column>());
        let sorted_by = sorted_by.map(Column::name).filter(|name| schema.field_with_name(name).is_ok());
        // A limit counts rows that the filters of the query leave. The filter of a join comes after the limit,
        // and the join applies it again.
        let predicate = match &self.predicate {
            Some(predicate) if config.limit.is_some() => without_dynamic(predicate),
            predicate => predicate.clone(),
        };
        let is_unfiltered = predicate.is_none();
        let query = Query {
            options: self.options.clone(),
            columns: self.projection.file_indices.clone(),
            predicate,
            sorted_by: sorted_by.map(str::to_owned),
            schema: Arc::clone(&schema),
            bytes_scanned: MetricBuilder::new(&self.metrics).counter("bytes_scanned", partition),
        };
        let opener = NpyOpener {
            store: object_store,
            headers: Arc::clone(&self.headers),
            query,
            limit: config.limit.filter(|_| is_unfiltered),
            batch_rows: self.batch_rows,
        };
        ProjectionOpener::try_new(self.projection.clone(), Arc::new(opener), &schema)
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(Self { batch_rows: batch_size.max(1), ..self.clone() })
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.predicate.clone()
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &'static str {
        "npy"
    }

    fn fmt_extra(&self, _t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pruned_files > 0 {
            write!(f, ", pruned_files={}", self.pruned_files)?;
        }
        match &self.predicate {
            Some(predicate) => write!(f, ", predicate={predicate}"),
            None => Ok(()),
        }
    }

    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let answers: Vec<_> = filters.iter().map(|filter| self.is_of_file(filter)).collect();
        let own = filters.into_iter().zip(&answers).filter(|(_, is_own)| **is_own).map(|(filter, _)| filter);
        let mut all: Vec<_> = self.predicate.iter().cloned().chain(own).collect();
        let pushed = answers.iter().map(|is_own| if *is_own { PushedDown::Yes } else { PushedDown::No }).collect();
        let propagation = FilterPushdownPropagation::with_parent_pushdown_result(pushed);
        if !answers.contains(&true) {
            return Ok(propagation);
        }
        let predicate = if all.len() == 1 { all.remove(0) } else { conjunction(all) };
        Ok(propagation.with_updated_node(Arc::new(self.clone().with_predicate(Some(predicate)))))
    }

    fn try_pushdown_projection(&self, projection: &ProjectionExprs) -> Result<Option<Arc<dyn FileSource>>> {
        let merged = self.projection.source.try_merge(projection)?;
        let projection = SplitProjection::new(self.table_schema.file_schema(), &merged);
        Ok(Some(Arc::new(Self { projection, ..self.clone() })))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        if let Some(predicate) = &self.predicate
            && f(predicate)? == TreeNodeRecursion::Stop
        {
            return Ok(TreeNodeRecursion::Stop);
        }
        for expression in &self.projection.source {
            if f(&expression.expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }
}

/// The scan of `.npy` files in a node of a plan, if it is one.
pub(crate) fn scan_of(node: &Arc<dyn ExecutionPlan>) -> Option<(&FileScanConfig, &NpySource)> {
    let scan = node.downcast_ref::<DataSourceExec>()?.data_source().downcast_ref::<FileScanConfig>()?;
    Some((scan, scan.file_source().downcast_ref::<NpySource>()?))
}

/// A filter without the parts whose values change while a query runs.
fn without_dynamic(predicate: &Arc<dyn PhysicalExpr>) -> Option<Arc<dyn PhysicalExpr>> {
    let parts =
        split_conjunction(predicate).into_iter().filter(|part| !DynamicFilterTracking::classify(part).contains_dynamic_filter());
    let parts: Vec<_> = parts.cloned().collect();
    if parts.is_empty() { None } else { Some(conjunction(parts)) }
}

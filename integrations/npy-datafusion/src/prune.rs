//! Scans without the files whose bounds a filter excludes.

use std::sync::Arc;

use datafusion::arrow::datatypes::Schema;
use datafusion::catalog::Session;
use datafusion::common::pruning::PrunableStatistics;
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, DFSchema, Result, ScalarValue, Statistics};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::utils::conjunction;
use datafusion::physical_optimizer::pruning::{PruningPredicate, PruningPredicateBuilder};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion_datasource::compute_all_files_statistics;
use futures::stream::{self, StreamExt, TryStreamExt};
use object_store::ObjectStore;

use crate::bounds::{Bounds, Key};
use crate::format::NpyFormat;
use crate::source::scan_of;

/// The scan of the files that may have rows which pass the filters.
///
/// The bounds are those of the declared order, which is trusted. They stay out of the plan's statistics, from which
/// DataFusion would answer `min` and `max` of all rows.
pub(crate) async fn prune(
    plan: Arc<dyn ExecutionPlan>,
    session: &dyn Session,
    store: &Arc<dyn ObjectStore>,
    format: &NpyFormat,
    key: &Key,
    filters: &[Expr],
) -> Result<Arc<dyn ExecutionPlan>> {
    let Some((config, source)) = scan_of(&plan) else { return Ok(plan) };
    let schema = config.file_source.table_schema().table_schema();
    let Some(predicate) = predicate(session, schema, key, filters)? else { return Ok(plan) };
    let files: Vec<_> = config.file_groups.iter().flat_map(FileGroup::iter).collect();
    let bounds = bounds(session, store, format, key, &files).await?;
    let key_schema = Arc::new(Schema::new(vec![schema.field_with_name(&key.name)?.clone()]));
    let unknown = ScalarValue::try_from(key_schema.field(0).data_type())?;
    let statistics = bounds.iter().map(|bounds| Arc::new(of_key(bounds.as_ref(), &unknown)));
    let passes = predicate.prune(&PrunableStatistics::new(statistics.collect(), key_schema))?;
    let mut passes = passes.into_iter().zip(&bounds).map(|(passes, bounds)| passes && bounds.is_some());
    let (mut groups, mut left) = (Vec::new(), 0);
    for group in &config.file_groups {
        let files: Vec<_> = group.iter().filter(|_| passes.next() != Some(false)).cloned().collect();
        left += files.len();
        // Groups that are partitions by their directories stay, even without files.
        if !files.is_empty() || config.output_partitioning.is_some() {
            groups.push(FileGroup::new(files));
        }
    }
    if left == files.len() {
        return Ok(plan);
    }
    if left == 0 {
        return Ok(Arc::new(EmptyExec::new(plan.schema())));
    }
    let (groups, statistics) =
        compute_all_files_statistics(groups, Arc::clone(schema), session.config().collect_statistics(), false)?;
    let source = source.clone().with_pruned_files(files.len() - left);
    let config = FileScanConfigBuilder::from(config.clone()).with_file_groups(groups).with_statistics(statistics);
    Ok(DataSourceExec::from_data_source(config.with_source(Arc::new(source)).build()))
}

/// What the filters say of the key; `None` if they exclude no bounds.
fn predicate(session: &dyn Session, schema: &Arc<Schema>, key: &Key, filters: &[Expr]) -> Result<Option<PruningPredicate>> {
    let of_key = filters.iter().filter(|filter| filter.column_refs().iter().any(|column| column.name == key.name));
    let Some(filter) = conjunction(of_key.cloned()) else { return Ok(None) };
    let filter = session.create_physical_expr(filter, &DFSchema::try_from(Arc::clone(schema))?)?;
    // A predicate that cannot be built is one that excludes nothing.
    let predicate = PruningPredicateBuilder::new().with_file_schema(Arc::clone(schema)).try_build(filter).ok();
    Ok(predicate.filter(|predicate| !predicate.always_true()))
}

/// The bounds of each file; `None` of one without rows.
async fn bounds(
    session: &dyn Session,
    store: &Arc<dyn ObjectStore>,
    format: &NpyFormat,
    key: &Key,
    files: &[&PartitionedFile],
) -> Result<Vec<Option<Bounds>>> {
    // Owned, because a stream of futures that borrow is not general enough for the table's trait.
    let metas: Vec<_> = files.iter().map(|file| file.object_meta.clone()).collect();
    let bounds = stream::iter(metas).map(|meta| async move {
        let header = format.header(store, &meta).await?;
        if header.row_count() == 0 {
            return Ok(None);
        }
        header.bounds(&meta.location, key, &format.options).await.cloned().map(Some)
    });
    bounds.buffered(session.config_options().execution.meta_fetch_concurrency.get()).try_collect().await
}

/// The statistics of the key alone, in the type of the table. What is unknown is a null of it.
fn of_key(bounds: Option<&Bounds>, unknown: &ScalarValue) -> Statistics {
    let of_table = |value: &ScalarValue| value.cast_to(&unknown.data_type()).ok();
    let known = |value: Option<&ScalarValue>| Precision::Exact(value.and_then(of_table).unwrap_or_else(|| unknown.clone()));
    let mut key = ColumnStatistics::new_unknown();
    key.min_value = known(bounds.and_then(|bounds| bounds.min.as_ref()));
    key.max_value = known(bounds.and_then(|bounds| bounds.max.as_ref()));
    Statistics { num_rows: Precision::Absent, total_byte_size: Precision::Absent, column_statistics: vec![key] }
}

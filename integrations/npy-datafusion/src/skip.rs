//! Scans of files without their first rows.

use std::sync::Arc;

use datafusion::common::stats::Precision;
use datafusion::common::{Result, Statistics};
use datafusion::datasource::listing::{FileRange, PartitionedFile};
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use object_store::ObjectStore;

use crate::format::NpyFormat;
use crate::headers::FileHeader;
use crate::source::scan_of;

/// The scan of files without their first rows, and with this limit.
pub(crate) async fn skip_rows(
    plan: Arc<dyn ExecutionPlan>,
    store: &Arc<dyn ObjectStore>,
    format: &NpyFormat,
    skip: usize,
    limit: Option<usize>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let Some((config, _)) = scan_of(&plan) else { return Ok(without_first(plan, skip)) };
    let (mut groups, mut left, mut is_divisible) = (Vec::new(), skip, true);
    for group in &config.file_groups {
        let mut files = Vec::new();
        for file in group.iter() {
            if left > 0 && is_divisible {
                let header = format.header(store, &file.object_meta).await?;
                if header.row_count() <= left {
                    left -= header.row_count();
                    continue;
                }
                if let Some(part) = without_rows(file, &header, left)? {
                    files.push(part);
                    left = 0;
                    continue;
                }
                is_divisible = false;
            }
            files.push(file.clone());
        }
        if !files.is_empty() {
            groups.push(FileGroup::new(files));
        }
    }
    if groups.is_empty() {
        return Ok(Arc::new(EmptyExec::new(plan.schema())));
    }
    let mut statistics = config.statistics();
    statistics.num_rows = statistics.num_rows.map(|rows| rows.saturating_sub(skip - left));
    let config = FileScanConfigBuilder::from(config.clone())
        .with_file_groups(groups)
        .with_statistics(statistics)
        .with_limit(limit.map(|limit| limit.saturating_add(left)))
        .build();
    Ok(without_first(DataSourceExec::from_data_source(config), left))
}

/// A file from one of its rows on; `None` if no range of bytes begins there.
fn without_rows(file: &PartitionedFile, header: &FileHeader, skip: usize) -> Result<Option<PartitionedFile>> {
    let Some(start) = header.first_byte(skip) else { return Ok(None) };
    let (Ok(start), Ok(end)) = (i64::try_from(start), i64::try_from(file.object_meta.size)) else { return Ok(None) };
    let range = FileRange { start, end };
    let rows = header.rows(Some(&range))?;
    if rows != (skip..header.row_count()) {
        return Ok(None);
    }
    let statistics = file.statistics.as_deref().map(|all| {
        let known = Statistics { num_rows: Precision::Exact(rows.len()), ..all.clone() };
        Arc::new(Statistics { total_byte_size: all.total_byte_size.to_inexact(), ..known })
    });
    Ok(Some(PartitionedFile { range: Some(range), statistics, ..file.clone() }))
}

/// The rows of a plan but for some: any, because a plan without an order has no first ones.
fn without_first(plan: Arc<dyn ExecutionPlan>, skip: usize) -> Arc<dyn ExecutionPlan> {
    if skip == 0 {
        return plan;
    }
    let is_one = plan.output_partitioning().partition_count() == 1;
    let plan = if is_one { plan } else { Arc::new(CoalescePartitionsExec::new(plan)) };
    Arc::new(GlobalLimitExec::new(plan, skip, None))
}

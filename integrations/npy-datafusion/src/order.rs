//! Scans whose partitions stay in the declared order.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::Result;
use datafusion::datasource::physical_plan::{FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::{DataSource, DataSourceExec};
use datafusion::physical_expr::Partitioning;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use crate::source::scan_of;

/// The scan with its files fixed to their partitions, if these are in an order that a query may rely on.
///
/// DataFusion 55 drops the order of a scan below a merge with a limit: a partition then reads files of others after its own.
/// Files of a declared partitioning stay where they are, so they are divided here as DataFusion would do it later.
pub(crate) fn fix_files(plan: Arc<dyn ExecutionPlan>, session: &dyn Session) -> Result<Arc<dyn ExecutionPlan>> {
    let (Some((config, _)), Some(ordering)) = (scan_of(&plan), plan.output_ordering()) else { return Ok(plan) };
    if config.output_partitioning.is_some() {
        return Ok(plan);
    }
    let options = &session.config_options().optimizer;
    let divided = if options.repartition_file_scans {
        let partitions = session.config().target_partitions();
        config.repartitioned(partitions, options.repartition_file_min_size, Some(ordering.clone()))?
    } else {
        None
    };
    let config = divided.as_ref().and_then(|source| source.downcast_ref::<FileScanConfig>()).unwrap_or(config);
    let partitioning = Partitioning::UnknownPartitioning(config.file_groups.len());
    let config = FileScanConfigBuilder::from(config.clone()).with_output_partitioning(Some(partitioning)).build();
    Ok(DataSourceExec::from_data_source(config))
}

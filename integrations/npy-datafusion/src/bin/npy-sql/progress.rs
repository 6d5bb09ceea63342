//! The bar of a long query: bytes read of those of the files.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use npy_datafusion::datafusion::datasource::physical_plan::{FileGroup, FileScanConfig};
use npy_datafusion::datafusion::datasource::source::DataSourceExec;
use npy_datafusion::datafusion::physical_plan::ExecutionPlan;
use tokio::task::JoinHandle;

use crate::grid::{PLANNED, READ};

/// A bar on standard error, where that is a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    task: JoinHandle<()>,
}

impl Bar {
    pub(crate) fn new(plan: &Arc<dyn ExecutionPlan>) -> Self {
        let bar = ProgressBar::new(scans(plan, &planned) + PLANNED.load(Ordering::Relaxed));
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left") {
            bar.set_style(style);
        }
        let (drawn, plan) = (bar.clone(), Arc::clone(plan));
        let task = tokio::spawn(async move {
            // Short queries draw nothing.
            tokio::time::sleep(Duration::from_millis(500)).await;
            while drawn.length() > Some(0) {
                drawn.set_position(scans(&plan, &scanned) + READ.load(Ordering::Relaxed));
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
        Self { bar, task }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.task.abort();
        self.bar.finish_and_clear();
    }
}

/// The sum over the scans of a plan.
fn scans(plan: &Arc<dyn ExecutionPlan>, bytes: &impl Fn(&DataSourceExec) -> u64) -> u64 {
    let own = plan.downcast_ref::<DataSourceExec>().map_or(0, bytes);
    own + plan.children().into_iter().map(|child| scans(child, bytes)).sum::<u64>()
}

/// The bytes of the files that a scan may read.
fn planned(scan: &DataSourceExec) -> u64 {
    let Some(config) = scan.data_source().downcast_ref::<FileScanConfig>() else { return 0 };
    let files = config.file_groups.iter().flat_map(FileGroup::iter);
    files.map(|file| file.range.as_ref().map_or(file.object_meta.size, |range| (range.end - range.start).unsigned_abs())).sum()
}

/// The bytes that a scan has read.
fn scanned(scan: &DataSourceExec) -> u64 {
    scan.metrics().unwrap_or_default().sum_by_name("bytes_scanned").map_or(0, |bytes| bytes.as_usize() as u64)
}

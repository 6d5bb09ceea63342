//! Runs a query over `.npy` and `.npz` files and prints its answer as a table, with a progress bar.
//!
//! `cargo run --release --example sql -- "SELECT count(*) FROM picks" data/picks.npy`: each file, directory or
//! pattern is a table with the name of its file or directory. With the feature `aws` also `s3://bucket/picks.npy`, whose
//! credentials are those of the environment; with `parquet` also `COPY … STORED AS PARQUET`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use npy_datafusion::datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use npy_datafusion::datafusion::datasource::physical_plan::{FileGroup, FileScanConfig};
use npy_datafusion::datafusion::datasource::source::DataSourceExec;
use npy_datafusion::datafusion::error::{DataFusionError, Result};
use npy_datafusion::datafusion::execution::object_store::ObjectStoreUrl;
use npy_datafusion::datafusion::physical_plan::{ExecutionPlan, collect};
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{NpyOptions, SessionContextExt};
use npy_remote::parse_url;

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (query, files) = (arguments.next(), arguments.collect::<Vec<_>>());
    let (Some(query), false) = (query, files.is_empty()) else {
        return Err(DataFusionError::Configuration("usage: sql QUERY FILE…; a directory ends in /".to_owned()));
    };
    let session = SessionContext::new_with_config(SessionConfig::new().with_information_schema(true));
    session.enable_npy()?;
    for file in &files {
        register_store(&session, file)?;
        session.register_npy(&table_name(file), file, NpyOptions::new()).await?;
    }
    let plan = session.sql(&query).await?.create_physical_plan().await?;
    let rows = tokio::spawn(collect(Arc::clone(&plan), session.task_ctx()));
    // It draws nothing where standard error is not a terminal.
    let bar = ProgressBar::new(scans(&plan, &planned)).with_style(style()?);
    while !rows.is_finished() {
        bar.set_position(scans(&plan, &scanned));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    bar.finish_and_clear();
    let rows = rows.await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
    println!("{}", pretty_format_batches_with_schema(plan.schema(), &rows)?);
    Ok(())
}

/// A session knows local files alone; the store of a URL is that of its bucket.
fn register_store(session: &SessionContext, location: &str) -> Result<()> {
    let Some((scheme, rest)) = location.split_once("://").filter(|(scheme, _)| *scheme != "file") else { return Ok(()) };
    let bucket = rest.split('/').next().unwrap_or(rest);
    let (store, _) = parse_url(location).map_err(|error| DataFusionError::External(Box::new(error)))?;
    session.register_object_store(ObjectStoreUrl::parse(format!("{scheme}://{bucket}"))?.as_ref(), store);
    Ok(())
}

/// `picks` of `data/picks.npy` and of `data/picks/*.npy`.
fn table_name(location: &str) -> String {
    let path = Path::new(location);
    let named = if location.contains('*') { path.parent().unwrap_or(path) } else { path };
    named.file_stem().map_or_else(|| "t".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn style() -> Result<ProgressStyle> {
    ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left")
        .map_err(|error| DataFusionError::Configuration(error.to_string()))
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
    let metrics = scan.metrics().unwrap_or_default();
    metrics.sum_by_name("bytes_scanned").map_or(0, |bytes| bytes.as_usize() as u64)
}

//! Runs a query over `.npy` files on a cluster: `cluster df://localhost:50050 "SELECT count(*) FROM t" /shared/picks/`.

use npy_datafusion::datafusion::error::{DataFusionError, Result};
use npy_datafusion::{NpyOptions, SessionContextExt, cluster};
use tracing_subscriber::filter::LevelFilter;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [scheduler, query, location] = arguments.as_slice() else {
        return Err(DataFusionError::Configuration("usage: cluster SCHEDULER QUERY LOCATION; the table is t".to_owned()));
    };
    // What a query waits for.
    tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_ansi(false).with_writer(std::io::stderr).init();
    let session = cluster::connect(scheduler).await?;
    session.register_npy("t", location, NpyOptions::new()).await?;
    session.sql(query).await?.show().await
}

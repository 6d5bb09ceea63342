//! Ballista's executor, with the codecs of `.npy` scans. `--help` lists its options.

use std::sync::Arc;

use ballista_core::error::Result;
use ballista_executor::config::Config;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use clap::{CommandFactory, FromArgMatches};
use npy_datafusion::cluster;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

#[tokio::main]
async fn main() -> Result<()> {
    let options = options();
    // RUST_LOG sets what is logged, such as npy_datafusion=debug.
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env_lossy();
    tracing_subscriber::fmt().with_ansi(false).with_writer(std::io::stderr).with_env_filter(filter).init();
    let mut config: ExecutorProcessConfig = options.try_into()?;
    config.override_logical_codec = Some(cluster::logical_codec());
    config.override_physical_codec = Some(cluster::physical_codec());
    config.override_config_producer = Some(Arc::new(cluster::session_config));
    start_executor_process(Arc::new(config)).await
}

/// Ballista's options, with a heartbeat every 2 seconds instead of 60: the scheduler gives up an executor after 10.
fn options() -> Config {
    let command = Config::command().name("npy-executor");
    let command = command.mut_arg("executor_heartbeat_interval_seconds", |argument| argument.default_value("2"));
    Config::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
}

//! Ballista's scheduler, with the codecs of `.npy` tables. `--help` lists its options.

use std::sync::Arc;

use ballista_core::error::{BallistaError, Result};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{Config, SchedulerConfig};
use ballista_scheduler::scheduler_process::start_server;
use clap::{CommandFactory, FromArgMatches};
use npy_datafusion::cluster;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

fn main() -> Result<()> {
    // Plans are trees that are walked by recursion.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(32 << 20).build()?;
    runtime.block_on(serve())
}

async fn serve() -> Result<()> {
    let options = options();
    // RUST_LOG sets what is logged, such as npy_datafusion=debug.
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env_lossy();
    tracing_subscriber::fmt().with_ansi(false).with_writer(std::io::stderr).with_env_filter(filter).init();
    let address = format!("{}:{}", options.bind_host, options.bind_port);
    let address = address
        .parse()
        .map_err(|error: std::net::AddrParseError| BallistaError::Configuration(format!("invalid address {address:?}: {error}")))?;
    let mut config: SchedulerConfig = options.try_into()?;
    config.override_logical_codec = Some(cluster::logical_codec());
    config.override_physical_codec = Some(cluster::physical_codec());
    config.override_config_producer = Some(Arc::new(cluster::session_config));
    let state = BallistaCluster::new_from_config(&config).await?;
    start_server(state, address, Arc::new(config)).await
}

/// Ballista's options with defaults that notice a lost executor within 13 seconds instead of 195. An executor of
/// `npy-executor` sends five heartbeats in the time of one timeout.
fn options() -> Config {
    let defaults = [("executor_timeout_seconds", "10"), ("expire_dead_executor_interval_seconds", "1")];
    let command = defaults.into_iter().fold(Config::command().name("npy-scheduler"), |command, (name, value)| {
        command.mut_arg(name, |argument| argument.default_value(value))
    });
    Config::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
}

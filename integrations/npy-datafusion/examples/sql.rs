//! Runs a query over `.npy` files and prints its answer as a table.
//!
//! `cargo run --example sql -- "SELECT count(*) FROM picks" data/picks.npy`: each file or directory is a
//! table with the name of its file or directory.

use std::path::Path;

use npy_datafusion::datafusion::error::{DataFusionError, Result};
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{NpyOptions, SessionContextExt};

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
        let name = Path::new(file).file_stem().map_or_else(|| "t".into(), |name| name.to_string_lossy());
        session.register_npy(&name, file, NpyOptions::new()).await?;
    }
    session.sql(&query).await?.show().await
}

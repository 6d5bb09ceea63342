//! A [Ballista](https://datafusion.apache.org/ballista/) cluster that knows `.npy` files.
//!
//! Client, scheduler and executors must all have the codecs of this crate: [`connect`] gives them to a
//! client, and the programs `npy-scheduler` and `npy-executor` are Ballista's own with them.

use std::sync::Arc;

use ballista::prelude::{SessionConfigExt, SessionContextExt as _};
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::session_state::SessionState;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::PhysicalExtensionCodec;

use crate::codec::{NpyLogicalCodec, NpyPhysicalCodec};
use crate::context::SessionContextExt as _;
use crate::waiting::WaitingPlanner;

/// Returns Ballista's codec of logical plans, with tables of `.npy` files.
pub fn logical_codec() -> Arc<dyn LogicalExtensionCodec> {
    Arc::new(NpyLogicalCodec::new(Arc::new(BallistaLogicalExtensionCodec::default())))
}

/// Returns Ballista's codec of physical plans, with scans of `.npy` files.
pub fn physical_codec() -> Arc<dyn PhysicalExtensionCodec> {
    Arc::new(NpyPhysicalCodec::new(Arc::new(BallistaPhysicalExtensionCodec::default())))
}

/// Returns the settings of a session with both codecs.
pub fn session_config() -> SessionConfig {
    SessionConfig::new_with_ballista()
        .with_ballista_logical_extension_codec(logical_codec())
        .with_ballista_physical_extension_codec(physical_codec())
}

fn session_state() -> SessionState {
    SessionStateBuilder::new().with_config(session_config()).with_default_features().build()
}

/// Connects to a scheduler, such as `df://localhost:50050`.
///
/// Every machine of the cluster must see the files under the same names: a shared directory or an
/// object store. A query that waits says so by the `log` crate every 5 seconds. One whose executor is lost goes on
/// with another; one whose scheduler is lost fails with an error that says so.
///
/// # Errors
///
/// Fails if the URL is not one of a scheduler.
///
/// ```no_run
/// use npy_datafusion::{NpyOptions, SessionContextExt, cluster};
///
/// # #[tokio::main]
/// # async fn main() -> npy_datafusion::datafusion::error::Result<()> {
/// let session = cluster::connect("df://localhost:50050").await?;
/// session.register_npy("picks", "/shared/picks/", NpyOptions::new()).await?;
/// session.sql("SELECT station, count(*) FROM picks GROUP BY station").await?.show().await?;
/// # Ok(())
/// # }
/// ```
pub async fn connect(url: &str) -> Result<SessionContext> {
    let state = SessionContext::remote_with_state(url, session_state()).await?.state();
    let planner = WaitingPlanner { inner: Arc::clone(state.query_planner()), scheduler: url.to_owned() };
    let state = SessionStateBuilder::new_from_existing(state).with_query_planner(Arc::new(planner)).build();
    let session = SessionContext::new_with_state(state);
    session.enable_npy()?;
    Ok(session)
}

/// Starts a scheduler and an executor in this process, for tests and small machines.
///
/// # Errors
///
/// Fails if no port is free.
///
/// ```no_run
/// use npy_datafusion::cluster;
///
/// # #[tokio::main]
/// # async fn main() -> npy_datafusion::datafusion::error::Result<()> {
/// let session = cluster::standalone().await?;
/// session.sql("SELECT 1").await?.show().await?;
/// # Ok(())
/// # }
/// ```
pub async fn standalone() -> Result<SessionContext> {
    let session = SessionContext::standalone_with_state(session_state()).await?;
    session.enable_npy()?;
    Ok(session)
}

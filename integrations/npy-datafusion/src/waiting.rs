//! Queries on a cluster that say what they wait for, and whether the scheduler is lost.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use ballista_core::execution_plans::DistributedQueryExec;
use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PhysicalExpr, PlanProperties};
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::{StreamExt, stream};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// A query without rows for this long is logged, again and again.
const PERIOD: Duration = Duration::from_secs(5);

/// How long a scheduler has time to accept a connection before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a program that ends takes to close its port.
const CLOSING: Duration = Duration::from_millis(500);

/// Ballista's planner, whose queries say what they wait for.
#[derive(Debug)]
pub(crate) struct WaitingPlanner {
    pub(crate) inner: Arc<dyn QueryPlanner + Send + Sync>,
    pub(crate) scheduler: String,
}

#[async_trait]
impl QueryPlanner for WaitingPlanner {
    async fn create_physical_plan(&self, plan: &LogicalPlan, session: &dyn Session) -> Result<Arc<dyn ExecutionPlan>> {
        let inner = self.inner.create_physical_plan(plan, session).await?;
        if inner.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>().is_none() {
            return Ok(inner);
        }
        Ok(Arc::new(WaitingExec { inner, scheduler: self.scheduler.clone() }))
    }
}

/// A query on a cluster.
#[derive(Clone, Debug)]
struct WaitingExec {
    inner: Arc<dyn ExecutionPlan>,
    scheduler: String,
}

impl WaitingExec {
    /// The next rows. Logs what it waits for.
    async fn next(&self, rows: &mut SendableRecordBatchStream) -> Option<Result<RecordBatch>> {
        let began = Instant::now();
        loop {
            match timeout(PERIOD, rows.next()).await {
                Ok(Some(Err(error))) => return Some(Err(self.explain(error).await)),
                Ok(next) => return next,
                Err(_) => log::warn!(
                    "the query at {} has no rows after {} s: its tasks run, or wait for an executor; the work of one that is lost \
                     goes to another after the scheduler's --executor-timeout-seconds",
                    self.scheduler,
                    began.elapsed().as_secs()
                ),
            }
        }
    }

    /// Adds that the scheduler is lost, which the errors of a connection do not say.
    async fn explain(&self, error: DataFusionError) -> DataFusionError {
        // The scheduler itself says so of a query that fails.
        if matches!(&error, DataFusionError::Execution(message) if message.starts_with("Job ")) {
            return error;
        }
        // A program that is killed closes its connections one after another.
        sleep(CLOSING).await;
        let (_, authority) = self.scheduler.split_once("://").unwrap_or(("", &self.scheduler));
        let host = authority.split('/').next().unwrap_or(authority);
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let address = if has_port { host.to_owned() } else { format!("{host}:50050") };
        if matches!(timeout(PATIENCE, TcpStream::connect(&address)).await, Ok(Ok(_))) {
            return error;
        }
        error.context(format!(
            "the scheduler at {} does not answer, and its queries are lost with it; run the query again when it answers",
            self.scheduler
        ))
    }
}

impl DisplayAs for WaitingExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_as(format, f)
    }
}

impl ExecutionPlan for WaitingExec {
    fn name(&self) -> &'static str {
        "WaitingExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("a query on a cluster has no children") }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let rows = self.inner.execute(partition, context)?;
        let rows = stream::unfold((self.clone(), rows), async |(plan, mut rows)| {
            let next = plan.next(&mut rows).await?;
            Some((next, (plan, rows)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.inner.metrics()
    }
}

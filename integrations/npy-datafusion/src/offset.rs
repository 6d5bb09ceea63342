//! `OFFSET` as a seek: rows that are skipped are not read.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::logical_expr::{FetchType, Limit, LogicalPlan, SkipType, TableScan};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::table::NpyTable;

/// Tells a table of `.npy` files how many rows a query skips.
///
/// Without an order, a query may skip any rows, and those that the table's files begin with are known by
/// their headers.
#[derive(Debug)]
pub(crate) struct SkipRows;

impl SkipRows {
    pub(crate) const NAME: &str = "npy_skip_rows";
}

impl OptimizerRule for SkipRows {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Limit(limit) = &plan else { return Ok(Transformed::no(plan)) };
        let (SkipType::Literal(skip), FetchType::Literal(fetch)) = (limit.get_skip_type()?, limit.get_fetch_type()?) else {
            return Ok(Transformed::no(plan));
        };
        let input = if skip > 0 { skipping(&limit.input, skip, fetch)? } else { None };
        Ok(match (input, fetch) {
            (None, _) => Transformed::no(plan),
            (Some(input), None) => Transformed::yes(input),
            (Some(input), Some(_)) => {
                let (skip, fetch) = (None, limit.fetch.clone());
                Transformed::yes(LogicalPlan::Limit(Limit { skip, fetch, input: Arc::new(input) }))
            }
        })
    }
}

/// The plan without its first rows, if they are those of a table and nothing drops or adds any.
fn skipping(plan: &LogicalPlan, skip: usize, fetch: Option<usize>) -> Result<Option<LogicalPlan>> {
    match plan {
        LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) => {
            let inputs = plan.inputs();
            let Some(input) = skipping(inputs[0], skip, fetch)? else { return Ok(None) };
            plan.with_new_exprs(plan.expressions(), vec![input]).map(Some)
        }
        LogicalPlan::TableScan(scan) if scan.filters.is_empty() => {
            let provider = source_as_provider(&scan.source)?;
            let Some(table) = provider.downcast_ref::<NpyTable>() else { return Ok(None) };
            let source = provider_as_source(Arc::new(table.skipping(skip)));
            Ok(Some(LogicalPlan::TableScan(TableScan { source, fetch, ..scan.clone() })))
        }
        _ => Ok(None),
    }
}

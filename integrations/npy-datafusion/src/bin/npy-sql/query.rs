//! The text of a query: one statement, which reads.

use std::sync::Arc;

use npy_datafusion::datafusion::physical_plan::ExecutionPlan;
use npy_datafusion::datafusion::prelude::{SQLOptions, SessionContext};
use npy_datafusion::datafusion::sql::parser::{DFParser, Statement};
use npy_datafusion::datafusion::sql::sqlparser::ast::Statement as Sql;

use crate::failure::{self, Failure};

/// Parses a statement that reads.
pub(crate) fn parse(query: &str) -> Result<Statement, Failure> {
    let mut statements = DFParser::parse_sql(query).map_err(|error| failure::of_query(&error, query))?;
    match (statements.pop_front(), statements.len()) {
        (Some(statement), 0) if reads(&statement) => Ok(statement),
        (Some(_), 0) => Err(writes(query)),
        (None, _) => Err(Failure::new("empty query: expected SELECT, SHOW, DESCRIBE or EXPLAIN")),
        (_, further) => Err(Failure::new(format!("invalid query: expected one statement, found {}", further + 1))),
    }
}

/// Plans a query over the tables of a session.
pub(crate) async fn plan(session: &SessionContext, statement: Statement, query: &str) -> Result<Arc<dyn ExecutionPlan>, Failure> {
    let of_query = |error| failure::of_query(&error, query);
    let plan = session.state().statement_to_plan(statement).await.map_err(of_query)?;
    // Statements that write can be within others, as in EXPLAIN ANALYZE and in SELECT INTO.
    let reading = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    reading.verify_plan(&plan).map_err(|_| writes(query))?;
    let frame = session.execute_logical_plan(plan).await.map_err(of_query)?;
    frame.create_physical_plan().await.map_err(of_query)
}

fn reads(statement: &Statement) -> bool {
    match statement {
        Statement::Explain(explained) => reads(&explained.statement),
        Statement::Statement(statement) => matches!(
            **statement,
            Sql::Query(_)
                | Sql::Explain { .. }
                | Sql::ExplainTable { .. }
                | Sql::ShowColumns { .. }
                | Sql::ShowFunctions { .. }
                | Sql::ShowTables { .. }
                | Sql::ShowVariable { .. }
        ),
        _ => false,
    }
}

/// A statement that changes tables, files or the session.
fn writes(query: &str) -> Failure {
    let word: String = query.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    let expected = "expected a query that reads: SELECT, SHOW, DESCRIBE or EXPLAIN";
    Failure::new(format!("unsupported statement {}: {expected}; --output writes its answer to a file", word.to_ascii_uppercase()))
}

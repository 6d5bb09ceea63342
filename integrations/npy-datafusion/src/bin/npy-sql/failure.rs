//! Why a query failed, for a person.

use std::io;
use std::path::Path;

use npy_datafusion::datafusion::arrow::error::ArrowError;
use npy_datafusion::datafusion::common::utils::datafusion_strsim::levenshtein;
use npy_datafusion::datafusion::common::{DataFusionError, SchemaError};

/// Why the program ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    Trouble(String),
    /// A place in a line of the query.
    Query {
        problem: String,
        line: String,
        column: usize,
    },
    /// The output cannot be written.
    Unwritten(io::Error),
    /// The reader of the output is gone, which is no failure.
    BrokenPipe,
    Interrupted,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Trouble(message.into())
    }

    /// Adds the path of the output to a failed write.
    pub(crate) fn of_output(self, path: &Path) -> Self {
        match self {
            Self::Unwritten(error) => Self::Trouble(format!("{}: cannot write the file: {error}", path.display())),
            other => other,
        }
    }
}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Self {
        of_root(error.find_root())
    }
}

impl From<npy_datafusion::npy_arrow::Error> for Failure {
    fn from(error: npy_datafusion::npy_arrow::Error) -> Self {
        Self::Trouble(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Unwritten(error),
        }
    }
}

fn of_root(error: &DataFusionError) -> Failure {
    match error {
        DataFusionError::External(error) => Failure::new(error.to_string()),
        DataFusionError::ArrowError(error, _) => of_arrow(error),
        DataFusionError::SchemaError(error, _) => Failure::new(of_schema(error)),
        DataFusionError::Plan(message) | DataFusionError::Execution(message) => Failure::new(message.replace(".\nDid", "; did")),
        DataFusionError::Diagnostic(_, inner) => of_root(inner.find_root()),
        other => Failure::new(other.strip_backtrace()),
    }
}

/// An error of a value, with the function of SQL that gives null instead.
pub(crate) fn of_arrow(error: &ArrowError) -> Failure {
    match error {
        ArrowError::ExternalError(error) => Failure::new(error.to_string()),
        ArrowError::DivideByZero => Failure::new("division by zero; NULLIF(divisor, 0) makes the quotient null"),
        ArrowError::CastError(problem) | ArrowError::ParseError(problem) => {
            Failure::new(format!("invalid value: {problem}; TRY_CAST gives null instead"))
        }
        ArrowError::ComputeError(problem) | ArrowError::ArithmeticOverflow(problem) => {
            Failure::new(format!("invalid value: {problem}"))
        }
        other => Failure::new(other.to_string()),
    }
}

/// An error of the text of a query, with its place.
pub(crate) fn of_query(error: &DataFusionError, query: &str) -> Failure {
    match error.find_root() {
        DataFusionError::SQL(error, _) => {
            let message = error.to_string();
            let message = message.strip_prefix("sql parser error: ").unwrap_or(&message);
            match place(message) {
                Some((text, line, column)) => Failure::Query {
                    problem: format!("invalid query at line {line}, column {column}: {text}"),
                    line: query.lines().nth(line - 1).unwrap_or_default().to_owned(),
                    column,
                },
                None => Failure::new(format!("invalid query: {message}")),
            }
        }
        DataFusionError::Diagnostic(_, inner) => of_query(inner, query),
        root => of_root(root),
    }
}

/// The place that the parser writes behind its message.
fn place(message: &str) -> Option<(&str, usize, usize)> {
    let (text, place) = message.rsplit_once(" at Line: ")?;
    let (line, column) = place.split_once(", Column: ")?;
    Some((text, line.parse().ok().filter(|line| *line > 0)?, column.trim().parse().ok()?))
}

fn of_schema(error: &SchemaError) -> String {
    let SchemaError::FieldNotFound { field, valid_fields } = error else { return error.to_string() };
    let edits = |other: &str| levenshtein(&field.name.to_lowercase(), &other.to_lowercase());
    let mut known: Vec<&str> = Vec::new();
    for other in valid_fields {
        if !known.contains(&other.name.as_str()) {
            known.push(&other.name);
        }
    }
    let nearest = known.iter().min_by_key(|other| edits(other)).filter(|other| edits(other) <= 1 + field.name.len() / 3);
    let hint = nearest.map_or_else(String::new, |other| format!("; did you mean {}?", quoted(other)));
    let names: Vec<_> = known.iter().take(20).map(|name| quoted(name)).collect();
    let more = if known.len() > 20 { ", …" } else { "" };
    format!("unknown column {:?}: the columns are {}{more}{hint}", field.name, names.join(", "))
}

/// A name as a query spells it.
pub(crate) fn quoted(name: &str) -> String {
    let is_plain = name.chars().all(|other| other == '_' || other.is_ascii_lowercase() || other.is_ascii_digit());
    if is_plain && !name.starts_with(|first: char| first.is_ascii_digit()) { name.to_owned() } else { format!("\"{name}\"") }
}

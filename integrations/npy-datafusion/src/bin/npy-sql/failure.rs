//! Why a query failed, for a person.

use std::io;
use std::path::Path;

use npy_datafusion::datafusion::arrow::error::ArrowError;
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
        match error.find_root() {
            DataFusionError::External(error) => Self::Trouble(error.to_string()),
            DataFusionError::SchemaError(error, _) => Self::Trouble(of_schema(error)),
            DataFusionError::Plan(message) => Self::Trouble(message.clone()),
            _ => Self::Trouble(error.strip_backtrace()),
        }
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

pub(crate) fn of_arrow(error: &ArrowError) -> Failure {
    match error {
        ArrowError::ExternalError(error) => Failure::new(error.to_string()),
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
        DataFusionError::SchemaError(error, _) => Failure::new(of_schema(error)),
        DataFusionError::Diagnostic(_, inner) => of_query(inner, query),
        DataFusionError::Plan(message) => Failure::new(message.clone()),
        other => Failure::new(other.strip_backtrace()),
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
    let nearest = valid_fields.iter().min_by_key(|other| distance(&field.name, &other.name));
    let hint = nearest.filter(|other| distance(&field.name, &other.name) <= 1 + field.name.len() / 3);
    let hint = hint.map_or_else(String::new, |other| format!("; did you mean {}?", quoted(&other.name)));
    let names: Vec<_> = valid_fields.iter().take(20).map(|field| quoted(&field.name)).collect();
    let more = if valid_fields.len() > 20 { ", …" } else { "" };
    format!("unknown column {:?}: the columns are {}{more}{hint}", field.name, names.join(", "))
}

/// A name as a query spells it.
pub(crate) fn quoted(name: &str) -> String {
    let is_plain = name.chars().all(|other| other == '_' || other.is_ascii_lowercase() || other.is_ascii_digit());
    if is_plain && !name.starts_with(|first: char| first.is_ascii_digit()) { name.to_owned() } else { format!("\"{name}\"") }
}

/// The number of edits between two names, without regard to case.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, character) in left.to_lowercase().chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in right.iter().enumerate() {
            let cost = diagonal + usize::from(*other != character);
            diagonal = row[column + 1];
            row[column + 1] = cost.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

//! Statistics of many arrays: a line for each, in the order of the files or of a figure.

use std::cmp::Ordering;

use npy_core::Header;

use super::report::{quoted, rounded, text};
use super::summary::{Summary, Value};
use crate::commands::info::short_dtype;
use crate::escape;
use crate::failure::Result;
use crate::output::table::{Side, Table, cut};
use crate::output::{Screen, Style};
use crate::values::fields::Leaf;
use crate::values::quantity;

/// The digits of a figure, and the width of a text.
const DIGITS: usize = 5;
const WIDTH: usize = 24;

/// The names of the columns by which lines are sorted.
const KEYS: [(&str, Key); 9] = [
    ("array", Key::Array),
    ("dtype", Key::DType),
    ("shape", Key::Shape),
    ("min", Key::Min),
    ("max", Key::Max),
    ("mean", Key::Mean),
    ("std", Key::Std),
    ("nan", Key::Nan),
    ("zeros", Key::Zeros),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Array,
    DType,
    /// The number of elements.
    Shape,
    Min,
    Max,
    Mean,
    Std,
    Nan,
    Zeros,
}

/// A column by which lines are sorted, and whether the greatest comes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sort {
    key: Key,
    is_descending: bool,
}

/// Parses the name of a column, with `-` before it for the greatest first.
pub(super) fn sort(argument: &str) -> Result<Sort, String> {
    let name = argument.strip_prefix('-');
    let found = KEYS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.unwrap_or(argument)));
    let sort = found.map(|(_, key)| Sort { key: *key, is_descending: name.is_some() });
    sort.ok_or_else(|| format!("expected one of {}", quantity::listed(KEYS.iter().map(|(known, _)| *known))))
}

/// The names of the columns.
pub(in crate::commands) fn columns() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(name, _)| *name)
}

/// The lines of the arrays that were read.
#[derive(Default)]
pub(super) struct Brief(Vec<Line>);

struct Line {
    name: String,
    dtype: String,
    /// With the axes of sub-arrays.
    shape: Vec<usize>,
    summary: Summary,
}

impl Brief {
    /// Adds a line for each field of an array.
    pub(super) fn add(&mut self, name: &str, header: &Header, leaves: Vec<(Leaf, Summary)>) {
        for (leaf, summary) in leaves {
            let (name, dtype) = match &leaf.path {
                path if path.is_empty() => (name.to_owned(), short_dtype(header.dtype())),
                path => (format!("{name} ['{path}']"), leaf.scalar.to_string()),
            };
            self.0.push(Line { name, dtype, shape: [header.shape(), &leaf.axes].concat(), summary });
        }
    }

    /// Writes a table of the lines, those without the figure of the order last.
    pub(super) fn write(mut self, order: Option<Sort>, screen: &mut Screen) -> Result<()> {
        // What cannot be read is told on standard error alone.
        if self.0.is_empty() {
            return Ok(());
        }
        if let Some(order) = order {
            self.0.sort_by(|one, other| order.compare(one, other));
        }
        let left = ["array", "dtype", "shape"].map(|title| (title, Side::Left));
        let right = ["min", "max", "mean", "std", "NaN", "zeros"].map(|title| (title, Side::Right));
        let mut table = Table::new(screen, &[&left[..], &right].concat());
        for Line { name, dtype, shape, summary } in &self.0 {
            let Summary { min, max, mean, std, nan, zeros, .. } = summary;
            let names =
                [screen.paint(Style::Title, &escape::line(name)), screen.paint(Style::DType, dtype), quantity::shape(shape)];
            let figures = [min, max, mean, std].map(|value| value.as_ref().map(figure).unwrap_or_default());
            let counts = [nan, zeros].map(|count| count.map(quantity::count).unwrap_or_default());
            table.row(names.into_iter().chain(figures).chain(counts));
        }
        Ok(table.write(screen, "")?)
    }
}

/// A value with few digits. Whole numbers and times keep all of theirs.
pub(super) fn figure(value: &Value) -> String {
    match value {
        Value::Text(_) | Value::Bytes(_) => cut(&quoted(value), WIDTH).into_owned(),
        value => text(&rounded(value, DIGITS)),
    }
}

impl Sort {
    fn compare(self, one: &Line, other: &Line) -> Ordering {
        let directed = |order: Ordering| if self.is_descending { order.reverse() } else { order };
        match self.key {
            Key::Array => directed(one.name.cmp(&other.name)),
            Key::DType => directed(one.dtype.cmp(&other.dtype)),
            _ => match (self.figure(one), self.figure(other)) {
                (Some(one), Some(other)) => directed(one.total_cmp(&other)),
                (one, other) => other.is_some().cmp(&one.is_some()),
            },
        }
    }

    fn figure(self, Line { shape, summary, .. }: &Line) -> Option<f64> {
        let count = |count: Option<u64>| count.map(|count| count as f64);
        match self.key {
            Key::Array | Key::DType => None,
            Key::Shape => Some(shape.iter().map(|length| *length as f64).product()),
            Key::Min => number(summary.min.as_ref()?),
            Key::Max => number(summary.max.as_ref()?),
            Key::Mean => number(summary.mean.as_ref()?),
            Key::Std => number(summary.std.as_ref()?),
            Key::Nan => count(summary.nan),
            Key::Zeros => count(summary.zeros),
        }
    }
}

/// The value as a number by which lines are sorted: the real part, or the steps of a time.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Float(value) | Value::Single(value) | Value::Complex(value, _) | Value::Steps(value, _) => Some(*value),
        Value::Integer(value) => Some(*value as f64),
        Value::Time(steps, _) => Some(*steps as f64),
        Value::Text(_) | Value::Bytes(_) => None,
    }
}

//! Statistics as text and as JSON.

use std::fmt::Write as _;
use std::io::Write as _;

use npy_core::Header;
use serde_json::{Map, Value as Json, json};

use super::distinct::Count;
use super::summary::{Histogram, PERCENTS, Quantiles, Summary, Value};
use crate::commands::info::short_dtype;
use crate::commands::order::order_name;
use crate::escape;
use crate::failure::Result;
use crate::formats::json;
use crate::output::{Screen, Style, without_nulls};
use crate::values::fields::Leaf;
use crate::values::float::{digits_apart, float, significant};
use crate::values::{quantity, units};

/// The statistics of an array.
pub(super) struct Report<'a> {
    pub(super) file: &'a str,
    pub(super) member: Option<&'a str>,
    pub(super) header: &'a Header,
    pub(super) leaves: &'a [(Leaf, Summary)],
}

impl Report<'_> {
    pub(super) fn write(&self, screen: &mut Screen) -> Result<()> {
        let title = screen.paint(Style::Title, &escape::line(&named(self.file, self.member)));
        let dtype = screen.paint(Style::DType, &short_dtype(self.header.dtype()));
        writeln!(screen, "{title}  {dtype}  {}", quantity::shape(self.header.shape()))?;
        for (leaf, summary) in self.leaves {
            let mut indent = "  ";
            if !leaf.path.is_empty() {
                let path = screen.paint(Style::Title, &escape::line(&leaf.path));
                let dtype = screen.paint(Style::DType, &leaf.scalar.to_string());
                writeln!(screen, "{indent}{path}  {dtype}")?;
                indent = "    ";
            }
            for (name, text) in lines(summary) {
                writeln!(screen, "{indent}{}  {text}", screen.paint(Style::Name, &format!("{name:<9}")))?;
            }
        }
        Ok(())
    }

    pub(super) fn to_json(&self) -> Json {
        without_nulls(json!({
            "file": self.file,
            "member": self.member,
            "dtype": self.header.dtype().to_string(),
            "shape": self.header.shape(),
            "order": order_name(self.header),
            "stats": self.leaves.iter().map(|(leaf, summary)| leaf_json(leaf, summary)).collect::<Vec<_>>(),
        }))
    }
}

/// The name of a file, or of a member in it.
pub(in super::super) fn named(file: &str, member: Option<&str>) -> String {
    member.map_or_else(|| file.to_owned(), |member| format!("{file}:{member}"))
}

/// The names and texts of all known figures.
fn lines(summary: &Summary) -> Vec<(&'static str, String)> {
    let approximate = |is_exact: bool| if is_exact { "" } else { "~" };
    let mut lines = vec![("count", counts(summary))];
    let mut line = |name: &'static str, text: Option<String>| lines.extend(text.map(|text| (name, text)));
    let types = summary.types.iter().map(|(name, count)| format!("{} {name}", quantity::count(*count)));
    line("types", (!summary.types.is_empty()).then(|| types.collect::<Vec<_>>().join("  ")));
    line("distinct", distinct(summary).map(|found| format!("{}{}", approximate(found.is_exact), quantity::count(found.count))));
    line("min", summary.min.as_ref().map(quoted));
    line("max", summary.max.as_ref().map(quoted));
    // The mean is told apart from both ends.
    let neighbours = [&summary.min, &summary.mean, &summary.max].map(Option::as_ref);
    let digits = digits_apart(&numbers(neighbours.into_iter().flatten()), 10);
    line("mean", summary.mean.as_ref().map(|mean| text(&rounded(mean, digits))));
    line("std", summary.std.as_ref().map(|std| text(&rounded(std, 10))));
    line("longest", summary.longest.map(quantity::count));
    line("quantiles", summary.quantiles.as_ref().map(|quantiles| quantiles_text(quantiles, summary)));
    let histogram = |histogram: &Histogram| format!("{}▕{}▏", approximate(histogram.is_exact), histogram.line());
    line("histogram", summary.histogram.as_ref().map(histogram));
    lines
}

/// The number of values, and how many of them are special.
fn counts(summary: &Summary) -> String {
    let is_time = matches!(summary.min, Some(Value::Time(..)));
    let special = [
        (if is_time { "NaT" } else { "NaN" }, summary.nan),
        ("inf", summary.inf),
        ("zeros", summary.zeros),
        ("empty", summary.empty),
        ("None", summary.none),
    ];
    let known = special.into_iter().filter_map(|(name, count)| Some(format!("  {} {name}", quantity::count(count?))));
    std::iter::once(quantity::count(summary.count)).chain(known).collect()
}

/// The number of distinct values, of which an estimate may exceed what is possible.
fn distinct(summary: &Summary) -> Option<Count> {
    summary.distinct.map(|found| Count { count: found.count.min(summary.count), ..found })
}

/// The quantiles with the digits that tell them apart, from each other and from both ends.
fn quantiles_text(quantiles: &Quantiles, summary: &Summary) -> String {
    let mark = if quantiles.rank_error.is_some() { "~" } else { "" };
    let digits = digits_apart(&numbers(summary.min.iter().chain(&quantiles.values).chain(&summary.max)), 6);
    let cells = PERCENTS
        .iter()
        .zip(&quantiles.values)
        .map(|(percent, value)| format!("{percent}% {mark}{}", text(&rounded(value, digits))));
    let mut line = cells.collect::<Vec<_>>().join("  ");
    if let Some(error) = quantiles.rank_error.filter(|error| *error > 0.005) {
        let _ = write!(line, "  (ranks within {:.1} %)", error * 100.0);
    }
    line
}

/// The values that are real numbers.
fn numbers<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Float(value) | Value::Single(value) => Some(*value),
        Value::Integer(value) => Some(*value as f64),
        _ => None,
    };
    values.filter_map(number).collect()
}

/// The value with this number of significant digits.
pub(super) fn rounded(value: &Value, digits: usize) -> Value {
    let round = |value: f64| significant(value, digits);
    match value {
        Value::Float(value) | Value::Single(value) => Value::Float(round(*value)),
        Value::Complex(real, imaginary) => Value::Complex(round(*real), round(*imaginary)),
        Value::Steps(value, scalar) => Value::Steps(round(*value), *scalar),
        other => other.clone(),
    }
}

/// The least or the greatest value: text in quotes.
pub(super) fn quoted(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{}'", escape::line(text)),
        Value::Bytes(text) => format!("b'{text}'"),
        value => text(value),
    }
}

pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Value::Integer(value) => value.to_string(),
        // Zeros of both signs are equal: which one is found depends on the order of the values.
        Value::Float(value) => float(*value + 0.0),
        Value::Single(value) => single(*value as f32 + 0.0),
        Value::Complex(real, imaginary) => {
            let (real, imaginary) = (&(*real + 0.0), &(*imaginary + 0.0));
            let sign = if imaginary.is_sign_negative() && !imaginary.is_nan() { "" } else { "+" };
            format!("{}{sign}{}j", float(*real), float(*imaginary))
        }
        Value::Time(time, scalar) => units::time_text(*scalar, *time),
        Value::Steps(steps, scalar) => {
            let steps = float(*steps);
            match scalar.time_unit() {
                Some((unit, 1)) => format!("{steps} {}", unit.symbol()),
                Some((unit, count)) => format!("{steps} × {count} {}", unit.symbol()),
                None => steps,
            }
        }
        // Neither has a mean or quantiles.
        Value::Text(text) | Value::Bytes(text) => text.clone(),
    }
}

fn single(value: f32) -> String {
    match value.abs() {
        _ if value.is_nan() => "nan".to_owned(),
        magnitude if magnitude == 0.0 || magnitude.is_infinite() || (1e-4..1e8).contains(&magnitude) => value.to_string(),
        _ => format!("{value:e}"),
    }
}

fn leaf_json(leaf: &Leaf, summary: &Summary) -> Json {
    let types: Map<String, Json> = summary.types.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
    let (quantiles, histogram) = (summary.quantiles.as_ref(), summary.histogram.as_ref());
    let by_percent = |quantiles: &Quantiles| -> Map<String, Json> {
        PERCENTS.iter().zip(&quantiles.values).map(|(percent, value)| (percent.to_string(), value_json(value))).collect()
    };
    without_nulls(json!({
        "field": (!leaf.path.is_empty()).then_some(&leaf.path),
        "dtype": leaf.scalar.to_string(),
        "count": summary.count,
        "nan": summary.nan,
        "inf": summary.inf,
        "zeros": summary.zeros,
        "empty": summary.empty,
        "none": summary.none,
        "types": (!types.is_empty()).then_some(types),
        "longest": summary.longest,
        "min": summary.min.as_ref().map(value_json),
        "max": summary.max.as_ref().map(value_json),
        "mean": summary.mean.as_ref().map(value_json),
        "std": summary.std.as_ref().map(value_json),
        "quantiles": quantiles.map(by_percent),
        "quantiles_rank_error": quantiles.map(|quantiles| quantiles.rank_error.unwrap_or(0.0)),
        "distinct": distinct(summary).map(|found| found.count),
        "distinct_exact": summary.distinct.map(|found| found.is_exact),
        "histogram": histogram.map(|histogram| &histogram.counts),
        // The whole numbers of a bin.
        "histogram_width": histogram.and_then(|histogram| histogram.whole).map(|bins| value_json(&Value::Integer(bins.width))),
        "histogram_exact": histogram.map(|histogram| histogram.is_exact),
    }))
}

/// JSON has no NaN and no infinities, so they are texts.
fn value_json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Integer(value) => {
            i64::try_from(*value).map(Json::from).or_else(|_| u64::try_from(*value).map(Json::from)).unwrap_or(json!(*value as f64))
        }
        Value::Float(value) | Value::Single(value) | Value::Steps(value, _) => float_json(*value),
        Value::Complex(real, imaginary) => json!([float_json(*real), float_json(*imaginary)]),
        Value::Time(time, scalar) => json!(units::time_text(*scalar, *time)),
        Value::Text(text) | Value::Bytes(text) => json!(text),
    }
}

fn float_json(value: f64) -> Json {
    json::write::number(value + 0.0)
}

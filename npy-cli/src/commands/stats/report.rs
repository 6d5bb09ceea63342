//! Statistics as text and as JSON.

use std::fmt::Write as _;
use std::io::Write as _;

use npy_core::{Header, Order};
use serde_json::{Map, Value as Json, json};

use super::summary::{PERCENTS, Quantiles, Summary, Value, rest};
use crate::commands::info::short_dtype;
use crate::escape;
use crate::failure::Result;
use crate::formats::json;
use crate::output::{Screen, Style};
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
        let name = match self.member {
            Some(member) => format!("{}:{member}", self.file),
            None => self.file.to_owned(),
        };
        let title = screen.paint(Style::Title, &escape::line(&name));
        let dtype = screen.paint(Style::DType, &short_dtype(self.header.dtype()));
        writeln!(screen, "{title}  {dtype}  {}", quantity::shape(self.header.shape()))?;
        for (leaf, summary) in self.leaves {
            if leaf.path.is_empty() {
                write_leaf(screen, summary, "  ")?;
            } else {
                let path = screen.paint(Style::Title, &escape::line(&leaf.path));
                let dtype = screen.paint(Style::DType, &leaf.scalar.to_string());
                writeln!(screen, "  {path}  {dtype}")?;
                write_leaf(screen, summary, "    ")?;
            }
        }
        Ok(())
    }

    pub(super) fn to_json(&self) -> Json {
        let leaves: Vec<Json> = self.leaves.iter().map(|(leaf, summary)| leaf_json(leaf, summary)).collect();
        let mut object = Map::new();
        object.insert("file".to_owned(), json!(self.file));
        if let Some(member) = self.member {
            object.insert("member".to_owned(), json!(member));
        }
        object.insert("dtype".to_owned(), json!(self.header.dtype().to_string()));
        object.insert("shape".to_owned(), json!(self.header.shape()));
        object.insert("order".to_owned(), json!(if self.header.order() == Order::C { "C" } else { "Fortran" }));
        object.insert("stats".to_owned(), Json::Array(leaves));
        Json::Object(object)
    }
}

fn write_leaf(screen: &mut Screen, summary: &Summary, indent: &str) -> Result<()> {
    let line = |screen: &mut Screen, name: &str, text: &str| -> Result<()> {
        let start = line_start(screen, indent, name);
        Ok(writeln!(screen, "{start}{text}")?)
    };
    let mut counts = quantity::count(summary.count);
    let is_time = matches!(summary.min, Some(Value::Time(..)));
    let nan = if is_time { "NaT" } else { "NaN" };
    for (name, count) in
        [(nan, summary.nan), ("inf", summary.inf), ("zeros", summary.zeros), ("empty", summary.empty), ("None", summary.none)]
    {
        if let Some(count) = count {
            let _ = write!(counts, "  {} {name}", quantity::count(count));
        }
    }
    line(screen, "count", &counts)?;
    if !summary.types.is_empty() {
        let types = summary.types.iter().map(|(name, count)| format!("{} {name}", quantity::count(*count)));
        line(screen, "types", &types.collect::<Vec<_>>().join("  "))?;
    }
    if let Some(distinct) = summary.distinct {
        // An estimate may exceed what is possible.
        let most = summary.count.saturating_add(summary.nan.unwrap_or(0));
        let mark = if distinct.is_exact { "" } else { "~" };
        line(screen, "distinct", &format!("{mark}{}", quantity::count(distinct.count.min(most))))?;
    }
    for (name, value) in [("min", &summary.min), ("max", &summary.max)] {
        if let Some(value) = value {
            let start = line_start(screen, indent, name);
            match value {
                Value::Text(_) => writeln!(screen, "{start}'{}'", escape::line(&text(value)))?,
                Value::Bytes(..) => writeln!(screen, "{start}b'{}'", text(value))?,
                value => writeln!(screen, "{start}{}", text(value))?,
            }
        }
    }
    for (name, value) in [("mean", &summary.mean), ("std", &summary.std)] {
        if let Some(value) = value {
            // The mean is told apart from both ends.
            let neighbours = [&summary.min, &summary.mean, &summary.max].map(Option::as_ref);
            let digits = if name == "mean" { digits_apart(&numbers(neighbours.into_iter().flatten()), 10) } else { 10 };
            line(screen, name, &text(&rounded(value, digits)))?;
        }
    }
    if let Some(longest) = summary.longest {
        line(screen, "longest", &quantity::count(longest))?;
    }
    if let Some(quantiles) = &summary.quantiles {
        line(screen, "quantiles", &quantiles_text(quantiles, summary))?;
    }
    if let Some(histogram) = &summary.histogram {
        line(screen, "histogram", &format!("{}▕{}▏", if histogram.is_exact { "" } else { "~" }, histogram.line()))?;
    }
    Ok(())
}

/// The beginning of a line, up to its value.
fn line_start(screen: &Screen, indent: &str, name: &str) -> String {
    format!("{indent}{}  ", screen.paint(Style::Name, &format!("{name:<9}")))
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
fn rounded(value: &Value, digits: usize) -> Value {
    let round = |value: f64| significant(value, digits);
    match value {
        Value::Float(value) | Value::Single(value) => Value::Float(round(*value)),
        Value::Complex(real, imaginary) => Value::Complex(round(*real), round(*imaginary)),
        Value::Steps(value, scalar) => Value::Steps(round(*value), *scalar),
        other => other.clone(),
    }
}

fn text(value: &Value) -> String {
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
        Value::Text(text) => text.characters().collect(),
        Value::Bytes(bytes, is_cut) => format!("{}{}", bytes.escape_ascii(), rest(*is_cut)),
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
    let mut object = Map::new();
    let mut insert = |key: &str, value: Option<Json>| {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    };
    insert("field", (!leaf.path.is_empty()).then(|| json!(leaf.path)));
    insert("dtype", Some(json!(leaf.scalar.to_string())));
    insert("count", Some(json!(summary.count)));
    insert("nan", summary.nan.map(Json::from));
    insert("inf", summary.inf.map(Json::from));
    insert("zeros", summary.zeros.map(Json::from));
    insert("empty", summary.empty.map(Json::from));
    insert("none", summary.none.map(Json::from));
    if !summary.types.is_empty() {
        let types = summary.types.iter().map(|(name, count)| (name.clone(), json!(count)));
        insert("types", Some(Json::Object(types.collect())));
    }
    insert("longest", summary.longest.map(Json::from));
    insert("min", summary.min.as_ref().map(value_json));
    insert("max", summary.max.as_ref().map(value_json));
    insert("mean", summary.mean.as_ref().map(value_json));
    insert("std", summary.std.as_ref().map(value_json));
    if let Some(quantiles) = &summary.quantiles {
        let values = PERCENTS.iter().zip(&quantiles.values).map(|(percent, value)| (percent.to_string(), value_json(value)));
        insert("quantiles", Some(Json::Object(values.collect())));
        insert("quantiles_rank_error", Some(json!(quantiles.rank_error.unwrap_or(0.0))));
    }
    if let Some(distinct) = summary.distinct {
        let most = summary.count.saturating_add(summary.nan.unwrap_or(0));
        insert("distinct", Some(json!(distinct.count.min(most))));
        insert("distinct_exact", Some(json!(distinct.is_exact)));
    }
    if let Some(histogram) = &summary.histogram {
        insert("histogram", Some(json!(histogram.counts)));
        // How many whole numbers a bin has.
        insert("histogram_width", histogram.whole.map(|bins| value_json(&Value::Integer(bins.width))));
        insert("histogram_exact", Some(json!(histogram.is_exact)));
    }
    Json::Object(object)
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
        Value::Text(_) | Value::Bytes(..) => json!(text(value)),
    }
}

fn float_json(value: f64) -> Json {
    json::write::number(value + 0.0)
}

//! The types of an expression: fields get dtypes, and mistakes a place.

use npy_core::Header;
use npy_core::dtype::Scalar;
use npy_core::scalar::Class;
use regex_lite::Regex;

use super::among::{Items, MANY_NUMBERS};
use super::arithmetic::Number;
use super::compare::{bools, difference, numbers, span, step_of, time, times};
use super::field::{ROW, Table};
use super::mark::{Checked, Problem};
use super::node::{Column, Difference, Test, TextTest, Whole, WholeKind};
use super::syntax::{Comparison, Expression, Kind, Operator, Path};
use crate::values::units::Length;

/// The types of an expression on an array, and the columns that it needs.
pub(super) fn check(expression: &Expression, header: &Header) -> Checked<(Test, Vec<Column>)> {
    let rows = header.shape().first().copied().unwrap_or(0);
    let mut checker = Checker { table: Table::new(header), rows };
    let test = checker.test(expression)?;
    Ok((test, checker.table.columns))
}

/// Whether a name stands for a value where no field has it.
pub(super) fn is_value(name: &str) -> bool {
    matches!(name, ROW | "true" | "True" | "false" | "False" | "nan" | "inf")
}

/// A part of an expression.
enum Typed {
    Test(Test),
    Bools(usize),
    Number(Number),
    Time(usize, Scalar),
    /// With the length of its parts.
    Difference(Difference, Length),
    Text(usize, Scalar),
    Quoted(String),
}

impl Typed {
    fn name(&self) -> &'static str {
        match self {
            Self::Test(_) | Self::Bools(_) => "a bool",
            Self::Number(_) => "a number",
            Self::Time(_, scalar) if scalar.class() == Class::Timedelta => "a span of time",
            Self::Time(..) => "a time",
            Self::Difference(..) => "a difference of times",
            Self::Text(..) => "a text",
            Self::Quoted(_) => "a text in quotes",
        }
    }
}

struct Checker<'h> {
    table: Table<'h>,
    rows: usize,
}

/// The functions, and how they are called.
const FUNCTIONS: [(&str, &str); 6] = [
    ("abs", "abs(x)"),
    ("isnan", "isnan(x)"),
    ("isnat", "isnat(t)"),
    ("startswith", "startswith(name, 'ab')"),
    ("endswith", "endswith(name, 'ab')"),
    ("contains", "contains(name, 'ab')"),
];

impl Checker<'_> {
    /// What has to be true or false.
    fn test(&mut self, expression: &Expression) -> Checked<Test> {
        match self.typed(expression)? {
            Typed::Test(test) => Ok(test),
            Typed::Bools(column) => Ok(Test::Bools(column)),
            typed => {
                let hint = if matches!(typed, Typed::Number(_)) { "; compare it, as in x != 0" } else { "; compare it" };
                Err(Problem::new(expression.at, format!("expected a bool, found {}{hint}", typed.name())))
            }
        }
    }

    fn number(&mut self, expression: &Expression) -> Checked<Number> {
        number(self.typed(expression)?, expression.at)
    }

    fn typed(&mut self, expression: &Expression) -> Checked<Typed> {
        let at = expression.at;
        Ok(match &expression.kind {
            Kind::Whole(value) => Typed::Number(Number::Whole(Whole::constant(at, *value))),
            Kind::Real(value) => Typed::Number(Number::constant(*value)),
            Kind::Text(text) => Typed::Quoted(text.clone()),
            Kind::Field(path) => self.field(path, at)?,
            Kind::Call(name, arguments) => self.call(name, arguments, at)?,
            Kind::Not(operand) => Typed::Test(Test::Not(Box::new(self.test(operand)?))),
            Kind::And(operands) => Typed::Test(Test::And(self.tests(operands)?)),
            Kind::Or(operands) => Typed::Test(Test::Or(self.tests(operands)?)),
            Kind::Negate(operand) => Typed::Number(self.number(operand)?.negated(at)?),
            Kind::Arithmetic(operator, left, right) => match (self.typed(left)?, self.typed(right)?) {
                (Typed::Time(a, one), Typed::Time(b, other)) if *operator == Operator::Subtract => {
                    let (difference, part) = difference([(a, one), (b, other)], at)?;
                    Typed::Difference(difference, part)
                }
                (Typed::Time(..), Typed::Time(..)) => return Err(Problem::new(at, "times have no arithmetic but -")),
                (a, b) => Typed::Number(number(a, left.at)?.with(*operator, number(b, right.at)?, at)?),
            },
            Kind::Compare(comparison, left, right) => Typed::Test(self.compare(*comparison, left, right, at)?),
            Kind::Matches(left, right) => Typed::Test(self.matches(left, right)?),
            Kind::In(left, items) => {
                let mut joined = Items::default();
                for item in items {
                    let test = self.compare(Comparison::Equal, left, item, at)?;
                    match item.kind {
                        Kind::Text(_) => joined.add(test),
                        Kind::Whole(_) | Kind::Real(_) if items.len() >= MANY_NUMBERS => joined.add(test),
                        _ => joined.add_other(test),
                    }
                }
                Typed::Test(joined.into_test())
            }
        })
    }

    fn tests(&mut self, expressions: &[Expression]) -> Checked<Vec<Test>> {
        expressions.iter().map(|expression| self.test(expression)).collect()
    }

    /// A field, or a name that no field has.
    fn field(&mut self, path: &Path, at: usize) -> Checked<Typed> {
        let name = path.name.as_str();
        if path.indices.is_empty() && !self.table.has(name) && is_value(name) {
            match name {
                ROW => {
                    let most = i128::try_from(self.rows).unwrap_or(i128::MAX) - 1;
                    return Ok(Typed::Number(Number::Whole(Whole::new(at, [0, most.max(0)], true, WholeKind::Row))));
                }
                "true" | "True" | "false" | "False" => return Ok(Typed::Test(Test::Constant(name.ends_with("rue")))),
                "nan" | "inf" => return Ok(Typed::Number(Number::constant(if name == "nan" { f64::NAN } else { f64::INFINITY }))),
                _ => {}
            }
        }
        let (column, scalar) = self.table.column(path, at)?;
        Ok(match scalar.class() {
            Class::Bool => Typed::Bools(column),
            Class::Datetime | Class::Timedelta => Typed::Time(column, scalar),
            Class::Bytes | Class::Unicode => Typed::Text(column, scalar),
            _ => Typed::Number(Number::column(column, scalar, at)),
        })
    }

    fn call(&mut self, name: &str, arguments: &[Expression], at: usize) -> Checked<Typed> {
        let Some((_, usage)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            return Err(unknown_function(name, at));
        };
        match (name, arguments) {
            ("abs", [operand]) => match self.typed(operand)? {
                Typed::Difference(difference, part) => Ok(Typed::Difference(Difference { is_absolute: true, ..difference }, part)),
                typed => number(typed, operand.at)?.absolute(at).map(Typed::Number),
            },
            ("isnan" | "isnat", [operand]) => self.is_nan(operand).map(Typed::Test),
            ("startswith" | "endswith" | "contains", [text, part]) => {
                let part = self.quoted(part)?;
                let kind = match name {
                    "startswith" => TextTest::StartsWith(part),
                    "endswith" => TextTest::EndsWith(part),
                    _ => TextTest::Contains(part),
                };
                Ok(Typed::Test(Test::Text(self.text(text)?, kind)))
            }
            _ => Err(Problem::new(at, format!("wrong number of arguments: expected {usage}"))),
        }
    }

    fn is_nan_alone(&self, expression: &Expression) -> bool {
        matches!(&expression.kind, Kind::Field(path) if path.name == "nan" && path.indices.is_empty() && !self.table.has("nan"))
    }

    fn is_nan(&mut self, operand: &Expression) -> Checked<Test> {
        match self.typed(operand)? {
            Typed::Time(column, _) => Ok(Test::IsNat(column)),
            Typed::Difference(difference, _) => Ok(Test::Or(difference.columns.map(Test::IsNat).into())),
            Typed::Number(Number::Real(real)) => Ok(Test::IsNan(real)),
            Typed::Number(Number::Whole(_)) => Ok(Test::Constant(false)),
            typed => Err(Problem::new(operand.at, format!("expected a number or a time, found {}", typed.name()))),
        }
    }

    /// A column of text.
    fn text(&mut self, expression: &Expression) -> Checked<usize> {
        match self.typed(expression)? {
            Typed::Text(column, _) => Ok(column),
            typed => Err(Problem::new(expression.at, format!("expected a field of text, found {}", typed.name()))),
        }
    }

    fn quoted(&mut self, expression: &Expression) -> Checked<String> {
        match self.typed(expression)? {
            Typed::Quoted(text) => Ok(text),
            typed => Err(Problem::new(expression.at, format!("expected a text in quotes, found {}", typed.name()))),
        }
    }

    fn matches(&mut self, left: &Expression, right: &Expression) -> Checked<Test> {
        let (column, pattern) = (self.text(left)?, self.quoted(right)?);
        let regex = Regex::new(&pattern);
        let regex = regex.map_err(|error| Problem::new(right.at, format!("invalid regular expression: {error}")))?;
        Ok(Test::Text(column, TextTest::Matches(regex)))
    }

    fn compare(&mut self, comparison: Comparison, left: &Expression, right: &Expression, at: usize) -> Checked<Test> {
        let a = self.typed(left)?;
        let b = self.typed(right).map_err(|problem| match (&a, &right.kind) {
            (Typed::Text(..), Kind::Field(path)) if !self.table.has(&path.name) => {
                Problem::new(problem.at, format!("{}; a text is in quotes", problem.message))
            }
            _ => problem,
        })?;
        for (side, other) in [(left, &b), (right, &a)] {
            if comparison == Comparison::Equal && self.is_nan_alone(side) && matches!(other, Typed::Number(_)) {
                return Err(Problem::new(side.at, "nothing equals nan; write isnan(x)"));
            }
        }
        match (a, b) {
            (Typed::Number(a), Typed::Number(b)) => Ok(numbers(comparison, a, b)),
            (Typed::Bools(a), Typed::Number(b)) => Ok(numbers(comparison, bools(a, left.at), b)),
            (Typed::Number(a), Typed::Bools(b)) => Ok(numbers(comparison, a, bools(b, right.at))),
            (a @ (Typed::Test(_) | Typed::Bools(_)), b @ (Typed::Test(_) | Typed::Bools(_))) => same(comparison, a, b, at),
            (Typed::Time(column, scalar), Typed::Quoted(text)) => steps(comparison, column, scalar, &text, right.at),
            (Typed::Quoted(text), Typed::Time(column, scalar)) => steps(comparison.reversed(), column, scalar, &text, left.at),
            (Typed::Difference(difference, part), Typed::Quoted(text)) => {
                let bound = span(Some(part), &text).map_err(|message| Problem::new(right.at, message))?;
                Ok(bound.of_difference(comparison, difference))
            }
            (Typed::Quoted(text), Typed::Difference(difference, part)) => {
                let bound = span(Some(part), &text).map_err(|message| Problem::new(left.at, message))?;
                Ok(bound.of_difference(comparison.reversed(), difference))
            }
            (Typed::Time(a, one), Typed::Time(b, other)) => times(comparison, [(a, one), (b, other)], at),
            (Typed::Text(column, _), Typed::Quoted(text)) => Ok(Test::Text(column, TextTest::Compare(comparison, text))),
            (Typed::Quoted(text), Typed::Text(column, _)) => Ok(Test::Text(column, TextTest::Compare(comparison.reversed(), text))),
            (Typed::Text(a, one), Typed::Text(b, other)) if one.class() == other.class() => Ok(Test::Texts(comparison, [a, b])),
            (Typed::Text(..), Typed::Text(..)) => {
                Err(Problem::new(at, "cannot compare text (U) with bytes (S); npy convert --dtype makes one of the other"))
            }
            (Typed::Quoted(_), Typed::Quoted(_)) => Err(Problem::new(left.at, "expected a field, found a text in quotes")),
            (a, b @ (Typed::Number(_) | Typed::Test(_) | Typed::Quoted(_))) => Err(mismatch(&a, &b, right.at)),
            (a, b) => Err(mismatch(&b, &a, left.at)),
        }
    }
}

fn number(typed: Typed, at: usize) -> Checked<Number> {
    let hint = match typed {
        Typed::Number(number) => return Ok(number),
        Typed::Time(..) | Typed::Difference(..) => "; compare times or their differences, as in end - start > '5 s'",
        _ => "",
    };
    Err(Problem::new(at, format!("expected a number, found {}{hint}", typed.name())))
}

/// The names by which Python calls spans of time.
const SPANS: [&str; 5] = ["timedelta64", "timedelta", "Timedelta", "to_timedelta", "total_seconds"];

/// The names by which Python calls points in time.
const TIMES: [&str; 4] = ["datetime64", "datetime", "Timestamp", "to_datetime"];

/// The error of a function that there is not, with what to write instead of those of NumPy and pandas.
fn unknown_function(name: &str, at: usize) -> Problem {
    let last = name.rsplit('.').next().unwrap_or(name);
    let expected = match FUNCTIONS.iter().find(|(known, _)| *known == last) {
        Some((_, usage)) => (*usage).to_owned(),
        None if SPANS.contains(&last) => "a span in quotes, as in end - start > '5 s'".to_owned(),
        None if TIMES.contains(&last) => "a time in quotes, as in t >= '2024-02-29T12:30'".to_owned(),
        None => format!("one of {}", FUNCTIONS.map(|(known, _)| known).join(", ")),
    };
    Problem::new(at, format!("unknown function {name:?}: expected {expected}"))
}

/// Whether two bools are the same, or not.
fn same(comparison: Comparison, a: Typed, b: Typed, at: usize) -> Checked<Test> {
    let test = |typed| match typed {
        Typed::Test(test) => Box::new(test),
        Typed::Bools(column) => Box::new(Test::Bools(column)),
        _ => Box::new(Test::Constant(false)),
    };
    let same = Test::Same(test(a), test(b));
    match comparison {
        Comparison::Equal => Ok(same),
        Comparison::NotEqual => Ok(Test::Not(Box::new(same))),
        _ => Err(Problem::new(at, "bools have no order: expected == or !=")),
    }
}

/// A comparison with a point or a span of time.
fn steps(comparison: Comparison, column: usize, scalar: Scalar, text: &str, at: usize) -> Checked<Test> {
    let bound = if scalar.class() == Class::Timedelta { span(step_of(scalar), text) } else { time(scalar, text) };
    bound.map(|bound| bound.of_times(comparison, column)).map_err(|message| Problem::new(at, message))
}

fn mismatch(known: &Typed, found: &Typed, at: usize) -> Problem {
    let expected = match known {
        Typed::Difference(..) => "a span in quotes, such as '5 s'",
        Typed::Time(_, scalar) if scalar.class() == Class::Timedelta => "a span in quotes, such as '5 s'",
        Typed::Time(..) => "a time in quotes, such as '2024-02-29T12:30'",
        Typed::Text(..) | Typed::Quoted(_) => "a text in quotes",
        typed => typed.name(),
    };
    Problem::new(at, format!("expected {expected}, found {}", found.name()))
}

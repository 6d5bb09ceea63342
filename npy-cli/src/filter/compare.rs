//! Comparisons whose types are known: nothing is rounded but constants, and what no row can be is decided at once.

use std::cmp::Ordering;

use npy_core::DType;
use npy_core::dtype::{Scalar, TimeUnit};
use npy_core::scalar::Class;

use super::arithmetic::Number;
use super::mark::{Checked, Problem};
use super::node::{Difference, Real, RealKind, Test, Whole, WholeKind};
use super::syntax::Comparison;
use crate::formats::text::time as iso;
use crate::values::fields::scalar_of;
use crate::values::units::{Length, factors, greatest_divisor, length_of, unit_of};

/// A column of bools as the integers 0 and 1.
pub(super) fn bools(column: usize, at: usize) -> Number {
    Number::Whole(Whole::new(at, [0, 1], true, WholeKind::Column(column)))
}

/// Compares numbers.
pub(super) fn numbers(comparison: Comparison, left: Number, right: Number) -> Test {
    match (left, right) {
        (Number::Whole(left), Number::Whole(right)) => wholes(comparison, left, right),
        (Number::Real(left), Number::Real(right)) => reals(comparison, left, right),
        (Number::Whole(left), Number::Real(right)) => mixed(comparison, left, right),
        (Number::Real(left), Number::Whole(right)) => mixed(comparison.reversed(), right, left),
    }
}

fn wholes(comparison: Comparison, left: Whole, right: Whole) -> Test {
    match (left.value(), right.value()) {
        (Some(a), Some(b)) => Test::Constant(comparison.holds(Some(a.cmp(&b)))),
        (None, Some(value)) => Bound { floor: value, is_exact: true }.of_wholes(comparison, left),
        (Some(value), None) => Bound { floor: value, is_exact: true }.of_wholes(comparison.reversed(), right),
        (None, None) => Test::Wholes(comparison, left, right),
    }
}

fn reals(comparison: Comparison, left: Real, right: Real) -> Test {
    match (left.value(), right.value()) {
        (Some(a), Some(b)) => Test::Constant(comparison.holds(a.partial_cmp(&b))),
        (None, Some(value)) => {
            let constant = constant_like(value, &left);
            Test::Reals(comparison, left, constant)
        }
        (Some(value), None) => Test::Reals(comparison, constant_like(value, &right), right),
        (None, None) => Test::Reals(comparison, left, right),
    }
}

fn mixed(comparison: Comparison, whole: Whole, real: Real) -> Test {
    match (whole.value(), real.value()) {
        (Some(a), Some(b)) => Test::Constant(comparison.holds(compare(a, b))),
        (Some(value), None) => Test::Reals(comparison, constant_like(value as f64, &real), real),
        (None, Some(value)) => match Bound::of(value) {
            Ok(bound) => bound.of_wholes(comparison, whole),
            Err(order) => Test::Constant(comparison.holds(order)),
        },
        (None, None) => Test::Mixed(comparison, whole, real),
    }
}

/// A constant that is compared with floats: the nearest one of their type, unless that is infinite.
fn constant_like(value: f64, real: &Real) -> Real {
    let rounded = real.precision.round(value);
    let value = if rounded.is_infinite() { value } else { rounded };
    Real { precision: real.precision, kind: RealKind::Constant(value) }
}

/// The exact order of an integer and a float; `None` of NaN.
#[inline]
pub(super) fn compare(whole: i128, real: f64) -> Option<Ordering> {
    match Bound::of(real) {
        Ok(Bound { floor, is_exact }) => Some(whole.cmp(&floor).then(if is_exact { Ordering::Equal } else { Ordering::Less })),
        Err(order) => order,
    }
}

/// A number that an integer is compared with: the greatest integer that is not greater, and whether it is the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    floor: i128,
    is_exact: bool,
}

impl Bound {
    /// The bound of a float, or the order of all integers and it.
    #[inline]
    fn of(value: f64) -> Result<Self, Option<Ordering>> {
        // 2 to the power of 127.
        const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
        if value.is_nan() {
            return Err(None);
        }
        if value >= BEYOND {
            return Err(Some(Ordering::Less));
        }
        if value < -BEYOND {
            return Err(Some(Ordering::Greater));
        }
        let floor = value.floor();
        #[allow(clippy::cast_possible_truncation, clippy::float_cmp, reason = "a whole number within the range")]
        Ok(Self { floor: floor as i128, is_exact: floor == value })
    }

    /// The same comparison with a whole number; or its result, if it is the same of all integers.
    fn comparison(self, comparison: Comparison) -> Result<Comparison, bool> {
        match comparison {
            comparison if self.is_exact => Ok(comparison),
            Comparison::Equal => Err(false),
            Comparison::NotEqual => Err(true),
            Comparison::Less | Comparison::LessOrEqual => Ok(Comparison::LessOrEqual),
            Comparison::Greater | Comparison::GreaterOrEqual => Ok(Comparison::Greater),
        }
    }

    fn of_wholes(self, comparison: Comparison, whole: Whole) -> Test {
        let comparison = match self.comparison(comparison) {
            Ok(comparison) => comparison,
            Err(result) => return Test::Constant(result),
        };
        let [low, high] = whole.range;
        let (from_low, from_high) = (low.cmp(&self.floor), high.cmp(&self.floor));
        // Arithmetic on a row can fail, so it is done.
        if from_low == from_high && from_low.is_ne() && matches!(whole.kind, WholeKind::Column(_) | WholeKind::Row) {
            return Test::Constant(comparison.holds(Some(from_low)));
        }
        Test::Wholes(comparison, whole, Whole::constant(0, self.floor))
    }

    /// A comparison of a difference of times, of which NaT is none.
    pub(super) fn of_difference(self, comparison: Comparison, difference: Difference) -> Test {
        match self.comparison(comparison) {
            Ok(comparison) => Test::Difference(comparison, difference, self.floor),
            Err(true) => Test::And(difference.columns.map(|column| Test::Not(Box::new(Test::IsNat(column)))).into()),
            Err(false) => Test::Constant(false),
        }
    }

    /// A comparison of a column of times, of which NaT is none.
    pub(super) fn of_times(self, comparison: Comparison, column: usize) -> Test {
        let result = match (self.comparison(comparison), i64::try_from(self.floor)) {
            (Ok(comparison), Ok(steps)) => return Test::Time(comparison, column, steps),
            (Ok(comparison), Err(_)) => comparison.holds(Some(0.cmp(&self.floor))),
            (Err(result), _) => result,
        };
        if result { Test::Not(Box::new(Test::IsNat(column))) } else { Test::Constant(false) }
    }
}

/// A point in time of ISO 8601, in steps of a scalar.
pub(super) fn time(scalar: Scalar, text: &str) -> Result<Bound, String> {
    if text == "NaT" {
        return Err("no time compares with NaT; write isnat(t)".to_owned());
    }
    let time = iso::parse(text).ok_or_else(|| format!("invalid time: expected one such as 2024-02-29T12:30, found {text:?}"))?;
    let (unit, count) = scalar.time_unit().unwrap_or((TimeUnit::Generic, 1));
    let (floor, is_exact) =
        time.divided(unit, count).ok_or_else(|| format!("cannot compare with times of dtype {scalar}: they have no unit"))?;
    Ok(Bound { floor, is_exact })
}

/// The length of a step of a scalar; `None` without a unit.
pub(super) fn step_of(scalar: Scalar) -> Option<Length> {
    let (unit, count) = scalar.time_unit()?;
    Some(match length_of(unit)? {
        Length::Months(length) => Length::Months(length * i128::from(count)),
        Length::Attoseconds(length) => Length::Attoseconds(length * i128::from(count)),
    })
}

/// A span such as `5 s`, in steps of a length.
pub(super) fn span(step: Option<Length>, text: &str) -> Result<Bound, String> {
    if text == "NaT" {
        return Err("no span compares with NaT; write isnat(t)".to_owned());
    }
    let invalid = || format!("invalid span: expected a number and one of {UNITS}, such as 5 s or 2.5 h, found {text:?}");
    let trimmed = text.trim();
    let is_of_number = |character: char| character.is_ascii_digit() || "+-.".contains(character);
    let (number, name) = trimmed.split_at(trimmed.find(|character| !is_of_number(character)).unwrap_or(trimmed.len()));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i64 = format!("{whole}{fraction}").parse().map_err(|_| invalid())?;
    let name = Some(name.trim_start()).filter(|name| name.chars().all(char::is_alphabetic)).ok_or_else(invalid)?;
    let name = unit_of(name);
    let dtype = format!("<m8[{name}]").parse::<DType>().map_err(|_| invalid())?;
    let length = scalar_of(&dtype).and_then(step_of).ok_or_else(invalid)?;
    let (length, step) = match (length, step) {
        (Length::Months(length), Some(Length::Months(step))) | (Length::Attoseconds(length), Some(Length::Attoseconds(step))) => {
            (length, step)
        }
        (_, None) => return Err(format!("cannot compare spans that have no unit with {text:?}")),
        _ => return Err(format!("cannot compare with {text:?}: the days of a month vary")),
    };
    let divisor = greatest_divisor(length, step);
    let parts = i128::from(digits).checked_mul(length / divisor);
    let scale = u32::try_from(fraction.len()).ok().and_then(|digits| 10_i128.checked_pow(digits)?.checked_mul(step / divisor));
    let (parts, scale) = parts.zip(scale).ok_or_else(|| format!("span out of range: {text:?}"))?;
    Ok(Bound { floor: parts.div_euclid(scale), is_exact: parts.rem_euclid(scale) == 0 })
}

/// NumPy's units of time.
const UNITS: &str = "Y M W D h m s ms us ns ps fs as";

/// Compares two columns of times.
pub(super) fn times(comparison: Comparison, sides: [(usize, Scalar); 2], at: usize) -> Checked<Test> {
    let factors = common("compare", sides.map(|(_, scalar)| scalar), at)?;
    Ok(Test::Times(comparison, sides.map(|(column, _)| column), factors))
}

/// A column of times less another, and the length of its parts.
pub(super) fn difference(sides: [(usize, Scalar); 2], at: usize) -> Checked<(Difference, Length)> {
    let factors = common("subtract", sides.map(|(_, scalar)| scalar), at)?;
    let part = match (factors, step_of(sides[0].1)) {
        (Some([factor, _]), Some(Length::Months(step))) => Length::Months(step / factor),
        (Some([factor, _]), Some(Length::Attoseconds(step))) => Length::Attoseconds(step / factor),
        _ => Length::Attoseconds(1),
    };
    Ok((Difference { columns: sides.map(|(column, _)| column), factors, is_absolute: false }, part))
}

/// The parts of a step of each, which are as long as those of the other; `None` where one of them counts months and the other does not.
fn common(what: &str, [one, other]: [Scalar; 2], at: usize) -> Checked<Option<[i128; 2]>> {
    let fail = |problem: &str| Err(Problem::new(at, format!("cannot {what} times of dtype {one} with {other}: {problem}")));
    let (Some(unit), Some(other_unit)) = (one.time_unit(), other.time_unit()) else { return fail("they have no unit") };
    if one.class() != other.class() {
        return fail("one is a point in time, the other a span");
    }
    match factors(unit, other_unit) {
        Some((numerator, denominator)) => Ok(Some([numerator, denominator])),
        None if unit.0 == TimeUnit::Generic || other_unit.0 == TimeUnit::Generic => fail("one of them has no unit"),
        None if one.class() == Class::Timedelta => fail("their ratio varies"),
        None => Ok(None),
    }
}

//! Arithmetic whose types are known: constants are folded, and ranges of integers are bounded.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};

use super::field::double;
use super::mark::{Checked, Problem};
use super::node::{Precision, Real, RealKind, Whole, WholeKind};
use super::syntax::Operator;

/// A number of a row.
pub(super) enum Number {
    Whole(Whole),
    Real(Real),
}

impl Number {
    pub(super) fn constant(value: f64) -> Self {
        Self::Real(Real { precision: Precision(double()), kind: RealKind::Constant(value) })
    }

    pub(super) fn column(number: usize, scalar: Scalar, at: usize) -> Self {
        match scalar.integers() {
            Some(range) => Self::Whole(Whole::new(at, [*range.start(), *range.end()], true, WholeKind::Column(number))),
            None => Self::Real(Real { precision: Precision(scalar), kind: RealKind::Column(number) }),
        }
    }

    pub(super) fn negated(self, at: usize) -> Checked<Self> {
        Ok(match self {
            Self::Whole(whole) => {
                let overflow = || Problem::new(at, "integer overflow beyond 128 bits");
                if let Some(value) = whole.value() {
                    return Ok(Self::Whole(Whole::constant(at, value.checked_neg().ok_or_else(overflow)?)));
                }
                let [low, high] = whole.range;
                let range = [high.saturating_neg(), low.saturating_neg()];
                Self::Whole(Whole::new(at, range, whole.is_narrow, WholeKind::Negate(Box::new(whole))))
            }
            Self::Real(real) => match real.value() {
                Some(value) => Self::constant(-value),
                None => Self::Real(Real { precision: real.precision, kind: RealKind::Negate(Box::new(real)) }),
            },
        })
    }

    pub(super) fn absolute(self, at: usize) -> Checked<Self> {
        match self {
            Self::Whole(Whole { kind: WholeKind::Constant(value), .. }) if value < 0 => self.negated(at),
            Self::Whole(whole) => {
                let [low, high] = whole.range;
                let most = low.saturating_abs().max(high.saturating_abs());
                let least = if low > 0 { low } else { 0 };
                Ok(Self::Whole(Whole::new(at, [least, most], whole.is_narrow, WholeKind::Absolute(Box::new(whole)))))
            }
            Self::Real(real) => Ok(match real.value() {
                Some(value) => Self::constant(value.abs()),
                None => Self::Real(Real { precision: real.precision, kind: RealKind::Absolute(Box::new(real)) }),
            }),
        }
    }

    /// The result of an operator.
    pub(super) fn with(self, operator: Operator, other: Self, at: usize) -> Checked<Self> {
        let is_zero = match &other {
            Self::Whole(whole) => whole.value() == Some(0),
            Self::Real(_) => false,
        };
        let divides = matches!(operator, Operator::FloorDivide | Operator::Modulo);
        match (self, other) {
            (Self::Whole(left), Self::Whole(_))
                if is_zero && (divides || left.value().is_some() && operator == Operator::Divide) =>
            {
                Err(Problem::new(at, "division by zero"))
            }
            (Self::Whole(left), Self::Whole(right)) if operator != Operator::Divide => {
                wholes(operator, left, right, at).map(Self::Whole)
            }
            (left, right) => reals(operator, left, right, at),
        }
    }

    /// The number as a float of this type. A constant takes the type, as Python's numbers do in NumPy.
    pub(super) fn into_real(self, precision: Precision, at: usize) -> Checked<Real> {
        let exact = match &self {
            Self::Whole(whole) => whole.value().map(|value| value as f64),
            Self::Real(real) => real.value(),
        };
        let kind = match (exact, self) {
            (Some(exact), _) => {
                let value = precision.round(exact);
                if value.is_infinite() && exact.is_finite() {
                    return Err(Problem::new(
                        at,
                        format!("number out of range: expected a value of dtype {}, found {exact:?}", precision.0),
                    ));
                }
                RealKind::Constant(value)
            }
            (None, Self::Real(real)) => return Ok(real),
            (None, Self::Whole(whole)) => RealKind::Whole(Box::new(whole)),
        };
        Ok(Real { precision, kind })
    }

    fn is_constant(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.value().is_some(),
            Self::Real(real) => real.value().is_some(),
        }
    }

    /// The type of float that it asks for; `None` of constants.
    fn precision(&self) -> Option<Precision> {
        match self {
            _ if self.is_constant() => None,
            Self::Real(real) => Some(real.precision),
            Self::Whole(whole) => {
                let [low, high] = whole.range;
                let kind = match (low, high) {
                    (-128.., ..=255) => ScalarKind::Float16,
                    (-32_768.., ..=65_535) => ScalarKind::Float32,
                    _ => ScalarKind::Float64,
                };
                Some(Precision(Scalar::new(kind, ByteOrder::NATIVE)))
            }
        }
    }
}

fn single() -> Precision {
    Precision(Scalar::new(ScalarKind::Float32, ByteOrder::NATIVE))
}

/// The type of float that holds the values of both: NumPy's promotion.
fn wider(a: Precision, b: Precision) -> Precision {
    let bits = |precision: Precision| match precision.0.kind() {
        ScalarKind::Float64 => 64,
        ScalarKind::Float32 => 32,
        _ => 16,
    };
    match (bits(a), bits(b)) {
        (64, _) | (_, 64) => Precision(double()),
        (32, _) | (_, 32) => single(),
        _ if a.0.kind() == b.0.kind() => a,
        // Two small floats of different kinds.
        _ => single(),
    }
}

fn reals(operator: Operator, left: Number, right: Number, at: usize) -> Checked<Number> {
    let are_whole = matches!((&left, &right), (Number::Whole(_), Number::Whole(_)));
    let is_whole_with_constant =
        |whole: &Number, constant: &Number| matches!(whole, Number::Whole(_)) && !whole.is_constant() && constant.is_constant();
    let is_double = are_whole || is_whole_with_constant(&left, &right) || is_whole_with_constant(&right, &left);
    let precision = match (left.precision(), right.precision()) {
        _ if is_double => Precision(double()),
        (None, None) => {
            let values = [left, right].map(|number| number.into_real(Precision(double()), at).map(|real| real.value()));
            let [left, right] = values;
            let (left, right) = (left?.unwrap_or(f64::NAN), right?.unwrap_or(f64::NAN));
            if right == 0.0 && matches!(operator, Operator::Divide | Operator::FloorDivide | Operator::Modulo) {
                return Err(Problem::new(at, "division by zero"));
            }
            return Ok(Number::constant(of_reals(operator, Precision(double()), left, right)));
        }
        (Some(precision), None) | (None, Some(precision)) => precision,
        (Some(left), Some(right)) => wider(left, right),
    };
    let (left, right) = (left.into_real(precision, at)?, right.into_real(precision, at)?);
    Ok(Number::Real(Real { precision, kind: RealKind::Arithmetic(operator, Box::new(left), Box::new(right)) }))
}

/// The result of an operator, rounded after each step as NumPy does.
#[inline]
pub(super) fn of_reals(operator: Operator, precision: Precision, a: f64, b: f64) -> f64 {
    match operator {
        Operator::Add => precision.round(a + b),
        Operator::Subtract => precision.round(a - b),
        Operator::Multiply => precision.round(a * b),
        Operator::Divide => precision.round(a / b),
        Operator::Modulo => divided(precision, a, b).1,
        Operator::FloorDivide => divided(precision, a, b).0,
    }
}

/// The quotient rounded down and the remainder, as in `npy_divmod`.
fn divided(precision: Precision, a: f64, b: f64) -> (f64, f64) {
    // Small floats are divided as floats of 32 bits.
    let steps = if precision.is_double() { precision } else { single() };
    let (quotient, modulo) = divided_in(steps, a, b);
    (precision.round(quotient), precision.round(modulo))
}

fn divided_in(precision: Precision, a: f64, b: f64) -> (f64, f64) {
    let mut modulo = a % b;
    if b == 0.0 {
        return (precision.round(a / b), modulo);
    }
    let mut quotient = precision.round(precision.round(a - modulo) / b);
    if modulo == 0.0 {
        modulo = 0.0_f64.copysign(b);
    } else if (b < 0.0) != (modulo < 0.0) {
        modulo = precision.round(modulo + b);
        quotient = precision.round(quotient - 1.0);
    }
    if quotient == 0.0 {
        return (0.0_f64.copysign(precision.round(a / b)), modulo);
    }
    let mut floor = quotient.floor();
    if quotient - floor > 0.5 {
        floor = precision.round(floor + 1.0);
    }
    (floor, modulo)
}

fn wholes(operator: Operator, left: Whole, right: Whole, at: usize) -> Checked<Whole> {
    if let (Some(a), Some(b)) = (left.value(), right.value()) {
        let overflow = || Problem::new(at, "integer overflow beyond 128 bits");
        return Ok(Whole::constant(at, of_wholes(operator, a, b).ok_or_else(overflow)?));
    }
    let ([low, high], [other_low, other_high]) = (left.range, right.range);
    let products = || {
        let ends = [low, high].into_iter().flat_map(|a| [other_low, other_high].map(|b| a.saturating_mul(b)));
        ends.fold([i128::MAX, i128::MIN], |[least, most], product| [least.min(product), most.max(product)])
    };
    let magnitude = |[low, high]: [i128; 2]| low.saturating_abs().max(high.saturating_abs());
    let range = match operator {
        Operator::Add => [low.saturating_add(other_low), high.saturating_add(other_high)],
        Operator::Subtract => [low.saturating_sub(other_high), high.saturating_sub(other_low)],
        Operator::Multiply => products(),
        Operator::Divide | Operator::FloorDivide => {
            let most = magnitude(left.range);
            [if low >= 0 && other_low >= 0 { 0 } else { most.saturating_neg() }, most]
        }
        Operator::Modulo => {
            let most = magnitude(right.range).saturating_sub(1).max(0);
            [if other_low < 0 { -most } else { 0 }, if other_high > 0 { most } else { 0 }]
        }
    };
    let is_narrow = left.is_narrow && right.is_narrow;
    Ok(Whole::new(at, range, is_narrow, WholeKind::Arithmetic(operator, Box::new(left), Box::new(right))))
}

/// The result of an operator on integers; `None` on overflow and division by zero.
#[inline]
pub(super) fn of_wholes(operator: Operator, a: i128, b: i128) -> Option<i128> {
    match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide | Operator::FloorDivide => {
            let quotient = a.checked_div(b)?;
            if a.checked_rem(b)? != 0 && (a < 0) != (b < 0) { quotient.checked_sub(1) } else { Some(quotient) }
        }
        Operator::Modulo => {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
    }
}

//! When two values are equal: exactly, or within tolerances as `numpy.testing.assert_allclose` has them.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind, TimeUnit};

use crate::float::{brain_float, float8_e5m2, half, long_double, part_of, round_to_half};
use crate::units;

/// What counts as equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    pub(super) relative: f64,
    pub(super) absolute: f64,
    pub(super) equal_nan: bool,
}

/// The result for two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    Equal,
    /// NaN in both, which counts as different.
    BothNan,
    /// With the absolute and the relative error, where there are any.
    Different(Option<f64>, Option<f64>),
}

/// How the values of two dtypes are compared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Judge {
    Integers,
    Floats(Precisions),
    /// Integers with floats or complex numbers, whose exact difference counts where both would be the same float.
    Mixed(Precisions),
    Complexes(Precisions),
    /// With the factors that make both units one.
    Times(i128, i128),
    /// Points in time of units without a common one: months and days.
    Moments,
    /// Without the zeros at the end.
    Bytes,
    Text,
    Raw,
}

/// The precisions of NumPy's steps: of the difference, of what it may be, and of the reported error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precisions {
    difference: Precision,
    limit: Precision,
    error: Precision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precision {
    Half,
    Single,
    Double,
}

impl Precision {
    #[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
    fn round(self, value: f64) -> f64 {
        match self {
            Self::Half => round_to_half(value),
            Self::Single => f64::from(value as f32),
            Self::Double => value,
        }
    }
}

/// The kinds of values that are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Integer,
    Float,
    Complex,
    Datetime,
    Timedelta,
    Bytes,
    Text,
    Raw(usize),
    Object,
}

fn class(scalar: Scalar) -> (Class, Precision) {
    use Precision::{Double, Half, Single};
    use ScalarKind as Kind;
    match scalar.kind() {
        Kind::Bool | Kind::Int8 | Kind::UInt8 => (Class::Integer, Half),
        Kind::Int16 | Kind::UInt16 => (Class::Integer, Single),
        Kind::Int32 | Kind::UInt32 | Kind::Int64 | Kind::UInt64 => (Class::Integer, Double),
        Kind::Float16 => (Class::Float, Half),
        Kind::Float32 => (Class::Float, Single),
        Kind::Float64 | Kind::LongDouble { .. } | Kind::Float8E5M2 | Kind::Ml(_) => (Class::Float, Double),
        Kind::Void { length: 2 } if scalar.byte_order().is_some() => (Class::Float, Double),
        Kind::Complex64 => (Class::Complex, Single),
        Kind::Complex32 | Kind::Complex128 | Kind::ComplexLongDouble { .. } => (Class::Complex, Double),
        Kind::Datetime { .. } => (Class::Datetime, Double),
        Kind::Timedelta { .. } => (Class::Timedelta, Double),
        Kind::Bytes { .. } => (Class::Bytes, Double),
        Kind::Unicode { .. } => (Class::Text, Double),
        Kind::Void { length } => (Class::Raw(length), Double),
        _ => (Class::Object, Double),
    }
}

/// Whether a float is wider than those that values are compared as.
fn is_long(scalar: Scalar) -> bool {
    matches!(scalar.kind(), ScalarKind::LongDouble { .. } | ScalarKind::ComplexLongDouble { .. })
}

impl Judge {
    /// `None` if such values cannot be compared.
    pub(super) fn new(a: Scalar, b: Scalar) -> Option<Self> {
        let ((a_class, a_precision), (b_class, b_precision)) = (class(a), class(b));
        let limit = if b_class == Class::Integer { Precision::Double } else { b_precision };
        let precisions = Precisions { difference: a_precision.max(limit), limit, error: a_precision.max(b_precision) };
        Some(match (a_class, b_class) {
            (Class::Integer, Class::Integer) => Self::Integers,
            (Class::Integer, Class::Float | Class::Complex) if !is_long(b) => Self::Mixed(precisions),
            (Class::Float | Class::Complex, Class::Integer) if !is_long(a) => Self::Mixed(precisions),
            (Class::Integer | Class::Float, Class::Integer | Class::Float) => Self::Floats(precisions),
            (Class::Integer | Class::Float | Class::Complex, Class::Integer | Class::Float | Class::Complex) => {
                Self::Complexes(precisions)
            }
            (Class::Datetime, Class::Datetime) | (Class::Timedelta, Class::Timedelta) => match factors(a, b) {
                Some((a, b)) => Self::Times(a, b),
                None if a_class == Class::Datetime && moment(a, 0).is_some() && moment(b, 0).is_some() => Self::Moments,
                None => return None,
            },
            (Class::Bytes, Class::Bytes) => Self::Bytes,
            (Class::Text, Class::Text) => Self::Text,
            (Class::Raw(a), Class::Raw(b)) if a == b => Self::Raw,
            _ => return None,
        })
    }

    /// Whether equal bytes of the same dtype are equal values.
    pub(super) fn is_reflexive(self, tolerance: Tolerance) -> bool {
        tolerance.equal_nan
            || !matches!(self, Self::Floats(_) | Self::Mixed(_) | Self::Complexes(_) | Self::Times(..) | Self::Moments)
    }

    #[inline]
    pub(super) fn judge(self, (a, b): (Scalar, Scalar), (x, y): (&[u8], &[u8]), tolerance: Tolerance) -> Verdict {
        match self {
            Self::Integers => integers(integer(a, x), integer(b, y), tolerance),
            Self::Floats(precisions) => floats(float(a, x), float(b, y), precisions, tolerance),
            Self::Mixed(precisions) => {
                let (x_value, y_value) = (complex(a, x), complex(b, y));
                let verdict = match part_of(a).or(part_of(b)) {
                    Some(_) => complexes(x_value, y_value, precisions, tolerance),
                    None => floats(x_value.0, y_value.0, precisions, tolerance),
                };
                match rounded_away((a, x), (b, y)).filter(|_| verdict == Verdict::Equal) {
                    Some(error) => inexact(error, y_value.0.abs(), tolerance),
                    None => verdict,
                }
            }
            Self::Complexes(precisions) => complexes(complex(a, x), complex(b, y), precisions, tolerance),
            Self::Times(a_factor, b_factor) => times((a, x), (b, y), tolerance, |x, y| {
                let x = i128::from(x).checked_mul(a_factor);
                x.is_some() && x == i128::from(y).checked_mul(b_factor)
            }),
            Self::Moments => times((a, x), (b, y), tolerance, |x, y| moment(a, x) == moment(b, y)),
            Self::Bytes => exactly(trimmed(x, 1) == trimmed(y, 1)),
            Self::Text => {
                let same = (a.byte_order() == b.byte_order()).then(|| trimmed(x, 4) == trimmed(y, 4));
                exactly(same.unwrap_or_else(|| characters(a, x).eq(characters(b, y))))
            }
            Self::Raw => exactly(x == y),
        }
    }
}

fn exactly(same: bool) -> Verdict {
    if same { Verdict::Equal } else { Verdict::Different(None, None) }
}

fn times((a, x): (Scalar, &[u8]), (b, y): (Scalar, &[u8]), tolerance: Tolerance, is_equal: impl Fn(i64, i64) -> bool) -> Verdict {
    let steps = |scalar, bytes| i64::try_from(integer(scalar, bytes)).ok().filter(|steps| *steps != i64::MIN);
    match (steps(a, x), steps(b, y)) {
        (None, None) if tolerance.equal_nan => Verdict::Equal,
        (None, None) => Verdict::BothNan,
        (Some(x), Some(y)) => exactly(is_equal(x, y)),
        _ => Verdict::Different(None, None),
    }
}

/// How far an integer is from the float to which it is rounded, if that is the other value.
#[allow(clippy::cast_possible_truncation, clippy::float_cmp, reason = "the float is an integer of at most 65 bits")]
fn rounded_away((a, x): (Scalar, &[u8]), (b, y): (Scalar, &[u8])) -> Option<f64> {
    let (integer, other) = match class(a).0 {
        Class::Integer => (integer(a, x), complex(b, y)),
        _ => (integer(b, y), complex(a, x)),
    };
    let error = ((integer as f64, 0.0) == other).then(|| integer.abs_diff(other.0 as i128))?;
    (error > 0).then_some(error as f64)
}

/// The verdict on an error that is not rounded.
fn inexact(error: f64, size: f64, tolerance: Tolerance) -> Verdict {
    if error <= tolerance.absolute + tolerance.relative * size {
        return Verdict::Equal;
    }
    Verdict::Different(Some(error), (size > 0.0).then(|| error / size))
}

/// Of integers the error is exact, whatever their width.
fn integers(x: i128, y: i128, tolerance: Tolerance) -> Verdict {
    if x == y {
        return Verdict::Equal;
    }
    inexact(x.abs_diff(y) as f64, y.unsigned_abs() as f64, tolerance)
}

#[allow(clippy::float_cmp, reason = "exact equality is meant")]
fn floats(x: f64, y: f64, precisions: Precisions, tolerance: Tolerance) -> Verdict {
    if x.is_nan() && y.is_nan() {
        return if tolerance.equal_nan { Verdict::Equal } else { Verdict::BothNan };
    }
    if x == y {
        return Verdict::Equal;
    }
    let difference = precisions.difference.round(x - y).abs();
    if x.is_finite() && y.is_finite() && difference <= limit(y.abs(), precisions, tolerance) {
        return Verdict::Equal;
    }
    different(precisions.error.round(x - y).abs(), y.abs(), precisions)
}

fn complexes(x: (f64, f64), y: (f64, f64), precisions: Precisions, tolerance: Tolerance) -> Verdict {
    let is_nan = |(real, imaginary): (f64, f64)| real.is_nan() || imaginary.is_nan();
    let is_finite = |(real, imaginary): (f64, f64)| real.is_finite() && imaginary.is_finite();
    if is_nan(x) && is_nan(y) {
        return if tolerance.equal_nan { Verdict::Equal } else { Verdict::BothNan };
    }
    if x == y {
        return Verdict::Equal;
    }
    let distance = |precision: Precision| precision.round(precision.round(x.0 - y.0).hypot(precision.round(x.1 - y.1)));
    let size = precisions.limit.round(y.0.hypot(y.1));
    if is_finite(x) && is_finite(y) && distance(precisions.difference) <= limit(size, precisions, tolerance) {
        return Verdict::Equal;
    }
    different(distance(precisions.error), size, precisions)
}

/// Whether all numbers of two blocks are surely equal, by a loop that the compiler vectorizes.
///
/// `false` leaves the question to [`Judge::judge`]: for other dtypes, and where there is NaN.
#[allow(clippy::float_cmp, reason = "exact equality is meant")]
pub(super) fn are_equal(scalar: Scalar, x: &[u8], y: &[u8], tolerance: Tolerance) -> bool {
    if scalar.byte_order() != Some(ByteOrder::NATIVE) {
        return false;
    }
    match scalar.kind() {
        ScalarKind::Float64 => are_close(x, y, f64::from_ne_bytes, |x: f64, y| {
            let difference = (x - y).abs();
            x == y || (difference <= tolerance.absolute + tolerance.relative * y.abs() && difference < f64::INFINITY)
        }),
        ScalarKind::Float32 => {
            // In single precision, as NumPy computes here.
            #[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
            let (absolute, relative) = (tolerance.absolute as f32, tolerance.relative as f32);
            are_close(x, y, f32::from_ne_bytes, |x: f32, y| {
                let difference = (x - y).abs();
                x == y || (difference <= absolute + relative * y.abs() && difference < f32::INFINITY)
            })
        }
        _ => false,
    }
}

fn are_close<T: Copy, const N: usize>(x: &[u8], y: &[u8], number: fn([u8; N]) -> T, is_close: impl Fn(T, T) -> bool) -> bool {
    let (x, y) = (x.as_chunks::<N>().0, y.as_chunks::<N>().0);
    x.iter().zip(y).fold(true, |all, (x, y)| all & is_close(number(*x), number(*y)))
}

/// What the difference may be, rounded where NumPy rounds.
fn limit(size: f64, precisions: Precisions, tolerance: Tolerance) -> f64 {
    let round = |value| precisions.limit.round(value);
    round(round(tolerance.absolute) + round(round(tolerance.relative) * size))
}

fn different(error: f64, size: f64, precisions: Precisions) -> Verdict {
    let relative = (size != 0.0).then(|| precisions.error.round(error / size));
    Verdict::Different((!error.is_nan()).then_some(error), relative.filter(|relative| !relative.is_nan()))
}

/// The bytes in little-endian order.
fn ordered<const N: usize>(bytes: &[u8], is_big: bool) -> [u8; N] {
    let mut ordered = bytes.first_chunk::<N>().copied().unwrap_or([0; N]);
    if is_big {
        ordered.reverse();
    }
    ordered
}

fn is_big(scalar: Scalar) -> bool {
    scalar.byte_order() == Some(ByteOrder::Big)
}

fn integer(scalar: Scalar, bytes: &[u8]) -> i128 {
    let is_big = is_big(scalar);
    match scalar.kind() {
        ScalarKind::Bool => i128::from(bytes.iter().any(|byte| *byte != 0)),
        ScalarKind::Int8 => i128::from(i8::from_le_bytes(ordered(bytes, is_big))),
        ScalarKind::UInt8 => i128::from(u8::from_le_bytes(ordered(bytes, is_big))),
        ScalarKind::Int16 => i128::from(i16::from_le_bytes(ordered(bytes, is_big))),
        ScalarKind::UInt16 => i128::from(u16::from_le_bytes(ordered(bytes, is_big))),
        ScalarKind::Int32 => i128::from(i32::from_le_bytes(ordered(bytes, is_big))),
        ScalarKind::UInt32 => i128::from(u32::from_le_bytes(ordered(bytes, is_big))),
        ScalarKind::UInt64 => i128::from(u64::from_le_bytes(ordered(bytes, is_big))),
        _ => i128::from(i64::from_le_bytes(ordered(bytes, is_big))),
    }
}

fn float(scalar: Scalar, bytes: &[u8]) -> f64 {
    let is_big = is_big(scalar);
    match scalar.kind() {
        ScalarKind::Float8E5M2 => float8_e5m2(bytes.first().copied().unwrap_or_default()),
        ScalarKind::Ml(ml) => ml.value(bytes.first().copied().unwrap_or_default()).into(),
        ScalarKind::Float16 => half(u16::from_le_bytes(ordered(bytes, is_big))),
        ScalarKind::Float32 => f64::from(f32::from_le_bytes(ordered(bytes, is_big))),
        ScalarKind::Float64 => f64::from_le_bytes(ordered(bytes, is_big)),
        ScalarKind::LongDouble { .. } => long_double(bytes, is_big),
        ScalarKind::Void { .. } => brain_float(u16::from_le_bytes(ordered(bytes, is_big))),
        _ => integer(scalar, bytes) as f64,
    }
}

fn complex(scalar: Scalar, bytes: &[u8]) -> (f64, f64) {
    let Some(part) = part_of(scalar) else { return (float(scalar, bytes), 0.0) };
    let (real, imaginary) = bytes.split_at(bytes.len() / 2);
    (float(part, real), float(part, imaginary))
}

fn trimmed(value: &[u8], width: usize) -> &[u8] {
    let padding = value.rchunks_exact(width).take_while(|character| character.iter().all(|byte| *byte == 0)).count();
    value.get(..value.len() - padding * width).unwrap_or(value)
}

fn characters(scalar: Scalar, value: &[u8]) -> impl Iterator<Item = u32> {
    let is_big = is_big(scalar);
    trimmed(value, 4).chunks_exact(4).map(move |bytes| u32::from_le_bytes(ordered(bytes, is_big)))
}

/// What steps of two units are multiplied by to be steps of the same.
fn factors(a: Scalar, b: Scalar) -> Option<(i128, i128)> {
    units::factors(step(a)?, step(b)?)
}

/// Days and attoseconds of a point in time; `None` for the generic unit.
fn moment(scalar: Scalar, steps: i64) -> Option<(i128, i128)> {
    units::moment(step(scalar)?, steps)
}

/// The unit of a time, and how many of it a step has.
fn step(scalar: Scalar) -> Option<(TimeUnit, u32)> {
    match scalar.kind() {
        ScalarKind::Datetime { unit, count } | ScalarKind::Timedelta { unit, count } => Some((unit, count)),
        _ => None,
    }
}

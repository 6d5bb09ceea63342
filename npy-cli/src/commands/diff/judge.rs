//! When two values are equal: exactly, or within tolerances as `numpy.testing.assert_allclose` has them.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::scalar::{Class, Decoder};

use crate::values::units;

/// The tolerances within which numbers are equal.
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

/// The comparison of values of two dtypes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Judge {
    Integers([Decoder<i128>; 2]),
    Floats([Decoder<f64>; 2], Precisions),
    /// Integers with floats or complex numbers, whose exact difference counts where both would be the same float.
    Mixed(Mixed),
    Complexes([Decoder<(f64, f64)>; 2], Precisions),
    /// With the factors that make both units one.
    Times([Decoder<i64>; 2], [i128; 2]),
    /// Points in time of units without a common one: months and days.
    Moments([Decoder<i64>; 2]),
    /// Without the zeros at the end.
    Text,
    Raw,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Mixed {
    values: [Decoder<(f64, f64)>; 2],
    integer: Decoder<i128>,
    is_first_integer: bool,
    is_complex: bool,
    precisions: Precisions,
}

/// The precisions of NumPy's steps: of the difference, of its limit, and of the reported error.
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
            Self::Half => Scalar::new(ScalarKind::Float16, ByteOrder::NATIVE).rounded(value).unwrap_or(value),
            Self::Single => f64::from(value as f32),
            Self::Double => value,
        }
    }
}

/// The class of values, of which all integers are one.
fn class(scalar: Scalar) -> Class {
    match scalar.class() {
        Class::Bool | Class::Unsigned => Class::Signed,
        class => class,
    }
}

fn precision(scalar: Scalar) -> Precision {
    match (class(scalar), scalar.itemsize()) {
        (Class::Signed, 1) => Precision::Half,
        (Class::Float, 2) if scalar.kind() == ScalarKind::Float16 => Precision::Half,
        (Class::Signed, 2) | (Class::Float, 4) | (Class::Complex, 8) => Precision::Single,
        _ => Precision::Double,
    }
}

/// Whether a float is wider than `f64`, as which values are compared.
fn is_long(scalar: Scalar) -> bool {
    matches!(scalar.kind(), ScalarKind::LongDouble { .. } | ScalarKind::ComplexLongDouble { .. })
}

impl Judge {
    /// `None` if such values cannot be compared.
    pub(super) fn new(a: Scalar, b: Scalar) -> Option<Self> {
        use Class::{Bytes, Complex, Datetime, Float, Signed, Timedelta, Unicode, Void};
        let limit = if class(b) == Signed { Precision::Double } else { precision(b) };
        let precisions = Precisions { difference: precision(a).max(limit), limit, error: precision(a).max(precision(b)) };
        let times = || Some([Decoder::new(a)?, Decoder::new(b)?]);
        Some(match (class(a), class(b)) {
            (Signed, Signed) => Self::Integers([Decoder::new(a)?, Decoder::new(b)?]),
            (Signed, Float | Complex) | (Float | Complex, Signed) if !is_long(a) && !is_long(b) => {
                let is_first_integer = class(a) == Signed;
                Self::Mixed(Mixed {
                    values: [Decoder::new(a)?, Decoder::new(b)?],
                    integer: Decoder::new(if is_first_integer { a } else { b })?,
                    is_first_integer,
                    is_complex: a.part().or(b.part()).is_some(),
                    precisions,
                })
            }
            (Signed | Float, Signed | Float) => Self::Floats([Decoder::new(a)?, Decoder::new(b)?], precisions),
            (Signed | Float | Complex, Signed | Float | Complex) => {
                Self::Complexes([Decoder::new(a)?, Decoder::new(b)?], precisions)
            }
            (Datetime, Datetime) | (Timedelta, Timedelta) => match units::factors(a.time_unit()?, b.time_unit()?) {
                Some((a, b)) => Self::Times(times()?, [a, b]),
                None if class(a) == Datetime && moment(a, 0).is_some() && moment(b, 0).is_some() => Self::Moments(times()?),
                None => return None,
            },
            (Bytes, Bytes) | (Unicode, Unicode) => Self::Text,
            (Void, Void) if a.itemsize() == b.itemsize() => Self::Raw,
            _ => return None,
        })
    }

    /// Whether equal bytes of the same dtype are equal values.
    pub(super) fn is_reflexive(self, tolerance: Tolerance) -> bool {
        tolerance.equal_nan || matches!(self, Self::Integers(_) | Self::Text | Self::Raw)
    }

    #[inline]
    pub(super) fn judge(self, (a, b): (Scalar, Scalar), (x, y): (&[u8], &[u8]), tolerance: Tolerance) -> Verdict {
        match self {
            Self::Integers([a, b]) => integers(a.decode(x), b.decode(y), tolerance),
            Self::Floats([a, b], precisions) => floats(a.decode(x), b.decode(y), precisions, tolerance),
            Self::Mixed(mixed) => mixed.judge(x, y, tolerance),
            Self::Complexes([a, b], precisions) => complexes(a.decode(x), b.decode(y), precisions, tolerance),
            Self::Times([a, b], factors) => times(a.decode(x), b.decode(y), tolerance, |x, y| {
                let x = i128::from(x).checked_mul(factors[0]);
                x.is_some() && x == i128::from(y).checked_mul(factors[1])
            }),
            Self::Moments([from, to]) => times(from.decode(x), to.decode(y), tolerance, |x, y| moment(a, x) == moment(b, y)),
            Self::Text if a.byte_order() == b.byte_order() => exactly(a.without_padding(x) == b.without_padding(y)),
            Self::Text => exactly(a.units(x).eq(b.units(y))),
            Self::Raw => exactly(x == y),
        }
    }
}

impl Mixed {
    fn judge(self, x: &[u8], y: &[u8], tolerance: Tolerance) -> Verdict {
        let values = [self.values[0].decode(x), self.values[1].decode(y)];
        let verdict = if self.is_complex {
            complexes(values[0], values[1], self.precisions, tolerance)
        } else {
            floats(values[0].0, values[1].0, self.precisions, tolerance)
        };
        let (integer, other) = if self.is_first_integer { (x, values[1]) } else { (y, values[0]) };
        match rounded_away(self.integer.decode(integer), other).filter(|_| verdict == Verdict::Equal) {
            Some(error) => inexact(error, values[1].0.abs(), tolerance),
            None => verdict,
        }
    }
}

fn exactly(same: bool) -> Verdict {
    if same { Verdict::Equal } else { Verdict::Different(None, None) }
}

fn times(x: i64, y: i64, tolerance: Tolerance, is_equal: impl Fn(i64, i64) -> bool) -> Verdict {
    match (x == NAT, y == NAT) {
        (true, true) if tolerance.equal_nan => Verdict::Equal,
        (true, true) => Verdict::BothNan,
        (false, false) => exactly(is_equal(x, y)),
        _ => Verdict::Different(None, None),
    }
}

/// NumPy's NaT.
const NAT: i64 = i64::MIN;

/// The distance of an integer from the float to which it is rounded, if that is the other value.
#[allow(clippy::cast_possible_truncation, clippy::float_cmp, reason = "the float is an integer of at most 65 bits")]
fn rounded_away(integer: i128, other: (f64, f64)) -> Option<f64> {
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

/// The largest difference of equal numbers, rounded where NumPy rounds.
fn limit(size: f64, precisions: Precisions, tolerance: Tolerance) -> f64 {
    let round = |value| precisions.limit.round(value);
    round(round(tolerance.absolute) + round(round(tolerance.relative) * size))
}

fn different(error: f64, size: f64, precisions: Precisions) -> Verdict {
    let relative = (size != 0.0).then(|| precisions.error.round(error / size));
    Verdict::Different((!error.is_nan()).then_some(error), relative.filter(|relative| !relative.is_nan()))
}

/// Days and attoseconds of a point in time; `None` for the generic unit.
fn moment(scalar: Scalar, steps: i64) -> Option<(i128, i128)> {
    units::moment(scalar.time_unit()?, steps)
}

//! The numbers of which statistics are computed: integers and times, floats, complex numbers.

use std::cmp::Ordering;

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::scalar;

use super::distinct::Distinct;
use super::moments::Moments;
use super::summary::{Histogram, Value, between};

/// A number to which narrower ones of its class are widened.
pub(super) trait Number: scalar::Number + PartialOrd + Send + 'static {
    /// Whether there are quantiles and histograms of such numbers.
    const IS_REAL: bool = true;

    /// Whether such numbers may be NaN or infinite.
    const IS_FLOAT: bool = true;

    /// Whether this is NaN, or the NaT of a time.
    fn is_nan(self, is_time: bool) -> bool;

    /// Whether this is left out of the moments.
    fn is_infinite(self) -> bool {
        false
    }

    /// Adds a number that is not NaN. Zeros of both signs are equal.
    fn add_to(self, distinct: &mut Distinct);

    fn order(&self, other: &Self) -> Ordering;

    /// The number as a float, and as an integer if it is one.
    fn weight(self) -> (f64, i128);

    /// The sums of a block, which should fit into the first cache; `None` if some values are left out or their sum overflows.
    fn sums(block: &[Self], is_time: bool) -> Option<Sums<Self>>;

    /// The sums of values none of which is left out. They are not empty.
    fn finite_sums(values: &[Self]) -> Sums<Self>;

    fn value(self, scalar: Scalar) -> Value;

    /// The mean and the standard deviation of values in a range.
    fn mean(moments: &[Moments; 2], range: (Self, Self), scalar: Scalar) -> (Value, Value);

    /// The value at this part of the way between two others.
    fn between(low: Self, high: Self, part: f64, scalar: Scalar) -> Value;

    fn histogram(values: &[(Self, u64)], range: (Self, Self), bins: usize, is_exact: bool) -> Option<Histogram>;
}

/// The sums of some values.
pub(super) struct Sums<T> {
    pub(super) low: T,
    pub(super) high: T,
    pub(super) zeros: u64,
    /// Infinite values that are not left out.
    pub(super) infinite: u64,
    /// Of the real and of the imaginary part.
    pub(super) moments: [Moments; 2],
}

macro_rules! integer {
    ($type:ty) => {
        impl Number for $type {
            const IS_FLOAT: bool = false;

            #[inline]
            fn is_nan(self, is_time: bool) -> bool {
                is_time && self == Self::MIN
            }

            #[inline]
            fn add_to(self, distinct: &mut Distinct) {
                distinct.add(self as u64);
            }

            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }

            fn weight(self) -> (f64, i128) {
                (self as f64, i128::from(self))
            }

            fn sums(block: &[Self], is_time: bool) -> Option<Sums<Self>> {
                (!is_time || !block.contains(&Self::MIN)).then(|| Self::finite_sums(block))
            }

            fn finite_sums(values: &[Self]) -> Sums<Self> {
                let (mut low, mut high) = (Self::MAX, Self::MIN);
                let (mut lower, mut upper, mut zeros) = (0_u64, 0_i64, 0_u64);
                for value in values {
                    low = low.min(*value);
                    high = high.max(*value);
                    // Neither half overflows: a block has far fewer values than 2^31. The upper one has the sign.
                    lower += *value as u64 & 0xffff_ffff;
                    upper += (*value >> 32) as i64;
                    zeros += u64::from(*value == 0);
                }
                let (count, sum) = (values.len() as u64, (i128::from(upper) << 32) + i128::from(lower));
                let (wide_low, wide_high) = (i128::from(low), i128::from(high));
                let moments = if wide_high - wide_low < 1 << 62 {
                    // Relative to the minimum, of which the distances are exact.
                    let mean = (sum - wide_low * i128::from(count)) as f64 / count as f64;
                    let deviations = values.iter().map(|value| value.wrapping_sub(low) as i64 as f64 - mean);
                    let squares = deviations.map(|deviation| deviation * deviation).sum();
                    Moments { count, sum, base: wide_low, mean, squares }
                } else {
                    let mean = sum as f64 / count as f64;
                    let squares = values.iter().map(|value| (*value as f64 - mean) * (*value as f64 - mean)).sum();
                    Moments { count, sum, base: 0, mean, squares }
                };
                Sums { low, high, zeros, infinite: 0, moments: [moments, Moments::default()] }
            }

            fn value(self, scalar: Scalar) -> Value {
                whole_value(self.into(), scalar)
            }

            fn mean([moments, _]: &[Moments; 2], _: (Self, Self), scalar: Scalar) -> (Value, Value) {
                whole_mean(moments, scalar)
            }

            fn between(low: Self, high: Self, part: f64, scalar: Scalar) -> Value {
                whole_between(low.into(), high.into(), part, scalar)
            }

            fn histogram(values: &[(Self, u64)], (low, high): (Self, Self), bins: usize, is_exact: bool) -> Option<Histogram> {
                let whole = values.iter().map(|(value, count)| (i128::from(*value), *count));
                Some(Histogram::of_whole(whole, (low.into(), high.into()), bins, is_exact))
            }
        }
    };
}

integer!(i64);
integer!(u64);

/// An integer as a value of the dtype.
fn whole_value(value: i128, scalar: Scalar) -> Value {
    match scalar.kind() {
        ScalarKind::Bool => Value::Bool(value != 0),
        _ if scalar.time_unit().is_some() => Value::Time(i64::try_from(value).unwrap_or(i64::MAX), scalar),
        _ => Value::Integer(value),
    }
}

fn whole_mean(moments: &Moments, scalar: Scalar) -> (Value, Value) {
    let (sum, count, std) = (moments.sum, i128::from(moments.count), moments.std());
    let whole = sum.div_euclid(count);
    let span = match scalar.kind() {
        ScalarKind::Datetime { unit, count } => Scalar::new(ScalarKind::Timedelta { unit, count }, ByteOrder::NATIVE),
        ScalarKind::Timedelta { .. } => scalar,
        _ if is_beyond_floats(whole) => return (Value::Integer(whole), Value::Float(std)),
        _ if is_beyond_floats(sum) => {
            return (Value::Float(whole as f64 + sum.rem_euclid(count) as f64 / count as f64), Value::Float(std));
        }
        _ => return (Value::Float(sum as f64 / count as f64), Value::Float(std)),
    };
    // Rounded down, as the quantiles are, by NumPy too.
    (whole_value(whole, scalar), Value::Steps(std, span))
}

/// Interpolates between integers: rounded down between times, and where floats do not tell neighbours apart.
fn whole_between(low: i128, high: i128, part: f64, scalar: Scalar) -> Value {
    if scalar.time_unit().is_some() || is_beyond_floats(low) || is_beyond_floats(high) {
        let distance = high - low;
        // Exact with the 62 digits of the part, where a product of floats loses the last ones: at most 64 + 62 bits.
        let is_exact = is_beyond_floats(distance);
        let steps = if is_exact { (distance * (part * 2_f64.powi(62)) as i128) >> 62 } else { (distance as f64 * part) as i128 };
        return whole_value(low + steps, scalar);
    }
    Value::Float(between(low as f64, high as f64, part))
}

/// Whether an integer has neighbours that are the same `f64`.
fn is_beyond_floats(value: i128) -> bool {
    value.unsigned_abs() > 1 << f64::MANTISSA_DIGITS
}

/// Sums over the lanes of a block: enough for two registers, so that additions do not wait for each other.
const LANES: usize = 4;

impl Number for f64 {
    #[inline]
    fn is_nan(self, _: bool) -> bool {
        Self::is_nan(self)
    }

    #[inline]
    fn is_infinite(self) -> bool {
        Self::is_infinite(self)
    }

    #[inline]
    fn add_to(self, distinct: &mut Distinct) {
        distinct.add((self + 0.0).to_bits());
    }

    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }

    fn weight(self) -> (f64, i128) {
        (self, 0)
    }

    fn sums(block: &[Self], _: bool) -> Option<Sums<Self>> {
        let (sums, sum) = first_sums(block);
        sum.is_finite().then(|| with_squares(sums, block, sum / block.len() as Self))
    }

    fn finite_sums(values: &[Self]) -> Sums<Self> {
        let (sums, sum) = first_sums(values);
        with_squares(sums, values, mean_of(sum, values.iter().copied()))
    }

    fn value(self, scalar: Scalar) -> Value {
        if scalar.itemsize() >= size_of::<Self>() { Value::Float(self) } else { Value::Single(self) }
    }

    fn mean([moments, _]: &[Moments; 2], (low, high): (Self, Self), _: Scalar) -> (Value, Value) {
        let (mean, std) = match (low == Self::NEG_INFINITY, high == Self::INFINITY) {
            (false, false) => (moments.mean, moments.std()),
            (false, true) => (Self::INFINITY, Self::NAN),
            (true, false) => (Self::NEG_INFINITY, Self::NAN),
            (true, true) => (Self::NAN, Self::NAN),
        };
        (Value::Float(mean), Value::Float(std))
    }

    fn between(low: Self, high: Self, part: f64, scalar: Scalar) -> Value {
        between(low, high, part).value(scalar)
    }

    /// From the least to the greatest finite value. Where infinities hide these, the sample has them.
    fn histogram(values: &[(Self, u64)], (low, high): (Self, Self), bins: usize, is_exact: bool) -> Option<Histogram> {
        let finite = |value: &Self| value.is_finite();
        let mut sorted = values.iter().map(|(value, _)| *value);
        let low = Some(low).filter(finite).or_else(|| sorted.clone().find(finite))?;
        let high = Some(high).filter(finite).or_else(|| sorted.rfind(finite))?;
        Histogram::of(values.iter().copied(), (low, high), bins, is_exact)
    }
}

/// The mean of values of this sum. They are divided first if it overflows, and rounding leads to no mean beyond all of them.
fn mean_of(sum: f64, values: impl ExactSizeIterator<Item = f64> + Clone) -> f64 {
    let count = values.len() as f64;
    if sum.is_finite() {
        return sum / count;
    }
    let (least, most) = (values.clone().fold(f64::INFINITY, f64::min), values.clone().fold(f64::NEG_INFINITY, f64::max));
    let mean: f64 = values.map(|value| value / count).sum();
    // NaN stays, which infinities give.
    if mean < least {
        least
    } else if mean > most {
        most
    } else {
        mean
    }
}

/// The first of two loops over a block: range, zeros and the sum, which is not finite if there is NaN or an infinity.
fn first_sums(block: &[f64]) -> (Sums<f64>, f64) {
    let mut low = [f64::INFINITY; LANES];
    let mut high = [f64::NEG_INFINITY; LANES];
    let mut sum = [0.0; LANES];
    let mut zeros = [0_u64; LANES];
    let (lanes, rest) = block.as_chunks::<LANES>();
    for values in lanes {
        for lane in 0..LANES {
            let value = values[lane];
            // A comparison with NaN is false, so NaN is left out.
            low[lane] = if value < low[lane] { value } else { low[lane] };
            high[lane] = if value > high[lane] { value } else { high[lane] };
            sum[lane] += value;
            zeros[lane] += u64::from(value == 0.0);
        }
    }
    let sums = Sums {
        low: low.iter().chain(rest).copied().fold(f64::INFINITY, f64::min),
        high: high.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max),
        zeros: zeros.iter().sum::<u64>() + rest.iter().filter(|value| **value == 0.0).count() as u64,
        infinite: 0,
        moments: Default::default(),
    };
    (sums, rest.iter().fold(sum.iter().sum(), |sum, value| sum + value))
}

/// Adds the sum of squared deviations from the mean.
fn with_squares(mut sums: Sums<f64>, block: &[f64], mean: f64) -> Sums<f64> {
    let mut squares = [0.0; LANES];
    let (lanes, rest) = block.as_chunks::<LANES>();
    for values in lanes {
        for lane in 0..LANES {
            let deviation = values[lane] - mean;
            squares[lane] += deviation * deviation;
        }
    }
    let rest: f64 = rest.iter().map(|value| (value - mean) * (value - mean)).sum();
    sums.moments[0] =
        Moments { count: block.len() as u64, mean, squares: squares.iter().sum::<f64>() + rest, ..Moments::default() };
    sums
}

/// Complex numbers, ordered by the real part first, as NumPy has it. Infinities make the moments infinite or NaN.
impl Number for (f64, f64) {
    const IS_REAL: bool = false;

    fn is_nan(self, _: bool) -> bool {
        self.0.is_nan() || self.1.is_nan()
    }

    fn add_to(self, distinct: &mut Distinct) {
        distinct.add_bytes([self.0, self.1].map(|part| (part + 0.0).to_bits()));
    }

    fn order(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.total_cmp(&other.1))
    }

    fn weight(self) -> (f64, i128) {
        (self.0, 0)
    }

    fn sums(block: &[Self], is_time: bool) -> Option<Sums<Self>> {
        (!block.iter().any(|value| value.is_nan(is_time))).then(|| Self::finite_sums(block))
    }

    fn finite_sums(values: &[Self]) -> Sums<Self> {
        let infinite = |(real, imaginary): &&Self| real.is_infinite() || imaginary.is_infinite();
        let part = |part: fn(&Self) -> f64| {
            let mean = mean_of(values.iter().map(part).sum(), values.iter().map(part));
            let squares = values.iter().map(part).map(|value| (value - mean) * (value - mean)).sum();
            Moments { count: values.len() as u64, mean, squares, ..Moments::default() }
        };
        Sums {
            low: values.iter().copied().fold((f64::INFINITY, f64::INFINITY), |low, value| if value < low { value } else { low }),
            high: values
                .iter()
                .copied()
                .fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |high, value| if value > high { value } else { high }),
            zeros: values.iter().filter(|value| **value == (0.0, 0.0)).count() as u64,
            infinite: values.iter().filter(infinite).count() as u64,
            moments: [part(|value| value.0), part(|value| value.1)],
        }
    }

    fn value(self, _: Scalar) -> Value {
        Value::Complex(self.0, self.1)
    }

    fn mean([real, imaginary]: &[Moments; 2], _: (Self, Self), _: Scalar) -> (Value, Value) {
        (Value::Complex(real.mean, imaginary.mean), Value::Float(real.std().hypot(imaginary.std())))
    }

    fn between(low: Self, _: Self, _: f64, scalar: Scalar) -> Value {
        low.value(scalar)
    }

    fn histogram(_: &[(Self, u64)], _: (Self, Self), _: usize, _: bool) -> Option<Histogram> {
        None
    }
}

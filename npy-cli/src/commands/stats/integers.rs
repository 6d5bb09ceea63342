//! Statistics of integers and times, exact where they are integers themselves.

use super::distinct::Distinct;
use super::moments::{Moments, Parts};
use super::sample::{Sample, rank_error};
use super::summary::{Histogram, Quantiles, Summary, Value, between};
use super::{Budget, Total};
use crate::failure::Result;

/// `i64` or `u64`, to which narrower integers are widened.
pub(super) trait Integer: Copy + Ord + std::fmt::Debug {
    const LOW: Self;
    const HIGH: Self;
    const ZERO: Self;
    /// The lower and the upper half: the upper one has the sign.
    fn halves(self) -> (u64, i64);
    fn wide(self) -> i128;
    fn bits(self) -> u64;
    fn float(self) -> f64;
    /// How far it is from a smaller value; wraps beyond `i64`.
    fn above(self, other: Self) -> i64;
}

macro_rules! integer {
    ($type:ty) => {
        impl Integer for $type {
            const LOW: Self = Self::MIN;
            const HIGH: Self = Self::MAX;
            const ZERO: Self = 0;

            #[inline]
            fn halves(self) -> (u64, i64) {
                (self as u64 & 0xffff_ffff, (self >> 32) as i64)
            }

            #[inline]
            fn wide(self) -> i128 {
                i128::from(self)
            }

            #[inline]
            fn bits(self) -> u64 {
                self as u64
            }

            #[inline]
            fn float(self) -> f64 {
                self as f64
            }

            #[inline]
            fn above(self, other: Self) -> i64 {
                self.wrapping_sub(other) as i64
            }
        }
    };
}

integer!(i64);
integer!(u64);

#[derive(Clone, Debug)]
pub(super) struct Integers<T> {
    /// Whether `T::LOW` is NaT.
    is_time: bool,
    count: u64,
    nat: u64,
    zeros: u64,
    low: T,
    high: T,
    sum: i128,
    parts: Parts,
    distinct: Distinct,
    sample: Sample<T>,
    /// The values of a block without NaT.
    values: Vec<T>,
}

impl<T: Integer> Integers<T> {
    pub(super) fn new(is_time: bool, total: Total, budget: Budget) -> Self {
        Self {
            is_time,
            count: 0,
            nat: 0,
            zeros: 0,
            low: T::HIGH,
            high: T::LOW,
            sum: 0,
            parts: Parts::default(),
            distinct: Distinct::new(budget.distinct),
            sample: Sample::new(total.0, budget.sample),
            values: Vec::new(),
        }
    }

    /// Adds a block, which should fit into the first cache.
    pub(super) fn add(&mut self, position: u64, block: &[T]) {
        let is_time = self.is_time;
        self.sample.add(position, block, |value| !is_time || value != T::LOW);
        if is_time && block.contains(&T::LOW) {
            let mut values = std::mem::take(&mut self.values);
            values.clear();
            values.extend(block.iter().copied().filter(|value| *value != T::LOW));
            self.nat += (block.len() - values.len()) as u64;
            self.add_values(&values);
            self.values = values;
        } else {
            self.add_values(block);
        }
    }

    fn add_values(&mut self, block: &[T]) {
        if block.is_empty() {
            return;
        }
        let (mut low, mut high) = (T::HIGH, T::LOW);
        let (mut lower, mut upper, mut zeros) = (0_u64, 0_i64, 0_u64);
        for value in block {
            low = low.min(*value);
            high = high.max(*value);
            // Neither half overflows: a block has far fewer values than 2^31.
            let halves = value.halves();
            lower += halves.0;
            upper += halves.1;
            zeros += u64::from(*value == T::ZERO);
        }
        let sum = (i128::from(upper) << 32) + i128::from(lower);
        self.low = self.low.min(low);
        self.high = self.high.max(high);
        self.zeros += zeros;
        self.sum += sum;
        self.count += block.len() as u64;
        self.parts.add(&moments(block, low, high, sum));
        for value in block {
            self.distinct.add(value.bits());
        }
    }

    pub(super) fn end_part(&mut self, part: u64) {
        self.parts.end(part);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.nat += other.nat;
        self.zeros += other.zeros;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.sum += other.sum;
        self.parts.merge(other.parts);
        self.distinct.merge(&other.distinct);
        self.sample.merge(other.sample);
    }

    /// The mean, and what remains of it below 1.
    fn mean(&self) -> (i128, f64) {
        let count = i128::from(self.count.max(1));
        (self.sum.div_euclid(count), self.sum.rem_euclid(count) as f64 / count as f64)
    }

    pub(super) fn finish(self, bins: usize) -> Result<Summary> {
        let (whole, part) = self.mean();
        let mean = if is_beyond_floats(whole) { Value::Integer(whole) } else { Value::Float(whole as f64 + part) };
        let value = |value: T| Value::Integer(value.wide());
        let quantile = |low: T, high: T, part: f64| {
            if is_beyond_floats(low.wide()) || is_beyond_floats(high.wide()) {
                return Value::Integer(whole_between(low.wide(), high.wide(), part));
            }
            Value::Float(between(low.float(), high.float(), part))
        };
        let std = |std: f64| Value::Float(std);
        let zeros = Some(self.zeros);
        Ok(Summary { zeros, ..self.finish_with(bins, mean, std, value, quantile)? })
    }

    /// The summary of times, which `time` makes of counts of steps.
    pub(super) fn finish_times(self, bins: usize, time: impl Fn(i64) -> Value, std: impl Fn(f64) -> Value) -> Result<Summary> {
        let (whole, _) = self.mean();
        let narrow = |wide: i128| time(i64::try_from(wide).unwrap_or(i64::MAX));
        // Rounded down, as the quantiles are, by NumPy too.
        let mean = narrow(whole);
        let nan = Some(self.nat);
        let quantile = |low: T, high: T, part: f64| narrow(whole_between(low.wide(), high.wide(), part));
        let count = self.count + self.nat;
        let has_nat = self.nat > 0;
        let mut summary = self.finish_with(bins, mean, std, |value| narrow(value.wide()), quantile)?;
        if let (true, Some(distinct)) = (has_nat, &mut summary.distinct) {
            distinct.count += 1;
        }
        Ok(Summary { count, nan, ..summary })
    }

    fn finish_with(
        self,
        bins: usize,
        mean: Value,
        std: impl Fn(f64) -> Value,
        value: impl Fn(T) -> Value,
        quantile: impl Fn(T, T, f64) -> Value,
    ) -> Result<Summary> {
        let mut summary = Summary { count: self.count, distinct: Some(self.distinct.count()), ..Summary::default() };
        if self.count == 0 {
            return Ok(summary);
        }
        summary.min = Some(value(self.low));
        summary.max = Some(value(self.high));
        summary.mean = Some(mean);
        summary.std = Some(std(self.parts.total().std()));
        let is_exact = self.sample.is_exact();
        let sample = self.sample.into_sorted(T::cmp)?;
        let error = (!is_exact).then(|| rank_error(sample.len()));
        summary.quantiles = Quantiles::of(&sample, error, quantile);
        let whole = sample.iter().map(|(value, count)| (value.wide(), *count));
        summary.histogram = Some(Histogram::of_whole(whole, (self.low.wide(), self.high.wide()), bins, is_exact));
        Ok(summary)
    }

    /// Fails if there was no memory for a value.
    pub(super) fn expect_memory(&self) -> Result<()> {
        self.sample.expect_memory()
    }
}

/// Interpolates between integers, rounded down.
fn whole_between(low: i128, high: i128, part: f64) -> i128 {
    low + ((high - low) as f64 * part) as i128
}

/// Whether an integer has neighbours that are the same `f64`.
fn is_beyond_floats(value: i128) -> bool {
    value.unsigned_abs() > 1 << f64::MANTISSA_DIGITS
}

/// The moments of a block, of which the rest is known.
fn moments<T: Integer>(block: &[T], low: T, high: T, sum: i128) -> Moments {
    let count = block.len() as u64;
    let range = high.wide() - low.wide();
    if range < 1 << 62 {
        // Relative to the minimum, of which the distances are exact.
        let base = low.wide();
        let mean = (sum - base * i128::from(count)) as f64 / count as f64;
        let square = |value: &T| {
            let deviation = value.above(low) as f64 - mean;
            deviation * deviation
        };
        return Moments { count, base, mean, squares: block.iter().map(square).sum() };
    }
    let mean = sum as f64 / count as f64;
    let square = |value: &T| (value.float() - mean) * (value.float() - mean);
    Moments { count, base: 0, mean, squares: block.iter().map(square).sum() }
}

//! Statistics of floats, which all are computed as `f64`.

use super::distinct::Distinct;
use super::moments::{Moments, Parts};
use super::sample::{Sample, rank_error};
use super::summary::{Histogram, Quantiles, Summary, Value, between};
use super::{Budget, Total};
use crate::failure::Result;

/// Sums over the lanes of a block: enough for two registers, so that additions do not wait for each other.
const LANES: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Floats {
    pub(super) nan: u64,
    plus_inf: u64,
    minus_inf: u64,
    zeros: u64,
    low: f64,
    high: f64,
    parts: Parts,
    distinct: Distinct,
    sample: Sample<f64>,
    /// The values of a block without NaN and infinities.
    finite: Vec<f64>,
}

impl Floats {
    pub(super) fn new(total: Total, budget: Budget) -> Self {
        Self {
            nan: 0,
            plus_inf: 0,
            minus_inf: 0,
            zeros: 0,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            parts: Parts::default(),
            distinct: Distinct::new(budget.distinct),
            sample: Sample::new(total.0, budget.sample),
            finite: Vec::new(),
        }
    }

    /// Adds a block, which should fit into the first cache.
    pub(super) fn add(&mut self, position: u64, block: &[f64]) {
        self.sample.add(position, block, |value| !value.is_nan());
        let first = First::of(block);
        self.zeros += first.zeros;
        self.low = self.low.min(first.low);
        self.high = self.high.max(first.high);
        if first.sum.is_finite() {
            let mean = first.sum / block.len() as f64;
            self.parts.add(&Moments { count: block.len() as u64, base: 0, mean, squares: squares(block, mean) });
            // Without NaN; zeros of both signs are equal.
            for value in block {
                self.distinct.add((value + 0.0).to_bits());
            }
        } else {
            self.add_special(block);
        }
    }

    /// Adds a block with NaN or infinities, or whose sum overflows.
    fn add_special(&mut self, block: &[f64]) {
        let mut finite = std::mem::take(&mut self.finite);
        finite.clear();
        for value in block {
            match *value {
                value if value.is_nan() => self.nan += 1,
                f64::INFINITY => self.plus_inf += 1,
                f64::NEG_INFINITY => self.minus_inf += 1,
                value => finite.push(value),
            }
        }
        // Divided first, because the sum may overflow.
        let count = finite.len() as f64;
        let mean: f64 = finite.iter().map(|value| value / count).sum();
        self.parts.add(&Moments { count: finite.len() as u64, base: 0, mean, squares: squares(&finite, mean) });
        for value in &finite {
            self.distinct.add(bits(*value));
        }
        self.finite = finite;
    }

    pub(super) fn end_part(&mut self, part: u64) {
        self.parts.end(part);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.nan += other.nan;
        self.plus_inf += other.plus_inf;
        self.minus_inf += other.minus_inf;
        self.zeros += other.zeros;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.parts.merge(other.parts);
        self.distinct.merge(&other.distinct);
        self.sample.merge(other.sample);
    }

    /// The summary; `value` makes a value of the array's type.
    pub(super) fn finish(mut self, bins: usize, value: impl Fn(f64) -> Value) -> Result<Summary> {
        for (count, special) in [(self.nan, f64::NAN), (self.plus_inf, f64::INFINITY), (self.minus_inf, f64::NEG_INFINITY)] {
            if count > 0 {
                self.distinct.add(bits(special));
            }
        }
        let moments = self.parts.total();
        let inf = self.plus_inf + self.minus_inf;
        let numbers = moments.count + inf;
        let mut summary = Summary {
            count: numbers + self.nan,
            nan: Some(self.nan),
            inf: Some(inf),
            zeros: Some(self.zeros),
            distinct: Some(self.distinct.count()),
            ..Summary::default()
        };
        if numbers == 0 {
            return Ok(summary);
        }
        let mean = match (self.plus_inf, self.minus_inf) {
            (0, 0) => moments.mean,
            (_, 0) => f64::INFINITY,
            (0, _) => f64::NEG_INFINITY,
            (_, _) => f64::NAN,
        };
        summary.min = Some(value(self.low));
        summary.max = Some(value(self.high));
        summary.mean = Some(Value::Float(mean));
        summary.std = Some(Value::Float(if inf > 0 { f64::NAN } else { moments.std() }));
        let is_exact = self.sample.is_exact();
        let sample = self.sample.into_sorted(f64::total_cmp)?;
        let error = (!is_exact).then(|| rank_error(sample.len()));
        summary.quantiles = Quantiles::of(&sample, error, |low, high, part| value(between(low, high, part)));
        let finite = |wanted: &&(f64, u64)| wanted.0.is_finite();
        // The bounds of the finite values: of the sample only where infinities hide the others.
        let low = if self.low.is_finite() { Some(self.low) } else { sample.iter().find(finite).map(|(value, _)| *value) };
        let high = if self.high.is_finite() { Some(self.high) } else { sample.iter().rev().find(finite).map(|(value, _)| *value) };
        summary.histogram = low.zip(high).and_then(|(low, high)| Histogram::of(sample.into_iter(), low, high, bins, is_exact));
        Ok(summary)
    }

    /// Fails if there was no memory for a value.
    pub(super) fn expect_memory(&self) -> Result<()> {
        self.sample.expect_memory()
    }
}

/// What the first of two loops over a block finds.
struct First {
    low: f64,
    high: f64,
    /// Not finite if there is NaN or an infinity.
    sum: f64,
    zeros: u64,
}

impl First {
    fn of(block: &[f64]) -> Self {
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
        let mut first = Self {
            low: low.into_iter().fold(f64::INFINITY, f64::min),
            high: high.into_iter().fold(f64::NEG_INFINITY, f64::max),
            sum: sum.into_iter().sum(),
            zeros: zeros.into_iter().sum(),
        };
        for value in rest {
            first.low = first.low.min(*value);
            first.high = first.high.max(*value);
            first.sum += value;
            first.zeros += u64::from(*value == 0.0);
        }
        first
    }
}

/// The sum of squared deviations from the mean.
fn squares(block: &[f64], mean: f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (lanes, rest) = block.as_chunks::<LANES>();
    for values in lanes {
        for lane in 0..LANES {
            let deviation = values[lane] - mean;
            sums[lane] += deviation * deviation;
        }
    }
    let rest: f64 = rest.iter().map(|value| (value - mean) * (value - mean)).sum();
    sums.into_iter().sum::<f64>() + rest
}

/// The same bits for equal values: zeros of both signs are equal, and so are all NaN, as in `numpy.unique`.
#[inline]
pub(super) fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() }
}

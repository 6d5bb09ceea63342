//! The statistics of a leaf when all values were read.

use npy_core::dtype::Scalar;

use super::distinct::Count;
use crate::values::bins::WholeBins;

/// A value of the array, or of its type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Integer(i128),
    Float(f64),
    /// Of single or half precision, which takes fewer digits.
    Single(f64),
    Complex(f64, f64),
    /// A point in time or a span, in the steps of its dtype.
    Time(i64, Scalar),
    /// A part of steps of a time's dtype.
    Steps(f64, Scalar),
    /// With a mark at its end if it is cut.
    Text(String),
    /// Escaped as in Python, and marked like text.
    Bytes(String),
}

/// The statistics of a leaf; `None` where the dtype has none, or where there are no values.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    pub(super) count: u64,
    /// NaN, or NaT of times.
    pub(super) nan: Option<u64>,
    pub(super) inf: Option<u64>,
    pub(super) zeros: Option<u64>,
    /// Of text and bytes.
    pub(super) empty: Option<u64>,
    /// `None` among Python objects.
    pub(super) none: Option<u64>,
    /// Of Python objects of several kinds: how many there are of each type.
    pub(super) types: Vec<(String, u64)>,
    /// The length of the longest text.
    pub(super) longest: Option<u64>,
    pub(super) min: Option<Value>,
    pub(super) max: Option<Value>,
    pub(super) mean: Option<Value>,
    pub(super) std: Option<Value>,
    pub(super) quantiles: Option<Quantiles>,
    pub(super) distinct: Option<Count>,
    pub(super) histogram: Option<Histogram>,
}

/// The percentages of the quantiles.
pub(super) const PERCENTS: [u8; 7] = [1, 5, 25, 50, 75, 95, 99];

#[derive(Clone, Debug)]
pub(super) struct Quantiles {
    /// Of each of [`PERCENTS`].
    pub(super) values: Vec<Value>,
    /// The largest error of a rank as a part of 1; `None` if they are exact.
    pub(super) rank_error: Option<f64>,
}

/// Counts of bins of the same width from the minimum on.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    pub(super) counts: Vec<u64>,
    /// Of integers and times.
    pub(super) whole: Option<WholeBins>,
    pub(super) is_exact: bool,
}

impl Quantiles {
    /// Of values with their numbers, sorted; `between` interpolates.
    pub(super) fn of<T: Copy>(values: &[(T, u64)], rank_error: Option<f64>, between: impl Fn(T, T, f64) -> Value) -> Option<Self> {
        let total: u64 = values.iter().map(|(_, count)| count).sum();
        let last = total.checked_sub(1)?;
        let at = |rank: u64| {
            // The number of values up to each one, itself included.
            let mut end = 0;
            let is_at = |(_, count): &&(T, u64)| {
                end += count;
                end > rank
            };
            values.iter().find(is_at).map(|(value, _)| *value)
        };
        let quantile = |percent: &u8| {
            // The method `linear` of `numpy.quantile`.
            let position = f64::from(*percent) / 100.0 * last as f64;
            let rank = (position.floor() as u64).min(last);
            Some(between(at(rank)?, at((rank + 1).min(last))?, position - rank as f64))
        };
        Some(Self { values: PERCENTS.iter().map(quantile).collect::<Option<_>>()?, rank_error })
    }
}

/// Interpolates as `numpy.quantile` does.
pub(super) fn between(low: f64, high: f64, part: f64) -> f64 {
    // Infinities have no distance.
    if low == high || part == 0.0 {
        return low;
    }
    let distance = high - low;
    // Floats can be further apart than the greatest of them.
    if distance.is_infinite() && low.is_finite() && high.is_finite() {
        return low * (1.0 - part) + high * part;
    }
    if part >= 0.5 { high - distance * (1.0 - part) } else { low + distance * part }
}

impl Histogram {
    /// Counts finite values by the rules of `numpy.histogram`; `None` if there are none, or their range overflows.
    pub(super) fn of(
        values: impl Iterator<Item = (f64, u64)>,
        (low, high): (f64, f64),
        bins: usize,
        is_exact: bool,
    ) -> Option<Self> {
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let range = high - low;
        if !range.is_finite() || range <= 0.0 || bins == 0 {
            return None;
        }
        let step = range / bins as f64;
        let edge = |bin: usize| if bin == bins { high } else { bin as f64 * step + low };
        let mut counts = vec![0; bins];
        let mut total = 0_u64;
        for (value, count) in values.filter(|(value, _)| (low..=high).contains(value)) {
            let mut bin = (((value - low) / range * bins as f64) as usize).min(bins - 1);
            // Rounding may have moved it across an edge.
            if value < edge(bin) {
                bin = bin.saturating_sub(1);
            } else if value >= edge(bin + 1) && bin + 1 < bins {
                bin += 1;
            }
            if let Some(found) = counts.get_mut(bin) {
                *found += count;
                total += count;
            }
        }
        (total > 0).then_some(Self { counts, whole: None, is_exact })
    }

    /// Counts integers in at most `most` bins.
    pub(super) fn of_whole(
        values: impl Iterator<Item = (i128, u64)>,
        (low, high): (i128, i128),
        most: usize,
        is_exact: bool,
    ) -> Self {
        let bins = WholeBins::new(low, high, most);
        let mut counts = vec![0; bins.count()];
        for (value, count) in values {
            if let Some(found) = bins.bin_of(value).and_then(|bin| counts.get_mut(bin)) {
                *found += count;
            }
        }
        Self { counts, whole: Some(bins), is_exact }
    }

    /// A character for each bin, as high as its count. Only an empty bin is blank.
    pub(super) fn line(&self) -> String {
        const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let of_bin = |(bin, count): (usize, &u64)| self.whole.map_or(u128::from(*count), |bins| bins.density(bin, *count));
        let counts: Vec<u128> = self.counts.iter().enumerate().map(of_bin).collect();
        let most = counts.iter().copied().max().unwrap_or_default().max(1);
        let block = |count: &u128| {
            let height = count.saturating_mul(BLOCKS.len() as u128).div_ceil(most) as usize;
            height.checked_sub(1).and_then(|index| BLOCKS.get(index)).copied().unwrap_or(' ')
        };
        counts.iter().map(block).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_count_repeated_values() {
        let quantiles =
            Quantiles::of(&[(1.0, 3), (2.0, 1), (10.0, 1)], None, |low, high, part| Value::Float(between(low, high, part)));
        let values: Vec<Value> = quantiles.unwrap().values;
        // numpy.quantile([1, 1, 1, 2, 10], [0.25, 0.5, 0.75])
        assert_eq!(values[2..5], [Value::Float(1.0), Value::Float(1.0), Value::Float(2.0)]);
    }

    #[test]
    fn histogram_shows_every_value() {
        let values = [(0.0, 1), (1.0, 100), (4.0, 1)];
        let histogram = Histogram::of(values.into_iter(), (0.0, 4.0), 4, true).unwrap();
        assert_eq!(histogram.counts, [1, 100, 0, 1]);
        assert_eq!(histogram.line(), "▁█ ▁");
    }
}

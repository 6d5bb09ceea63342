//! Statistics of numbers of one or two bytes: how often each value is there. Everything else follows, exactly.

use super::distinct::Count;
use super::moments::Moments;
use super::summary::{Histogram, Quantiles, Summary, Value, between};

/// How often each of the 256 or 65,536 bit patterns is there.
#[derive(Clone, Debug)]
pub(super) struct Table {
    counts: Vec<u64>,
    /// A second table of bytes: a value that repeats does not wait for the count before.
    other: Vec<u64>,
}

impl Table {
    pub(super) fn new(bytes: usize) -> Self {
        let length = 1 << (8 * bytes);
        Self { counts: vec![0; length], other: vec![0; length] }
    }

    pub(super) fn add_bytes(&mut self, run: &[u8]) {
        let (pairs, rest) = run.as_chunks::<2>();
        for [first, second] in pairs {
            if let Some(count) = self.counts.get_mut(usize::from(*first)) {
                *count += 1;
            }
            if let Some(count) = self.other.get_mut(usize::from(*second)) {
                *count += 1;
            }
        }
        for byte in rest {
            if let Some(count) = self.counts.get_mut(usize::from(*byte)) {
                *count += 1;
            }
        }
    }

    #[inline]
    pub(super) fn add(&mut self, pattern: u16) {
        if let Some(count) = self.counts.get_mut(usize::from(pattern)) {
            *count += 1;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        for (count, more) in self.other.iter_mut().zip(&other.other) {
            *count += more;
        }
    }

    /// The patterns that are there, and their counts.
    fn found(&self) -> impl Iterator<Item = (u16, u64)> {
        let counts = self.counts.iter().zip(&self.other).map(|(count, other)| count + other);
        counts.enumerate().filter(|(_, count)| *count > 0).map(|(pattern, count)| (pattern as u16, count))
    }

    pub(super) fn finish_bools(&self) -> Summary {
        let (mut falses, mut trues) = (0, 0);
        self.found().for_each(|(pattern, count)| *if pattern == 0 { &mut falses } else { &mut trues } += count);
        let count = falses + trues;
        let distinct = Some(Count { count: u64::from(falses > 0) + u64::from(trues > 0), is_exact: true });
        let mut summary = Summary { count, zeros: Some(falses), distinct, ..Summary::default() };
        if count > 0 {
            let mean = trues as f64 / count as f64;
            summary.min = Some(Value::Bool(falses == 0));
            summary.max = Some(Value::Bool(trues > 0));
            summary.mean = Some(Value::Float(mean));
            summary.std = Some(Value::Float((mean * (1.0 - mean)).sqrt()));
        }
        summary
    }

    pub(super) fn finish_integers(&self, bins: usize, integer: impl Fn(u16) -> i32) -> Summary {
        let mut values: Vec<(i32, u64)> = self.found().map(|(pattern, count)| (integer(pattern), count)).collect();
        values.sort_unstable();
        let count = values.iter().map(|(_, count)| count).sum();
        let sum: i128 = values.iter().map(|(value, count)| i128::from(*value) * i128::from(*count)).sum();
        let zeros = values.iter().find(|(value, _)| *value == 0).map_or(0, |(_, count)| *count);
        let distinct = Some(Count { count: values.len() as u64, is_exact: true });
        let mut summary = Summary { count, zeros: Some(zeros), distinct, ..Summary::default() };
        let (Some((low, _)), Some((high, _))) = (values.first(), values.last()) else { return summary };
        let mean = sum as f64 / count as f64;
        summary.min = Some(Value::Integer(i128::from(*low)));
        summary.max = Some(Value::Integer(i128::from(*high)));
        let floats: Vec<(f64, u64)> = values.iter().map(|(value, count)| (f64::from(*value), *count)).collect();
        summary.std = Some(Value::Float(moments(&floats, mean).std()));
        summary.mean = Some(Value::Float(mean));
        summary.quantiles = Quantiles::of(&floats, None, |low, high, part| Value::Float(between(low, high, part)));
        let whole = values.iter().map(|(value, count)| (i128::from(*value), *count));
        summary.histogram = Some(Histogram::of_whole(whole, (i128::from(*low), i128::from(*high)), bins, true));
        summary
    }

    pub(super) fn finish_floats(&self, bins: usize, float: impl Fn(u16) -> f64) -> Summary {
        let (mut nan, mut inf, mut zeros) = (0, 0, 0);
        let mut values: Vec<(f64, u64)> = Vec::new();
        for (pattern, count) in self.found() {
            match float(pattern) {
                value if value.is_nan() => nan += count,
                value => {
                    inf += if value.is_infinite() { count } else { 0 };
                    zeros += if value == 0.0 { count } else { 0 };
                    values.push((value + 0.0, count));
                }
            }
        }
        values.sort_by(|one, other| one.0.total_cmp(&other.0));
        values.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        let numbers: u64 = values.iter().map(|(_, count)| count).sum();
        let distinct = Some(Count { count: values.len() as u64 + u64::from(nan > 0), is_exact: true });
        let mut summary =
            Summary { count: numbers + nan, nan: Some(nan), inf: Some(inf), zeros: Some(zeros), distinct, ..Summary::default() };
        let (Some((low, _)), Some((high, _))) = (values.first(), values.last()) else { return summary };
        // Infinities make it what it is in NumPy: infinite, or NaN where both signs are.
        let mean = values.iter().map(|(value, count)| value * *count as f64).sum::<f64>() / numbers as f64;
        summary.min = Some(Value::Single(*low));
        summary.max = Some(Value::Single(*high));
        summary.mean = Some(Value::Float(mean));
        summary.std = Some(Value::Float(moments(&values, mean).std()));
        summary.quantiles = Quantiles::of(&values, None, |low, high, part| Value::Single(between(low, high, part)));
        let finite = || values.iter().copied().filter(|(value, _)| value.is_finite());
        let bounds =
            finite().map(|(value, _)| value).min_by(f64::total_cmp).zip(finite().map(|(value, _)| value).max_by(f64::total_cmp));
        summary.histogram = bounds.and_then(|(low, high)| Histogram::of(finite(), low, high, bins, true));
        summary
    }
}

fn moments(values: &[(f64, u64)], mean: f64) -> Moments {
    let squares = values.iter().map(|(value, count)| (value - mean) * (value - mean) * *count as f64).sum();
    Moments { count: values.iter().map(|(_, count)| count).sum(), base: 0, mean, squares }
}

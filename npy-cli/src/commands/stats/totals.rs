//! The figures of numbers, which are merged from blocks or follow from counts.

use npy_core::dtype::Scalar;
use npy_core::scalar::Class;

use super::distinct::{Count, Distinct};
use super::moments::{Moments, Parts};
use super::number::{Number, Sums};
use super::sample::rank_error;
use super::summary::{Quantiles, Summary};

pub(super) struct Totals<T> {
    scalar: Scalar,
    /// With NaN.
    count: u64,
    nan: u64,
    infinite: u64,
    zeros: u64,
    range: Option<(T, T)>,
    parts: Parts,
    distinct: Distinct,
    /// The values of a block that are not left out.
    finite: Vec<T>,
}

/// Sorted values without NaN, each with the number of times that it is there.
pub(super) struct Values<T> {
    pub(super) sorted: Vec<(T, u64)>,
    /// Whether these are all.
    pub(super) is_exact: bool,
}

impl<T: Number> Totals<T> {
    /// Distinct values are counted exactly up to this number.
    pub(super) fn new(scalar: Scalar, distinct: usize) -> Self {
        let (parts, distinct) = (Parts::default(), Distinct::new(distinct));
        Self { scalar, count: 0, nan: 0, infinite: 0, zeros: 0, range: None, parts, distinct, finite: Vec::new() }
    }

    pub(super) fn is_nan(&self, value: T) -> bool {
        value.is_nan(self.scalar.time_unit().is_some())
    }

    /// Adds a block, which should fit into the first cache.
    #[inline(never)]
    pub(super) fn add(&mut self, block: &[T]) {
        self.count += block.len() as u64;
        match T::sums(block, self.scalar.time_unit().is_some()) {
            Some(sums) => self.add_finite(block, &sums),
            None => self.add_special(block),
        }
    }

    /// Adds a block with NaN or infinities, or whose sum overflows.
    fn add_special(&mut self, block: &[T]) {
        let mut finite = std::mem::take(&mut self.finite);
        finite.clear();
        for value in block.iter().copied() {
            if self.is_nan(value) {
                self.nan += 1;
            } else if value.is_infinite() {
                self.infinite += 1;
                self.widen(value, value);
                value.add_to(&mut self.distinct);
            } else {
                finite.push(value);
            }
        }
        if !finite.is_empty() {
            self.add_finite(&finite, &T::finite_sums(&finite));
        }
        self.finite = finite;
    }

    fn add_finite(&mut self, values: &[T], sums: &Sums<T>) {
        self.infinite += sums.infinite;
        self.zeros += sums.zeros;
        self.widen(sums.low, sums.high);
        self.parts.add(&sums.moments);
        for value in values {
            value.add_to(&mut self.distinct);
        }
    }

    fn widen(&mut self, low: T, high: T) {
        let (least, greatest) = self.range.unwrap_or((low, high));
        self.range = Some((if low < least { low } else { least }, if high > greatest { high } else { greatest }));
    }

    pub(super) fn end_part(&mut self, part: u64) {
        self.parts.end(part);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.nan += other.nan;
        self.infinite += other.infinite;
        self.zeros += other.zeros;
        if let Some((low, high)) = other.range {
            self.widen(low, high);
        }
        self.parts.merge(other.parts);
        self.distinct.merge(&other.distinct);
    }

    /// The summary of values with their counts, in any order, some perhaps repeatedly.
    pub(super) fn of_counts(mut self, mut counts: Vec<(T, u64)>, bins: usize) -> Summary {
        counts.sort_unstable_by(|one, other| one.0.order(&other.0));
        let (mut moments, mut sorted) = (Moments::default(), Vec::<(T, u64)>::new());
        for (value, count) in counts {
            self.count += count;
            match sorted.last_mut() {
                _ if self.is_nan(value) => self.nan += count,
                Some(last) if last.0 == value => last.1 += count,
                _ => sorted.push((value, count)),
            }
        }
        for (value, count) in &sorted {
            self.widen(*value, *value);
            value.add_to(&mut self.distinct);
            let (float, whole) = value.weight();
            self.zeros += if float == 0.0 { *count } else { 0 };
            if value.is_infinite() {
                self.infinite += count;
            } else {
                moments.count += count;
                moments.sum += whole * i128::from(*count);
                moments.mean += float * *count as f64;
            }
        }
        moments.mean /= moments.count as f64;
        let finite = sorted.iter().filter(|(value, _)| !value.is_infinite());
        let deviations = finite.map(|(value, count)| (value.weight().0 - moments.mean, *count as f64));
        moments.squares = deviations.map(|(deviation, count)| deviation * deviation * count).sum();
        self.parts.add(&[moments, Moments::default()]);
        self.end_part(0);
        self.summary(&Values { sorted, is_exact: true }, bins)
    }

    pub(super) fn summary(self, values: &Values<T>, bins: usize) -> Summary {
        let scalar = self.scalar;
        let is_time = scalar.time_unit().is_some();
        let with_nan = |found: Count| Count { count: found.count + u64::from(found.is_exact && self.nan > 0), ..found };
        let mut summary = Summary {
            count: self.count,
            nan: (T::IS_FLOAT || is_time).then_some(self.nan),
            inf: T::IS_FLOAT.then_some(self.infinite),
            zeros: (!is_time).then_some(self.zeros),
            distinct: self.distinct.count().map(with_nan),
            ..Summary::default()
        };
        let Some(range) = self.range else { return summary };
        summary.min = Some(range.0.value(scalar));
        summary.max = Some(range.1.value(scalar));
        let (mean, std) = T::mean(&self.parts.total(), range, scalar);
        (summary.mean, summary.std) = (Some(mean), Some(std));
        if scalar.class() != Class::Bool && !values.sorted.is_empty() {
            let error = (!values.is_exact).then(|| rank_error(values.sorted.len()));
            summary.quantiles = Quantiles::of(&values.sorted, error, |low, high, part| T::between(low, high, part, scalar));
            summary.histogram = T::histogram(&values.sorted, range, bins, values.is_exact);
        }
        summary
    }
}

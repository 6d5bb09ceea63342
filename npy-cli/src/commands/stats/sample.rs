//! A sample of values by their positions, for quantiles and histograms.

use std::cmp::Ordering;

use super::distinct::mix;
use crate::failure::{Failure, Result};

/// One value of each stratum of positions, at a place that a hash of the stratum's number chooses.
///
/// Which values it has depends on the positions alone, so it is the same for any number of threads. If a stratum is one
/// value, it has all of them. By Hoeffding's inequality, the rank of a quantile is off by more than e with a probability of at
/// most 2 exp(-2 n e²), where n is the number of strata, whatever the order of the values.
#[derive(Clone, Debug)]
pub(super) struct Sample<T> {
    stratum: u64,
    values: Vec<T>,
    /// The bytes for which there was no memory. Values are missing then.
    failed: Option<usize>,
}

impl<T: Copy> Sample<T> {
    /// At most `most` of `total` values.
    pub(super) fn new(total: u64, most: u64) -> Self {
        Self { stratum: total.div_ceil(most.max(1)).max(1), values: Vec::new(), failed: None }
    }

    /// Samples values of which the first is at `position`, but for those that `is_number` rejects.
    #[inline]
    pub(super) fn add(&mut self, position: u64, values: &[T], is_number: impl Fn(T) -> bool) {
        let most = usize::try_from(values.len() as u64 / self.stratum + 2).unwrap_or(usize::MAX);
        if !self.reserve(most) {
            return;
        }
        if self.stratum == 1 {
            self.values.extend(values.iter().copied().filter(|value| is_number(*value)));
            return;
        }
        let mut number = position / self.stratum;
        loop {
            let chosen = self.position(number);
            if let Some(offset) = chosen.checked_sub(position) {
                let Some(value) = usize::try_from(offset).ok().and_then(|offset| values.get(offset)) else { return };
                if is_number(*value) {
                    self.values.push(*value);
                }
            }
            number += 1;
        }
    }

    /// The position that is chosen in a stratum.
    fn position(&self, number: u64) -> u64 {
        let within = (u128::from(mix(number ^ 0x9e37_79b9_7f4a_7c15)) * u128::from(self.stratum)) >> 64;
        number.saturating_mul(self.stratum).saturating_add(within as u64)
    }

    /// Takes memory for more values; `false` if there was none.
    fn reserve(&mut self, more: usize) -> bool {
        if self.failed.is_none() && self.values.try_reserve(more).is_err() {
            self.failed = Some(self.values.len().saturating_add(more).saturating_mul(size_of::<T>()));
        }
        self.failed.is_none()
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.failed = self.failed.or(other.failed);
        if self.reserve(other.values.len()) {
            self.values.extend(other.values);
        }
    }

    /// Fails if there was no memory for a value.
    pub(super) fn expect_memory(&self) -> Result<()> {
        self.failed.map_or(Ok(()), |bytes| Err(Failure::allocation(bytes)))
    }

    /// Whether these are all values.
    pub(super) fn is_exact(&self) -> bool {
        self.stratum == 1
    }

    /// The sorted values, each with the number 1.
    pub(super) fn into_sorted(mut self, compare: impl Fn(&T, &T) -> Ordering) -> Result<Vec<(T, u64)>> {
        self.expect_memory()?;
        self.values.sort_unstable_by(compare);
        let mut sorted = Vec::new();
        let bytes = self.values.len().saturating_mul(size_of::<(T, u64)>());
        sorted.try_reserve_exact(self.values.len()).map_err(|_| Failure::allocation(bytes))?;
        sorted.extend(self.values.into_iter().map(|value| (value, 1)));
        Ok(sorted)
    }
}

/// The largest error of a rank, as a part of 1, of a sample of this size: it is exceeded with a probability of 1e-9.
pub(super) fn rank_error(size: usize) -> f64 {
    if size == 0 { 1.0 } else { ((2.0_f64 / 1e-9).ln() / (2.0 * size as f64)).sqrt().min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_same_in_any_pieces() {
        let values: Vec<u64> = (0..10_000).collect();
        let mut whole = Sample::new(10_000, 100);
        whole.add(0, &values, |_| true);
        let mut pieces = Sample::new(10_000, 100);
        for (i, piece) in values.chunks(37).enumerate() {
            pieces.add(i as u64 * 37, piece, |_| true);
        }
        let [whole, pieces] = [whole, pieces].map(|sample| sample.into_sorted(u64::cmp).unwrap());
        assert_eq!(whole, pieces);
        assert_eq!(whole.len(), 100);
        assert!(whole.iter().enumerate().all(|(i, (value, count))| value / 100 == i as u64 && *count == 1));
    }

    #[test]
    fn memory_that_ends_is_an_error() {
        let mut sample = Sample::new(1, 1);
        sample.add(0, &[7_u64], |_| true);
        assert!(!sample.reserve(usize::MAX >> 4) && sample.expect_memory().is_err());
        let mut other = Sample::new(1, 1);
        other.merge(sample);
        assert!(other.into_sorted(u64::cmp).is_err());
    }
}

//! Bins of histograms.

/// The part of a range before a number.
#[cfg(any(feature = "plot", feature = "view"))]
pub(crate) fn part(number: f64, least: f64, most: f64) -> f64 {
    // Halves, because the range of all floats exceeds a float.
    (number / 2.0 - least / 2.0) / (most / 2.0 - least / 2.0)
}

/// The ends of a range, apart from each other: a single value is in the middle.
#[cfg(any(feature = "plot", feature = "view"))]
pub(crate) fn widened(least: f64, most: f64) -> [f64; 2] {
    if least < most {
        return [least, most];
    }
    [(least - 0.5_f64.max(least.abs() / 10.0)).max(f64::MIN), (most + 0.5_f64.max(most.abs() / 10.0)).min(f64::MAX)]
}

/// The bin of `count` equal ones at a part of their range. The end of the range belongs to the last one.
#[cfg(any(feature = "plot", feature = "view"))]
pub(crate) fn bin(part: f64, count: usize) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let bin = (part * count as f64) as usize;
    bin.min(count.saturating_sub(1))
}

/// Bins that begin at integers and have as many integers each, so that equal counts of all integers fill them alike.
///
/// The last one has fewer where the range is no multiple: its height is its [`density`](Self::density).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WholeBins {
    low: i128,
    high: i128,
    /// The integers of a bin.
    pub(crate) width: i128,
}

impl WholeBins {
    /// At most `most` bins from the smallest value to the largest.
    pub(crate) fn new(low: i128, high: i128, most: usize) -> Self {
        let most = i128::try_from(most.max(1)).unwrap_or(i128::MAX);
        let span = high.saturating_sub(low).saturating_add(1).max(1);
        Self { low, high, width: (span - 1) / most + 1 }
    }

    pub(crate) fn count(&self) -> usize {
        self.bin_of(self.high).map_or(1, |bin| bin + 1)
    }

    /// The bin of a value that is not below the smallest.
    pub(crate) fn bin_of(&self, value: i128) -> Option<usize> {
        usize::try_from((value - self.low) / self.width).ok()
    }

    /// The first integer of a bin.
    pub(crate) fn first(&self, bin: usize) -> i128 {
        self.low + bin as i128 * self.width
    }

    /// The count of a bin as if it had as many integers as any other.
    pub(crate) fn density(&self, bin: usize, count: u64) -> u128 {
        let integers = self.width.min(self.high - self.first(bin) + 1).max(1).unsigned_abs();
        // A bin has no more values than there are bytes in a file.
        u128::from(count).saturating_mul(self.width.unsigned_abs()) / integers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_integers_have_a_flat_histogram() {
        for (low, count, most) in [(0, 47, 40), (0, 47, 16), (-3, 7, 40), (0, 256, 40), (i128::from(u64::MAX) - 9, 10, 3)] {
            let bins = WholeBins::new(low, low + count - 1, most);
            let mut counts = vec![0; bins.count()];
            (low..low + count).for_each(|value| counts[bins.bin_of(value).unwrap()] += 12);
            assert!(counts.len() <= most, "{low} {count} {most}");
            let heights: Vec<u128> = counts.iter().enumerate().map(|(bin, count)| bins.density(bin, *count)).collect();
            assert!(heights.iter().all(|height| *height == heights[0]), "{low} {count} {most}: {heights:?}");
        }
        let all = WholeBins::new(0, i128::from(u64::MAX), 40);
        assert_eq!((all.count(), all.bin_of(i128::from(u64::MAX))), (40, Some(39)));
    }
}

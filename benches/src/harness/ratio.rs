//! How long one contender takes beside another, and how sure that is.

use std::fmt;

/// The ratio from which on one contender counts as slower: equal ones differ by as much.
const CLEARLY: f64 = 1.02;

/// The probability on either side that the median lies outside the interval.
const OUTSIDE: f64 = 0.025;

/// The time of one contender in units of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// The 95 % confidence interval of the median.
    pub(crate) interval: (f64, f64),
    /// Whether it is the quotient of two medians, because there are no samples.
    pub(crate) is_estimate: bool,
}

/// What the rounds say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// As fast as the baseline or faster, within what equal contenders differ by.
    NotSlower,
    /// The rounds do not decide.
    Undecided,
    Slower,
}

impl Ratio {
    /// The ratio of these rounds; `None` if there are none.
    pub(crate) fn of_rounds(mut ratios: Vec<f64>) -> Option<Self> {
        let median = median(&mut ratios);
        // Sorted by now.
        let (&least, &most) = (ratios.first()?, ratios.last()?);
        let interval = interval_of_median(&ratios).unwrap_or(match ratios[..] {
            [_] => (f64::NEG_INFINITY, f64::INFINITY),
            // A guess: as far beyond the extremes as they lie apart.
            _ => (least * least / most, most * most / least),
        });
        Some(Self { median, least, most, interval, is_estimate: false })
    }

    /// The quotient of two medians.
    pub(crate) fn estimate(ratio: f64) -> Self {
        Self { median: ratio, least: ratio, most: ratio, interval: (ratio, ratio), is_estimate: true }
    }

    pub(crate) fn standing(self) -> Standing {
        match self.interval {
            (_, high) if high <= CLEARLY => Standing::NotSlower,
            (low, _) if low > CLEARLY => Standing::Slower,
            _ => Standing::Undecided,
        }
    }
}

/// Three decimals, after `~` if it is an estimate, before `?` if the rounds do not decide.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let estimate = if self.is_estimate { "~" } else { "" };
        let open = if self.standing() == Standing::Undecided { "?" } else { "" };
        match self.median {
            median if median < 0.0005 => write!(f, "<0.001"),
            median => write!(f, "{estimate}{median:.3}{open}"),
        }
    }
}

/// The median. Sorts the values.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values {
        [] => f64::NAN,
        _ if values.len() % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// The confidence interval of the sign test, which holds for any distribution.
///
/// Leaves out as many of the least and of the most as a fair coin allows. Fewer than six values are
/// too few for that.
fn interval_of_median(sorted: &[f64]) -> Option<(f64, f64)> {
    let count = sorted.len();
    let mut left_out = None;
    let mut exactly = 0.5_f64.powi(i32::try_from(count).ok()?);
    let mut at_most = exactly;
    for next in 0..count {
        if at_most > OUTSIDE {
            break;
        }
        left_out = Some(next);
        exactly *= (count - next) as f64 / (next + 1) as f64;
        at_most += exactly;
    }
    let left_out = left_out?;
    Some((sorted[left_out], sorted[count - 1 - left_out]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(count: u32) -> Option<(f64, f64)> {
        let values: Vec<_> = (1..=count).map(f64::from).collect();
        interval_of_median(&values)
    }

    #[test]
    fn intervals_match_the_tables_of_the_sign_test() {
        // Ranks for 95 %.
        let expected = [(1.0, 6.0), (2.0, 8.0), (2.0, 10.0), (4.0, 12.0), (6.0, 15.0), (8.0, 18.0), (18.0, 33.0)];
        assert_eq!([6, 9, 11, 15, 20, 25, 50].map(ranks), expected.map(Some));
        assert_eq!([0, 1, 3, 5].map(ranks), [None; 4]);
    }

    #[test]
    fn median_of_an_even_count_is_a_midpoint() {
        let text = |values: &mut [f64]| median(values).to_string();
        assert_eq!([text(&mut [3.0, 1.0, 2.0]), text(&mut [4.0, 1.0, 2.0, 3.0]), text(&mut [])], ["2", "2.5", "NaN"]);
    }

    #[test]
    fn noisy_rounds_do_not_decide() {
        let standing = |ratios: &[f64]| Ratio::of_rounds(ratios.to_vec()).unwrap().standing();
        assert_eq!(standing(&[1.05, 1.1, 1.03, 1.2, 1.04, 1.06]), Standing::Slower);
        assert_eq!(standing(&[1.05, 1.1, 1.01, 1.2, 1.04, 1.06]), Standing::Undecided);
        assert_eq!(standing(&[0.9, 1.01, 1.0, 0.99, 1.02, 0.95]), Standing::NotSlower);
        // Of few, only a clear difference decides, and one alone does not at all.
        assert_eq!(standing(&[0.5, 0.6, 0.55]), Standing::NotSlower);
        assert_eq!(standing(&[1.0, 0.9, 0.95]), Standing::Undecided);
        assert_eq!(standing(&[2.0, 1.8, 1.9]), Standing::Slower);
        assert_eq!(standing(&[0.1]), Standing::Undecided);
        // One round in nine says nothing.
        assert_eq!(standing(&[0.9, 1.01, 1.0, 0.99, 1.02, 0.95, 0.9, 3.0, 0.9]), Standing::NotSlower);
    }
}

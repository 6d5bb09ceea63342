//! How many times the time of another contender one takes, and how sure that is.

/// From which ratio on one contender counts as slower than another: equal ones differ by as much.
const CLEARLY: f64 = 1.02;

/// How likely at most the median lies below the interval, and how likely at most above it.
const OUTSIDE: f64 = 0.025;

/// How many times the time of another contender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Where the median of ever so many rounds lies, 19 times in 20 if one asks once.
    pub(crate) interval: (f64, f64),
}

/// What the rounds say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// As fast as the other one or faster, but for what equal ones differ by.
    NotSlower,
    /// They do not decide.
    Undecided,
    Slower,
}

impl Ratio {
    /// Of the ratios within rounds; `None` if there was no round.
    pub(crate) fn of_rounds(mut ratios: Vec<f64>) -> Option<Self> {
        let median = median(&mut ratios);
        // Sorted by now.
        let (&least, &most) = (ratios.first()?, ratios.last()?);
        let interval = interval_of_median(&ratios).unwrap_or(match ratios[..] {
            [_] => (f64::NEG_INFINITY, f64::INFINITY),
            // A guess: wider than they are by as much as they differ.
            _ => (least * least / most, most * most / least),
        });
        Some(Self { median, least, most, interval })
    }

    /// The median, and where it lies.
    pub(crate) fn with_interval(self) -> String {
        let Self { median, interval: (low, high), .. } = self;
        format!("{median:.3} ({low:.3} to {high:.3})")
    }

    pub(crate) fn standing(self) -> Standing {
        match self.interval {
            (_, high) if high <= CLEARLY => Standing::NotSlower,
            (low, _) if low > CLEARLY => Standing::Slower,
            _ => Standing::Undecided,
        }
    }
}

/// Sorts them.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values {
        [] => f64::NAN,
        _ if values.len() % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// As many of the least and of the most are left out as a fair coin allows: each value is below the true median as likely as above it, whatever their
/// distribution. Fewer than six are too few for that.
fn interval_of_median(sorted: &[f64]) -> Option<(f64, f64)> {
    let count = sorted.len();
    let mut left_out = None;
    let mut of_this_many = 0.5_f64.powi(i32::try_from(count).ok()?);
    let mut of_so_many_at_most = of_this_many;
    for next in 0..count {
        if of_so_many_at_most > OUTSIDE {
            break;
        }
        left_out = Some(next);
        of_this_many *= (count - next) as f64 / (next + 1) as f64;
        of_so_many_at_most += of_this_many;
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
    fn intervals_of_a_median_are_those_of_the_tables() {
        // Ranks as printed in tables of the sign test, for 95 %.
        let expected = [(1.0, 6.0), (2.0, 8.0), (2.0, 10.0), (4.0, 12.0), (6.0, 15.0), (8.0, 18.0), (18.0, 33.0)];
        assert_eq!([6, 9, 11, 15, 20, 25, 50].map(ranks), expected.map(Some));
        assert_eq!([0, 1, 3, 5].map(ranks), [None; 4]);
    }

    #[test]
    fn medians_of_even_counts_lie_between_two() {
        let text = |values: &mut [f64]| median(values).to_string();
        assert_eq!([text(&mut [3.0, 1.0, 2.0]), text(&mut [4.0, 1.0, 2.0, 3.0]), text(&mut [])], ["2", "2.5", "NaN"]);
    }

    #[test]
    fn rounds_that_differ_more_than_the_contenders_do_not_decide() {
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

//! How many times the time of another candidate one takes, and how sure that is.

/// From which ratio on one candidate counts as slower than another: equal ones differ by as much.
const CLEARLY: f64 = 1.02;

/// How likely the median lies below the interval, and how likely above it.
const OUTSIDE: f64 = 0.025;

/// How many times the time of another candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Where the median of ever so many rounds lies, 19 times in 20.
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
        Some(Self { median, least, most, interval: interval_of_median(&ratios)? })
    }

    /// The median, and where it lies.
    pub(crate) fn with_interval(self) -> String {
        let Self { median, interval: (low, high), .. } = self;
        format!("{median:.2} ({low:.2} to {high:.2})")
    }

    pub(crate) fn standing(self) -> Standing {
        match self.interval {
            (_, high) if high <= CLEARLY => Standing::NotSlower,
            (low, _) if low > CLEARLY => Standing::Slower,
            _ => Standing::Undecided,
        }
    }
}

/// Sorts them; the upper one of two in the middle.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// As many of the least and of the most are left out as a fair coin allows: each value is below the true median as likely as above it, whatever their
/// distribution. Fewer than six allow none to be left out, and are less sure than the others.
fn interval_of_median(sorted: &[f64]) -> Option<(f64, f64)> {
    let count = sorted.len();
    let mut left_out = 0;
    let mut of_this_many = 0.5_f64.powi(i32::try_from(count).ok()?);
    let mut of_so_many_at_most = of_this_many;
    loop {
        of_this_many *= (count - left_out) as f64 / (left_out + 1) as f64;
        of_so_many_at_most += of_this_many;
        if of_so_many_at_most > OUTSIDE {
            return Some((*sorted.get(left_out)?, *sorted.get(count - 1 - left_out)?));
        }
        left_out += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(count: u32) -> (f64, f64) {
        let values: Vec<_> = (1..=count).map(f64::from).collect();
        interval_of_median(&values).unwrap()
    }

    #[test]
    fn intervals_of_a_median_are_those_of_the_tables() {
        // Ranks as printed in tables of the sign test, for 95 %.
        assert_eq!(
            [6, 9, 11, 15, 20, 25, 50].map(ranks),
            [(1.0, 6.0), (2.0, 8.0), (2.0, 10.0), (4.0, 12.0), (6.0, 15.0), (8.0, 18.0), (18.0, 33.0)]
        );
        assert_eq!([1, 3, 5].map(ranks), [(1.0, 1.0), (1.0, 3.0), (1.0, 5.0)]);
        assert_eq!(interval_of_median(&[]), None);
    }

    #[test]
    fn rounds_that_differ_more_than_the_candidates_do_not_decide() {
        let standing = |ratios: &[f64]| Ratio::of_rounds(ratios.to_vec()).unwrap().standing();
        assert_eq!(standing(&[1.05, 1.1, 1.03, 1.2, 1.04, 1.06]), Standing::Slower);
        assert_eq!(standing(&[1.05, 1.1, 1.01, 1.2, 1.04, 1.06]), Standing::Undecided);
        assert_eq!(standing(&[0.9, 1.01, 1.0, 0.99, 1.02, 0.95]), Standing::NotSlower);
        // One round in nine says nothing.
        assert_eq!(standing(&[0.9, 1.01, 1.0, 0.99, 1.02, 0.95, 0.9, 3.0, 0.9]), Standing::NotSlower);
    }
}

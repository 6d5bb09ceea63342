//! How fast a candidate of ours has to be.

use crate::outcome::{Measured, Ratio, seconds};

/// A bound on the time of one of our candidates.
///
/// The candidate or its base need not be there: NumPy may be missing on the machine, and a variant may not be written yet. The target then counts as
/// not measured, and adding the candidate to the row is all that it takes to measure it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    ours: &'static str,
    bound: Bound,
}

#[derive(Clone, Debug)]
enum Bound {
    /// So many times the time of the fastest of these.
    Factor(f64, Vec<&'static str>),
    /// So many seconds.
    Time(f64),
    /// Something that a clock does not tell.
    Other(&'static str),
}

/// A target, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) text: String,
    pub(crate) state: State,
}

/// Whether a target is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Met,
    Missed,
    NotMeasured,
}

impl Target {
    /// At most `factor` times the time of another candidate.
    pub(crate) fn factor(ours: &'static str, factor: f64, base: &'static str) -> Self {
        Self::factor_of_best(ours, factor, &[base])
    }

    /// At most `factor` times the time of whichever of the others is the fastest.
    pub(crate) fn factor_of_best(ours: &'static str, factor: f64, bases: &[&'static str]) -> Self {
        Self { ours, bound: Bound::Factor(factor, bases.to_vec()) }
    }

    /// At least so many times as fast as another candidate.
    pub(crate) fn speedup(ours: &'static str, speedup: f64, base: &'static str) -> Self {
        Self::factor(ours, speedup.recip(), base)
    }

    /// At most so many seconds.
    pub(crate) fn time(ours: &'static str, seconds: f64) -> Self {
        Self { ours, bound: Bound::Time(seconds) }
    }

    /// One that these rounds do not measure.
    pub(crate) fn other(ours: &'static str, text: &'static str) -> Self {
        Self { ours, bound: Bound::Other(text) }
    }

    /// Compares the times.
    pub(crate) fn judge(&self, candidates: &[Measured]) -> Verdict {
        let find = |name: &str| candidates.iter().find(|candidate| candidate.name == name);
        let (wanted, found) = match &self.bound {
            Bound::Factor(factor, bases) => {
                let measured: Option<Vec<_>> = bases.iter().map(|base| find(base)).collect();
                let ratio = find(self.ours).zip(measured).and_then(|(ours, bases)| Ratio::to_fastest(ours, &bases));
                let name = if let [base] = bases[..] { base.to_owned() } else { format!("the fastest of {}", bases.join(", ")) };
                let ratio = ratio.map(|ratio| (format!("{:.3}", ratio.median), ratio.median <= *factor));
                (format!("≤ {} × {name}", short(*factor)), ratio)
            }
            Bound::Time(most) => {
                let time = find(self.ours).map(|ours| (seconds(ours.median()), ours.median() <= *most));
                (format!("≤ {}", seconds(*most)), time)
            }
            Bound::Other(text) => ((*text).to_owned(), None),
        };
        let (found, state) = match found {
            Some((found, true)) => (format!("{found} met"), State::Met),
            Some((found, false)) => (format!("{found} **missed**"), State::Missed),
            None => ("not measured".to_owned(), State::NotMeasured),
        };
        Verdict { text: format!("{} {wanted}: {found}", self.ours), state }
    }
}

/// With as many digits as the targets have.
fn short(factor: f64) -> String {
    let text = format!("{factor:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Role;

    fn measured(name: &str, times: &[f64]) -> Measured {
        Measured { name: name.to_owned(), role: Role::Ours, times: times.to_vec(), remark: String::new() }
    }

    #[test]
    fn a_ratio_is_the_median_of_those_within_the_rounds() {
        // The second round was slow for both of them.
        let candidates = [measured("ours", &[1.0, 9.0, 1.2]), measured("base", &[2.0, 18.0, 2.0])];
        let verdict = Target::factor("ours", 0.5, "base").judge(&candidates);
        assert_eq!((verdict.text.as_str(), verdict.state), ("ours ≤ 0.5 × base: 0.500 met", State::Met));
        let verdict = Target::factor("ours", 0.45, "base").judge(&candidates);
        assert_eq!((verdict.text.as_str(), verdict.state), ("ours ≤ 0.45 × base: 0.500 **missed**", State::Missed));
        assert_eq!(Target::speedup("ours", 2.1, "base").judge(&candidates).state, State::Missed);
    }

    #[test]
    fn the_fastest_base_is_that_of_each_round() {
        let candidates = [measured("ours", &[1.0]), measured("a", &[4.0]), measured("b", &[2.0])];
        let verdict = Target::factor_of_best("ours", 0.4, &["a", "b"]).judge(&candidates);
        assert_eq!(verdict.text, "ours ≤ 0.4 × the fastest of a, b: 0.500 **missed**");
    }

    #[test]
    fn what_is_not_there_is_not_measured() {
        let candidates = [measured("ours", &[25e-9])];
        assert_eq!(Target::factor("ours", 0.5, "np.load").judge(&candidates).state, State::NotMeasured);
        assert_eq!(Target::factor("ours, 2 threads", 0.5, "ours").judge(&candidates).state, State::NotMeasured);
        assert_eq!(Target::other("ours", "one allocation").judge(&candidates).text, "ours one allocation: not measured");
        assert_eq!(Target::time("ours", 30e-9).judge(&candidates).text, "ours ≤ 30.0 ns: 25.0 ns met");
        assert_eq!(Target::time("ours", 20e-9).judge(&candidates).state, State::Missed);
    }
}

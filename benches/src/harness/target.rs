//! How fast a contender of ours has to be.

use crate::harness::outcome::{Role, Series, seconds};

/// A bound on the time of one of our contenders.
///
/// The contender or its base need not be there: NumPy may be missing on the machine, and a variant may not be written yet. The target then counts as
/// not measured, and adding the contender to the case is all that it takes to measure it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    ours: &'static str,
    goal: Goal,
    bound_by: Option<&'static str>,
    limits: &'static [&'static str],
}

#[derive(Clone, Debug)]
enum Goal {
    /// So many times the time of the fastest of these.
    Factor(f64, Vec<&'static str>),
    /// So many seconds.
    Time(f64),
}

/// A target, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) text: String,
    pub(crate) state: State,
    /// What bounds the contender, as far as it is known; only those who missed the target need it.
    pub(crate) bound: Option<String>,
}

/// Whether a target is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Met,
    Missed,
    NotMeasured,
}

impl Verdict {
    /// The text, and if the target was missed, a line below it that says what bounds it.
    pub(crate) fn with_bound(&self) -> String {
        if self.state != State::Missed {
            return self.text.clone();
        }
        format!("{}\n  - bound: {}", self.text, self.bound.as_deref().unwrap_or("not known"))
    }

    /// Whether nobody knows why it was missed.
    pub(crate) fn is_unexplained(&self) -> bool {
        self.state == State::Missed && self.bound.is_none()
    }
}

impl Target {
    /// At most `factor` times the time of another contender.
    pub(crate) fn factor(ours: &'static str, factor: f64, base: &'static str) -> Self {
        Self::factor_of_best(ours, factor, &[base])
    }

    /// At most `factor` times the time of whichever of the others is the fastest.
    pub(crate) fn factor_of_best(ours: &'static str, factor: f64, bases: &[&'static str]) -> Self {
        Self::new(ours, Goal::Factor(factor, bases.to_vec()))
    }

    /// At least so many times as fast as another contender.
    pub(crate) fn speedup(ours: &'static str, speedup: f64, base: &'static str) -> Self {
        Self::factor(ours, speedup.recip(), base)
    }

    /// At most so many seconds.
    pub(crate) fn time(ours: &'static str, seconds: f64) -> Self {
        Self::new(ours, Goal::Time(seconds))
    }

    fn new(ours: &'static str, goal: Goal) -> Self {
        Self { ours, goal, bound_by: None, limits: &[] }
    }

    /// Says what bounds this contender, where it is something else than what bounds the others of the case.
    pub(crate) fn bound_by(self, text: &'static str) -> Self {
        Self { bound_by: Some(text), ..self }
    }

    /// Names the limits of which one at least should have met the target before a miss is ours: all that do the whole job of the contender.
    ///
    /// Without, it is the first limit of the case, for contenders in one thread.
    pub(crate) fn limited_by(self, limits: &'static [&'static str]) -> Self {
        Self { limits, ..self }
    }

    /// Compares the times. `of_case` says what bounds the contenders of the case.
    pub(crate) fn judge(&self, contenders: &[Series], of_case: Option<&'static str>) -> Verdict {
        let (wanted, found) = match &self.goal {
            Goal::Factor(factor, bases) => {
                let ratio = find(contenders, self.ours)
                    .zip(find_all(contenders, bases))
                    .and_then(|(ours, bases)| ours.ratio_to_fastest(&bases));
                let ratio = ratio.map(|ratio| (format!("{:.3}", ratio.median), ratio.median <= *factor));
                (format!("≤ {} × {}", short(*factor), fastest_of(bases)), ratio)
            }
            Goal::Time(most) => {
                let time = find(contenders, self.ours).map(|ours| (seconds(ours.median()), ours.median() <= *most));
                (format!("≤ {}", seconds(*most)), time)
            }
        };
        let (found, state) = match found {
            Some((found, true)) => (format!("{found} met"), State::Met),
            Some((found, false)) => (format!("{found} **missed**"), State::Missed),
            None => ("not measured".to_owned(), State::NotMeasured),
        };
        let words = self.bound_by.or(of_case).map(str::to_owned);
        let parts: Vec<_> = self.missed_by_limits(contenders).into_iter().chain(words).collect();
        let bound = (!parts.is_empty()).then(|| parts.join("; "));
        Verdict { text: format!("{} {wanted}: {found}", self.ours), state, bound }
    }

    /// Says so if what does nothing but the job, as fast as the machine can, would have missed the target as well.
    fn missed_by_limits(&self, contenders: &[Series]) -> Option<String> {
        let Goal::Factor(factor, names) = &self.goal else { return None };
        let (ours, bases) = (find(contenders, self.ours)?, find_all(contenders, names)?);
        if bases.iter().any(|base| base.role == Role::Limit) {
            return None;
        }
        let limits = if self.limits.is_empty() {
            let first = contenders.iter().find(|contender| contender.role == Role::Limit);
            // It is one of one thread, into memory that is there: others may be faster.
            first.filter(|_| ours.role == Role::Ours).into_iter().collect()
        } else {
            find_all(contenders, self.limits)?
        };
        let ratio_of = |contender: &Series| contender.ratio_to_fastest(&bases).map(|ratio| ratio.median);
        let fastest =
            limits.into_iter().filter_map(|limit| Some((limit, ratio_of(limit)?))).min_by(|(_, a), (_, b)| a.total_cmp(b));
        // What is slower than ours is no limit of it.
        let (limit, ratio) = fastest.filter(|(_, ratio)| ratio > factor && ratio_of(ours).is_some_and(|own| *ratio <= own))?;
        Some(format!("{} itself takes {ratio:.3} × {}", limit.name, fastest_of(names)))
    }
}

fn find<'a>(contenders: &'a [Series], name: &str) -> Option<&'a Series> {
    contenders.iter().find(|contender| contender.name == name)
}

fn find_all<'a>(contenders: &'a [Series], names: &[&str]) -> Option<Vec<&'a Series>> {
    names.iter().map(|name| find(contenders, name)).collect()
}

fn fastest_of(names: &[&str]) -> String {
    if let [name] = names { (*name).to_owned() } else { format!("the fastest of {}", names.join(", ")) }
}

/// With as many digits as the targets have.
fn short(factor: f64) -> String {
    let text = format!("{factor:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &str, samples: &[f64]) -> Series {
        Series { name: name.to_owned(), role: Role::Ours, samples: samples.to_vec(), remark: String::new() }
    }

    #[test]
    fn a_ratio_is_the_median_of_those_within_the_rounds() {
        // The second round was slow for both of them.
        let contenders = [measured("ours", &[1.0, 9.0, 1.2]), measured("base", &[2.0, 18.0, 2.0])];
        let verdict = Target::factor("ours", 0.5, "base").judge(&contenders, None);
        assert_eq!((verdict.text.as_str(), verdict.state), ("ours ≤ 0.5 × base: 0.500 met", State::Met));
        let verdict = Target::factor("ours", 0.45, "base").judge(&contenders, None);
        assert_eq!((verdict.text.as_str(), verdict.state), ("ours ≤ 0.45 × base: 0.500 **missed**", State::Missed));
        assert_eq!(Target::speedup("ours", 2.1, "base").judge(&contenders, None).state, State::Missed);
    }

    #[test]
    fn the_fastest_base_is_that_of_each_round() {
        let contenders = [measured("ours", &[1.0]), measured("a", &[4.0]), measured("b", &[2.0])];
        let verdict = Target::factor_of_best("ours", 0.4, &["a", "b"]).judge(&contenders, None);
        assert_eq!(verdict.text, "ours ≤ 0.4 × the fastest of a, b: 0.500 **missed**");
    }

    #[test]
    fn what_is_not_there_is_not_measured() {
        let contenders = [measured("ours", &[25e-9])];
        assert_eq!(Target::factor("ours", 0.5, "np.load").judge(&contenders, None).state, State::NotMeasured);
        assert_eq!(Target::factor("ours, 2 threads", 0.5, "ours").judge(&contenders, None).state, State::NotMeasured);
        assert_eq!(Target::time("ours", 30e-9).judge(&contenders, None).text, "ours ≤ 30.0 ns: 25.0 ns met");
        assert_eq!(Target::time("ours", 20e-9).judge(&contenders, None).state, State::Missed);
    }
    #[test]
    fn a_limit_that_misses_the_target_itself_bounds_it() {
        let role = |role, contender: Series| Series { role, ..contender };
        let contenders = [
            measured("load", &[0.8]),
            measured("load, faster", &[0.72]),
            role(Role::Variant, measured("load, 2 threads", &[0.8])),
            role(Role::Peer, measured("rawarray", &[1.0])),
            role(Role::Limit, measured("read", &[0.75])),
            role(Role::Limit, measured("pread", &[0.6])),
        ];
        let bound = |target: Target| target.judge(&contenders, Some("system calls")).bound.unwrap();
        assert_eq!(bound(Target::factor("load", 0.7, "rawarray")), "read itself takes 0.750 × rawarray; system calls");
        // The limit meets this one, that one is faster than the limit, and the limit is one of one thread.
        assert_eq!(bound(Target::factor("load", 0.76, "rawarray")), "system calls");
        assert_eq!(bound(Target::factor("load, faster", 0.7, "rawarray")), "system calls");
        assert_eq!(bound(Target::factor("load, 2 threads", 0.7, "rawarray")), "system calls");
        assert_eq!(bound(Target::factor("load", 1.01, "read")), "system calls");
        // Of several that do the whole job, all have to miss it.
        assert_eq!(bound(Target::factor("load", 0.7, "rawarray").limited_by(&["read", "pread"])), "system calls");
        let of_two = Target::factor("load, 2 threads", 0.5, "rawarray").limited_by(&["read", "pread"]).bound_by("the memory");
        assert_eq!(bound(of_two), "pread itself takes 0.600 × rawarray; the memory");
        assert_eq!(Target::factor("load", 0.76, "rawarray").judge(&contenders, None).bound, None);
    }
}

//! What was measured, and who is faster.

use crate::ratio::{Ratio, Standing, median};
use crate::target::Verdict;

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Ours, in one thread, doing what the peers do.
    Ours,
    /// Ours in another way: with more threads, into memory that is there, or with other promises.
    Variant,
    /// NumPy.
    NumPy,
    /// Another crate.
    Peer,
    /// What the machine can do at best.
    Limit,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Seconds.
    Time,
    /// Bytes of memory, beyond what was in use before.
    Memory,
}

impl Quantity {
    /// Three digits and a unit.
    pub(crate) fn text(self, value: f64) -> String {
        match self {
            Self::Time => seconds(value),
            Self::Memory => format!("{:.2} MiB", value / f64::from(1 << 20)),
        }
    }
}

/// A row that ran.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The file system, or where else.
    pub(crate) place: String,
    pub(crate) rounds: usize,
    pub(crate) quantity: Quantity,
    /// What a time is for, if not for the whole: a file, a call.
    pub(crate) unit: Option<String>,
    pub(crate) candidates: Vec<Measured>,
    pub(crate) verdicts: Vec<Verdict>,
}

/// A candidate, and its times, or whatever else is measured.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// Of each round, in seconds; in bytes where memory is measured.
    pub(crate) times: Vec<f64>,
    /// A few words about the last result.
    pub(crate) remark: String,
}

/// All of ours in one thread, beside one that does the same.
#[derive(Clone, Debug)]
pub(crate) struct Comparison<'a> {
    other: &'a Measured,
    ours: Vec<(&'a Measured, Ratio)>,
}

impl Measured {
    /// The median of its times.
    pub(crate) fn median(&self) -> f64 {
        median(&mut self.times.clone())
    }

    /// Whether the others do the same as ours.
    pub(crate) fn is_competitor(&self) -> bool {
        matches!(self.role, Role::NumPy | Role::Peer)
    }
}

impl Ratio {
    /// The ratio to one other.
    ///
    /// It is the median of the ratios within each round, so that a machine that is slow for a while slows both of them.
    pub(crate) fn to(own: &Measured, base: &Measured) -> Option<Self> {
        Self::to_fastest(own, &[base])
    }

    /// The ratio to whichever of the others was the fastest in each round.
    pub(crate) fn to_fastest(own: &Measured, bases: &[&Measured]) -> Option<Self> {
        let of_round = |round: usize| {
            let base = bases.iter().map(|base| base.times[round]).reduce(f64::min)?;
            Some(own.times[round] / base)
        };
        Self::of_rounds((0..own.times.len()).map(of_round).collect::<Option<_>>()?)
    }
}

impl<'a> Comparison<'a> {
    /// Those of all that do the same as ours, where there is one of ours.
    pub(crate) fn all(candidates: &'a [Measured]) -> Vec<Self> {
        let with = |other| {
            let ours = candidates.iter().filter(|own| own.role == Role::Ours);
            Self { other, ours: ours.filter_map(|own| Some((own, Ratio::to(own, other)?))).collect() }
        };
        let others = candidates.iter().filter(|other| other.is_competitor());
        others.map(with).filter(|comparison| !comparison.ours.is_empty()).collect()
    }

    /// That of the best of ours.
    pub(crate) fn standing(&self) -> Standing {
        let standings: Vec<_> = self.ours.iter().map(|(_, ratio)| ratio.standing()).collect();
        if standings.contains(&Standing::NotSlower) {
            Standing::NotSlower
        } else if standings.contains(&Standing::Undecided) {
            Standing::Undecided
        } else {
            Standing::Slower
        }
    }
}

impl Outcome {
    /// The first candidate of a kind.
    pub(crate) fn first(&self, role: Role) -> Option<&Measured> {
        self.candidates.iter().find(|candidate| candidate.role == role)
    }

    /// What is faster than all of ours in one thread, as sentences.
    pub(crate) fn faster_ones(&self) -> Vec<String> {
        self.sentences(Standing::Slower, |(_, ratio)| ratio.standing() == Standing::Slower)
    }

    /// What the rounds leave open to be faster than all of ours in one thread.
    pub(crate) fn undecided_ones(&self) -> Vec<String> {
        self.sentences(Standing::Undecided, |(_, ratio)| ratio.standing() == Standing::Undecided)
    }

    /// What is faster than some of ours in one thread, but not than another one of them.
    pub(crate) fn partly_faster_ones(&self) -> Vec<String> {
        self.sentences(Standing::NotSlower, |(_, ratio)| ratio.standing() == Standing::Slower)
    }

    /// Of the others beside which the best of ours stands so, and of those of ours that are to be told of.
    fn sentences(&self, standing: Standing, is_told: impl Fn(&(&Measured, Ratio)) -> bool) -> Vec<String> {
        let much = if self.quantity == Quantity::Time { "long" } else { "much" };
        let of_comparison = |comparison: Comparison<'_>| {
            let (name, place, other) = (&self.name, &self.place, comparison.other);
            let of_limit = |limit: &Measured| Some(format!("; {} itself {}", limit.name, Ratio::to(limit, other)?.with_interval()));
            // Who is as fast as the machine is beaten by nobody.
            let limit = self.first(Role::Limit).filter(|_| standing == Standing::Undecided).and_then(of_limit).unwrap_or_default();
            let told = comparison.ours.iter().copied().filter(&is_told);
            let sentence = |(own, ratio): (&Measured, Ratio)| {
                let ratio = ratio.with_interval();
                format!("`{name}` ({place}): {} takes {ratio} times as {much} as {}{limit}", own.name, other.name)
            };
            told.map(sentence).collect::<Vec<_>>()
        };
        let comparisons = Comparison::all(&self.candidates).into_iter();
        comparisons.filter(|comparison| comparison.standing() == standing).flat_map(of_comparison).collect()
    }
}

/// A time with three digits.
pub(crate) fn seconds(time: f64) -> String {
    let (value, unit) = match time {
        time if time < 1e-6 => (time * 1e9, "ns"),
        time if time < 1e-3 => (time * 1e6, "µs"),
        time if time < 1.0 => (time * 1e3, "ms"),
        time => (time, "s"),
    };
    let decimals = match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        assert_eq!(seconds(25.34e-9), "25.3 ns");
        assert_eq!(seconds(6.754e-3), "6.75 ms");
        assert_eq!(seconds(485.2e-6), "485 µs");
        assert_eq!(seconds(4.04), "4.04 s");
    }

    #[test]
    fn peers_that_are_faster_are_found() {
        let candidate = |name: &str, role, time| Measured { name: name.to_owned(), role, times: vec![time], remark: String::new() };
        let candidates = vec![
            candidate("load", Role::Ours, 1.0),
            // Neither of these counts: one is not ours in one thread, the other no competitor.
            candidate("load, 2 threads", Role::Variant, 2.0),
            candidate("read(2)", Role::Limit, 0.5),
            candidate("np.load", Role::NumPy, 0.8),
            candidate("npyz", Role::Peer, 1.5),
            // This is no difference.
            candidate("ndarray-npy", Role::Peer, 0.985),
        ];
        let outcome = Outcome {
            name: "a.read".to_owned(),
            title: String::new(),
            place: "ext4".to_owned(),
            rounds: 1,
            quantity: Quantity::Time,
            unit: None,
            candidates,
            verdicts: Vec::new(),
        };
        let slower = ["`a.read` (ext4): load takes 1.25 (1.25 to 1.25) times as long as np.load"];
        assert_eq!(outcome.faster_ones(), slower);
        assert!(outcome.partly_faster_ones().is_empty() && outcome.undecided_ones().is_empty());
        let mut with_another = outcome.clone();
        with_another.candidates.push(candidate("load, in place", Role::Ours, 0.7));
        assert!(with_another.faster_ones().is_empty() && with_another.undecided_ones().is_empty());
        assert_eq!(with_another.partly_faster_ones(), slower);

        let mut without_decision = outcome;
        without_decision.candidates.iter_mut().for_each(|candidate| candidate.times = vec![candidate.times[0]; 3]);
        without_decision.candidates[0].times = vec![1.0, 1.1, 0.8];
        assert!(without_decision.faster_ones().is_empty() && without_decision.partly_faster_ones().is_empty());
        assert_eq!(
            without_decision.undecided_ones(),
            [
                "`a.read` (ext4): load takes 1.25 (1.00 to 1.38) times as long as np.load; read(2) itself 0.62 (0.62 to 0.62)",
                "`a.read` (ext4): load takes 1.02 (0.81 to 1.12) times as long as ndarray-npy; read(2) itself 0.51 (0.51 to 0.51)"
            ]
        );
    }
}

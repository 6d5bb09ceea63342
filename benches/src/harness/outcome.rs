//! What was measured, and who is faster.

use crate::harness::ratio::{Ratio, Standing, median};
use crate::harness::target::Verdict;

/// What a contender is.
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

/// A case that ran.
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
    pub(crate) contenders: Vec<Series>,
    pub(crate) verdicts: Vec<Verdict>,
}

/// A contender, and its times, or whatever else is measured.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// Of each round, in seconds; in bytes where memory is measured.
    pub(crate) samples: Vec<f64>,
    /// A few words about the last result.
    pub(crate) remark: String,
}

/// All of ours in one thread, beside one that does the same.
#[derive(Clone, Debug)]
pub(crate) struct Comparison<'a> {
    other: &'a Series,
    ours: Vec<(&'a Series, Ratio)>,
}

impl Series {
    /// The median of its times.
    pub(crate) fn median(&self) -> f64 {
        median(&mut self.samples.clone())
    }

    /// The ratio to one other.
    ///
    /// It is the median of the ratios within each round, so that a machine that is slow for a while slows both of them.
    pub(crate) fn ratio_to(&self, base: &Self) -> Option<Ratio> {
        self.ratio_to_fastest(&[base])
    }

    /// The ratio to whichever of the others was the fastest in each round.
    pub(crate) fn ratio_to_fastest(&self, bases: &[&Self]) -> Option<Ratio> {
        let of_round = |round: usize| {
            let base = bases.iter().map(|base| base.samples[round]).reduce(f64::min)?;
            Some(self.samples[round] / base)
        };
        Ratio::of_rounds((0..self.samples.len()).map(of_round).collect::<Option<_>>()?)
    }

    /// Whether the others do the same as ours.
    pub(crate) fn is_competitor(&self) -> bool {
        matches!(self.role, Role::NumPy | Role::Peer)
    }
}

impl<'a> Comparison<'a> {
    /// Those of all that do the same as ours, where there is one of ours.
    pub(crate) fn all(contenders: &'a [Series]) -> Vec<Self> {
        let with = |other| {
            let ours = contenders.iter().filter(|own| own.role == Role::Ours);
            Self { other, ours: ours.filter_map(|own| Some((own, own.ratio_to(other)?))).collect() }
        };
        let others = contenders.iter().filter(|other| other.is_competitor());
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
    /// The first contender of a kind.
    pub(crate) fn first(&self, role: Role) -> Option<&Series> {
        self.contenders.iter().find(|contender| contender.role == role)
    }

    /// What is faster than all of ours in one thread, as sentences.
    pub(crate) fn faster_ones(&self) -> Vec<String> {
        self.sentences(Standing::Slower)
    }

    /// What the rounds leave open to be faster than all of ours in one thread.
    pub(crate) fn undecided_ones(&self) -> Vec<String> {
        self.sentences(Standing::Undecided)
    }

    /// What is faster than some of ours in one thread, or may be, but not than another one of them.
    pub(crate) fn partly_faster_ones(&self) -> Vec<String> {
        self.sentences(Standing::NotSlower)
    }

    /// Tells of all of ours that are slower than others, or may be. The best of ours decides in which list.
    fn sentences(&self, list: Standing) -> Vec<String> {
        let comparisons = Comparison::all(&self.contenders).into_iter();
        comparisons
            .filter(|comparison| comparison.standing() == list)
            .flat_map(|comparison| self.sentences_of(&comparison))
            .collect()
    }

    fn sentences_of(&self, comparison: &Comparison<'_>) -> Vec<String> {
        let (name, place, other) = (&self.name, &self.place, comparison.other);
        let much = if self.quantity == Quantity::Time { "long" } else { "much" };
        // Beside what is open, the reader sees whether there was anything to be gained.
        let of_limit = |limit: &Series| Some(format!("; {} itself {}", limit.name, limit.ratio_to(other)?.with_interval()));
        let is_open = comparison.standing() == Standing::Undecided;
        let limit = self.first(Role::Limit).filter(|_| is_open).and_then(of_limit).unwrap_or_default();
        let told = comparison.ours.iter().filter(|(_, ratio)| ratio.standing() != Standing::NotSlower);
        let sentence = |(own, ratio): &(&Series, Ratio)| {
            let ratio = ratio.with_interval();
            format!("`{name}` ({place}): {} takes {ratio} times as {much} as {}{limit}", own.name, other.name)
        };
        told.map(sentence).collect()
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

    /// Of so many times the time of `np.load` in each round.
    fn outcome(ours: &[(&str, [f64; 6])]) -> Outcome {
        let contender = |name: &str, role, samples: [f64; 6]| Series {
            name: name.to_owned(),
            role,
            samples: samples.to_vec(),
            remark: String::new(),
        };
        let mut contenders = vec![
            contender("np.load", Role::NumPy, [1.0; 6]),
            contender("npyz", Role::Peer, [9.0; 6]),
            // Neither of these counts: one is not ours in one thread, the other no competitor.
            contender("load, 2 threads", Role::Variant, [8.0; 6]),
            contender("read(2)", Role::Limit, [0.5; 6]),
        ];
        contenders.extend(ours.iter().map(|(name, times)| contender(name, Role::Ours, *times)));
        Outcome {
            name: "read".to_owned(),
            title: String::new(),
            place: "ext4".to_owned(),
            rounds: 6,
            quantity: Quantity::Time,
            unit: None,
            contenders,
            verdicts: Vec::new(),
        }
    }

    #[test]
    fn each_that_is_slower_or_may_be_is_told_of_in_one_list() {
        let lists = |ours: &[(&str, [f64; 6])]| {
            let outcome = outcome(ours);
            [outcome.faster_ones(), outcome.undecided_ones(), outcome.partly_faster_ones()]
        };
        let none = Vec::<String>::new;
        let (fast, slow, open) = ([0.8; 6], [1.25; 6], [0.9, 1.1, 1.0, 1.2, 1.3, 1.2]);
        // The same, within what equal ones differ by.
        assert_eq!(lists(&[("load", [1.015; 6])]), [none(), none(), none()]);

        let is_slow = "`read` (ext4): load takes 1.250 (1.250 to 1.250) times as long as np.load";
        assert_eq!(lists(&[("load", slow)]), [vec![is_slow.to_owned()], none(), none()]);
        assert_eq!(lists(&[("load", slow), ("in place", fast)]), [none(), none(), vec![is_slow.to_owned()]]);

        let is_open = "`read` (ext4): in place takes 1.150 (0.900 to 1.300) times as long as np.load";
        let [is_slow_beside, is_open_beside] =
            [is_slow, is_open].map(|text| format!("{text}; read(2) itself 0.500 (0.500 to 0.500)"));
        assert_eq!(lists(&[("load", slow), ("in place", open)]), [none(), vec![is_slow_beside, is_open_beside], none()]);
        assert_eq!(lists(&[("load", fast), ("in place", open)]), [none(), none(), vec![is_open.to_owned()]]);
    }
}

//! The samples of one contender, and their ratio to those of its baselines.

use crate::harness::ratio::{Ratio, Standing, median};

/// What a contender is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Ours, in one thread, doing what the peers do.
    Ours,
    /// Ours in another way: more threads, a reused buffer, or other promises.
    Variant,
    /// NumPy.
    NumPy,
    /// Another crate.
    Peer,
    /// The machine's limit: plain system calls, `memcpy`, or the result alone.
    Limit,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Seconds.
    Time,
    /// Seconds of the processor, of this process and of NumPy's.
    Cpu,
    /// Peak memory in bytes, beyond what was in use before.
    Memory,
}

/// A contender and its samples.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// One of each round, in seconds or in bytes.
    pub(crate) samples: Vec<f64>,
    /// A few words about the last result, such as its size.
    pub(crate) remark: String,
    /// What remains of a run that did not keep its samples.
    pub(crate) summary: Option<Summary>,
}

/// A median and some ratios, each with the names of its baselines.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    pub(crate) ratios: Vec<(String, Ratio)>,
}

impl Role {
    const NAMES: [(Self, &'static str); 5] =
        [(Self::Ours, "ours"), (Self::Variant, "variant"), (Self::NumPy, "NumPy"), (Self::Peer, "peer"), (Self::Limit, "limit")];

    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(role, _)| *role == self).map_or("", |(_, name)| name)
    }

    /// The role of that name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, other)| *other == name).map(|(role, _)| *role)
    }
}

impl Quantity {
    /// Formats three digits and a unit.
    pub(crate) fn text(self, value: f64) -> String {
        match self {
            Self::Time | Self::Cpu => seconds(value),
            Self::Memory => format!("{:.2} MiB", value / f64::from(1 << 20)),
        }
    }
}

impl Series {
    /// A series without samples.
    pub(crate) fn new(name: impl Into<String>, role: Role) -> Self {
        Self { name: name.into(), role, samples: Vec::new(), remark: String::new(), summary: None }
    }

    /// The median of the samples.
    pub(crate) fn median(&self) -> f64 {
        self.summary.as_ref().map_or_else(|| median(&mut self.samples.clone()), |summary| summary.median)
    }

    /// The ratio to a baseline: the median of the ratios within each round.
    ///
    /// A machine that is slow for a while slows both sides of such a ratio.
    pub(crate) fn ratio_to(&self, baseline: &Self) -> Option<Ratio> {
        self.ratio_to_fastest(&[baseline])
    }

    /// The ratio to whichever baseline is the fastest in each round.
    pub(crate) fn ratio_to_fastest(&self, baselines: &[&Self]) -> Option<Ratio> {
        if let Some(summary) = &self.summary {
            let names = baselines.iter().map(|baseline| baseline.name.as_str()).collect::<Vec<_>>().join(" | ");
            let recorded = summary.ratios.iter().find(|(name, _)| *name == names).map(|(_, ratio)| *ratio);
            let fastest = baselines.iter().map(|baseline| baseline.median()).reduce(f64::min)?;
            return Some(recorded.unwrap_or_else(|| Ratio::estimate(summary.median / fastest)));
        }
        let of_round = |round: usize| {
            let baseline = baselines.iter().map(|baseline| baseline.samples[round]).reduce(f64::min)?;
            Some(self.samples[round] / baseline)
        };
        Ratio::of_rounds((0..self.samples.len()).map(of_round).collect::<Option<_>>()?)
    }

    /// Whether it is ours in one thread or in another way.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.role, Role::Ours | Role::Variant)
    }
}

/// Whether the rounds leave open if NumPy or a peer is faster than all of ours in one thread.
pub(crate) fn is_undecided(contenders: &[Series]) -> bool {
    let ours = || contenders.iter().filter(|own| own.role == Role::Ours);
    contenders.iter().filter(|baseline| matches!(baseline.role, Role::NumPy | Role::Peer)).any(|baseline| {
        let standings: Vec<_> = ours().filter_map(|own| Some(own.ratio_to(baseline)?.standing())).collect();
        standings.contains(&Standing::Undecided) && !standings.contains(&Standing::NotSlower)
    })
}

/// Formats a time with three digits.
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
    fn fastest_baseline_is_that_of_each_round() {
        let series = |samples: &[f64]| Series { samples: samples.to_vec(), ..Series::new("", Role::Ours) };
        let (ours, a, b) = (series(&[1.0, 9.0, 1.2]), series(&[2.0, 27.0, 4.0]), series(&[4.0, 18.0, 2.4]));
        assert_eq!(ours.ratio_to_fastest(&[&a, &b]).unwrap().median.to_string(), "0.5");
        assert!(ours.ratio_to_fastest(&[]).is_none());
    }

    #[test]
    fn decides_by_the_best_of_ours() {
        let with = |ours: &[(Role, [f64; 6])]| {
            let mut contenders = vec![Series { samples: vec![1.0; 6], ..Series::new("np.load", Role::NumPy) }];
            let ours = ours.iter().map(|(role, samples)| Series { samples: samples.to_vec(), ..Series::new("load", *role) });
            contenders.extend(ours);
            is_undecided(&contenders)
        };
        let (fast, slow, open) = ([0.8; 6], [1.25; 6], [0.9, 1.1, 1.0, 1.2, 1.3, 1.2]);
        assert!(with(&[(Role::Ours, slow), (Role::Ours, open)]));
        assert!(!with(&[(Role::Ours, slow)]) && !with(&[(Role::Ours, open), (Role::Ours, fast)]));
        // A variant does not count.
        assert!(with(&[(Role::Ours, open), (Role::Variant, fast)]));
    }
}

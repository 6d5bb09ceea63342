//! Bounds on how long ours may take, and whether they are met.

use crate::harness::series::{Series, seconds};

/// A bound on the median of one of our contenders.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) contender: String,
    goal: Goal,
}

#[derive(Clone, Debug, PartialEq)]
enum Goal {
    /// A multiple of the fastest of these baselines.
    Factor(f64, Vec<String>),
    /// Seconds.
    Time(f64),
}

/// Whether a target is met. Without NumPy or HDF5, baselines are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    Missed,
    NotMeasured,
}

impl Target {
    /// At most `factor` times the baseline.
    pub(crate) fn factor(contender: &str, factor: f64, baseline: &str) -> Self {
        Self::factor_of_fastest(contender, factor, &[baseline])
    }

    /// At most `factor` times the fastest of the baselines.
    pub(crate) fn factor_of_fastest(contender: &str, factor: f64, baselines: &[&str]) -> Self {
        let baselines = baselines.iter().map(|&name| name.to_owned()).collect();
        Self { contender: contender.to_owned(), goal: Goal::Factor(factor, baselines) }
    }

    /// At least `speedup` times as fast as the baseline.
    pub(crate) fn speedup(contender: &str, speedup: f64, baseline: &str) -> Self {
        Self::factor(contender, speedup.recip(), baseline)
    }

    /// At most this many seconds.
    pub(crate) fn time(contender: &str, seconds: f64) -> Self {
        Self { contender: contender.to_owned(), goal: Goal::Time(seconds) }
    }

    /// Parses what [`to_text`](Self::to_text) writes.
    pub(crate) fn parse(contender: &str, text: &str) -> Option<Self> {
        let Some((factor, baselines)) = text.split_once(" × ") else {
            return Some(Self::time(contender, text.strip_suffix(" s")?.parse().ok()?));
        };
        let baselines: Vec<_> = baselines.split(" | ").collect();
        Some(Self::factor_of_fastest(contender, factor.parse().ok()?, &baselines))
    }

    /// The goal in one line: `0.92 × np.load`, `1.3 × writev | write`, `3e-8 s`.
    pub(crate) fn to_text(&self) -> String {
        match &self.goal {
            Goal::Factor(factor, baselines) => format!("{factor} × {}", baselines.join(" | ")),
            Goal::Time(seconds) => format!("{seconds:e} s"),
        }
    }

    /// Compares the contender with its baselines.
    pub(crate) fn judge(&self, contenders: &[Series]) -> Verdict {
        self.found(contenders).map_or(Verdict::NotMeasured, |(_, is_met)| if is_met { Verdict::Met } else { Verdict::Missed })
    }

    /// The goal, what was found, and the verdict.
    pub(crate) fn sentence(&self, contenders: &[Series]) -> String {
        let goal = match &self.goal {
            Goal::Factor(factor, baselines) => {
                let factor = format!("{factor:.3}");
                format!("{} × {}", factor.trim_end_matches('0').trim_end_matches('.'), baselines.join(" | "))
            }
            Goal::Time(most) => seconds(*most),
        };
        let found = match self.found(contenders) {
            Some((found, true)) => format!("{found}, met"),
            Some((found, false)) => format!("{found}, missed"),
            None => "not measured".to_owned(),
        };
        format!("{} ≤ {goal}: {found}", self.contender)
    }

    fn found(&self, contenders: &[Series]) -> Option<(String, bool)> {
        let find = |name: &str| contenders.iter().find(|contender| contender.name == name);
        let ours = find(&self.contender)?;
        match &self.goal {
            Goal::Factor(factor, baselines) => {
                let baselines = baselines.iter().map(|name| find(name)).collect::<Option<Vec<_>>>()?;
                let ratio = ours.ratio_to_fastest(&baselines)?.median;
                Some((format!("{ratio:.3}"), ratio <= *factor))
            }
            Goal::Time(most) => Some((seconds(ours.median()), ours.median() <= *most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::series::Role;

    fn series(name: &str, samples: &[f64]) -> Series {
        Series { samples: samples.to_vec(), ..Series::new(name, Role::Ours) }
    }

    #[test]
    fn judges_the_median_of_the_ratios_within_the_rounds() {
        // The second round was slow for both of them.
        let contenders = [series("load", &[1.0, 9.0, 1.2]), series("np.load", &[2.0, 18.0, 2.0])];
        let (met, missed) = (Target::factor("load", 0.5, "np.load"), Target::factor("load", 0.45, "np.load"));
        assert_eq!(met.sentence(&contenders), "load ≤ 0.5 × np.load: 0.500, met");
        assert_eq!(missed.sentence(&contenders), "load ≤ 0.45 × np.load: 0.500, missed");
        assert_eq!(Target::speedup("load", 2.1, "np.load").judge(&contenders), Verdict::Missed);
    }

    #[test]
    fn judges_only_what_was_measured() {
        let contenders = [series("parse", &[25e-9])];
        assert_eq!(Target::factor("parse", 0.5, "np.load").judge(&contenders), Verdict::NotMeasured);
        assert_eq!(Target::time("parse", 30e-9).sentence(&contenders), "parse ≤ 30.0 ns: 25.0 ns, met");
        assert_eq!(Target::time("parse", 20e-9).judge(&contenders), Verdict::Missed);
    }

    #[test]
    fn text_round_trips() {
        for target in
            [Target::speedup("a", 1.4, "b, 2 threads"), Target::factor_of_fastest("a", 1.3, &["b", "c"]), Target::time("a", 30e-9)]
        {
            assert_eq!(Target::parse("a", &target.to_text()), Some(target));
        }
        assert_eq!(Target::parse("a", "fast"), None);
    }
}

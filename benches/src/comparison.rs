//! Rounds in which the candidates take turns, and medians of them.

use std::time::{Duration, Instant};

/// Candidates that are measured in turn, round after round.
///
/// A ratio is the median of the ratios within each round, so that a machine that is slow for a while slows all of them. The order is
/// another one in each round, so that none always follows the same one.
pub struct Comparison<'a> {
    title: String,
    rounds: usize,
    runs_before: usize,
    after_each: Box<dyn FnMut() -> String + 'a>,
    candidates: Vec<Candidate<'a>>,
}

struct Candidate<'a> {
    name: String,
    run: Box<dyn FnMut() + 'a>,
    times: Vec<Duration>,
    /// A few words about the last result.
    remark: String,
}

impl<'a> Comparison<'a> {
    /// One without candidates.
    pub fn new(title: impl Into<String>, rounds: usize) -> Self {
        Self { title: title.into(), rounds, runs_before: 0, after_each: Box::new(String::new), candidates: Vec::new() }
    }

    /// Measures of each candidate in each round the second of two runs at once.
    ///
    /// A hypervisor may take away memory that is free for a second, and bringing it back takes longer than reading an array into it. The
    /// first run brings back what the second needs.
    pub fn measure_second_runs(&mut self) {
        self.runs_before = 1;
    }

    /// Has this called after each candidate has run, which is not measured. It gives a remark, which stands behind the times.
    pub fn after_each(&mut self, inspect: impl FnMut() -> String + 'a) {
        self.after_each = Box::new(inspect);
    }

    /// Adds a candidate.
    pub fn add(&mut self, name: impl Into<String>, run: impl FnMut() + 'a) {
        self.candidates.push(Candidate { name: name.into(), run: Box::new(run), times: Vec::new(), remark: String::new() });
    }

    /// Runs all, and prints of each the median time and the ratios to the `bases`: their median, and between which they lie.
    pub fn run(mut self, bases: &[&str]) {
        let count = self.candidates.len();
        for round in 0..=self.rounds {
            for turn in 0..count {
                let candidate = &mut self.candidates[(round + turn) % count];
                for _ in 0..self.runs_before {
                    (candidate.run)();
                    (self.after_each)();
                }
                let began = Instant::now();
                (candidate.run)();
                let time = began.elapsed();
                candidate.remark = (self.after_each)();
                // The first round warms up.
                if round > 0 {
                    candidate.times.push(time);
                }
            }
        }
        self.print(bases);
    }

    fn print(&self, bases: &[&str]) {
        let bases: Vec<_> = bases.iter().filter_map(|base| self.candidates.iter().find(|other| other.name == *base)).collect();
        println!("{}; {} rounds", self.title, self.rounds);
        print!("  {:34} {:>10}", "", "median");
        for base in &bases {
            print!("   {:<21}", format!("/ {}", base.name));
        }
        println!();
        for candidate in &self.candidates {
            print!("  {:34} {:>10.3?}", candidate.name, median(candidate.times.clone()));
            for base in &bases {
                let mut ratios: Vec<_> = candidate.times.iter().zip(&base.times).map(|(own, base)| ratio(*own, *base)).collect();
                ratios.sort_by(f64::total_cmp);
                let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
                print!("   {:<21}", format!("{:.3} ({least:.3}-{most:.3})", ratios[ratios.len() / 2]));
            }
            println!("   {}", candidate.remark);
        }
    }
}

/// Runs the candidates in turn, round after round, and prints their times beside their ratios to the first.
pub fn compare(title: &str, rounds: usize, candidates: &mut [(&str, &mut dyn FnMut())]) {
    let mut comparison = Comparison::new(title, rounds);
    let first = candidates.first().map_or("", |(name, _)| *name);
    for (name, run) in candidates {
        comparison.add(*name, run);
    }
    comparison.run(&[first]);
}

/// The median time of one call, measured in batches.
pub fn time_of(calls: u32, mut run: impl FnMut()) -> Duration {
    let batch = |_| {
        let began = Instant::now();
        (0..calls).for_each(|_| run());
        began.elapsed() / calls
    };
    median((0..21).map(batch).collect())
}

fn ratio(time: Duration, base: Duration) -> f64 {
    time.as_secs_f64() / base.as_secs_f64()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

//! A case: contenders that take turns, round after round.

use std::time::{Duration, Instant};

use crate::harness::directory::Directory;
use crate::harness::memory::most_memory_of;
use crate::harness::outcome::{Comparison, Outcome, Quantity, Role, Series};
use crate::harness::random::Random;
use crate::harness::ratio::Standing;
use crate::harness::target::Target;
use crate::peers::numpy::NumPy;

/// An interval in which the median lies 19 times in 20 takes so many. Where they do not decide, others follow.
pub(crate) const FEWEST_ROUNDS: usize = 6;

/// Rounds of `--quick`.
const QUICK_ROUNDS: usize = 3;

/// A case whose rounds do not decide who is faster has them again, so many times at most in all,
pub(crate) const MOST_TIMES: usize = 4;
/// and does not have them again after so long, unless it is told otherwise.
const LONG: Duration = Duration::from_secs(90);

/// How much of a case runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Full,
    /// Few rounds, of less.
    Quick,
    /// None of its contenders, for tests of how it is put together.
    #[cfg(test)]
    Nothing,
}

/// One job, and who does it.
///
/// The order of the contenders is drawn anew for each round, so that none always follows the same one: what one of them leaves for the system to do,
/// such as giving back what belonged to removed files, took up to a tenth of the time of the next.
pub(crate) struct Case<'a> {
    name: String,
    title: String,
    place: String,
    extent: Extent,
    rounds: usize,
    longest: Duration,
    runs_before: usize,
    quantity: Quantity,
    units: u32,
    unit: Option<String>,
    before_each: Box<dyn FnMut() + 'a>,
    after_each: Box<dyn FnMut() -> String + 'a>,
    contenders: Vec<Contender<'a>>,
    targets: Vec<Target>,
    bound_by: Option<&'static str>,
}

struct Contender<'a> {
    run: Box<dyn FnMut() + 'a>,
    series: Series,
}

impl<'a> Case<'a> {
    /// One without contenders.
    pub(crate) fn new(name: impl Into<String>, title: impl Into<String>, place: impl Into<String>, extent: Extent) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            place: place.into(),
            extent,
            rounds: FEWEST_ROUNDS,
            longest: LONG,
            runs_before: 0,
            quantity: Quantity::Time,
            units: 1,
            unit: None,
            before_each: Box::new(|| ()),
            after_each: Box::new(String::new),
            contenders: Vec::new(),
            targets: Vec::new(),
            bound_by: None,
        }
    }

    /// How many rounds there are, unless it is to be quick; or several times as many, if so many do not decide who is faster.
    pub(crate) fn rounds(&mut self, rounds: usize) {
        self.rounds = rounds;
    }

    /// After how long there are no rounds again, whatever they leave open.
    pub(crate) fn longest(&mut self, longest: Option<Duration>) {
        self.longest = longest.unwrap_or(LONG);
    }

    /// Measures of each contender in each round the second of two runs at once.
    ///
    /// A hypervisor may take away memory that is free for a second, and bringing it back takes longer than reading an array into it. The first run
    /// brings back what the second needs.
    pub(crate) fn measure_second_runs(&mut self) {
        self.runs_before = 1;
    }

    /// Measures how much memory each of them takes at most, beyond what was in use before.
    pub(crate) fn measure_memory(&mut self) {
        self.quantity = Quantity::Memory;
    }

    /// Says that each run does so many of these, and has the time of one of them reported.
    pub(crate) fn units(&mut self, count: u32, unit: &str) {
        self.units = count;
        self.unit = Some(unit.to_owned());
    }

    /// Brings to the disk what is not there yet, before each contender is measured, so that none pays for what another one has written.
    pub(crate) fn sync_before_each(&mut self, directory: &'a Directory) {
        self.before_each = Box::new(|| directory.sync());
    }

    /// Has this called after each contender has run, which is not measured. It gives a remark, which stands behind the times.
    pub(crate) fn after_each(&mut self, inspect: impl FnMut() -> String + 'a) {
        self.after_each = Box::new(inspect);
    }

    /// Adds ours, as in [`Role::Ours`].
    pub(crate) fn ours(&mut self, name: &str, run: impl FnMut() + 'a) {
        self.add(Role::Ours, name, run);
    }

    /// Adds ours in another way, as in [`Role::Variant`].
    pub(crate) fn variant(&mut self, name: &str, run: impl FnMut() + 'a) {
        self.add(Role::Variant, name, run);
    }

    /// Adds another crate.
    pub(crate) fn peer(&mut self, name: &str, run: impl FnMut() + 'a) {
        self.add(Role::Peer, name, run);
    }

    /// Adds what the machine can do at best.
    pub(crate) fn limit(&mut self, name: &str, run: impl FnMut() + 'a) {
        self.add(Role::Limit, name, run);
    }

    /// Adds a line for NumPy, where there is one.
    pub(crate) fn numpy(&mut self, numpy: &NumPy, name: &str, line: impl Into<String>) {
        if numpy.is_there() {
            let (numpy, line) = (numpy.clone(), line.into());
            self.add(Role::NumPy, name, move || numpy.run(&line));
        }
    }

    /// Says what bounds ours, for those who miss a target. A target may say it of its own contender.
    pub(crate) fn bound_by(&mut self, text: &'static str) {
        self.bound_by = Some(text);
    }

    /// Adds targets. What bounds ours has to be known; see [`bound_by`](Self::bound_by).
    pub(crate) fn targets(&mut self, targets: impl IntoIterator<Item = Target>) {
        self.targets.extend(targets);
    }

    /// Runs all.
    pub(crate) fn measure(mut self) -> Outcome {
        let mut order: Vec<_> = (0..self.contenders.len()).collect();
        let mut random = Random::new(1);
        let began = Instant::now();
        let mut rounds = 0;
        // The first of them warms up.
        self.run_round(&order, false);
        while !self.is_enough(rounds, began.elapsed()) {
            shuffle(&mut order, &mut random);
            self.run_round(&order, true);
            rounds += 1;
        }
        let contenders = self.measured();
        let verdicts = self.targets.iter().map(|target| target.judge(&contenders, self.bound_by)).collect();
        let Self { name, title, place, quantity, unit, .. } = self;
        Outcome { name, title, place, rounds, quantity, unit, contenders, verdicts }
    }

    fn run_round(&mut self, order: &[usize], is_measured: bool) {
        #[cfg(test)]
        if self.extent == Extent::Nothing {
            return;
        }
        for &turn in order {
            let contender = &mut self.contenders[turn];
            for _ in 0..if is_measured { self.runs_before } else { 0 } {
                (contender.run)();
                (self.after_each)();
            }
            (self.before_each)();
            let figure = match self.quantity {
                Quantity::Time => time_of(&mut contender.run) / f64::from(self.units),
                Quantity::Memory => most_memory_of(&mut contender.run),
            };
            contender.series.remark = (self.after_each)();
            if is_measured {
                contender.series.samples.push(figure);
            }
        }
    }

    fn is_enough(&self, rounds: usize, elapsed: Duration) -> bool {
        match self.extent {
            // Only asked from time to time: who asks after each round stops at a good moment.
            Extent::Full if rounds == 0 || !rounds.is_multiple_of(self.rounds) => false,
            Extent::Full => {
                let is_open = |comparison: &Comparison<'_>| comparison.standing() == Standing::Undecided;
                let is_last = rounds >= MOST_TIMES * self.rounds || elapsed > self.longest;
                is_last || !Comparison::all(&self.measured()).iter().any(is_open)
            }
            Extent::Quick => rounds == QUICK_ROUNDS,
            #[cfg(test)]
            Extent::Nothing => true,
        }
    }

    fn measured(&self) -> Vec<Series> {
        self.contenders.iter().map(|contender| contender.series.clone()).collect()
    }

    fn add(&mut self, role: Role, name: &str, run: impl FnMut() + 'a) {
        let series = Series { name: name.to_owned(), role, samples: Vec::new(), remark: String::new() };
        self.contenders.push(Contender { run: Box::new(run), series });
    }
}

/// Puts them into an order of which all are as likely.
fn shuffle(order: &mut [usize], random: &mut Random) {
    for last in (1..order.len()).rev() {
        let other = usize::try_from(random.integer() % (last as u64 + 1)).unwrap();
        order.swap(last, other);
    }
}

/// Seconds.
fn time_of(run: &mut dyn FnMut()) -> f64 {
    let began = Instant::now();
    run();
    began.elapsed().as_secs_f64()
}

/// Runs something so many times.
pub(crate) fn repeat(times: u32, mut run: impl FnMut()) -> impl FnMut() {
    move || (0..times).for_each(|_| run())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn rounds_go_on_as_long_as_they_do_not_decide() {
        let is_enough_of = |ours: &[f64], elapsed, longest| {
            let mut case = Case::new("a", "", "", Extent::Full);
            case.rounds(6);
            case.longest(longest);
            case.ours("a", || ());
            case.peer("b", || ());
            case.contenders[0].series.samples = ours.to_vec();
            case.contenders[1].series.samples = vec![2.0; ours.len()];
            case.is_enough(ours.len(), Duration::from_secs(elapsed))
        };
        let is_enough = |ours: &[f64], elapsed| is_enough_of(ours, elapsed, None);
        let open = [1.0, 4.0].repeat(12);
        assert!(!is_enough(&open[..6], 80) && !is_enough(&open[..18], 80));
        assert!(is_enough(&open, 80) && is_enough(&open[..6], 100));
        let longest = Some(Duration::from_secs(300));
        assert!(!is_enough_of(&open[..6], 100, longest) && is_enough_of(&open[..6], 301, longest));
        assert!(is_enough(&[1.0; 6], 0) && is_enough(&[4.0; 6], 0));
        // Who asks after each round stops at a good moment.
        assert!(!is_enough(&[1.0; 5], 0) && !is_enough(&[1.0; 7], 0) && !is_enough(&[], 0));
    }

    #[test]
    fn contenders_take_turns_and_none_always_follows_the_same_one() {
        let calls = RefCell::new(String::new());
        let mut case = Case::new("a", "", "", Extent::Full);
        case.rounds(60);
        case.ours("a", || calls.borrow_mut().push('a'));
        case.variant("b", || calls.borrow_mut().push('b'));
        case.limit("c", || calls.borrow_mut().push('c'));
        let outcome = case.measure();
        assert!(outcome.contenders.iter().all(|contender| contender.samples.len() == 60));
        let calls = calls.into_inner();
        // The first three warm up.
        assert_eq!(calls.len(), 3 * 61);
        let rounds: Vec<_> = (0..61).map(|round| &calls[3 * round..3 * round + 3]).collect();
        assert!(rounds.iter().all(|round| ['a', 'b', 'c'].iter().all(|name| round.contains(*name))));
        for order in ["abc", "acb", "bac", "bca", "cab", "cba"] {
            assert!(rounds.contains(&order), "{order}: {rounds:?}");
        }
    }

    #[test]
    fn the_second_of_two_runs_is_measured() {
        let calls = RefCell::new(0);
        let mut case = Case::new("a", "", "", Extent::Full);
        case.rounds(3);
        case.measure_second_runs();
        case.ours("a", || *calls.borrow_mut() += 1);
        assert_eq!(case.measure().contenders[0].samples.len(), 3);
        // The round that warms up has no use for two.
        assert_eq!(*calls.borrow(), 7);
    }
}

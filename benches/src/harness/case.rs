//! A case: one job whose contenders take turns, round after round.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::harness::directory::Directory;
use crate::harness::memory::peak_memory_of;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::series::{Quantity, Role, Series, is_undecided};
use crate::harness::target::Target;
use crate::peers::numpy::NumPy;

/// The fewest rounds that give a 95 % confidence interval of a median.
pub(crate) const FEWEST_ROUNDS: usize = 6;

/// The rounds of `--quick`.
const QUICK_ROUNDS: usize = 3;

/// How many times its rounds an undecided case has at most,
pub(crate) const MOST_TIMES: usize = 4;
/// and after how long it starts no others, unless told otherwise.
const LONG: Duration = Duration::from_secs(90);

/// How much of a case runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Full,
    /// Few rounds with smaller arrays.
    Quick,
    /// No contender, for tests of how cases are assembled.
    #[cfg(test)]
    Nothing,
}

/// One job, and the contenders that do it.
///
/// Each round draws a new order, so that no contender always follows the same one: freeing what
/// belonged to removed files took up to a tenth of the time of the next.
pub(crate) struct Case<'a> {
    name: String,
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
    numpy: Option<NumPy>,
}

struct Contender<'a> {
    run: Box<dyn FnMut() + 'a>,
    series: Series,
}

impl<'a> Case<'a> {
    /// Creates a case without contenders.
    pub(crate) fn new(name: impl Into<String>, place: impl Into<String>, extent: Extent) -> Self {
        Self {
            name: name.into(),
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
            numpy: None,
        }
    }

    /// Sets the number of rounds. They are repeated while the case is undecided.
    pub(crate) fn rounds(&mut self, rounds: usize) {
        self.rounds = rounds;
    }

    /// Sets how long an undecided case goes on.
    pub(crate) fn longest(&mut self, longest: Option<Duration>) {
        self.longest = longest.unwrap_or(LONG);
    }

    /// Runs each contender twice in a row and measures the second run.
    ///
    /// A hypervisor may reclaim memory that is free for a second, and returning it takes longer
    /// than reading an array into it. The first run gets back what the second needs.
    pub(crate) fn measure_second_runs(&mut self) {
        self.runs_before = 1;
    }

    /// Measures time of the processor instead of time that passes, so that other load matters less.
    pub(crate) fn measure_cpu(&mut self) {
        self.quantity = Quantity::Cpu;
    }

    /// Measures peak memory instead of time.
    pub(crate) fn measure_memory(&mut self) {
        self.quantity = Quantity::Memory;
    }

    /// Reports the time of one unit: each run does `count` of them.
    pub(crate) fn units(&mut self, count: u32, unit: &str) {
        self.units = count;
        self.unit = Some(unit.to_owned());
    }

    /// Syncs the file system before each sample, so that none pays for the writes of another.
    pub(crate) fn sync_before_each(&mut self, directory: &'a Directory) {
        self.before_each = Box::new(|| directory.sync());
    }

    /// Calls this after each run, unmeasured. It returns a remark that stands behind the times.
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

    /// Adds another crate, if it is built in.
    pub(crate) fn peer_if_built(&mut self, name: &str, run: Option<impl FnMut() + 'a>) {
        if let Some(run) = run {
            self.add(Role::Peer, name, run);
        }
    }

    /// Adds a limit of the machine, as in [`Role::Limit`].
    pub(crate) fn limit(&mut self, name: &str, run: impl FnMut() + 'a) {
        self.add(Role::Limit, name, run);
    }

    /// Adds a line of Python, if there is NumPy.
    pub(crate) fn numpy(&mut self, numpy: &NumPy, name: &str, line: impl Into<String>) {
        if numpy.is_there() {
            let (numpy, line) = (numpy.clone(), line.into());
            self.numpy = Some(numpy.clone());
            self.add(Role::NumPy, name, move || numpy.run(&line));
        }
    }

    /// Adds targets.
    pub(crate) fn targets(&mut self, targets: impl IntoIterator<Item = Target>) {
        self.targets.extend(targets);
    }

    /// Runs all rounds.
    pub(crate) fn measure(mut self) -> Outcome {
        let mut order: Vec<_> = (0..self.contenders.len()).collect();
        let mut random = Random::new(1);
        let began = Instant::now();
        let mut rounds = 0;
        // The first round warms up.
        self.run_round(&order, false);
        while !self.is_enough(rounds, began.elapsed()) {
            shuffle(&mut order, &mut random);
            self.run_round(&order, true);
            rounds += 1;
        }
        let contenders = self.series();
        let Self { name, place, quantity, unit, targets, .. } = self;
        Outcome { name, place, rounds, quantity, unit, contenders, targets }
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
            let sample = match self.quantity {
                Quantity::Time => time_of(&mut contender.run) / f64::from(self.units),
                Quantity::Cpu => cpu_time_of(&mut contender.run, self.numpy.as_ref()) / f64::from(self.units),
                Quantity::Memory => peak_memory_of(&mut contender.run),
            };
            contender.series.remark = (self.after_each)();
            if is_measured {
                contender.series.samples.push(sample);
            }
        }
    }

    fn is_enough(&self, rounds: usize, elapsed: Duration) -> bool {
        match self.extent {
            // Asked only after each set of rounds: who asks after each round stops at a lucky moment.
            Extent::Full if rounds == 0 || !rounds.is_multiple_of(self.rounds) => false,
            Extent::Full => rounds >= MOST_TIMES * self.rounds || elapsed > self.longest || !is_undecided(&self.series()),
            Extent::Quick => rounds == QUICK_ROUNDS,
            #[cfg(test)]
            Extent::Nothing => true,
        }
    }

    fn series(&self) -> Vec<Series> {
        self.contenders.iter().map(|contender| contender.series.clone()).collect()
    }

    fn add(&mut self, role: Role, name: &str, run: impl FnMut() + 'a) {
        self.contenders.push(Contender { run: Box::new(run), series: Series::new(name, role) });
    }
}

/// Draws an order; each is equally likely.
fn shuffle(order: &mut [usize], random: &mut Random) {
    for last in (1..order.len()).rev() {
        let other = usize::try_from(random.integer() % (last as u64 + 1)).unwrap();
        order.swap(last, other);
    }
}

/// The time of a run in seconds.
fn time_of(run: &mut dyn FnMut()) -> f64 {
    let began = Instant::now();
    run();
    began.elapsed().as_secs_f64()
}

/// The time of a run in seconds of the processor, in this process and in that of NumPy.
fn cpu_time_of(run: &mut dyn FnMut(), numpy: Option<&NumPy>) -> f64 {
    let now = || {
        let own = clock_gettime(ClockId::ProcessCPUTime);
        own.tv_sec as f64 + own.tv_nsec as f64 * 1e-9 + numpy.map_or(0.0, NumPy::cpu_time)
    };
    let began = now();
    run();
    now() - began
}

/// Repeats a run.
pub(crate) fn repeat(times: u32, mut run: impl FnMut()) -> impl FnMut() {
    move || (0..times).for_each(|_| run())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn repeats_rounds_while_undecided() {
        let is_enough_of = |ours: &[f64], elapsed, longest| {
            let mut case = Case::new("a", "", Extent::Full);
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
        // Not asked within a set of rounds.
        assert!(!is_enough(&[1.0; 5], 0) && !is_enough(&[1.0; 7], 0) && !is_enough(&[], 0));
    }

    #[test]
    fn draws_a_new_order_for_each_round() {
        let calls = RefCell::new(String::new());
        let mut case = Case::new("a", "", Extent::Full);
        case.rounds(60);
        case.ours("a", || calls.borrow_mut().push('a'));
        case.variant("b", || calls.borrow_mut().push('b'));
        case.limit("c", || calls.borrow_mut().push('c'));
        let outcome = case.measure();
        assert!(outcome.contenders.iter().all(|contender| contender.samples.len() == 60));
        let calls = calls.into_inner();
        // The first three are the warm-up.
        assert_eq!(calls.len(), 3 * 61);
        let rounds: Vec<_> = (0..61).map(|round| &calls[3 * round..3 * round + 3]).collect();
        assert!(rounds.iter().all(|round| ['a', 'b', 'c'].iter().all(|name| round.contains(*name))));
        for order in ["abc", "acb", "bac", "bca", "cab", "cba"] {
            assert!(rounds.contains(&order), "{order}: {rounds:?}");
        }
    }

    #[test]
    fn measures_the_second_run() {
        let calls = RefCell::new(0);
        let mut case = Case::new("a", "", Extent::Full);
        case.rounds(3);
        case.measure_second_runs();
        case.ours("a", || *calls.borrow_mut() += 1);
        assert_eq!(case.measure().contenders[0].samples.len(), 3);
        // The warm-up runs once.
        assert_eq!(*calls.borrow(), 7);
    }
}

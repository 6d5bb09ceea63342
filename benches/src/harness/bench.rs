//! What the cases share while they run: the directories, NumPy, and the results so far.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::harness::arguments::Arguments;
use crate::harness::case::{Case, Extent};
use crate::harness::directory::{Directory, Need};
use crate::harness::machine::facts;
use crate::harness::outcome::Outcome;
use crate::harness::report::{self, Refusal};
use crate::peers::numpy::NumPy;

/// A run of some cases, or of all.
pub(crate) struct Bench {
    arguments: Arguments,
    extent: Extent,
    directories: Vec<Directory>,
    pub(crate) numpy: NumPy,
    outcomes: Vec<Outcome>,
    refusals: Vec<Refusal>,
}

/// A case that is about to run: where, and how.
pub(crate) struct Job<'a> {
    name: &'a str,
    title: &'a str,
    /// Where its files are.
    pub(crate) directory: &'a Directory,
    pub(crate) numpy: &'a NumPy,
    extent: Extent,
    longest: Option<Duration>,
    /// What the tables say about the place.
    place: &'a str,
}

impl Job<'_> {
    /// A case without contenders.
    pub(crate) fn case<'a>(&self) -> Case<'a> {
        let title = if self.extent == Extent::Full { self.title.to_owned() } else { format!("smaller than: {}", self.title) };
        let mut case = Case::new(self.name, title, self.place, self.extent);
        case.longest(self.longest);
        case
    }

    /// One number, or another one if it is to be quick.
    pub(crate) fn size<T>(&self, full: T, quick: T) -> T {
        if self.extent == Extent::Full { full } else { quick }
    }
}

impl Bench {
    /// Makes the directories, and starts NumPy.
    pub(crate) fn new(arguments: Arguments) -> Result<Self, String> {
        let extent = if arguments.is_quick { Extent::Quick } else { Extent::Full };
        let bench = Self::with(arguments, extent, NumPy::start())?;
        let file_systems: Vec<_> = bench.directories.iter().map(Directory::file_system).collect();
        for fact in facts(&bench.numpy, &file_systems) {
            println!("{fact}");
        }
        println!();
        Ok(bench)
    }

    /// Puts cases together of which no contender runs.
    #[cfg(test)]
    pub(crate) fn of_nothing() -> Result<Self, String> {
        Self::with(Arguments::default(), Extent::Nothing, NumPy::none())
    }

    /// What became of the cases so far.
    #[cfg(test)]
    pub(crate) fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    fn with(arguments: Arguments, extent: Extent, numpy: NumPy) -> Result<Self, String> {
        let directories =
            arguments.directories().iter().map(|directory| Directory::create_in(directory)).collect::<Result<_, _>>()?;
        Ok(Self { arguments, extent, directories, numpy, outcomes: Vec::new(), refusals: Vec::new() })
    }

    /// One size, or another one if it is to be quick.
    pub(crate) fn size<T>(&self, full: T, quick: T) -> T {
        if self.extent == Extent::Full { full } else { quick }
    }

    /// Runs a case in each of the directories, if it is asked for.
    ///
    /// `run` makes the files and the arrays, adds the contenders and their targets, and measures; all of that is there only while the case runs.
    pub(crate) fn case(&mut self, name: &str, title: &str, need: Need, run: impl Fn(&Job<'_>) -> Outcome) {
        for index in 0..self.directories.len() {
            self.case_in(index, None, name, title, need, &run);
        }
    }

    /// Runs a case that measures no files once, if it is asked for.
    pub(crate) fn case_in_memory(&mut self, name: &str, title: &str, need: Need, run: impl Fn(&Job<'_>) -> Outcome) {
        self.case_in(0, Some("in memory"), name, title, need, run);
    }

    /// Writes the results if all cases ran.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        // They did not run in the order of their groups.
        self.outcomes.sort_by_key(|outcome| outcome.name.chars().next());
        if self.arguments.wants_all() {
            let file_systems: Vec<_> = self.directories.iter().map(Directory::file_system).collect();
            let mut facts = facts(&self.numpy, &file_systems);
            facts.extend(self.arguments.longest.map(|longest| format!("cases that rounds leave open: {} s", longest.as_secs())));
            let text = report::whole(&facts, &self.outcomes, &self.refusals, self.arguments.is_quick);
            let name = if self.arguments.is_quick { "RESULTS-quick.md" } else { "RESULTS.md" };
            fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(name), text).map_err(|error| format!("{name}: {error}"))?;
            println!("{name} is written");
        } else {
            println!("{}", report::summary(&self.outcomes, &self.refusals));
        }
        let refused = self.refusals.iter().filter(|refusal| !refusal.is_optional).count();
        if refused > 0 {
            return Err(format!("{refused} cases did not run"));
        }
        let is_any = !self.outcomes.is_empty() || !self.refusals.is_empty();
        is_any.then_some(()).ok_or_else(|| "no case has a name that begins so".to_owned())
    }

    fn case_in(
        &mut self,
        index: usize,
        place: Option<&str>,
        name: &str,
        title: &str,
        need: Need,
        run: impl Fn(&Job<'_>) -> Outcome,
    ) {
        let Some(directory) = self.directories.get(index).filter(|_| self.arguments.wants(name)) else { return };
        let place = place.unwrap_or(directory.file_system());
        if let Err(reason) = directory.require(need) {
            println!("REFUSED: {name} ({place}), because {reason}\n");
            let (name, place) = (name.to_owned(), place.to_owned());
            self.refusals.push(Refusal { name, place, reason, is_optional: need.is_optional });
            return;
        }
        let job = Job { name, title, directory, numpy: &self.numpy, extent: self.extent, longest: self.arguments.longest, place };
        let outcome = run(&job);
        println!("{}", report::case(&outcome));
        self.outcomes.push(outcome);
        directory.clear();
        self.numpy.forget();
    }
}

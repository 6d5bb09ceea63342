//! What the rows share while they run: the folders, NumPy, and the results so far.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::harness::arguments::Arguments;
use crate::harness::case::{Extent, Row};
use crate::harness::directory::{Folder, Need};
use crate::harness::machine::facts;
use crate::harness::outcome::Outcome;
use crate::harness::report::{self, Refusal};
use crate::peers::numpy::NumPy;

/// A run of some rows, or of all.
pub(crate) struct Bench {
    arguments: Arguments,
    extent: Extent,
    folders: Vec<Folder>,
    pub(crate) numpy: NumPy,
    outcomes: Vec<Outcome>,
    refusals: Vec<Refusal>,
}

/// A row that is about to run: where, and how.
pub(crate) struct Job<'a> {
    name: &'a str,
    title: &'a str,
    /// Where its files are.
    pub(crate) folder: &'a Folder,
    pub(crate) numpy: &'a NumPy,
    extent: Extent,
    longest: Option<Duration>,
    /// What the tables say about the place.
    place: &'a str,
}

impl Job<'_> {
    /// A row without candidates.
    pub(crate) fn row<'a>(&self) -> Row<'a> {
        let title = if self.extent == Extent::Full { self.title.to_owned() } else { format!("smaller than: {}", self.title) };
        let mut row = Row::new(self.name, title, self.place, self.extent);
        row.longest(self.longest);
        row
    }

    /// One number, or another one if it is to be quick.
    pub(crate) fn size<T>(&self, full: T, quick: T) -> T {
        if self.extent == Extent::Full { full } else { quick }
    }
}

impl Bench {
    /// Makes the folders, and starts NumPy.
    pub(crate) fn new(arguments: Arguments) -> Result<Self, String> {
        let extent = if arguments.is_quick { Extent::Quick } else { Extent::Full };
        let bench = Self::with(arguments, extent, NumPy::start())?;
        let file_systems: Vec<_> = bench.folders.iter().map(Folder::file_system).collect();
        for fact in facts(&bench.numpy, &file_systems) {
            println!("{fact}");
        }
        println!();
        Ok(bench)
    }

    /// Puts rows together of which no candidate runs.
    #[cfg(test)]
    pub(crate) fn of_nothing() -> Result<Self, String> {
        Self::with(Arguments::default(), Extent::Nothing, NumPy::none())
    }

    /// What became of the rows so far.
    #[cfg(test)]
    pub(crate) fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    fn with(arguments: Arguments, extent: Extent, numpy: NumPy) -> Result<Self, String> {
        let folders = arguments.folders().iter().map(|folder| Folder::create_in(folder)).collect::<Result<_, _>>()?;
        Ok(Self { arguments, extent, folders, numpy, outcomes: Vec::new(), refusals: Vec::new() })
    }

    /// One size, or another one if it is to be quick.
    pub(crate) fn size<T>(&self, full: T, quick: T) -> T {
        if self.extent == Extent::Full { full } else { quick }
    }

    /// Runs a row in each of the folders, if it is asked for.
    ///
    /// `run` makes the files and the arrays, adds the candidates and their targets, and measures; all of that is there only while the row runs.
    pub(crate) fn row(&mut self, name: &str, title: &str, need: Need, run: impl Fn(&Job<'_>) -> Outcome) {
        for index in 0..self.folders.len() {
            self.row_in(index, None, name, title, need, &run);
        }
    }

    /// Runs a row that measures no files once, if it is asked for.
    pub(crate) fn row_in_memory(&mut self, name: &str, title: &str, need: Need, run: impl Fn(&Job<'_>) -> Outcome) {
        self.row_in(0, Some("in memory"), name, title, need, run);
    }

    /// Writes the results if all rows ran.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        // They did not run in the order of their groups.
        self.outcomes.sort_by_key(|outcome| outcome.name.chars().next());
        if self.arguments.wants_all() {
            let file_systems: Vec<_> = self.folders.iter().map(Folder::file_system).collect();
            let mut facts = facts(&self.numpy, &file_systems);
            facts.extend(self.arguments.longest.map(|longest| format!("rows that rounds leave open: {} s", longest.as_secs())));
            let text = report::whole(&facts, &self.outcomes, &self.refusals, self.arguments.is_quick);
            let name = if self.arguments.is_quick { "RESULTS-quick.md" } else { "RESULTS.md" };
            fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(name), text).map_err(|error| format!("{name}: {error}"))?;
            println!("{name} is written");
        } else {
            println!("{}", report::summary(&self.outcomes, &self.refusals));
        }
        let refused = self.refusals.iter().filter(|refusal| !refusal.is_optional).count();
        if refused > 0 {
            return Err(format!("{refused} rows did not run"));
        }
        let is_any = !self.outcomes.is_empty() || !self.refusals.is_empty();
        is_any.then_some(()).ok_or_else(|| "no row has a name that begins so".to_owned())
    }

    fn row_in(
        &mut self,
        index: usize,
        place: Option<&str>,
        name: &str,
        title: &str,
        need: Need,
        run: impl Fn(&Job<'_>) -> Outcome,
    ) {
        let Some(folder) = self.folders.get(index).filter(|_| self.arguments.wants(name)) else { return };
        let place = place.unwrap_or(folder.file_system());
        if let Err(reason) = folder.require(need) {
            println!("REFUSED: {name} ({place}), because {reason}\n");
            let (name, place) = (name.to_owned(), place.to_owned());
            self.refusals.push(Refusal { name, place, reason, is_optional: need.is_optional });
            return;
        }
        let job = Job { name, title, folder, numpy: &self.numpy, extent: self.extent, longest: self.arguments.longest, place };
        let outcome = run(&job);
        println!("{}", report::row(&outcome));
        self.outcomes.push(outcome);
        folder.clear();
        self.numpy.forget();
    }
}

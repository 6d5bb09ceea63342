//! A run: the directories, NumPy and the outcomes that the cases share.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::harness::arguments::Arguments;
use crate::harness::case::{Case, Extent};
use crate::harness::directory::{Directory, Need};
use crate::harness::machine::facts;
use crate::harness::outcome::Outcome;
use crate::harness::report::{self, Pages};
use crate::harness::samples;
use crate::peers::numpy::NumPy;

/// A run of some cases, or of all.
pub(crate) struct Bench {
    arguments: Arguments,
    extent: Extent,
    directories: Vec<Directory>,
    pub(crate) numpy: NumPy,
    outcomes: Vec<Outcome>,
    /// The cases that did not run for lack of space, with the reason.
    refusals: Vec<String>,
    /// How many of them ought to have run.
    refused: usize,
}

/// Where and how a case runs.
pub(crate) struct Job<'a> {
    name: &'a str,
    /// Where its files are.
    pub(crate) directory: &'a Directory,
    pub(crate) numpy: &'a NumPy,
    extent: Extent,
    longest: Option<Duration>,
    place: &'a str,
}

impl Job<'_> {
    /// Creates the case, without contenders.
    pub(crate) fn case<'a>(&self) -> Case<'a> {
        let mut case = Case::new(self.name, self.place, self.extent);
        case.longest(self.longest);
        case
    }

    /// The full size, or the quick one.
    pub(crate) fn size<T>(&self, full: T, quick: T) -> T {
        if self.extent == Extent::Full { full } else { quick }
    }
}

impl Bench {
    /// Creates the directories and starts NumPy.
    pub(crate) fn new(arguments: Arguments) -> Result<Self, String> {
        let extent = if arguments.is_quick { Extent::Quick } else { Extent::Full };
        let bench = Self::with(arguments, extent, NumPy::start())?;
        for fact in bench.facts() {
            println!("{fact}");
        }
        println!();
        Ok(bench)
    }

    /// Creates a run that assembles its cases and runs no contender.
    #[cfg(test)]
    pub(crate) fn of_nothing() -> Result<Self, String> {
        Self::with(Arguments::default(), Extent::Nothing, NumPy::none())
    }

    /// The outcomes so far.
    #[cfg(test)]
    pub(crate) fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    fn with(arguments: Arguments, extent: Extent, numpy: NumPy) -> Result<Self, String> {
        let directories = arguments.directories().iter().map(|parent| Directory::create_in(parent)).collect::<Result<_, _>>()?;
        Ok(Self { arguments, extent, directories, numpy, outcomes: Vec::new(), refusals: Vec::new(), refused: 0 })
    }

    /// The full size, or the quick one.
    pub(crate) fn size<T>(&self, full: T, quick: T) -> T {
        if self.extent == Extent::Full { full } else { quick }
    }

    /// Runs a case in each directory, if it is asked for.
    ///
    /// `run` creates the files and arrays, adds contenders and targets, and measures.
    pub(crate) fn case(&mut self, name: &str, title: &str, need: Need, run: impl Fn(&Job<'_>) -> Outcome) {
        for index in 0..self.directories.len() {
            self.case_in(index, None, name, title, need, &run);
        }
    }

    /// Runs a case once that measures no files, if it is asked for.
    pub(crate) fn case_in_memory(&mut self, name: &str, title: &str, need: Need, run: impl Fn(&Job<'_>) -> Outcome) {
        self.case_in(0, Some("memory"), name, title, need, run);
    }

    /// Writes samples and results if all cases ran. Fails if one of them could not.
    pub(crate) fn finish(mut self, pages: &Pages) -> Result<(), String> {
        let group_of = |outcome: &Outcome| pages.groups.iter().position(|group| outcome.name.starts_with(group.name));
        self.outcomes.sort_by_key(group_of);
        if self.arguments.wants_all() {
            let mut facts = self.facts();
            facts.extend(self.arguments.longest.map(|longest| format!("undecided cases go on for {} s", longest.as_secs())));
            facts.extend(self.refusals.iter().map(|refusal| format!("not run: {refusal}")));
            let is_quick = self.arguments.is_quick;
            facts.extend(is_quick.then(|| "**made with `--quick`: the figures mean nothing**".to_owned()));
            write(samples_path(is_quick), &samples::write(&facts, &self.outcomes))?;
            render(pages, is_quick)?;
        } else {
            println!("{}", report::summary(&self.outcomes));
        }
        if self.refused > 0 {
            return Err(format!("{} cases did not run", self.refused));
        }
        let is_any = !self.outcomes.is_empty() || !self.refusals.is_empty();
        is_any.then_some(()).ok_or_else(|| "no case has a name that begins so".to_owned())
    }

    fn facts(&self) -> Vec<String> {
        facts(&self.numpy, &self.directories.iter().map(Directory::file_system).collect::<Vec<_>>())
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
            println!("NOT RUN: {name} ({place}): {reason}\n");
            self.refusals.push(format!("{name} ({place}): {reason}"));
            self.refused += usize::from(!need.is_optional);
            return;
        }
        println!("## {name} ({place})\n\n{}{title}", self.size("", "smaller than: "));
        let longest = self.arguments.longest;
        let outcome = run(&Job { name, directory, numpy: &self.numpy, extent: self.extent, longest, place });
        println!("{}", report::case(&outcome));
        self.outcomes.push(outcome);
        directory.clear();
        self.numpy.forget();
    }
}

/// Renders the pages of the samples in the file.
pub(crate) fn render(pages: &Pages, is_quick: bool) -> Result<(), String> {
    let path = samples_path(is_quick);
    let text = fs::read_to_string(in_package(path)).map_err(|error| format!("{path}: {error}"))?;
    let (facts, outcomes) = samples::read(&text).map_err(|problem| format!("{path}: {problem}"))?;
    let quick = if is_quick { "-quick" } else { "" };
    write(&format!("RESULTS{quick}.md"), &pages.results(&facts, &outcomes))?;
    write(&format!("RATIOS{quick}.md"), &pages.ratios(&facts, &outcomes))
}

fn samples_path(is_quick: bool) -> &'static str {
    if is_quick { "samples-quick.tsv" } else { "samples.tsv" }
}

fn write(name: &str, text: &str) -> Result<(), String> {
    fs::write(in_package(name), text).map_err(|error| format!("{name}: {error}"))?;
    println!("wrote {name}");
    Ok(())
}

fn in_package(name: &str) -> impl AsRef<Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

//! What the rows share while they run: the folders, NumPy, and the results so far.

use std::fs;
use std::path::Path;

use crate::arguments::Arguments;
use crate::machine::facts;
use crate::numpy::NumPy;
use crate::outcome::Outcome;
use crate::report::{self, Refusal};
use crate::room::{Folder, Need};
use crate::row::Row;

/// A run of some rows, or of all.
pub(crate) struct Bench {
    arguments: Arguments,
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
    pub(crate) is_quick: bool,
    /// What the tables say about the place.
    place: &'a str,
}

impl Job<'_> {
    /// A row without candidates.
    pub(crate) fn row<'a>(&self) -> Row<'a> {
        let title = if self.is_quick { format!("smaller than: {}", self.title) } else { self.title.to_owned() };
        Row::new(self.name, title, self.place, self.is_quick)
    }

    /// One number, or another one if it is to be quick.
    pub(crate) fn size<T>(&self, full: T, quick: T) -> T {
        if self.is_quick { quick } else { full }
    }
}

impl Bench {
    /// Makes the folders, and starts NumPy.
    pub(crate) fn new(arguments: Arguments) -> Result<Self, String> {
        let folders = arguments.folders().iter().map(|folder| Folder::create_in(folder)).collect::<Result<_, _>>()?;
        let bench = Self { arguments, folders, numpy: NumPy::start(), outcomes: Vec::new(), refusals: Vec::new() };
        let file_systems: Vec<_> = bench.folders.iter().map(Folder::file_system).collect();
        for fact in facts(&bench.numpy, &file_systems) {
            println!("{fact}");
        }
        println!();
        Ok(bench)
    }

    /// One size, or another one if it is to be quick.
    pub(crate) fn size<T>(&self, full: T, quick: T) -> T {
        if self.arguments.is_quick { quick } else { full }
    }

    /// Runs a row in each of the folders, if it is asked for.
    ///
    /// `run` makes the files and the arrays, adds the candidates and their targets, and measures; all of that is there only while the row runs.
    pub(crate) fn row(&mut self, name: &str, title: &str, need: Need, run: impl Fn(&Job<'_>) -> Outcome) {
        if !self.arguments.wants(name) {
            return;
        }
        for folder in &self.folders {
            let place = folder.file_system();
            if let Err(reason) = folder.require(need) {
                println!("REFUSED: {name} ({place}), because {reason}\n");
                self.refusals.push(Refusal { name: name.to_owned(), place: place.to_owned(), reason });
                continue;
            }
            let job = Job { name, title, folder, numpy: &self.numpy, is_quick: self.arguments.is_quick, place };
            let outcome = run(&job);
            println!("{}", report::row(&outcome));
            self.outcomes.push(outcome);
            folder.clear();
            self.numpy.forget();
        }
    }

    /// Runs a row without files once, if it is asked for.
    pub(crate) fn row_in_memory(&mut self, name: &str, title: &str, run: impl Fn(&Job<'_>) -> Outcome) {
        let Some(folder) = self.folders.first().filter(|_| self.arguments.wants(name)) else { return };
        let place = "in memory";
        let outcome = run(&Job { name, title, folder, numpy: &self.numpy, is_quick: self.arguments.is_quick, place });
        println!("{}", report::row(&outcome));
        self.outcomes.push(outcome);
        self.numpy.forget();
    }

    /// Writes the results if all rows ran.
    pub(crate) fn finish(self) -> Result<(), String> {
        if self.arguments.wants_all() {
            let file_systems: Vec<_> = self.folders.iter().map(Folder::file_system).collect();
            let facts = facts(&self.numpy, &file_systems);
            let text = report::whole(&facts, &self.outcomes, &self.refusals, self.arguments.is_quick);
            let name = if self.arguments.is_quick { "RESULTS-quick.md" } else { "RESULTS.md" };
            fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(name), text).map_err(|error| format!("{name}: {error}"))?;
            println!("{name} is written");
        }
        match &self.refusals[..] {
            [] if self.outcomes.is_empty() => Err("no row has a name that begins so".to_owned()),
            [] => Ok(()),
            refusals => Err(format!("{} rows did not run", refusals.len())),
        }
    }
}

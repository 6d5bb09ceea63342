//! The arguments of commands that read many files by several threads.

use std::ffi::OsString;
use std::io::Write as _;

use crate::failure::{Failure, Result};
use crate::input::paths::{self, Files};
use crate::output::{self, Screen};
use crate::threads;

/// More threads than any machine has use.
const MOST_THREADS: usize = 1024;

/// The files to read, and the number of threads.
#[derive(Debug, clap::Args)]
pub(super) struct Batch {
    /// Files, members (FILE:MEMBER), directories, patterns, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,

    /// Threads that read and compute; 0 is the number of processors
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    threads: usize,
}

impl Batch {
    /// The files, after directories and patterns are expanded.
    pub(super) fn files(&self) -> Result<Files> {
        paths::expand(&self.files)
    }

    /// At least one thread.
    pub(super) fn threads(&self) -> usize {
        match self.threads {
            0 => threads::of_machine(),
            threads => threads.min(MOST_THREADS),
        }
    }
}

/// Ends the command: prints all failures but an only one.
pub(super) fn fail(screen: &mut Screen, mut failures: Vec<Failure>) -> Result<u8> {
    match failures.len() {
        0 => Ok(0),
        1 => failures.pop().map_or(Ok(0), Err),
        _ => {
            screen.flush()?;
            for failure in failures {
                output::tell(&failure);
            }
            Err(Failure::Reported)
        }
    }
}

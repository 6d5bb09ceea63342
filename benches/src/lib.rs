//! Measures this workspace beside NumPy, other crates and the limits of the machine.
//!
//! A *case* is one job, such as reading 64 MiB. Its *contenders* take turns, round after round:
//! ours and the *baselines*. *Targets* say how fast ours has to be. `workloads` has a file for each
//! group of cases, `peers` the baselines, `harness` what they share.

#![allow(clippy::unwrap_used, reason = "there is no figure when a contender fails, and nothing else to be done")]
#![allow(clippy::cast_precision_loss, reason = "times and ratios are shown with three digits")]

mod peers;
mod harness;
mod workloads;

use std::process::ExitCode;

use crate::harness::arguments::Arguments;
use crate::harness::bench::{Bench, render};
use crate::workloads::PAGES;

/// Runs the cases that the command line asks for. Without names, runs all and writes the results.
pub fn run(arguments: impl Iterator<Item = String>) -> ExitCode {
    let result = Arguments::parse(arguments).and_then(|arguments| {
        if arguments.is_render {
            return render(&PAGES, arguments.is_quick);
        }
        let mut bench = Bench::new(arguments)?;
        workloads::run(&mut bench);
        bench.finish(&PAGES)
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            println!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

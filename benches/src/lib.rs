//! Measures this workspace beside NumPy, beside other crates, and beside what the machine can do at best.
//!
//! A *case* is one job, such as reading 64 MiB. Its *contenders* do it in turn, round after round, and its *targets* say how fast ours has to be. The
//! cases are in `workloads`, one file for each group of them; everything else here is what they share.

#![allow(clippy::unwrap_used, reason = "there is no figure when a contender fails, and nothing else to be done")]
#![allow(clippy::cast_precision_loss, reason = "times and ratios are shown with three digits")]

mod peers;
mod harness;
mod workloads;

use std::process::ExitCode;

use crate::harness::arguments::Arguments;
use crate::harness::bench::Bench;

/// Runs the cases that the arguments of the command line ask for. Without names it runs all of them, and writes `RESULTS.md`.
pub fn run(arguments: impl Iterator<Item = String>) -> ExitCode {
    let result = Arguments::parse(arguments).and_then(Bench::new).and_then(|mut bench| {
        workloads::run(&mut bench);
        bench.finish()
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            println!("REFUSED: {problem}");
            ExitCode::FAILURE
        }
    }
}

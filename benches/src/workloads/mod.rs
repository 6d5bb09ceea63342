//! The cases. Their targets are those that prototypes have reached, beside the same contenders.

mod read;
mod write;
mod order;
mod small;
mod records;
mod archives;
mod headers;
mod growth;
mod memory;

use std::fs;

use npy_core::NpyElement;

use crate::harness::bench::{Bench, Job};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;

/// What is there before something is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// As much as will be written.
    Same,
}

/// Runs all that are asked for.
pub(crate) fn run(bench: &mut Bench) {
    read::run(bench);
    write::run(bench);
    order::run(bench);
    records::run(bench);
    archives::run(bench);
    headers::run(bench);
    growth::run(bench);
    memory::run(bench);
    // Last of all: it leaves files, and frees inodes, which new files of others would pay for.
    small::run(bench);
}

/// The bytes of so many copies of something.
fn bytes(copies: usize, size: usize) -> u64 {
    copies as u64 * size as u64
}

/// The same in memory that is like that of NumPy's arrays, which asks for huge pages: reading from it to write a file is faster.
fn in_huge_pages<T: NpyElement>(job: &Job<'_>, items: &[T]) -> Vec<T> {
    let path = job.directory.file("in huge pages.npy");
    npy_core::save(&path, items).unwrap();
    let items = npy_core::load(&path).unwrap();
    fs::remove_file(&path).unwrap();
    items
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::harness::memory::ALONE;

    #[test]
    fn each_target_says_what_bounds_it() {
        let _alone = ALONE.lock().unwrap();
        let mut bench = Bench::of_nothing().unwrap();
        run(&mut bench);
        let outcomes = bench.outcomes();
        let groups: BTreeSet<_> = outcomes.iter().map(|outcome| outcome.name.split('.').next().unwrap()).collect();
        assert!(groups.len() >= 8, "{groups:?}");
        assert!(outcomes.iter().map(|outcome| outcome.verdicts.len()).sum::<usize>() > 100);
        for outcome in outcomes {
            for verdict in &outcome.verdicts {
                let is_said = verdict.bound.as_ref().is_some_and(|bound| !bound.is_empty());
                assert!(is_said, "{} ({}): {}", outcome.name, outcome.place, verdict.text);
            }
        }
    }
}

//! The cases, a file for each group. Prototypes met nearly all targets.

mod read;
mod write;
mod order;
mod casts;
mod small;
mod records;
mod archives;
mod compress;
mod print;
mod headers;
mod growth;
mod sizes;
mod memory;

use std::fs;
use std::path::Path;

use npy_core::NpyElement;

use crate::harness::bench::{Bench, Job};
use crate::harness::report::{Group, Headline, Pages};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;

/// The contents of `RESULTS.md` and `RATIOS.md`.
pub(crate) const PAGES: Pages = Pages {
    headlines: &[
        headline("Load 1 GiB of f64", "read.1GiB", "load", "np.load", Some(1 << 30)),
        headline("Save 1 GiB of f64", "write.1GiB.new", "save", "np.save", Some(1 << 30)),
        headline("Load 2,000 images of 28 × 28 u8", "small.read.mnist-28x28", "load_npy", "np.load", None),
        headline("Load 512 MiB, Fortran to C order", "order.read.fortran", "load_npy", FORTRAN, Some(1 << 29)),
        headline(
            "Load 5 M records as structs",
            "records.read.packed",
            "load",
            "np.load().astype(align=True)",
            Some(5_000_000 * 37),
        ),
        headline("Load 128 MiB from a deflated npz", "archives.read.deflated", "NpzReader", "np.load", Some(1 << 27)),
    ],
    slower: "Ours loses where 1 GiB is loaded into new memory from ext4, though not in every round (from tmpfs it takes 0.92 of NumPy's time),\n\
        and where a save replaces a small new file atomically, which no peer does: twice as long as theirs; in place it takes as long as they do.",
    groups: &[
        group("read", "Large arrays of `f64`, and their sum while they are read."),
        group(
            "write",
            "Large arrays of `f64`: to a new file, over one of the same size, to the disk. `save` replaces the file atomically.",
        ),
        group("order", "Fortran order, big-endian numbers and bools that must be checked."),
        group(
            "casts",
            "A million numbers in memory to another type, in time of the processor: without checks, as NumPy casts them, and only if every value fits or stays the same.",
        ),
        group("small", "Many small files. `save_npy` replaces each atomically, which no peer does; in place it does what they do."),
        group(
            "records",
            "Structured arrays. `np.load` and `np.save` leave records packed, as `DynValues` does; structs take more memory.",
        ),
        group("archives", "Archives of four arrays, of one array of noise, of 512 small arrays."),
        group("compress", "One array to a new archive, deflated at level 6 by one thread; the sizes stand in `samples.tsv`."),
        group("print", "Numbers as text; the limit has neither layout nor a common width."),
        group("headers", "Parsing and writing headers. The targets are times on one machine."),
        group(
            "growth",
            "Files of unknown length. `NpyWriter::create` leaves a valid file at every instant, by four flushes; the others flush once.",
        ),
        group(
            "sizes",
            "Each job with 1 KiB to 4 GiB beside what the machine needs for as many bytes, which should not depend on the size.",
        ),
        group("memory", "Peak memory beside that of the result; while 256 MiB are streamed, beside 64 MiB."),
    ],
};

/// The fastest of what NumPy does to turn an array around.
const FORTRAN: &str = "np.ascontiguousarray(np.load) | np.ascontiguousarray(np.load(mmap_mode='r'))";

/// What exists before a case writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A file of the same size.
    Same,
}

/// Runs all cases that are asked for.
pub(crate) fn run(bench: &mut Bench) {
    read::run(bench);
    write::run(bench);
    order::run(bench);
    casts::run(bench);
    records::run(bench);
    archives::run(bench);
    compress::run(bench);
    print::run(bench);
    headers::run(bench);
    growth::run(bench);
    sizes::run(bench);
    memory::run(bench);
    // Last: it leaves files and frees inodes, which slows new files of the others.
    small::run(bench);
}

const fn group(name: &'static str, about: &'static str) -> Group {
    Group { name, about }
}

const fn headline(job: &'static str, case: &'static str, ours: &'static str, numpy: &'static str, bytes: Option<u64>) -> Headline {
    Headline { job, case, ours, numpy, bytes }
}

/// The bytes of several copies.
fn bytes(copies: usize, size: usize) -> u64 {
    copies as u64 * size as u64
}

/// Copies items into huge pages, as NumPy's arrays have them: writing from these is faster.
fn in_huge_pages<T: NpyElement>(job: &Job<'_>, items: &[T]) -> Vec<T> {
    let path = job.directory.file("in huge pages.npy");
    npy_core::save(&path, items).unwrap();
    let items = npy_core::load(&path).unwrap();
    fs::remove_file(&path).unwrap();
    items
}

/// Puts new memory into `memory`, and returns `length` bytes of it that begin at a page.
///
/// Large blocks of glibc begin 16 bytes behind a page. On an AMD EPYC, the kernel copies the beginning of
/// a file to there at less than half the speed.
fn from_page(memory: &mut Vec<u8>, length: usize) -> &mut [u8] {
    const BYTES: usize = 4096;
    *memory = vec![0; length + BYTES];
    let before = memory.as_ptr().align_offset(BYTES);
    &mut memory[before..][..length]
}

fn file_size(path: &Path) -> usize {
    usize::try_from(fs::metadata(path).unwrap().len()).unwrap()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::harness::memory::ALONE;
    use crate::harness::samples;
    use crate::harness::series::Series;

    #[test]
    fn results_are_those_of_the_samples() {
        let (facts, outcomes) = samples::read(include_str!("../../samples.tsv")).unwrap();
        let rendered = (PAGES.results(&facts, &outcomes), PAGES.ratios(&facts, &outcomes));
        let (results, ratios) = (include_str!("../../RESULTS.md"), include_str!("../../RATIOS.md"));
        assert!(rendered == (results.to_owned(), ratios.to_owned()), "render them again: --render");
    }

    #[test]
    fn cases_have_groups_and_contenders_for_their_targets() {
        let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut bench = Bench::of_nothing().unwrap();
        run(&mut bench);
        let outcomes = bench.outcomes();
        let groups: BTreeSet<_> = PAGES.groups.iter().map(|group| group.name).collect();
        for outcome in outcomes {
            assert!(groups.contains(outcome.name.split('.').next().unwrap()), "{}", outcome.name);
            for target in &outcome.targets {
                let own = outcome.find(&target.contender);
                assert!(own.is_some_and(Series::is_ours), "{}: {target:?}", outcome.name);
            }
        }
        assert!(outcomes.iter().map(|outcome| outcome.targets.len()).sum::<usize>() > 100);
        for Headline { case, ours, .. } in PAGES.headlines {
            assert!(outcomes.iter().any(|outcome| outcome.name == *case && outcome.find(ours).is_some()), "{case}: {ours}");
        }
    }
}

//! Where the workspace is, and lines that the test harness does not capture.
#![allow(dead_code, reason = "each test program uses a part")]

use std::io::Write as _;
use std::path::Path;

/// Prints a line that the test harness does not capture: counts, and what was skipped.
pub fn announce(line: &str) {
    // A terminal that is gone is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The workspace, also where a crate outside of it compiles its tests.
pub fn workspace() -> &'static Path {
    let mut directories = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    directories.find(|directory| directory.join("tests/data").is_dir()).unwrap()
}

/// How often a test of random cases repeats: `few` times, which finds most of what it can find, times `NPY_ROUNDS`. `.ci/run` sets it to 10.
pub fn rounds(few: usize) -> usize {
    few * std::env::var("NPY_ROUNDS").map_or(1, |text| text.parse().unwrap())
}

/// Every `apart`-th case, beginning with the first; all where `NPY_ROUNDS` is at least `apart`, as in `.ci/run`.
pub fn some<T>(cases: impl IntoIterator<Item = T>, apart: usize) -> impl Iterator<Item = T> {
    assert!((1..=10).contains(&apart), "all cases are tried with NPY_ROUNDS=10");
    cases.into_iter().step_by((apart / rounds(1).max(1)).max(1))
}

//! Where the workspace is, and lines that the test harness does not capture.

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

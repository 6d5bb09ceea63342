//! What the tests of several commands use.
#![allow(dead_code, reason = "not every command has use for all of it")]

#[path = "../../tests/support/numpy.rs"]
pub mod numpy;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

/// The program with these arguments, in an environment without colors and widths.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// Runs the program.
pub fn npy(arguments: &[&str]) -> Output {
    command(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Runs the program with this standard input.
pub fn npy_with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // It need not read everything.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// What a successful run prints.
pub fn stdout(arguments: &[&str]) -> String {
    let output = npy(arguments);
    assert_eq!(stderr(&output), "", "{arguments:?}");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a run that fails says.
pub fn failure(arguments: &[&str]) -> String {
    let output = npy(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
    stderr(&output)
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Prints a line that the test harness does not capture.
pub fn announce(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The files written by real NumPy.
pub fn data(path: &str) -> PathBuf {
    workspace().join("tests/data").join(path)
}

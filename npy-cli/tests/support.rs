//! Runs the program, for the tests of all commands.

#[path = "../../tests/support/base.rs"]
mod base;
#[path = "../../tests/support/compiler.rs"]
pub mod compiler;
#[path = "../../tests/support/numpy.rs"]
pub mod numpy;

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::thread;

pub use base::{announce, data, files_below, rounds, some, workspace};

/// What a run of the command gave.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Standard output as it came.
    pub bytes: Vec<u8>,
}

impl Run {
    /// Standard output of a run that must have succeeded, without a word on standard error.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// Standard error of a run that must have failed with exit code 2: one line.
    #[track_caller]
    pub fn trouble(self) -> String {
        assert_eq!(self.code, Some(2), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        self.stderr
    }
}

/// The command, in an environment that does not change its output.
pub fn command<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_npy"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("COLUMNS").env_remove("CLICOLOR_FORCE");
    command
}

/// Runs the command.
pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Run {
    run_with(arguments, b"")
}

/// Runs the command with this standard input.
pub fn run_with<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>, input: &[u8]) -> Run {
    let output = npy_with_input(arguments, input);
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        bytes: output.stdout,
    }
}

/// Runs the command with this standard input, and returns its output as it came.
pub fn npy_with_input<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>, input: &[u8]) -> Output {
    let mut command = command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // Its own thread: the command may write before it has read everything, or not read at all.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// The path of a file of the examples.
pub fn example(name: &str) -> String {
    workspace().join("examples/data").join(name).display().to_string()
}

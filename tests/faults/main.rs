//! Every system call of every writer fails once. Every writer is killed at each call and within its writes, and meets
//! directories that it must not change and disks that are full. The file stays whole, nothing is left over, and the error has
//! the path.
//!
//! The calls need `strace`, and the right to trace; what is missing is skipped and named. `NPY_FAULTS=all` tries
//! more errors, `NPY_ROUNDS=10` every call; the default is every third of a name, which takes seconds.

#[path = "../support/base.rs"]
mod base;
mod calls;
#[cfg(unix)]
mod places;
mod writers;

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

use writers::{WRITERS, Writer};

/// What the child looks for around its writer, so that the calls between can be told.
const MARKS: [&str; 2] = ["/npy-begin", "/npy-end"];

/// The argument of a process that runs one writer.
const CHILD: &str = "--child";

/// The file that leaves little room on a disk.
const FILLER: &str = "filler";

fn child(name: &str, directory: &Path) -> ExitCode {
    let Some(writer) = WRITERS.iter().find(|writer| writer.name == name) else { return ExitCode::from(3) };
    // Not there; strace sees that it was asked for.
    let _ = fs::metadata(MARKS[0]);
    let result = (writer.run)(directory);
    let _ = fs::metadata(MARKS[1]);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(1)
        }
    }
}

/// A process that runs one writer.
fn process(writer: &Writer, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([CHILD, writer.name]).arg(directory).stdin(Stdio::null());
    command
}

/// What is wrong after a writer has ended in `directory`.
fn problem(writer: &Writer, directory: &Path, output: &Output) -> Option<String> {
    let message = String::from_utf8_lossy(&output.stderr);
    let is_done = output.status.success();
    let mut problem = (writer.check)(directory, is_done).err();
    if !is_done && (output.status.code() != Some(1) || !message.contains(directory.to_str().unwrap())) {
        problem = Some(format!("no error with its path: {}, {message}", output.status));
    }
    for entry in fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // The lock of shards stays: another writer may hold it.
        if !name.starts_with(writer.names) && ![".s.npy-lock", FILLER].contains(&name.as_str()) {
            problem = Some(format!("{name} is left over"));
        }
    }
    problem
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [flag, name, directory] if flag == CHILD => return child(&name.to_string_lossy(), Path::new(directory)),
        #[cfg(unix)]
        [flag, directory] if flag == places::FULL_DISK => return places::on_a_full_disk(Path::new(directory)),
        _ => {}
    }
    // `cargo test -- --list`, and `cargo test NAME` of another test: this program has no parts.
    let is_other = |name: &OsStr| name.to_str().is_some_and(|name| !name.starts_with('-') && !"faults".contains(name));
    if arguments.iter().any(|argument| argument == "--list") || arguments.first().is_some_and(|name| is_other(name)) {
        return ExitCode::SUCCESS;
    }
    let problems = calls::sweep_all();
    #[cfg(unix)]
    let problems = [problems, places::sweep_all()].concat();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} problems", problems.len()).unwrap();
    problems.iter().for_each(|problem| writeln!(out, "{problem}").unwrap());
    ExitCode::from(u8::from(!problems.is_empty()))
}

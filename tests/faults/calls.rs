//! Every system call of a writer fails once, and is once the last that the process comes to.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use npy_core::npz::{self, NpzReader};

use crate::base::some;
use crate::writers::{WRITERS, Writer};
use crate::{CHILD, MARKS, problem, process};

/// What `strace` injects to end the process where a call begins.
const KILL: &str = "signal=KILL";

/// These replace a whole file, and take over what a killed process left beside it.
const REPLACE: [&str; 7] =
    ["a new file", "another file", "a durable file", "a RawArray", "an archive", "another archive", "a durable archive"];

/// Calls whose failure is one of memory, of threads or of the process's end.
const LEFT_OUT: [&str; 16] = [
    "brk",
    "exit_group",
    "futex",
    "getrandom",
    "gettid",
    "madvise",
    "mmap",
    "mprotect",
    "mremap",
    "munmap",
    "prctl",
    "rt_sigaction",
    "rt_sigprocmask",
    "sched_getaffinity",
    "set_robust_list",
    "sigaltstack",
];

/// All writers, and what went wrong.
pub(crate) fn sweep_all() -> Vec<String> {
    if !Command::new("strace").args(["-o/dev/null", "true"]).output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED failing calls: strace is missing or may not trace");
        return Vec::new();
    }
    let all = std::env::var_os("NPY_FAULTS").is_some_and(|value| value == "all");
    let errors: &[&str] = if all { &["ENOSPC", "EIO", "EINTR", "EDQUOT", "EACCES", "EMFILE"] } else { &["EIO"] };
    let injections: Vec<String> = errors.iter().map(|error| format!("error={error}")).chain([KILL.to_owned()]).collect();
    let results: Vec<_> = std::thread::scope(|scope| {
        let injections = &injections;
        let sweeps: Vec<_> = WRITERS.iter().map(|writer| scope.spawn(move || sweep(writer, injections))).collect();
        sweeps.into_iter().map(|sweep| sweep.join().unwrap()).collect()
    });
    let count: usize = results.iter().map(|(count, _)| count).sum();
    println!("{count} calls of {} writers failed, or were the last", WRITERS.len());
    results.into_iter().flat_map(|(_, problems)| problems).collect()
}

/// Runs the child under strace, in a fresh directory.
fn traced(writer: &Writer, options: &[String], directory: &Path) -> Output {
    let _ = fs::remove_dir_all(directory);
    fs::create_dir(directory).unwrap();
    (writer.prepare)(directory).unwrap();
    Command::new("strace")
        .args(options)
        .arg(std::env::current_exe().unwrap())
        .args([CHILD, writer.name])
        .arg(directory)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The calls of a writer: how many of each name there are before it, and within it.
fn calls(log: &str) -> BTreeMap<String, (usize, usize)> {
    let mut calls = BTreeMap::new();
    let mut is_within = false;
    for line in log.lines() {
        if MARKS.iter().any(|mark| line.contains(mark)) {
            // It is the first of its name outside of the writer as well.
            calls.entry(line.split('(').next().unwrap().to_owned()).or_insert((0, 0)).0 += usize::from(!is_within);
            is_within = !is_within;
            continue;
        }
        let Some((name, _)) = line.split_once('(') else { continue };
        let (before, within) = calls.entry(name.to_owned()).or_insert((0, 0));
        if is_within {
            *within += 1
        } else if *within == 0 {
            *before += 1
        }
    }
    calls.retain(|name, (_, within)| *within > 0 && !LEFT_OUT.contains(&name.as_str()));
    calls
}

/// What is wrong after a writer was killed.
pub(crate) fn killed(writer: &Writer, directory: &Path) -> Option<String> {
    let archive = directory.join("a.npz");
    if archive.exists()
        && NpzReader::open(&archive).is_err()
        && let Err(error) = npz::recover(&archive)
    {
        return Some(format!("cannot be recovered: {error}"));
    }
    let again = || problem_of_the_next(writer, directory).map(|problem| format!("the next writer: {problem}"));
    if writer.name.starts_with("recovery") {
        // Between the new header and the new end of the file, less than a row stands behind the rows.
        return again();
    }
    let problem = (writer.check)(directory, false).err();
    problem.or_else(|| if REPLACE.contains(&writer.name) { again() } else { None })
}

fn problem_of_the_next(writer: &Writer, directory: &Path) -> Option<String> {
    let output = process(writer, directory).output().unwrap();
    problem(writer, directory, &output).or_else(|| (!output.status.success()).then(|| "fails".to_owned()))
}

/// Injects each failure into each call of a writer. Returns how often, and what went wrong.
fn sweep(writer: &Writer, injections: &[String]) -> (usize, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    let (log, target) = (directory.path().join("log"), directory.path().join("files"));
    let plain = traced(writer, &["-o".to_owned(), log.display().to_string()], &target);
    assert!(plain.status.success(), "{}: {}", writer.name, String::from_utf8_lossy(&plain.stderr));
    (writer.check)(&target, true).unwrap();
    let (mut count, mut problems) = (0, Vec::new());
    for (call, (before, within)) in calls(&fs::read_to_string(&log).unwrap()) {
        for k in some(before + 1..=before + within, 3) {
            for injection in injections {
                let inject = [format!("-etrace={call}"), format!("-einject={call}:{injection}:when={k}"), "-o/dev/null".to_owned()];
                let output = traced(writer, &inject, &target);
                count += 1;
                if String::from_utf8_lossy(&output.stderr).contains("unexpected error during closedir") {
                    // The standard library takes a directory that cannot be closed for a bug.
                    continue;
                }
                let problem = if injection == KILL { killed(writer, &target) } else { problem(writer, &target, &output) };
                problems
                    .extend(problem.map(|problem| format!("{}: {call} {} with {injection}: {problem}", writer.name, k - before)));
            }
        }
    }
    (count, problems)
}

//! Every system call of a writer fails once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::base::some;
use crate::writers::{WRITERS, Writer};
use crate::{CHILD, MARKS, problem};

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
    let results: Vec<_> = std::thread::scope(|scope| {
        let sweeps: Vec<_> = WRITERS.iter().map(|writer| scope.spawn(move || sweep(writer, errors))).collect();
        sweeps.into_iter().map(|sweep| sweep.join().unwrap()).collect()
    });
    let count: usize = results.iter().map(|(count, _)| count).sum();
    println!("{count} calls of {} writers failed", WRITERS.len());
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

/// Lets each call of a writer fail with each error. Returns how often, and what went wrong.
fn sweep(writer: &Writer, errors: &[&str]) -> (usize, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    let (log, target) = (directory.path().join("log"), directory.path().join("files"));
    let plain = traced(writer, &["-o".to_owned(), log.display().to_string()], &target);
    assert!(plain.status.success(), "{}: {}", writer.name, String::from_utf8_lossy(&plain.stderr));
    (writer.check)(&target, true).unwrap();
    let (mut count, mut problems) = (0, Vec::new());
    for (call, (before, within)) in calls(&fs::read_to_string(&log).unwrap()) {
        for k in some(before + 1..=before + within, 3) {
            for error in errors {
                let inject =
                    [format!("-etrace={call}"), format!("-einject={call}:error={error}:when={k}"), "-o/dev/null".to_owned()];
                let output = traced(writer, &inject, &target);
                count += 1;
                if String::from_utf8_lossy(&output.stderr).contains("unexpected error during closedir") {
                    // The standard library takes a directory that cannot be closed for a bug.
                    continue;
                }
                if let Some(problem) = problem(writer, &target, &output) {
                    problems.push(format!("{}: {call} number {} fails with {error}: {problem}", writer.name, k - before));
                }
            }
        }
    }
    (count, problems)
}

//! Every system call of every writer fails once: the file stays whole, nothing is left over, and the error has
//! the path.
//!
//! It needs `strace`, and the right to trace; without them it says so and ends. `NPY_FAULTS=all` tries more
//! errors; the default is what takes seconds.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::shards::{ShardWriter, Shards};
use npy_core::{NpyWriter, Result, SaveOptions, rawarray};

/// What the child looks for around its writer, so that the calls between can be told.
const MARKS: [&str; 2] = ["/npy-begin", "/npy-end"];

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

struct Writer {
    name: &'static str,
    /// What is there before.
    prepare: fn(&Path) -> Result<()>,
    run: fn(&Path) -> Result<()>,
    /// What must be there after an error, or after success.
    check: fn(&Path, bool) -> std::result::Result<(), String>,
    /// The names that may be in the directory begin so.
    names: &'static str,
}

const WRITERS: [Writer; 12] = [
    Writer {
        name: "a new file",
        prepare: nothing,
        run: |d| npy_core::save(d.join("a.npy"), &new()),
        check: is_whole,
        names: "a.npy",
    },
    Writer {
        name: "another file",
        prepare: old_npy,
        run: |d| npy_core::save(d.join("a.npy"), &new()),
        check: is_whole,
        names: "a.npy",
    },
    Writer {
        name: "a durable file",
        prepare: old_npy,
        run: |d| npy_core::save_with(d.join("a.npy"), &new(), SaveOptions::new().durable(true)),
        check: is_whole,
        names: "a.npy",
    },
    Writer {
        name: "a file in place",
        prepare: old_npy,
        run: |d| npy_core::save_with(d.join("a.npy"), &new(), SaveOptions::new().in_place(true).durable(true)),
        check: |d, is_done| if is_done { is_whole(d, true) } else { Ok(()) },
        names: "a.npy",
    },
    Writer {
        name: "a RawArray",
        prepare: |d| rawarray::save(d.join("a.ra"), &old()),
        run: |d| rawarray::save(d.join("a.ra"), &new()),
        check: |d, is_done| is_either(rawarray::load(d.join("a.ra")), is_done),
        names: "a.ra",
    },
    Writer { name: "an archive", prepare: nothing, run: archive, check: is_whole_archive, names: "a.npz" },
    Writer { name: "another archive", prepare: old_npz, run: archive, check: is_whole_archive, names: "a.npz" },
    Writer {
        name: "a growing file",
        prepare: nothing,
        run: |d| append(NpyWriter::create(d.join("a.npy"))?),
        check: |d, is_done| if is_done || d.join("a.npy").exists() { has_grown(d, &[], is_done) } else { Ok(()) },
        names: "a.npy",
    },
    Writer {
        name: "more of a growing file",
        prepare: |d| {
            let mut file = NpyWriter::<u32, _>::create(d.join("a.npy"))?;
            file.write_slice(&old())?;
            file.finish().map(drop)
        },
        run: |d| append(NpyWriter::append(d.join("a.npy"))?),
        check: |d, is_done| has_grown(d, &old(), is_done),
        names: "a.npy",
    },
    Writer { name: "more of an archive", prepare: old_npz, run: append_member, check: has_members, names: "a.npz" },
    Writer {
        name: "shards",
        prepare: nothing,
        run: |d| shards(d, &new()),
        check: |d, is_done| has_rows(d, &[], is_done),
        names: "s",
    },
    Writer {
        name: "more shards",
        prepare: |d| shards(d, &old()),
        run: |d| shards(d, &new()),
        check: |d, is_done| has_rows(d, &old(), is_done),
        names: "s",
    },
];

fn old() -> Vec<u32> {
    (0..30_000).collect()
}

fn new() -> Vec<u32> {
    (1_000_000..1_050_000).collect()
}

fn nothing(_directory: &Path) -> Result<()> {
    Ok(())
}

fn old_npy(directory: &Path) -> Result<()> {
    npy_core::save(directory.join("a.npy"), &old())
}

fn old_npz(directory: &Path) -> Result<()> {
    let mut archive = NpzWriter::create(directory.join("a.npz"))?;
    archive.add_slice("old", &old())?;
    archive.finish().map(drop)
}

fn archive(directory: &Path) -> Result<()> {
    let mut archive = NpzWriter::create_compressed(directory.join("a.npz"))?;
    archive.add_slice("first", &new())?;
    archive.add_slice("new", &new())?;
    archive.finish().map(drop)
}

fn append(mut file: NpyWriter<u32, fs::File>) -> Result<()> {
    let (items, middle) = (new(), 20_000);
    file.write_slice(&items[..middle])?;
    file.flush()?;
    file.write_slice(&items[middle..])?;
    file.finish().map(drop)
}

fn append_member(directory: &Path) -> Result<()> {
    let mut archive = NpzWriter::append(directory.join("a.npz"))?;
    archive.add_slice("new", &new())?;
    archive.finish().map(drop)
}

fn shards(directory: &Path, rows: &[u32]) -> Result<()> {
    let mut shards = ShardWriter::<u32>::open(directory.join("s"), 20_000)?;
    shards.write_slice(rows)?;
    shards.finish()
}

/// The new array, or after an error the old one, or none where there was none.
fn is_whole(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let path = directory.join("a.npy");
    if !is_done && !path.exists() {
        return Ok(());
    }
    is_either(npy_core::load(path), is_done)
}

fn is_either(found: Result<Vec<u32>>, is_done: bool) -> std::result::Result<(), String> {
    let found = found.map_err(|error| format!("unreadable: {error}"))?;
    if found == new() || (!is_done && found == old()) { Ok(()) } else { Err(format!("{} other elements", found.len())) }
}

fn is_whole_archive(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let path = directory.join("a.npz");
    if !is_done && !path.exists() {
        return Ok(());
    }
    let mut archive = NpzReader::open(path).map_err(|error| format!("unreadable: {error}"))?;
    let name = if is_done || archive.names().any(|name| name == "new") { "new" } else { "old" };
    is_either(archive.by_name(name), is_done)
}

/// What was there, and what was added from its begin on: all of it without an error.
fn has_grown(directory: &Path, before: &[u32], is_done: bool) -> std::result::Result<(), String> {
    let found = npy_core::load::<u32>(directory.join("a.npy")).map_err(|error| format!("unreadable: {error}"))?;
    is_prefix(&found, before, is_done)
}

fn is_prefix(found: &[u32], before: &[u32], is_done: bool) -> std::result::Result<(), String> {
    let all = [before, &new()].concat();
    let least = if is_done { all.len() } else { before.len() };
    if found.len() >= least && all.starts_with(found) { Ok(()) } else { Err(format!("{} elements of {least}", found.len())) }
}

fn has_members(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let mut archive = NpzReader::open(directory.join("a.npz")).map_err(|error| format!("unreadable: {error}"))?;
    let found = archive.by_name::<u32>("old").map_err(|error| format!("the old member is gone: {error}"))?;
    if found != old() {
        return Err("the old member has other elements".to_owned());
    }
    let is_added = archive.names().any(|name| name == "new");
    if is_added {
        is_either(archive.by_name("new"), true)
    } else if is_done {
        Err("no new member".to_owned())
    } else {
        Ok(())
    }
}

fn has_rows(directory: &Path, before: &[u32], is_done: bool) -> std::result::Result<(), String> {
    if !is_done && before.is_empty() && fs::read_dir(directory).map_err(|error| error.to_string())?.next().is_none() {
        return Ok(());
    }
    let reader = Shards::open(directory.join("s")).map_err(|error| format!("unreadable: {error}"))?;
    let found = reader.read::<u32>(0..reader.rows()).map_err(|error| format!("unreadable: {error}"))?;
    is_prefix(&found, before, is_done)
}

fn child(name: &str, directory: &Path) -> ExitCode {
    let Some(writer) = WRITERS.iter().find(|writer| writer.name == name) else { return ExitCode::from(3) };
    // Not there; strace sees that it was asked for.
    let _ = fs::metadata(MARKS[0]);
    let result = (writer.run)(directory);
    let _ = fs::metadata(MARKS[1]);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}

/// Runs the child under strace, in a fresh directory.
fn traced(writer: &Writer, options: &[String], directory: &Path) -> Output {
    let _ = fs::remove_dir_all(directory);
    fs::create_dir(directory).unwrap();
    (writer.prepare)(directory).unwrap();
    Command::new("strace")
        .args(options)
        .arg(std::env::current_exe().unwrap())
        .args(["--child", writer.name])
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
        for k in before + 1..=before + within {
            for error in errors {
                let inject =
                    [format!("-etrace={call}"), format!("-einject={call}:error={error}:when={k}"), "-o/dev/null".to_owned()];
                let output = traced(writer, &inject, &target);
                count += 1;
                let message = String::from_utf8_lossy(&output.stderr);
                let is_done = output.status.success();
                let mut problem = (writer.check)(&target, is_done).err();
                if message.contains("unexpected error during closedir") {
                    // The standard library takes a directory that cannot be closed for a bug.
                    continue;
                }
                if !is_done && (output.status.code() != Some(1) || !message.contains(target.to_str().unwrap())) {
                    problem = Some(format!("no error with its path: {}, {message}", output.status));
                }
                for entry in fs::read_dir(&target).unwrap() {
                    let name = entry.unwrap().file_name().into_string().unwrap();
                    // The lock of shards stays: another writer may hold it.
                    if !name.starts_with(writer.names) && name != ".s.npy-lock" {
                        problem = Some(format!("{name} is left over"));
                    }
                }
                if let Some(problem) = problem {
                    problems.push(format!("{}: {call} number {} fails with {error}: {problem}", writer.name, k - before));
                }
            }
        }
    }
    (count, problems)
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if let [flag, name, directory] = arguments.as_slice()
        && flag == "--child"
    {
        return child(&name.to_string_lossy(), Path::new(directory));
    }
    // `cargo test -- --list`, and `cargo test NAME` of another test: this program has no parts.
    let is_other = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| !name.starts_with('-') && !"faults".contains(name));
    if arguments.iter().any(|argument| argument == "--list") || arguments.first().is_some_and(|name| is_other(name)) {
        return ExitCode::SUCCESS;
    }
    if !Command::new("strace").args(["-o/dev/null", "true"]).output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED faults: strace is missing or may not trace");
        return ExitCode::SUCCESS;
    }
    let all = std::env::var_os("NPY_FAULTS").is_some_and(|value| value == "all");
    let errors: &[&str] = if all { &["ENOSPC", "EIO", "EINTR", "EDQUOT", "EACCES", "EMFILE"] } else { &["EIO"] };
    let results: Vec<_> = std::thread::scope(|scope| {
        let sweeps: Vec<_> = WRITERS.iter().map(|writer| scope.spawn(move || sweep(writer, errors))).collect();
        sweeps.into_iter().map(|sweep| sweep.join().unwrap()).collect()
    });
    let count: usize = results.iter().map(|(count, _)| count).sum();
    let problems: Vec<_> = results.into_iter().flat_map(|(_, problems)| problems).collect();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{count} calls of {} writers failed; {} problems", WRITERS.len(), problems.len()).unwrap();
    problems.iter().for_each(|problem| writeln!(out, "{problem}").unwrap());
    ExitCode::from(u8::from(!problems.is_empty()))
}

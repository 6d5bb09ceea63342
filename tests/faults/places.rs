//! Directories and devices that refuse a writer.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use crate::base::some;
use crate::calls::killed;
use crate::writers::{WRITERS, Writer};
use crate::{FILLER, problem, process};

/// The argument of a process that fills a file system of its own.
pub(crate) const FULL_DISK: &str = "--full-disk";

const NOBODY: u32 = 65534;

/// These need no permission of the directory.
const CHANGE_A_FILE: [&str; 7] = [
    "a file in place",
    "more of a growing file",
    "more of an archive",
    "durably more of an archive",
    "more of an archive by two threads",
    RECOVERIES[0],
    RECOVERIES[1],
];

/// These write no more bytes than there are.
const RECOVERIES: [&str; 2] = ["recovery of rows", "recovery of a cut file"];

/// All places, and what went wrong there.
pub(crate) fn sweep_all() -> Vec<String> {
    [in_read_only_directories, with_limited_files, on_devices, on_full_disks].into_iter().flat_map(|sweep| sweep()).collect()
}

/// A fresh directory with what a writer needs.
fn prepare(writer: &Writer, directory: &Path) {
    let _ = fs::remove_dir_all(directory);
    fs::create_dir(directory).unwrap();
    (writer.prepare)(directory).unwrap();
}

/// What is wrong with a writer, of which `cause` is to be said if it fails.
fn refused(writer: &Writer, directory: &Path, output: &Output, cause: &str) -> Option<String> {
    let message = String::from_utf8_lossy(&output.stderr);
    let other = || (!output.status.success() && !message.contains(cause)).then(|| format!("another error: {message}"));
    problem(writer, directory, output).or_else(other)
}

fn content(directory: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries.map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

/// Nothing changes but where the file itself may be written, and only the file.
fn in_read_only_directories() -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let target = directory.path().join("files");
    let is_root = std::os::unix::fs::MetadataExt::uid(&fs::metadata(directory.path()).unwrap()) == 0;
    let (mut problems, mut count) = (Vec::new(), 0);
    for writer in &WRITERS {
        for is_owner in [false, true] {
            if !is_root && !is_owner {
                continue;
            }
            prepare(writer, &target);
            for entry in fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().path()) {
                fs::set_permissions(&entry, fs::Permissions::from_mode(0o644)).unwrap();
                if is_root && is_owner {
                    chown(&entry, Some(NOBODY), None).unwrap();
                }
            }
            fs::set_permissions(&target, fs::Permissions::from_mode(0o555)).unwrap();
            let before = content(&target);
            let mut command = process(writer, &target);
            if is_root {
                // What root may do is no question of permissions.
                command.uid(NOBODY).gid(NOBODY);
            }
            let output = match command.output() {
                Ok(output) => output,
                Err(error) => {
                    eprintln!("SKIPPED read-only directories: no other user can run the tests: {error}");
                    return problems;
                }
            };
            count += 1;
            let may = is_owner && CHANGE_A_FILE.contains(&writer.name);
            let problem = refused(writer, &target, &output, "Permission denied")
                .or_else(|| (output.status.success() != may).then(|| format!("it ended with {}", output.status)))
                .or_else(|| (!may && content(&target) != before).then(|| "a file has changed".to_owned()));
            problems.extend(problem.map(|problem| format!("{} in a read-only directory: {problem}", writer.name)));
            fs::set_permissions(&target, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    println!("{count} writers in read-only directories");
    problems
}

/// Files that may not get longer than a number of bytes: the write behind fails, or ends the process in the middle.
fn with_limited_files() -> Vec<String> {
    let limit = |most: u64, is_ignored: bool| {
        let mut command = Command::new("sh");
        // Ignored, the signal becomes an error.
        let trap = if is_ignored { "trap '' XFSZ; " } else { "" };
        command.args(["-c", &format!("{trap}most=$0; exec prlimit --core=0 --fsize=$most \"$@\"")]).arg(most.to_string());
        command
    };
    if !limit(1000, true).arg("true").output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED limited files: there is no prlimit");
        return Vec::new();
    }
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("files");
    let run = |writer: &Writer, most, is_ignored| {
        prepare(writer, &target);
        let plain = process(writer, &target);
        limit(most, is_ignored).arg(plain.get_program()).args(plain.get_args()).output().unwrap()
    };
    let fail = |writer: &Writer, most| {
        let output = run(writer, most, true);
        (output.status.success(), refused(writer, &target, &output, "File too large"))
    };
    let end = |writer: &Writer, most| {
        let output = run(writer, most, false);
        let is_killed = output.status.signal().is_some();
        (!is_killed, if is_killed { killed(writer, &target) } else { problem(writer, &target, &output) })
    };
    let failures = (0..=420_000).step_by(14_000).chain([1, 127, 128, 129, 4095, 120_129]);
    let kills: Vec<_> = some((1..=420_001).step_by(3_500), 4).collect();
    let problems = sweep("files of at most", "bytes", failures, fail);
    [problems, sweep("a death at", "bytes", kills.into_iter(), end)].concat()
}

/// Runs each writer with every amount; each must fail with one of them, and succeed with another.
fn sweep(
    what: &str,
    unit: &str,
    amounts: impl Iterator<Item = u64> + Clone,
    run: impl Fn(&Writer, u64) -> (bool, Option<String>),
) -> Vec<String> {
    let (mut problems, mut refused, mut done) = (Vec::new(), 0, 0);
    for writer in &WRITERS {
        let before = (refused, done);
        for amount in amounts.clone() {
            let (is_done, problem) = run(writer, amount);
            if is_done {
                done += 1
            } else {
                refused += 1
            }
            problems.extend(problem.map(|problem| format!("{} with {what} {amount} {unit}: {problem}", writer.name)));
        }
        let needs_no_space = unit == "free pages" && RECOVERIES.contains(&writer.name);
        if refused == before.0 && !needs_no_space || done == before.1 {
            problems.push(format!("{} with {what} some {unit} always ends in the same way", writer.name));
        }
    }
    println!("{refused} writers with {what} some {unit} failed, {done} did not");
    problems
}

/// A device that is always full, under the name of the file.
fn on_devices() -> Vec<String> {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED devices: there is no /dev/full");
        return Vec::new();
    }
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("files");
    let (mut problems, mut count) = (Vec::new(), 0);
    // Shards choose their names.
    for writer in WRITERS.iter().filter(|writer| writer.names != "s") {
        let _ = fs::remove_dir_all(&target);
        fs::create_dir(&target).unwrap();
        let link = target.join(writer.names);
        symlink("/dev/full", &link).unwrap();
        let output = process(writer, &target).output().unwrap();
        count += 1;
        let message = String::from_utf8_lossy(&output.stderr);
        let names: Vec<_> = fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().path()).collect();
        let is_refused = output.status.code() == Some(1) && message.contains(target.to_str().unwrap());
        if !is_refused || names != [&*link] || !fs::symlink_metadata(&link).unwrap().is_symlink() {
            problems.push(format!("{} on a full device: {}, {message}", writer.name, output.status));
        }
    }
    println!("{count} writers on a full device");
    problems
}

/// A file system of 1 MiB that is full but for some pages. It is mounted where no other process sees it, and goes
/// with the last one that does.
fn on_full_disks() -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let is_root = std::os::unix::fs::MetadataExt::uid(&fs::metadata(directory.path()).unwrap()) == 0;
    let output = Command::new("unshare")
        .args(if is_root { &["--mount", "--propagation", "private"][..] } else { &["--mount", "--map-root-user"] })
        .arg(std::env::current_exe().unwrap())
        .arg(FULL_DISK)
        .arg(directory.path())
        .output();
    match output {
        Ok(output) if output.status.code() == Some(0) => {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            Vec::new()
        }
        Ok(output) if output.status.code() == Some(1) => vec![String::from_utf8_lossy(&output.stdout).into_owned()],
        Ok(output) => {
            eprintln!("SKIPPED full disks: {}, {}", output.status, String::from_utf8_lossy(&output.stderr));
            Vec::new()
        }
        Err(error) => {
            eprintln!("SKIPPED full disks: there is no unshare: {error}");
            Vec::new()
        }
    }
}

/// What the process does that has the file system. It ends with 2 where it may not mount one.
pub(crate) fn on_a_full_disk(directory: &Path) -> ExitCode {
    const PAGE: u64 = 4096;
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "none"]).arg(directory).status();
    if !mount.is_ok_and(|status| status.success()) {
        return ExitCode::from(2);
    }
    let target = directory.join("files");
    let problems = sweep("a disk of", "free pages", (0..12).chain((12..=200).step_by(8)), |writer, pages| {
        prepare(writer, &target);
        let path = target.join(FILLER);
        let mut filler = File::create(&path).unwrap();
        while filler.write_all(&[1; PAGE as usize]).is_ok() {}
        let length = filler.metadata().unwrap().len() / PAGE * PAGE;
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length.saturating_sub(pages * PAGE)).unwrap();
        let output = process(writer, &target).output().unwrap();
        (output.status.success(), refused(writer, &target, &output, "No space left"))
    });
    problems.iter().for_each(|problem| println!("{problem}"));
    ExitCode::from(u8::from(!problems.is_empty()))
}

//! Where the workspace and its data are, and lines that the test harness does not capture.
#![allow(dead_code, reason = "each test program uses a part")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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

/// A file or directory of `tests/data`, where the archive of each NumPy release is a directory of its files.
pub fn data(path: &str) -> PathBuf {
    static UNPACKED: OnceLock<PathBuf> = OnceLock::new();
    UNPACKED.get_or_init(unpack_data).join(path)
}

/// Copies `tests/data` to `target/tests/data` with its archives unpacked, unless another test program did.
fn unpack_data() -> PathBuf {
    let (source, parent) = (workspace().join("tests/data"), workspace().join("target/tests"));
    let (target, stamp) = (parent.join("data"), parent.join("data.stamp"));
    fs::create_dir_all(&parent).unwrap();
    // Programs run at the same time: the first one unpacks.
    let lock = File::create(parent.join("data.lock")).unwrap();
    lock.lock().unwrap();
    let files = files_below(&source, "");
    let state: String = files
        .iter()
        .map(|path| (path, fs::metadata(path).unwrap()))
        .map(|(path, metadata)| format!("{} {} {:?}\n", path.display(), metadata.len(), metadata.modified().unwrap()))
        .collect();
    if fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == state) {
        return target;
    }
    let _ = fs::remove_dir_all(&target);
    for path in files {
        let copy = target.join(path.strip_prefix(&source).unwrap());
        if path.extension().is_some_and(|extension| extension == "zip") {
            unpack(&fs::read(&path).unwrap(), &copy.with_extension(""));
        } else {
            write(&copy, &fs::read(&path).unwrap());
        }
    }
    fs::write(stamp, state).unwrap();
    target
}

/// The files below a directory whose paths end so, sorted.
pub fn files_below(directory: &Path, end: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Extracts an archive of `tests/data/corpus.py`: its members are stored, and their local headers are complete.
fn unpack(mut archive: &[u8], directory: &Path) {
    let number = |header: &[u8], at: usize, bytes: usize| {
        header[at..at + bytes].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    };
    while archive.starts_with(b"PK\x03\x04") {
        let (method, length) = (number(archive, 8, 2), number(archive, 18, 4));
        let (name, extra) = (number(archive, 26, 2), number(archive, 28, 2));
        assert_eq!((method, extra), (0, 0), "{} is not of tests/data/corpus.py", directory.display());
        let (name, rest) = archive[30..].split_at(name);
        let (content, rest) = rest.split_at(length);
        write(&directory.join(str::from_utf8(name).unwrap()), content);
        archive = rest;
    }
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
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

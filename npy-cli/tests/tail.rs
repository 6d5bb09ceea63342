//! The first and the last rows of an array, and those that are appended.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use npy_core::NpyWriter;

use crate::support::{Files, command, session};

/// A hang fails the test after this time; nothing is measured by it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A run of `npy tail -f` in a directory, and the lines that it writes to standard output and to standard error.
struct Tail {
    child: Child,
    lines: Receiver<String>,
    warnings: Receiver<String>,
}

/// The lines of a stream as they come.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || BufReader::new(stream).lines().map_while(Result::ok).for_each(|line| drop(sender.send(line))));
    lines
}

impl Tail {
    fn new(files: &Files, arguments: &[&str]) -> Self {
        let mut command = command(["tail", "-f"].iter().chain(arguments));
        command.current_dir(files.directory()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (lines, warnings) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Self { child, lines, warnings }
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line")
    }

    #[track_caller]
    fn warning(&self) -> String {
        self.warnings.recv_timeout(PATIENCE).expect("a warning")
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn shows_the_first_rows() {
    let files = Files::new();
    npy_core::save(files.path("a.npy"), &(0..30_u8).collect::<Vec<_>>()).unwrap();
    files.array("r.npy", "[('x','|u1'),('y','|u1')]", &[2], vec![1, 2, 3, 4]);
    files.array("scalar.npy", "|u1", &[], vec![1]);
    session!(
        files,
        @r#"
        $ npy head a.npy
        [0 1 2 3 4 5 6 7 8 9]
        $ npy head - -n 2 < a.npy
        [0 1]
        $ npy head r.npy -n 1 --csv
        x,y
        1,2
        $ npy head r.npy -n 9 --json
        {"x":1,"y":2}
        {"x":3,"y":4}
        $ npy head scalar.npy
        npy: scalar.npy: cannot show the first rows: expected an array with rows, found a single element
        exit code 2
        "#
    );
}

#[test]
fn shows_the_last_rows() {
    let files = Files::new();
    npy_core::save(files.path("a.npy"), &(0..30_u8).collect::<Vec<_>>()).unwrap();
    files.array("r.npy", "[('x','|u1'),('y','|u1')]", &[2], vec![1, 2, 3, 4]);
    files.array("scalar.npy", "|u1", &[], vec![1]);
    session!(
        files,
        @r#"
        $ npy tail a.npy
        [20 21 22 23 24 25 26 27 28 29]
        $ npy tail a.npy -n 2
        [28 29]
        $ npy tail - -n 1 < a.npy
        [29]
        $ npy tail a.npy -n 0
        []
        $ npy tail r.npy --json
        {"x":1,"y":2}
        {"x":3,"y":4}
        $ npy tail r.npy --csv -n 1
        x,y
        3,4
        $ npy tail scalar.npy
        npy: scalar.npy: cannot show the last rows: expected an array with rows, found a single element
        exit code 2
        $ npy tail -f scalar.npy
        npy: scalar.npy: cannot follow the array: expected an array with rows, found a single element
        exit code 2
        $ npy tail -f - < a.npy
        npy: -: cannot follow the array: expected an .npy file on disk
        exit code 2
        "#
    );
}

#[test]
fn follows_rows_as_they_are_committed() {
    let files = Files::new();
    let mut writer = NpyWriter::<u8, _>::create(files.path("log.npy")).unwrap();
    writer.extend(&[1, 2, 3]).unwrap();
    writer.flush().unwrap();
    let text = Tail::new(&files, &["log.npy", "-n", "2"]);
    let json = Tail::new(&files, &["log.npy", "--json", "-n", "1"]);
    assert_eq!([text.line(), json.line()], ["[2 3]", "3"]);
    writer.extend(&[4, 5]).unwrap();
    writer.flush().unwrap();
    assert_eq!(text.line(), "[4 5]");
    assert_eq!([json.line(), json.line()], ["4", "5"]);
    writer.extend(&[6]).unwrap();
    writer.finish().unwrap();
    assert_eq!(text.line(), "[6]");
}

#[test]
fn tells_of_files_that_are_replaced_removed_or_truncated() {
    let files = Files::new();
    npy_core::save(files.path("log.npy"), &[1_u8, 2, 3]).unwrap();
    let tail = Tail::new(&files, &["log.npy", "--csv"]);
    assert_eq!([tail.line(), tail.line(), tail.line()], ["1", "2", "3"]);
    npy_core::save(files.path("log.npy"), &[7_u8]).unwrap();
    assert_eq!(tail.warning(), "npy: log.npy: the file was replaced: its rows follow from the first");
    assert_eq!(tail.line(), "7");
    fs::remove_file(files.path("log.npy")).unwrap();
    assert_eq!(tail.warning(), "npy: log.npy: the file was removed; waiting for it");
    npy_core::save(files.path("log.npy"), &[1_u8, 2]).unwrap();
    assert!(tail.warning().contains("replaced"));
    assert_eq!([tail.line(), tail.line()], ["1", "2"]);
    // In place, as `np.save` writes.
    let mut one = Vec::new();
    npy_core::write(&mut one, &[9_u8]).unwrap();
    files.write("log.npy", one);
    let truncated = "the file was truncated: expected at least 2 rows, found 1; they follow from the first";
    assert_eq!(tail.warning(), format!("npy: log.npy: {truncated}"));
    assert_eq!(tail.line(), "9");
}

#[test]
#[cfg(unix)]
fn ends_by_a_signal_and_with_its_reader() {
    use rustix::process::{Pid, Signal, kill_process};

    let files = Files::new();
    npy_core::save(files.path("log.npy"), &[1_u8]).unwrap();
    let mut tail = Tail::new(&files, &["log.npy"]);
    assert_eq!(tail.line(), "[1]");
    kill_process(Pid::from_child(&tail.child), Signal::INT).unwrap();
    assert_eq!(tail.child.wait().unwrap().code(), Some(130));

    let mut child = command(["tail", "-f", &files.path("log.npy")]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    // Nothing is appended: the pipe itself ends it.
    assert_eq!((line.as_str(), child.wait().unwrap().code()), ("[1]\n", Some(0)));
}

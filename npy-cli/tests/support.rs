//! Runs the program, for the tests of all commands.

#[path = "../../tests/support/base.rs"]
mod base;
#[path = "../../tests/support/compiler.rs"]
pub mod compiler;
#[path = "../../tests/support/numpy.rs"]
pub mod numpy;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use npy_core::npz::NpzWriter;
use npy_core::{DynValues, Order};
use tempfile::TempDir;

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

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        Self { code: output.status.code(), stdout, stderr, bytes: output.stdout }
    }
}

/// A temporary directory in which the command runs. What it prints names the files without the directory.
pub struct Files(TempDir);

impl Files {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn with(files: &[(&str, &[u8])]) -> Self {
        let directory = Self::new();
        files.iter().for_each(|(name, content)| drop(directory.write(name, content)));
        directory
    }

    pub fn directory(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, name: &str) -> String {
        self.directory().join(name).display().to_string()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Writes a file, and returns its path, as the methods below do.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    pub fn save(&self, name: &str, values: &DynValues) -> String {
        values.save(self.path(name)).unwrap();
        self.path(name)
    }

    /// Saves an array in C order.
    pub fn array(&self, name: &str, dtype: &str, shape: &[usize], bytes: Vec<u8>) -> String {
        self.save(name, &DynValues::new(dtype.parse().unwrap(), Order::C, shape, bytes).unwrap())
    }

    pub fn archive(&self, name: &str, fill: impl FnOnce(&mut NpzWriter<File>)) -> String {
        let mut archive = NpzWriter::create(self.path(name)).unwrap();
        fill(&mut archive);
        archive.finish().unwrap();
        self.path(name)
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The files with their names; `None` for what is no file.
    pub fn content(&self) -> Vec<(String, Option<Vec<u8>>)> {
        self.names().into_iter().map(|name| (name.clone(), fs::read(self.path(&name)).ok())).collect()
    }

    pub fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        self.run_with(arguments, b"")
    }

    pub fn run_with<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>, input: &[u8]) -> Run {
        let mut run: Run = output_of(command(arguments).current_dir(self.directory()), input).into();
        let directory = format!("{}/", self.directory().display());
        for text in [&mut run.stdout, &mut run.stderr] {
            *text = text.replace(&directory, "");
        }
        run
    }

    /// Runs the command with these words, in which single quotes keep spaces, and `< NAME` is a file for standard input.
    pub fn npy(&self, words: &str) -> Run {
        let (words, input) = words.split_once(" < ").map_or((words, None), |(words, name)| (words, Some(name)));
        self.run_with(split(words), &input.map_or_else(Vec::new, |name| self.read(name)))
    }

    /// Standard error of a run that must have failed, and have left all files as they were.
    #[track_caller]
    pub fn refused<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        let before = self.content();
        let message = self.run(arguments).trouble();
        assert!(self.content() == before, "a file has changed: {message}");
        message
    }

    /// Runs each command of a transcript, whose line begins with `$ npy`. Below it stands what is printed, standard error first, and the exit
    /// code unless it is 0.
    #[track_caller]
    pub fn session(&self, transcript: &str) {
        let indent =
            transcript.lines().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len()).min();
        let lines = transcript.trim_matches('\n').trim_end().lines().map(|line| line.get(indent.unwrap_or(0)..).unwrap_or(""));
        let text: String = lines.flat_map(|line| [line, "\n"]).collect();
        for step in text.split("$ npy ").skip(1) {
            let (words, expected) = step.split_once('\n').unwrap();
            let Run { code, stdout, stderr, .. } = self.npy(words);
            let code = code.filter(|code| *code != 0).map(|code| format!("exit code {code}\n")).unwrap_or_default();
            let found = format!("{stderr}{stdout}{code}");
            assert!(found == expected, "$ npy {words}\nexpected\n{expected}found\n{found}");
        }
    }
}

/// [`Files::session`]. The `@` keeps `rustfmt` away, as in the snapshots of insta.
macro_rules! session {
    ($files:expr, @$transcript:literal) => {
        $files.session($transcript)
    };
}
pub(crate) use session;

/// The words of a line, as a shell splits it.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
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
    output_of(&mut command(arguments), input).into()
}

fn output_of(command: &mut Command, input: &[u8]) -> Output {
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

//! NumPy, in a process that waits for work, so that its start is not measured.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Runs each line that it gets, and answers when that is done.
const LOOP: &str = "
import sys
import numpy as np
print(f'NumPy {np.__version__}, Python {sys.version.split()[0]}', flush=True)
names = {'np': np}
for line in sys.stdin:
    try:
        exec(line, names)
        print('ok', flush=True)
    except BaseException as error:
        print(repr(error), flush=True)
";

/// A Python in which `np` is NumPy, and which keeps the names that it was given.
pub struct Worker {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts the Python that `NPY_BENCH_PYTHON` names, or else `python3`. Where it has no NumPy, says so and gives none.
    pub fn start() -> Option<Self> {
        let python = env::var_os("NPY_BENCH_PYTHON").unwrap_or_else(|| "python3".into());
        let skipped = |problem: &str| {
            println!("SKIPPED: the rows of NumPy, because {} {problem}; NPY_BENCH_PYTHON names another\n", python.display());
            None
        };
        let spawned = Command::new(&python).args(["-c", LOOP]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut process) = spawned else { return skipped("cannot be run") };
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else { return skipped("has no pipes") };
        let mut worker = Self { process, input: Some(input), output: BufReader::new(output) };
        let greeting = worker.answer();
        if greeting.is_empty() {
            return skipped("cannot import numpy");
        }
        println!("{greeting}\n");
        Some(worker)
    }

    /// Has one line of code run to its end.
    ///
    /// # Panics
    ///
    /// When it raises an exception.
    pub fn run(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        let answer = self.answer();
        assert_eq!(answer, "ok", "{line}");
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Then there are no more lines, and it ends.
        self.input = None;
        let _ = self.process.wait();
    }
}

/// A string as Python writes it.
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

//! NumPy, in a process that is started once and runs the lines it is sent.

use std::cell::RefCell;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

/// Runs each line of input, and answers when it is done with the processor's time since the start.
const LOOP: &str = "
import sys
import time
import numpy as np
print(f'NumPy {np.__version__}, Python {sys.version.split()[0]}', flush=True)
names = {'np': np}
for line in sys.stdin:
    try:
        if line.strip() == 'forget':
            names = {'np': np}
        else:
            exec(line, names)
        print('ok', time.process_time(), flush=True)
    except BaseException as error:
        print(repr(error), flush=True)
";

/// A Python process with NumPy as `np`, or nothing if there is none.
#[derive(Clone)]
pub(crate) struct NumPy {
    worker: Option<Rc<RefCell<Worker>>>,
}

struct Worker {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    greeting: String,
    cpu_time: f64,
}

impl NumPy {
    /// Starts the Python that `NPY_BENCH_PYTHON` names, or else `python3`.
    pub(crate) fn start() -> Self {
        let python = env::var_os("NPY_BENCH_PYTHON").unwrap_or_else(|| "python3".into());
        let worker = Worker::start(Command::new(&python).args(["-c", LOOP]))
            .inspect_err(|problem| {
                println!("NumPy is not measured: {} {problem}; set NPY_BENCH_PYTHON to another Python", python.display());
            })
            .ok();
        Self { worker: worker.map(|worker| Rc::new(RefCell::new(worker))) }
    }

    /// No NumPy, even if there is one.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { worker: None }
    }

    /// Whether there is a NumPy.
    pub(crate) fn is_there(&self) -> bool {
        self.worker.is_some()
    }

    /// The versions of NumPy and Python.
    pub(crate) fn version(&self) -> Option<String> {
        self.worker.as_ref().map(|worker| worker.borrow().greeting.clone())
    }

    /// The seconds of the processor that Python had taken when it last answered.
    pub(crate) fn cpu_time(&self) -> f64 {
        self.worker.as_ref().map_or(0.0, |worker| worker.borrow().cpu_time)
    }

    /// Runs one line of code to its end. Without NumPy, does nothing.
    pub(crate) fn run(&self, line: &str) {
        if let Some(worker) = &self.worker {
            worker.borrow_mut().run(line);
        }
    }

    /// Runs several lines, such as functions that a contender calls.
    pub(crate) fn define(&self, code: &str) {
        self.run(&format!("exec({})", quote(code)));
    }

    /// Defines a path.
    pub(crate) fn set_path(&self, name: &str, path: &Path) {
        self.run(&format!("{name} = {}", quote(path.to_str().unwrap())));
    }

    /// Defines a list of paths.
    pub(crate) fn set_paths(&self, name: &str, paths: &[impl AsRef<Path>]) {
        let quoted: Vec<_> = paths.iter().map(|path| quote(path.as_ref().to_str().unwrap())).collect();
        self.run(&format!("{name} = [{}]", quoted.join(", ")));
    }

    /// Forgets all definitions.
    pub(crate) fn forget(&self) {
        self.run("forget");
    }
}

impl Worker {
    fn start(command: &mut Command) -> Result<Self, &'static str> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|_| "cannot be run")?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else { return Err("has no pipes") };
        let mut worker =
            Self { process, input: Some(input), output: BufReader::new(output), greeting: String::new(), cpu_time: 0.0 };
        worker.greeting = worker.answer();
        if worker.greeting.is_empty() { Err("cannot import numpy") } else { Ok(worker) }
    }

    /// Panics on an exception: there is no time to report.
    fn run(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        let answer = self.answer();
        let cpu_time = answer.strip_prefix("ok ").and_then(|time| time.parse().ok());
        self.cpu_time = cpu_time.unwrap_or_else(|| panic!("{line}: {answer}"));
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // At the end of its input, it exits.
        self.input = None;
        let _ = self.process.wait();
    }
}

/// Formats a Python string literal.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

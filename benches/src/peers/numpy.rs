//! NumPy, in a process that waits for work, so that its start is not measured.

use std::cell::RefCell;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

/// Runs each line that it gets, and answers when that is done.
const LOOP: &str = "
import sys
import numpy as np
print(f'NumPy {np.__version__}, Python {sys.version.split()[0]}', flush=True)
names = {'np': np}
for line in sys.stdin:
    try:
        if line.strip() == 'forget':
            names = {'np': np}
        else:
            exec(line, names)
        print('ok', flush=True)
    except BaseException as error:
        print(repr(error), flush=True)
";

/// A Python in which `np` is NumPy, and which keeps the names that it was given; or nothing, where there is none.
#[derive(Clone)]
pub(crate) struct NumPy {
    worker: Option<Rc<RefCell<Worker>>>,
}

struct Worker {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    greeting: String,
}

impl NumPy {
    /// Starts the Python that `NPY_BENCH_PYTHON` names, or else `python3`. Where it has no NumPy, says so.
    pub(crate) fn start() -> Self {
        let python = env::var_os("NPY_BENCH_PYTHON").unwrap_or_else(|| "python3".into());
        let worker = Worker::start(Command::new(&python).args(["-c", LOOP]))
            .inspect_err(|problem| {
                println!("SKIPPED: NumPy, because {} {problem}; NPY_BENCH_PYTHON names another", python.display());
            })
            .ok();
        Self { worker: worker.map(|worker| Rc::new(RefCell::new(worker))) }
    }

    /// No NumPy, wherever there is one.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { worker: None }
    }

    /// Whether there is one.
    pub(crate) fn is_there(&self) -> bool {
        self.worker.is_some()
    }

    /// Which versions it has.
    pub(crate) fn version(&self) -> Option<String> {
        self.worker.as_ref().map(|worker| worker.borrow().greeting.clone())
    }

    /// Has one line of code run to its end. Does nothing where there is no NumPy.
    pub(crate) fn run(&self, line: &str) {
        if let Some(worker) = &self.worker {
            worker.borrow_mut().run(line);
        }
    }

    /// Has code of several lines run, such as functions that the line of a contender calls.
    pub(crate) fn define(&self, code: &str) {
        self.run(&format!("exec({})", quote(code)));
    }

    /// Gives a path a name.
    pub(crate) fn set_path(&self, name: &str, path: &Path) {
        self.run(&format!("{name} = {}", quote(path.to_str().unwrap())));
    }

    /// Gives a list of paths a name.
    pub(crate) fn set_paths(&self, name: &str, paths: &[impl AsRef<Path>]) {
        let quoted: Vec<_> = paths.iter().map(|path| quote(path.as_ref().to_str().unwrap())).collect();
        self.run(&format!("{name} = [{}]", quoted.join(", ")));
    }

    /// Takes all names away, and what they hold.
    pub(crate) fn forget(&self) {
        self.run("forget");
    }
}

impl Worker {
    fn start(command: &mut Command) -> Result<Self, &'static str> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|_| "cannot be run")?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else { return Err("has no pipes") };
        let mut worker = Self { process, input: Some(input), output: BufReader::new(output), greeting: String::new() };
        worker.greeting = worker.answer();
        if worker.greeting.is_empty() { Err("cannot import numpy") } else { Ok(worker) }
    }

    /// An exception ends the benchmark: there is no time to report.
    fn run(&mut self, line: &str) {
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
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

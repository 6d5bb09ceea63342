//! A real NumPy in a virtual environment under `target/`, made by the first test that needs it.
#![allow(dead_code, reason = "each test program uses a part")]

use std::cmp::Reverse;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use super::announce;

/// The NumPy that the tests compare with, and what to take where no Python is new enough for it.
/// `NPY_NUMPY=2.5.5` names another release, which it must be then.
const NUMPY: [&str; 2] = ["numpy==2.4.6", "numpy>=2"];

/// Where to look for a Python, the usual one first. NumPy 2.5 needs 3.12.
const PYTHONS: [&str; 5] = ["python3", "python", "python3.14", "python3.13", "python3.12"];

/// The oldest that written objects must open in.
const OLD_NUMPY: [&str; 1] = ["numpy==1.26.4"];

/// What else writes archives: sparse matrices, and Zstandard before Python 3.14.
const OTHERS: [&str; 2] = ["scipy", "backports.zstd; python_version < '3.14'"];

const IMPORTS: &str = "
import numpy, scipy.sparse
try:
    import compression.zstd
except ImportError:
    import backports.zstd
";

/// A Python that can import NumPy, and SciPy.
pub struct NumPy {
    python: PathBuf,
    /// What it must be able to import.
    imports: &'static str,
}

/// The NumPy to compare with. Where none can be had the test is skipped, and says so; with
/// `NPY_REQUIRE_NUMPY=1` that is a failure.
pub fn numpy(test: &str) -> Option<&'static NumPy> {
    static NUMPY: OnceLock<Result<NumPy, String>> = OnceLock::new();
    required(NUMPY.get_or_init(|| provide_numpy("numpy", &OTHERS, IMPORTS)), "NumPy", test)
}

/// NumPy 1.26, for what it is to read. Where it does not run on the Python that there is, the test is
/// skipped.
pub fn old_numpy(test: &str) -> Option<&'static NumPy> {
    static NUMPY: OnceLock<Result<NumPy, String>> = OnceLock::new();
    match NUMPY.get_or_init(|| provide("numpy-1.26", &OLD_NUMPY, &[], "import numpy")) {
        Ok(numpy) => Some(numpy),
        Err(problem) => {
            announce(&format!("SKIPPED {test}: there is no NumPy 1.26 for this Python: {problem}"));
            None
        }
    }
}

/// A NumPy with PyArrow, DuckDB, Polars and pandas, which read and write tables. Where they cannot be had, the test is
/// skipped.
pub fn pyarrow(test: &str) -> Option<&'static NumPy> {
    static PYARROW: OnceLock<Result<NumPy, String>> = OnceLock::new();
    let others = ["pyarrow", "duckdb", "polars", "pandas"];
    let provided = PYARROW.get_or_init(|| provide_numpy("pyarrow", &others, "import numpy, pyarrow, duckdb, polars, pandas"));
    required(provided, "PyArrow", test)
}

/// A NumPy with Zarr, Xarray and Dask, which read arrays in many files. Where they cannot be had, the
/// test is skipped.
pub fn zarr(test: &str) -> Option<&'static NumPy> {
    static ZARR: OnceLock<Result<NumPy, String>> = OnceLock::new();
    let others = ["zarr>=3", "xarray", "dask[array]", "kerchunk"];
    let provided = ZARR.get_or_init(|| provide_numpy("zarr", &others, "import numpy, zarr, xarray, dask.array, kerchunk"));
    required(provided, "Zarr", test)
}

/// A NumPy with `ml_dtypes`. Where it cannot be had, the test is skipped.
pub fn ml_dtypes(test: &str) -> Option<&'static NumPy> {
    static ML_DTYPES: OnceLock<Result<NumPy, String>> = OnceLock::new();
    let provided = ML_DTYPES.get_or_init(|| provide("ml-dtypes", &self::NUMPY, &["ml_dtypes>=0.5"], "import numpy, ml_dtypes"));
    required(provided, "ml_dtypes", test)
}

/// A NumPy with a server of S3, for stores on the loopback. Where it cannot be had, the test is skipped.
pub fn moto(test: &str) -> Option<&'static NumPy> {
    static MOTO: OnceLock<Result<NumPy, String>> = OnceLock::new();
    let provided = MOTO.get_or_init(|| provide("moto", &self::NUMPY, &["moto[server]"], "import numpy, moto.server"));
    required(provided, "moto", test)
}

/// What was provided. Without it the test is skipped, and says so; with `NPY_REQUIRE_NUMPY=1` that is
/// a failure.
fn required(provided: &'static Result<NumPy, String>, what: &str, test: &str) -> Option<&'static NumPy> {
    match provided {
        Ok(numpy) => Some(numpy),
        Err(problem) if std::env::var_os("NPY_REQUIRE_NUMPY").is_some_and(|value| value == "1") => {
            panic!("NPY_REQUIRE_NUMPY=1, and there is no {what} to compare with: {problem}")
        }
        Err(problem) => {
            announce(&format!("SKIPPED {test}: there is no {what} to compare with: {problem}"));
            None
        }
    }
}

/// The virtual environment of that name, with the release of NumPy that was asked for.
fn provide_numpy(name: &str, others: &[&str], imports: &'static str) -> Result<NumPy, String> {
    match env::var("NPY_NUMPY") {
        Ok(release) => provide(&format!("{name}-{release}"), &[&format!("numpy=={release}")], others, imports),
        Err(_) => provide(name, &NUMPY, others, imports),
    }
}

/// Makes the virtual environment of that name, unless it is there, with the first release that can
/// be had.
fn provide(name: &str, releases: &[&str], others: &[&str], imports: &'static str) -> Result<NumPy, String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let python_in = |home: &Path| home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let found = NumPy { python: python_in(&home), imports };
    if found.works() {
        return Ok(found);
    }
    announce(&format!("making a virtual environment with {} for the live tests", releases[0]));
    // Made beside and renamed, so that tests that run at the same time see all of it or nothing.
    let fresh = home.with_file_name(format!("{name}-{}", std::process::id()));
    let pythons = pythons();
    let install = |release: &str, python: &Path| {
        run(python, ["-m", "venv", "--without-pip", "--clear"].map(OsStr::new).into_iter().chain([fresh.as_os_str()]))?;
        // A pip of its own takes as long as NumPy itself; it is made where the Python has none that installs elsewhere.
        let python_there = python_in(&fresh);
        let install = ["install", "--quiet", "--only-binary", "numpy", "--disable-pip-version-check", release];
        let install = install.into_iter().chain(others.iter().copied()).map(OsStr::new);
        let elsewhere = ["-m", "pip", "--python"].map(OsStr::new).into_iter().chain([python_there.as_os_str()]);
        run(python, elsewhere.chain(install.clone())).or_else(|_| {
            run(&python_there, ["-m", "ensurepip"])?;
            run(&python_there, ["-m", "pip"].map(OsStr::new).into_iter().chain(install))
        })
    };
    let installed = releases.iter().any(|release| pythons.iter().any(|python| install(release, python).is_ok()));
    if !installed {
        let _ = fs::remove_dir_all(&fresh);
        let pythons = pythons.iter().map(|python| python.display().to_string()).collect::<Vec<_>>().join(", ");
        return Err(format!("{} cannot be installed for any Python of this machine ({pythons})", releases.join(" or ")));
    }
    if fs::rename(&fresh, &home).is_err() {
        // Another test was faster, or an earlier one left something that does not work.
        if !found.works() {
            fs::remove_dir_all(&home).and_then(|()| fs::rename(&fresh, &home)).map_err(|error| error.to_string())?;
        }
        let _ = fs::remove_dir_all(&fresh);
    }
    if found.works() { Ok(found) } else { Err("NumPy was installed, but cannot be imported".to_owned()) }
}

/// The Pythons of this machine: on the search path, of pyenv, and what uv finds.
fn pythons() -> Vec<PathBuf> {
    let mut pythons: Vec<_> = PYTHONS.iter().map(PathBuf::from).collect();
    let printed = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    };
    let of_pyenv = printed("pyenv", &["root"]).and_then(|root| fs::read_dir(root.join("versions")).ok());
    let mut of_pyenv: Vec<_> = of_pyenv.into_iter().flatten().flatten().map(|version| version.path()).collect();
    // The newest first.
    of_pyenv.sort_by_key(|home| {
        let version = home.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Reverse(version.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>())
    });
    pythons.extend(of_pyenv.iter().map(|home| home.join("bin/python")));
    pythons.extend(printed("uv", &["python", "find", "3.13"]));
    pythons.retain(|python| run(python, ["--version"]).is_ok());
    pythons
}

fn run<I, A>(program: impl AsRef<OsStr>, arguments: I) -> Result<(), String>
where
    I: IntoIterator<Item = A>,
    A: AsRef<OsStr>,
{
    let program = program.as_ref();
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{}: {error}", program.display()))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

impl NumPy {
    /// Whether Python can import all. What was found once is noted beside it, because imports take up to seconds.
    fn works(&self) -> bool {
        let Some(state) = self.state() else { return false };
        let note = self.python.with_file_name("imports");
        if fs::read_to_string(&note).is_ok_and(|noted| noted == state) {
            return true;
        }
        let works = run(&self.python, ["-c", self.imports]).is_ok();
        if works {
            // Where it cannot be written, the next test program asks again.
            let _ = fs::write(note, state);
        }
        works
    }

    /// What the note of [`NumPy::works`] depends on: the Python, which a newer one may replace, and the imports.
    fn state(&self) -> Option<String> {
        let python = fs::canonicalize(&self.python).ok()?;
        let modified = fs::metadata(&python).ok()?.modified().ok()?;
        Some(format!("{} {modified:?}\n{}", python.display(), self.imports))
    }

    /// Starts a script of tests/python, or with `-c` a program, whose input and output are pipes.
    pub fn start<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Child {
        Command::new(&self.python)
            .args(arguments)
            .current_dir(super::workspace().join("tests/python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // No test multiplies matrices, and threads that wait for one take processors from the tests.
            .env("OPENBLAS_NUM_THREADS", "1")
            .env("PYTHONIOENCODING", "utf-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs a script of tests/python, or with `-c` a program, and returns what it prints. It is
    /// given `input`.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>, input: &[u8]) -> Vec<u8> {
        let mut child = self.start(arguments);
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut printed = Vec::new();
        thread::scope(|scope| {
            // Its own thread: the script may print before it has read everything. One that fails
            // does not read to the end.
            scope.spawn(move || stdin.write_all(input));
            stdout.read_to_end(&mut printed).unwrap();
        });
        assert!(child.wait().unwrap().success(), "the Python script failed");
        printed
    }

    /// [`NumPy::run`] of what prints text, without the last line break.
    pub fn prints<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>, input: &[u8]) -> String {
        String::from_utf8(self.run(arguments, input)).unwrap().trim_end().to_owned()
    }

    /// Runs a program that knows the archive as `archive`, and what `zipfile` lists of it as `members`; returns what it prints.
    pub fn prints_of_archive(&self, archive: &[u8], program: &str) -> String {
        self.prints(["-c", &format!("{ARCHIVE}{program}")], archive)
    }
}

/// Loads an archive, all of whose members `zipfile` checks before.
const ARCHIVE: &str = "
import io, sys, zipfile
import numpy as np
file = io.BytesIO(sys.stdin.buffer.read())
with zipfile.ZipFile(file) as zipped:
    assert zipped.testzip() is None
    members = zipped.infolist()
file.seek(0)
archive = np.load(file)
";

/// Frames of the form that tests/python/random_dtypes.py prints: a little-endian `u32` length, then
/// as many bytes.
pub fn frames(mut stream: &[u8]) -> Vec<&[u8]> {
    let mut frames = Vec::new();
    while let Some((length, rest)) = stream.split_first_chunk::<4>() {
        let (frame, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        frames.push(frame);
        stream = rest;
    }
    frames
}

/// Appends a frame.
pub fn push_frame(stream: &mut Vec<u8>, frame: &[u8]) {
    stream.extend(u32::try_from(frame.len()).unwrap().to_le_bytes());
    stream.extend(frame);
}

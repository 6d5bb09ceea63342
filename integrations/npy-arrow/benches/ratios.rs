//! Times of npy-arrow beside this library's own columns and beside PyArrow, interleaved.
//!
//! cargo bench -p npy-arrow --features mmap,parquet [-- ROUNDS]
//!
//! A Python with NumPy and PyArrow is that of the tests, or `NPY_BENCH_PYTHON`. Without one its
//! columns are left out.

#![allow(clippy::cast_precision_loss, clippy::too_many_lines, reason = "these are samples")]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use npy_arrow::arrow_array::RecordBatch;
use npy_arrow::{BatchOptions, map_batches, parquet, read_batches};
use npy_core::{NpyMap, NpyRecord};

type Failure = Box<dyn std::error::Error>;

const COUNT: u32 = 5_000_000;

/// 37 bytes, as in the benchmarks of the records.
#[derive(NpyRecord)]
struct Event {
    id: u32,
    t: f64,
    xyz: [f32; 3],
    #[npy(dtype = "S8")]
    code: String,
    #[npy(dtype = "f4")]
    weight: f32,
    flag: bool,
}

/// Numbers only, which PyArrow copies fastest.
#[derive(NpyRecord)]
struct Numbers {
    id: u32,
    t: f64,
    x: f32,
    n: i64,
    y: f64,
}

/// A Python that times PyArrow on request.
struct PyArrow {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl PyArrow {
    fn start(directory: &Path) -> Option<Self> {
        let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pyarrow/bin/python");
        let python = std::env::var_os("NPY_BENCH_PYTHON").map_or(own, PathBuf::from);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/times.py");
        let mut command = Command::new(python);
        let mut child = command.arg(script).arg(directory).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (stdin, stdout) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Self { child, stdin, stdout })
    }

    fn seconds(&mut self, job: &str) -> Result<f64, Failure> {
        writeln!(self.stdin, "{job}")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.trim().parse()?)
    }
}

impl Drop for PyArrow {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn seconds<A>(job: impl FnOnce() -> Result<A, Failure>) -> Result<f64, Failure> {
    let begun = Instant::now();
    black_box(job()?);
    Ok(begun.elapsed().as_secs_f64())
}

fn all(path: &Path, options: BatchOptions) -> Result<Vec<RecordBatch>, Failure> {
    Ok(read_batches(path, options)?.collect::<Result<_, _>>()?)
}

fn main() -> Result<(), Failure> {
    let rounds = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(9_usize);
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    let (events, numbers, matrix) = (path("events.npy"), path("numbers.npy"), path("matrix.npy"));
    let event = |id: u32| {
        let t = f64::from(id) * 0.01;
        Event {
            id,
            t,
            xyz: [1.0, 2.0, id as f32],
            code: format!("S{}", id % 1000),
            weight: (id % 97) as f32,
            flag: id.is_multiple_of(2),
        }
    };
    npy_core::save(&events, &(0..COUNT).map(event).collect::<Vec<_>>())?;
    let number =
        |id: u32| Numbers { id, t: f64::from(id) * 0.01, x: (id % 97) as f32, n: i64::from(id) * 7, y: 1.0 / f64::from(id + 1) };
    npy_core::save(&numbers, &(0..COUNT).map(number).collect::<Vec<_>>())?;
    npy_core::save(&matrix, &vec![[0.5_f32; 768]; 100_000])?;

    let mut pyarrow = PyArrow::start(directory.path());
    let names = ["numbers", "events"];
    let ours = [
        "batches",
        "own columns",
        "two of five fields",
        "events",
        "events, own columns",
        "map of a matrix",
        "parquet",
        "parquet of events",
    ];
    let theirs = names.iter().flat_map(|name| [format!("arrays {name}"), format!("parquet {name}")]).collect::<Vec<_>>();
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); ours.len() + theirs.len()];
    let five = ["id", "t", "x", "n", "y"];
    let five_events = ["id", "t", "xyz", "code", "weight"];
    for _ in 0..rounds {
        let round = [
            seconds(|| all(&numbers, BatchOptions::new()))?,
            seconds(|| Ok(npy_core::load_columns::<(u32, f64, f32, i64, f64)>(&numbers, five)?))?,
            seconds(|| all(&numbers, BatchOptions::new().columns(["t", "x"])))?,
            seconds(|| all(&events, BatchOptions::new().columns(five_events)))?,
            seconds(|| Ok(npy_core::load_columns::<(u32, f64, [f32; 3], String, f32)>(&events, five_events)?))?,
            seconds(|| {
                // SAFETY: the file is only in this directory, and nothing changes it.
                #[allow(unsafe_code)]
                let map = unsafe { NpyMap::open(&matrix)? };
                Ok(map_batches(map, BatchOptions::new().rows(usize::MAX))?.collect::<Result<Vec<_>, _>>()?)
            })?,
            seconds(|| Ok(parquet::from_npy(&numbers, path("ours.parquet"), BatchOptions::new())?))?,
            seconds(|| Ok(parquet::from_npy(&events, path("ours.parquet"), BatchOptions::new())?))?,
        ];
        for (samples, time) in samples.iter_mut().zip(round) {
            samples.push(time);
        }
        if let Some(pyarrow) = &mut pyarrow {
            for (samples, job) in samples[ours.len()..].iter_mut().zip(&theirs) {
                samples.push(pyarrow.seconds(job)?);
            }
        }
    }
    let median = |index: usize| {
        let mut times = samples[index].clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
    };
    for (index, name) in ours.iter().map(ToString::to_string).chain(theirs.iter().map(|job| format!("PyArrow: {job}"))).enumerate()
    {
        println!("{name:28} {:9.2} ms", median(index) * 1e3);
    }
    let pair = |name: &str, ours: usize, theirs: usize, most: f64| {
        println!("{name:54} {:5.2}, expected at most {most}", median(ours) / median(theirs));
    };
    println!("\nRatios of medians, {rounds} rounds:");
    pair("batches / own columns, 5 numbers", 0, 1, 1.3);
    pair("two of five fields / all", 2, 0, 0.6);
    pair("batches / own columns, with text and sub-arrays", 3, 4, 1.3);
    pair("batches / PyArrow from NumPy, 5 numbers", 0, 8, 0.5);
    pair("batches / PyArrow from NumPy, with text", 3, 10, 0.5);
    pair("npy to Parquet / PyArrow, 5 numbers", 6, 9, 1.0);
    pair("npy to Parquet / PyArrow, with text", 7, 11, 1.0);
    Ok(())
}

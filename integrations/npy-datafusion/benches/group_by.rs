//! A filtered group-by beside DuckDB, DataFusion on Parquet, Polars, pandas and NumPy, interleaved, as ratios.
//!
//! `cargo bench --bench group_by -- 50000000 5` takes rows and rounds. It needs a Python with numpy,
//! pandas, polars, duckdb, datafusion and pyarrow: set `PYTHON` to it. The files are made below `target/`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use npy_datafusion::datafusion::arrow::array::RecordBatch;
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use npy_datafusion::{NpyOptions, SessionContextExt};

const QUERY: &str = "SELECT station, count(*), avg(magnitude) FROM t WHERE magnitude > 2 GROUP BY station ORDER BY station";

/// What the peers are, as `benches/peers.py` names them.
const PEERS: [&str; 10] = [
    "duckdb-uncompressed 1",
    "duckdb-uncompressed 2",
    "duckdb 1",
    "duckdb 2",
    "datafusion-uncompressed 1",
    "datafusion-uncompressed 2",
    "polars 1",
    "polars 2",
    "pandas 1",
    "numpy 1",
];

struct Python {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    fn ask(&mut self, line: &str) -> std::io::Result<String> {
        writeln!(self.input, "{line}")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        Ok(answer.trim().to_owned())
    }
}

/// Seconds by the clock, and of the processor.
#[derive(Clone, Copy)]
struct Seconds {
    clock: f64,
    processor: f64,
}

impl Seconds {
    fn parse(answer: &str) -> Self {
        let mut numbers = answer.split(' ').map(|number| number.parse().unwrap_or(f64::NAN));
        let mut next = || numbers.next().unwrap_or(f64::NAN);
        Self { clock: next(), processor: next() }
    }
}

/// Seconds of the processor that this process has used, of which Linux counts hundredths.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let numbers = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    numbers.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

async fn own(path: &str, partitions: usize) -> Result<Seconds> {
    let (begin, before) = (Instant::now(), processor());
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
    session.register_npy("t", path, NpyOptions::new()).await?;
    let groups = session.sql(QUERY).await?.collect().await?;
    assert_eq!(groups.iter().map(RecordBatch::num_rows).sum::<usize>(), 26);
    Ok(Seconds { clock: begin.elapsed().as_secs_f64(), processor: processor() - before })
}

/// The median, over rounds, of a measure of this crate as a ratio to that of a peer.
fn ratio(own: &[Seconds], peer: &[Seconds], measure: impl Fn(&Seconds) -> f64) -> f64 {
    let mut ratios: Vec<_> = own.iter().zip(peer).map(|(own, peer)| measure(own) / measure(peer)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let (rows, rounds) = (numbers.first().copied().unwrap_or(50_000_000), numbers.get(1).copied().unwrap_or(5));
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("group_by_{rows}"));
    std::fs::create_dir_all(&directory)?;
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers.py");
    let mut child = Command::new(python).arg(script).arg(&directory).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut python = Python { input, output: BufReader::new(output) };
    println!("{}", python.ask(&format!("make {rows}"))?);
    let path = directory.join("events.npy").display().to_string();
    let (mut owns, mut peers) = ([Vec::new(), Vec::new()], vec![Vec::new(); PEERS.len()]);
    for _ in 0..rounds {
        for (partitions, times) in (1..).zip(&mut owns) {
            times.push(own(&path, partitions).await?);
        }
        for (peer, times) in PEERS.iter().zip(&mut peers) {
            times.push(Seconds::parse(&python.ask(peer)?));
        }
    }
    println!("{rows} rows, {rounds} rounds; medians of the ratios of each round, by the clock and of the processor");
    let [one, two] = &owns;
    println!("two threads to one: {:.2}, {:.2}", ratio(two, one, |time| time.clock), ratio(two, one, |time| time.processor));
    for (peer, times) in PEERS.iter().zip(&peers) {
        let own = if peer.ends_with('1') { one } else { two };
        let [clock, processor] = [ratio(own, times, |time| time.clock), ratio(own, times, |time| time.processor)];
        println!("{peer}: {clock:.2}, {processor:.2}");
    }
    drop(python);
    child.wait()?;
    Ok(())
}

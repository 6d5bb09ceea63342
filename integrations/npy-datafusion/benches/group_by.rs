//! A filtered group-by beside DuckDB, Polars, pandas and NumPy, interleaved, as ratios.
//!
//! `cargo bench --bench group_by -- 50000000 5` takes rows and rounds. It needs a Python with numpy,
//! pandas, polars, duckdb and pyarrow: set `PYTHON` to it. The files are made below `target/`.

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
const PEERS: [&str; 8] =
    ["duckdb 1", "duckdb 2", "duckdb-uncompressed 1", "duckdb-uncompressed 2", "polars 1", "polars 2", "pandas 1", "numpy 1"];

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

async fn own(path: &str, partitions: usize) -> Result<f64> {
    let begin = Instant::now();
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
    session.register_npy("t", path, NpyOptions::new()).await?;
    let groups = session.sql(QUERY).await?.collect().await?;
    assert_eq!(groups.iter().map(RecordBatch::num_rows).sum::<usize>(), 26);
    Ok(begin.elapsed().as_secs_f64())
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
    let mut times = vec![Vec::new(); PEERS.len() + 2];
    for _ in 0..rounds {
        for partitions in [1, 2] {
            times[partitions - 1].push(own(&path, partitions).await?);
        }
        for (peer, times) in PEERS.iter().zip(&mut times[2..]) {
            times.push(python.ask(peer)?.parse().unwrap_or(f64::NAN));
        }
    }
    let mut medians = times.iter_mut().map(|times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let (one, two) = (medians.next().unwrap_or(f64::NAN), medians.next().unwrap_or(f64::NAN));
    println!("{rows} rows, {rounds} rounds; ratios of medians");
    println!("two threads to one: {:.2}", two / one);
    for (peer, other) in PEERS.iter().zip(medians) {
        let own = if peer.ends_with('1') { one } else { two };
        println!("{peer}: {:.2}", own / other);
    }
    drop(python);
    child.wait()?;
    Ok(())
}

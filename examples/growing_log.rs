//! A log of records that grows, is left by a process that dies, and goes on; then one field of it in place.
//! `cargo run --example growing_log --features mmap`

use std::path::Path;
use std::process::Command;

use npy_core::{NpyMap, NpyRecord, NpyWriter};

/// In the file: `[('time', '<f8'), ('sensor', '<u2'), ('ok', '?')]`, eleven bytes each.
#[derive(NpyRecord)]
struct Reading {
    time: f64,
    sensor: u16,
    ok: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1) {
        Some(path) => log_and_die(&path),
        None => start(),
    }
}

/// Begins a log, loses the process, and goes on with the log.
fn start() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new("target/growing_log/readings.npy");
    std::fs::create_dir_all("target/growing_log")?;
    let child = Command::new(std::env::current_exe()?).arg(path).status()?;
    println!("the process ended with {child}");
    // What was flushed, and nothing that is torn.
    assert_eq!(npy_core::load::<Reading>(path)?.len(), 1000);

    let mut log = NpyWriter::<Reading, _>::append(path)?;
    for i in 1000..1500 {
        log.push(&reading(i))?;
    }
    log.finish()?;

    // SAFETY: no one changes the file while it is mapped.
    let map = unsafe { NpyMap::open(path)? };
    let times = map.column::<f64>("time")?;
    println!("np.load({path:?}, mmap_mode='r')['time'].mean() == {}", times.iter().sum::<f64>() / times.len() as f64);
    assert_eq!((times.len(), times.get(1499)), (1500, Some(1499.0)));
    Ok(())
}

/// Commits 1000 readings, and dies while it writes more.
fn log_and_die(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut log = NpyWriter::<Reading, _>::create(path)?;
    for i in 0..1000 {
        log.push(&reading(i))?;
    }
    log.flush()?;
    log.push(&reading(1000))?;
    std::process::abort();
}

fn reading(i: u32) -> Reading {
    Reading { time: f64::from(i), sensor: 7, ok: !i.is_multiple_of(100) }
}

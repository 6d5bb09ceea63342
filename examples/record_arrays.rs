//! The main job: record arrays from Python into Rust structs, and back. `cargo run --example record_arrays`

use ndarray::Array2;
use npy_core::NpyRecord;
use npy_core::types::{Datetime64, FixedBytes, FixedUnicode, unit::Nanosecond};
use npy_ndarray::{ReadNpyExt, WriteNpyExt};
use std::collections::BTreeSet;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
const OUTPUT: &str = "target/record_arrays";

// A seismic arrival; examples/data/make_data.py has the dtype. Fields are matched by name.
#[derive(NpyRecord)]
struct Pick {
    id: u32,
    station: FixedUnicode<5>,
    latitude: f64,
    longitude: f64,
    origin: Origin,
    time: Datetime64<Nanosecond>,
    phase: FixedBytes<4>,
    waveform: [[f32; 16]; 3],
    reviewed: bool,
}

#[derive(NpyRecord)]
struct Origin {
    time: Datetime64<Nanosecond>,
    latitude: f64,
    longitude: f64,
    depth_km: f32,
    magnitude: f32,
}

fn main() -> npy_core::Result<()> {
    let mut picks: Vec<Pick> = npy_core::load(format!("{DATA}/picks.npy"))?;
    // Seconds from each event (column) to each station (row), in Fortran order.
    let mut travel_times = Array2::<f64>::load_npy(format!("{DATA}/travel_times.npy"))?;
    let stations: BTreeSet<_> = picks.iter().map(|pick| pick.station).collect();
    let events: BTreeSet<_> = picks.iter().map(|pick| pick.origin.time).collect();
    println!("{} picks of {} events at {} stations\n", picks.len(), events.len(), stations.len());
    println!("  id  station  phase  arrival                        magnitude  late by");
    for (i, pick) in picks.iter_mut().filter(|pick| pick.phase.as_bytes().starts_with(b"P")).enumerate() {
        let Some(row) = stations.iter().position(|station| *station == pick.station) else { continue };
        let Some(column) = events.iter().position(|time| *time == pick.origin.time) else { continue };
        let (Some(arrival), Some(origin)) = (pick.time.steps(), pick.origin.time.steps()) else { continue }; // NaT
        let late = (arrival - origin) as f64 / 1e9 - travel_times[[row, column]];
        pick.reviewed = late.abs() < 0.15;
        travel_times[[row, column]] += late; // as observed
        if i < 16 {
            let Pick { id, station, phase, time, origin, .. } = pick;
            println!("{id:4}  {station:7}  {phase:5}  {time:29}  {:9.1}  {late:+.3} s", origin.magnitude);
        }
    }
    std::fs::create_dir_all(OUTPUT)?;
    npy_core::save(format!("{OUTPUT}/picks.npy"), &picks)?;
    travel_times.save_npy(format!("{OUTPUT}/travel_times.npy"))?;
    println!("…\n\nBoth arrays were changed and saved with the dtypes they came with. In Python:\n  import numpy as np");
    println!("  picks = np.load('{OUTPUT}/picks.npy')\n  times = np.load('{OUTPUT}/travel_times.npy')");
    Ok(())
}

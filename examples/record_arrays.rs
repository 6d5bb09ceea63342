//! The main job: record arrays from Python into Rust structs, and back. `cargo run --example record_arrays`

use std::collections::BTreeSet;
use std::path::Path;

use ndarray::Array2;
use npy_core::{Datetime64, FixedBytes, FixedUnicode, NpyRecord, unit::Nanosecond};
use npy_ndarray::{ReadNpyExt, WriteNpyExt};

/// A seismic arrival. NumPy's dtype is in examples/data/make_data.py; fields are matched by name.
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

/// The earthquake it came from.
#[derive(NpyRecord)]
struct Origin {
    time: Datetime64<Nanosecond>,
    latitude: f64,
    longitude: f64,
    depth_km: f32,
    magnitude: f32,
}

fn main() -> npy_core::Result<()> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data");
    let mut picks: Vec<Pick> = npy_core::load(data.join("picks.npy"))?;
    // Seconds from each event (column) to each station (row); in Fortran order in the file, and so in memory.
    let mut travel_times = Array2::<f64>::load_npy(data.join("travel_times.npy"))?;

    let stations: BTreeSet<_> = picks.iter().map(|pick| pick.station).collect();
    let events: BTreeSet<_> = picks.iter().map(|pick| pick.origin.time).collect();
    println!("{} picks of {} events at {} stations\n", picks.len(), events.len(), stations.len());
    println!("  id  station  phase  arrival                        magnitude  computed  late by");
    for (i, pick) in picks.iter_mut().filter(|pick| pick.phase.as_bytes().starts_with(b"P")).enumerate() {
        let place = (stations.iter().position(|s| *s == pick.station), events.iter().position(|e| *e == pick.origin.time));
        let (Some(row), Some(column)) = place else { continue };
        let (Some(arrival), Some(origin)) = (pick.time.steps(), pick.origin.time.steps()) else { continue }; // not NaT
        let computed = travel_times[[row, column]];
        let late = (arrival - origin) as f64 / 1e9 - computed;
        pick.reviewed = late.abs() < 0.15;
        travel_times[[row, column]] += late; // what was observed
        if i < 16 {
            let Pick { id, station, phase, time, origin, .. } = pick;
            println!("{id:4}  {station:7}  {phase:5}  {time:29}  {:9.1}  {computed:6.2} s  {late:+.3} s", origin.magnitude);
        }
    }

    let output = Path::new("target/record_arrays");
    std::fs::create_dir_all(output)?;
    npy_core::save(output.join("picks.npy"), &picks)?;
    travel_times.save_npy(output.join("travel_times.npy"))?;
    println!("…\n\nBoth arrays were changed and saved with the dtypes they came with. In Python:\n  import numpy as np");
    println!("  picks = np.load('{0}/picks.npy')\n  times = np.load('{0}/travel_times.npy')", output.display());
    Ok(())
}

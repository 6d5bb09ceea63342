//! Four processes fill one file, each its own rows, and none of them reads or copies the others'.
//! `cargo run --example mmap --features mmap`

use std::path::Path;
use std::process::Command;

use ndarray::{Axis, Ix2};
use npy_core::region::row_range;
use npy_core::{Header, NpyElement, NpyMap, NpyMapMut, Order};
use npy_ndarray::{MapMutNpyExt, MapNpyExt};

const PROCESSES: usize = 4;
const SHAPE: [usize; 2] = [1000, 512];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [path, i] => fill(path, i.parse()?),
        _ => start(),
    }
}

/// Makes the file, has it filled, and looks at the result.
fn start() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new("target/mmap/traces.npy");
    std::fs::create_dir_all("target/mmap")?;
    // Of the right size at once. It takes room on the disk only where it is filled.
    // SAFETY: no one else knows the file.
    drop(unsafe { NpyMapMut::create(path, &Header::new(f64::dtype(), Order::C, &SHAPE)?)? });

    let start = |i: usize| Command::new(std::env::current_exe()?).arg(path).arg(i.to_string()).spawn();
    let children: Vec<_> = (0..PROCESSES).map(start).collect::<Result<_, _>>()?;
    for mut child in children {
        assert!(child.wait()?.success());
    }

    // SAFETY: those who filled it are done.
    let map = unsafe { NpyMap::open(path)? };
    let traces = map.array::<f64, Ix2>()?;
    // Row 7 holds 512 times 7.
    let expected = (0..SHAPE[0] * SHAPE[1]).map(|i| (i / SHAPE[1]) as f64).sum::<f64>();
    assert_eq!(traces.sum(), expected);
    println!("np.load({path:?}, mmap_mode='r').sum() == {expected}");
    Ok(())
}

/// What one of the processes does.
fn fill(path: &str, i: usize) -> Result<(), Box<dyn std::error::Error>> {
    // SAFETY: the others take other rows, and nobody cuts the file.
    let mut map = unsafe { NpyMapMut::open(path)? };
    let rows = row_range(map.row_count(), i, PROCESSES);
    println!("process {i} fills the rows {rows:?}");
    let mut traces = map.array_rows_mut::<f64, Ix2>(rows.clone())?;
    for (row, mut trace) in rows.zip(traces.axis_iter_mut(Axis(0))) {
        trace.fill(row as f64);
    }
    map.flush()?;
    Ok(())
}

//! An archive as a struct, as a file to look into, and as a stream. `cargo run --example archives --features npz`

use std::collections::BTreeMap;
use std::path::Path;

use ndarray::{Array1, Array2, ArrayD, array};
use npy_core::NpyRecord;
use npy_core::npz::NpzStream;
use npy_ndarray::{NpzArchive, NpzReader, NpzValue, NpzWriter, ReadOptions, npz::WriteOptions};

#[derive(NpzArchive)]
struct Run {
    spectrum: Array2<f32>,
    picks: Vec<Pick>,
    rate: f64,
    comment: Option<String>,
    calibration: Calibration,
    /// Whatever else is there.
    #[npy(flatten)]
    others: BTreeMap<String, ArrayD<f64>>,
}

/// The members `calibration/gains` and `calibration/day`.
#[derive(NpzArchive)]
struct Calibration {
    gains: Array1<f64>,
    day: u16,
}

#[derive(NpyRecord, Debug)]
struct Pick {
    station: String,
    time: f64,
}

fn main() -> npy_ndarray::Result<()> {
    let path = Path::new("target/archives/run.npz");
    std::fs::create_dir_all("target/archives")?;
    let picks = vec![Pick { station: "GRF".to_owned(), time: 0.5 }, Pick { station: "BFO".to_owned(), time: 0.7 }];
    let calibration = Calibration { gains: array![1.0, 0.9], day: 325 };
    let run = Run { spectrum: Array2::zeros((512, 512)), picks, rate: 100.0, comment: None, calibration, others: BTreeMap::new() };
    run.save_npz_with(path, WriteOptions::new().compressed(true).threads(2))?; // np.savez_compressed
    println!("np.load({path:?}) has {} bytes", std::fs::metadata(path).map_or(0, |file| file.len()));

    // One more array, without writing again what is there.
    let mut archive = NpzWriter::append(path)?;
    archive.add_array("residuals", &array![0.1, -0.2])?;
    archive.finish()?;

    let run = Run::load_npz_with(path, ReadOptions::new().threads(2))?;
    println!("{:?}, {:?}, {}, {:?}", run.spectrum.dim(), run.picks[1], run.calibration.day, run.others.keys());

    // One array of it, which is all that is read.
    let gains: Array1<f64> = NpzReader::open(path)?.by_name("calibration/gains")?;
    println!("{gains}");

    // From a pipe, one array after another.
    let mut stream = NpzStream::new(std::fs::File::open(path)?);
    while let Some(mut member) = stream.next()? {
        if member.name() == "residuals" {
            println!("{}", Array1::<f64>::from_npy(member.array()?)?);
        }
    }
    Ok(())
}

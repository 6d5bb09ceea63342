//! Failed allocations are errors: each large one of each operation fails once.

use std::io::{Cursor, Seek};
use std::path::Path;

use ndarray::Array2;
use npy_core::npz::{NpzReader, NpzStream, NpzWriter};
use npy_core::rawarray::RaArray;
use npy_core::region::AxisRange;
use npy_core::{Casting, DynValues, ErrorKind, NpyReader, NpyRecord, NpyWriter, Order, ReadOptions, Result};
use npy_ndarray::{DynArray, ReadNpyExt, WriteNpyExt};

use crate::peak::with_failure;
use crate::support::{announce, written};

const COUNT: usize = 1 << 19;

#[derive(NpyRecord, Clone)]
struct Sample {
    time: f64,
    name: String,
}

type Operation = Box<dyn Fn() -> Result<()>>;

fn operations(path: &Path) -> Vec<(&'static str, Operation)> {
    let numbers: Vec<f64> = (0..COUNT).map(|number| number as f64).collect();
    let file = written(&numbers);
    let samples: Vec<Sample> = numbers[..COUNT / 4].iter().map(|time| Sample { time: *time, name: time.to_string() }).collect();
    let records = written(&samples);
    let values = DynValues::new("<f8".parse().unwrap(), Order::Fortran, &[512, 1024], file[128..].to_vec()).unwrap();
    let mut matrix = Vec::new();
    values.write(&mut matrix).unwrap();
    let archive = |compressed: bool| {
        let mut archive = match compressed {
            true => NpzWriter::new_compressed(Cursor::new(Vec::new())),
            false => NpzWriter::new(Cursor::new(Vec::new())),
        };
        archive.add_slice("x", &numbers).unwrap();
        archive.finish().unwrap().into_inner()
    };
    let (stored, deflated) = (archive(false), archive(true));
    let mut raw = Vec::new();
    npy_core::rawarray::write(&mut raw, &numbers).unwrap();
    let mut compressed = Vec::new();
    RaArray::read(&raw[..]).unwrap().compressed().unwrap().write(&mut compressed).unwrap();
    npy_core::save(path, &numbers).unwrap();
    let [loaded, saved] = [path.to_owned(), path.to_owned()];
    let read_archive = |file: Vec<u8>, threads: usize| -> Operation {
        Box::new(move || {
            NpzReader::new_with(Cursor::new(&file), ReadOptions::new().threads(threads))?.by_name::<f64>("x").map(drop)
        })
    };
    let piped = deflated.clone();
    vec![
        ("load", Box::new(move || npy_core::load::<f64>(&loaded).map(drop))),
        ("read", of(&file, |file| npy_core::read::<f64>(file).map(drop))),
        ("records", of(&records, |file| npy_core::read::<Sample>(file).map(drop))),
        ("columns", of(&records, |file| NpyReader::new(file)?.into_columns::<(f64, String)>(["time", "name"]).map(drop))),
        ("values", of(&file, |file| DynValues::read(file).map(drop))),
        ("rows of values", of(&file, |file| NpyReader::new(file)?.next_rows(COUNT / 2).map(drop))),
        ("array", of(&matrix, |file| DynArray::read_npy(file).map(drop))),
        ("matrix", of(&matrix, |file| Array2::<f64>::read_npy(file).map(drop))),
        (
            "region",
            of(&matrix, |file| {
                NpyReader::new(Cursor::new(file))?.read_region::<f64>(&[AxisRange::from(..500), AxisRange::from(..1000)]).map(drop)
            }),
        ),
        ("stored member", read_archive(stored.clone(), 1)),
        ("deflated member", read_archive(deflated.clone(), 1)),
        ("deflated member by two threads", read_archive(deflated.clone(), 2)),
        ("bytes of a member", of(&deflated, |file| NpzReader::from_bytes(file)?.bytes(0, u64::MAX).map(drop))),
        (
            "member of a pipe",
            Box::new(move || {
                let mut stream = NpzStream::new(&piped[..]);
                let mut member = stream.next()?.expect("a member");
                member.array()?.into_vec::<f64>().map(drop)
            }),
        ),
        ("raw array", of(&raw, |file| RaArray::read(file).map(drop))),
        ("compressed raw array", of(&compressed, |file| RaArray::read(file).map(drop))),
        ("cast", {
            let values = values.clone();
            Box::new(move || values.cast::<f32>(Casting::Unsafe).map(drop))
        }),
        ("elements of values", {
            let values = values.clone();
            Box::new(move || values.to_vec::<f64>().map(drop))
        }),
        ("write in another order", {
            let values = values.clone();
            Box::new(move || values.write_in_order(std::io::sink(), Order::C))
        }),
        ("save", {
            let numbers = numbers.clone();
            Box::new(move || npy_core::save(&saved, &numbers))
        }),
        ("save records", Box::new(move || npy_core::write(std::io::sink(), &samples))),
        ("write an array", {
            let array = Array2::from_shape_vec((512, 1024), numbers.clone()).unwrap();
            Box::new(move || array.write_npy(std::io::sink()))
        }),
        ("compress", {
            let numbers = numbers.clone();
            Box::new(move || {
                let mut archive = NpzWriter::new_compressed(Nowhere(0));
                archive.add_slice("x", &numbers)?;
                archive.finish().map(drop)
            })
        }),
        (
            "push",
            Box::new(move || {
                let mut writer = NpyWriter::<f64, _>::with_len(std::io::sink(), COUNT)?;
                writer.write_slice(&numbers)?;
                writer.finish().map(drop)
            }),
        ),
    ]
}

fn of(file: &[u8], operation: impl Fn(&[u8]) -> Result<()> + 'static) -> Operation {
    let file = file.to_vec();
    Box::new(move || operation(&file))
}

/// Takes everything, and knows how much.
struct Nowhere(u64);

impl std::io::Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Nowhere {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.0 = match to {
            std::io::SeekFrom::Start(place) => place,
            std::io::SeekFrom::Current(distance) | std::io::SeekFrom::End(distance) => self.0.wrapping_add_signed(distance),
        };
        Ok(self.0)
    }
}

#[test]
fn failed_allocations_are_errors() {
    let (mut failures, mut refused) = (0, 0);
    let directory = tempfile::tempdir().unwrap();
    for (name, operation) in operations(&directory.path().join("numbers.npy")) {
        operation().unwrap_or_else(|error| panic!("{name}: {error}"));
        for k in 0.. {
            // Of an abort, this line says where.
            println!("{name}, allocation {k}");
            let (result, has_failed) = with_failure(k, &operation);
            if !has_failed {
                result.unwrap_or_else(|error| panic!("{name}: {error}"));
                break;
            }
            failures += 1;
            if let Err(error) = result {
                let is_of_memory = error.kind() == ErrorKind::OutOfMemory || format!("{error:#}").contains("out of memory");
                assert!(is_of_memory, "{name}: {error:#}");
                refused += 1;
            }
        }
    }
    announce(&format!("{failures} large allocations failed: {refused} errors, no abort"));
    assert!(refused >= 15, "{refused}");
}

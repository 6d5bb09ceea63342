//! The same jobs from a few elements to more than a cache and a file system take at once, each beside what the machine needs for as many
//! bytes: the ratio should not depend on how many there are.
//!
//! Where a job has to look at each byte, so does its limit: it copies what lies elsewhere in the
//! result, and checks what has a checksum.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::print::PrintOptions;
use npy_core::{NpyReader, NpyRecord, SaveOptions};

use super::{GIB, KIB, MIB, bytes};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::repeat;
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;

/// Sixteen bytes, packed and in memory alike, of which no layout makes a view.
#[derive(NpyRecord)]
struct Event {
    time: f64,
    channel: u32,
    amplitude: f32,
}

const EVENT_BYTES: usize = 16;
/// The elements of a row. A region that takes half of each row has a piece in every one.
const ROW: usize = 16;

const READ: &str = "std::fs::read";
const WRITE: &str = "std::fs::write";

/// A job: its name, what it does, how many times the size its files take, and how it runs.
type Work = (&'static str, &'static str, usize, fn(&Job<'_>, usize) -> Outcome);

pub(super) fn run(bench: &mut Bench) {
    let jobs: [Work; 6] = [
        ("read", "read an array of f64", 1, read),
        ("records", "read records as structs", 1, records),
        ("npz", "read an array of f64 from a stored archive", 1, archive),
        ("region", "read half of each row", 1, region),
        ("show", "print the corners of an array", 1, show),
        ("write", "save an array of u8", 3, write),
    ];
    let sizes = [
        ("1KiB", KIB, KIB),
        ("16KiB", 16 * KIB, 2 * KIB),
        ("256KiB", 256 * KIB, 4 * KIB),
        ("4MiB", 4 * MIB, 8 * KIB),
        ("64MiB", 64 * MIB, 16 * KIB),
        ("1GiB", GIB, 32 * KIB),
        ("4GiB", 4 * GIB, 64 * KIB),
    ];
    for (job, title, files, measure) in jobs {
        for (name, size, quick) in sizes {
            let size = bench.size(size, quick);
            let need = Need { is_optional: size >= GIB, ..Need::of(bytes(files, size), bytes(2, size)) };
            bench.case(&format!("sizes.{job}.{name}"), &format!("{title}, {name}, times of 8 bytes"), need, |job| {
                measure(job, size)
            });
        }
    }
}

fn read(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("array.npy");
    save_rows(&path, size);
    let ours = || drop(black_box(NpyReader::open(&path).unwrap().into_vec::<f64>().unwrap()));
    beside(job, size, (READ, || drop(black_box(fs::read(&path).unwrap()))), ("NpyReader::into_vec", ours))
}

fn records(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("events.npy");
    let each = |index: usize| Event { time: 0.5, channel: u32::try_from(index % 100).unwrap_or_default(), amplitude: 1.0 };
    npy_core::save(&path, &(0..size / EVENT_BYTES).map(each).collect::<Vec<_>>()).unwrap();
    let ours = || drop(black_box(npy_core::load::<Event>(&path).unwrap()));
    beside(job, size, ("read, copy", || drop(black_box(read_and_copy(&path, 1)))), ("load, records", ours))
}

fn archive(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("archive.npz");
    let mut writer = NpzWriter::create(&path).unwrap();
    writer.add_slice("x", &vec![0.5_f64; size / 8]).unwrap();
    writer.finish().unwrap();
    let ours = || drop(black_box(NpzReader::open(&path).unwrap().by_name::<f64>("x").unwrap()));
    let limit = || {
        let bytes = fs::read(&path).unwrap();
        black_box(crc32fast::hash(&bytes));
    };
    beside(job, size, ("std::fs::read, CRC-32", limit), ("NpzReader", ours))
}

fn region(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("array.npy");
    save_rows(&path, size);
    let columns = [(..).into(), (..ROW / 2).into()];
    let ours = || drop(black_box(NpyReader::open(&path).unwrap().read_region::<f64>(&columns).unwrap()));
    beside(job, size, ("read, copy half", || drop(black_box(read_and_copy(&path, 2)))), ("read_region", ours))
}

/// Its limit opens the file and reads as many bytes as are printed, from its beginning.
fn show(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("array.npy");
    save_rows(&path, size);
    let ours = || {
        let mut reader = NpyReader::open(&path).unwrap();
        black_box(reader.print_region(&[(..).into(), (..).into()], PrintOptions::new()).unwrap().to_string());
    };
    let limit = || {
        let mut corners = [0; KIB];
        File::open(&path).unwrap().read_exact(&mut corners).unwrap();
        black_box(corners);
    };
    beside(job, size, ("open, read 1 KiB", limit), ("print_region", ours))
}

fn write(job: &Job<'_>, size: usize) -> Outcome {
    let [path, plain] = ["array.npy", "plain"].map(|name| job.directory.file(name));
    let items = vec![1_u8; size];
    let in_place = SaveOptions::new().in_place(true);
    // To a new file each: what is written over keeps its pages.
    let remove = |path| drop(fs::remove_file(path));
    let ours = || {
        remove(&path);
        npy_core::save_with(&path, &items, in_place).unwrap();
    };
    let limit = || {
        remove(&plain);
        fs::write(&plain, &items).unwrap();
    };
    beside(job, size, (WRITE, limit), ("save, in place", ours))
}

/// Reads a file by parts that stay in the cache, and copies one of `share` bytes of each.
fn read_and_copy(path: &Path, share: usize) -> Vec<u8> {
    let mut file = File::open(path).unwrap();
    let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
    let mut part = vec![0; length.min(256 * KIB)];
    let mut result = Vec::with_capacity(length / share);
    loop {
        let count = file.read(&mut part).unwrap();
        if count == 0 {
            return result;
        }
        result.extend_from_slice(&part[..count / share]);
    }
}

/// Measures one of ours beside the limit.
fn beside(job: &Job<'_>, size: usize, limit: (&str, impl FnMut()), ours: (&str, impl FnMut())) -> Outcome {
    let calls = u32::try_from(MIB / size.clamp(1, MIB)).unwrap().max(1);
    let mut case = job.case();
    case.rounds(match size {
        0..=MIB => 31,
        _ if size < GIB => 9,
        _ => 6,
    });
    case.measure_second_runs();
    case.units(calls * u32::try_from(size / 8).unwrap(), "8 bytes");
    case.limit(limit.0, repeat(calls, limit.1));
    case.ours(ours.0, repeat(calls, ours.1));
    case.measure()
}

/// Saves rows of `f64`.
fn save_rows(path: &Path, size: usize) {
    let header = npy_core::Header::new("<f8".parse().unwrap(), npy_core::Order::C, &[size / 8 / ROW, ROW]).unwrap();
    let row = 0.5_f64.to_le_bytes().repeat(ROW);
    let mut file = BufWriter::with_capacity(MIB, File::create(path).unwrap());
    header.write(&mut file).unwrap();
    for _ in 0..size / row.len() {
        file.write_all(&row).unwrap();
    }
    file.flush().unwrap();
}

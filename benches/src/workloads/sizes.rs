//! The same jobs from a few elements to more than a cache and a file system take at once: the time of an element should not depend on
//! how many there are.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;

use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::{NpyReader, NpyRecord};

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
const ROW: usize = 16;

pub(super) fn run(bench: &mut Bench) {
    let sizes = [
        ("1KiB", KIB, KIB),
        ("16KiB", 16 * KIB, 2 * KIB),
        ("256KiB", 256 * KIB, 4 * KIB),
        ("4MiB", 4 * MIB, 8 * KIB),
        ("64MiB", 64 * MIB, 16 * KIB),
        ("1GiB", GIB, 32 * KIB),
        ("4GiB", 4 * GIB, 64 * KIB),
    ];
    for (name, size, quick) in sizes {
        let size = bench.size(size, quick);
        let need = Need { is_optional: size >= GIB, ..Need::of(bytes(4, size), bytes(3, size)) };
        bench.case(&format!("sizes.{name}"), &format!("each job with {name}, and the time of 8 bytes of it"), need, |job| {
            of_size(job, size)
        });
    }
}

fn of_size(job: &Job<'_>, size: usize) -> Outcome {
    let [path, events, archive, target] =
        ["array.npy", "events.npy", "archive.npz", "target.npy"].map(|name| job.directory.file(name));
    let items = vec![0.5_f64; size / 8];
    {
        // A region that takes half of each row has a piece in every row.
        let header = npy_core::Header::new("<f8".parse().unwrap(), npy_core::Order::C, &[items.len() / ROW, ROW]).unwrap();
        let mut file = File::create(&path).unwrap();
        header.write(&mut file).unwrap();
        let mut writer = NpzWriter::create(&archive).unwrap();
        writer.add_slice("x", &items).unwrap();
        writer.finish().unwrap();
        let bytes: Vec<u8> = items.iter().flat_map(|item| item.to_le_bytes()).collect();
        file.write_all(&bytes).unwrap();
        let count = size / EVENT_BYTES;
        let each = |i: usize| Event { time: 0.5, channel: u32::try_from(i % 100).unwrap_or_default(), amplitude: 1.0 };
        npy_core::save(&events, &(0..count).map(each).collect::<Vec<_>>()).unwrap();
    }
    let columns = [(..).into(), (..ROW / 2).into()];
    let calls = u32::try_from(MIB / size.clamp(1, MIB)).unwrap().max(1);

    let mut case = job.case();
    case.rounds(match size {
        0..=MIB => 31,
        _ if size < GIB => 9,
        _ => 6,
    });
    case.measure_second_runs();
    case.units(calls * u32::try_from(size / 8).unwrap(), "8 bytes");
    case.limit("std::fs::read", repeat(calls, || drop(black_box(fs::read(&path).unwrap()))));
    case.ours("NpyReader::into_vec", repeat(calls, || drop(black_box(NpyReader::open(&path).unwrap().into_vec::<f64>().unwrap()))));
    case.ours("load, records", repeat(calls, || drop(black_box(npy_core::load::<Event>(&events).unwrap()))));
    case.ours("NpzReader", repeat(calls, || drop(black_box(NpzReader::open(&archive).unwrap().by_name::<f64>("x").unwrap()))));
    case.ours(
        "read_region, half of each row",
        repeat(calls, || drop(black_box(NpyReader::open(&path).unwrap().read_region::<f64>(&columns).unwrap()))),
    );
    case.ours("read_at, one row", repeat(calls, || drop(black_box(NpyReader::open(&path).unwrap().read_at::<f64>(0..1).unwrap()))));
    case.ours("save", repeat(calls, || npy_core::save(&target, &items).unwrap()));
    case.limit("std::fs::write", {
        let plain = job.directory.file("plain");
        let bytes = fs::read(&path).unwrap();
        repeat(calls, move || fs::write(&plain, &bytes).unwrap())
    });
    case.measure()
}

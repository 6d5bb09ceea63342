//! Growing files: the time of an element while writing, and of appending one.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};

use npy_core::NpyWriter;
use npyz::WriterBuilder;

use super::write::SAVE_SYNCED;
use super::{GIB, KIB, MIB, bytes};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::repeat;
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;

const NP_SAVE: &str = "np.save + fsync";
/// The elements of one `write_slice`, which are 32 KiB.
const BLOCK: usize = 4096;
/// The largest size that NumPy holds in memory.
const WHOLE: usize = 256 * MIB;

pub(super) fn run(bench: &mut Bench) {
    let sizes = [
        ("1KiB", KIB, KIB),
        ("64KiB", 64 * KIB, 64 * KIB),
        ("1MiB", MIB, MIB),
        ("16MiB", 16 * MIB, 2 * MIB),
        ("256MiB", WHOLE, 4 * MIB),
        ("1GiB", GIB, 8 * MIB),
        ("10GiB", 10 * GIB, 16 * MIB),
    ];
    for (name, size, quick) in sizes {
        let size = bench.size(size, quick);
        let need = Need { is_optional: size > WHOLE, ..Need::of(bytes(1, size), bytes(2, size.min(WHOLE))) };
        let kinds = "valid at every instant by NpyWriter::create, synced at the end by all others";
        let title = format!("write {name} of f64 to a new file of unknown length: {kinds}");
        bench.case(&format!("growth.write.{name}"), &title, need, |job| write(job, size));
    }
    // The name, the full size, the quick one, and how many elements a run appends.
    let sizes = [("1KiB", KIB, KIB, 50), ("1MiB", MIB, 64 * KIB, 20), ("64MiB", 64 * MIB, MIB, 4), ("1GiB", GIB, 4 * MIB, 1)];
    for (name, size, quick, calls) in sizes {
        let size = bench.size(size, quick);
        let need = Need { is_optional: size > WHOLE, ..Need::of(bytes(3, size), bytes(4, size)) };
        bench.case(&format!("growth.append.{name}"), &format!("append one f64 to a file of {name}"), need, |job| {
            append(job, size, calls)
        });
    }
}

/// Writes a file of unknown length.
///
/// `NpyWriter::create` syncs when it begins and when it ends, so that a crash leaves a valid file.
/// All others sync at the end, and so does `NpyWriter::new` here.
fn write(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("array.npy");
    let count = size / 8;
    let block = vec![0.5_f64; BLOCK];
    let blocks = || (0..count).step_by(BLOCK).map(|first| &block[..BLOCK.min(count - first)]);
    let push = |path| {
        let mut writer = NpyWriter::<f64, _>::create(path).unwrap();
        for item in blocks().flatten() {
            writer.push(item).unwrap();
        }
        writer.finish().unwrap()
    };
    let plain = || {
        let mut file = BufWriter::with_capacity(256 * KIB, File::create(&path).unwrap());
        for item in blocks().flatten() {
            file.write_all(&item.to_le_bytes()).unwrap();
        }
        file.into_inner().unwrap()
    };
    job.numpy.set_path("path", &path);
    if size <= WHOLE {
        job.numpy.run(&format!("array = np.full({count}, 0.5)"));
        job.numpy.define(SAVE_SYNCED);
    }

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.rounds(match size {
        0..=MIB => 101,
        _ if size <= WHOLE => 9,
        _ => 3,
    });
    case.units(u32::try_from(count).unwrap(), "element");
    case.after_each(|| {
        fs::remove_file(&path).unwrap();
        String::new()
    });
    if size <= WHOLE {
        case.numpy(job.numpy, NP_SAVE, "save_synced()");
    }
    case.ours("NpyWriter::create, push", || drop(push(&path)));
    case.ours("NpyWriter::create, write_slice", || {
        let mut writer = NpyWriter::<f64, _>::create(&path).unwrap();
        for block in blocks() {
            writer.write_slice(block).unwrap();
        }
        writer.finish().unwrap();
    });
    case.ours("NpyWriter::new, push + fsync", || {
        let mut writer = NpyWriter::<f64, _>::new(File::create(&path).unwrap()).unwrap();
        for item in blocks().flatten() {
            writer.push(item).unwrap();
        }
        writer.finish().unwrap().sync_all().unwrap();
    });
    case.ours("NpyWriter::new, write_slice + fsync", || {
        let mut writer = NpyWriter::<f64, _>::new(File::create(&path).unwrap()).unwrap();
        for block in blocks() {
            writer.write_slice(block).unwrap();
        }
        writer.finish().unwrap().sync_all().unwrap();
    });
    case.peer("npyz + fsync", || {
        let file = File::create(&path).unwrap();
        let output = BufWriter::new(&file);
        let mut writer = npyz::WriteOptions::new().default_dtype().writer(output).begin_1d().unwrap();
        for item in blocks().flatten() {
            writer.push(item).unwrap();
        }
        writer.finish().unwrap();
        file.sync_all().unwrap();
    });
    case.limit("BufWriter + fsync", || plain().sync_all().unwrap());
    case.limit("BufWriter", || drop(plain()));
    case.measure()
}

fn append(job: &Job<'_>, size: usize, calls: u32) -> Outcome {
    let [path, of_numpy, plain] = ["array.npy", "numpy.npy", "plain"].map(|name| job.directory.file(name));
    npy_core::save(&path, &vec![0.5_f64; size / 8]).unwrap();
    fs::copy(&path, &of_numpy).unwrap();
    fs::copy(&path, &plain).unwrap();
    job.numpy.set_path("path", &of_numpy);

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.units(calls, "element");
    let line = format!("for _ in range({calls}): np.save(path, np.append(np.load(path), 0.5))");
    case.numpy(job.numpy, "np.save(np.append(np.load))", line);
    case.ours(
        "NpyWriter::append, push, finish",
        repeat(calls, || {
            let mut writer = NpyWriter::<f64, _>::append(&path).unwrap();
            writer.push(&0.5).unwrap();
            writer.finish().unwrap();
        }),
    );
    case.limit(
        "open + write(2) + fsync + close",
        repeat(calls, || {
            let mut file = OpenOptions::new().append(true).open(&plain).unwrap();
            file.write_all(&0.5_f64.to_le_bytes()).unwrap();
            file.sync_all().unwrap();
        }),
    );
    case.measure()
}

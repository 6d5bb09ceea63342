//! Large native arrays: writing them to new files, over others, to the disk.

use std::fs::{self, File};
use std::path::Path;

use ndarray::ArrayView1;
use npy_core::{SaveOptions, save_with};
use npy_ndarray::WriteNpyExt;

use super::{Before, GIB, MIB, bytes, in_huge_pages};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::FEWEST_ROUNDS;
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;
use crate::peers::{HDF5, NDARRAY_NPY, NPYZ, RAWARRAY, hdf5, write_allocated, write_bytes, write_npyz};

const DURABLE: &str = "save, durable";
const NP_SAVE_SYNCED: &str = "np.save + fsync";
/// Defines `save_synced()`, which saves `array` and syncs it.
pub(super) const SAVE_SYNCED: &str = "import os\ndef save_synced():\n with open(path, 'wb') as file:\n  np.save(file, array)\n  file.flush()\n  os.fsync(file.fileno())";
const NP_SAVE: &str = "np.save";
const SAVE: &str = "save";
const IN_PLACE: &str = "save, in place";
const ALLOCATED: &str = "fallocate + write(2)";
const WRITE: &str = "write(2)";

pub(super) fn run(bench: &mut Bench) {
    for (name, size, quick) in [("64MiB", 64 * MIB, 4 * MIB), ("1GiB", GIB, 16 * MIB)] {
        let size = bench.size(size, quick);
        let need = Need::of(bytes(4, size), bytes(6, size));
        bench.case(&format!("write.{name}.new"), &format!("write {name} of f64 to a new file"), need, |job| {
            write(job, size, Before::Nothing)
        });
        bench.case(&format!("write.{name}.over"), &format!("write {name} of f64 over a file of the same size"), need, |job| {
            write(job, size, Before::Same)
        });
        bench.case(&format!("write.{name}.durable"), &format!("write {name} of f64 to a new file, and to the disk"), need, |job| {
            write_durably(job, size)
        });
    }
}

fn write(job: &Job<'_>, size: usize, before: Before) -> Outcome {
    let [path, raw, hdf5] = ["array.npy", "array.ra", "array.h5"].map(|name| job.directory.file(name));
    let rawarray = rawarray::RawArray::from(in_huge_pages(job, &Random::new(1).uniforms(size / 8)));
    let items = rawarray.data_as_ref();
    let (file, array) = (give_to_numpy(job, &path, items), ArrayView1::from(items));

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.rounds(if size >= GIB { FEWEST_ROUNDS } else { 9 });
    case.measure_second_runs();
    if before == Before::Nothing {
        case.after_each(|| remove(&[&path, &raw, &hdf5]));
    }
    case.numpy(job.numpy, NP_SAVE, "np.save(path, array)");
    case.ours(SAVE, || npy_core::save(&path, items).unwrap());
    case.ours("Array1::save_npy", || array.save_npy(&path).unwrap());
    case.ours(IN_PLACE, || save_with(&path, items, SaveOptions::new().in_place(true)).unwrap());
    case.peer(NDARRAY_NPY, || ndarray_npy::write_npy(&path, &array).unwrap());
    case.peer(NPYZ, || write_npyz(&path, &[items.len()], items));
    case.peer(RAWARRAY, || rawarray.write(&raw).unwrap());
    case.peer_if_built(HDF5, hdf5::writer(&hdf5, items));
    case.limit(ALLOCATED, || write_allocated(&path, &file));
    case.limit(WRITE, || write_bytes(&path, &file));
    match before {
        Before::Nothing => {
            let to_np_save = Target::factor(SAVE, job.directory.either(0.8, 0.9), NP_SAVE);
            case.targets([to_np_save, Target::factor(SAVE, 1.01, ALLOCATED)]);
            let to_ndarray_npy = Target::factor(SAVE, 0.65, NDARRAY_NPY);
            case.targets((!job.directory.is_in_memory()).then_some(to_ndarray_npy));
        }
        Before::Same => {
            case.targets([Target::factor(IN_PLACE, 0.5, NP_SAVE)]);
        }
    }
    case.measure()
}

fn write_durably(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("array.npy");
    let items = in_huge_pages(job, &Random::new(1).uniforms(size / 8));
    let file = give_to_numpy(job, &path, &items);
    job.numpy.define(SAVE_SYNCED);

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.rounds(job.directory.either(FEWEST_ROUNDS, 3));
    case.after_each(|| remove(&[&path]));
    case.numpy(job.numpy, NP_SAVE_SYNCED, "save_synced()");
    case.ours(DURABLE, || save_with(&path, &items, SaveOptions::new().durable(true)).unwrap());
    case.variant("save, in place and durable", || {
        save_with(&path, &items, SaveOptions::new().in_place(true).durable(true)).unwrap();
    });
    case.limit("fallocate + write(2) + fsync", || {
        write_allocated(&path, &file);
        File::open(&path).unwrap().sync_all().unwrap();
    });
    case.targets((!job.directory.is_in_memory()).then(|| Target::factor(DURABLE, 0.8, NP_SAVE_SYNCED)));
    case.measure()
}

/// Defines `path` and `array` in NumPy. Returns the bytes of the file.
fn give_to_numpy(job: &Job<'_>, path: &Path, items: &[f64]) -> Vec<u8> {
    npy_core::save(path, items).unwrap();
    job.numpy.set_path("path", path);
    job.numpy.run("array = np.load(path)");
    let file = in_huge_pages(job, &fs::read(path).unwrap());
    fs::remove_file(path).unwrap();
    file
}

fn remove(paths: &[&Path]) -> String {
    for path in paths {
        // Most contenders write only one of them.
        let _ = fs::remove_file(path);
    }
    String::new()
}

//! Large native arrays: reading them and summing them.

use std::fs;
use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ndarray::Array1;
use npy_core::{NpyReader, ReadOptions};
use npy_ndarray::ReadNpyExt;

use super::{GIB, KIB, MIB, bytes, file_size, from_page};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::{FEWEST_ROUNDS, repeat};
use crate::harness::directory::Need;
use crate::harness::machine::huge_pages;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;
use crate::peers::mapped::map;
use crate::peers::{HDF5, NDARRAY_NPY, NPYZ, RAWARRAY, hdf5, read_npyz, read_over, read_rawarray};

const NP_LOAD: &str = "np.load";
const NP_MAPPED_SUM: &str = "np.load(mmap_mode='r').sum()";
const LOAD: &str = "load";
const LOAD_ARRAY: &str = "Array1::load_npy";
const LOAD_2: &str = "load, 2 threads";
const READ_INTO: &str = "read_into a warm slice";
const READ_INTO_2: &str = "read_into a warm slice, 2 threads";
const READ: &str = "read(2) into a warm buffer";
const STREAMED: &str = "read_into, 256 KiB at a time";
const FOR_EACH_CHUNK: &str = "for_each_chunk";
const MAPPED: &str = "NpyMap";

pub(super) fn run(bench: &mut Bench) {
    for (name, size, quick) in [("256KiB", 256 * KIB, 64 * KIB), ("1MiB", MIB, 256 * KIB)] {
        let need = Need::of(bytes(3, size), bytes(8, size));
        bench.case(&format!("read.{name}"), &format!("read {name} of f64 in the page cache"), need, |job| {
            read_small(job, job.size(size, quick), size < MIB)
        });
    }
    for (name, size, quick) in [("64MiB", 64 * MIB, 4 * MIB), ("1GiB", GIB, 16 * MIB)] {
        let is_huge = size >= GIB;
        let size = bench.size(size, quick);
        let need = Need::of(bytes(3, size), bytes(9, size));
        bench.case(&format!("read.{name}"), &format!("read {name} of f64 in the page cache"), need, |job| read(job, size, is_huge));
        if !is_huge {
            let title = format!("read {name} of f64 in the page cache while all processors but one are busy");
            bench.case(&format!("read.{name}.busy"), &title, need, |job| read_busy(job, size));
        }
        bench.case(&format!("read.sum.{name}"), &format!("sum of {name} of f64 in the page cache"), need, |job| {
            sum(job, size, is_huge)
        });
    }
}

/// Reads an array so small that each run reads it many times.
fn read_small(job: &Job<'_>, size: usize, is_smallest: bool) -> Outcome {
    let path = job.directory.file("array.npy");
    npy_core::save(&path, &Random::new(1).uniforms(size / 8)).unwrap();
    job.numpy.set_path("path", &path);
    let mut items = vec![0.0_f64; size / 8];
    let mut memory = Vec::new();
    let buffer = from_page(&mut memory, file_size(&path));
    let calls = job.size(200, 10);

    let mut case = job.case();
    case.rounds(21);
    case.units(calls, "call");
    case.numpy(job.numpy, NP_LOAD, format!("for _ in range({calls}): np.load(path)"));
    case.ours(LOAD, repeat(calls, || drop(black_box(npy_core::load::<f64>(&path).unwrap()))));
    case.ours(LOAD_ARRAY, repeat(calls, || drop(black_box(Array1::<f64>::load_npy(&path).unwrap()))));
    case.variant(READ_INTO, repeat(calls, || NpyReader::open(&path).unwrap().read_into(black_box(&mut items)).unwrap()));
    case.peer(NDARRAY_NPY, repeat(calls, || drop(black_box(ndarray_npy::read_npy::<_, Array1<f64>>(&path).unwrap()))));
    case.peer(NPYZ, repeat(calls, || drop(black_box(read_npyz::<f64>(&path)))));
    case.limit(READ, repeat(calls, || read_over(&path, buffer)));
    case.limit("std::fs::read", repeat(calls, || drop(black_box(fs::read(&path).unwrap()))));
    case.targets([
        Target::factor(LOAD, if is_smallest { 0.16 } else { 0.36 }, NP_LOAD),
        Target::factor(LOAD, if is_smallest { 1.15 } else { 1.03 }, READ),
    ]);
    case.measure()
}

fn read(job: &Job<'_>, size: usize, is_huge: bool) -> Outcome {
    let [path, raw, hdf5] = ["array.npy", "array.ra", "array.h5"].map(|name| job.directory.file(name));
    let mut items = Random::new(1).uniforms(size / 8);
    npy_core::save(&path, &items).unwrap();
    rawarray::RawArray::from(items.clone()).write(&raw).unwrap();
    job.numpy.set_path("path", &path);
    let mut memory = Vec::new();
    let buffer = from_page(&mut memory, file_size(&path));
    let source = fs::read(&path).unwrap();
    let (mut copy, mut items2) = (source.clone(), items.clone());

    let mut case = job.case();
    case.rounds(if is_huge { FEWEST_ROUNDS } else { 9 });
    case.measure_second_runs();
    case.numpy(job.numpy, NP_LOAD, "np.load(path)");
    case.ours(LOAD, || drop(black_box(npy_core::load::<f64>(&path).unwrap())));
    case.ours(LOAD_ARRAY, || drop(black_box(Array1::<f64>::load_npy(&path).unwrap())));
    case.peer(NDARRAY_NPY, || drop(black_box(ndarray_npy::read_npy::<_, Array1<f64>>(&path).unwrap())));
    case.peer(NPYZ, || drop(black_box(read_npyz::<f64>(&path))));
    case.peer(RAWARRAY, || drop(black_box(read_rawarray::<f64>(&raw))));
    case.peer_if_built(HDF5, hdf5::reader(std::slice::from_ref(&hdf5), &items));
    case.variant(READ_INTO, || NpyReader::open(&path).unwrap().read_into(black_box(&mut items)).unwrap());
    let by_two = ReadOptions::new().threads(2);
    case.variant(LOAD_2, || drop(black_box(npy_core::load_with::<f64>(&path, by_two).unwrap())));
    case.variant(READ_INTO_2, || NpyReader::open_with(&path, by_two).unwrap().read_into(black_box(&mut items2)).unwrap());
    case.variant("NpyMap, one value of each page", || {
        let map = map(&path);
        black_box(map.view::<f64>().unwrap().iter().step_by(512).sum::<f64>());
    });
    case.limit(READ, || read_over(&path, buffer));
    case.limit("std::fs::read, into fresh memory", || drop(black_box(fs::read(&path).unwrap())));
    case.limit("memcpy into a warm buffer", || black_box(&mut copy).copy_from_slice(black_box(&source)));
    // Under `always`, all get the huge pages that otherwise only ours and NumPy request.
    let of_ndarray_npy = if huge_pages().as_deref() == Some("always") { 1.0 } else { 4.0 };
    case.targets([
        Target::factor(LOAD, if is_huge { 1.0 } else { 0.92 }, NP_LOAD),
        Target::factor(LOAD, 1.3, READ),
        Target::speedup(LOAD, of_ndarray_npy, NDARRAY_NPY),
        Target::factor(LOAD_2, if is_huge { 0.72 } else { 0.66 }, NP_LOAD),
        Target::factor(READ_INTO, if is_huge { 0.83 } else { 0.7 }, NP_LOAD),
        Target::factor(READ_INTO_2, 0.57, NP_LOAD),
    ]);
    case.measure()
}

/// Reads while two threads share one processor with whatever else runs.
fn read_busy(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("array.npy");
    npy_core::save(&path, &Random::new(1).uniforms(size / 8)).unwrap();
    job.numpy.set_path("path", &path);

    let mut case = job.case();
    case.rounds(9);
    case.measure_second_runs();
    case.numpy(job.numpy, NP_LOAD, "np.load(path)");
    case.ours(LOAD, || drop(black_box(npy_core::load::<f64>(&path).unwrap())));
    let by_two = ReadOptions::new().threads(2);
    case.variant(LOAD_2, || drop(black_box(npy_core::load_with::<f64>(&path, by_two).unwrap())));
    case.targets([Target::factor(LOAD_2, 1.0, NP_LOAD)]);
    while_others_are_busy(|| case.measure())
}

/// Runs something while all processors but one spin.
fn while_others_are_busy<T>(run: impl FnOnce() -> T) -> T {
    /// Stops the spinning, even after a panic.
    struct EndOnDrop<'a>(&'a AtomicBool);
    impl Drop for EndOnDrop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let has_ended = AtomicBool::new(false);
    let others = thread::available_parallelism().map_or(1, |count| count.get() - 1);
    thread::scope(|scope| {
        let _end = EndOnDrop(&has_ended);
        for _ in 0..others {
            scope.spawn(|| {
                while !has_ended.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
        }
        run()
    })
}

fn sum(job: &Job<'_>, size: usize, is_huge: bool) -> Outcome {
    const PART: usize = 256 * KIB / 8;
    let path = job.directory.file("array.npy");
    npy_core::save(&path, &Random::new(1).uniforms(size / 8)).unwrap();
    job.numpy.set_path("path", &path);
    let (mut part, mut memory) = (vec![0.0_f64; PART], Vec::new());
    let buffer = from_page(&mut memory, PART * 8);

    let mut case = job.case();
    case.rounds(if is_huge { FEWEST_ROUNDS } else { 9 });
    case.numpy(job.numpy, NP_MAPPED_SUM, "np.load(path, mmap_mode='r').sum()");
    case.numpy(job.numpy, "np.load().sum()", "np.load(path).sum()");
    case.ours(STREAMED, || {
        let mut reader = NpyReader::open(&path).unwrap();
        let mut total = 0.0;
        while reader.remaining() > 0 {
            let length = reader.remaining().min(PART);
            reader.read_into(&mut part[..length]).unwrap();
            total += sum_of(&part[..length]);
        }
        black_box(total);
    });
    case.ours("chunks of 256 KiB", || {
        let mut reader = NpyReader::open(&path).unwrap();
        black_box(reader.chunks::<f64>(PART).map(|chunk| sum_of(&chunk.unwrap())).sum::<f64>());
    });
    case.ours(FOR_EACH_CHUNK, || {
        let mut total = 0.0;
        let add = |chunk: &[f64]| {
            total += sum_of(chunk);
            Ok(())
        };
        NpyReader::open(&path).unwrap().for_each_chunk(add).unwrap();
        black_box(total);
    });
    // The same as the first line of NumPy.
    case.ours(MAPPED, || {
        let map = map(&path);
        black_box(sum_of(map.view::<f64>().unwrap()));
    });
    case.peer(NDARRAY_NPY, || {
        let array: Array1<f64> = ndarray_npy::read_npy(&path).unwrap();
        black_box(sum_of(array.as_slice().unwrap()));
    });
    case.limit("read(2) of all parts into a warm buffer", || {
        use std::io::Read;
        let mut file = fs::File::open(&path).unwrap();
        while file.read(black_box(buffer)).unwrap() > 0 {}
    });
    for ours in [STREAMED, FOR_EACH_CHUNK] {
        case.targets([Target::factor(ours, 1.0, MAPPED)]);
        case.targets(is_huge.then(|| Target::factor(ours, job.directory.either(0.78, 0.49), NP_MAPPED_SUM)));
    }
    case.measure()
}

/// Sums by vectors of up to 32 bytes, as NumPy does, in lanes that do not wait for each other.
fn sum_of(items: &[f64]) -> f64 {
    pulp::Arch::new().dispatch(Sum(items))
}

struct Sum<'a>(&'a [f64]);

impl pulp::WithSimd for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let (parts, rest) = self.0.as_chunks::<32>();
        let mut lanes = [0.0; 32];
        for part in parts {
            for (lane, item) in lanes.iter_mut().zip(part) {
                *lane += item;
            }
        }
        lanes.iter().chain(rest).sum()
    }
}

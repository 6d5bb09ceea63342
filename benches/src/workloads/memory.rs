//! Peak memory: reading beside its result, and streaming.

use std::fs::File;
use std::hint::black_box;

use ndarray::{Array1, Array2, ShapeBuilder};
use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::{NpyReader, NpyWriter, Order, ReadOptions};
use npy_ndarray::{DynArray, ReadNpyExt, WriteNpyExt};

use super::order::save_as;
use super::records::{Sample, sample};
use super::{MIB, bytes};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::Case;
use crate::harness::directory::Need;
use crate::harness::memory;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;
use crate::peers::{NDARRAY_NPY, NPYZ, read_npyz};

/// The target of reading as a factor of the result, with the buffers of all threads.
const MOST: f64 = 1.02;
const RESULT: &str = "the result";
/// A quarter of what is streamed. A smaller allocation might reuse freed memory and not count.
const QUARTER: &str = "64 MiB";

pub(super) fn run(bench: &mut Bench) {
    if !memory::is_known() {
        return;
    }
    // Each core counts its pages with a delay, so that the result has to be large.
    let size = bench.size(256 * MIB, 32 * MIB);
    let need = Need::of(bytes(3, size), bytes(4, size));
    bench.case_in_memory("memory.read.numbers", "peak memory: read 256 MiB of f64", need, |job| read_numbers(job, size));
    bench.case_in_memory("memory.read.orders", "peak memory: read 256 MiB from Fortran to C order", need, |job| {
        read_orders(job, size)
    });
    bench.case_in_memory("memory.read.records", "peak memory: read 256 MiB of records", need, |job| read_records(job, size));
    bench.case_in_memory("memory.read.archive", "peak memory: read 256 MiB from an archive", need, |job| read_archive(job, size));
    bench.case_in_memory("memory.stream", "peak memory: read and write 256 MiB in parts", need, |job| stream(job, size));
}

fn read_numbers(job: &Job<'_>, size: usize) -> Outcome {
    let [path, big] = ["array.npy", "big.npy"].map(|name| job.directory.file(name));
    let items = Random::new(1).uniforms(size / 8);
    npy_core::save(&path, &items).unwrap();
    save_as(&big, ">f8", &[items.len()], &items);
    drop(items);
    let two = ReadOptions::new().threads(2);

    let mut case = case_of(job, size);
    let names = ["load", "load, 2 threads", "load of big-endian", "load of big-endian, 2 threads", "DynArray"];
    case.ours(names[0], || drop(black_box(npy_core::load::<f64>(&path).unwrap())));
    case.variant(names[1], || drop(black_box(npy_core::load_with::<f64>(&path, two).unwrap())));
    case.ours(names[2], || drop(black_box(npy_core::load::<f64>(&big).unwrap())));
    case.variant(names[3], || drop(black_box(npy_core::load_with::<f64>(&big, two).unwrap())));
    case.ours(names[4], || drop(black_box(DynArray::load_npy(&path).unwrap())));
    case.peer(NDARRAY_NPY, || drop(black_box(ndarray_npy::read_npy::<_, Array1<f64>>(&path).unwrap())));
    case.peer(NPYZ, || drop(black_box(read_npyz::<f64>(&path))));
    case.targets(names.map(|name| Target::factor(name, MOST, RESULT)));
    case.measure()
}

fn read_orders(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("array.npy");
    let columns = size / 8 / 4096;
    Array2::from_shape_vec((4096, columns).f(), Random::new(1).uniforms(4096 * columns)).unwrap().save_npy(&path).unwrap();
    let [one, two] = [1, 2].map(|threads| ReadOptions::new().order(Order::C).threads(threads));

    let mut case = case_of(job, size);
    let names = ["load_npy_with, order C", "load_npy_with, order C, 2 threads"];
    case.ours(names[0], || drop(black_box(Array2::<f64>::load_npy_with(&path, one).unwrap())));
    case.variant(names[1], || drop(black_box(Array2::<f64>::load_npy_with(&path, two).unwrap())));
    case.peer(NDARRAY_NPY, || {
        let array: Array2<f64> = ndarray_npy::read_npy(&path).unwrap();
        drop(black_box(array.as_standard_layout().into_owned()));
    });
    case.targets(names.map(|name| Target::factor(name, MOST, RESULT)));
    case.measure()
}

fn read_records(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("records.npy");
    let count = size / size_of::<Sample>();
    npy_core::save(&path, &vec![sample(); count]).unwrap();
    let two = ReadOptions::new().threads(2);

    let mut case = case_of(job, count * size_of::<Sample>());
    let names = ["load", "load, 2 threads"];
    case.ours(names[0], || drop(black_box(npy_core::load::<Sample>(&path).unwrap())));
    case.variant(names[1], || drop(black_box(npy_core::load_with::<Sample>(&path, two).unwrap())));
    case.targets(names.map(|name| Target::factor(name, MOST, RESULT)));
    case.measure()
}

fn read_archive(job: &Job<'_>, size: usize) -> Outcome {
    let [stored, deflated] = ["stored.npz", "deflated.npz"].map(|name| job.directory.file(name));
    let items: Vec<u64> = (0..size as u64 / 8).collect();
    for (path, is_compressed) in [(&stored, false), (&deflated, true)] {
        let mut archive = NpzWriter::create(path).unwrap();
        archive.set_options(archive.options().compressed(is_compressed));
        archive.set_options(archive.options().level(1));
        archive.add_slice("items", &items).unwrap();
        archive.finish().unwrap();
    }
    drop(items);

    let mut case = case_of(job, size);
    let names = ["stored", "deflated"];
    for (name, path) in names.into_iter().zip([&stored, &deflated]) {
        case.ours(name, move || drop(black_box(NpzReader::open(path).unwrap().by_name::<u64>("items").unwrap())));
    }
    case.peer(NDARRAY_NPY, || {
        let mut archive = ndarray_npy::NpzReader::new(File::open(&deflated).unwrap()).unwrap();
        drop(black_box(archive.by_name::<ndarray::OwnedRepr<u64>, ndarray::Ix1>("items").unwrap()));
    });
    case.targets(names.map(|name| Target::factor(name, MOST, RESULT)));
    case.measure()
}

fn stream(job: &Job<'_>, size: usize) -> Outcome {
    let [path, copy] = ["array.npy", "copy.npy"].map(|name| job.directory.file(name));
    npy_core::save(&path, &Random::new(1).uniforms(size / 8)).unwrap();

    let mut case = job.case();
    case.rounds(3);
    case.measure_memory();
    let names = ["for_each_chunk", "records", "chunks, copied to another file"];
    case.ours(names[0], || {
        let mut sum = 0.0;
        let add = |chunk: &[f64]| {
            sum += chunk.iter().sum::<f64>();
            Ok(())
        };
        NpyReader::open(&path).unwrap().for_each_chunk(add).unwrap();
        black_box(sum);
    });
    case.ours(names[1], || {
        black_box(NpyReader::open(&path).unwrap().records::<f64>().map(Result::unwrap).sum::<f64>());
    });
    case.ours(names[2], || {
        let mut writer = NpyWriter::<f64, _>::with_len(File::create(&copy).unwrap(), size / 8).unwrap();
        for chunk in NpyReader::open(&path).unwrap().chunks::<f64>(10_000) {
            writer.write_slice(&chunk.unwrap()).unwrap();
        }
        writer.finish().unwrap();
    });
    case.limit(QUARTER, || drop(black_box(vec![1_u8; 64 * MIB])));
    case.targets(names.map(|name| Target::factor(name, 0.1, QUARTER)));
    case.measure()
}

/// Creates a case whose limit is an allocation of the size of the result.
fn case_of<'a>(job: &Job<'_>, size: usize) -> Case<'a> {
    let mut case = job.case();
    case.rounds(3);
    case.measure_memory();
    case.limit(RESULT, move || drop(black_box(vec![1_u8; size])));
    case
}

//! Compressing an array, by the kind of its data, at one thread.

use std::fs::{self, File};
use std::io::Write;

use ndarray::ArrayView1;
use npy_core::npz::NpzWriter;
use npy_core::{NpyElement, Order};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{MIB, bytes};
use crate::harness::bench::{Bench, Job};
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;
use crate::peers::NDARRAY_NPY;

const WRITE: &str = "NpzWriter";
const NP_SAVEZ_COMPRESSED: &str = "np.savez_compressed";
const ZIP: &str = "zip";

pub(super) fn run(bench: &mut Bench) {
    let size = bench.size(16 * MIB, MIB / 4);
    let need = Need::of(bytes(3, size), bytes(4, size));
    let mut case = |name: &str, title: &str, run: fn(&Job<'_>, usize) -> Outcome| {
        bench.case_in_memory(&format!("compress.{name}"), &format!("deflate 16 MiB of {title}"), need, |job| run(job, size));
    };
    case("walk", "a random walk of i32", |job, size| {
        let (mut random, mut value) = (Random::new(1), 0_i32);
        let step = |_| {
            value += i32::try_from(random.integer() % 201).unwrap() - 100;
            value
        };
        of_kind(job, &(0..size / 4).map(step).collect::<Vec<_>>())
    });
    case("rounded", "f64 of three digits", |job, size| {
        let mut random = Random::new(2);
        of_kind(job, &(0..size / 8).map(|_| (random.uniform() * 1e3).round() / 1e3).collect::<Vec<_>>())
    });
    case("noise", "f64 of the normal distribution", |job, size| {
        let mut random = Random::new(3);
        of_kind(job, &(0..size / 8).map(|_| random.normal()).collect::<Vec<_>>())
    });
    case("sparse", "f64 of which one in a hundred is not zero", |job, size| {
        let mut random = Random::new(4);
        of_kind(
            job,
            &(0..size / 8).map(|_| if random.integer().is_multiple_of(100) { random.uniform() } else { 0.0 }).collect::<Vec<_>>(),
        )
    });
    case("zeros", "zeros", |job, size| of_kind(job, &vec![0_u8; size]));
    case("text", "records of text", |job, size| {
        let mut random = Random::new(5);
        let mut text = Vec::with_capacity(size + 64);
        while text.len() < size {
            let (station, phase) = (random.integer() % 80, if random.integer().is_multiple_of(3) { "Sg" } else { "Pn" });
            let _ = writeln!(text, "ST{station:02} {phase} {:8.3}", random.uniform() * 3600.0);
        }
        text.truncate(size);
        of_kind(job, &text)
    });
    case("images", "images of u8", |job, size| {
        let mut random = Random::new(6);
        let pixel = |i: usize| {
            let grain = random.integer() % 32;
            ((i % 1024 / 8 + i / 1024 % 1024 / 8 + i / MIB * 5) as u64 + grain / 29).to_le_bytes()[0]
        };
        of_kind(job, &(0..size).map(pixel).collect::<Vec<_>>())
    });
}

fn of_kind<T: NpyElement + ndarray_npy::WritableElement + Copy>(job: &Job<'_>, items: &[T]) -> Outcome {
    let path = job.directory.file("archive.npz");
    {
        let mut archive = NpzWriter::create(&path).unwrap();
        archive.add_slice("x", items).unwrap();
        archive.finish().unwrap();
        job.numpy.set_path("path", &path);
        job.numpy.run("x = np.load(path)['x']");
        fs::remove_file(&path).unwrap();
    }
    let header = npy_core::Header::new(T::dtype(), Order::C, &[items.len()]).unwrap();
    let mut npy = header.to_bytes();
    npy_core::write(&mut npy, items).unwrap();
    let npy = &npy[header.to_bytes().len()..];

    let mut case = job.case();
    case.after_each(|| {
        let size = fs::metadata(&path).unwrap().len();
        fs::remove_file(&path).unwrap();
        format!("{size} bytes")
    });
    case.numpy(job.numpy, NP_SAVEZ_COMPRESSED, "np.savez_compressed(path, x=x)");
    case.ours(WRITE, || {
        let mut archive = NpzWriter::create_compressed(&path).unwrap();
        archive.add_slice("x", items).unwrap();
        archive.finish().unwrap();
    });
    case.peer(NDARRAY_NPY, || {
        let mut archive = ndarray_npy::NpzWriter::new_compressed(File::create(&path).unwrap());
        archive.add_array("x", &ArrayView1::from(items)).unwrap();
        archive.finish().unwrap();
    });
    case.peer(ZIP, || {
        let mut archive = ZipWriter::new(File::create(&path).unwrap());
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).compression_level(Some(6));
        archive.start_file("x.npy", options).unwrap();
        archive.write_all(npy).unwrap();
        archive.finish().unwrap();
    });
    case.targets([
        Target::factor(WRITE, 1.0, NP_SAVEZ_COMPRESSED),
        Target::factor(WRITE, 1.0, NDARRAY_NPY),
        Target::factor(WRITE, 1.0, ZIP),
    ]);
    case.measure()
}

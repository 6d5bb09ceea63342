//! Archives (`.npz`), stored and deflated.
//!
//! All Rust peers use `zlib-rs`, even npyz, whose own choice is slower: Cargo builds `flate2` once.

use std::any::Any;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use libdeflater::Decompressor;
use ndarray::Array1;
use npy_core::npz::{NpzReader, NpzWriter};
use npy_ndarray::{NpzArchive, ReadOptions};
use npyz::WriterBuilder;
use npyz::zip::CompressionMethod;
use npyz::zip::write::FileOptions;

use super::{MIB, bytes, file_size, from_page};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::Case;
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;
use crate::peers::zip_by_hand::ZipByHand;
use crate::peers::{NDARRAY_NPY, NPYZ, read_over, write_bytes};

const NP_LOAD: &str = "np.load";
const NP_SAVEZ: &str = "np.savez";
const NP_SAVEZ_COMPRESSED: &str = "np.savez_compressed";
const READ: &str = "NpzReader";
const READ_2: &str = "NpzReader, 2 threads";
const READ_ZIP: &str = "zip";
const LIBDEFLATE: &str = "libdeflate, from and into warm buffers";
const WRITE: &str = "NpzWriter";
const WRITE_2: &str = "NpzWriter, 2 threads";
const PLAIN_WRITE: &str = "write(2)";

pub(super) fn run(bench: &mut Bench) {
    let size = bench.size(32 * MIB, MIB);
    let need = Need::of(bytes(3, 4 * size), bytes(6, 4 * size));
    bench.case("archives.read.stored", "read an archive of four members, 128 MiB, stored", need, |job| read(job, size, None));
    bench
        .case("archives.read.deflated", "read an archive of four members, 128 MiB, deflated", need, |job| read(job, size, Some(6)));
    let title = "read one member of an archive, 32 MiB of noise, deflated";
    bench.case("archives.read.one", title, need, |job| read_one(job, size));
    let count = bench.size(100_000, 1_000);
    bench.case_in_memory("archives.read.many", "read 100,000 members of three numbers, stored", need, |job| read_many(job, count));
    bench.case("archives.write.stored", "write four members, 128 MiB, to a new archive", need, |job| write_stored(job, size));
    let title = "write four members, 128 MiB, to a new archive, deflated, at level 6 unless another is named";
    bench.case("archives.write.deflated", title, need, |job| write_deflated(job, size));
    let title = "write 32 MiB of noise to a new archive, deflated";
    bench.case("archives.write.noise", title, need, |job| write_noise(job, size));
    let title = "write 512 members of 64 KiB to a new archive, deflated";
    bench.case("archives.write.small", title, need, |job| write_small(job, size));
}

fn read(job: &Job<'_>, size: usize, level: Option<u32>) -> Outcome {
    let path = job.directory.file("archive.npz");
    write_ours(&path, &Arrays::new(size), level, 1);
    job.numpy.set_path("path", &path);
    job.numpy.define("def read():\n with np.load(path) as archive: return [archive[name] for name in archive.files]");
    let mut memory = Vec::new();
    let buffer = from_page(&mut memory, file_size(&path));

    let mut case = job.case();
    case.measure_second_runs();
    case.numpy(job.numpy, NP_LOAD, "read()");
    case.ours(READ, || drop(black_box(read_ours(&path))));
    case.ours("NpzArchive of a struct", || drop(black_box(Arrays::load_npz(&path).unwrap())));
    case.variant(READ_2, || drop(black_box(read_ours_by_threads(&path, 2))));
    let options = ReadOptions::new().threads(2);
    case.variant("NpzArchive of a struct, 2 threads", || drop(black_box(Arrays::load_npz_with(&path, options).unwrap())));
    case.peer(NDARRAY_NPY, || drop(black_box(read_ndarray_npy(&path))));
    case.peer(NPYZ, || drop(black_box(read_npyz(&path))));
    case.peer(READ_ZIP, || drop(black_box(read_zip(&path))));
    // The first limit is that of the tables.
    if level.is_some() {
        add_libdeflate(&mut case, &path);
    }
    case.limit("read(2) of the archive into a warm buffer", || read_over(&path, buffer));
    if level.is_none() {
        case.targets([
            Target::factor(READ, job.directory.either(0.42, 0.53), NP_LOAD),
            Target::factor(READ_2, 0.3, NP_LOAD),
            Target::speedup(READ, 2.6, READ_ZIP),
            Target::speedup(READ, 2.6, NDARRAY_NPY),
        ]);
    } else {
        case.targets([
            Target::factor(READ, 0.55, NP_LOAD),
            Target::factor(READ_2, 0.3, NP_LOAD),
            Target::speedup(READ, 1.37, NDARRAY_NPY),
            Target::speedup(READ, 7.5, NPYZ),
            Target::factor(READ, 1.12, LIBDEFLATE),
        ]);
    }
    case.measure()
}

/// Reads one member. Two threads inflate blocks of it.
fn read_one(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("archive.npz");
    let mut archive = NpzWriter::create_compressed(&path).unwrap();
    archive.add_slice("noise", Arrays::new(size).noise.as_slice().unwrap()).unwrap();
    archive.finish().unwrap();
    job.numpy.set_path("path", &path);
    job.numpy.define("def read():\n with np.load(path) as archive: return archive['noise']");
    let read = |threads| {
        let mut archive = NpzReader::open(&path).unwrap();
        archive.set_threads(threads);
        drop(black_box(archive.by_name::<f64>("noise").unwrap()));
    };

    let mut case = job.case();
    case.measure_second_runs();
    case.numpy(job.numpy, NP_LOAD, "read()");
    case.ours(READ, || read(1));
    case.variant(READ_2, || read(2));
    case.peer(NDARRAY_NPY, || {
        let mut archive = ndarray_npy::NpzReader::new(File::open(&path).unwrap()).unwrap();
        let noise: Array1<f64> = archive.by_name("noise").unwrap();
        drop(black_box(noise));
    });
    case.peer(READ_ZIP, || drop(black_box(ZipByHand::open(&path).elements("noise", f64::from_le_bytes))));
    add_libdeflate(&mut case, &path);
    case.targets([
        Target::factor(READ, 0.55, NP_LOAD),
        Target::factor(READ_2, 0.3, NP_LOAD),
        Target::factor(READ_2, 0.52, READ),
        Target::factor(READ, 1.12, LIBDEFLATE),
    ]);
    case.measure()
}

/// Reads many small members, which costs what finds and opens them.
fn read_many(job: &Job<'_>, count: usize) -> Outcome {
    let path = job.directory.file("archive.npz");
    let mut archive = NpzWriter::create(&path).unwrap();
    for index in 0..count {
        archive.add_slice(&format!("x{index}"), &[0.5_f64, 1.5, 2.5]).unwrap();
    }
    archive.finish().unwrap();
    job.numpy.set_path("path", &path);
    job.numpy.define("def read():\n with np.load(path) as archive: return [archive[name] for name in archive.files]");

    let mut case = job.case();
    case.units(u32::try_from(count).unwrap(), "member");
    case.numpy(job.numpy, NP_LOAD, "read()");
    case.ours(READ, || {
        let mut archive = NpzReader::open(&path).unwrap();
        (0..archive.len()).for_each(|index| drop(black_box(archive.by_index::<f64>(index).unwrap())));
    });
    case.peer(READ_ZIP, || {
        let mut archive = ZipByHand::open(&path);
        (0..count).for_each(|index| drop(black_box(archive.elements(&format!("x{index}"), f64::from_le_bytes))));
    });
    case.targets([Target::factor(READ, 1.0, READ_ZIP)]);
    case.measure()
}

fn write_stored(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("archive.npz");
    let arrays = Arrays::new(size);
    let file = give_to_numpy(job, &path, &arrays);

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.measure_second_runs();
    case.after_each(|| take_size(&path));
    case.numpy(job.numpy, NP_SAVEZ, "np.savez(path, **arrays)");
    case.ours(WRITE, || write_ours(&path, &arrays, None, 1));
    case.ours("NpzWriter, in place", || write_ours_into(File::create(&path).unwrap(), &arrays));
    case.peer(NDARRAY_NPY, || write_ndarray_npy(&path, &arrays, false));
    case.peer(NPYZ, || write_npyz(&path, &arrays, false));
    case.limit(PLAIN_WRITE, || write_bytes(&path, &file));
    case.targets([Target::factor(WRITE, 1.1, PLAIN_WRITE)]);
    case.targets((!job.directory.is_in_memory()).then(|| Target::factor(WRITE, 0.5, NP_SAVEZ)));
    case.measure()
}

fn write_deflated(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("archive.npz");
    let arrays = Arrays::new(size);
    give_to_numpy(job, &path, &arrays);

    let mut case = job.case();
    case.sync_before_each(job.directory);
    // Some contenders take ten seconds; in memory, their rounds differ by 3 %.
    case.rounds(job.directory.either(3, 2));
    case.after_each(|| take_size(&path));
    case.numpy(job.numpy, NP_SAVEZ_COMPRESSED, "np.savez_compressed(path, **arrays)");
    case.ours(WRITE, || write_ours(&path, &arrays, Some(6), 1));
    case.variant(WRITE_2, || write_ours(&path, &arrays, Some(6), 2));
    for (level, name, of_two) in
        [(2, "NpzWriter, level 2", "NpzWriter, level 2, 2 threads"), (3, "NpzWriter, level 3", "NpzWriter, level 3, 2 threads")]
    {
        let (path, arrays) = (&path, &arrays);
        case.variant(name, move || write_ours(path, arrays, Some(level), 1));
        case.variant(of_two, move || write_ours(path, arrays, Some(level), 2));
    }
    case.peer(NDARRAY_NPY, || write_ndarray_npy(&path, &arrays, true));
    case.peer(NPYZ, || write_npyz(&path, &arrays, true));
    case.targets([Target::factor(WRITE_2, 0.25, NP_SAVEZ_COMPRESSED), Target::factor(WRITE_2, 0.08, NP_SAVEZ_COMPRESSED)]);
    case.measure()
}

fn write_noise(job: &Job<'_>, size: usize) -> Outcome {
    let path = job.directory.file("archive.npz");
    let arrays = Arrays::new(size);
    give_to_numpy(job, &path, &arrays);
    let noise = arrays.noise.as_slice().unwrap();
    let write = |threads| {
        let mut archive = NpzWriter::create_compressed(&path).unwrap();
        archive.set_options(archive.options().threads(threads));
        archive.add_slice("noise", noise).unwrap();
        archive.finish().unwrap();
    };

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.rounds(3);
    case.after_each(|| take_size(&path));
    case.numpy(job.numpy, NP_SAVEZ_COMPRESSED, "np.savez_compressed(path, noise=arrays['noise'])");
    case.ours(WRITE, || write(1));
    case.variant(WRITE_2, || write(2));
    case.targets([Target::factor(WRITE, 0.03, NP_SAVEZ_COMPRESSED)]);
    case.measure()
}

/// Writes members smaller than a block: two threads gain only by compressing several at once.
fn write_small(job: &Job<'_>, size: usize) -> Outcome {
    const ITEMS: usize = 8 * 1024;
    let path = job.directory.file("archive.npz");
    let arrays = Arrays::new(size);
    give_to_numpy(job, &path, &arrays);
    job.numpy.run("small = {f'x{i}': part for i, part in enumerate(arrays['walk'].reshape(-1, 8192))}");
    let walk = arrays.walk.as_slice().unwrap();
    let write = |threads| {
        let mut archive = NpzWriter::create_compressed(&path).unwrap();
        archive.set_options(archive.options().threads(threads));
        for (i, part) in walk.chunks(ITEMS).enumerate() {
            archive.add_slice(&format!("x{i}"), part).unwrap();
        }
        archive.finish().unwrap();
    };

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.rounds(3);
    case.after_each(|| take_size(&path));
    case.numpy(job.numpy, NP_SAVEZ_COMPRESSED, "np.savez_compressed(path, **small)");
    case.ours(WRITE, || write(1));
    case.variant(WRITE_2, || write(2));
    case.targets([Target::factor(WRITE_2, 0.55, WRITE)]);
    case.measure()
}

/// The arrays of an archive.
#[derive(NpzArchive)]
struct Arrays {
    noise: Array1<f64>,
    ints: Array1<i64>,
    walk: Array1<f64>,
    images: Array1<u8>,
}

impl Arrays {
    /// Creates arrays of `size` bytes each.
    fn new(size: usize) -> Self {
        let mut random = Random::new(1);
        let mut value = 0.0;
        Self {
            noise: Array1::from_shape_simple_fn(size / 8, || random.normal()),
            ints: Array1::from_shape_simple_fn(size / 8, || (random.integer() % 1000).cast_signed()),
            walk: Array1::from_shape_simple_fn(size / 8, || {
                value += random.uniform() - 0.5;
                (value * 64.0_f64).round() / 64.0
            }),
            // 1024 × 1024 each, brighter towards the lower right, with noise in every eighth pixel.
            images: Array1::from_shape_fn(size, |i| {
                let (x, y, image) = (i % 1024, i / 1024 % 1024, i / MIB);
                let noise = random.integer();
                let grain = if noise.is_multiple_of(8) { noise / 8 % 3 } else { 0 };
                ((x / 8 + y / 8 + image * 5) as u64 + grain).to_le_bytes()[0]
            }),
        }
    }
}

/// Defines `path`, and `arrays` in memory. Returns the bytes of the stored archive.
fn give_to_numpy(job: &Job<'_>, path: &Path, arrays: &Arrays) -> Vec<u8> {
    write_ours(path, arrays, None, 1);
    job.numpy.set_path("path", path);
    job.numpy.run("arrays = dict(np.load(path))");
    let file = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    file
}

/// Removes the file and returns its size as a remark.
fn take_size(path: &Path) -> String {
    let bytes = fs::metadata(path).unwrap().len();
    fs::remove_file(path).unwrap();
    format!("{bytes} bytes")
}

fn read_ndarray_npy(path: &Path) -> Arrays {
    let mut archive = ndarray_npy::NpzReader::new(File::open(path).unwrap()).unwrap();
    Arrays {
        noise: archive.by_name("noise").unwrap(),
        ints: archive.by_name("ints").unwrap(),
        walk: archive.by_name("walk").unwrap(),
        images: archive.by_name("images").unwrap(),
    }
}

fn read_zip(path: &Path) -> Arrays {
    let mut archive = ZipByHand::open(path);
    Arrays {
        noise: archive.elements("noise", f64::from_le_bytes).into(),
        ints: archive.elements("ints", i64::from_le_bytes).into(),
        walk: archive.elements("walk", f64::from_le_bytes).into(),
        images: archive.elements("images", u8::from_le_bytes).into(),
    }
}

/// Adds libdeflate, inflating all members one after another.
fn add_libdeflate(case: &mut Case<'_>, path: &Path) {
    let mut archive = ZipByHand::open(path);
    let members: Vec<_> = (0..archive.count()).map(|index| archive.deflated(index)).collect();
    let mut inflater = Decompressor::new();
    let mut buffers: Vec<_> = members.iter().map(|member| vec![1; member.size()]).collect();
    case.limit(LIBDEFLATE, move || {
        for (member, buffer) in members.iter().zip(&mut buffers) {
            member.inflate_into(&mut inflater, black_box(buffer));
        }
    });
}

fn read_npyz(path: &Path) -> Arrays {
    fn array<T: npyz::Deserialize>(archive: &mut npyz::npz::NpzArchive<impl Read + Seek>, name: &str) -> Array1<T> {
        archive.by_name(name).unwrap().unwrap().into_vec().unwrap().into()
    }
    let mut archive = npyz::npz::NpzArchive::open(path).unwrap();
    Arrays {
        noise: array(&mut archive, "noise"),
        ints: array(&mut archive, "ints"),
        walk: array(&mut archive, "walk"),
        images: array(&mut archive, "images"),
    }
}

fn read_ours(path: &Path) -> Arrays {
    let mut archive = npy_ndarray::NpzReader::open(path).unwrap();
    Arrays {
        noise: archive.by_name("noise").unwrap(),
        ints: archive.by_name("ints").unwrap(),
        walk: archive.by_name("walk").unwrap(),
        images: archive.by_name("images").unwrap(),
    }
}

/// Reads by a queue: each thread takes the next array, with its own clone of the reader.
fn read_ours_by_threads(path: &Path, threads: usize) -> Vec<Box<dyn Any + Send>> {
    let archive = NpzReader::open(path).unwrap();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut archive = archive.clone();
        let mut arrays: Vec<Box<dyn Any + Send>> = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            match archive.name(index) {
                None => return arrays,
                Some("ints") => arrays.push(Box::new(archive.by_index::<i64>(index).unwrap())),
                Some("images") => arrays.push(Box::new(archive.by_index::<u8>(index).unwrap())),
                Some(_) => arrays.push(Box::new(archive.by_index::<f64>(index).unwrap())),
            }
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut arrays = work();
        arrays.extend(others.into_iter().flat_map(|other| other.join().unwrap()));
        arrays
    })
}

fn write_ndarray_npy(path: &Path, arrays: &Arrays, is_compressed: bool) {
    let file = File::create(path).unwrap();
    let mut archive = if is_compressed { ndarray_npy::NpzWriter::new_compressed(file) } else { ndarray_npy::NpzWriter::new(file) };
    archive.add_array("noise", &arrays.noise).unwrap();
    archive.add_array("ints", &arrays.ints).unwrap();
    archive.add_array("walk", &arrays.walk).unwrap();
    archive.add_array("images", &arrays.images).unwrap();
    archive.finish().unwrap();
}

fn write_npyz(path: &Path, arrays: &Arrays, is_compressed: bool) {
    fn add<T: npyz::AutoSerialize + Copy>(
        archive: &mut npyz::npz::NpzWriter<impl Write + Seek>,
        options: FileOptions,
        name: &str,
        array: &Array1<T>,
    ) {
        let builder = archive.array(name, options).unwrap().default_dtype().shape(&[array.len() as u64]);
        let mut writer = builder.begin_nd().unwrap();
        writer.extend(array.iter().copied()).unwrap();
        writer.finish().unwrap();
    }
    let method = if is_compressed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let options = FileOptions::default().compression_method(method);
    let mut archive = npyz::npz::NpzWriter::create(path).unwrap();
    add(&mut archive, options, "noise", &arrays.noise);
    add(&mut archive, options, "ints", &arrays.ints);
    add(&mut archive, options, "walk", &arrays.walk);
    add(&mut archive, options, "images", &arrays.images);
    archive.zip_writer().finish().unwrap();
}

/// Writes an archive, compressed if there is a level.
fn write_ours(path: &Path, arrays: &Arrays, level: Option<u32>, threads: usize) {
    let mut archive = NpzWriter::create(path).unwrap();
    archive.set_options(archive.options().compressed(level.is_some()));
    archive.set_options(archive.options().level(level.unwrap_or(6)));
    archive.set_options(archive.options().threads(threads));
    add_all(&mut archive, arrays);
    archive.finish().unwrap();
}

fn write_ours_into(file: File, arrays: &Arrays) {
    let mut archive = NpzWriter::new(file);
    add_all(&mut archive, arrays);
    archive.finish().unwrap();
}

fn add_all(archive: &mut NpzWriter<File>, arrays: &Arrays) {
    archive.add_slice("noise", arrays.noise.as_slice().unwrap()).unwrap();
    archive.add_slice("ints", arrays.ints.as_slice().unwrap()).unwrap();
    archive.add_slice("walk", arrays.walk.as_slice().unwrap()).unwrap();
    archive.add_slice("images", arrays.images.as_slice().unwrap()).unwrap();
}

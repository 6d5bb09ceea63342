//! Archives: `cargo bench -p npy-benches --bench npz -- [folder] [table]...`
//!
//! The folder is that of temporary files unless it is given, here or by `NPY_BENCH_FOLDER`; the tables are `read-stored`,
//! `read-deflated`, `write-stored` and `write-deflated`, all of them unless some are given. `NPY_BENCH_PYTHON` names a Python with NumPy.
//!
//! All peers of Rust decompress and compress by `zlib-rs` here, also npyz, whose own choice is slower: Cargo builds `flate2` once.

use std::any::Any;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ndarray::Array1;
use npy_benches::{Comparison, Folder, Worker, quote, require_memory};
use npy_core::npz::{NpzReader, NpzWriter};
use npyz::WriterBuilder;
use npyz::zip::CompressionMethod;
use npyz::zip::write::FileOptions;

const MIB: usize = 1 << 20;
/// Bytes of each of the four arrays.
const ARRAY_BYTES: usize = 32 * MIB;
/// What must be free on the disk and in memory: more than all files, and all arrays of this process and of NumPy's.
const LEAST_FREE: u64 = 1 << 30;

const NUMPY: &str = "NumPy";
const NDARRAY_NPY: &str = "ndarray-npy";
const NPYZ: &str = "npyz";
const BASES: [&str; 3] = [NUMPY, NDARRAY_NPY, NPYZ];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            println!("REFUSED to run: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    const TABLES: [&str; 4] = ["read-stored", "read-deflated", "write-stored", "write-deflated"];
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (tables, folders): (Vec<_>, Vec<_>) = arguments.partition(|argument| TABLES.contains(&argument.as_str()));
    let parent = folders.into_iter().next().map(PathBuf::from);
    let parent = parent.or_else(|| std::env::var_os("NPY_BENCH_FOLDER").map(PathBuf::from)).unwrap_or_else(std::env::temp_dir);
    let is_asked = |table: &str| tables.is_empty() || tables.iter().any(|other| other == table);

    require_memory(LEAST_FREE)?;
    let folder = Folder::create_in(&parent, LEAST_FREE)?;
    let mut bench = Bench::new(&folder);
    println!("four arrays of 32 MiB, in {}; ratios: median (least-most) of those within each round\n", parent.display());
    if is_asked("read-stored") {
        bench.read_stored();
    }
    if is_asked("read-deflated") {
        bench.read_deflated();
    }
    if is_asked("write-stored") {
        bench.write_stored();
    }
    if is_asked("write-deflated") {
        bench.write_deflated();
    }
    Ok(())
}

/// The arrays of an archive.
#[derive(Default)]
struct Arrays {
    noise: Array1<f64>,
    ints: Array1<i64>,
    walk: Array1<f64>,
    images: Array1<u8>,
}

impl Arrays {
    fn new() -> Self {
        let mut random = Random(1);
        let mut value = 0.0;
        Self {
            noise: Array1::from_shape_simple_fn(ARRAY_BYTES / 8, || random.normal()),
            ints: Array1::from_shape_simple_fn(ARRAY_BYTES / 8, || (random.next() % 1000) as i64),
            walk: Array1::from_shape_simple_fn(ARRAY_BYTES / 8, || {
                value += random.uniform() - 0.5;
                (value * 64.0).round() / 64.0
            }),
            // 1024 x 1024 each, brighter towards the lower right, with noise in every eighth pixel.
            images: Array1::from_shape_fn(ARRAY_BYTES, |i| {
                let (x, y, image) = (i % 1024, i / 1024 % 1024, i / MIB);
                let noise = random.next();
                let grain = if noise.is_multiple_of(8) { noise / 8 % 3 } else { 0 };
                ((x / 8 + y / 8 + image * 5) as u64 + grain) as u8
            }),
        }
    }
}

/// The same numbers in every run.
struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

struct Bench {
    arrays: Arrays,
    /// The archives to read, and the one that is written.
    stored: PathBuf,
    deflated: PathBuf,
    output: PathBuf,
    numpy: Option<Worker>,
}

impl Bench {
    fn new(folder: &Folder) -> Self {
        let [stored, deflated, output] = ["stored.npz", "deflated.npz", "output.npz"].map(|name| folder.path().join(name));
        let arrays = Arrays::new();
        write_ours(&stored, &arrays, None, 1);
        // Byte for byte those that NumPy would write.
        write_ours(&deflated, &arrays, Some(6), 1);
        let numpy = Worker::start().map(|mut numpy| {
            numpy.run(&format!("stored, deflated, output = {}, {}, {}", python(&stored), python(&deflated), python(&output)));
            numpy.run(
                r#"exec("def read(path):\n with np.load(path) as archive: return [archive[name] for name in archive.files]")"#,
            );
            numpy
        });
        Self { arrays, stored, deflated, output, numpy }
    }

    fn read_stored(&mut self) {
        let path = &self.stored;
        let mut warm = fs::read(path).unwrap();
        let mut comparison = Comparison::new("read stored", 9);
        comparison.measure_second_runs();
        if let Some(numpy) = &mut self.numpy {
            comparison.add(NUMPY, || numpy.run("read(stored)"));
        }
        add_readers(&mut comparison, path);
        comparison.add("read(2) into a warm buffer", || File::open(path).unwrap().read_exact(black_box(&mut warm)).unwrap());
        comparison.run(&BASES);
        println!();
    }

    fn read_deflated(&mut self) {
        let mut comparison = Comparison::new("read deflated", 7);
        comparison.measure_second_runs();
        if let Some(numpy) = &mut self.numpy {
            comparison.add(NUMPY, || numpy.run("read(deflated)"));
        }
        add_readers(&mut comparison, &self.deflated);
        comparison.run(&BASES);
        println!();
    }

    fn write_stored(&mut self) {
        let (arrays, output) = (&self.arrays, &*self.output);
        let bytes = fs::read(&self.stored).unwrap();
        let mut comparison = Comparison::new("write stored, to a new file", 9);
        comparison.measure_second_runs();
        comparison.after_each(|| take_size(output));
        if let Some(numpy) = &mut self.numpy {
            numpy.run("arrays = {name: array for name, array in zip(('noise', 'ints', 'walk', 'images'), read(stored))}");
            comparison.add(NUMPY, || numpy.run("np.savez(output, **arrays)"));
        }
        comparison.add(NDARRAY_NPY, || write_ndarray_npy(output, arrays, false));
        comparison.add(NPYZ, || write_npyz(output, arrays, false));
        comparison.add("ours", || write_ours(output, arrays, None, 1));
        comparison.add("ours, in place", || write_ours_into(File::create(output).unwrap(), arrays));
        comparison.add("std::fs::write of the same bytes", || fs::write(output, black_box(&bytes)).unwrap());
        comparison.run(&[NUMPY, NDARRAY_NPY, "std::fs::write of the same bytes"]);
        println!();
    }

    fn write_deflated(&mut self) {
        let (arrays, output) = (&self.arrays, &*self.output);
        let mut comparison = Comparison::new("write deflated, level 6 unless another is named", 3);
        comparison.after_each(|| take_size(output));
        if let Some(numpy) = &mut self.numpy {
            numpy.run("arrays = {name: array for name, array in zip(('noise', 'ints', 'walk', 'images'), read(stored))}");
            comparison.add(NUMPY, || numpy.run("np.savez_compressed(output, **arrays)"));
        }
        comparison.add(NDARRAY_NPY, || write_ndarray_npy(output, arrays, true));
        comparison.add(NPYZ, || write_npyz(output, arrays, true));
        for (level, threads) in [(6, 1), (6, 2), (2, 1), (2, 2), (3, 1), (3, 2)] {
            let name = if level == 6 { "ours".to_owned() } else { format!("ours, level {level}") };
            let name = if threads == 1 { name } else { format!("{name}, {threads} threads") };
            comparison.add(name, move || write_ours(output, arrays, Some(level), threads));
        }
        comparison.run(&BASES);
        println!();
    }
}

/// The size of the file that was written, which is removed.
fn take_size(path: &Path) -> String {
    let bytes = fs::metadata(path).unwrap().len();
    fs::remove_file(path).unwrap();
    format!("{bytes} bytes")
}

fn python(path: &Path) -> String {
    quote(path.to_str().unwrap())
}

/// Those that read all arrays of an archive, and let them go.
fn add_readers<'a>(comparison: &mut Comparison<'a>, path: &'a Path) {
    comparison.add(NDARRAY_NPY, || drop(black_box(read_ndarray_npy(path))));
    comparison.add(NPYZ, || drop(black_box(read_npyz(path))));
    comparison.add("ours", || drop(black_box(read_ours(path))));
    comparison.add("ours, 2 threads", || drop(black_box(read_ours_by_threads(path, 2))));
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

fn read_npyz(path: &Path) -> Arrays {
    fn array<T: npyz::Deserialize>(archive: &mut npyz::npz::NpzArchive<impl Read + std::io::Seek>, name: &str) -> Array1<T> {
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

/// Each thread reads the next array that none has begun, through a reader of its own.
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
        archive: &mut npyz::npz::NpzWriter<impl std::io::Write + std::io::Seek>,
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

/// Compressed if there is a level.
fn write_ours(path: &Path, arrays: &Arrays, level: Option<u32>, threads: usize) {
    let mut archive = NpzWriter::create(path).unwrap();
    archive.set_compressed(level.is_some());
    archive.set_level(level.unwrap_or(6));
    archive.set_threads(threads);
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

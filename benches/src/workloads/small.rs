//! Many small files: those of the `RawArray` paper, and images beside PNG.

use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ndarray::{Array, Array1, Array2, Array3, ArrayView, Dimension, IntoDimension};
use npy_ndarray::{ReadNpyExt, SaveOptions, WriteNpyExt};

use super::{Before, MIB};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::{Case, MOST_TIMES};
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;
use crate::peers::{
    Element, HDF5, NDARRAY_NPY, NPYZ, PNG, RAWARRAY, hdf5, read_npyz, read_over, read_png, read_rawarray, write_bytes, write_npyz,
    write_png,
};

const NP_LOAD: &str = "np.load";
const NP_SAVE: &str = "np.save";
const LOAD: &str = "load_npy";
const LOAD_2: &str = "load_npy, 2 threads";
const LOAD_FILE: &str = "File::open, load_npy_file";
const SAVE: &str = "save_npy";
const IN_PLACE: &str = "save_npy, in place";
const READ: &str = "open + read + close";
const WRITE: &str = "open + write + close";
const NEED: Need = Need::of(256 * MIB as u64, 512 * MIB as u64);

/// The rounds on a disk, where one lasts longer than in memory.
const ROUNDS_OF_NEW: usize = 11;

/// The most contenders that write files: with the limit, PNG and NumPy.
const WRITERS: usize = 8;

/// The number of different arrays, which the files repeat.
const ARRAYS: usize = 16;

/// The files of a case.
struct Files<A, D: Dimension> {
    /// The last part of the name of the case.
    name: &'static str,
    title: &'static str,
    /// How many files there are: fewer than in the paper, so that rounds stay short.
    count: usize,
    shape: D,
    make: fn(&mut Random, &D) -> Array<A, D>,
    /// The targets beside PNG as speedups: reading and writing.
    png: Option<(f64, f64)>,
}

pub(super) fn run(bench: &mut Bench) {
    run_cases(bench, |bench, files| files.run_reading_and_new(bench));
    // Last: it frees inodes, which slows files that are created thereafter.
    run_cases(bench, |bench, files| files.run_over(bench));
}

fn run_cases(bench: &mut Bench, run: impl Fn(&mut Bench, &dyn Cases)) {
    let count = bench.size(2000, 200);
    let vector = |random: &mut Random, shape: &_| Array1::from_shape_simple_fn(*shape, || f32_of(random));
    let matrix = |random: &mut Random, shape: &_| Array2::from_shape_simple_fn(*shape, || f32_of(random));
    let (shape, title) = (10.into_dimension(), "vectors of 10 f32");
    run(bench, &Files { name: "vector-10", title, count, shape, make: vector, png: None });
    let (shape, title) = ((10, 10).into_dimension(), "images of 10 × 10 f32");
    run(bench, &Files { name: "image-10x10", title, count, shape, make: matrix, png: None });
    let (shape, title) = ((28, 28).into_dimension(), "images of 28 × 28 u8, like those of MNIST");
    run(bench, &Files { name: "mnist-28x28", title, count, shape, make: digit, png: Some((1.85, 5.6)) });
    let (shape, title) = ((36, 36, 3).into_dimension(), "images of 36 × 36 × 3 u8, like those of CIFAR");
    run(bench, &Files { name: "cifar-36x36x3", title, count, shape, make: photo, png: Some((5.0, 8.0)) });
    let (shape, title, few) = ((10, 100_000).into_dimension(), "arrays of 10 × 100,000 f32", bench.size(20, 4));
    run(bench, &Files { name: "array-10x100000", title, count: few, shape, make: matrix, png: None });
}

/// The cases of files of any element type.
trait Cases {
    fn run_reading_and_new(&self, bench: &mut Bench);

    fn run_over(&self, bench: &mut Bench);
}

impl<A: Element + Pixels, D: Dimension> Cases for Files<A, D> {
    fn run_reading_and_new(&self, bench: &mut Bench) {
        let Self { name, title, count, .. } = self;
        bench.case(&format!("small.read.{name}"), &format!("read {count} {title}, each a file"), NEED, |job| self.read(job));
        let stay = if self.is_small() { WRITERS * count * (1 + MOST_TIMES * ROUNDS_OF_NEW) } else { 0 };
        let new = format!("write {count} {title}, each to a new file");
        bench.case(&format!("small.write.{name}.new"), &new, NEED.and_small_files(stay as u64), |job| {
            self.write(job, Before::Nothing)
        });
    }

    fn run_over(&self, bench: &mut Bench) {
        let Self { name, title, count, .. } = self;
        let over = format!("write {count} {title}, each over a file of the same size");
        bench.case(&format!("small.write.{name}.over"), &over, NEED, |job| self.write(job, Before::Same));
    }
}

impl<A: Element + Pixels, D: Dimension> Files<A, D> {
    fn read(&self, job: &Job<'_>) -> Outcome {
        let arrays = self.arrays();
        let [paths, raw, png, hdf5] = ["npy", "ra", "png", "h5"].map(|ending| self.paths(job, ending));
        for (i, array) in (0..self.count).zip(arrays.iter().cycle()) {
            array.save_npy(&paths[i]).unwrap();
            rawarray::RawArray::from(array.as_slice().unwrap().to_vec()).write(&raw[i]).unwrap();
            if self.png.is_some() {
                write_png(&png[i], array.shape(), A::pixels(array.as_slice().unwrap()));
            }
        }
        job.numpy.set_paths("paths", &paths);
        let mut buffer = vec![0; fs::read(&paths[0]).unwrap().len()];
        let load_file = |path: &Path| drop(black_box(Array::<A, D>::load_npy_file(File::open(path).unwrap()).unwrap()));

        let mut case = self.case(job);
        case.numpy(job.numpy, NP_LOAD, "for path in paths: np.load(path)");
        case.ours(LOAD, || for_each(&paths, load::<A, D>));
        case.variant(LOAD_2, || for_each_by_two(&paths, load::<A, D>));
        case.variant(LOAD_FILE, || for_each(&paths, load_file));
        case.peer(NDARRAY_NPY, || for_each(&paths, |path| drop(black_box(ndarray_npy::read_npy::<_, Array<A, D>>(path).unwrap()))));
        case.peer(NPYZ, || for_each(&paths, |path| drop(black_box(read_npyz::<A>(path)))));
        case.peer(RAWARRAY, || for_each(&raw, |path| drop(black_box(read_rawarray::<A>(path)))));
        case.peer_if_built(HDF5, hdf5::reader(&hdf5, arrays[0].as_slice().unwrap()));
        if self.png.is_some() {
            case.peer(PNG, || for_each(&png, |path| drop(black_box(read_png(path)))));
        }
        case.limit(READ, || for_each(&paths, |path| read_over(path, &mut buffer)));
        case.limit("std::fs::read", || for_each(&paths, |path| drop(black_box(fs::read(path).unwrap()))));
        if self.is_small() {
            case.targets([
                Target::factor(LOAD, 1.04, READ),
                Target::speedup(LOAD, 10.0, NP_LOAD),
                Target::speedup(LOAD, 6.5, NDARRAY_NPY),
                Target::speedup(LOAD, 6.5, NPYZ),
                Target::speedup(LOAD, 1.4, RAWARRAY),
                Target::speedup(LOAD, 14.0, HDF5),
                Target::factor(LOAD_2, 0.62, READ),
                Target::factor(LOAD_FILE, 1.04, READ),
            ]);
        }
        case.targets(self.png.map(|(reading, _)| Target::speedup(LOAD, reading, PNG)));
        case.measure()
    }

    fn write(&self, job: &Job<'_>, before: Before) -> Outcome {
        let is_new = before == Before::Nothing;
        let [paths, raw, png] = ["npy", "ra", "png"].map(|ending| self.paths(job, ending));
        let of_rawarray = self.arrays().into_iter().map(|array| rawarray::RawArray::from(array.into_raw_vec_and_offset().0));
        let of_rawarray: Vec<_> = of_rawarray.take(self.count).collect();
        // The same memory for all.
        let view = |array| ArrayView::from_shape(self.shape.clone(), rawarray::RawArray::data_as_ref(array)).unwrap();
        let arrays: Vec<_> = of_rawarray.iter().map(view).collect();
        let file_of = |(array, path): (&ArrayView<'_, A, D>, &PathBuf)| {
            array.save_npy(path).unwrap();
            fs::read(path).unwrap()
        };
        let files: Vec<_> = arrays.iter().zip(&paths).map(file_of).collect();
        job.numpy.set_paths("paths", &paths);
        job.numpy.run(&format!("arrays = [np.load(path) for path in paths[:{}]]", arrays.len()));
        job.numpy.run("from itertools import cycle");
        let of_all = || paths.iter().zip(arrays.iter().cycle());

        let mut case = self.case(job);
        case.sync_before_each(job.directory);
        if is_new {
            case.rounds(ROUNDS_OF_NEW);
        }
        if is_new && job.directory.is_in_memory() {
            // Contenders differ by less than rounds.
            case.rounds(41);
        }
        if is_new {
            case.after_each(|| {
                job.directory.clear();
                String::new()
            });
        }
        case.numpy(job.numpy, NP_SAVE, "for path, array in zip(paths, cycle(arrays)): np.save(path, array)");
        case.ours(SAVE, || of_all().for_each(|(path, array)| array.save_npy(path).unwrap()));
        let in_place = SaveOptions::new().in_place(true);
        case.ours(IN_PLACE, || of_all().for_each(|(path, array)| array.save_npy_with(path, in_place).unwrap()));
        case.peer(NDARRAY_NPY, || of_all().for_each(|(path, array)| ndarray_npy::write_npy(path, array).unwrap()));
        case.peer(NPYZ, || of_all().for_each(|(path, array)| write_npyz(path, array.shape(), array.as_slice().unwrap())));
        case.peer(RAWARRAY, || raw.iter().zip(of_rawarray.iter().cycle()).for_each(|(path, array)| array.write(path).unwrap()));
        if self.png.is_some() {
            case.peer(PNG, || {
                let pairs = png.iter().zip(arrays.iter().cycle());
                pairs.for_each(|(path, array)| write_png(path, array.shape(), A::pixels(array.as_slice().unwrap())));
            });
        }
        case.limit(WRITE, || paths.iter().zip(files.iter().cycle()).for_each(|(path, file)| write_bytes(path, file)));
        if self.is_small() && is_new {
            case.targets([Target::factor(IN_PLACE, 1.01, WRITE), Target::speedup(IN_PLACE, 2.1, NP_SAVE)]);
        }
        // Only ext4 flushes a file that was truncated and rewritten.
        if self.is_small() && !is_new && job.directory.file_system() == "ext4" {
            case.targets([NP_SAVE, NDARRAY_NPY, NPYZ, RAWARRAY].map(|peer| Target::factor(IN_PLACE, 0.05, peer)));
        }
        case.targets(self.png.filter(|_| is_new).map(|(_, writing)| Target::speedup(IN_PLACE, writing, PNG)));
        case.measure()
    }

    fn case<'a>(&self, job: &Job<'_>) -> Case<'a> {
        let mut case = job.case();
        case.units(u32::try_from(self.count).unwrap(), "file");
        case
    }

    fn arrays(&self) -> Vec<Array<A, D>> {
        let mut random = Random::new(1);
        (0..ARRAYS).map(|_| (self.make)(&mut random, &self.shape)).collect()
    }

    fn paths(&self, job: &Job<'_>, ending: &str) -> Vec<PathBuf> {
        (0..self.count).map(|i| job.directory.file(&format!("{i:05}.{ending}"))).collect()
    }

    /// Whether opening a file takes longer than reading it.
    fn is_small(&self) -> bool {
        self.shape.size() < 16 * 1024
    }
}

/// An element that may be a channel of an image.
trait Pixels: Sized {
    fn pixels(items: &[Self]) -> &[u8];
}

impl Pixels for u8 {
    fn pixels(items: &[Self]) -> &[u8] {
        items
    }
}

/// No case writes images of `f32`.
impl Pixels for f32 {
    fn pixels(_: &[Self]) -> &[u8] {
        &[]
    }
}

fn load<A: Element, D: Dimension>(path: &Path) {
    drop(black_box(Array::<A, D>::load_npy(path).unwrap()));
}

fn for_each(paths: &[PathBuf], mut run: impl FnMut(&Path)) {
    for path in paths {
        run(path);
    }
}

/// Runs two threads that take the next few files from a queue.
fn for_each_by_two(paths: &[PathBuf], run: impl Fn(&Path) + Sync) {
    const AT_ONCE: usize = 16;
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(rest) = paths.get(next.fetch_add(AT_ONCE, Ordering::Relaxed)..) {
            rest.iter().take(AT_ONCE).for_each(|path| run(path));
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
}

#[allow(clippy::cast_possible_truncation, reason = "any number will do")]
fn f32_of(random: &mut Random) -> f32 {
    random.uniform() as f32
}

/// A bright ring of random position and radius.
fn digit(random: &mut Random, shape: &ndarray::Ix2) -> Array2<u8> {
    let [x, y, radius] = [10.0, 10.0, 4.0].map(|least| least + 8.0 * random.uniform());
    Array2::from_shape_fn(*shape, |(i, j)| {
        let distance = (i as f64 - y).hypot(j as f64 - x) - radius;
        sample(255.0 * (2.0 - distance.abs()))
    })
}

/// Smooth colours, with some noise.
fn photo(random: &mut Random, shape: &ndarray::Ix3) -> Array3<u8> {
    let slopes = [0; 3].map(|_| random.uniform());
    Array3::from_shape_fn(*shape, |(i, j, k)| {
        let angle: f64 = slopes.iter().zip([i / 4, j / 6, k]).map(|(slope, step)| slope * step as f64).sum();
        sample(128.0 + 90.0 * angle.sin() + 6.0 * random.normal())
    })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is brighter than white is white")]
fn sample(brightness: f64) -> u8 {
    brightness as u8
}

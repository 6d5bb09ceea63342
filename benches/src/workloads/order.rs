//! Conversions while reading and writing: transposition, byte swap, validation of bools.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use ndarray::{Array1, Array2, ShapeBuilder};
use npy_core::{DynValues, Header, NpyElement};
use npy_ndarray::{Order, ReadNpyExt, ReadOptions, SaveOptions, WriteNpyExt};

use super::{MIB, bytes, in_huge_pages};
use crate::harness::bench::{Bench, Job};
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;
use crate::peers::{NDARRAY_NPY, NPYZ, read_npyz, write_allocated, write_bytes};

const LOAD: &str = "load_npy";
const LOAD_2: &str = "load_npy, 2 threads";
const PLAIN: &str = "load_npy of a native file in C order";
const NP_COPY: &str = "np.ascontiguousarray(np.load)";
const NP_MAPPED_COPY: &str = "np.ascontiguousarray(np.load(mmap_mode='r'))";
const NP_SAVE: &str = "np.save(np.ascontiguousarray)";
const NP_ASTYPE: &str = "np.load().astype";
const NP_NORMAL: &str = "np.load().view(np.uint8) != 0";
const LOAD_AS_IS: &str = "DynValues::load, bytes as they are";
const SAVE: &str = "save_npy_with, order C";
const SAVE_COPY: &str = "as_standard_layout().save_npy";
const ALLOCATED: &str = "fallocate + write(2)";
const WRITE: &str = "write(2)";

pub(super) fn run(bench: &mut Bench) {
    let rows = bench.size(8192, 512);
    let size = rows * rows * 8;
    let need = Need::of(bytes(2, size), bytes(6, size));
    let title = "read 8192 × 8192 f64 from Fortran order into C order";
    bench.case("order.read.fortran", title, need, |job| read_fortran(job, rows));
    let title = "write 8192 × 8192 f64 from Fortran order to a new file in C order";
    bench.case("order.write.fortran", title, need, |job| write_fortran(job, rows));
    bench.case("order.read.big-endian", "read 512 MiB of big-endian f64", need, |job| read_big_endian(job, size / 8));
    let size = bench.size(512 * MIB, 2 * MIB);
    let need = Need::of(bytes(2, size), bytes(6, size));
    let title = "read 512 MiB of bool: checked to be 0 or 1, or unchecked by np.load and DynValues::load";
    bench.case("order.read.bool", title, need, |job| read_bool(job, size));
}

fn read_fortran(job: &Job<'_>, side: usize) -> Outcome {
    let [path, plain] = ["fortran.npy", "c.npy"].map(|name| job.directory.file(name));
    Array2::from_shape_vec((side, side).f(), Random::new(1).uniforms(side * side)).unwrap().save_npy(&path).unwrap();
    save_as(&plain, "<f8", &[side, side], &vec![0.5_f64; side * side]);
    job.numpy.set_path("path", &path);

    let mut case = job.case();
    case.measure_second_runs();
    case.numpy(job.numpy, NP_COPY, "np.ascontiguousarray(np.load(path))");
    case.numpy(job.numpy, NP_MAPPED_COPY, "np.ascontiguousarray(np.load(path, mmap_mode='r'))");
    let options = ReadOptions::new().order(Order::C);
    case.ours(LOAD, || drop(black_box(Array2::<f64>::load_npy_with(&path, options).unwrap())));
    case.variant(LOAD_2, || drop(black_box(Array2::<f64>::load_npy_with(&path, options.threads(2)).unwrap())));
    case.peer(NDARRAY_NPY, || {
        let array: Array2<f64> = ndarray_npy::read_npy(&path).unwrap();
        drop(black_box(array.as_standard_layout().into_owned()));
    });
    case.peer(NPYZ, || {
        let array = Array2::from_shape_vec((side, side).f(), read_npyz::<f64>(&path)).unwrap();
        drop(black_box(array.as_standard_layout().into_owned()));
    });
    case.limit(PLAIN, || drop(black_box(Array2::<f64>::load_npy(&plain).unwrap())));
    case.targets([
        Target::factor(LOAD, 1.75, PLAIN),
        Target::factor_of_fastest(LOAD, 4.9_f64.recip(), &[NP_COPY, NP_MAPPED_COPY]),
        Target::factor(LOAD_2, 1.2, PLAIN),
        Target::factor_of_fastest(LOAD_2, 7.5_f64.recip(), &[NP_COPY, NP_MAPPED_COPY]),
    ]);
    case.measure()
}

fn write_fortran(job: &Job<'_>, side: usize) -> Outcome {
    let path = job.directory.file("array.npy");
    let array = Array2::from_shape_vec((side, side).f(), in_huge_pages(job, &Random::new(1).uniforms(side * side))).unwrap();
    array.save_npy(&path).unwrap();
    job.numpy.set_path("path", &path);
    job.numpy.run("array = np.load(path)");
    let file = in_huge_pages(job, &fs::read(&path).unwrap());
    fs::remove_file(&path).unwrap();

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.measure_second_runs();
    case.after_each(|| {
        fs::remove_file(&path).unwrap();
        String::new()
    });
    case.numpy(job.numpy, NP_SAVE, "np.save(path, np.ascontiguousarray(array))");
    let options = SaveOptions::new().order(Order::C);
    case.ours(SAVE, || array.save_npy_with(&path, options).unwrap());
    case.variant(SAVE_COPY, || array.as_standard_layout().save_npy(&path).unwrap());
    case.peer(NDARRAY_NPY, || ndarray_npy::write_npy(&path, &array.as_standard_layout()).unwrap());
    case.limit(ALLOCATED, || write_allocated(&path, &file));
    case.limit(WRITE, || write_bytes(&path, &file));
    case.targets([
        Target::factor_of_fastest(SAVE, 1.3, &[ALLOCATED, WRITE]),
        Target::speedup(SAVE, job.directory.either(6.5, 3.0), NP_SAVE),
    ]);
    case.measure()
}

fn read_big_endian(job: &Job<'_>, count: usize) -> Outcome {
    let [path, plain] = ["big.npy", "native.npy"].map(|name| job.directory.file(name));
    let items = Random::new(1).uniforms(count);
    save_as(&path, ">f8", &[count], &items);
    npy_core::save(&plain, &items).unwrap();
    drop(items);
    job.numpy.set_path("path", &path);

    let mut case = job.case();
    case.measure_second_runs();
    case.numpy(job.numpy, NP_ASTYPE, "np.load(path).astype('=f8')");
    case.ours(LOAD, || drop(black_box(Array1::<f64>::load_npy(&path).unwrap())));
    let by_two = ReadOptions::new().threads(2);
    case.variant(LOAD_2, || drop(black_box(Array1::<f64>::load_npy_with(&path, by_two).unwrap())));
    case.peer(NDARRAY_NPY, || drop(black_box(ndarray_npy::read_npy::<_, Array1<f64>>(&path).unwrap())));
    case.peer(NPYZ, || drop(black_box(read_npyz::<f64>(&path))));
    case.limit(PLAIN, || drop(black_box(Array1::<f64>::load_npy(&plain).unwrap())));
    case.targets([
        Target::factor(LOAD, 1.08, PLAIN),
        Target::factor(LOAD, 0.46, NP_ASTYPE),
        Target::factor(LOAD, 0.17, NDARRAY_NPY),
        Target::factor(LOAD_2, 0.92, PLAIN),
    ]);
    case.measure()
}

fn read_bool(job: &Job<'_>, count: usize) -> Outcome {
    let [path, plain] = ["bool.npy", "u8.npy"].map(|name| job.directory.file(name));
    let mut random = Random::new(1);
    let items: Vec<_> = (0..count).map(|_| random.integer().is_multiple_of(2)).collect();
    npy_core::save(&path, &items).unwrap();
    drop(items);
    npy_core::save(&plain, &vec![1_u8; count]).unwrap();
    job.numpy.set_path("path", &path);

    let mut case = job.case();
    case.measure_second_runs();
    case.numpy(job.numpy, "np.load", "np.load(path)");
    case.numpy(job.numpy, NP_NORMAL, "np.load(path).view(np.uint8) != 0");
    case.ours(LOAD, || drop(black_box(Array1::<bool>::load_npy(&path).unwrap())));
    case.ours(LOAD_AS_IS, || drop(black_box(DynValues::load(&path).unwrap())));
    case.peer(NDARRAY_NPY, || drop(black_box(ndarray_npy::read_npy::<_, Array1<bool>>(&path).unwrap())));
    case.peer(NPYZ, || drop(black_box(read_npyz::<bool>(&path))));
    case.limit("load_npy as u8", || drop(black_box(Array1::<u8>::load_npy(&plain).unwrap())));
    case.targets([
        Target::factor(LOAD, 1.08, "load_npy as u8"),
        Target::factor(LOAD, 1.0, NP_NORMAL),
        Target::factor(LOAD_AS_IS, 1.0, "np.load"),
    ]);
    case.measure()
}

/// Saves items with a dtype that may have the other byte order.
pub(super) fn save_as<T: NpyElement>(path: &Path, descr: &str, shape: &[usize], items: &[T]) {
    let header = Header::new(descr.parse().unwrap(), Order::C, shape).unwrap();
    let mut writer = npy_core::NpyWriter::with_header(fs::File::create(path).unwrap(), &header).unwrap();
    writer.write_slice(items).unwrap();
    writer.finish().unwrap();
}

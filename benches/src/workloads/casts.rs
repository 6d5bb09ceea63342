//! Casts between all types of numbers: as `astype` does them, and only where every value stays the same.

use std::hint::black_box;

use npy_core::half::f16;
use npy_core::num_complex::Complex;
use npy_core::{Casting, DynValues, NpyNumber};

use super::{MIB, bytes};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::Case;
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;

pub(super) fn run(bench: &mut Bench) {
    let count = bench.size(4 * MIB, MIB / 64);
    let need = Need::of(bytes(1, count), bytes(60, count));
    macro_rules! case {
        ($($name:literal $type:ty,)*) => {$(
            let title = concat!("cast 4 Mi of ", $name, " in memory to each type of numbers");
            bench.case_in_memory(concat!("casts.", $name), title, need, |job| cast_all::<$type>(job, count));
        )*};
    }
    case! {
        "b1" bool, "u1" u8, "i1" i8, "u2" u16, "i2" i16, "u4" u32, "i4" i32, "u8" u64, "i8" i64,
        "f2" f16, "f4" f32, "f8" f64, "c8" Complex<f32>, "c16" Complex<f64>,
    }
}

fn cast_all<S: NpyNumber>(job: &Job<'_>, count: usize) -> Outcome {
    let mut random = Random::new(1);
    let mut below = |end: u64| {
        let numbers: Vec<u8> = (0..count).map(|_| (random.integer() >> 32).checked_rem(end).unwrap().to_le_bytes()[0]).collect();
        let numbers = DynValues::from_slice(&numbers).unwrap().cast::<S>(Casting::Unsafe).unwrap();
        DynValues::from_slice(&numbers).unwrap()
    };
    let sources = [below(100), below(2)];
    job.numpy.define("import warnings\nwarnings.simplefilter('ignore')");
    for (name, source) in ["numbers", "bits"].into_iter().zip(&sources) {
        let path = job.directory.file(&format!("{name}.npy"));
        source.save(&path).unwrap();
        job.numpy.set_path("path", &path);
        job.numpy.run(&format!("{name} = np.load(path)"));
    }
    let [numbers, bits] = &sources;
    let mut case = job.case();
    case.measure_second_runs();
    add::<bool>(&mut case, job, bits, "bits");
    add::<u8>(&mut case, job, numbers, "numbers");
    add::<i8>(&mut case, job, numbers, "numbers");
    add::<u16>(&mut case, job, numbers, "numbers");
    add::<i16>(&mut case, job, numbers, "numbers");
    add::<u32>(&mut case, job, numbers, "numbers");
    add::<i32>(&mut case, job, numbers, "numbers");
    add::<u64>(&mut case, job, numbers, "numbers");
    add::<i64>(&mut case, job, numbers, "numbers");
    add::<f16>(&mut case, job, numbers, "numbers");
    add::<f32>(&mut case, job, numbers, "numbers");
    add::<f64>(&mut case, job, numbers, "numbers");
    add::<Complex<f32>>(&mut case, job, numbers, "numbers");
    add::<Complex<f64>>(&mut case, job, numbers, "numbers");
    case.measure()
}

fn add<'a, T: NpyNumber>(case: &mut Case<'a>, job: &Job<'_>, source: &'a DynValues, python: &str) {
    let to = T::dtype().to_string();
    let [astype, all, exact] = ["astype", "cast, unsafe", "cast, exact"].map(|name| format!("{name}, to {to}"));
    case.numpy(job.numpy, &astype, format!("{python}.astype('{to}')"));
    case.ours(&all, || drop(black_box(source.cast::<T>(Casting::Unsafe).unwrap())));
    case.ours(&exact, || drop(black_box(source.cast::<T>(Casting::Exact).unwrap())));
    case.targets([Target::factor(&all, 1.2, &astype), Target::factor(&exact, 1.2, &astype)]);
}

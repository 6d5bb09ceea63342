//! Casts between all types of numbers: as `astype` does them, and only where the values fit or stay the same.

use std::hint::black_box;

use npy_core::half::f16;
use npy_core::num_complex::Complex;
use npy_core::{Casting, DynValues, NpyNumber};

use super::{MIB, bytes};
use crate::harness::bench::{Bench, Job};
use crate::harness::case::{Case, repeat};
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;

/// How often a sample casts, so that sending Python a line does not count.
const REPEATS: u32 = 4;

pub(super) fn run(bench: &mut Bench) {
    // The allocator keeps the memory of up to 16 MiB, so that page faults decide nothing.
    let count = bench.size(MIB, MIB / 64);
    let need = Need::of(bytes(1, count), bytes(100, count));
    macro_rules! case {
        ($($name:literal $type:ty,)*) => {$(
            let title = concat!("cast 1 Mi of ", $name, " in memory to each type of numbers");
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
    job.numpy.define("import warnings\nwarnings.simplefilter('ignore')");
    let sources = [("numbers", 100), ("bits", 2)].map(|(name, end)| Source::new(job, name, below(end)));
    let [numbers, bits] = &sources;
    let mut case = job.case();
    case.measure_cpu();
    case.measure_second_runs();
    case.units(REPEATS, "cast");
    add::<bool>(&mut case, job, bits);
    add::<u8>(&mut case, job, numbers);
    add::<i8>(&mut case, job, numbers);
    add::<u16>(&mut case, job, numbers);
    add::<i16>(&mut case, job, numbers);
    add::<u32>(&mut case, job, numbers);
    add::<i32>(&mut case, job, numbers);
    add::<u64>(&mut case, job, numbers);
    add::<i64>(&mut case, job, numbers);
    add::<f16>(&mut case, job, numbers);
    add::<f32>(&mut case, job, numbers);
    add::<f64>(&mut case, job, numbers);
    add::<Complex<f32>>(&mut case, job, numbers);
    add::<Complex<f64>>(&mut case, job, numbers);
    case.measure()
}

/// Numbers in memory, here and in Python.
struct Source {
    name: &'static str,
    native: DynValues,
    /// In the byte order of other machines, if there is NumPy to write them and the dtype has one.
    swapped: Option<DynValues>,
}

impl Source {
    fn new(job: &Job<'_>, name: &'static str, native: DynValues) -> Self {
        let [path, swapped] = ["native", "swapped"].map(|order| job.directory.file(&format!("{name}-{order}.npy")));
        native.save(&path).unwrap();
        job.numpy.set_path("path", &path);
        job.numpy.run(&format!("{name} = np.load(path)"));
        job.numpy.set_path("path", &swapped);
        job.numpy.run(&format!("swapped_{name} = {name}.astype({name}.dtype.newbyteorder('S')); np.save(path, swapped_{name})"));
        let swapped = if native.dtype().itemsize() > 1 { DynValues::load(swapped).ok() } else { None };
        Self { name, native, swapped }
    }
}

fn add<'a, T: NpyNumber>(case: &mut Case<'a>, job: &Job<'_>, Source { name, native, swapped }: &'a Source) {
    let dtype = T::dtype().to_string();
    let mut add = |order: &str, name: String, source: &'a DynValues| {
        let astype = format!("astype, {order}{dtype}");
        case.numpy(job.numpy, &astype, format!("for _ in range({REPEATS}): {name}.astype('{dtype}')"));
        for (rule, casting) in [("unsafe", Casting::Unsafe), ("checked", Casting::Checked), ("exact", Casting::Exact)] {
            let ours = format!("{rule}, {order}{dtype}");
            case.ours(&ours, repeat(REPEATS, move || drop(black_box(source.cast::<T>(casting).unwrap()))));
            case.targets([Target::factor(&ours, 1.2, &astype)]);
        }
    };
    add("to ", (*name).to_owned(), native);
    if let Some(swapped) = swapped {
        add("swapped to ", format!("swapped_{name}"), swapped);
    }
}

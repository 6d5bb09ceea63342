//! Numbers as text.

use std::hint::black_box;

use npy_core::print::PrintOptions;
use npy_core::print::push_f64;
use npy_core::{DynValues, Order};

use super::bytes;
use crate::harness::bench::{Bench, Job};
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::random::Random;
use crate::harness::target::Target;

const PRINT: &str = "DynValues::display_with";
const ARRAY2STRING: &str = "np.array2string";
/// What the CSV and the JSON of the command are made of.
const ALONE: &str = "each by itself";
const LIBRARY: &str = "zmij, the digits alone";

pub(super) fn run(bench: &mut Bench) {
    let count = bench.size(100_000, 2_000);
    let need = Need::of(0, bytes(40, count));
    bench.case_in_memory("print.f64", "print 100,000 f64 from 0 to 1 in full", need, |job| {
        let mut random = Random::new(1);
        floats(job, &(0..count).map(|_| random.uniform()).collect::<Vec<_>>())
    });
    bench.case_in_memory("print.f64.rounded", "print 100,000 f64 of three digits in full", need, |job| {
        let mut random = Random::new(1);
        floats(job, &(0..count).map(|_| (random.uniform() * 1e3).round() / 1e3).collect::<Vec<_>>())
    });
}

fn floats(job: &Job<'_>, items: &[f64]) -> Outcome {
    let path = job.directory.file("array.npy");
    npy_core::save(&path, items).unwrap();
    job.numpy.set_path("path", &path);
    job.numpy.run("x = np.load(path); digits = np.get_printoptions()['precision']");
    let data = items.iter().flat_map(|item| item.to_le_bytes()).collect();
    let values = DynValues::new("<f8".parse().unwrap(), Order::C, &[items.len()], data).unwrap();
    let all = PrintOptions::new().threshold(usize::MAX);
    let shortest = all.clone().precision(17);

    let mut case = job.case();
    case.units(u32::try_from(items.len()).unwrap(), "number");
    case.numpy(job.numpy, ARRAY2STRING, "np.array2string(x, threshold=len(x), precision=17)");
    case.numpy(job.numpy, "np.array2string, 8 digits", "np.array2string(x, threshold=len(x))");
    case.ours(PRINT, || drop(black_box(values.display_with(&shortest).to_string())));
    let mut alone = String::new();
    case.ours(ALONE, move || {
        alone.clear();
        for &item in items {
            push_f64(item, &mut alone);
            alone.push(' ');
        }
        black_box(&alone);
    });
    case.ours("DynValues::display_with, 8 digits", || drop(black_box(values.display_with(&all).to_string())));
    let mut text = String::new();
    case.limit(LIBRARY, move || {
        text.clear();
        let mut buffer = zmij::Buffer::new();
        for &item in items {
            text.push_str(buffer.format(item));
            text.push(' ');
        }
        black_box(&text);
    });
    case.targets([
        Target::factor(PRINT, 0.15, ARRAY2STRING),
        Target::factor("DynValues::display_with, 8 digits", 0.15, "np.array2string, 8 digits"),
        Target::factor(ALONE, 1.3, LIBRARY),
    ]);
    case.measure()
}

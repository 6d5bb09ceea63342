//! Records: Rust structs beside files of packed records.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::BufWriter;
use std::path::Path;

use npy_core::types::FixedBytes;
use npy_core::{DynValues, NpyElement, NpyReader, NpyRecord, ReadOptions, SaveOptions, save_with};
use npyz::WriterBuilder;
use npyz::arrayvec::ArrayVec;

use super::{bytes, from_page, in_huge_pages};
use crate::harness::bench::{Bench, Job};
use crate::harness::directory::Need;
use crate::harness::outcome::Outcome;
use crate::harness::target::Target;
use crate::peers::mapped::map;
use crate::peers::{NPYZ, read_npyz, read_over, write_allocated, write_bytes};

const NP_LOAD: &str = "np.load, packed";
const NP_ALIGNED: &str = "np.load().astype(align=True)";
const NP_FIELDS: &str = "two fields of np.load, copied";
const NP_MAPPED_FIELDS: &str = "two fields of np.load(mmap_mode='r'), copied";
const NP_SAVE: &str = "np.save, packed";
const NP_SAVE_ALIGNED: &str = "np.save of aligned records, .astype(packed)";
const LOAD: &str = "load";
const COLUMN: &str = "NpyMap, column";
const NP_MAPPED_SUM: &str = "np.load(mmap_mode='r')['t'].sum()";
const LOAD_PACKED: &str = "DynValues::load, left packed";
const LOAD_2: &str = "load, 2 threads";
const COLUMNS: &str = "load_columns";
const COLUMNS_2: &str = "load_columns, 2 threads";
const SAVE: &str = "save";
const SAVE_PACKED: &str = "DynValues::save, packed before";
const IN_PLACE: &str = "save, in place";
const READ: &str = "read(2) into a warm buffer";
const ALLOCATED: &str = "fallocate + write(2)";
const WRITE: &str = "write(2)";
const MEMCPY: &str = "memcpy of the packed records";
const FROM_BYTES: &str = "NpyReader::from_bytes, read_into";

pub(super) fn run(bench: &mut Bench) {
    let count = bench.size(5_000_000, 50_000);
    let need = Need::of(bytes(2 * count, 61), bytes(10 * count, 72));
    // NumPy leaves records packed and ours makes structs, so that each case has contenders of both.
    let packed = "into structs of 40 like np.load().astype and npyz, or left packed like np.load";
    bench.case("records.read.packed", &format!("read 5 M records of 37 bytes: {packed}"), need, |job| {
        read::<_, SampleOfNpyz>(job, count, &sample(), true)
    });
    let nested_title = format!("read 5 M nested records of 61 bytes: {}", packed.replace("40", "72"));
    bench.case("records.read.nested", &nested_title, need, |job| read::<_, NestedOfNpyz>(job, count, &nested(), false));
    bench
        .case_in_memory("records.read.memory", "decode 5 M records of 37 bytes that are in memory", need, |job| decode(job, count));
    bench.case("records.columns", "read two of five fields of 5 M records of 37 bytes", need, |job| read_columns(job, count));
    bench.case("records.view", "sum one field of 5 M records of 37 bytes in place", need, |job| view(job, count));
    let packed = "from structs like npyz, or from packed records like np.save";
    bench.case("records.write.packed", &format!("write 5 M records of 37 bytes to a new file: {packed}"), need, |job| {
        write::<_, SampleOfNpyz>(job, count, &sample(), true)
    });
    bench.case("records.write.nested", &format!("write 5 M nested records of 61 bytes to a new file: {packed}"), need, |job| {
        write::<_, NestedOfNpyz>(job, count, &nested(), false)
    });
}

fn read<T: NpyElement + Clone, P: npyz::Deserialize>(job: &Job<'_>, count: usize, record: &T, has_targets: bool) -> Outcome {
    let path = job.directory.file("records.npy");
    let size = save(&path, count, record);
    job.numpy.set_path("path", &path);
    define_aligned(job);
    let mut memory = Vec::new();
    let buffer = from_page(&mut memory, size);

    let mut case = job.case();
    case.measure_second_runs();
    case.numpy(job.numpy, NP_LOAD, "np.load(path)");
    case.numpy(job.numpy, NP_ALIGNED, "np.load(path).astype(aligned)");
    case.ours(LOAD, || drop(black_box(npy_core::load::<T>(&path).unwrap())));
    case.ours(LOAD_PACKED, || drop(black_box(DynValues::load(&path).unwrap())));
    case.variant(LOAD_2, || drop(black_box(npy_core::load_with::<T>(&path, ReadOptions::new().threads(2)).unwrap())));
    case.peer(NPYZ, || drop(black_box(read_npyz::<P>(&path))));
    case.limit(READ, || read_over(&path, buffer));
    if has_targets {
        case.targets([
            Target::factor(LOAD, job.directory.either(1.22, 1.15), NP_LOAD),
            Target::factor(LOAD, job.directory.either(0.29, 0.43), NP_ALIGNED),
            Target::factor(LOAD_PACKED, 1.0, NP_LOAD),
            Target::speedup(LOAD, job.directory.either(10.0, 5.6), NPYZ),
            Target::factor(LOAD_2, job.directory.either(0.8, 0.65), NP_LOAD),
        ]);
    }
    case.measure()
}

fn decode(job: &Job<'_>, count: usize) -> Outcome {
    let path = job.directory.file("records.npy");
    save(&path, count, &sample());
    let file = fs::read(&path).unwrap();
    let (mut copy, mut records) = (file.clone(), vec![sample(); count]);

    let mut case = job.case();
    case.ours(FROM_BYTES, || NpyReader::from_bytes(black_box(&file)).unwrap().read_into(black_box(&mut records)).unwrap());
    case.ours("NpyReader::from_bytes, into_vec", || {
        drop(black_box(NpyReader::from_bytes(black_box(&file)).unwrap().into_vec::<Sample>().unwrap()));
    });
    case.peer(NPYZ, || drop(black_box(npyz::NpyFile::new(black_box(&file[..])).unwrap().into_vec::<SampleOfNpyz>().unwrap())));
    case.limit(MEMCPY, || black_box(&mut copy).copy_from_slice(black_box(&file)));
    case.targets([Target::factor(FROM_BYTES, 1.04, MEMCPY)]);
    case.measure()
}

fn read_columns(job: &Job<'_>, count: usize) -> Outcome {
    let path = job.directory.file("records.npy");
    save(&path, count, &sample());
    job.numpy.set_path("path", &path);
    job.numpy.define("def fields(records): return records['t'].copy(), records['xyz'].copy()");

    let mut case = job.case();
    case.measure_second_runs();
    case.numpy(job.numpy, NP_FIELDS, "fields(np.load(path))");
    case.numpy(job.numpy, NP_MAPPED_FIELDS, "fields(np.load(path, mmap_mode='r'))");
    case.ours(COLUMNS, || drop(black_box(npy_core::load_columns::<(f64, [f32; 3])>(&path, ["t", "xyz"]).unwrap())));
    case.variant(COLUMNS_2, || {
        let options = ReadOptions::new().threads(2);
        drop(black_box(npy_core::columns::load_columns_with::<(f64, [f32; 3])>(&path, ["t", "xyz"], options).unwrap()));
    });
    case.peer(NPYZ, || {
        let records = read_npyz::<SampleOfNpyz>(&path);
        drop(black_box(records.iter().map(|record| (record.t, record.xyz)).unzip::<_, _, Vec<_>, Vec<_>>()));
    });
    case.targets([
        Target::factor(COLUMNS, job.directory.either(0.46, 0.65), NP_FIELDS),
        Target::factor(COLUMNS, 0.8, NP_MAPPED_FIELDS),
        Target::factor(COLUMNS_2, job.directory.either(0.28, 0.34), NP_FIELDS),
    ]);
    case.measure()
}

fn view(job: &Job<'_>, count: usize) -> Outcome {
    let path = job.directory.file("records.npy");
    save(&path, count, &sample());
    job.numpy.set_path("path", &path);

    let mut case = job.case();
    case.numpy(job.numpy, NP_MAPPED_SUM, "np.load(path, mmap_mode='r')['t'].sum()");
    case.ours(COLUMN, || {
        let map = map(&path);
        black_box(map.column::<f64>("t").unwrap().iter().sum::<f64>());
    });
    case.ours("NpyMap, view", || {
        let map = map(&path);
        black_box(map.view::<SampleView>().unwrap().iter().map(|record| record.t).sum::<f64>());
    });
    // The sum finds in the cache what validation has loaded.
    case.ours("NpyMap, 4096 rows at a time", || {
        let map = map(&path);
        let parts = (0..count).step_by(4096).map(|first| map.rows::<SampleView>(first..count.min(first + 4096)).unwrap());
        black_box(parts.flatten().map(|record| record.t).sum::<f64>());
    });
    case.targets([Target::factor(COLUMN, 1.0, NP_MAPPED_SUM)]);
    case.measure()
}

fn write<T: NpyElement + Clone, P>(job: &Job<'_>, count: usize, record: &T, has_targets: bool) -> Outcome
where
    P: npyz::Deserialize + npyz::Serialize,
{
    let path = job.directory.file("records.npy");
    save(&path, count, record);
    let file = in_huge_pages(job, &fs::read(&path).unwrap());
    let peers: Vec<P> = read_npyz(&path);
    let dtype = npyz::NpyHeader::from_reader(&file[..]).unwrap().dtype();
    job.numpy.set_path("path", &path);
    define_aligned(job);
    job.numpy.run("array = np.load(path)");
    job.numpy.run("aligned_array = array.astype(aligned)");
    let (records, values) = (npy_core::load::<T>(&path).unwrap(), DynValues::load(&path).unwrap());
    fs::remove_file(&path).unwrap();

    let mut case = job.case();
    case.sync_before_each(job.directory);
    case.measure_second_runs();
    case.after_each(|| {
        fs::remove_file(&path).unwrap();
        String::new()
    });
    case.numpy(job.numpy, NP_SAVE, "np.save(path, array)");
    case.numpy(job.numpy, NP_SAVE_ALIGNED, "np.save(path, aligned_array.astype(array.dtype))");
    case.ours(SAVE, || npy_core::save(&path, &records).unwrap());
    case.ours(SAVE_PACKED, || values.save(&path).unwrap());
    case.ours(IN_PLACE, || save_with(&path, &records, SaveOptions::new().in_place(true)).unwrap());
    case.peer(NPYZ, || {
        let output = BufWriter::new(File::create(&path).unwrap());
        let options = npyz::WriteOptions::new().dtype(dtype.clone()).shape(&[count as u64]);
        let mut writer = options.writer(output).begin_nd().unwrap();
        for record in &peers {
            writer.push(record).unwrap();
        }
        writer.finish().unwrap();
    });
    case.limit(ALLOCATED, || write_allocated(&path, &file));
    case.limit(WRITE, || write_bytes(&path, &file));
    if has_targets {
        case.targets([
            Target::factor_of_fastest(SAVE, 1.03, &[ALLOCATED, WRITE]),
            Target::speedup(SAVE, job.directory.either(13.0, 2.7), NPYZ),
        ]);
    }
    case.measure()
}

/// Defines `aligned`, the dtype of the records of `path` with the padding of a struct.
fn define_aligned(job: &Job<'_>) {
    job.numpy.define(
        "from numpy.lib.recfunctions import repack_fields
aligned = repack_fields(np.load(path, mmap_mode='r').dtype, align=True, recurse=True)",
    );
}

/// Saves copies and returns the size of the file.
fn save<T: NpyElement + Clone>(path: &Path, count: usize, record: &T) -> usize {
    npy_core::save(path, &vec![record.clone(); count]).unwrap();
    usize::try_from(fs::metadata(path).unwrap().len()).unwrap()
}

pub(super) fn sample() -> Sample {
    Sample { id: 7, t: 0.5, xyz: [1.0, 2.0, 3.0], flag: true, name: "station".parse().unwrap() }
}

fn nested() -> Nested {
    let (origin, pose) = (Point { x: 1.5, y: 2.5, is_known: true }, Pose { angle: 0.25, quality: 0.5, is_known: false });
    Nested { id: 7, t: 0.5, origin, pose, xyz: [1.0, 2.0, 3.0], colour: [1, 2, 3] }
}

/// A record of 37 bytes in the file and 40 in memory.
#[derive(NpyRecord, Clone)]
pub(super) struct Sample {
    id: u64,
    t: f64,
    xyz: [f32; 3],
    flag: bool,
    name: FixedBytes<8>,
}

/// The same record, viewed in place.
#[derive(NpyRecord, Clone, Copy)]
#[npy(view)]
#[repr(C, packed)]
#[allow(dead_code, reason = "only one field is looked at")]
struct SampleView {
    id: u64,
    t: f64,
    xyz: [f32; 3],
    flag: bool,
    name: FixedBytes<8>,
}

/// The same record for npyz, whose text without heap is an `ArrayVec`.
#[derive(npyz::Deserialize, npyz::Serialize, Clone)]
struct SampleOfNpyz {
    id: u64,
    t: f64,
    xyz: [f32; 3],
    flag: bool,
    name: ArrayVec<u8, 8>,
}

/// A record of 61 bytes in the file and 72 in memory.
#[derive(NpyRecord, Clone)]
struct Nested {
    id: u64,
    t: f64,
    origin: Point,
    pose: Pose,
    xyz: [f32; 3],
    colour: [u8; 3],
}

#[derive(NpyRecord, Clone)]
struct Point {
    x: f64,
    y: f64,
    is_known: bool,
}

#[derive(NpyRecord, Clone)]
struct Pose {
    angle: f64,
    quality: f32,
    is_known: bool,
}

#[derive(npyz::Deserialize, npyz::Serialize, Clone)]
struct NestedOfNpyz {
    id: u64,
    t: f64,
    origin: PointOfNpyz,
    pose: PoseOfNpyz,
    xyz: [f32; 3],
    colour: [u8; 3],
}

#[derive(npyz::Deserialize, npyz::Serialize, Clone)]
struct PointOfNpyz {
    x: f64,
    y: f64,
    is_known: bool,
}

#[derive(npyz::Deserialize, npyz::Serialize, Clone)]
struct PoseOfNpyz {
    angle: f64,
    quality: f32,
    is_known: bool,
}

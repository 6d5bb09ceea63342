//! The jobs of the cases, done by other crates and by plain system calls.

pub(crate) mod mapped;
pub(crate) mod numpy;
pub(crate) mod zip_by_hand;

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use npyz::WriterBuilder;

#[cfg(npy_bench_hdf5)]
pub(crate) use hdf5_metno::H5Type as Hdf5Element;

use crate::harness::case::Case;

/// An element that ours and all peers have.
pub(crate) trait Element:
    npy_core::NpyElement
    + ndarray_npy::ReadableElement
    + ndarray_npy::WritableElement
    + npyz::AutoSerialize
    + npyz::Deserialize
    + rawarray::RawArrayType
    + Hdf5Element
{
}

impl Element for u8 {}
impl Element for f32 {}

/// `npyz`: all elements of a file.
pub(crate) fn read_npyz<T: npyz::Deserialize>(path: &Path) -> Vec<T> {
    npyz::NpyFile::new(BufReader::new(File::open(path).unwrap())).unwrap().into_vec().unwrap()
}

/// `npyz`: a new file.
pub(crate) fn write_npyz<T: npyz::AutoSerialize + Copy>(path: &Path, shape: &[usize], items: &[T]) {
    let shape: Vec<_> = shape.iter().map(|&length| length as u64).collect();
    let output = BufWriter::new(File::create(path).unwrap());
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(output).begin_nd().unwrap();
    writer.extend(items.iter().copied()).unwrap();
    writer.finish().unwrap();
}

/// `rawarray`: all elements of a file.
pub(crate) fn read_rawarray<T: rawarray::RawArrayType>(path: &Path) -> Vec<T> {
    rawarray::RawArray::read(path).unwrap().into()
}

/// Plain `open`, `read` into memory that is there, and `close`.
pub(crate) fn read_over(path: &Path, buffer: &mut [u8]) {
    File::open(path).unwrap().read_exact(black_box(buffer)).unwrap();
}

/// Plain `open`, `write` and `close`.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) {
    File::create(path).unwrap().write_all(black_box(bytes)).unwrap();
}

/// The same after `fallocate`, where there is one.
pub(crate) fn write_allocated(path: &Path, bytes: &[u8]) {
    let mut file = File::create(path).unwrap();
    #[cfg(target_os = "linux")]
    // Where the file system cannot, the write does.
    let _ = rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::KEEP_SIZE, 0, bytes.len() as u64);
    file.write_all(black_box(bytes)).unwrap();
}

/// `png`: the pixels of a file.
pub(crate) fn read_png(path: &Path) -> Vec<u8> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// `png`: a new file of 8 bits a sample, of `[height, width]` or `[height, width, 3]`.
pub(crate) fn write_png(path: &Path, shape: &[usize], pixels: &[u8]) {
    let [height, width] = [shape[0], shape[1]].map(|length| u32::try_from(length).unwrap());
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path).unwrap()), width, height);
    encoder.set_color(if shape.len() == 3 { png::ColorType::Rgb } else { png::ColorType::Grayscale });
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
}

/// Adds `hdf5-metno` reading the elements, if it is built in.
#[cfg(npy_bench_hdf5)]
pub(crate) fn add_hdf5_reader<T: Hdf5Element>(case: &mut Case<'_>, path: &Path, items: &[T]) {
    write_hdf5(path, items);
    let path = path.to_owned();
    case.peer(HDF5, move || drop(black_box(read_hdf5::<T>(&path))));
}

/// Adds `hdf5-metno` writing the elements, if it is built in.
#[cfg(npy_bench_hdf5)]
pub(crate) fn add_hdf5_writer<'a, T: Hdf5Element>(case: &mut Case<'a>, path: &Path, items: &'a [T]) {
    let path = path.to_owned();
    case.peer(HDF5, move || write_hdf5(&path, items));
}

/// Adds `hdf5-metno` reading many files, which it writes before, if it is built in.
#[cfg(npy_bench_hdf5)]
pub(crate) fn add_hdf5_readers<T: Hdf5Element>(case: &mut Case<'_>, paths: &[std::path::PathBuf], items: &[T]) {
    for path in paths {
        write_hdf5(path, items);
    }
    let paths = paths.to_vec();
    case.peer(HDF5, move || {
        for path in &paths {
            drop(black_box(read_hdf5::<T>(path)));
        }
    });
}

#[cfg(npy_bench_hdf5)]
fn read_hdf5<T: Hdf5Element>(path: &Path) -> Vec<T> {
    hdf5_metno::File::open(path).unwrap().dataset("data").unwrap().read_raw().unwrap()
}

#[cfg(npy_bench_hdf5)]
fn write_hdf5<T: Hdf5Element>(path: &Path, items: &[T]) {
    let file = hdf5_metno::File::create(path).unwrap();
    file.new_dataset_builder().with_data(items).create("data").unwrap();
}

/// What can be an element there; without HDF5, anything.
#[cfg(not(npy_bench_hdf5))]
pub(crate) trait Hdf5Element {}
#[cfg(not(npy_bench_hdf5))]
impl<T> Hdf5Element for T {}

#[cfg(not(npy_bench_hdf5))]
pub(crate) fn add_hdf5_reader<T: Hdf5Element>(_: &mut Case<'_>, _: &Path, _: &[T]) {}

#[cfg(not(npy_bench_hdf5))]
pub(crate) fn add_hdf5_writer<T: Hdf5Element>(_: &mut Case<'_>, _: &Path, _: &[T]) {}

#[cfg(not(npy_bench_hdf5))]
pub(crate) fn add_hdf5_readers<T: Hdf5Element>(_: &mut Case<'_>, _: &[std::path::PathBuf], _: &[T]) {}

/// The names under which tables and targets know the peers.
pub(crate) const NDARRAY_NPY: &str = "ndarray-npy";
pub(crate) const NPYZ: &str = "npyz";
pub(crate) const RAWARRAY: &str = "rawarray";
pub(crate) const HDF5: &str = "hdf5-metno";
pub(crate) const PNG: &str = "png";

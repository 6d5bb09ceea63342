//! Baselines: the jobs of the cases done by other crates, by NumPy and by plain system calls.

pub(crate) mod hdf5;
pub(crate) mod mapped;
pub(crate) mod numpy;
pub(crate) mod zip_by_hand;

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use npyz::WriterBuilder;

/// An element that ours and all peers support.
pub(crate) trait Element:
    npy_core::NpyElement
    + ndarray_npy::ReadableElement
    + ndarray_npy::WritableElement
    + npyz::AutoSerialize
    + npyz::Deserialize
    + rawarray::RawArrayType
    + hdf5::Element
{
}

impl Element for u8 {}
impl Element for f32 {}

/// Reads all elements by `npyz`.
pub(crate) fn read_npyz<T: npyz::Deserialize>(path: &Path) -> Vec<T> {
    npyz::NpyFile::new(BufReader::new(File::open(path).unwrap())).unwrap().into_vec().unwrap()
}

/// Writes a new file by `npyz`.
pub(crate) fn write_npyz<T: npyz::AutoSerialize + Copy>(path: &Path, shape: &[usize], items: &[T]) {
    let shape: Vec<_> = shape.iter().map(|&length| length as u64).collect();
    let output = BufWriter::new(File::create(path).unwrap());
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(output).begin_nd().unwrap();
    writer.extend(items.iter().copied()).unwrap();
    writer.finish().unwrap();
}

/// Reads all elements by `rawarray`.
pub(crate) fn read_rawarray<T: rawarray::RawArrayType>(path: &Path) -> Vec<T> {
    rawarray::RawArray::read(path).unwrap().into()
}

/// Reads a file into a reused buffer: `open`, `read`, `close`.
pub(crate) fn read_over(path: &Path, buffer: &mut [u8]) {
    File::open(path).unwrap().read_exact(black_box(buffer)).unwrap();
}

/// Writes a new file: `open`, `write`, `close`.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) {
    File::create(path).unwrap().write_all(black_box(bytes)).unwrap();
}

/// Writes a new file after `fallocate`, on Linux.
pub(crate) fn write_allocated(path: &Path, bytes: &[u8]) {
    let mut file = File::create(path).unwrap();
    #[cfg(target_os = "linux")]
    // Where the file system cannot, the write allocates.
    let _ = rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::KEEP_SIZE, 0, bytes.len() as u64);
    file.write_all(black_box(bytes)).unwrap();
}

/// Reads the pixels of a file by `png`.
pub(crate) fn read_png(path: &Path) -> Vec<u8> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// Writes `[height, width]` or `[height, width, 3]` pixels of 8 bits a channel by `png`.
pub(crate) fn write_png(path: &Path, shape: &[usize], pixels: &[u8]) {
    let [height, width] = [shape[0], shape[1]].map(|length| u32::try_from(length).unwrap());
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path).unwrap()), width, height);
    encoder.set_color(if shape.len() == 3 { png::ColorType::Rgb } else { png::ColorType::Grayscale });
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
}

/// The names of the peers in tables and targets.
pub(crate) const NDARRAY_NPY: &str = "ndarray-npy";
pub(crate) const NPYZ: &str = "npyz";
pub(crate) const RAWARRAY: &str = "rawarray";
pub(crate) const HDF5: &str = "hdf5-metno";
pub(crate) const PNG: &str = "png";

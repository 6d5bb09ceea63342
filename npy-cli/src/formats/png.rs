//! Images: arrays of `u1` and `u2` of shape (height, width), or with 1 to 4 channels after these.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use npy_core::dtype::ByteOrder;
use npy_core::error::ForeignFormat;
use npy_core::{DType, DynValues, Header, Order};
use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};

use super::format::{Format, Outgoing, ReadOptions, WriteOptions, write_data, write_only};
use super::source::{FileOrSpool, Item, Source, open_only};
use crate::failure::{Failure, Result};
use crate::input::Spool;
use crate::input::pieces::Sink;
use crate::output::Content;
use crate::values::quantity;

/// `.png`
pub(super) struct Png;

impl Format for Png {
    fn names(&self) -> &'static [&'static str] {
        &["png"]
    }

    fn content(&self) -> Option<ForeignFormat> {
        Some(ForeignFormat::Png)
    }

    fn about(&self) -> &'static str {
        "An image"
    }

    fn adapt(&self, dtype: &DType, shape: &[usize]) -> Result<(DType, Vec<String>)> {
        layout(dtype, shape)?;
        Ok((dtype.clone().with_byte_order(ByteOrder::Big), Vec::new()))
    }

    fn open(&self, path: &OsStr, stream: Option<Spool>, _: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        open_only(path, stream, PngSource::open)
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, _: WriteOptions) -> Result<()> {
        write_only(arrays, path, Content::Binary, write)
    }
}

/// Width, height, and what a pixel is.
struct Layout {
    width: u32,
    height: u32,
    color: ColorType,
    depth: BitDepth,
}

/// The image that an array is.
fn layout(dtype: &DType, shape: &[usize]) -> Result<Layout> {
    let depth = match dtype.to_string().as_str() {
        "|u1" => BitDepth::Eight,
        "<u2" | ">u2" => BitDepth::Sixteen,
        other => {
            return Err(Failure::Nameless(format!(
                "not an image: expected dtype |u1 or <u2, found {other}; convert it with --dtype u1"
            )));
        }
    };
    let color = match shape {
        [_, _] | [_, _, 1] => ColorType::Grayscale,
        [_, _, 2] => ColorType::GrayscaleAlpha,
        [_, _, 3] => ColorType::Rgb,
        [_, _, 4] => ColorType::Rgba,
        _ => return Err(not_an_image(shape)),
    };
    let side = |axis: usize| shape.get(axis).and_then(|&length| u32::try_from(length).ok()).filter(|length| *length > 0);
    let (Some(height), Some(width)) = (side(0), side(1)) else { return Err(not_an_image(shape)) };
    Ok(Layout { width, height, color, depth })
}

fn not_an_image(shape: &[usize]) -> Failure {
    let found = quantity::shape(shape);
    Failure::Nameless(format!("not an image: expected shape (height, width) or (height, width, 1 to 4), found {found}"))
}

/// Writes the array, of big-endian numbers, as an image.
fn write(array: &mut dyn Outgoing, out: &mut dyn Write) -> Result<()> {
    let Layout { width, height, color, depth } = layout(array.header().dtype(), array.header().shape())?;
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().map_err(cannot_encode)?;
    let mut stream = writer.stream_writer().map_err(cannot_encode)?;
    write_data(array, Order::C, &mut stream)?;
    stream.finish().map_err(cannot_encode)?;
    writer.finish().map_err(cannot_encode)
}

fn cannot_encode(error: png::EncodingError) -> Failure {
    match error {
        png::EncodingError::IoError(error) => error.into(),
        error => Failure::new(format!("cannot write the image: {error}")),
    }
}

/// A PNG image as an array.
struct PngSource {
    file: FileOrSpool,
    item: Item,
}

impl PngSource {
    fn open(file: FileOrSpool) -> Result<Self> {
        let reader = reader(&file)?;
        let further = reader.info().animation_control.map_or(0, |animation| animation.num_frames.saturating_sub(1));
        let losses =
            if further > 0 { vec![quantity::counted(further.into(), "further frame") + " of the animation"] } else { Vec::new() };
        expect_data(&file, reader.info().raw_bytes() as u64)?;
        let item = file.item(header(&reader)?, losses);
        Ok(Self { file, item })
    }
}

fn reader(file: &FileOrSpool) -> Result<png::Reader<BufReader<File>>> {
    let mut decoder = Decoder::new(BufReader::new(file.file()?));
    // Palettes become colors, and less than 8 bits 8.
    decoder.set_transformations(Transformations::EXPAND);
    decoder.read_info().map_err(|error| cannot_decode(&error))
}

/// Fails if a file is too short for the pixels that its header claims: deflate makes at most 1032 bytes of one.
fn expect_data(file: &FileOrSpool, pixels: u64) -> Result<()> {
    let metadata = file.file()?.metadata().map_err(Failure::cannot("read the file"))?;
    if pixels / 1032 <= metadata.len() {
        return Ok(());
    }
    let (expected, found) = (quantity::bytes(pixels), quantity::counted(metadata.len(), "byte"));
    Err(Failure::Nameless(format!("truncated file: expected {expected} of pixels, found a file of {found}")))
}

fn header(reader: &png::Reader<BufReader<File>>) -> Result<Header> {
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let (color, depth) = reader.output_color_type();
    let dtype: DType = if depth == BitDepth::Sixteen { ">u2" } else { "|u1" }.parse()?;
    let shape = match color.samples() {
        1 => vec![height, width],
        channels => vec![height, width, channels],
    };
    Ok(Header::new(dtype, Order::C, &shape)?)
}

/// The largest interlaced image, which is held in memory.
const MOST_INTERLACED: usize = 1 << 30;

fn cannot_decode(error: &png::DecodingError) -> Failure {
    Failure::Nameless(format!("cannot read the image: {error}"))
}

impl Source for PngSource {
    fn items(&self) -> &[Item] {
        std::slice::from_ref(&self.item)
    }

    fn rows(&mut self, _: usize, sink: Sink<'_>) -> Result<()> {
        let mut reader = reader(&self.file)?;
        let dtype = self.item.header.dtype().clone();
        if reader.info().interlaced {
            // Its rows come in seven passes.
            let length =
                reader.output_buffer_size().ok_or_else(|| Failure::Nameless("the image exceeds the address space".to_owned()))?;
            if length > MOST_INTERLACED {
                let (most, found) = (quantity::bytes(MOST_INTERLACED as u64), quantity::bytes(length as u64));
                let message = format!("interlaced image too large: expected at most {most}, found {found}");
                return Err(Failure::Nameless(message));
            }
            let mut bytes = Vec::new();
            let refused = |_| Failure::allocation(length);
            bytes.try_reserve_exact(length).map_err(refused)?;
            bytes.resize(length, 0);
            reader.next_frame(&mut bytes).map_err(|error| cannot_decode(&error))?;
            let count = bytes.len() / dtype.itemsize().max(1);
            return sink(DynValues::new(dtype, Order::C, &[count], bytes)?);
        }
        while let Some(row) = reader.next_row().map_err(|error| cannot_decode(&error))? {
            let bytes = row.data().to_vec();
            let count = bytes.len() / dtype.itemsize().max(1);
            sink(DynValues::new(dtype.clone(), Order::C, &[count], bytes)?)?;
        }
        Ok(())
    }
}

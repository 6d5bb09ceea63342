//! Pixels as PNG.

use crate::colors::Raster;
use crate::failure::{Failure, Result};

/// Encodes an image with 8 bits for each of three channels, and its pixels of an inch.
pub(super) fn encode(raster: &Raster, dpi: Option<u16>) -> Result<Vec<u8>> {
    let failed = |error: png::EncodingError| Failure::new(format!("cannot encode the image: {error}"));
    let mut bytes = Vec::new();
    let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let mut encoder = png::Encoder::new(&mut bytes, size(raster.width), size(raster.height));
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    // Pixels of a metre.
    let pixels = dpi.map(|dpi| u32::from(dpi) * 10_000 / 254);
    encoder.set_pixel_dims(pixels.map(|pixels| png::PixelDimensions { xppu: pixels, yppu: pixels, unit: png::Unit::Meter }));
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(raster.pixels.as_flattened()).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

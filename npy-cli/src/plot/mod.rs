//! Plots: reading in pieces, the figure, and the surfaces that it is drawn on.

// A module imports only from modules above it.
pub(crate) mod wish;
mod figure;
mod gather;
mod lines;
mod image;
mod build;
mod png;
mod legend;
mod paint;
mod svg;
mod bitmap;
pub(crate) mod terminal;

use crate::failure::Result;
pub(crate) use build::figure;
pub(crate) use figure::Figure;

/// A file format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Svg,
    Png,
}

/// The bytes of a file with the picture.
pub(crate) fn render(figure: &Figure, format: Format, (width, height): (usize, usize)) -> Result<Vec<u8>> {
    let size = (width as f64, height as f64);
    match format {
        Format::Svg => {
            let mut svg = svg::Svg::new(width, height);
            paint::paint(figure, size, &mut svg);
            Ok(svg.finish().into_bytes())
        }
        Format::Png => {
            let mut bitmap = bitmap::Bitmap::new(width, height);
            paint::paint(figure, size, &mut bitmap);
            png::encode(&bitmap.finish())
        }
    }
}

//! Pictures as pixels: drawn twice as large, and then reduced, so that edges are smooth.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};
use plotters_backend::{BackendColor, DrawingBackend};
use plotters_bitmap::BitMapBackend;

use super::figure::Raster;
use super::paint::{Anchor, Color, Pen, Text};

/// How much larger it is drawn.
const SCALE: usize = 2;

/// A picture that is being drawn.
pub(crate) struct Bitmap {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Bitmap {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width * SCALE, height * SCALE);
        Self { width, height, bytes: vec![255; width * height * 3] }
    }

    /// The picture in its size.
    pub(crate) fn finish(self) -> Raster {
        let (width, height) = (self.width / SCALE, self.height / SCALE);
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let mut sums = [0_u16; 3];
                for (dy, dx) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let place = ((y * SCALE + dy) * self.width + x * SCALE + dx) * 3;
                    let pixel = self.bytes.get(place..place + 3).unwrap_or(&[255; 3]);
                    sums.iter_mut().zip(pixel).for_each(|(sum, byte)| *sum += u16::from(*byte));
                }
                pixels.push(sums.map(|sum| u8::try_from((sum + 2) / 4).unwrap_or(255)));
            }
        }
        Raster { width, height, pixels }
    }

    /// Lets plotters draw: nothing can fail in a buffer of the right size.
    fn draw(&mut self, draw: impl FnOnce(&mut BitMapBackend<'_>)) {
        let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let (width, height) = (size(self.width), size(self.height));
        draw(&mut BitMapBackend::with_buffer(&mut self.bytes, (width, height)));
    }

    /// Mixes a color into a pixel; `part` is of 255.
    fn mix(&mut self, x: i64, y: i64, color: Color, part: u8) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let place = (y * self.width + x) * 3;
        for (byte, wanted) in self.bytes.iter_mut().skip(place).take(3).zip(color) {
            let mixed = u16::from(*byte) * (255 - u16::from(part)) + u16::from(wanted) * u16::from(part);
            *byte = u8::try_from(mixed / 255).unwrap_or(255);
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "saturates")]
fn whole(number: f64) -> i32 {
    (number * SCALE as f64).round() as i32
}

fn backend([red, green, blue]: Color, alpha: f64) -> BackendColor {
    BackendColor { alpha, rgb: (red, green, blue) }
}

/// A color with the width of a line.
struct Stroke(Color, u32);

impl plotters_backend::BackendStyle for Stroke {
    fn color(&self) -> BackendColor {
        backend(self.0, 1.0)
    }

    fn stroke_width(&self) -> u32 {
        self.1
    }
}

impl Pen for Bitmap {
    fn line(&mut self, points: &[(f64, f64)], color: Color, width: f64) {
        let style = Stroke(color, u32::try_from(whole(width)).unwrap_or(1).max(1));
        self.draw(|backend| {
            // One by one: a thick path has spikes at sharp turns.
            for pair in points.windows(2) {
                if let [(x, y), (a, b)] = *pair {
                    let _ = backend.draw_line((whole(x), whole(y)), (whole(a), whole(b)), &style);
                }
            }
        });
    }

    fn area(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), color: Color) {
        // The last pixel is drawn too.
        let (right, bottom) = (whole(x + width) - 1, whole(y + height) - 1);
        let (left, top) = (whole(x), whole(y));
        self.draw(|backend| {
            let _ = backend.draw_rect((left, top), (right.max(left), bottom.max(top)), &self::backend(color, 1.0), true);
        });
    }

    fn point(&mut self, (x, y): (f64, f64), radius: f64, color: Color) {
        let radius = radius * SCALE as f64;
        let (x, y) = (i64::from(whole(x)), i64::from(whole(y)));
        #[allow(clippy::cast_possible_truncation, reason = "a few pixels")]
        let reach = radius.ceil() as i64;
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                if ((dx * dx + dy * dy) as f64) <= radius * radius {
                    self.mix(x + dx, y + dy, color, 153);
                }
            }
        }
    }

    fn text(&mut self, (x, y): (f64, f64), text: &str, how: Text) {
        let height = if how.size > 14.0 { RasterHeight::Size32 } else { RasterHeight::Size24 };
        let glyphs: Vec<_> = text.chars().filter_map(|character| glyph(character, height)).collect();
        let width: usize = glyphs.iter().map(noto_sans_mono_bitmap::RasterizedChar::width).sum();
        let length = |length: usize| i64::try_from(length).unwrap_or(0);
        let before = match how.anchor {
            Anchor::Left => 0,
            Anchor::Middle => length(width) / 2,
            Anchor::Right => length(width),
        };
        let (x, y) = (i64::from(whole(x)), i64::from(whole(y)));
        let mut along = -before;
        for glyph in glyphs {
            let above = length(glyph.height()) / 2;
            for (row, line) in glyph.raster().iter().enumerate() {
                for (column, part) in line.iter().enumerate().filter(|(_, part)| **part > 0) {
                    let (dx, dy) = (along + length(column), length(row) - above);
                    let (dx, dy) = if how.is_vertical { (dy, -dx) } else { (dx, dy) };
                    self.mix(x + dx, y + dy, how.color, *part);
                }
            }
            along += length(glyph.width());
        }
    }

    fn image(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), raster: &Raster) {
        let (left, top) = (whole(x), whole(y));
        let (columns, rows) = ((whole(x + width) - left).max(1), (whole(y + height) - top).max(1));
        let place = |index: i32, count: i32, length: usize| {
            usize::try_from(i64::from(index) * i64::try_from(length).unwrap_or(0) / i64::from(count)).unwrap_or(0)
        };
        for row in 0..rows {
            for column in 0..columns {
                let pixel = raster.pixel(place(column, columns, raster.width), place(row, rows, raster.height));
                self.mix(i64::from(left + column), i64::from(top + row), pixel, 255);
            }
        }
    }
}

/// A glyph; a question mark for what the font does not have.
fn glyph(character: char, height: RasterHeight) -> Option<noto_sans_mono_bitmap::RasterizedChar> {
    get_raster(character, FontWeight::Regular, height).or_else(|| get_raster('?', FontWeight::Regular, height))
}

//! Pictures as pixels, with smooth edges.

use ab_glyph_rasterizer::{Rasterizer, point};

use super::canvas::{Anchor, Canvas, Text};
use super::font::Font;
use crate::colors::{Color, Raster};

/// A picture that is being drawn.
pub(super) struct Pixels<'a> {
    picture: Raster,
    /// The pixels of a unit.
    scale: f64,
    font: &'a Font,
}

type Point = (f64, f64);

impl<'a> Pixels<'a> {
    pub(super) fn new((width, height): (usize, usize), scale: f64, font: &'a Font) -> Self {
        Self { picture: Raster { width, height, pixels: vec![[255; 3]; width * height] }, scale, font }
    }

    pub(super) fn finish(self) -> Raster {
        self.picture
    }

    /// The pixels of two lengths.
    fn scaled(&self, (x, y): Point) -> Point {
        (x * self.scale, y * self.scale)
    }

    /// Mixes a color into a pixel, if there is one.
    fn mix(&mut self, (x, y): (i64, i64), color: Color, opacity: f32) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        let Raster { width, height, pixels } = &mut self.picture;
        if let Some(pixel) = pixels.get_mut(y * *width + x).filter(|_| x < *width && y < *height) {
            for (byte, color) in pixel.iter_mut().zip(color) {
                let mixed = f32::from(*byte) * (1.0 - opacity) + f32::from(color) * opacity;
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
                let rounded = (mixed + 0.5) as u8;
                *byte = rounded;
            }
        }
    }

    /// Fills polygons of one orientation, also where they overlap.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels, with a fraction")]
    fn fill(&mut self, polygons: &[Vec<Point>], color: Color, opacity: f32) {
        let points = || polygons.iter().flatten();
        let [left, right] = [f64::min, f64::max].map(|end| points().map(|point| point.0).reduce(end).unwrap_or(0.0));
        let [top, bottom] = [f64::min, f64::max].map(|end| points().map(|point| point.1).reduce(end).unwrap_or(0.0));
        let (left, top) = (left.floor(), top.floor());
        let size = |length: f64| length.ceil().max(0.0) as usize + 1;
        let mut rasterizer = Rasterizer::new(size(right - left), size(bottom - top));
        let inside = |(x, y): Point| point((x - left) as f32, (y - top) as f32);
        for polygon in polygons {
            for (from, to) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
                rasterizer.draw_line(inside(*from), inside(*to));
            }
        }
        let corner = (left as i64, top as i64);
        rasterizer.for_each_pixel_2d(|x, y, covered| {
            if covered > 0.0 {
                self.mix((corner.0 + i64::from(x), corner.1 + i64::from(y)), color, covered.min(1.0) * opacity);
            }
        });
    }
}

/// The outline of a line: a rectangle for each section, and a triangle that closes the gap at each turn.
fn outline(points: &[Point], width: f64) -> Vec<Vec<Point>> {
    let mut polygons = Vec::with_capacity(points.len() * 2);
    let mut before: Option<Point> = None;
    for (&(x, y), &(a, b)) in points.iter().zip(points.iter().skip(1)) {
        let length = (a - x).hypot(b - y);
        if length == 0.0 {
            continue;
        }
        let (dx, dy) = ((y - b) / length * width / 2.0, (a - x) / length * width / 2.0);
        if let Some((ex, ey)) = before {
            let gap = if ex * dy - ey * dx > 0.0 {
                vec![(x, y), (x - dx, y - dy), (x - ex, y - ey)]
            } else {
                vec![(x, y), (x + ex, y + ey), (x + dx, y + dy)]
            };
            polygons.push(gap);
        }
        polygons.push(vec![(x + dx, y + dy), (a + dx, b + dy), (a - dx, b - dy), (x - dx, y - dy)]);
        before = Some((dx, dy));
    }
    polygons
}

#[allow(clippy::cast_possible_truncation, reason = "saturates")]
fn whole(number: f64) -> i64 {
    number.round() as i64
}

impl Canvas for Pixels<'_> {
    fn line(&mut self, points: &[Point], color: Color, width: f64) {
        let points: Vec<Point> = points.iter().map(|point| self.scaled(*point)).collect();
        self.fill(&outline(&points, width * self.scale), color, 1.0);
    }

    fn area(&mut self, corner: Point, size: Point, color: Color) {
        let ((x, y), (width, height)) = (self.scaled(corner), self.scaled(size));
        self.fill(&[vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)]], color, 1.0);
    }

    fn disc(&mut self, center: Point, radius: f64, color: Color) {
        let ((x, y), radius) = (self.scaled(center), radius * self.scale);
        let corner = |step: i32| (f64::from(step) * std::f64::consts::TAU / 16.0).sin_cos();
        let corners = (0..16).map(corner).map(|(sine, cosine)| (x + radius * cosine, y + radius * sine));
        self.fill(&[corners.collect()], color, 0.6);
    }

    fn text(&mut self, place: Point, text: &str, how: Text) {
        let ((x, y), size) = (self.scaled(place), how.size * self.scale);
        let before = match how.anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => self.font.width(text, size) / 2.0,
            Anchor::Right => self.font.width(text, size),
        };
        let (x, y, before) = (whole(x), whole(y), whole(before));
        for glyph in self.font.outlines(text, size) {
            let corner = glyph.px_bounds().min;
            let (left, top) = (whole(corner.x.into()) - before, whole(corner.y.into()));
            glyph.draw(|column, row, covered| {
                let (dx, dy) = (left + i64::from(column), top + i64::from(row));
                let (dx, dy) = if how.is_vertical { (dy, -dx - 1) } else { (dx, dy) };
                self.mix((x + dx, y + dy), how.color, covered.min(1.0));
            });
        }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
    fn image(&mut self, corner: Point, size: Point, raster: &Raster) {
        let ((x, y), (width, height)) = (self.scaled(corner), self.scaled(size));
        let (columns, rows) = ((width.round() as usize).max(1), (height.round() as usize).max(1));
        for (row, y) in (0..rows).zip(whole(y)..) {
            for (column, x) in (0..columns).zip(whole(x)..) {
                self.mix((x, y), raster.pixel((column, columns), (row, rows)), 1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(draw: impl FnOnce(&mut Pixels<'_>)) -> Vec<Vec<u8>> {
        let font = Font::new().unwrap();
        let mut pixels = Pixels::new((8, 6), 1.0, &font);
        draw(&mut pixels);
        pixels.finish().pixels.chunks(8).map(|row| row.iter().map(|pixel| pixel[0]).collect()).collect()
    }

    #[test]
    fn edges_are_smooth_and_overlaps_are_as_dark_as_the_rest() {
        let rows = drawn(|pixels| pixels.line(&[(1.0, 2.5), (6.0, 2.5), (1.0, 2.5), (6.0, 2.5)], [0; 3], 1.0));
        assert_eq!(rows[2], [255, 0, 0, 0, 0, 0, 255, 255]);
        assert_eq!((&rows[1], &rows[3]), (&vec![255; 8], &vec![255; 8]));
        let rows = drawn(|pixels| pixels.area((1.0, 1.0), (2.5, 2.0), [0; 3]));
        assert_eq!(rows[1], [255, 0, 0, 128, 255, 255, 255, 255]);
        // A turn to either side has no notch.
        for turn in [-2.0, 2.0] {
            let rows = drawn(|pixels| pixels.line(&[(1.0, 3.0), (4.0, 3.0), (4.0, 3.0 + turn)], [0; 3], 2.0));
            let outer = if turn > 0.0 { 2 } else { 3 };
            assert!(rows[outer][4] < 140, "{rows:?}");
        }
    }

    #[test]
    fn all_grows_with_the_scale() {
        let font = Font::new().unwrap();
        let mut pixels = Pixels::new((8, 6), 2.0, &font);
        pixels.line(&[(0.5, 1.5), (3.5, 1.5)], [0; 3], 1.0);
        let dark: Vec<usize> =
            pixels.finish().pixels.iter().enumerate().filter(|(_, color)| color[0] == 0).map(|(at, _)| at).collect();
        assert_eq!(dark, [17, 18, 19, 20, 21, 22, 25, 26, 27, 28, 29, 30]);
    }

    #[test]
    fn nothing_is_drawn_beyond_the_picture() {
        let rows = drawn(|pixels| {
            pixels.line(&[(-30.0, -3.0), (90.0, -3.0)], [0; 3], 2.0);
            pixels.disc((-5.0, 3.0), 2.0, [0; 3]);
            pixels.text((9.0, 40.0), "W", Text { size: 12.0, anchor: Anchor::Left, color: [0; 3], is_vertical: false });
        });
        assert!(rows.iter().flatten().all(|byte| *byte == 255), "{rows:?}");
    }
}

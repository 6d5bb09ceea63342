//! The layout of a picture: title, axes, ticks and what is between them, on any surface.

use super::figure::{Axis, Content, Figure, Raster};
use super::legend::{Legend, more};

/// A color, red first.
pub(crate) type Color = [u8; 3];

/// Where the given point of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// In the middle of its left end.
    Left,
    /// In the middle.
    Middle,
    /// In the middle of its right end.
    Right,
}

/// A text: its size is the height of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    pub(crate) size: f64,
    pub(crate) anchor: Anchor,
    pub(crate) color: Color,
    /// Read from below.
    pub(crate) is_vertical: bool,
}

/// A surface to draw on, in pixels from the top left corner.
pub(crate) trait Pen {
    fn line(&mut self, points: &[(f64, f64)], color: Color, width: f64);
    /// A filled rectangle.
    fn area(&mut self, corner: (f64, f64), size: (f64, f64), color: Color);
    /// A filled circle that shows what is below it.
    fn point(&mut self, center: (f64, f64), radius: f64, color: Color);
    fn text(&mut self, place: (f64, f64), text: &str, how: Text);
    fn image(&mut self, corner: (f64, f64), size: (f64, f64), raster: &Raster);
}

pub(crate) const LINES: [Color; 8] =
    [[31, 119, 180], [255, 127, 14], [44, 160, 44], [214, 39, 40], [148, 103, 189], [140, 86, 75], [227, 119, 194], [23, 190, 207]];

const INK: Color = [40, 40, 40];
const FAINT: Color = [225, 225, 225];
const SMALL: f64 = 12.0;
const TITLE: f64 = 16.0;

/// The width of a character in proportion to the height of a line.
pub(crate) const CHARACTER: f64 = 0.58;

/// The height of a name beside the lines.
const LEGEND_LINE: f64 = SMALL * 1.5;

/// The width of a color beside its name, with the gaps around it.
const KEY: f64 = 32.0;

/// The rectangle between the axes.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn x(&self, axis: &Axis, number: f64) -> f64 {
        self.left + axis.part(number) * self.width
    }

    fn y(&self, axis: &Axis, number: f64) -> f64 {
        self.top + (1.0 - axis.part(number)) * self.height
    }
}

/// Draws a figure on a surface of this size.
pub(crate) fn paint(figure: &Figure, (width, height): (f64, f64), pen: &mut dyn Pen) {
    pen.area((0.0, 0.0), (width, height), [255; 3]);
    let y_ticks = y_ticks(figure, height);
    let widest = y_ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0) as f64 * SMALL * CHARACTER;
    let has_title = !figure.title.is_empty();
    let left = widest + 18.0 + if figure.y.label.is_empty() { 0.0 } else { SMALL * 1.6 };
    let top = if has_title { TITLE * 2.2 } else { 16.0 };
    let legend = legend_of(figure, (width, height - top));
    let right = match &figure.content {
        Content::Image(_, Some(_)) => 92.0,
        _ if !legend.is_empty() => {
            let longest = legend.names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(more(legend.rest).len());
            KEY + longest as f64 * SMALL * CHARACTER + 12.0
        }
        _ => 22.0,
    };
    let bottom = SMALL * 1.9 + if figure.x.label.is_empty() { 0.0 } else { SMALL * 1.6 };
    let mut frame = Frame { left, top, width: (width - left - right).max(8.0), height: (height - top - bottom).max(8.0) };
    if let Content::Image(..) = &figure.content {
        frame = with_ratio(frame, figure);
    }
    if has_title {
        let how = Text { size: TITLE, anchor: Anchor::Middle, color: INK, is_vertical: false };
        pen.text((frame.left + frame.width / 2.0, frame.top - TITLE * 0.95), &figure.title, how);
    }
    axes(figure, frame, &y_ticks, widest, pen);
    content(figure, frame, pen);
    draw_legend(&legend, frame, pen);
    let (right, bottom) = (frame.left + frame.width, frame.top + frame.height);
    let corners = [(frame.left, frame.top), (right, frame.top), (right, bottom), (frame.left, bottom), (frame.left, frame.top)];
    pen.line(&corners, INK, 1.0);
}

/// The names of lines, in at most a third of the width.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
fn legend_of(figure: &Figure, (width, height): (f64, f64)) -> Legend {
    let most_width = ((width / 3.0 - KEY) / (SMALL * CHARACTER)).clamp(3.0, 40.0) as usize;
    let most = (height / LEGEND_LINE - 2.0).max(0.0) as usize;
    Legend::of(figure, most_width, most)
}

/// Draws the names of lines to the right, each beside its color.
fn draw_legend(legend: &Legend, frame: Frame, pen: &mut dyn Pen) {
    let how = Text { size: SMALL, anchor: Anchor::Left, color: INK, is_vertical: false };
    let left = frame.left + frame.width + 10.0;
    let line = |place: usize| frame.top + SMALL + place as f64 * LEGEND_LINE;
    for (place, (name, color)) in legend.names.iter().zip(LINES.iter().cycle()).enumerate() {
        pen.area((left, line(place) - 1.5), (16.0, 3.0), *color);
        pen.text((left + 22.0, line(place)), name, how);
    }
    if legend.rest > 0 {
        pen.text((left + 22.0, line(legend.names.len())), &more(legend.rest), how);
    }
}

fn y_ticks(figure: &Figure, height: f64) -> Vec<(f64, String)> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
    let count = (height / 50.0).clamp(2.0, 14.0) as usize;
    ticks(figure, &figure.y, count)
}

/// Ticks of an axis; those of pixels and counts are whole.
fn ticks(figure: &Figure, axis: &Axis, count: usize) -> Vec<(f64, String)> {
    let mut ticks = axis.ticks(count);
    let is_count =
        matches!((&figure.content, axis.label.as_str()), (Content::Image(..), _) | (Content::Bars(_), "count") | (_, "index"));
    ticks.retain(|(number, _)| !is_count || (number - number.round()).abs() < 1e-9);
    ticks
}

/// Pixels are squares, unless the image is too narrow for that.
fn with_ratio(frame: Frame, figure: &Figure) -> Frame {
    let (columns, rows) = (figure.x.most - figure.x.least, figure.y.most - figure.y.least);
    if columns / rows > 6.0 || rows / columns > 6.0 {
        return frame;
    }
    let pixel = (frame.width / columns).min(frame.height / rows);
    let (width, height) = (columns * pixel, rows * pixel);
    Frame { left: frame.left + (frame.width - width) / 2.0, top: frame.top + (frame.height - height) / 2.0, width, height }
}

fn axes(figure: &Figure, frame: Frame, y_ticks: &[(f64, String)], widest: f64, pen: &mut dyn Pen) {
    let (right, bottom) = (frame.left + frame.width, frame.top + frame.height);
    let is_image = matches!(figure.content, Content::Image(..));
    let how = Text { size: SMALL, anchor: Anchor::Middle, color: INK, is_vertical: false };
    for (number, text) in y_ticks {
        let y = if is_image { 2.0 * frame.top + frame.height - frame.y(&figure.y, *number) } else { frame.y(&figure.y, *number) };
        if !is_image {
            pen.line(&[(frame.left, y), (right, y)], FAINT, 1.0);
        }
        pen.line(&[(frame.left - 4.0, y), (frame.left, y)], INK, 1.0);
        pen.text((frame.left - 8.0, y), text, Text { anchor: Anchor::Right, ..how });
    }
    for number in figure.y.minor_ticks() {
        let y = frame.y(&figure.y, number);
        pen.line(&[(frame.left - 2.5, y), (frame.left, y)], INK, 1.0);
    }
    for number in figure.x.minor_ticks() {
        let x = frame.x(&figure.x, number);
        pen.line(&[(x, bottom), (x, bottom + 2.5)], INK, 1.0);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
    let count = (frame.width / if figure.x.is_time() { 90.0 } else { 60.0 }).clamp(2.0, 14.0) as usize;
    for (number, text) in ticks(figure, &figure.x, count) {
        let x = frame.x(&figure.x, number);
        if matches!(figure.content, Content::Points(_)) || figure.x.is_log() {
            pen.line(&[(x, frame.top), (x, bottom)], FAINT, 1.0);
        }
        pen.line(&[(x, bottom), (x, bottom + 4.0)], INK, 1.0);
        pen.text((x, bottom + SMALL * 1.1), &text, how);
    }
    if !figure.x.label.is_empty() {
        pen.text((frame.left + frame.width / 2.0, bottom + SMALL * 2.6), &figure.x.label, how);
    }
    if !figure.y.label.is_empty() {
        let place = (frame.left - widest - 12.0 - SMALL * 0.8, frame.top + frame.height / 2.0);
        pen.text(place, &figure.y.label, Text { is_vertical: true, ..how });
    }
}

fn content(figure: &Figure, frame: Frame, pen: &mut dyn Pen) {
    let (x, y) = (&figure.x, &figure.y);
    match &figure.content {
        Content::Lines(series) => {
            for (series, color) in series.iter().zip(LINES.iter().cycle()) {
                for part in series.points.split(|(_, number)| number.is_nan()).filter(|part| !part.is_empty()) {
                    let points: Vec<(f64, f64)> =
                        part.iter().map(|(index, number)| (frame.x(x, *index), frame.y(y, *number))).collect();
                    match points[..] {
                        [point] => pen.point(point, 2.0, *color),
                        _ => pen.line(&points, *color, 1.3),
                    }
                }
            }
        }
        Content::Points(points) => {
            let radius = if points.len() > 2000 { 1.5 } else { 3.0 };
            for (a, b) in points {
                pen.point((frame.x(x, *a), frame.y(y, *b)), radius, LINES[0]);
            }
        }
        Content::Bars(counts) => {
            let width = frame.width / counts.len().max(1) as f64;
            for (place, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let height = y.part(*count as f64) * frame.height;
                // A gap between the bars, where they are wide enough for it.
                let gap = if width > 6.0 { 1.0 } else { 0.0 };
                let corner = (frame.left + place as f64 * width + gap / 2.0, frame.top + frame.height - height);
                pen.area(corner, (width - gap, height), LINES[0]);
            }
        }
        Content::Image(raster, scale) => {
            pen.image((frame.left, frame.top), (frame.width, frame.height), raster);
            if let Some(scale) = scale {
                let bar = Raster {
                    width: 1,
                    height: 128,
                    pixels: (0..128).rev().map(|step| scale.color(f64::from(step) / 127.0)).collect(),
                };
                let right = frame.left + frame.width;
                pen.image((right + 16.0, frame.top), (12.0, frame.height), &bar);
                let axis = Axis::new("", None, scale.least, scale.most);
                for (number, text) in axis.ticks(6) {
                    let place = (right + 33.0, frame.y(&axis, number));
                    pen.line(&[(right + 28.0, place.1), (right + 31.0, place.1)], INK, 1.0);
                    pen.text(place, &text, Text { size: SMALL, anchor: Anchor::Left, color: INK, is_vertical: false });
                }
            }
        }
    }
}

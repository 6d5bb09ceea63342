//! Pictures in files: the layout of a figure, on a canvas that is SVG or pixels.

// A module imports only from modules above it.
mod canvas;
mod font;
mod png;
mod svg;
mod pixels;
mod sixel;
mod inline;

use super::Format;
use super::figure::{Content, Figure, Scale, Tick, color_of, more};
use crate::colors::{Color, Raster};
use crate::failure::Result;
use canvas::{Anchor, Canvas, Text};
use font::Font;
pub(crate) use inline::Protocol;

/// The size of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paper {
    /// In pixels.
    pub(crate) size: (usize, usize),
    /// The pixels of a unit of the layout, in which labels have 12.
    pub(crate) scale: f64,
    /// The pixels of an inch that a PNG file tells.
    pub(crate) dpi: Option<u16>,
}

impl Paper {
    /// The size in units of the layout.
    fn units(&self) -> (f64, f64) {
        (self.size.0 as f64 / self.scale, self.size.1 as f64 / self.scale)
    }
}

/// The bytes of a file with the picture.
pub(crate) fn render(figure: &Figure, format: Format, paper: Paper) -> Result<Vec<u8>> {
    match format {
        Format::Svg => {
            let (font, size) = (Font::new()?, paper.units());
            let mut svg = svg::Svg::new(paper.size, size);
            Layout::new(figure, size, &font).draw(&mut svg);
            Ok(svg.finish().into_bytes())
        }
        Format::Png => png::encode(&drawn(figure, paper)?, paper.dpi),
    }
}

/// The sequence that shows the picture in a terminal, in as many columns and lines.
pub(crate) fn inline(figure: &Figure, protocol: Protocol, paper: Paper, characters: (usize, usize)) -> Result<String> {
    protocol.sequence(&drawn(figure, paper)?, characters)
}

/// The pixels of the picture.
fn drawn(figure: &Figure, paper: Paper) -> Result<Raster> {
    let font = Font::new()?;
    let mut pixels = pixels::Pixels::new(paper.size, paper.scale, &font);
    Layout::new(figure, paper.units(), &font).draw(&mut pixels);
    Ok(pixels.finish())
}

const INK: Color = [40, 40, 40];
const FAINT: Color = [225, 225, 225];
const SMALL: f64 = 12.0;
const TITLE: f64 = 16.0;

const LABEL: Text = Text { size: SMALL, anchor: Anchor::Middle, color: INK, is_vertical: false };

/// The height of a name beside the lines.
const LEGEND_LINE: f64 = SMALL * 1.5;

/// The width of a color beside its name, with the gaps around it.
const KEY: f64 = 32.0;

/// The rectangle between the axes, in whole pixels.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The pixel of a position on the axes.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.left + x * self.width, self.top + (1.0 - y) * self.height)
    }
}

/// The middle of a pixel: a line of one pixel there has sharp edges.
fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}

/// The parts of a picture and where they are.
struct Layout<'a> {
    figure: &'a Figure,
    font: &'a Font,
    size: (f64, f64),
    frame: Frame,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    scale_ticks: Vec<Tick>,
    /// The names of the lines, the last one without a color where it stands for several.
    legend: Vec<(Option<Color>, String)>,
}

impl<'a> Layout<'a> {
    fn new(figure: &'a Figure, size: (f64, f64), font: &'a Font) -> Self {
        let (width, height) = size;
        let top = if figure.title.is_empty() { 16.0 } else { TITLE * 2.2 };
        let scale_ticks = match &figure.content {
            Content::Image(_, Some(scale)) => scale.axis.ticks(6),
            _ => Vec::new(),
        };
        let frame = Frame { left: 0.0, top, width, height };
        let y_ticks = figure.y.ticks(whole(height / 50.0).clamp(2, 14));
        let mut layout = Self { figure, font, size, frame, x_ticks: Vec::new(), y_ticks, scale_ticks, legend: Vec::new() };
        layout.legend = layout.entries();
        let left = layout.widest(&layout.y_ticks) + 18.0 + space_of(&figure.y.label);
        let legend = layout.legend.iter().map(|(_, name)| font.width(name, SMALL)).reduce(f64::max);
        let right = match legend {
            Some(widest) => KEY + widest + 12.0,
            None if layout.scale_ticks.is_empty() => 22.0,
            None => 45.0 + layout.widest(&layout.scale_ticks),
        };
        let bottom = SMALL * 1.9 + space_of(&figure.x.label);
        let inner = ((width - left - right).max(8.0), (height - top - bottom).max(8.0));
        let fitted = figure.fitted(inner);
        layout.frame = Frame {
            left: (left + (inner.0 - fitted.0) / 2.0).round(),
            top: (top + (inner.1 - fitted.1) / 2.0).round(),
            width: fitted.0.round().max(1.0),
            height: fitted.1.round().max(1.0),
        };
        // As many as stand beside each other.
        let ticks = (1..=14).rev().map(|count| figure.x.ticks(count)).find(|ticks| layout.fit(ticks));
        layout.x_ticks = ticks.unwrap_or_default();
        layout
    }

    fn widest(&self, ticks: &[Tick]) -> f64 {
        ticks.iter().map(|tick| self.font.width(&tick.text, SMALL)).fold(0.0, f64::max)
    }

    /// Whether the texts of ticks at the horizontal axis are apart from each other.
    fn fit(&self, ticks: &[Tick]) -> bool {
        let width = |tick: &Tick| self.font.width(&tick.text, SMALL);
        let is_apart = |a: &Tick, b: &Tick| (b.at - a.at) * self.frame.width >= f64::midpoint(width(a), width(b)) + SMALL * 2.0;
        ticks.iter().zip(ticks.iter().skip(1)).all(|(a, b)| is_apart(a, b))
    }

    /// The legend, in at most a third of the width.
    fn entries(&self) -> Vec<(Option<Color>, String)> {
        let most = whole(((self.size.0 / 3.0 - KEY) / (SMALL * 0.58)).clamp(3.0, 40.0));
        let most_lines = whole((self.size.1 - self.frame.top) / LEGEND_LINE - 2.0);
        let names = self.figure.names(most);
        let count = names.len();
        let shown = if count > most_lines { most_lines.saturating_sub(1) } else { count };
        let lines = names.into_iter().take(shown).enumerate().map(|(series, name)| (Some(color_of(series)), name));
        lines.chain((shown < count && most_lines > 0).then(|| (None, more(count - shown)))).collect()
    }

    fn draw(&self, canvas: &mut dyn Canvas) {
        self.draw_title(canvas);
        self.draw_ticks(canvas);
        self.draw_content(canvas);
        self.draw_scale(canvas);
        for (line, (color, name)) in self.legend.iter().enumerate() {
            let (left, y) = (self.frame.right() + 10.0, (self.frame.top + SMALL + line as f64 * LEGEND_LINE).round());
            if let Some(color) = color {
                canvas.area((left, y - 1.0), (16.0, 3.0), *color);
            }
            canvas.text((left + 22.0, y), name, Text { anchor: Anchor::Left, ..LABEL });
        }
        let (left, right) = (self.frame.left - 0.5, self.frame.right() + 0.5);
        let (top, bottom) = (self.frame.top - 0.5, self.frame.bottom() + 0.5);
        for y in [top, bottom] {
            canvas.line(&[(left - 0.5, y), (right + 0.5, y)], INK, 1.0);
        }
        for x in [left, right] {
            canvas.line(&[(x, top), (x, bottom)], INK, 1.0);
        }
    }

    /// Draws the title above the frame, moved to the side or cut where it is too long for that.
    fn draw_title(&self, canvas: &mut dyn Canvas) {
        let width = |text: &str| self.font.width(text, TITLE);
        let (title, most) = (&self.figure.title, self.size.0 - 12.0);
        let mut title = title.clone();
        if width(&title) > most {
            let mut used = width("…");
            let fits = |character: &char| {
                used += width(character.encode_utf8(&mut [0; 4]));
                used <= most
            };
            title = title.chars().take_while(fits).chain(['…']).collect();
        }
        let middle = self.within(self.frame.left + self.frame.width / 2.0, width(&title));
        let how = Text { size: TITLE, ..LABEL };
        if !title.is_empty() {
            canvas.text((middle, self.frame.top - TITLE * 0.95), &title, how);
        }
    }

    /// The middle of a text of this width, moved so that the picture has all of it.
    fn within(&self, middle: f64, width: f64) -> f64 {
        middle.min(self.size.0 - width / 2.0 - 4.0).max(width / 2.0 + 4.0)
    }

    fn draw_ticks(&self, canvas: &mut dyn Canvas) {
        let (figure, frame) = (self.figure, &self.frame);
        let (left, right, bottom) = (frame.left - 1.0, frame.right(), frame.bottom() + 1.0);
        let has_grid = !matches!(figure.content, Content::Image(..));
        for Tick { at, text } in &self.y_ticks {
            let y = crisp(frame.at((0.0, *at)).1);
            if has_grid {
                canvas.line(&[(frame.left, y), (right, y)], FAINT, 1.0);
            }
            canvas.line(&[(left - 4.0, y), (left, y)], INK, 1.0);
            canvas.text((left - 7.0, y), text, Text { anchor: Anchor::Right, ..LABEL });
        }
        for at in figure.y.minor_ticks() {
            let y = crisp(frame.at((0.0, at)).1);
            canvas.line(&[(left - 2.0, y), (left, y)], INK, 1.0);
        }
        for at in figure.x.minor_ticks() {
            let x = crisp(frame.at((at, 0.0)).0);
            canvas.line(&[(x, bottom), (x, bottom + 2.0)], INK, 1.0);
        }
        for Tick { at, text } in &self.x_ticks {
            let x = crisp(frame.at((*at, 0.0)).0);
            if matches!(figure.content, Content::Points(_)) || figure.x.is_log() {
                canvas.line(&[(x, frame.top), (x, frame.bottom())], FAINT, 1.0);
            }
            canvas.line(&[(x, bottom), (x, bottom + 4.0)], INK, 1.0);
            canvas.text((self.within(x, self.font.width(text, SMALL)), bottom + SMALL * 1.1), text, LABEL);
        }
        if !figure.x.label.is_empty() {
            canvas.text((frame.left + frame.width / 2.0, bottom + SMALL * 2.5), &figure.x.label, LABEL);
        }
        if !figure.y.label.is_empty() {
            let x = left - self.widest(&self.y_ticks) - 11.0 - SMALL * 0.8;
            canvas.text((x, frame.top + frame.height / 2.0), &figure.y.label, Text { is_vertical: true, ..LABEL });
        }
    }

    fn draw_content(&self, canvas: &mut dyn Canvas) {
        let (figure, frame) = (self.figure, &self.frame);
        for (series, points) in figure.strokes() {
            let points: Vec<(f64, f64)> = points.into_iter().map(|point| frame.at(point)).collect();
            match points[..] {
                [point] => canvas.disc(point, 3.0, color_of(series)),
                _ => canvas.line(&points, color_of(series), 1.3),
            }
        }
        match &figure.content {
            Content::Lines(_) => {}
            Content::Points(points) => {
                let radius = if points.len() > 2000 { 1.5 } else { 3.0 };
                for point in points {
                    canvas.disc(frame.at(figure.at(*point)), radius, color_of(0));
                }
            }
            Content::Bars(counts) => {
                let width = frame.width / counts.len().max(1) as f64;
                // A gap between the bars, where they are wide enough for it.
                let gap = if width > 6.0 { 1.0 } else { 0.0 };
                for (bar, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                    let height = figure.y.part(*count as f64) * frame.height;
                    let corner = (frame.left + bar as f64 * width + gap / 2.0, frame.bottom() - height);
                    canvas.area(corner, (width - gap, height), color_of(0));
                }
            }
            Content::Image(raster, _) => canvas.image((frame.left, frame.top), (frame.width, frame.height), raster),
        }
    }

    /// Draws the colors of an image and their numbers to its right.
    fn draw_scale(&self, canvas: &mut dyn Canvas) {
        const SIZE: (usize, usize) = (12, 256);
        let Content::Image(_, Some(Scale { map, missing, .. })) = &self.figure.content else { return };
        let colors = (0..SIZE.1).rev().map(|step| map.color(step as f64 / (SIZE.1 - 1) as f64));
        let bar = Raster { width: SIZE.0, height: SIZE.1, pixels: colors.flat_map(|color| [color; SIZE.0]).collect() };
        let (right, mut frame) = (self.frame.right() + 16.0, self.frame);
        let how = Text { anchor: Anchor::Left, ..LABEL };
        if let Some(color) = missing {
            // A square of the color of NaN below the others.
            frame.height = (frame.height - SMALL * 2.0).max(1.0);
            canvas.area((right, self.frame.bottom() - SMALL), (SMALL, SMALL), *color);
            canvas.text((right + 18.0, self.frame.bottom() - SMALL / 2.0), "NaN", how);
        }
        canvas.image((right, frame.top), (SIZE.0 as f64, frame.height), &bar);
        for Tick { at, text } in &self.scale_ticks {
            let y = crisp(frame.at((0.0, *at)).1);
            canvas.line(&[(right + 12.0, y), (right + 15.0, y)], INK, 1.0);
            canvas.text((right + 18.0, y), text, how);
        }
    }
}

/// The space beside an axis that its label takes.
fn space_of(label: &str) -> f64 {
    if label.is_empty() { 0.0 } else { SMALL * 1.6 }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few; less than none is none")]
fn whole(number: f64) -> usize {
    number as usize
}

//! Pictures as SVG, with a tenth of a pixel.

use std::fmt::Write as _;

use super::canvas::{Anchor, Canvas, Text};
use super::font::MIDDLE;
use super::png;
use crate::colors::{Color, Raster};
use crate::output::base64::base64;

/// An SVG document that is being written.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// Of this size in pixels, and in units of the layout.
    pub(super) fn new((width, height): (usize, usize), (columns, rows): (f64, f64)) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {columns} {rows}\" \
             font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        Self { text }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn push(&mut self, element: &str) {
        self.text.push_str(element);
        self.text.push('\n');
    }
}

fn hex([red, green, blue]: Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Escapes markup, and replaces characters that XML 1.0 forbids.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            character if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}

impl Canvas for Svg {
    fn line(&mut self, points: &[(f64, f64)], color: Color, width: f64) {
        let mut places = String::new();
        for (x, y) in points {
            let _ = write!(places, "{x:.1},{y:.1} ");
        }
        let (places, color) = (places.trim_end(), hex(color));
        self.push(&format!(
            "<polyline points=\"{places}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>"
        ));
    }

    fn area(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), color: Color) {
        let color = hex(color);
        self.push(&format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.2}\" height=\"{height:.1}\" fill=\"{color}\"/>"));
    }

    fn disc(&mut self, (x, y): (f64, f64), radius: f64, color: Color) {
        let color = hex(color);
        self.push(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{color}\" fill-opacity=\"0.6\"/>"));
    }

    fn text(&mut self, (x, y): (f64, f64), text: &str, how: Text) {
        let anchor = match how.anchor {
            Anchor::Left => "start",
            Anchor::Middle => "middle",
            Anchor::Right => "end",
        };
        let turn = if how.is_vertical { format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"") } else { String::new() };
        let (size, color, text) = (how.size, hex(how.color), escaped(text));
        self.push(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" dy=\"{MIDDLE}em\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{color}\"{turn}>{text}</text>"
        ));
    }

    fn image(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), raster: &Raster) {
        // An image that cannot be encoded has no pixels.
        let data = base64(&png::encode(raster, None).unwrap_or_default());
        self.push(&format!(
            "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{data}\"/>"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_as_xml() {
        assert_eq!(escaped("a<b>\x1b&\"é"), "a&lt;b&gt;\u{fffd}&amp;&quot;é");
    }
}

//! Colors and pixels of a terminal: a character has two pixels, one above the other.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{self, Style};

use super::map::Color;
use super::raster::Raster;

/// The colors that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colors {
    None,
    /// The 256 of xterm.
    Indexed,
    True,
}

impl Colors {
    /// Those of the terminal, by its environment, unless there are to be none.
    pub(crate) fn of_terminal(has_color: bool) -> Self {
        let is_true = std::env::var("COLORTERM").is_ok_and(|value| value.contains("truecolor") || value.contains("24bit"));
        match (has_color, is_true) {
            (false, _) => Self::None,
            (true, false) => Self::Indexed,
            (true, true) => Self::True,
        }
    }

    /// The nearest color of the terminal.
    pub(crate) fn nearest(self, color: Color) -> style::Color {
        let [red, green, blue] = color;
        match self {
            Self::None => style::Color::Reset,
            Self::Indexed => style::Color::Indexed(indexed(color).0),
            Self::True => style::Color::Rgb(red, green, blue),
        }
    }

    /// The style of a text on a background: black or white, which of them is more readable.
    #[cfg(feature = "view")]
    pub(crate) fn on(self, background: Color) -> Style {
        let shown = if self == Self::Indexed { indexed(background).1 } else { background };
        // There, the contrast with black is that with white.
        let text = if luminance(shown) > 0.179 { [0; 3] } else { [255; 3] };
        Style::new().fg(self.nearest(text)).bg(self.nearest(background))
    }
}

/// The relative luminance, as the guidelines for web content define it.
#[cfg(feature = "view")]
fn luminance(color: Color) -> f64 {
    let [red, green, blue] = color.map(|byte| {
        let part = f64::from(byte) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The nearest one of the 256 colors of xterm: of a cube of 6 × 6 × 6, or of 24 grays. Returns its number and the color itself.
pub(crate) fn indexed(color: Color) -> (u8, Color) {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance =
        |other: Color| -> u32 { color.iter().zip(other).map(|(own, other)| u32::from(own.abs_diff(other)).pow(2)).sum() };
    let level = |byte: u8| (0..6_u8).min_by_key(|level| LEVELS[usize::from(*level)].abs_diff(byte)).unwrap_or(0);
    let levels = color.map(level);
    let of_cube = (16 + 36 * levels[0] + 6 * levels[1] + levels[2], levels.map(|level| LEVELS[usize::from(level)]));
    let mean = color.iter().map(|byte| u16::from(*byte)).sum::<u16>() / 3;
    let step = u8::try_from(mean.saturating_sub(3) / 10).unwrap_or(0).min(23);
    let of_grays = (232 + step, [8 + 10 * step; 3]);
    if distance(of_grays.1) < distance(of_cube.1) { of_grays } else { of_cube }
}

/// The largest size within another in which the pixels of an image are squares. A narrow image takes all.
pub(crate) fn fitted((columns, rows): (f64, f64), (width, height): (f64, f64)) -> (f64, f64) {
    if columns / rows > 6.0 || rows / columns > 6.0 {
        return (width, height);
    }
    let pixel = (width / columns).min(height / rows);
    (columns * pixel, rows * pixel)
}

/// A length in whole characters.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most as large as before")]
pub(crate) fn rounded(length: f64, most: u16) -> u16 {
    (length.round() as u16).clamp(1, most.max(1))
}

/// Draws an image that fills a rectangle. Without colors, values that are missing have a sign of their own.
pub(crate) fn half_blocks(raster: &Raster, missing: Option<Color>, inner: Rect, colors: Colors, buffer: &mut Buffer) {
    let (columns, rows) = (usize::from(inner.width), usize::from(inner.height) * 2);
    let pixel = |x: u16, y: u16| raster.pixel((x.into(), columns), (y.into(), rows));
    let missing = missing.filter(|_| colors == Colors::None);
    for y in 0..inner.height {
        for x in 0..inner.width {
            let (place, pixels) = ((inner.left() + x, inner.top() + y), [pixel(x, y * 2), pixel(x, y * 2 + 1)]);
            if pixels.map(Some) == [missing; 2] {
                // No shade is that of NaN.
                buffer.set_string(place.0, place.1, "×", Style::new());
            } else {
                two_pixels(buffer, place, pixels, colors);
            }
        }
    }
}

/// Two pixels in one character; a shade of both where there are no colors.
pub(crate) fn two_pixels(buffer: &mut Buffer, place: (u16, u16), [upper, lower]: [Color; 2], colors: Colors) {
    const SHADES: [&str; 5] = [" ", "░", "▒", "▓", "█"];
    let Some(cell) = buffer.cell_mut(place) else { return };
    if colors == Colors::None {
        // ITU-R BT.601.
        let light = |[r, g, b]: Color| (u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114) / 1000;
        let shade = usize::try_from((light(upper) + light(lower)) * 5 / 512).unwrap_or(0);
        cell.set_symbol(SHADES.get(shade).unwrap_or(&"█"));
        return;
    }
    cell.set_symbol("▀").set_fg(colors.nearest(upper)).set_bg(colors.nearest(lower));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_of_xterm_are_the_nearest_ones() {
        assert_eq!(indexed([0; 3]), (16, [0; 3]));
        assert_eq!(indexed([255; 3]), (231, [255; 3]));
        assert_eq!(indexed([255, 0, 0]), (196, [255, 0, 0]));
        assert_eq!(indexed([100, 90, 97]), (59, [95; 3]));
        assert_eq!(indexed([120, 121, 122]), (243, [118; 3]));
        for gray in 0..=255_u8 {
            assert!(indexed([gray; 3]).1[0].abs_diff(gray) <= 9, "{gray}");
        }
    }

    #[test]
    #[cfg(feature = "view")]
    fn text_is_readable_on_each_color_of_each_map() {
        use crate::colors::ColorMap;
        use clap::ValueEnum as _;
        for map in ColorMap::value_variants() {
            let parts = (0..=255).map(|step| map.color(f64::from(step) / 255.0));
            for color in parts.chain([map.missing()]) {
                for (colors, shown) in [(Colors::True, color), (Colors::Indexed, indexed(color).1)] {
                    let style = colors.on(color);
                    let is_black = [[0; 3], [255; 3]].map(|text| Some(colors.nearest(text)))[0] == style.fg;
                    let (text, ground) = (if is_black { 0.0 } else { 1.0 }, luminance(shown));
                    let contrast = (f64::max(text, ground) + 0.05) / (f64::min(text, ground) + 0.05);
                    assert!(contrast >= 4.5 && style.bg == Some(colors.nearest(color)), "{map:?} {color:?} {contrast}");
                }
            }
        }
    }
}

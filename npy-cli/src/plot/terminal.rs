//! Pictures as text: Braille dots, blocks, and half blocks with two pixels.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line, Points};

use super::figure::{Content, Figure, Raster, Scale};
use super::legend::{Legend, more};
use super::paint::LINES;
use crate::escape;

/// Which colors the text may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colors {
    None,
    /// The 256 of xterm.
    Indexed,
    True,
}

/// The part of the text between the axes.
struct Area {
    whole: Rect,
    inner: Rect,
}

/// The lines of a picture of this size.
pub(crate) fn text(figure: &Figure, width: u16, height: u16, colors: Colors) -> String {
    let whole = Rect::new(0, 0, width.max(24), height.max(6));
    let mut buffer = Buffer::empty(whole);
    let area = frame(figure, whole, &mut buffer);
    match &figure.content {
        Content::Image(raster, scale) => image(raster, scale.as_ref(), &area, colors, &mut buffer),
        Content::Bars(counts) => bars(figure, counts, area.inner, &mut buffer),
        Content::Lines(_) | Content::Points(_) => dots(figure, area.inner, &mut buffer),
    }
    name_lines(figure, area.inner.bottom() + 2, &mut buffer);
    lines(&buffer, colors)
}

/// Writes the names of several lines, each after its color, as far as there is room.
fn name_lines(figure: &Figure, y: u16, buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width);
    let names = Legend::of(figure, width / 3, usize::MAX).names;
    let mut x = 1;
    for (place, name) in names.iter().enumerate() {
        let name = escape::line(name);
        let (length, left) = (name.chars().count() + 2, names.len() - place);
        let more = more(left);
        let reserved = if left > 1 { more.len() + 2 } else { 0 };
        if x + length + reserved > width {
            buffer.set_stringn(column(x), y, more, width - x, Style::new());
            return;
        }
        buffer.set_string(column(x), y, "━", Style::new().fg(color_of(place)));
        buffer.set_string(column(x + 2), y, &*name, Style::new());
        x += length + 2;
    }
}

fn column(place: usize) -> u16 {
    u16::try_from(place).unwrap_or(u16::MAX)
}

fn color_of(series: usize) -> Color {
    LINES.get(series % LINES.len()).map_or(Color::Reset, |[r, g, b]| Color::Rgb(*r, *g, *b))
}

/// Draws title, axes and ticks.
fn frame(figure: &Figure, whole: Rect, buffer: &mut Buffer) -> Area {
    let title = escape::line(&figure.title).into_owned();
    let top = u16::from(!title.is_empty());
    let is_image = matches!(figure.content, Content::Image(..));
    let legend_rows = u16::from(!Legend::of(figure, 1, usize::MAX).is_empty());
    let rows = whole.height - top - 2 - legend_rows;
    let ticks = figure.y.ticks(usize::from(rows / 3).max(2));
    let widest = ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
    let left = u16::try_from(widest).unwrap_or(0).min(whole.width / 3) + 1;
    // The colors beside an image, and the numbers at both ends of them, which must not be cut.
    let legend = match &figure.content {
        Content::Image(_, Some(scale)) => {
            let texts = scale.ends().map(|text| text.chars().count());
            u16::try_from(5 + texts[0].max(texts[1])).unwrap_or(16)
        }
        _ => 0,
    };
    let mut inner = Rect::new(left + 1, top, whole.width.saturating_sub(left + 2 + legend).max(4), rows);
    if let (Content::Image(raster, _), true) = (&figure.content, is_image) {
        inner = with_ratio(inner, raster);
    }
    let faint = Style::new().fg(Color::DarkGray);
    for y in inner.top()..inner.bottom() {
        buffer.set_string(left, y, "│", faint);
    }
    for (number, text) in ticks.into_iter().filter(|(number, _)| !is_image || number.fract() == 0.0) {
        let part = figure.y.part(number);
        let y = inner.top() + place(if is_image { part } else { 1.0 - part }, inner.height);
        let text: String = text.chars().take(usize::from(left - 1)).collect();
        let x = left - 1 - u16::try_from(text.chars().count()).unwrap_or(0);
        buffer.set_string(x, y, &text, Style::new());
        buffer.set_string(left, y, "┤", faint);
    }
    let bottom = inner.bottom();
    buffer.set_string(left, bottom, format!("└{}", "─".repeat(usize::from(inner.width))), faint);
    let spacing = if figure.x.is_time() { 16 } else { 9 };
    let ticks = figure.x.ticks(usize::from(inner.width / spacing).max(2));
    let mut free = 0;
    for (number, text) in ticks.into_iter().filter(|(number, _)| !is_image && figure.x.label != "index" || number.fract() == 0.0) {
        let x = inner.left() + place(figure.x.part(number), inner.width);
        let length = u16::try_from(text.chars().count()).unwrap_or(0);
        let begin = x.saturating_sub(length / 2).min(whole.width.saturating_sub(length));
        buffer.set_string(x, bottom, "┬", faint);
        if begin >= free {
            buffer.set_stringn(begin, bottom + 1, &text, usize::from(whole.width), Style::new());
            free = begin + length + 1;
        }
    }
    if top > 0 {
        let length = u16::try_from(title.chars().count()).unwrap_or(u16::MAX);
        let x = inner.left() + inner.width.saturating_sub(length) / 2;
        buffer.set_stringn(x, 0, &title, usize::from(whole.width.saturating_sub(x)), Style::new());
    }
    Area { whole, inner }
}

/// A character for a part from 0 to 1.
fn place(part: f64, length: u16) -> u16 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let place = (part * f64::from(length)) as u16;
    place.min(length.saturating_sub(1))
}

/// Pixels are about square: a character has the room of two, one on the other.
fn with_ratio(inner: Rect, raster: &Raster) -> Rect {
    let (columns, rows) = (raster.width as f64, raster.height as f64);
    if columns / rows > 6.0 || rows / columns > 6.0 {
        return inner;
    }
    let pixel = (f64::from(inner.width) / columns).min(f64::from(inner.height) * 2.0 / rows);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most as large as before")]
    let whole = |length: f64| length.round() as u16;
    Rect { width: whole(columns * pixel).clamp(1, inner.width), height: whole(rows * pixel / 2.0).clamp(1, inner.height), ..inner }
}

fn dots(figure: &Figure, inner: Rect, buffer: &mut Buffer) {
    // Moved and scaled to 0 to 1: of a large range ratatui would lose digits.
    let scaled = |(x, y): &(f64, f64)| (figure.x.part(*x), figure.y.part(*y));
    // A few points are seen better than dots of Braille.
    let are_few = matches!(&figure.content, Content::Points(points) if points.len() <= 500);
    let marker = if are_few { Marker::Dot } else { Marker::Braille };
    let canvas = Canvas::default().marker(marker).x_bounds([0.0, 1.0]).y_bounds([0.0, 1.0]);
    canvas
        .paint(|context| match &figure.content {
            Content::Lines(series) => {
                for (place, series) in series.iter().enumerate() {
                    for part in series.points.split(|(_, number)| number.is_nan()) {
                        let points: Vec<(f64, f64)> = part.iter().map(scaled).collect();
                        context.draw(&Points { coords: &points, color: color_of(place) });
                        for pair in points.windows(2) {
                            if let [(x1, y1), (x2, y2)] = *pair {
                                context.draw(&Line { x1, y1, x2, y2, color: color_of(place) });
                            }
                        }
                    }
                }
            }
            Content::Points(points) => {
                let points: Vec<(f64, f64)> = points.iter().map(scaled).collect();
                context.draw(&Points { coords: &points, color: color_of(0) });
            }
            Content::Bars(_) | Content::Image(..) => {}
        })
        .render(inner, buffer);
}

fn bars(figure: &Figure, counts: &[u64], inner: Rect, buffer: &mut Buffer) {
    const LEVELS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let style = Style::new().fg(color_of(0));
    for column in 0..inner.width {
        let bin = usize::from(column) * counts.len() / usize::from(inner.width.max(1));
        let count = counts.get(bin).copied().unwrap_or(0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most as high as the text")]
        let eighths = (figure.y.part(count as f64) * f64::from(inner.height) * 8.0).round() as usize;
        let eighths = eighths.max(usize::from(count > 0));
        for row in 0..inner.height {
            let level = eighths.saturating_sub(usize::from(row) * 8).min(8);
            if let Some(symbol) = LEVELS.get(level).filter(|_| level > 0) {
                buffer.set_string(inner.left() + column, inner.bottom() - 1 - row, symbol, style);
            }
        }
    }
}

fn image(raster: &Raster, scale: Option<&Scale>, area: &Area, colors: Colors, buffer: &mut Buffer) {
    let inner = area.inner;
    let (columns, rows) = (usize::from(inner.width), usize::from(inner.height) * 2);
    let pixel = |x: usize, y: usize| raster.pixel(x * raster.width / columns.max(1), y * raster.height / rows.max(1));
    for y in 0..inner.height {
        for x in 0..inner.width {
            let (upper, lower) = (pixel(x.into(), usize::from(y) * 2), pixel(x.into(), usize::from(y) * 2 + 1));
            two_pixels(buffer, (inner.left() + x, inner.top() + y), upper, lower, colors);
        }
    }
    let Some(scale) = scale else { return };
    let bar = inner.right() + 2;
    for y in 0..inner.height {
        let part = |half: u16| 1.0 - (f64::from(y * 2 + half) + 0.5) / f64::from(inner.height * 2);
        for x in [bar, bar + 1] {
            if x < area.whole.width {
                two_pixels(buffer, (x, inner.top() + y), scale.color(part(0)), scale.color(part(1)), colors);
            }
        }
    }
    let [least, most] = scale.ends();
    for (y, text) in [(inner.top(), most), (inner.bottom() - 1, least)] {
        let room = usize::from(area.whole.width.saturating_sub(bar + 3));
        buffer.set_stringn((bar + 3).min(area.whole.width - 1), y, text, room, Style::new());
    }
}

/// Two pixels in one character; a shade of both where there are no colors.
fn two_pixels(buffer: &mut Buffer, place: (u16, u16), upper: [u8; 3], lower: [u8; 3], colors: Colors) {
    const SHADES: [&str; 5] = [" ", "░", "▒", "▓", "█"];
    let Some(cell) = buffer.cell_mut(place) else { return };
    if colors == Colors::None {
        // ITU-R BT.601.
        let light = |[r, g, b]: [u8; 3]| (u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114) / 1000;
        let shade = usize::try_from((light(upper) + light(lower)) * 5 / 512).unwrap_or(0);
        cell.set_symbol(SHADES.get(shade).unwrap_or(&"█"));
        return;
    }
    let color = |[r, g, b]: [u8; 3]| Color::Rgb(r, g, b);
    cell.set_symbol("▀").set_fg(color(upper)).set_bg(color(lower));
}

/// The lines of the buffer, with escape sequences for its colors.
fn lines(buffer: &Buffer, colors: Colors) -> String {
    let width = usize::from(buffer.area.width).max(1);
    let mut text = String::new();
    for row in buffer.content().chunks(width) {
        let is_blank = |cell: &Cell| cell.symbol() == " " && cell.bg == Color::Reset;
        let used = row.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1);
        let mut current = (Color::Reset, Color::Reset);
        for cell in row.iter().take(used) {
            if colors != Colors::None && (cell.fg, cell.bg) != current {
                current = (cell.fg, cell.bg);
                let _ = write!(text, "\x1b[0{}{}m", code(cell.fg, 38, colors), code(cell.bg, 48, colors));
            }
            text.push_str(cell.symbol());
        }
        if current != (Color::Reset, Color::Reset) {
            text.push_str("\x1b[0m");
        }
        text.push('\n');
    }
    while text.ends_with("\n\n") {
        text.pop();
    }
    text
}

/// The numbers that select a color in a terminal.
fn code(color: Color, layer: u8, colors: Colors) -> String {
    match color {
        Color::Rgb(r, g, b) if colors == Colors::True => format!(";{layer};2;{r};{g};{b}"),
        Color::Rgb(r, g, b) => {
            // The cube of 6 × 6 × 6 colors.
            let level = |byte: u8| u16::from(byte) * 5 / 255 + u16::from(u16::from(byte) * 5 % 255 > 127);
            format!(";{layer};5;{}", 16 + 36 * level(r) + 6 * level(g) + level(b))
        }
        Color::DarkGray => ";90".to_owned(),
        _ => String::new(),
    }
}

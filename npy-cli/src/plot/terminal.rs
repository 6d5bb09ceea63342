//! Figures as text: Braille dots, blocks, and half blocks with two pixels.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line, Points};

use super::figure::{Content, Figure, Scale, Tick, color_of, more};
use crate::colors::{Colors, Raster, half_blocks, indexed, rounded, two_pixels};
use crate::escape;
use crate::values::bins::bin;

/// The lines of a figure of this size.
pub(crate) fn text(figure: &Figure, width: u16, height: u16, colors: Colors) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width.max(24), height.max(6)));
    let inner = frame(figure, &mut buffer);
    match &figure.content {
        Content::Image(raster, scale) => image(raster, scale.as_ref(), inner, colors, &mut buffer),
        Content::Bars(counts) => bars(figure, counts, inner, &mut buffer),
        Content::Lines(_) | Content::Points(_) => dots(figure, inner, &mut buffer),
    }
    legend(figure, inner.bottom() + 2, &mut buffer);
    lines(&buffer, colors)
}

/// Writes the names of several lines, each after its color, as far as they fit.
fn legend(figure: &Figure, y: u16, buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width);
    let names = figure.names(width / 3);
    let mut x = 1;
    for (series, name) in names.iter().enumerate() {
        let name = escape::line(name);
        let (length, left) = (name.chars().count() + 2, names.len() - series);
        let more = more(left);
        let reserved = if left > 1 { more.len() + 2 } else { 0 };
        if x + length + reserved > width {
            buffer.set_stringn(short(x), y, more, width - x, Style::new());
            return;
        }
        buffer.set_string(short(x), y, "━", style_of(series));
        buffer.set_string(short(x + 2), y, &*name, Style::new());
        x += length + 2;
    }
}

fn short(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

fn rgb([red, green, blue]: [u8; 3]) -> Color {
    Color::Rgb(red, green, blue)
}

fn style_of(series: usize) -> Style {
    Style::new().fg(rgb(color_of(series)))
}

fn length_of(text: &str) -> u16 {
    short(text.chars().count())
}

/// Draws title, axes and ticks. Returns the rectangle between the axes.
fn frame(figure: &Figure, buffer: &mut Buffer) -> Rect {
    let whole = buffer.area;
    let faint = Style::new().fg(Color::DarkGray);
    let title = escape::line(&figure.title).into_owned();
    let top = u16::from(!title.is_empty());
    let rows = whole.height - top - 2 - u16::from(!figure.names(1).is_empty());
    let y_ticks = figure.y.ticks(usize::from(rows / 3).max(2));
    let widest = y_ticks.iter().map(|tick| length_of(&tick.text)).max().unwrap_or(0);
    let left = widest.min(whole.width / 3) + 1;
    // The colors beside an image, and the numbers at both ends of them, which must not be cut.
    let scale = match &figure.content {
        Content::Image(_, Some(scale)) => 5 + scale.ends().iter().map(|text| length_of(text)).max().unwrap_or(0),
        _ => 0,
    };
    let inner = fitted(figure, Rect::new(left + 1, top, whole.width.saturating_sub(left + 2 + scale).max(4), rows));
    for y in inner.top()..inner.bottom() {
        buffer.set_string(left, y, "│", faint);
    }
    for Tick { at, text } in y_ticks {
        let y = inner.top() + cell(1.0 - at, inner.height);
        let text: String = text.chars().take(usize::from(left - 1)).collect();
        buffer.set_string(left - 1 - length_of(&text), y, &text, Style::new());
        buffer.set_string(left, y, "┤", faint);
    }
    let bottom = inner.bottom();
    buffer.set_string(left, bottom, format!("└{}", "─".repeat(usize::from(inner.width))), faint);
    let spacing = if figure.x.is_time() { 16 } else { 9 };
    let mut free = 0;
    for Tick { at, text } in figure.x.ticks(usize::from(inner.width / spacing).max(2)) {
        let (x, length) = (inner.left() + cell(at, inner.width), length_of(&text));
        let begin = x.saturating_sub(length / 2).min(whole.width.saturating_sub(length));
        buffer.set_string(x, bottom, "┬", faint);
        if begin >= free {
            buffer.set_stringn(begin, bottom + 1, &text, usize::from(whole.width), Style::new());
            free = begin + length + 1;
        }
    }
    let x = inner.left() + inner.width.saturating_sub(length_of(&title)) / 2;
    buffer.set_stringn(x, 0, &title, usize::from(whole.width.saturating_sub(x)), Style::new());
    inner
}

/// The character at a part of a length.
fn cell(part: f64, length: u16) -> u16 {
    short(bin(part, length.into()))
}

/// The part of a rectangle in which the pixels of an image are about square: a character has two of them.
fn fitted(figure: &Figure, inner: Rect) -> Rect {
    let (width, height) = figure.fitted((inner.width.into(), f64::from(inner.height) * 2.0));
    Rect { width: rounded(width, inner.width), height: rounded(height / 2.0, inner.height), ..inner }
}

fn dots(figure: &Figure, inner: Rect, buffer: &mut Buffer) {
    let points: Vec<(f64, f64)> = match &figure.content {
        Content::Points(points) => points.iter().map(|point| figure.at(*point)).collect(),
        _ => Vec::new(),
    };
    // A few points are seen better than dots of Braille.
    let marker = if (1..=500).contains(&points.len()) { Marker::Dot } else { Marker::Braille };
    let canvas = Canvas::default().marker(marker).x_bounds([0.0, 1.0]).y_bounds([0.0, 1.0]);
    let paint = |context: &mut ratatui::widgets::canvas::Context<'_>| {
        context.draw(&Points { coords: &points, color: rgb(color_of(0)) });
        for (series, points) in figure.strokes() {
            let color = rgb(color_of(series));
            context.draw(&Points { coords: &points, color });
            for (&(x1, y1), &(x2, y2)) in points.iter().zip(points.iter().skip(1)) {
                context.draw(&Line { x1, y1, x2, y2, color });
            }
        }
    };
    canvas.paint(paint).render(inner, buffer);
}

fn bars(figure: &Figure, counts: &[u64], inner: Rect, buffer: &mut Buffer) {
    const LEVELS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let style = style_of(0);
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

fn image(raster: &Raster, scale: Option<&Scale>, inner: Rect, colors: Colors, buffer: &mut Buffer) {
    let whole_width = buffer.area.width;
    half_blocks(raster, scale.and_then(|scale| scale.missing), inner, colors, buffer);
    let Some(scale) = scale else { return };
    let bar = inner.right() + 2;
    for y in 0..inner.height {
        let color = |half: u16| scale.map.color(1.0 - (f64::from(y * 2 + half) + 0.5) / f64::from(inner.height * 2));
        for x in [bar, bar + 1].into_iter().filter(|x| *x < whole_width) {
            two_pixels(buffer, (x, inner.top() + y), [color(0), color(1)], colors);
        }
    }
    let [least, most] = scale.ends();
    for (y, text) in [(inner.top(), most), (inner.bottom() - 1, least)] {
        let room = usize::from(whole_width.saturating_sub(bar + 3));
        buffer.set_stringn((bar + 3).min(whole_width - 1), y, text, room, Style::new());
    }
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
        Color::Rgb(r, g, b) => format!(";{layer};5;{}", indexed([r, g, b]).0),
        Color::Indexed(index) => format!(";{layer};5;{index}"),
        Color::DarkGray => ";90".to_owned(),
        _ => String::new(),
    }
}

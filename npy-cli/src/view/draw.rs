//! Drawing: the title, the heads, the cells, the last line, and popups over them.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Block, Borders, Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::files::cut_begin;
use super::model::{Layout, Mode, Model};
use super::picture::Picture;
use super::popup::Popup;
use super::visible::{GAP, Shown, Visible};
use crate::colors::{Colors, half_blocks};
use crate::escape;
use crate::failure::Result;
use crate::output::table::cut;
use crate::values::{fields, quantity};

/// Longer filters are cut in the last line.
const MOST_FILTER: usize = 40;

/// The styles, with colors or without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    title: Style,
    head: Style,
    head_of_cursor: Style,
    label: Style,
    number: Style,
    cursor: Style,
    row_of_cursor: Style,
    trouble: Style,
    status: Style,
    colors: Colors,
}

impl Theme {
    pub(crate) fn new(colors: Colors) -> Self {
        let (plain, has_color) = (Style::new(), colors != Colors::None);
        let color = |color: Color| if has_color { plain.fg(color) } else { plain };
        Self {
            title: plain.add_modifier(Modifier::BOLD),
            head: color(Color::Cyan),
            head_of_cursor: color(Color::Cyan).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            label: if has_color { color(Color::DarkGray) } else { plain.add_modifier(Modifier::DIM) },
            number: plain,
            cursor: plain.add_modifier(Modifier::REVERSED),
            row_of_cursor: plain.add_modifier(Modifier::BOLD),
            trouble: if has_color { color(Color::Red) } else { plain.add_modifier(Modifier::BOLD) },
            status: color(Color::Yellow),
            colors,
        }
    }
}

/// Draws all of it. On a low screen, the title gives way first, and then the last line.
pub(crate) fn draw(frame: &mut Frame<'_>, model: &mut Model, theme: Theme) -> Result<()> {
    let area = frame.area();
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    if width == 0 || height == 0 {
        return Ok(());
    }
    let title_lines = usize::from(height >= 4);
    let is_prompt = matches!(model.mode, Mode::Prompt { .. });
    // A message may have several lines, and the prompt stands below it.
    let message_lines = model.message.as_ref().map_or(0, |message| message.text.lines().count());
    let wanted = (message_lines + usize::from(is_prompt)).max(usize::from(height >= 3));
    let status_lines = wanted.min(height.saturating_sub(2).max(1));
    let head_lines = usize::from(height >= 2);
    let body = height.saturating_sub(title_lines + status_lines + head_lines);
    let place = Rect { y: area.y + short(title_lines), height: short(head_lines + body), ..area };
    model.prepare((place.width, place.height))?;
    let visible = match model.picture.is_none().then(|| model.visible(width, body.max(1))).transpose() {
        Ok(visible) => visible,
        Err(failure) => {
            model.report(failure)?;
            None
        }
    };
    let buffer = frame.buffer_mut();
    let mut canvas = Canvas { buffer, area, theme };
    if title_lines > 0 {
        canvas.title(model);
    }
    model.layout = Layout::default();
    if let Some(visible) = &visible {
        let first = title_lines + head_lines;
        model.layout = Layout { lines: first..first + visible.labels.len().min(body), columns: visible.places() };
        canvas.table(model, visible, title_lines, body, head_lines);
    }
    if let Some(picture) = &model.picture {
        canvas.picture(picture, place);
    }
    if status_lines > 0 {
        canvas.status(model, height - status_lines, status_lines);
    }
    if let Mode::Prompt { text, .. } = &model.mode {
        // In front of it is the sign of the prompt.
        let column = (1 + escape::line(text).width()).min(width - 1);
        frame.set_cursor_position((u16::try_from(column).unwrap_or(0), area.height - 1));
    }
    if let Mode::Popup(popup) = &mut model.mode {
        draw_popup(frame, popup, theme);
    }
    Ok(())
}

struct Canvas<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    theme: Theme,
}

impl Canvas<'_> {
    /// Writes a text without control characters, cut to a width. Returns its width.
    fn text(&mut self, column: usize, line: usize, text: &str, most: usize, style: Style) -> usize {
        let (Ok(x), Ok(y)) = (u16::try_from(column), u16::try_from(line)) else { return 0 };
        let area = self.area;
        if x >= area.width || y >= area.height {
            return 0;
        }
        let most = most.min(usize::from(area.width - x));
        let text = cut(text, most);
        self.buffer.set_stringn(area.x + x, area.y + y, &text, most, style);
        text.width()
    }

    fn width(&self) -> usize {
        usize::from(self.area.width)
    }

    fn title(&mut self, model: &Model) {
        let header = model.source.header();
        let file = model.source.input().name();
        let name = model.files.member().map_or_else(|| file.to_owned(), |member| format!("{file}:{member}"));
        let mut about = quantity::shape(header.shape());
        if model.grid.fields().is_none() {
            about = format!("{}  {about}", header.dtype());
        }
        let place = model.grid.place();
        if !place.is_empty() {
            about = format!("{about}  {place}");
        }
        if model.files.len() > 1 {
            about = format!("{about}  {} of {}", model.files.current() + 1, model.files.len());
        }
        let (name, about) = (escape::line(&name), escape::line(&about));
        // Of a long path the end tells most.
        let width = self.width();
        let most = width.saturating_sub(about.width() + GAP).max(width / 4);
        let used = self.text(0, 0, &cut_begin(&name, most), most, self.theme.title) + GAP;
        self.text(used, 0, &about, width.saturating_sub(used), self.theme.label);
    }

    fn table(&mut self, model: &Model, visible: &Visible, top: usize, body: usize, head_lines: usize) {
        let cursor = model.cursor;
        if visible.labels.is_empty() {
            let text = match model.order.kept() {
                Some(kept) => format!("no row where {}", escape::line(&kept.text)),
                None => format!("no elements: the shape is {}", quantity::shape(model.grid.shape())),
            };
            let width = self.width();
            self.text(0, top + head_lines, &text, width, self.theme.label);
            return;
        }
        let first_line = top + head_lines;
        for (row, label) in visible.labels.iter().enumerate().take(body) {
            let style = if cursor.top + row == cursor.row { self.theme.row_of_cursor } else { self.theme.label };
            let blanks = visible.label_width.saturating_sub(label.len());
            self.text(blanks, first_line + row, label, visible.label_width, style);
        }
        for (shown, (_, place)) in visible.columns.iter().zip(visible.places()) {
            let column = place.start;
            if head_lines > 0 {
                self.head(model, shown, column, top);
            }
            for (row, cell) in shown.cells.iter().enumerate().take(body) {
                let is_row = cursor.top + row == cursor.row;
                let is_cursor = is_row && shown.column == cursor.column;
                let plain = shown.heat.get(row).map_or(self.theme.number, |color| self.theme.colors.on(*color));
                let style = if is_cursor { plain.patch(self.theme.cursor) } else { plain };
                self.cell(shown, cell, column, first_line + row, style);
            }
        }
    }

    /// Draws a picture in the middle of its place.
    fn picture(&mut self, picture: &Picture, place: Rect) {
        let Some(colored) = &picture.colored else { return };
        let (width, height) = picture.size();
        let (width, height) = (width.min(place.width), height.min(place.height));
        let x = place.x + (place.width - width) / 2;
        half_blocks(&colored.raster, colored.missing, Rect { x, width, height, ..place }, self.theme.colors, self.buffer);
    }

    fn head(&mut self, model: &Model, shown: &Shown, column: usize, line: usize) {
        let style = if shown.column == model.cursor.column { self.theme.head_of_cursor } else { self.theme.head };
        let mark = match model.order.column() {
            Some((sorted, true)) if sorted == shown.column => "▼",
            Some((sorted, false)) if sorted == shown.column => "▲",
            _ => "",
        };
        // The mark stands in the gap, so that the title is not cut for it.
        let title = cut(&shown.title, shown.width);
        let blanks = if shown.is_right { shown.width.saturating_sub(title.width()) } else { 0 };
        self.text(column + blanks, line, &title, shown.width, style);
        self.text(column + blanks + title.width(), line, mark, 1, style);
    }

    fn cell(&mut self, shown: &Shown, cell: &str, column: usize, line: usize, style: Style) {
        let cell = cut(cell, shown.width);
        let blanks = " ".repeat(shown.width.saturating_sub(cell.width()));
        let text = if shown.is_right { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") };
        self.text(column, line, &text, shown.width, style);
    }

    /// Draws the last lines: the message and the prompt, or the position of the cursor.
    fn status(&mut self, model: &Model, first: usize, lines: usize) {
        let width = self.width();
        let is_prompt = matches!(model.mode, Mode::Prompt { .. });
        if let Some(message) = &model.message {
            let style = if message.is_trouble { self.theme.trouble } else { self.theme.status };
            for (line, text) in message.text.lines().take(lines - usize::from(is_prompt)).enumerate() {
                self.text(0, first + line, &escape::line(text), width, style);
            }
        }
        let line = first + lines - 1;
        if let Mode::Prompt { prompt, text } = &model.mode {
            let text = format!("{}{}", prompt.sign(), escape::line(text));
            // The user types at the end of a long text.
            let hidden = text.width().saturating_sub(width.saturating_sub(1));
            let shown: String = text.chars().skip(hidden).collect();
            self.text(0, line, &shown, width, self.theme.title);
            return;
        }
        if model.message.is_some() {
            return;
        }
        let place = place(model);
        let used = self.text(0, line, &place, width, self.theme.status);
        let hint = match (model.is_stale, &model.picture) {
            (true, _) => "changed, R reads it  ? help",
            (false, Some(_)) => "p table  ? help",
            (false, None) => "? help  q quit",
        };
        if used + 2 + hint.len() <= width {
            self.text(width - hint.len(), line, hint, hint.len(), self.theme.label);
        }
    }
}

fn short(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

/// The position of the cursor, and the rows that are shown.
fn place(model: &Model) -> String {
    let cursor = model.cursor;
    let picture = model.picture.as_ref().map(Picture::about);
    if let Some(about) = picture.as_ref().filter(|_| model.grid.fields().is_none()) {
        return about.clone();
    }
    let all = quantity::count(model.grid.rows() as u64);
    let mut place = format!("row {} of {all}", model.order.row(cursor.row));
    if let Some(kept) = model.order.kept() {
        let found = quantity::counted(kept.rows.len() as u64, "row");
        let filter = format!("{found} where {}", cut(&escape::line(&kept.text), MOST_FILTER));
        place = if kept.rows.is_empty() { filter } else { format!("{place}  {filter}") };
    }
    if model.grid.columns() > 1 {
        let title = model.grid.title(cursor.column);
        let dtype = model.grid.dtype(cursor.column);
        place = match model.grid.fields() {
            Some(_) if picture.is_none() && fields::scalar_of(dtype).is_some() => {
                format!("{place}  {title} {}", escape::line(&dtype.to_string()))
            }
            Some(_) => format!("{place}  {title}"),
            None => format!("{place}, column {title} of {}", quantity::count(model.grid.columns() as u64)),
        };
    }
    picture.map(|about| format!("{place}, {about}")).unwrap_or(place)
}

fn draw_popup(frame: &mut Frame<'_>, popup: &mut Popup, theme: Theme) {
    let area = frame.area();
    let widest = popup.lines.iter().map(|line| line.width()).chain([popup.title.width() + 2]).max().unwrap_or(0);
    // A small screen has space for the text alone.
    let border = u16::from(area.height >= 8 && area.width >= 24);
    let length = |length: usize, most: u16| u16::try_from(length).unwrap_or(u16::MAX).saturating_add(2 * border).min(most);
    let (width, height) = (length(widest + 2 * usize::from(border), area.width), length(popup.lines.len(), area.height));
    let place = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    Clear.render(place, frame.buffer_mut());
    let mut inner = place;
    if border > 0 {
        let block = Block::new().borders(Borders::ALL).title(format!(" {} ", popup.title)).title_style(theme.title);
        inner = block.inner(place);
        block.render(place, frame.buffer_mut());
        inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    }
    popup.fit(usize::from(inner.height));
    let span = |begin: u16, length: u16| usize::from(begin)..usize::from(begin.saturating_add(length));
    popup.place = (span(inner.x, inner.width), span(inner.y, inner.height));
    let mut canvas = Canvas { buffer: frame.buffer_mut(), area: inner, theme };
    let width = canvas.width();
    for (line, text) in popup.lines.iter().enumerate().skip(popup.top).take(usize::from(inner.height)) {
        let style = if popup.selected == Some(line) { theme.cursor } else { theme.number };
        canvas.text(0, line - popup.top, text, width, style);
    }
}

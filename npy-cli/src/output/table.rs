//! Tables on the screen: columns without lines, as wide as the terminal at most.

use std::borrow::Cow;
use std::io::{self, Write};

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table as Grid, Width};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::output::{Screen, Style};

/// The side of a column on which its texts are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A table whose texts were escaped before.
pub(crate) struct Table {
    titles: Vec<(String, Side)>,
    /// Of the lines.
    width: u16,
    rows: Vec<Vec<String>>,
}

/// Rows that are laid out at once, where each cell takes far more memory than its text.
const PAGE: usize = 1024;

/// Blanks behind a column.
const GAP: u16 = 2;

impl Table {
    /// A table with these columns.
    pub(crate) fn new(screen: &Screen, columns: &[(&str, Side)]) -> Self {
        let titles = columns.iter().map(|(title, side)| (screen.paint(Style::Faint, title), *side)).collect();
        // A table that another program reads is not wrapped.
        let width = if screen.is_terminal() { u16::try_from(screen.width()).unwrap_or(u16::MAX) } else { u16::MAX };
        Self { titles, width, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes the table, each line indented.
    pub(crate) fn write(&self, out: &mut dyn Write, indent: &str) -> io::Result<()> {
        let pages = || (0..self.rows.len().max(1)).step_by(PAGE).map(|begin| self.rows.iter().skip(begin).take(PAGE));
        let mut widths = vec![0; self.titles.len()];
        for page in pages().filter(|_| self.rows.len() > PAGE) {
            let of_page = self.grid(page, true).column_max_content_widths();
            widths.iter_mut().zip(of_page).for_each(|(width, of_page)| *width = of_page.saturating_add(GAP).max(*width));
        }
        let is_fixed = self.rows.len() > PAGE && widths.iter().copied().map(u32::from).sum::<u32>() <= self.width.into();
        for (number, page) in pages().enumerate() {
            let mut grid = self.grid(page, number == 0);
            if is_fixed {
                grid.set_constraints(widths.iter().map(|width| ColumnConstraint::Absolute(Width::Fixed(*width))));
            }
            for line in grid.to_string().lines() {
                writeln!(out, "{indent}{}", line.trim_end())?;
            }
        }
        Ok(())
    }

    /// Some rows, the first ones below the titles.
    fn grid<'a>(&'a self, rows: impl Iterator<Item = &'a Vec<String>>, is_first: bool) -> Grid {
        let mut grid = Grid::new();
        grid.load_preset(comfy_table::presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(self.width);
        if is_first {
            grid.set_header(self.titles.iter().map(|(title, _)| title));
        }
        for row in rows {
            grid.add_row(row);
        }
        for (column, (_, side)) in grid.column_iter_mut().zip(&self.titles) {
            column.set_padding((0, GAP));
            column.set_cell_alignment(match side {
                Side::Left => CellAlignment::Left,
                Side::Right => CellAlignment::Right,
            });
        }
        grid
    }
}

/// Cuts a text to a width on the screen. An ellipsis stands for the rest.
pub(crate) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= width
    };
    let kept = text.chars().take_while(fits);
    Cow::Owned(kept.chain((width > 0).then_some('…')).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_to_their_width_on_the_screen() {
        let cuts = [0, 1, 2, 3, 4, 5].map(|width| cut("中文a", width).into_owned());
        assert_eq!(cuts, ["", "…", "…", "中…", "中…", "中文a"]);
    }
}

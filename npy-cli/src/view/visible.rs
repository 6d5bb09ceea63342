//! The part of the table that is on the screen, as text. Only this part of the file is read.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::block::{Block, object_text, texts};
use super::model::Model;
use crate::colors::Color;
use crate::failure::Result;

/// The cells on the screen.
#[derive(Debug)]
pub(crate) struct Visible {
    /// The index of each row in the file.
    pub(crate) labels: Vec<String>,
    pub(crate) label_width: usize,
    pub(crate) columns: Vec<Shown>,
}

impl Visible {
    /// Each column, and where it is on the screen.
    pub(crate) fn places(&self) -> Vec<(usize, Range<usize>)> {
        let mut next = self.label_width + GAP;
        let place = |shown: &Shown| {
            let begin = next;
            next += shown.width + GAP;
            (shown.column, begin..begin + shown.width)
        };
        self.columns.iter().map(place).collect()
    }
}

/// A column on the screen.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) column: usize,
    pub(crate) title: String,
    pub(crate) width: usize,
    pub(crate) is_right: bool,
    pub(crate) cells: Vec<String>,
    /// The heat colors of the cells; none if it has none.
    pub(crate) heat: Vec<Color>,
}

/// Blank columns between two columns of the table.
pub(crate) const GAP: usize = 2;

/// Longer texts are cut, unless there is nothing else to show.
const MOST_CELL_WIDTH: usize = 48;

impl Model {
    /// Reads the cells that fit a width and a height without heads. Scrolls to the cursor.
    pub(crate) fn visible(&mut self, width: usize, height: usize) -> Result<Visible> {
        let (rows, columns) = (self.rows(), self.grid.columns());
        let cursor = &mut self.cursor;
        cursor.page = height;
        cursor.row = cursor.row.min(rows.saturating_sub(1));
        cursor.column = cursor.column.min(columns.saturating_sub(1));
        // No blank rows where there are rows to show.
        cursor.top = cursor.top.min(cursor.row).min(rows.saturating_sub(height)).max((cursor.row + 1).saturating_sub(height));
        cursor.left = cursor.left.min(cursor.column);
        let places = cursor.top..rows.min(cursor.top.saturating_add(height));
        let labels: Vec<String> = places.clone().map(|place| self.order.row(place).to_string()).collect();
        let label_width = labels.iter().map(String::len).max().unwrap_or(0).min(width / 2);
        let available = width.saturating_sub(label_width + GAP).max(1);
        let mut shown = Vec::new();
        if !places.is_empty() && columns > 0 {
            shown = self.columns_from(self.cursor.left, &places, available)?;
            let under_cursor = self.cursor.column;
            if !shown.iter().any(|shown| shown.column == under_cursor) {
                self.cursor.left = self.first_column_before(under_cursor, &places, available)?;
                shown = self.columns_from(self.cursor.left, &places, available)?;
            }
        }
        Ok(Visible { labels, label_width, columns: shown })
    }

    /// The columns from one on that fit.
    fn columns_from(&mut self, left: usize, places: &Range<usize>, available: usize) -> Result<Vec<Shown>> {
        let end = self.grid.columns().min(left.saturating_add(available.div_ceil(GAP + 1)));
        let mut used = 0;
        let all = self.read_columns(places, left..end, available)?;
        let fits = |shown: &Shown| {
            let is_first = used == 0;
            used += shown.width + GAP;
            is_first || used - GAP <= available
        };
        Ok(all.into_iter().take_while(fits).collect())
    }

    /// The first column so that all up to this one fit.
    fn first_column_before(&mut self, last: usize, places: &Range<usize>, available: usize) -> Result<usize> {
        let begin = (last + 1).saturating_sub(available.div_ceil(GAP + 1));
        let all = self.read_columns(places, begin..last + 1, available)?;
        let mut used = 0;
        let fits = |shown: &&Shown| {
            used += shown.width + GAP;
            used - GAP <= available
        };
        let count = all.iter().rev().take_while(fits).count().max(1);
        Ok(last + 1 - count)
    }

    fn read_columns(&mut self, places: &Range<usize>, columns: Range<usize>, available: usize) -> Result<Vec<Shown>> {
        let Self { source, grid, order, look, .. } = self;
        let ranges = self.ranges.as_ref().filter(|_| look.has_heat);
        let most = available.min(MOST_CELL_WIDTH);
        let shown = |column: usize, cells: Vec<String>, is_right: bool| {
            let title = grid.title(column);
            let widest = cells.iter().chain([&title]).map(|text| text.width()).max().unwrap_or(0);
            Shown { column, title, width: widest.clamp(1, most.max(1)), is_right, cells, heat: Vec::new() }
        };
        if let Some(objects) = source.objects() {
            let text = |place: usize, column: usize| object_text(objects, grid.position(order.row(place), column));
            return Ok(columns
                .map(|column| shown(column, places.clone().map(|place| text(place, column)).collect(), false))
                .collect());
        }
        let block = Block::read(source, grid, &order.ranges(places.start, places.len()), &columns)?;
        let of_column = |column: usize| {
            let cells: Vec<&[u8]> = (0..places.len()).map(|row| block.cell(grid, row, column)).collect();
            let heat = ranges.map(|ranges| ranges.colors(grid, column, &cells, look.map)).unwrap_or_default();
            let (cells, is_right) = texts(grid.dtype(column), &cells);
            Shown { heat, ..shown(column, cells, is_right) }
        };
        Ok(columns.map(of_column).collect())
    }
}

//! The cell or the column under the cursor, as text for the clipboard of the terminal.

use super::block::{Block, object_text, texts_of, whole_text};
use super::model::Model;
use super::scan::PIECE_BYTES;
use crate::failure::{Failure, Result};
use crate::values::quantity;

/// The most bytes of text: in base64, terminals take up to 100,000.
const MOST_BYTES: usize = 72 << 10;

impl Model {
    /// All of the element under the cursor; `None` if there is none.
    pub(crate) fn element(&mut self) -> Result<Option<String>> {
        if self.rows() == 0 || self.grid.columns() == 0 {
            return Ok(None);
        }
        let (row, column) = (self.order.row(self.cursor.row), self.cursor.column);
        if let Some(objects) = self.source.objects() {
            return Ok(Some(object_text(objects, self.grid.position(row, column))));
        }
        let rows = row..row + 1;
        let block = Block::read(&mut self.source, &self.grid, &[rows], &(column..column + 1))?;
        Ok(Some(whole_text(self.grid.dtype(column), block.cell(&self.grid, 0, column))))
    }

    /// Copies the element under the cursor.
    pub(crate) fn copy_element(&mut self) -> Result<()> {
        let Some(text) = self.element()? else { return Ok(()) };
        let size = quantity::bytes(text.len() as u64);
        if text.len() > MOST_BYTES {
            let most = quantity::bytes(MOST_BYTES as u64);
            return Err(Failure::new(format!("cannot copy {size} of text: expected at most {most}")));
        }
        self.say(format!("copied {size} to the clipboard of the terminal"));
        self.clipboard = Some(text);
        Ok(())
    }

    /// Copies the column under the cursor, a line for each row that is shown, as far as the clipboard takes it.
    pub(crate) fn copy_column(&mut self) -> Result<()> {
        let (rows, column) = (self.rows(), self.cursor.column);
        if rows == 0 || self.grid.columns() == 0 {
            return Ok(());
        }
        let piece = (PIECE_BYTES / self.grid.element().itemsize().max(1)).clamp(1, 1 << 10);
        let (mut text, mut copied) = (String::new(), 0);
        'pieces: while copied < rows {
            for cell in self.texts(copied, piece.min(rows - copied), column)? {
                let cell = cell.trim();
                if text.len() + cell.len() + 1 > MOST_BYTES {
                    break 'pieces;
                }
                text.push_str(cell);
                text.push('\n');
                copied += 1;
            }
        }
        let [size, most] = [text.len(), MOST_BYTES].map(|bytes| quantity::bytes(bytes as u64));
        let title = self.grid.title(column);
        let all = quantity::counted(rows as u64, "row");
        if copied == 0 {
            return Err(Failure::new(format!("cannot copy the first row of {title}: expected at most {most} of text")));
        }
        self.say(if copied < rows {
            let copied = quantity::count(copied as u64);
            format!("copied the first {copied} of {all} of {title} to the clipboard of the terminal, which takes {most}")
        } else {
            format!("copied {all} of {title}, {size}, to the clipboard of the terminal")
        });
        self.clipboard = Some(text);
        Ok(())
    }

    /// The texts of the cells of a column, from one row of the table on.
    fn texts(&mut self, first: usize, count: usize, column: usize) -> Result<Vec<String>> {
        if let Some(objects) = self.source.objects() {
            let text = |place: usize| object_text(objects, self.grid.position(self.order.row(place), column));
            return Ok((first..first + count).map(text).collect());
        }
        let ranges = self.order.ranges(first, count);
        let block = Block::read(&mut self.source, &self.grid, &ranges, &(column..column + 1))?;
        Ok(texts_of(self.grid.dtype(column), &block.column(&self.grid, count, column), count))
    }
}

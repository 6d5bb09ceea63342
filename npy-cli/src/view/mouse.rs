//! The mouse: the wheel scrolls, and a click selects a cell or an array.

use ratatui::crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::keys::Flow;
use super::model::{Mode, Model};
use crate::failure::Result;

/// The rows that a step of the wheel moves by.
const WHEEL: isize = 3;

impl Model {
    /// Handles the mouse; returns whether something changed.
    pub(crate) fn point(&mut self, mouse: MouseEvent) -> Result<(bool, Flow)> {
        if self.job.is_some() {
            return Ok((false, Flow::Continue));
        }
        let is_sideways = mouse.modifiers.contains(KeyModifiers::SHIFT);
        let is_seen = match mouse.kind {
            MouseEventKind::ScrollUp if is_sideways => self.wheel(0, -1),
            MouseEventKind::ScrollDown if is_sideways => self.wheel(0, 1),
            MouseEventKind::ScrollUp => self.wheel(-WHEEL, 0),
            MouseEventKind::ScrollDown => self.wheel(WHEEL, 0),
            MouseEventKind::ScrollLeft => self.wheel(0, -1),
            MouseEventKind::ScrollRight => self.wheel(0, 1),
            MouseEventKind::Down(MouseButton::Left) => return self.click(mouse.column.into(), mouse.row.into()),
            _ => false,
        };
        Ok((is_seen, Flow::Continue))
    }

    fn wheel(&mut self, rows: isize, columns: isize) -> bool {
        let has_picture = self.has_picture_of_table();
        match &mut self.mode {
            Mode::Table if has_picture => self.step_other(rows + columns > 0),
            Mode::Table => {
                self.scroll(rows);
                self.move_by(0, columns);
            }
            Mode::Popup(popup) => popup.scroll(rows),
            Mode::Prompt { .. } => return false,
        }
        true
    }

    /// Selects the cell at a place on the screen, or the column of a head. In the list of arrays, it selects one, and opens it at the
    /// second time.
    fn click(&mut self, x: usize, y: usize) -> Result<(bool, Flow)> {
        if let Mode::Popup(popup) = &mut self.mode {
            return match popup.select_at(x, y) {
                Some(true) => Ok((true, self.press_key(KeyCode::Enter)?)),
                selected => Ok((selected.is_some(), Flow::Continue)),
            };
        }
        if !matches!(self.mode, Mode::Table) || y >= self.layout.lines.end {
            return Ok((false, Flow::Continue));
        }
        let row = y.checked_sub(self.layout.lines.start).map(|line| self.cursor.top + line);
        let column = self.layout.columns.iter().find(|(_, place)| place.contains(&x)).map(|(column, _)| *column);
        self.message = None;
        self.go_to(row, column);
        Ok((true, Flow::Continue))
    }
}

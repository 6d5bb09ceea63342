//! The mouse: the wheel scrolls, and a click selects a cell.

use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::model::{Mode, Model};

/// The rows that a step of the wheel moves by.
const WHEEL: isize = 3;

impl Model {
    /// Handles the mouse; returns whether something changed.
    pub(crate) fn point(&mut self, mouse: MouseEvent) -> bool {
        if self.job.is_some() {
            return false;
        }
        let is_sideways = mouse.modifiers.contains(KeyModifiers::SHIFT);
        match mouse.kind {
            MouseEventKind::ScrollUp if is_sideways => self.wheel(0, -1),
            MouseEventKind::ScrollDown if is_sideways => self.wheel(0, 1),
            MouseEventKind::ScrollUp => self.wheel(-WHEEL, 0),
            MouseEventKind::ScrollDown => self.wheel(WHEEL, 0),
            MouseEventKind::ScrollLeft => self.wheel(0, -1),
            MouseEventKind::ScrollRight => self.wheel(0, 1),
            MouseEventKind::Down(MouseButton::Left) => self.click(mouse.column.into(), mouse.row.into()),
            _ => false,
        }
    }

    fn wheel(&mut self, rows: isize, columns: isize) -> bool {
        match &mut self.mode {
            Mode::Table => {
                self.scroll(rows);
                self.move_by(0, columns);
            }
            Mode::Popup(popup) => popup.move_by(rows),
            Mode::Prompt { .. } => return false,
        }
        true
    }

    /// Selects the cell at a place on the screen, or the column of a head.
    fn click(&mut self, x: usize, y: usize) -> bool {
        if !matches!(self.mode, Mode::Table) || y >= self.layout.lines.end {
            return false;
        }
        let row = y.checked_sub(self.layout.lines.start).map(|line| self.cursor.top + line);
        let column = self.layout.columns.iter().find(|(_, place)| place.contains(&x)).map(|(column, _)| *column);
        self.message = None;
        self.go_to(row, column);
        true
    }
}

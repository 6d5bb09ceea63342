//! Keys and their effects on the model.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::block::{Block, object_text, whole_text};
use super::model::{Mode, Model, Prompt};
use super::popup::Popup;
use crate::failure::{Failure, Result};

/// Whether the viewer goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Quit,
}

/// The most characters of an answer.
const MOST_ANSWER: usize = 200;

impl Model {
    /// Handles a key.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Result<Flow> {
        if key.kind == KeyEventKind::Release {
            return Ok(Flow::Continue);
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Err(Failure::Interrupted);
        }
        if self.job.is_some() {
            // Other keys wait for nothing: they are for a table that is about to change.
            if matches!(key.code, KeyCode::Esc | KeyCode::Char('q')) {
                self.job = None;
                self.say("stopped");
            }
            return Ok(Flow::Continue);
        }
        self.message = None;
        match std::mem::replace(&mut self.mode, Mode::Table) {
            Mode::Table => self.press_in_table(key),
            Mode::Prompt { prompt, text } => {
                self.press_in_prompt(key, prompt, text);
                Ok(Flow::Continue)
            }
            Mode::Popup(popup) => self.press_in_popup(key, popup),
        }
    }

    fn press_in_table(&mut self, key: KeyEvent) -> Result<Flow> {
        let ask = |prompt: Prompt| Mode::Prompt { prompt, text: String::new() };
        match key.code {
            KeyCode::Char('q') => return Ok(Flow::Quit),
            KeyCode::Up | KeyCode::Char('k') => self.move_by(-1, 0),
            KeyCode::Down | KeyCode::Char('j') => self.move_by(1, 0),
            KeyCode::Left => self.move_by(0, -1),
            KeyCode::Right => self.move_by(0, 1),
            KeyCode::PageUp => self.page(false),
            KeyCode::PageDown | KeyCode::Char(' ') => self.page(true),
            KeyCode::Home | KeyCode::Char('g') => self.go_to(Some(0), None),
            KeyCode::End | KeyCode::Char('G') => self.go_to(Some(self.grid.rows().saturating_sub(1)), None),
            KeyCode::Char('0' | '^') => self.go_to(None, Some(0)),
            KeyCode::Char('$') => self.go_to(None, Some(self.grid.columns().saturating_sub(1))),
            KeyCode::Char(':') => self.mode = ask(Prompt::Index),
            KeyCode::Char('/') => self.mode = ask(Prompt::Search),
            KeyCode::Char('n') => self.search(true),
            KeyCode::Char('N') => self.search(false),
            KeyCode::Tab => self.open_neighbor(true)?,
            KeyCode::BackTab => self.open_neighbor(false)?,
            KeyCode::Char('m') => self.mode = Mode::Popup(Popup::members(self.names(), self.member())),
            KeyCode::Char('?') => self.mode = Mode::Popup(Popup::help()),
            KeyCode::Enter => {
                if let Err(failure) = self.show_element() {
                    self.report(failure)?;
                }
            }
            KeyCode::Char('s') => self.sort()?,
            KeyCode::Char('h' | 'H') => self.histogram()?,
            KeyCode::Char('t') => self.change_axes(super::grid::Grid::transpose),
            KeyCode::Char('r') => self.change_axes(super::grid::Grid::next_row_axis),
            KeyCode::Char('c') => self.change_axes(super::grid::Grid::next_column_axis),
            KeyCode::Char(',' | '<') => self.step_other(false),
            KeyCode::Char('.' | '>') => self.step_other(true),
            KeyCode::Char('a') => self.select_other(),
            _ => {}
        }
        Ok(Flow::Continue)
    }

    fn press_in_prompt(&mut self, key: KeyEvent, prompt: Prompt, mut text: String) {
        match key.code {
            KeyCode::Esc => return,
            KeyCode::Enter => return self.answer(prompt, &text),
            // Beyond the first character it leaves the prompt, as in less.
            KeyCode::Backspace if text.pop().is_none() => return,
            KeyCode::Char(character) if text.len() < MOST_ANSWER => text.push(character),
            _ => {}
        }
        self.mode = Mode::Prompt { prompt, text };
    }

    fn press_in_popup(&mut self, key: KeyEvent, mut popup: Popup) -> Result<Flow> {
        match key.code {
            KeyCode::Esc | KeyCode::Char('q' | '?') => return Ok(Flow::Continue),
            KeyCode::Enter => {
                if let Some(member) = popup.selected {
                    self.open(member)?;
                }
                return Ok(Flow::Continue);
            }
            KeyCode::Up | KeyCode::Char('k') => popup.move_by(-1),
            KeyCode::Down | KeyCode::Char('j') => popup.move_by(1),
            KeyCode::PageUp => popup.move_by(-10),
            KeyCode::PageDown | KeyCode::Char(' ') => popup.move_by(10),
            KeyCode::Home | KeyCode::Char('g') => popup.move_by(isize::MIN),
            KeyCode::End | KeyCode::Char('G') => popup.move_by(isize::MAX),
            _ => {}
        }
        self.mode = Mode::Popup(popup);
        Ok(Flow::Continue)
    }

    /// Shows all of the element under the cursor.
    fn show_element(&mut self) -> Result<()> {
        if self.grid.rows() == 0 || self.grid.columns() == 0 {
            return Ok(());
        }
        let (row, column) = (self.order.row(self.cursor.row), self.cursor.column);
        let title = match self.grid.fields() {
            Some(_) => format!("{} of row {row}", self.grid.title(column)),
            None if self.grid.column_axis().is_some() => format!("row {row}, column {column}"),
            None => format!("row {row}"),
        };
        let text = if let Some(objects) = self.source.objects() {
            object_text(objects, self.grid.position(row, column))
        } else {
            let rows = row..row + 1;
            let block = Block::read(&mut self.source, &self.grid, &[rows], &(column..column + 1))?;
            whole_text(self.grid.dtype(column), block.cell(&self.grid, 0, column))
        };
        self.mode = Mode::Popup(Popup::element(title, &text));
        Ok(())
    }
}

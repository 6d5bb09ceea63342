//! Keys and their effects on the model.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::grid::Grid;
use super::model::{Mode, Model, Prompt};
use super::popup::Popup;
use crate::failure::{Failure, Result};

/// Whether the viewer goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    /// Draws the whole screen again.
    Redraw,
    /// Stops until the shell lets the program go on.
    Suspend,
    Quit,
}

/// The most characters of an answer.
const MOST_ANSWER: usize = 1000;

impl Model {
    /// Handles a key.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Result<Flow> {
        if key.kind == KeyEventKind::Release {
            return Ok(Flow::Continue);
        }
        let held = |modifier: KeyModifiers| key.modifiers.contains(modifier);
        match (held(KeyModifiers::CONTROL), held(KeyModifiers::ALT)) {
            // AltGr is both, and its letters are letters.
            (false, false) | (true, true) => self.press_key(key.code),
            (true, false) => self.press_with_control(key.code),
            // Esc and a key, one after the other: a terminal sends the same.
            (false, true) => {
                self.press_key(KeyCode::Esc)?;
                self.press_key(key.code)
            }
        }
    }

    /// Control letters are keys of their own.
    fn press_with_control(&mut self, code: KeyCode) -> Result<Flow> {
        let KeyCode::Char(letter) = code else { return self.press_key(code) };
        let half = isize::try_from(self.cursor.page / 2).unwrap_or(0).max(1);
        let is_table = self.job.is_none() && matches!(self.mode, Mode::Table);
        match (letter, &mut self.mode) {
            ('c', _) => return Err(Failure::Interrupted),
            ('l', _) => return Ok(Flow::Redraw),
            ('z', _) => return Ok(Flow::Suspend),
            ('f', _) => return self.press_key(KeyCode::PageDown),
            ('b', _) => return self.press_key(KeyCode::PageUp),
            ('h', _) => return self.press_key(KeyCode::Backspace),
            ('d', _) if is_table => self.scroll(half),
            ('u', _) if is_table => self.scroll(-half),
            ('u', Mode::Prompt { text, .. }) => text.clear(),
            _ => {}
        }
        Ok(Flow::Continue)
    }

    pub(super) fn press_key(&mut self, code: KeyCode) -> Result<Flow> {
        if self.job.is_some() {
            // Other keys wait for nothing: they are for a table that is about to change.
            if matches!(code, KeyCode::Esc | KeyCode::Char('q')) {
                self.stop();
            }
            return Ok(Flow::Continue);
        }
        self.message = None;
        match std::mem::replace(&mut self.mode, Mode::Table) {
            Mode::Table => self.press_in_table(code),
            Mode::Prompt { prompt, text } => {
                self.press_in_prompt(code, prompt, text)?;
                Ok(Flow::Continue)
            }
            Mode::Popup(popup) => self.press_in_popup(code, popup),
        }
    }

    fn press_in_table(&mut self, code: KeyCode) -> Result<Flow> {
        let ask = |prompt: Prompt| Mode::Prompt { prompt, text: String::new() };
        if self.is_move(code) {
            return Ok(Flow::Continue);
        }
        match code {
            KeyCode::Char('q') => return Ok(Flow::Quit),
            KeyCode::Char(':') => self.mode = ask(Prompt::Index),
            KeyCode::Char('/') => self.mode = ask(Prompt::Search),
            KeyCode::Char('\\') => self.mode = ask(Prompt::SearchAll),
            KeyCode::Char('&') => {
                // The filter that is there, to be changed.
                let text = self.order.kept().map(|kept| kept.text.clone()).unwrap_or_default();
                self.mode = Mode::Prompt { prompt: Prompt::Filter, text };
            }
            KeyCode::Char('p') => self.toggle_picture()?,
            KeyCode::Char('C') => self.toggle_heat()?,
            KeyCode::Esc if self.picture.take().is_some() => {}
            KeyCode::Esc => self.keep(None)?,
            KeyCode::Char('n') => self.search(true),
            KeyCode::Char('N') => self.search(false),
            KeyCode::Tab | KeyCode::BackTab => {
                self.open_neighbor(code == KeyCode::Tab)?;
                return Ok(Flow::Redraw);
            }
            KeyCode::Char('R') => {
                self.reload()?;
                return Ok(Flow::Redraw);
            }
            KeyCode::Char('m') => self.mode = Mode::Popup(Popup::arrays(self.files.list(), self.files.current())),
            KeyCode::Char('?') => self.mode = Mode::Popup(Popup::help()),
            KeyCode::Enter | KeyCode::Char('y' | 'Y') => {
                let result = match code {
                    KeyCode::Enter => self.show_element(),
                    KeyCode::Char('y') => self.copy_element(),
                    _ => self.copy_column(),
                };
                if let Err(failure) = result {
                    self.report(failure)?;
                }
            }
            KeyCode::Char('s') => self.sort()?,
            KeyCode::Char('H') => self.histogram()?,
            _ => {}
        }
        Ok(Flow::Continue)
    }

    /// Takes a key that moves the cursor or shows other axes. Returns whether it was one.
    fn is_move(&mut self, code: KeyCode) -> bool {
        if self.has_picture_of_table() {
            match code {
                KeyCode::Up | KeyCode::Left | KeyCode::PageUp | KeyCode::Char('k' | 'h') => self.step_other(false),
                KeyCode::Down | KeyCode::Right | KeyCode::PageDown | KeyCode::Char('j' | 'l' | ' ') => self.step_other(true),
                _ => return self.is_move_in_table(code),
            }
            return true;
        }
        self.is_move_in_table(code)
    }

    fn is_move_in_table(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.move_by(-1, 0),
            KeyCode::Down | KeyCode::Char('j') => self.move_by(1, 0),
            KeyCode::Left | KeyCode::Char('h') => self.move_by(0, -1),
            KeyCode::Right | KeyCode::Char('l') => self.move_by(0, 1),
            KeyCode::PageUp => self.page(false),
            KeyCode::PageDown | KeyCode::Char(' ') => self.page(true),
            KeyCode::Home | KeyCode::Char('g') => self.go_to(Some(0), None),
            KeyCode::End | KeyCode::Char('G') => self.go_to(Some(self.rows().saturating_sub(1)), None),
            KeyCode::Char('0' | '^') => self.go_to(None, Some(0)),
            KeyCode::Char('$') => self.go_to(None, Some(self.grid.columns().saturating_sub(1))),
            KeyCode::Char('t') => self.change_axes(Grid::transpose),
            KeyCode::Char('r') => self.change_axes(Grid::next_row_axis),
            KeyCode::Char('c') => self.change_axes(Grid::next_column_axis),
            KeyCode::Char(',' | '<') => self.step_other(false),
            KeyCode::Char('.' | '>') => self.step_other(true),
            KeyCode::Char('a') => self.select_other(),
            _ => return false,
        }
        true
    }

    fn press_in_prompt(&mut self, code: KeyCode, prompt: Prompt, mut text: String) -> Result<()> {
        match code {
            KeyCode::Esc => return Ok(()),
            KeyCode::Enter => return self.answer(prompt, &text),
            // Beyond the first character it leaves the prompt, as in less.
            KeyCode::Backspace if text.pop().is_none() => return Ok(()),
            KeyCode::Char(character) if text.len() < MOST_ANSWER => text.push(character),
            _ => {}
        }
        self.mode = Mode::Prompt { prompt, text };
        Ok(())
    }

    fn press_in_popup(&mut self, code: KeyCode, mut popup: Popup) -> Result<Flow> {
        match code {
            KeyCode::Enter => {
                let Some(number) = popup.chosen() else { return Ok(Flow::Continue) };
                self.open(number)?;
                // What a conversion says is on the screen.
                return Ok(Flow::Redraw);
            }
            KeyCode::Up => popup.move_by(-1),
            KeyCode::Down => popup.move_by(1),
            code if popup.is_typed(code) => {}
            KeyCode::Esc | KeyCode::Char('q' | '?') => return Ok(Flow::Continue),
            KeyCode::Char('k') => popup.move_by(-1),
            KeyCode::Char('j') => popup.move_by(1),
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
        let Some(text) = self.element()? else { return Ok(()) };
        let (row, column) = (self.order.row(self.cursor.row), self.cursor.column);
        let title = match self.grid.fields() {
            Some(_) => format!("{} of row {row}", self.grid.title(column)),
            None if self.grid.column_axis().is_some() => format!("row {row}, column {column}"),
            None => format!("row {row}"),
        };
        self.mode = Mode::Popup(Popup::element(title, &text));
        Ok(())
    }
}

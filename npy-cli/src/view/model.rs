//! The state of the viewer: the array, the cursor, and the running job.

use std::ffi::OsString;
use std::ops::Range;

use super::files::Files;
use super::filter::Filtering;
use super::grid::Grid;
use super::heat::{Ranges, Ranging};
use super::histogram::Histogram;
use super::order::RowOrder;
use super::picture::{Picture, Picturing};
use super::popup::Popup;
use super::search::{Query, Search};
use super::sort::Sort;
use crate::colors::{ColorMap, Colors};
use crate::failure::{Failure, Result};
use crate::input::source::Source;

/// The state of the viewer.
pub(crate) struct Model {
    pub(crate) source: Source,
    pub(crate) files: Files,
    pub(crate) grid: Grid,
    pub(crate) order: RowOrder,
    pub(crate) cursor: Cursor,
    pub(crate) layout: Layout,
    /// Which of the other axes the keys `,` and `.` move along.
    other: usize,
    pub(crate) mode: Mode,
    /// The message until the next key.
    pub(crate) message: Option<Message>,
    pub(crate) job: Option<Job>,
    /// What was searched for, and in which column, unless in all.
    pub(crate) query: Option<(Query, Option<usize>)>,
    /// Whether the file was written since it was opened.
    pub(crate) is_stale: bool,
    /// A text for the clipboard of the terminal.
    pub(crate) clipboard: Option<String>,
    pub(crate) look: Look,
    /// The ranges of heat colors, once they are known.
    pub(crate) ranges: Option<Ranges>,
    /// The picture in the place of the table.
    pub(crate) picture: Option<Picture>,
}

/// The colors of the viewer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Those that the terminal has.
    pub(crate) colors: Colors,
    /// Those of numbers.
    pub(crate) map: ColorMap,
    /// Whether the cells of numbers have them.
    pub(crate) has_heat: bool,
}

/// A cell, and the first one on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) top: usize,
    pub(crate) left: usize,
    /// The number of rows on the screen.
    pub(crate) page: usize,
}

/// Where the cells were drawn last, for the mouse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The lines of the screen with rows. Those above are heads.
    pub(crate) lines: Range<usize>,
    /// Each column of the table, and where it is on the screen.
    pub(crate) columns: Vec<(usize, Range<usize>)>,
}

pub(crate) enum Mode {
    Table,
    Prompt { prompt: Prompt, text: String },
    Popup(Popup),
}

/// A question to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prompt {
    Index,
    /// In the column under the cursor.
    Search,
    SearchAll,
    Filter,
}

impl Prompt {
    /// The key that asks, which stands before the answer.
    pub(crate) fn sign(self) -> char {
        match self {
            Self::Index => ':',
            Self::Search => '/',
            Self::SearchAll => '\\',
            Self::Filter => '&',
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) is_trouble: bool,
}

/// Something that takes long: it is done in steps, and Esc ends it.
pub(crate) enum Job {
    Filter(Box<Filtering>),
    Search(Search),
    Sort(Sort),
    Histogram(Histogram),
    Heat(Ranging),
    Picture(Box<Picturing>),
}

impl Model {
    /// Shows the first array of some files.
    pub(crate) fn new(files: Vec<OsString>, look: Look) -> Result<Self> {
        let (files, source) = Files::new(files)?;
        let grid = Grid::new(source.header());
        Ok(Self {
            source,
            files,
            grid,
            order: RowOrder::default(),
            cursor: Cursor::default(),
            layout: Layout::default(),
            other: 0,
            mode: Mode::Table,
            message: None,
            job: None,
            query: None,
            is_stale: false,
            clipboard: None,
            look,
            ranges: None,
            picture: None,
        })
    }

    /// Says something until the next key.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), is_trouble: false });
    }

    /// Reports a failure. Only a signal ends the viewer.
    pub(crate) fn report(&mut self, failure: Failure) -> Result<()> {
        match failure {
            Failure::Interrupted | Failure::BrokenPipe => Err(failure),
            failure => {
                self.message = Some(Message { text: failure.to_string(), is_trouble: true });
                Ok(())
            }
        }
    }

    /// Opens an array by its number among all.
    pub(crate) fn open(&mut self, number: usize) -> Result<()> {
        if let Err(failure) = self.files.select(number, &mut self.source) {
            return self.report(failure);
        }
        self.begin();
        self.cursor = Cursor { page: self.cursor.page, ..Cursor::default() };
        Ok(())
    }

    /// Shows the open array as at first.
    fn begin(&mut self) {
        self.grid = Grid::new(self.source.header());
        self.order = RowOrder::default();
        self.other = 0;
        self.is_stale = false;
        self.ranges = None;
        // It may be another array of the same shape.
        self.picture = self.picture.take().map(|_| Picture::default());
    }

    /// Opens the next array or the one before it.
    pub(crate) fn open_neighbor(&mut self, forward: bool) -> Result<()> {
        let count = self.files.len();
        if count < 2 {
            self.say("there is one array only");
            return Ok(());
        }
        self.open((self.files.current() + if forward { 1 } else { count - 1 }) % count)
    }

    /// Looks whether the file was written; returns whether that is new.
    pub(crate) fn watch(&mut self) -> bool {
        if self.is_stale || self.job.is_some() || !self.files.has_changed() {
            return false;
        }
        self.is_stale = true;
        self.say("the file changed; R reads it again");
        true
    }

    /// Reads the file again. The cursor and the filter stay.
    pub(crate) fn reload(&mut self) -> Result<()> {
        match self.files.open(self.files.current()) {
            Ok(source) => self.source = source,
            Err(failure) => return self.report(failure),
        }
        let filter = self.order.kept().map(|kept| kept.text.clone());
        self.begin();
        self.move_by(0, 0);
        self.say("read again");
        filter.map_or(Ok(()), |filter| self.filter(&filter))
    }

    /// The number of rows that are shown.
    pub(crate) fn rows(&self) -> usize {
        self.order.count(self.grid.rows())
    }

    /// Moves the cursor, as far as there are rows and columns.
    pub(crate) fn move_by(&mut self, rows: isize, columns: isize) {
        self.cursor.row = self.cursor.row.saturating_add_signed(rows).min(self.rows().saturating_sub(1));
        self.cursor.column = self.cursor.column.saturating_add_signed(columns).min(self.grid.columns().saturating_sub(1));
    }

    pub(crate) fn go_to(&mut self, row: Option<usize>, column: Option<usize>) {
        self.cursor.row = row.unwrap_or(self.cursor.row);
        self.cursor.column = column.unwrap_or(self.cursor.column);
        self.move_by(0, 0);
    }

    /// Moves by a screen.
    pub(crate) fn page(&mut self, forward: bool) {
        let page = isize::try_from(self.cursor.page.max(1)).unwrap_or(1);
        self.scroll(if forward { page } else { -page });
    }

    /// Moves the cursor and the rows under it.
    pub(crate) fn scroll(&mut self, rows: isize) {
        self.move_by(rows, 0);
        self.cursor.top = self.cursor.top.saturating_add_signed(rows).min(self.rows().saturating_sub(self.cursor.page.max(1)));
    }

    /// Shows other axes; `change` returns whether it could.
    pub(crate) fn change_axes(&mut self, change: impl FnOnce(&mut Grid) -> bool) {
        if change(&mut self.grid) {
            self.order = RowOrder::default();
            self.move_by(0, 0);
        } else {
            self.say("the array has only these axes");
        }
    }

    /// Moves along the selected one of the other axes.
    pub(crate) fn step_other(&mut self, forward: bool) {
        match self.other_axis() {
            None => self.say("the array has only these axes"),
            Some(axis) if self.grid.step(axis, forward) => self.order.unsort(),
            Some(axis) => self.say(format!("axis {axis} ends here")),
        }
    }

    /// Whether there is a picture of all rows and columns, in which no cursor moves.
    pub(crate) fn has_picture_of_table(&self) -> bool {
        self.picture.is_some() && self.grid.fields().is_none()
    }

    /// Selects the next one of the other axes.
    pub(crate) fn select_other(&mut self) {
        self.other += 1;
        match self.other_axis() {
            None => self.say("the array has only these axes"),
            Some(axis) => self.say(format!(", and . move along axis {axis} of {:?}", self.grid.shape())),
        }
    }

    fn other_axis(&self) -> Option<usize> {
        let mut others = self.grid.others();
        if self.picture.is_some() {
            // A picture has all channels.
            others.retain(|axis| Some(*axis) != self.grid.channel_axis());
        }
        others.get(self.other.checked_rem(others.len())?).copied()
    }

    /// Handles the answer to a prompt.
    pub(crate) fn answer(&mut self, prompt: Prompt, text: &str) -> Result<()> {
        match prompt {
            Prompt::Filter => self.filter(text)?,
            _ if text.trim().is_empty() => {}
            Prompt::Index => match self.grid.go(text) {
                Ok((row, column)) => {
                    if row.is_none() {
                        self.order = RowOrder::default();
                    }
                    let place = row.map(|row| self.order.position(row));
                    self.go_to(place, column);
                }
                Err(problem) => self.message = Some(Message { text: problem, is_trouble: true }),
            },
            Prompt::Search | Prompt::SearchAll => {
                let column = Some(self.cursor.column).filter(|_| prompt == Prompt::Search);
                self.query = Some((Query::new(text), column));
                self.search(true);
            }
        }
        Ok(())
    }
}

//! The state of the viewer: the array, the cursor, and the running job.

use std::ops::Range;

use super::filter::Filtering;
use super::grid::Grid;
use super::histogram::Histogram;
use super::order::RowOrder;
use super::popup::Popup;
use super::search::{Query, Search};
use super::sort::Sort;
use crate::failure::{Failure, Result};
use crate::input::source::Source;

/// The state of the viewer.
pub(crate) struct Model {
    pub(crate) source: Source,
    /// The members of the archive; one without a name of any other file.
    pub(crate) members: Vec<(usize, Option<String>)>,
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
}

impl Model {
    pub(crate) fn new(source: Source, members: Vec<(usize, Option<String>)>) -> Result<Self> {
        let grid = Grid::new(source.header());
        let mut model = Self {
            source,
            members,
            grid,
            order: RowOrder::default(),
            cursor: Cursor::default(),
            layout: Layout::default(),
            other: 0,
            mode: Mode::Table,
            message: None,
            job: None,
            query: None,
        };
        model.check_objects()?;
        Ok(model)
    }

    /// Refuses records that hold Python objects: their items are not the elements.
    fn check_objects(&mut self) -> Result<()> {
        let is_wrong = self.source.objects().is_some_and(|objects| objects.items().len() != self.source.header().element_count());
        if is_wrong {
            let name = self.source.input().name();
            return Err(Failure::new(format!("{name}: cannot view records that hold Python objects; npy show prints them")));
        }
        Ok(())
    }

    /// The names of the members.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(_, name)| name.as_deref().unwrap_or(self.source.input().name()))
    }

    /// The number of the open member among all.
    pub(crate) fn member(&self) -> usize {
        self.members.iter().position(|(index, _)| *index == self.source.index()).unwrap_or(0)
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

    /// Opens a member by its number among all.
    pub(crate) fn open(&mut self, member: usize) -> Result<()> {
        let Some((index, _)) = self.members.get(member) else { return Ok(()) };
        let before = self.source.index();
        if let Err(failure) = self.source.select(*index).and_then(|()| self.check_objects()) {
            self.source.select(before)?;
            return self.report(failure);
        }
        self.grid = Grid::new(self.source.header());
        self.order = RowOrder::default();
        self.cursor = Cursor { page: self.cursor.page, ..Cursor::default() };
        self.other = 0;
        Ok(())
    }

    /// Opens the next member or the one before it.
    pub(crate) fn open_neighbor(&mut self, forward: bool) -> Result<()> {
        let count = self.members.len();
        if count < 2 {
            self.say("there is one array only");
            return Ok(());
        }
        self.open((self.member() + if forward { 1 } else { count - 1 }) % count)
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

    /// Selects the next one of the other axes.
    pub(crate) fn select_other(&mut self) {
        self.other += 1;
        match self.other_axis() {
            None => self.say("the array has only these axes"),
            Some(axis) => self.say(format!(", and . move along axis {axis} of {:?}", self.grid.shape())),
        }
    }

    fn other_axis(&self) -> Option<usize> {
        let others = self.grid.others();
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

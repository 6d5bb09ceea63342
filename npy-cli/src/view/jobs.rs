//! Long work: searching, filtering, sorting and counting, in steps between the keys.

use super::filter::Filtering;
use super::heat::{Ranging, has_heat};
use super::histogram::Histogram;
use super::model::{Job, Mode, Model, Prompt};
use super::order::Kept;
use super::picture::{Picture, Subject};
use super::popup::Popup;
use super::scan::Step;
use super::search::Search;
use super::sort::Sort;
use crate::colors::Colors;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::values::reals;

impl Model {
    /// Searches again.
    pub(crate) fn search(&mut self, forward: bool) {
        match &self.query {
            None => self.say("nothing was searched for; / searches"),
            Some((query, column)) => {
                // Another array may have fewer columns.
                let column = column.filter(|column| *column < self.grid.columns());
                let columns = column.map_or(0..self.grid.columns(), |column| column..column + 1);
                let begin = column.unwrap_or(self.cursor.column);
                let search = Search::new(query.clone(), self.rows(), columns, self.cursor.row, begin, forward);
                self.job = Some(Job::Search(search));
            }
        }
    }

    /// Shows the rows for which an expression is true, or all without one.
    pub(crate) fn filter(&mut self, text: &str) -> Result<()> {
        if text.trim().is_empty() {
            return self.keep(None);
        }
        let filtering = if self.source.objects().is_some() {
            Err(Failure::new("cannot filter Python objects"))
        } else if self.grid.row_axis() != Some(0) {
            Err(Failure::new("cannot filter these rows: expected axis 0 as rows; r shows another axis"))
        } else {
            Filtering::new(text, self.source.header())
        };
        match filtering {
            Ok(filtering) => self.job = Some(Job::Filter(Box::new(filtering))),
            Err(failure) => {
                self.report(failure)?;
                self.mode = Mode::Prompt { prompt: Prompt::Filter, text: text.to_owned() };
            }
        }
        Ok(())
    }

    /// Shows some rows or all. The cursor stays on its row, if that is shown, and the rows stay sorted.
    pub(crate) fn keep(&mut self, kept: Option<Kept>) -> Result<()> {
        let (row, sorted) = (self.order.row(self.cursor.row), self.order.column());
        self.order.keep(kept);
        self.go_to(Some(self.order.position(row)), None);
        match sorted.map(|(column, is_descending)| Sort::new(&self.grid, &self.order, column, is_descending)) {
            None => {}
            Some(Ok(sort)) => self.job = Some(Job::Sort(sort)),
            Some(Err(failure)) => self.report(failure)?,
        }
        Ok(())
    }

    /// Sorts by the column under the cursor: ascending, then descending, then in the order of the file.
    pub(crate) fn sort(&mut self) -> Result<()> {
        let column = self.cursor.column;
        let is_descending = match self.order.column() {
            Some((sorted, true)) if sorted == column => {
                let row = self.order.row(self.cursor.row);
                self.order.unsort();
                self.cursor.row = self.order.position(row);
                self.say("in the order of the file");
                return Ok(());
            }
            Some((sorted, false)) => sorted == column,
            _ => false,
        };
        if self.source.objects().is_some() {
            return self.report(Failure::new("cannot sort Python objects"));
        }
        match Sort::new(&self.grid, &self.order, column, is_descending) {
            Ok(sort) => self.job = Some(Job::Sort(sort)),
            Err(failure) => self.report(failure)?,
        }
        Ok(())
    }

    /// Counts the values of the column under the cursor.
    pub(crate) fn histogram(&mut self) -> Result<()> {
        match Histogram::new(&self.grid, &self.order, self.cursor.column) {
            Ok(histogram) => self.job = Some(Job::Histogram(histogram)),
            Err(failure) => self.report(failure)?,
        }
        Ok(())
    }

    /// Does the next step of the job.
    pub(crate) fn work(&mut self) -> Result<()> {
        let Some(mut job) = self.job.take() else { return Ok(()) };
        match self.step(&mut job) {
            Ok(None) => {}
            Ok(Some(thousandths)) => {
                let what = match &job {
                    Job::Filter(_) => "filtering",
                    Job::Search(_) => "searching",
                    Job::Sort(_) => "sorting",
                    Job::Histogram(_) => "counting",
                    Job::Heat(_) => "coloring",
                    Job::Picture(_) => "drawing",
                };
                self.say(format!("{what} {:.1} %, Esc stops", f64::from(thousandths) / 10.0));
                self.job = Some(job);
            }
            Err(failure) => {
                self.give_up(&job);
                self.report(failure)?;
            }
        }
        Ok(())
    }

    /// Stops the job.
    pub(crate) fn stop(&mut self) {
        if let Some(job) = self.job.take() {
            self.give_up(&job);
        }
        self.say("stopped");
    }

    /// Does not begin this job again, unless the user asks for it.
    fn give_up(&mut self, job: &Job) {
        match job {
            Job::Heat(_) => self.look.has_heat = false,
            Job::Picture(_) => self.picture = None,
            _ => {}
        }
    }

    /// Begins the work for heat colors and for a picture of as many characters, if there is any.
    pub(crate) fn prepare(&mut self, within: (u16, u16)) -> Result<()> {
        // The progress would take the place of a failure.
        let has_trouble = self.message.as_ref().is_some_and(|message| message.is_trouble);
        if self.job.is_some() || has_trouble || !matches!(self.mode, Mode::Table) {
            return Ok(());
        }
        if let Some(picture) = &self.picture {
            match self.subject() {
                Ok(subject) => self.job = picture.work(&self.source, subject, within).map(|work| Job::Picture(Box::new(work))),
                Err(failure) => {
                    self.picture = None;
                    self.report(failure)?;
                }
            }
        } else if self.look.has_heat && self.ranges.is_none() {
            self.job = Some(Job::Heat(Ranging::new(&self.source, &self.grid)));
        }
        Ok(())
    }

    /// What there is to draw as a picture.
    fn subject(&self) -> Result<Subject> {
        Subject::new(&self.source, &self.grid, self.order.row(self.cursor.row), self.cursor.column)
    }

    /// Shows the picture of the table, or the table again.
    pub(crate) fn toggle_picture(&mut self) -> Result<()> {
        if self.picture.take().is_some() {
            return Ok(());
        }
        match self.subject() {
            Ok(_) => self.picture = Some(Picture::default()),
            Err(failure) => self.report(failure)?,
        }
        Ok(())
    }

    /// Colors the cells of numbers, or none.
    pub(crate) fn toggle_heat(&mut self) -> Result<()> {
        let can_color = |column: usize| has_heat(&self.grid, column);
        if self.look.has_heat {
            self.look.has_heat = false;
        } else if self.look.colors == Colors::None {
            self.report(Failure::new("cannot color cells: NO_COLOR or --color never turns colors off"))?;
        } else if self.source.objects().is_some() || !(0..self.grid.columns()).any(can_color) {
            self.report(Failure::new("cannot color these cells: expected real numbers or times"))?;
        } else {
            self.look.has_heat = true;
        }
        Ok(())
    }

    /// Returns how much is done, in thousandths; `None` at the end.
    fn step(&mut self, job: &mut Job) -> Result<Option<u16>> {
        let Self { source, grid, order, look, .. } = self;
        match job {
            Job::Heat(ranging) => match ranging.step(source, grid)? {
                Step::More(done) => return Ok(Some(done)),
                Step::Done(ranges) => {
                    self.message = None;
                    self.ranges = Some(ranges);
                }
            },
            Job::Picture(picturing) => match picturing.step(source, grid, look.map)? {
                Step::More(done) => return Ok(Some(done)),
                Step::Done(picture) => self.show(picture),
            },
            Job::Filter(filtering) => match filtering.step(source)? {
                Step::More(done) => return Ok(Some(done)),
                Step::Done(rows) => {
                    self.message = None;
                    self.keep(Some(Kept { text: filtering.text.clone(), rows: rows.into() }))?;
                }
            },
            Job::Search(search) => match search.step(source, grid, order)? {
                Step::More(done) => return Ok(Some(done)),
                Step::Done(None) => self.say(self.not_found()),
                Step::Done(Some((row, column))) => {
                    self.message = None;
                    self.go_to(Some(row), Some(column));
                }
            },
            Job::Sort(sort) => match sort.step(source, grid)? {
                Step::More(done) => return Ok(Some(done)),
                Step::Done(rows) => {
                    let (column, is_descending) = sort.column();
                    self.order.sort(column, is_descending, rows);
                    self.cursor.row = 0;
                    let direction = if is_descending { "descending" } else { "ascending" };
                    self.say(format!("sorted by {}, {direction}; s sorts on", self.grid.title(column)));
                }
            },
            Job::Histogram(histogram) => match histogram.step(source, grid)? {
                Step::More(done) => return Ok(Some(done)),
                Step::Done(summary) => {
                    self.message = None;
                    self.mode = Mode::Popup(Popup::histogram(&self.grid, histogram.column(), &summary));
                }
            },
        }
        Ok(None)
    }

    fn not_found(&self) -> String {
        match &self.query {
            Some((query, Some(column))) if self.grid.columns() > 1 => {
                let title = self.grid.title(*column);
                format!("{} was not found in {title}; \\ searches all columns", escape::line(&query.text))
            }
            Some((query, _)) => format!("{} was not found", escape::line(&query.text)),
            None => "not found".to_owned(),
        }
    }

    fn show(&mut self, picture: Picture) {
        self.message = None;
        if let Some(numbers) = picture.colored.as_ref().and_then(|colored| colored.cut_off) {
            let [low, high, white] = numbers.map(|number| reals::with_digits(number, 6));
            self.say(format!("values from {low} to {high} are drawn as colors from 0 to {white}"));
        }
        self.picture = Some(picture);
    }
}

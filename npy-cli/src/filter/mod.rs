//! Rows of an array for which an expression is true: `--where 'ok and pos.x > 3'`.
//!
//! Text becomes tokens and a tree; with a dtype the tree gets types and columns; and blocks of rows are
//! evaluated column by column, of which only those that the expression names are decoded.

mod mark;
mod syntax;
mod token;
mod parse;
mod node;
mod among;
mod field;
mod arithmetic;
mod compare;
mod check;
mod eval;
mod time;
mod text;
mod scan;
#[cfg(test)]
mod tests;

use std::io::Write as _;
use std::sync::Arc;

use npy_core::{Header, Order};
use tempfile::SpooledTempFile;

use crate::failure::{Failure, Result};
use crate::input::{Array, Keep, Kept, MOST_MEMORY, Stored, not_spooled, pieces, row_bytes};
use crate::threads;
use mark::Problem;
use node::{Column, Test};
pub(crate) use scan::Read;
use syntax::Expression;

/// The option of commands that keep some rows.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Argument {
    /// Keep the rows for which an expression is true, as in 'ok and pos.x > 3'
    #[arg(long = "where", value_name = "EXPRESSION", allow_hyphen_values = true)]
    filter: Option<String>,
}

impl Argument {
    #[cfg(feature = "plot")]
    pub(crate) fn is_given(&self) -> bool {
        self.filter.is_some()
    }

    /// The expression, for titles.
    #[cfg(feature = "plot")]
    pub(crate) fn text(&self) -> Option<&str> {
        self.filter.as_deref()
    }

    /// The names in the expression, and whether each has to be a field. None of an invalid one.
    pub(crate) fn names(&self) -> Vec<(String, bool)> {
        let mut names = Vec::new();
        if let Ok(Some(filter)) = self.parsed() {
            filter.expression.for_each_name(&mut |name| names.push((name.to_owned(), !check::is_value(name))));
        }
        names
    }

    pub(crate) fn parsed(&self) -> Result<Option<Where>> {
        self.filter.as_deref().map(Where::new).transpose()
    }

    /// The rows that pass, for [`Input::keep`](crate::input::Input::keep).
    pub(crate) fn rows(&self) -> Result<Option<Arc<dyn Keep>>> {
        self.rows_by(threads::of_machine())
    }

    /// The rows that pass, found by at most this many threads.
    pub(crate) fn rows_by(&self, threads: usize) -> Result<Option<Arc<dyn Keep>>> {
        Ok(self.parsed()?.map(|filter| filter.kept(None, threads)))
    }
}

/// An expression, as it was parsed.
#[derive(Clone, Debug)]
pub(crate) struct Where {
    text: String,
    expression: Expression,
}

/// Rows that pass, at most this many of them.
#[derive(Debug)]
struct Rows {
    filter: Where,
    most: Option<u64>,
    threads: usize,
}

impl Keep for Rows {
    fn rows(&self, array: &mut dyn Array, stored: Option<&Stored>) -> Result<Kept> {
        let mut file = SpooledTempFile::new(MOST_MEMORY);
        let filter = Filter { threads: self.threads, ..self.filter.of(array.header())? };
        let header = filter.write(&mut in_c_order(array), stored, self.most, &mut file)?;
        Ok(Kept::new(header, file))
    }
}

impl Where {
    /// Parses an expression.
    pub(crate) fn new(text: &str) -> Result<Self> {
        let expression = parse::parse(text).map_err(|problem| problem.in_expression(text))?;
        Ok(Self { text: text.to_owned(), expression })
    }

    /// The first rows that pass, for [`Input::keep`](crate::input::Input::keep).
    pub(crate) fn first_rows(self, most: Option<u64>) -> Arc<dyn Keep> {
        self.kept(most, threads::of_machine())
    }

    fn kept(self, most: Option<u64>, threads: usize) -> Arc<dyn Keep> {
        Arc::new(Rows { filter: self, most, threads })
    }

    /// Finds the fields of an array that the expression names.
    pub(crate) fn of(&self, header: &Header) -> Result<Filter> {
        let Some(rows) = header.shape().first() else {
            let message = "cannot filter rows: expected an array with rows, found a single element";
            return Err(Failure::Nameless(message.to_owned()));
        };
        if header.dtype().has_object() {
            let message = "cannot filter rows: expected values of a fixed size, found Python objects in dtype";
            return Err(Failure::Nameless(format!("{message} {}", header.dtype())));
        }
        let (test, columns) = check::check(&self.expression, header).map_err(|problem| problem.in_expression(&self.text))?;
        let row_bytes = row_bytes(header);
        if row_bytes == 0 && *rows > 0 {
            return Err(Failure::Nameless("cannot filter rows: they have no bytes".to_owned()));
        }
        Ok(Filter {
            text: self.text.clone(),
            header: header.clone(),
            test,
            columns,
            rows: *rows as u64,
            row_bytes: row_bytes.max(1),
            threads: threads::of_machine(),
        })
    }
}

/// An expression on the rows of an array.
#[derive(Debug)]
pub(crate) struct Filter {
    text: String,
    header: Header,
    test: Test,
    columns: Vec<Column>,
    rows: u64,
    /// At least 1.
    row_bytes: usize,
    /// The most that read a file side by side.
    threads: usize,
}

impl Filter {
    /// Counts the rows. `stored` is where the array is in a file, if it is there as it is.
    pub(crate) fn count(&self, array: &mut dyn Array, stored: Option<&Stored>) -> Result<u64> {
        let mut count = 0;
        self.scan(&mut in_c_order(array), stored, None, &mut |rows| {
            count += rows.count;
            Ok(())
        })?;
        Ok(count)
    }

    /// Appends the rows to a temporary file, at most this many of them. Returns their header.
    pub(crate) fn write(
        &self,
        read: Read<'_>,
        stored: Option<&Stored>,
        most: Option<u64>,
        file: &mut SpooledTempFile,
    ) -> Result<Header> {
        let mut count = 0;
        self.scan(read, stored, Some(most.unwrap_or(u64::MAX)), &mut |rows| {
            count += rows.count;
            file.write_all(&rows.bytes).map_err(|error| not_spooled(&error))
        })?;
        let mut shape = self.header.shape().to_vec();
        if let Some(rows) = shape.first_mut() {
            *rows = usize::try_from(count).unwrap_or(usize::MAX);
        }
        Ok(Header::new(self.header.dtype().clone(), Order::C, &shape)?)
    }

    fn failure(&self, problem: Problem) -> Failure {
        problem.in_expression(&self.text)
    }
}

fn in_c_order(array: &mut dyn Array) -> impl FnMut(pieces::Sink<'_>) -> Result<()> {
    |sink| pieces::for_each(array, Order::C, sink)
}

//! CSV as an array. The file is read twice: for the types of its columns and the number of its rows, then for its cells. So memory is
//! bounded by the longest line, and a file that does not fit is refused before anything is written.

use csv::StringRecord;
use npy_core::{Header, Order};

use super::cells::Columns;
use super::dialect::Dialect;
use super::lines::next;
use super::survey::{Survey, place_of};
use crate::failure::{Failure, Result};
use crate::formats::format::ReadOptions;
use crate::formats::source::{FileOrSpool, Item, Source};
use crate::formats::text::rows::RowBuffer;
use crate::formats::text::{Problem, shown};
use crate::input::pieces::Sink;
use crate::output;

/// A CSV file whose columns are known.
pub(super) struct CsvSource {
    file: FileOrSpool,
    dialect: Dialect,
    has_header: bool,
    names: Option<Vec<String>>,
    item: Item,
    columns: Columns,
    is_for_looking: bool,
    /// The bytes of a line in the array.
    row_bytes: usize,
}

impl CsvSource {
    /// Opens a file with the delimiter of its format, or with the one that its lines have.
    pub(super) fn open(file: FileOrSpool, delimiter: Option<u8>, options: &ReadOptions) -> Result<Self> {
        let mut dialect = Dialect::new(file.file()?, delimiter, &options.csv)?;
        let survey = Survey::new(&file, &mut dialect, options)?;
        let (dtype, row_shape) = match &options.dtype {
            Some(dtype) => survey.row_of(dtype),
            None => survey.guessed()?,
        };
        let columns = survey.placed_columns(&dtype, row_shape, options.is_lossy)?;
        let shape: Vec<usize> = std::iter::once(survey.rows).chain(row_shape).collect();
        let header = Header::new(dtype.clone(), Order::C, &shape)?;
        let row_bytes = row_shape.unwrap_or(1).saturating_mul(dtype.itemsize());
        let item = file.item(header, Vec::new());
        let source = Self {
            file,
            dialect,
            has_header: survey.has_header,
            names: survey.names,
            item,
            columns,
            row_bytes,
            is_for_looking: options.is_for_looking,
        };
        source.tell(&source.dialect.guesses);
        Ok(source)
    }

    /// Says on standard error what was guessed and may be wrong.
    fn tell(&self, guesses: &[String]) {
        if !guesses.is_empty() {
            let hint = if self.is_for_looking { "; npy convert has the options" } else { "" };
            output::warn(&format!("{}: guessed {}{hint}", self.item.input, guesses.join(", ")));
        }
    }

    fn other_decimal(&self, cell: &str) -> Problem {
        let (sign, other) = self.dialect.decimal_signs();
        let cell = shown(cell.trim());
        Problem::error(format!("expected a decimal {sign}, found a {other} in {cell:?}; --decimal says which the file has"))
    }

    /// Stores the cells of a line. Returns the first column with a word for what is missing, if no option gave the words.
    fn put(&self, record: &StringRecord, row: &mut [u8]) -> Result<Option<usize>> {
        let mut guessed = None;
        for column in self.columns.iter() {
            let cell = record.get(column.index).unwrap_or_default();
            let slot = column.slot;
            let out = row.get_mut(column.offset..column.offset + slot.scalar.itemsize()).unwrap_or_default();
            let is_missing = (self.dialect.has_given_words() || slot.has_null()) && self.dialect.is_missing(cell);
            let stored = match is_missing {
                // Empty text, as an empty cell is: the user gave the word.
                true if slot.is_text() => slot.put_text("", out),
                true => slot.put_null(out),
                false if slot.is_text() => slot.put_text(cell, out),
                false => match self.dialect.number(cell) {
                    Some(number) => slot.put_text(&number, out),
                    None => Err(self.other_decimal(cell)),
                },
            };
            stored.map_err(|problem| {
                let line = self.dialect.line_of(record);
                let is_name = cell.trim().starts_with(|first: char| first.is_alphabetic() || first == '_');
                let is_header_likely = line == 1 && !self.has_header && is_name;
                let hint = if is_header_likely { "; if the line has names, skip it with --header" } else { problem.hint() };
                Failure::Nameless(format!(
                    "line {line}, {}: {}{hint}",
                    place_of(self.names.as_deref(), column.index),
                    problem.message
                ))
            })?;
            if is_missing && !self.dialect.has_given_words() && guessed.is_none() && cell.trim() != "NaT" {
                guessed = Some(column.index);
            }
        }
        Ok(guessed)
    }
}

impl Source for CsvSource {
    fn items(&self) -> &[Item] {
        std::slice::from_ref(&self.item)
    }

    fn rows(&mut self, _: usize, sink: Sink<'_>) -> Result<()> {
        let mut reader = self.dialect.reader(self.file.text()?);
        let rows = self.item.header.shape().first().copied().unwrap_or_default();
        let mut record = StringRecord::new();
        let mut lines = RowBuffer::new(self.item.header.dtype(), self.row_bytes);
        if self.has_header {
            next(&mut reader, &mut record)?;
        }
        let mut guessed = None;
        for _ in 0..rows {
            if !next(&mut reader, &mut record)? {
                return Err(Failure::Nameless("the file became shorter while it was read".to_owned()));
            }
            let missing = self.put(&record, lines.row()?)?;
            if let (None, Some(column)) = (&guessed, missing) {
                let word = record.get(column).unwrap_or_default().trim();
                guessed = Some(format!("{word:?} in {} for what is missing (--na)", place_of(self.names.as_deref(), column)));
            }
            lines.flush_full(sink)?;
        }
        lines.flush(sink)?;
        self.tell(guessed.as_slice());
        Ok(())
    }
}

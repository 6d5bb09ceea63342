//! CSV as an array. The file is read twice: for the types of its columns and the number of its rows, then for its cells. So memory is
//! bounded by the longest line, and a file that does not fit is refused before anything is written.

use std::io::Read;

use csv::{Reader, StringRecord};
use npy_core::{DType, DynValues, Header, Order};

use super::Arguments;
use super::cast::Problem;
use super::csv_survey::{Columns, Survey, place_of};
use super::dialect::Dialect;
use super::parse::shown;
use super::source::{CSource, FileOrSpool, Item};
use crate::failure::{Failure, Result};
use crate::input::pieces::{Sink, elements_of_piece};
use crate::output;

/// A CSV file whose columns are known.
pub(super) struct CsvSource {
    file: FileOrSpool,
    dialect: Dialect,
    has_header: bool,
    names: Option<Vec<String>>,
    item: Item,
    columns: Columns,
    /// The bytes of a line in the array.
    row_bytes: usize,
}

impl CsvSource {
    /// Opens a file with the delimiter of its format, or with the one that its lines have.
    pub(super) fn open(file: FileOrSpool, input: &str, delimiter: Option<u8>, arguments: &Arguments) -> Result<Self> {
        let source = Self::survey(file, input, delimiter, arguments).map_err(|failure| failure.about(input))?;
        source.tell(&source.dialect.guesses);
        Ok(source)
    }

    fn survey(file: FileOrSpool, input: &str, delimiter: Option<u8>, arguments: &Arguments) -> Result<Self> {
        let mut dialect = Dialect::new(file.file()?, delimiter, &arguments.csv)?;
        let survey = Survey::new(&file, &mut dialect, arguments)?;
        let (dtype, row_shape) = match &arguments.dtype {
            Some(dtype) => survey.row_of(dtype),
            None => survey.guessed()?,
        };
        let columns = survey.placed_columns(&dtype, row_shape, arguments.lossy)?;
        let shape: Vec<usize> = std::iter::once(survey.rows).chain(row_shape).collect();
        let header = Header::new(dtype.clone(), Order::C, &shape)?;
        let row_bytes = row_shape.unwrap_or(1).saturating_mul(dtype.itemsize());
        let item = Item { name: file.stem.clone(), input: input.to_owned(), header, losses: Vec::new() };
        Ok(Self { file, dialect, has_header: survey.has_header, names: survey.names, item, columns, row_bytes })
    }

    /// Says on standard error what was guessed and may be wrong.
    fn tell(&self, guesses: &[String]) {
        if !guesses.is_empty() {
            output::warn(&format!("{}: guessed {}", self.item.input, guesses.join(", ")));
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

/// Reads the next line into `record`; `false` at the end.
pub(super) fn next<R: Read>(reader: &mut Reader<R>, record: &mut StringRecord) -> Result<bool> {
    reader.read_record(record).map_err(|error| match error.kind() {
        csv::ErrorKind::Utf8 { pos, err } => {
            let line = pos.as_ref().map(|pos| format!("line {}: ", pos.line())).unwrap_or_default();
            Failure::Nameless(format!("{line}expected UTF-8 in column {}, found other bytes", err.field() + 1))
        }
        // Of a line that is too long.
        csv::ErrorKind::Io(error) if error.get_ref().is_some() => Failure::Nameless(error.to_string()),
        _ => Failure::Nameless(format!("cannot read the file: {error}")),
    })
}

impl CSource for CsvSource {
    fn item(&self) -> &Item {
        &self.item
    }

    fn read_c(&mut self, sink: Sink<'_>) -> Result<()> {
        let mut reader = self.dialect.reader(self.file.file()?);
        let rows = self.item.header.shape().first().copied().unwrap_or_default();
        let mut record = StringRecord::new();
        let mut piece = Piece::new(self.item.header.dtype(), self.row_bytes);
        if self.has_header {
            next(&mut reader, &mut record)?;
        }
        let mut guessed = None;
        for _ in 0..rows {
            if !next(&mut reader, &mut record)? {
                return Err(Failure::Nameless("the file became shorter while it was read".to_owned()));
            }
            let missing = self.put(&record, piece.row()?)?;
            if let (None, Some(column)) = (&guessed, missing) {
                let word = record.get(column).unwrap_or_default().trim();
                guessed = Some(format!("{word:?} in {} for what is missing (--na)", place_of(self.names.as_deref(), column)));
            }
            piece.flush_full(sink)?;
        }
        piece.flush(sink)?;
        self.tell(guessed.as_slice());
        Ok(())
    }
}

/// Rows that are assembled before they are passed on.
pub(super) struct Piece {
    dtype: DType,
    row_bytes: usize,
    bytes: Vec<u8>,
    rows: usize,
    most_rows: usize,
}

impl Piece {
    pub(super) fn new(dtype: &DType, row_bytes: usize) -> Self {
        let most_rows = (elements_of_piece(dtype) * dtype.itemsize().max(1) / row_bytes.max(1)).max(1);
        Self { dtype: dtype.clone(), row_bytes, bytes: Vec::new(), rows: 0, most_rows }
    }

    /// A new row of zeros.
    pub(super) fn row(&mut self) -> Result<&mut [u8]> {
        let begin = self.bytes.len();
        let reserved = self.bytes.try_reserve(self.row_bytes);
        reserved.map_err(|_| Failure::allocation(self.row_bytes))?;
        self.bytes.resize(begin + self.row_bytes, 0);
        self.rows += 1;
        Ok(&mut self.bytes[begin..])
    }

    /// The row that was added last.
    pub(super) fn newest(&mut self) -> &mut [u8] {
        let begin = self.bytes.len().saturating_sub(self.row_bytes);
        &mut self.bytes[begin..]
    }

    /// Passes the rows on if they are enough.
    pub(super) fn flush_full(&mut self, sink: Sink<'_>) -> Result<()> {
        if self.rows >= self.most_rows { self.flush(sink) } else { Ok(()) }
    }

    /// Passes the rows on.
    pub(super) fn flush(&mut self, sink: Sink<'_>) -> Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        let count = match self.dtype.itemsize() {
            0 => self.rows,
            size => bytes.len() / size,
        };
        self.rows = 0;
        if count == 0 {
            return Ok(());
        }
        sink(DynValues::new(self.dtype.clone(), Order::C, &[count], bytes)?)
    }
}

//! CSV as an array. The file is read twice: for the types of its columns and the number of its rows, then for its cells. So memory is
//! bounded by the longest line, and a file that does not fit is refused before anything is written.

use std::collections::{HashMap, HashSet};
use std::fs::File;

use csv::{Reader, ReaderBuilder, StringRecord};
use npy_core::dtype::{Record, Scalar, ScalarKind};
use npy_core::{DType, DynValues, Header, Order};

use super::Arguments;
use super::guess::Guess;
use super::parse::{Encoding, Slot};
use super::source::{CSource, FileOrSpool, Item, stem_of};
use crate::columns;
use crate::failure::{Failure, Result};
use crate::pieces::{Sink, elements_of_piece};
use crate::signals;

/// A CSV file whose columns are known.
pub(super) struct CsvSource {
    file: FileOrSpool,
    delimiter: u8,
    has_header: bool,
    item: Item,
    columns: Vec<Column>,
    /// The bytes of a line in the array.
    row_bytes: usize,
}

/// A cell of each line, and where it is stored in the row.
struct Column {
    index: usize,
    name: String,
    offset: usize,
    slot: Slot,
}

/// What the first reading finds.
struct Survey {
    first: StringRecord,
    has_header: bool,
    guesses: Vec<Guess>,
    /// Without the header.
    rows: usize,
}

impl CsvSource {
    pub(super) fn open(file: FileOrSpool, input: &str, delimiter: u8, arguments: &Arguments) -> Result<Self> {
        Self::survey(file, input, delimiter, arguments).map_err(|failure| failure.about(input))
    }

    fn survey(file: FileOrSpool, input: &str, delimiter: u8, arguments: &Arguments) -> Result<Self> {
        let survey = survey(&mut reader(file.file()?, delimiter), arguments)?;
        let (dtype, row_shape) = match &arguments.dtype {
            Some(dtype) => survey.row_of(dtype),
            None => survey.guessed()?,
        };
        let columns = survey.columns(&dtype, row_shape, arguments.lossy)?;
        let shape: Vec<usize> = std::iter::once(survey.rows).chain(row_shape).collect();
        let header = Header::new(dtype.clone(), Order::C, &shape)?;
        let row_bytes = row_shape.unwrap_or(1) * dtype.itemsize();
        let item = Item { name: stem_of(input), input: input.to_owned(), header, losses: Vec::new() };
        Ok(Self { file, delimiter, has_header: survey.has_header, item, columns, row_bytes })
    }
}

fn reader(file: File, delimiter: u8) -> Reader<File> {
    // Lines of other lengths are found here, for a better message.
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).buffer_capacity(1 << 18).from_reader(file)
}

/// Reads the next line into `record`; `false` at the end.
fn next(reader: &mut Reader<File>, record: &mut StringRecord) -> Result<bool> {
    reader.read_record(record).map_err(|error| match error.kind() {
        csv::ErrorKind::Utf8 { pos, err } => {
            let line = pos.as_ref().map(|pos| format!("line {}: ", pos.line())).unwrap_or_default();
            Failure::Nameless(format!("{line}expected UTF-8 in column {}, found other bytes", err.field() + 1))
        }
        _ => Failure::Nameless(format!("cannot read the file: {error}")),
    })
}

fn line_of(record: &StringRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

fn survey(reader: &mut Reader<File>, arguments: &Arguments) -> Result<Survey> {
    let mut first = StringRecord::new();
    if !next(reader, &mut first)? {
        return Err(Failure::Nameless("expected lines of cells, found an empty file".to_owned()));
    }
    let mut guesses = vec![Guess::new(); first.len()];
    let mut record = StringRecord::new();
    let mut rows = 0_usize;
    while next(reader, &mut record)? {
        if rows.is_multiple_of(1 << 16) {
            signals::check()?;
        }
        if record.len() != first.len() {
            let message = format!("expected {} columns, found {}", first.len(), record.len());
            return Err(Failure::Nameless(format!("line {}: {message}", line_of(&record))));
        }
        if arguments.dtype.is_none() {
            guesses.iter_mut().zip(&record).for_each(|(guess, cell)| guess.add_cell(cell));
        }
        rows += 1;
    }
    // Only records have names: where the dtype is plain, text in the first line is a value.
    let can_have_names = !matches!(arguments.dtype, Some(DType::Scalar(_) | DType::SubArray(_)));
    let has_header = arguments.header || !arguments.no_header && can_have_names && looks_like_names(&first);
    if !has_header {
        guesses.iter_mut().zip(&first).for_each(|(guess, cell)| guess.add_cell(cell));
        rows += 1;
    }
    Ok(Survey { first, has_header, guesses, rows })
}

/// Whether no cell of the first line is a number, a bool or a date, and all are different.
fn looks_like_names(record: &StringRecord) -> bool {
    let mut names = HashSet::new();
    record.iter().all(|cell| {
        let mut guess = Guess::new();
        guess.add_cell(cell);
        let is_text = guess.scalar().is_some_and(|scalar| matches!(scalar.kind(), ScalarKind::Unicode { .. }));
        is_text && !cell.trim().is_empty() && names.insert(cell)
    })
}

impl Survey {
    /// The dtype by the cells, and how many elements a line has if they are an axis.
    fn guessed(&self) -> Result<(DType, Option<usize>)> {
        let scalars: Vec<Scalar> = self.guesses.iter().filter_map(Guess::scalar).collect();
        if !self.has_header {
            if let [scalar] = scalars[..] {
                return Ok((scalar.into(), None));
            }
            if let Some(kind) = self.common_number() {
                return Ok((Scalar::new(kind, npy_core::dtype::ByteOrder::Little).into(), Some(scalars.len())));
            }
        }
        let fields = scalars.iter().enumerate().map(|(i, scalar)| (self.name(i), DType::from(*scalar)));
        Ok((Record::packed(fields)?.into(), None))
    }

    /// The kind of number that holds the cells of all columns.
    fn common_number(&self) -> Option<ScalarKind> {
        let kinds: Vec<ScalarKind> = self.guesses.iter().map(Guess::number).collect::<Option<_>>()?;
        let first = *kinds.first()?;
        let has = |kind| kinds.contains(&kind);
        Some(match first {
            _ if kinds.iter().all(|kind| *kind == first) => first,
            _ if has(ScalarKind::Bool) => return None,
            _ if has(ScalarKind::Complex128) => ScalarKind::Complex128,
            _ => ScalarKind::Float64,
        })
    }

    /// The names of the header, or those of `np.genfromtxt`.
    fn name(&self, column: usize) -> String {
        let name = self.first.get(column).filter(|_| self.has_header).map(str::trim).filter(|name| !name.is_empty());
        name.map_or_else(|| format!("f{column}"), str::to_owned)
    }

    /// The dtype that the user gave, and how many elements a line has if they are an axis.
    fn row_of(&self, dtype: &DType) -> (DType, Option<usize>) {
        let row_shape = match dtype {
            DType::Scalar(_) if self.first.len() > 1 => Some(self.first.len()),
            _ => None,
        };
        (dtype.clone(), row_shape)
    }

    /// Which cell is stored where.
    fn columns(&self, dtype: &DType, row_shape: Option<usize>, is_lossy: bool) -> Result<Vec<Column>> {
        let mut columns = Vec::new();
        for element in 0..row_shape.unwrap_or(1) {
            for part in columns::of(dtype)? {
                let slot = Slot { scalar: part.scalar, encoding: Encoding::Utf8, is_lossy };
                if !slot.is_supported() {
                    return Err(Failure::Nameless(format!("cannot read {} from text: expected another dtype", part.scalar)));
                }
                for i in 0..part.count {
                    let name = format!("{}{}", part.path, columns::index_text(&part.axes, i));
                    let offset = element * dtype.itemsize() + part.offset + i * part.scalar.itemsize();
                    columns.push(Column { index: columns.len(), name, offset, slot });
                }
            }
        }
        if columns.len() != self.first.len() {
            let message = format!("expected {} columns, as in the dtype, found {}", columns.len(), self.first.len());
            return Err(Failure::Nameless(message));
        }
        // By their names, if the file has these in another order.
        let names: Vec<String> = (0..self.first.len()).map(|column| self.name(column)).collect();
        // The first of equal names.
        let places: HashMap<&str, usize> = names.iter().enumerate().rev().map(|(place, name)| (name.as_str(), place)).collect();
        let by_name: Option<Vec<usize>> = columns.iter().map(|column| places.get(column.name.as_str()).copied()).collect();
        match by_name {
            Some(indices) if self.has_header => columns.iter_mut().zip(indices).for_each(|(column, index)| column.index = index),
            _ => {}
        }
        for column in &mut columns {
            column.name = names.get(column.index).filter(|_| self.has_header).cloned().unwrap_or_default();
        }
        Ok(columns)
    }
}

impl CSource for CsvSource {
    fn item(&self) -> &Item {
        &self.item
    }

    fn read_c(&mut self, sink: Sink<'_>) -> Result<()> {
        let mut reader = reader(self.file.file()?, self.delimiter);
        let dtype = self.item.header.dtype();
        let rows = self.item.header.shape().first().copied().unwrap_or_default();
        let mut record = StringRecord::new();
        let mut piece = Piece::new(dtype, self.row_bytes);
        if self.has_header {
            next(&mut reader, &mut record)?;
        }
        for _ in 0..rows {
            if !next(&mut reader, &mut record)? {
                return Err(Failure::Nameless("the file became shorter while it was read".to_owned()));
            }
            let row = piece.row();
            for column in &self.columns {
                let cell = record.get(column.index).unwrap_or_default();
                let out = row.get_mut(column.offset..column.offset + column.slot.scalar.itemsize()).unwrap_or_default();
                column.slot.put_text(cell, out).map_err(|problem| {
                    let name = if column.name.is_empty() { String::new() } else { format!(" ({})", column.name) };
                    let place = format!("line {}, column {}{name}", line_of(&record), column.index + 1);
                    Failure::Nameless(format!("{place}: {}{}", problem.message, problem.hint()))
                })?;
            }
            piece.flush_full(sink)?;
        }
        piece.flush(sink)
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
    pub(super) fn row(&mut self) -> &mut [u8] {
        let begin = self.bytes.len();
        self.bytes.resize(begin + self.row_bytes, 0);
        self.rows += 1;
        &mut self.bytes[begin..]
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

//! Records as a table: a column for each field, as many beside each other as fit the line.

use std::borrow::Cow;
use std::io::Write;

use npy_core::dtype::FieldAt;
use npy_core::print::{PrintOptions, TableCells, table_cells};
use npy_core::{DType, DynValues};
use unicode_width::UnicodeWidthStr;

use super::Arguments;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats::text::for_each_element;
use crate::input::Array;
use crate::output::table::cut;
use crate::output::{Screen, Style};
use crate::select::{Selection, check_size};
use crate::values::quantity::unraveled;

/// The most rows that are shown unless the user says how many.
const MOST_ROWS: usize = 60;

/// The least memory of a cell.
const LEAST_BYTES: usize = 64;

/// The least width to which a cell is cut.
const LEAST_WIDTH: usize = 8;

/// The most bytes of text in a cell.
const MOST_CELL: usize = 1 << 16;

/// The most bytes of cells that are kept until all rows are known.
const MOST_ALIGNED: usize = 16 << 20;

/// Shows a selection of records.
pub(super) fn show(arguments: &Arguments, selection: &Selection, array: &mut dyn Array, screen: &mut Screen) -> Result<()> {
    let rows = Rows::new(arguments, &selection.shape());
    let mut table = Records::new(arguments, &rows, selection.dtype())?;
    for range in [0..rows.first, rows.total - rows.last..rows.total] {
        selection.for_each_piece(range, array, &mut |values| for_each_element(values, |record| table.add(record)))?;
    }
    write(&rows.labels(selection), table.finish(&rows)?, arguments, screen)
}

/// Shows the records of a selection, which are in memory.
pub(super) fn show_all(arguments: &Arguments, selection: &Selection, values: &DynValues, screen: &mut Screen) -> Result<()> {
    let rows = Rows::new(arguments, values.shape());
    let mut table = Records::new(arguments, &rows, values.dtype())?;
    let mut row = 0;
    for_each_element(values, |record| {
        let is_shown = row < rows.first || row >= rows.total - rows.last;
        row += 1;
        if is_shown { table.add(record) } else { Ok(()) }
    })?;
    write(&rows.labels(selection), table.finish(&rows)?, arguments, screen)
}

/// The cells of the rows that were added.
struct Records {
    columns: Vec<Cells>,
    rows: usize,
    options: PrintOptions,
}

/// The cells of a column.
struct Cells {
    name: String,
    offset: usize,
    dtype: DType,
    /// Whether cells are formatted together, which aligns numbers. Longer ones are formatted one by one when they are read.
    is_aligned: bool,
    bytes: Vec<u8>,
    texts: Vec<String>,
}

impl Records {
    fn new(arguments: &Arguments, rows: &Rows, dtype: &DType) -> Result<Self> {
        check_dtype(dtype)?;
        let columns = dtype.columns();
        let bytes_of_row = columns.iter().map(|column| column.dtype().itemsize().clamp(LEAST_BYTES, MOST_CELL));
        let bytes_of_row = bytes_of_row.fold(0, usize::saturating_add).max(LEAST_BYTES);
        check_size(rows.positions().count().saturating_mul(bytes_of_row))?;
        let count = rows.positions().count().saturating_mul(columns.len().max(1));
        let most = (MOST_ALIGNED / count.max(1)).max(LEAST_BYTES);
        let cells = |column: &FieldAt<'_>| {
            let (name, offset, dtype) = (column.path(), column.offset(), column.dtype().clone());
            let is_aligned = dtype.itemsize() <= most;
            Cells { name, offset, dtype, is_aligned, bytes: Vec::new(), texts: Vec::new() }
        };
        Ok(Self { columns: columns.iter().map(cells).collect(), rows: 0, options: arguments.options_of_cells() })
    }

    fn add(&mut self, record: &[u8]) -> Result<()> {
        self.rows += 1;
        for column in &mut self.columns {
            let size = column.dtype.itemsize();
            let cell = record.get(column.offset..).and_then(|rest| rest.get(..size)).unwrap_or_default();
            if column.is_aligned {
                column.bytes.try_reserve(size).map_err(|_| Failure::allocation(size))?;
                column.bytes.extend_from_slice(cell);
            } else {
                column.texts.extend(column.texts(&[cell], &self.options)?.texts);
            }
        }
        Ok(())
    }

    fn finish(self, rows: &Rows) -> Result<Vec<Column>> {
        let finish = |column: Cells| {
            let size = column.dtype.itemsize();
            let count = if column.is_aligned { self.rows } else { 0 };
            let cells: Vec<&[u8]> =
                (0..count).map(|row| column.bytes.get(row * size..(row + 1) * size).unwrap_or_default()).collect();
            let cells = column.texts(&cells, &self.options)?;
            let texts = if column.is_aligned { cells.texts } else { column.texts };
            Ok(Column::new(&column.name, texts, cells.is_right_aligned, rows))
        };
        self.columns.into_iter().map(finish).collect()
    }
}

impl Cells {
    fn texts(&self, cells: &[&[u8]], options: &PrintOptions) -> Result<TableCells> {
        table_cells(&self.dtype, cells, Some(options), MOST_CELL).map_err(|_| Failure::text_allocation())
    }
}

/// Fails for other dtypes than records.
pub(super) fn check_dtype(dtype: &DType) -> Result<()> {
    match dtype {
        DType::Record(_) => Ok(()),
        dtype => Err(Failure::Nameless(format!("--table has no effect: expected records, found dtype {dtype}; leave it out"))),
    }
}

/// Which rows are shown: all, or those at both ends.
pub(super) struct Rows {
    first: usize,
    last: usize,
    total: usize,
}

impl Rows {
    pub(super) fn new(arguments: &Arguments, shape: &[usize]) -> Self {
        let total = shape.iter().fold(1_usize, |total, length| total.saturating_mul(*length));
        let is_abbreviated = !arguments.all && arguments.head.is_none() && arguments.tail.is_none();
        if is_abbreviated && total > MOST_ROWS {
            return Self { first: MOST_ROWS / 2, last: MOST_ROWS / 2, total };
        }
        Self { first: total, last: 0, total }
    }

    /// The positions, in C order, of the rows that are shown.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.first).chain(self.total - self.last..self.total)
    }

    /// The row of dots, if there is one.
    fn cut(&self) -> Option<usize> {
        (self.first + self.last < self.total).then_some(self.first)
    }

    /// The index of each row in the file.
    pub(super) fn labels(&self, selection: &Selection) -> Column {
        let shape = selection.shape();
        let label = |position: usize| {
            let index = unraveled(position as u64, &shape).into_iter().enumerate();
            index.map(|(axis, index)| selection.source_index(axis, index).to_string()).collect::<Vec<_>>().join(",")
        };
        Column::new("", self.positions().map(label).collect(), false, self)
    }
}

/// The texts of one column.
pub(super) struct Column {
    name: String,
    cells: Vec<String>,
    width: usize,
    is_right: bool,
}

impl Column {
    pub(super) fn new(name: &str, mut cells: Vec<String>, is_right: bool, rows: &Rows) -> Self {
        for cell in &mut cells {
            if let Cow::Owned(escaped) = escape::line(cell) {
                *cell = escaped;
            }
        }
        let name = escape::line(name).into_owned();
        if let Some(cut) = rows.cut() {
            cells.insert(cut.min(cells.len()), "...".to_owned());
        }
        let width = cells.iter().chain([&name]).map(|cell| cell.width()).max().unwrap_or(0);
        Self { name, cells, width, is_right }
    }

    /// Cuts wider cells.
    fn cut_to(&mut self, width: usize) {
        if self.width > width {
            self.cells.iter_mut().chain([&mut self.name]).for_each(|cell| *cell = cut(cell, width).into_owned());
            self.width = width;
        }
    }

    /// A text in the width of the column.
    fn padded(&self, text: &str, painted: &str) -> String {
        let blanks = " ".repeat(self.width.saturating_sub(text.width()));
        if self.is_right { format!("{blanks}{painted}") } else { format!("{painted}{blanks}") }
    }
}

/// Writes the columns in blocks, each with the labels before it.
pub(super) fn write(labels: &Column, mut columns: Vec<Column>, arguments: &Arguments, screen: &mut Screen) -> Result<()> {
    // Output for another program is not cut.
    let width = arguments.width.or_else(|| screen.is_terminal().then(|| screen.width())).unwrap_or(usize::MAX);
    let most = width.saturating_sub(labels.width + GAP.len()).max(LEAST_WIDTH);
    for column in &mut columns {
        column.cut_to(most);
    }
    let mut rest = &columns[..];
    loop {
        let mut used = labels.width;
        let fits = rest.iter().take_while(|column| {
            used = used.saturating_add(GAP.len() + column.width);
            used <= width
        });
        let count = fits.count().max(1).min(rest.len());
        let (block, after) = rest.split_at(count);
        write_block(labels, block, screen)?;
        rest = after;
        if rest.is_empty() {
            return Ok(());
        }
        writeln!(screen)?;
    }
}

const GAP: &str = "  ";

fn write_block(labels: &Column, columns: &[Column], screen: &mut Screen) -> Result<()> {
    let mut line = labels.padded("", "");
    for column in columns {
        line.push_str(GAP);
        line.push_str(&column.padded(&column.name, &screen.paint(Style::Name, &column.name)));
    }
    writeln!(screen, "{}", line.trim_end())?;
    for (row, label) in labels.cells.iter().enumerate() {
        let mut line = labels.padded(label, &screen.paint(Style::Faint, label));
        for column in columns {
            let cell = column.cells.get(row).map_or("", String::as_str);
            line.push_str(GAP);
            line.push_str(&column.padded(cell, cell));
        }
        writeln!(screen, "{}", line.trim_end())?;
    }
    Ok(())
}

impl Arguments {
    /// The options for the cells, in which long sub-arrays are abbreviated.
    fn options_of_cells(&self) -> PrintOptions {
        let options = PrintOptions::new().threshold(if self.all { usize::MAX } else { 12 }).edge_items(2);
        self.precision.map_or(options.clone(), |precision| options.precision(precision))
    }
}

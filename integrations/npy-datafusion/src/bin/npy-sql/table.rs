//! Answers as tables, laid out as by `npy show --table`: NumPy's texts, as many columns beside each other as fit the terminal.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use npy_core::DType;
use npy_core::print::{PrintOptions, table_cells, terminal};
use npy_datafusion::datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use npy_datafusion::datafusion::arrow::compute::{concat_batches, filter, is_not_null};
use npy_datafusion::datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use npy_datafusion::datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use npy_datafusion::npy_arrow::{ArrayOptions, RowDType, from_batches_with};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::failure::{Failure, of_arrow};

/// The most rows that are shown, half of them from each end.
const MOST_ROWS: usize = 60;

/// The most bytes of text in a cell.
const MOST_CELL: usize = 1 << 16;

/// The least width to which a cell is cut.
const LEAST_WIDTH: usize = 8;

const GAP: &str = "  ";

/// The rows of an answer that are shown. The others are not kept.
pub(crate) struct Rows {
    schema: SchemaRef,
    /// From each end.
    most: usize,
    first: Vec<RecordBatch>,
    last: VecDeque<RecordBatch>,
    of_first: usize,
    of_last: usize,
    total: usize,
}

impl Rows {
    pub(crate) fn new(schema: SchemaRef, all: bool) -> Self {
        let most = if all { usize::MAX } else { MOST_ROWS / 2 };
        Self { schema, most, first: Vec::new(), last: VecDeque::new(), of_first: 0, of_last: 0, total: 0 }
    }

    pub(crate) fn add(&mut self, batch: &RecordBatch) {
        let rows = batch.num_rows();
        self.total += rows;
        let head = rows.min(self.most - self.of_first);
        if head > 0 {
            self.first.push(batch.slice(0, head));
            self.of_first += head;
        }
        self.last.push_back(batch.slice(head, rows - head));
        self.of_last += rows - head;
        while let Some(oldest) = self.last.front().map(RecordBatch::num_rows).filter(|rows| self.of_last - rows >= self.most) {
            self.last.pop_front();
            self.of_last -= oldest;
        }
    }

    /// Writes the table to standard output.
    pub(crate) fn write(self) -> Result<(), Failure> {
        let kept = concat_batches(&self.schema, self.first.iter().chain(&self.last)).map_err(|error| of_arrow(&error))?;
        let of_last = (self.total - self.of_first).min(self.most);
        let (begin, end) = (self.of_first, kept.num_rows() - of_last);
        let cut = (begin + of_last < self.total).then_some(begin);
        let rows = [kept.slice(0, begin), kept.slice(end, of_last)];
        let shown = concat_batches(&self.schema, &rows).map_err(|error| of_arrow(&error))?;
        let labels: Vec<_> = (0..begin).chain(self.total - of_last..self.total).map(|row| row.to_string()).collect();
        let labels = Column::new("", &labels, false, cut);
        let columns = self.schema.fields().iter().zip(shown.columns());
        let columns = columns.map(|(field, column)| {
            let (cells, is_right) = cells(field, column)?;
            Ok(Column::new(field.name(), &cells, is_right, cut))
        });
        let text = layout(&labels, columns.collect::<Result<_, Failure>>()?, width());
        Ok(io::stdout().lock().write_all(text.as_bytes())?)
    }
}

/// The texts of a column, and whether they are aligned to the right.
fn cells(field: &Field, column: &ArrayRef) -> Result<(Vec<String>, bool), Failure> {
    let valid = is_not_null(column).map_err(|error| of_arrow(&error))?;
    let values = filter(column, &valid).map_err(|error| of_arrow(&error))?;
    let (texts, is_right) = match numpy_cells(field, &values) {
        Some(cells) => cells,
        // Nested records, and what NumPy has no dtype for.
        None => (arrow_cells(&values)?, field.data_type().is_numeric()),
    };
    let mut texts = texts.into_iter();
    let cell = |is_valid: bool| if is_valid { texts.next().unwrap_or_default() } else { "null".to_owned() };
    Ok((valid.values().iter().map(cell).collect(), is_right))
}

/// The texts of the cells as NumPy has them, if it has a dtype for them.
fn numpy_cells(field: &Field, values: &ArrayRef) -> Option<(Vec<String>, bool)> {
    let schema = Arc::new(Schema::new(vec![field.clone().with_nullable(true)]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::clone(values)]).ok()?;
    let mut dtype = RowDType::of(&schema);
    dtype.note(&batch);
    let records = from_batches_with(&schema, [&batch], ArrayOptions::new().dtype(dtype.dtype().ok()?)).ok()?;
    let DType::Record(record) = records.dtype() else { return None };
    let [only] = record.fields() else { return None };
    let size = only.dtype().itemsize();
    if size == 0 || matches!(only.dtype(), DType::Record(_)) {
        return None;
    }
    let options = PrintOptions::new().threshold(12).edge_items(2);
    let cells: Vec<&[u8]> = records.bytes().chunks_exact(size).collect();
    let cells = table_cells(only.dtype(), &cells, Some(&options), MOST_CELL).ok()?;
    Some((cells.texts, cells.is_right_aligned))
}

fn arrow_cells(values: &ArrayRef) -> Result<Vec<String>, Failure> {
    let options = FormatOptions::new().with_null("null");
    let formatter = ArrayFormatter::try_new(values, &options).map_err(|error| of_arrow(&error))?;
    let cell = |row: usize| formatter.value(row).try_to_string().map_err(|error| of_arrow(&error));
    (0..values.len()).map(cell).collect()
}

/// The texts of one column.
struct Column {
    name: String,
    cells: Vec<String>,
    width: usize,
    is_right: bool,
}

impl Column {
    /// Escapes the texts, and inserts the dots of a cut before a row.
    fn new(name: &str, cells: &[String], is_right: bool, cut: Option<usize>) -> Self {
        let mut cells: Vec<String> = cells.iter().map(|cell| terminal::line(cell).into_owned()).collect();
        if let Some(cut) = cut {
            cells.insert(cut, "...".to_owned());
        }
        let name = terminal::line(name).into_owned();
        let width = cells.iter().chain([&name]).map(|cell| cell.width()).max().unwrap_or(0);
        Self { name, cells, width, is_right }
    }

    fn cut_to(&mut self, width: usize) {
        if self.width > width {
            self.cells.iter_mut().chain([&mut self.name]).for_each(|cell| cut(cell, width));
            self.width = width;
        }
    }

    fn push(&self, text: &str, line: &mut String) {
        let blanks = " ".repeat(self.width.saturating_sub(text.width()));
        let (before, after) = if self.is_right { (blanks.as_str(), "") } else { ("", blanks.as_str()) };
        line.extend([before, text, after]);
    }
}

/// Cuts a text to a width on the screen. An ellipsis stands for the rest.
fn cut(text: &mut String, width: usize) {
    if text.width() > width {
        let mut used = 1;
        let fits = |character: &char| {
            used += character.width().unwrap_or(0);
            used <= width
        };
        *text = text.chars().take_while(fits).chain(['…']).collect();
    }
}

/// The columns in blocks that are no wider than the line, each with the labels before it.
fn layout(labels: &Column, mut columns: Vec<Column>, width: usize) -> String {
    let most = width.saturating_sub(labels.width + GAP.len()).max(LEAST_WIDTH);
    for column in &mut columns {
        column.cut_to(most);
    }
    let (mut text, mut rest) = (String::new(), columns.as_slice());
    loop {
        let mut used = labels.width;
        let fits = |column: &&Column| {
            used = used.saturating_add(GAP.len() + column.width);
            used <= width
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (block, after) = rest.split_at(count);
        push_line(labels, block, |column| &column.name, &mut text);
        for row in 0..labels.cells.len() {
            push_line(labels, block, |column| column.cells.get(row).map_or("", String::as_str), &mut text);
        }
        rest = after;
        if rest.is_empty() {
            return text;
        }
        text.push('\n');
    }
}

fn push_line<'a>(labels: &'a Column, block: &'a [Column], cell: impl Fn(&'a Column) -> &'a str, text: &mut String) {
    let begin = text.len();
    labels.push(cell(labels), text);
    for column in block {
        text.push_str(GAP);
        column.push(cell(column), text);
    }
    text.truncate(begin + text[begin..].trim_end().len());
    text.push('\n');
}

/// The width of the terminal by `COLUMNS`, or as it says itself. Output for another program is not cut.
fn width() -> usize {
    if !io::stdout().is_terminal() {
        return usize::MAX;
    }
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let found = || console::Term::stdout().size_checked().map(|(_, width)| usize::from(width));
    given.or_else(found).filter(|width| *width > 0).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_in_blocks_of_the_width_of_the_line() {
        let texts = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let labels = Column::new("", &texts(&["0", "9"]), false, Some(1));
        let columns = || {
            let name = Column::new("name", &texts(&["\u{1b}[2Jé", "中文"]), false, Some(1));
            vec![
                name,
                Column::new("n", &texts(&["1", "100"]), true, Some(1)),
                Column::new("long", &texts(&["abcdefghijklmnopq", ""]), false, Some(1)),
            ]
        };
        let wide = "     name        n  long
0    \\x1b[2Jé    1  abcdefghijklmnopq
...  ...       ...  ...
9    中文      100
";
        assert_eq!(layout(&labels, columns(), usize::MAX), wide);
        let narrow = "     name        n
0    \\x1b[2Jé    1
...  ...       ...
9    中文      100

     long
0    abcdefghijklmn…
...  ...
9
";
        let found = layout(&labels, columns(), 20);
        assert_eq!(found, narrow);
        assert!(found.lines().all(|line| line.width() <= 20), "{found}");
    }
}

//! Arrays of records as tables.

use std::fmt;

use super::format::{Context, Format, Scope};
use super::options::PrintOptions;
use super::stream::{MOST_KEPT, Text, item, pad, part};
use super::text::{write_escaped_bytes, write_escaped_text};
use super::time::date_time;
use crate::dynamic::DynValues;
use crate::format::dtype::{Class, DType, ScalarKind, push_escaped};
use crate::format::leaves::FieldAt;
use crate::format::scalar::Value;
use crate::options::Order;

/// The most bytes of text in a cell.
const MOST_CELL: usize = MOST_KEPT;

impl DynValues {
    /// Formats an array of records as a table: a line of field names, then a line for each record.
    ///
    /// ```
    /// use npy_core::{DynValues, Order};
    ///
    /// let dtype = "[('id', '|u1'), ('pose', [('x', '|i1'), ('y', '|i1')])]".parse()?;
    /// let values = DynValues::new(dtype, Order::C, &[2], vec![7, 1, 255, 10, 100, 2])?;
    /// assert_eq!(values.table().to_string(), "   id  pose.x  pose.y
    /// 0   7       1      -1
    /// 1  10     100       2");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn table(&self) -> Table<'_> {
        Table { values: self, options: None, most_rows: 60 }
    }
}

/// An array of records as a table, formatted when it is displayed. Returned by
/// [`DynValues::table`].
///
/// Each field has a column. A field of a nested record has one with both names, as in `pose.x`.
/// Sub-arrays are in brackets. Numbers and times are aligned to the right, formatted as NumPy
/// prints an array of them. Text is aligned to the left, without quotes. A cell of more than 65,536
/// bytes of text is cut, and ends with `…`.
///
/// See [`DynValues::table`] for an example.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    values: &'a DynValues,
    /// `None` for the defaults.
    options: Option<PrintOptions>,
    most_rows: usize,
}

impl<'a> Table<'a> {
    /// Sets the maximum number of records, half of them from each end, with a line of `...` between. The
    /// default is 60.
    #[must_use]
    pub fn most_rows(mut self, count: usize) -> Self {
        self.most_rows = count;
        self
    }

    /// Sets how numbers and sub-arrays are printed. By default, only the first two and the last two
    /// items of a sub-array with more than 12 are shown.
    #[must_use]
    pub fn options(mut self, options: &PrintOptions) -> Self {
        self.options = Some(options.clone());
        self
    }

    /// The options for the sub-arrays of records.
    fn few() -> PrintOptions {
        PrintOptions::new().threshold(12).edge_items(2)
    }

    /// The positions, in C order, of the first and of the last records that are shown.
    fn rows(&self) -> (Vec<usize>, Vec<usize>) {
        let count = self.values.header().element_count();
        if count <= self.most_rows {
            return ((0..count).collect(), Vec::new());
        }
        let last = self.most_rows / 2;
        ((0..self.most_rows - last).collect(), (count - last..count).collect())
    }

    /// The index of the record at a position in C order, and its bytes.
    fn row(&self, position: usize) -> (String, &'a [u8]) {
        let shape = self.values.shape();
        let mut index = vec![0; shape.len()];
        let mut rest = position;
        for (index, &length) in index.iter_mut().zip(shape).rev() {
            (*index, rest) = (rest % length.max(1), rest / length.max(1));
        }
        let place = match self.values.order() {
            Order::C => position,
            Order::Fortran => index.iter().zip(shape).rev().fold(0, |place, (index, length)| place * length + index),
        };
        let label = index.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        (label, item(self.values.bytes(), place, self.values.dtype().itemsize()))
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dtype = self.values.dtype();
        if !matches!(dtype, DType::Record(_)) {
            return self.values.display_with(self.options.as_ref().unwrap_or(&PrintOptions::new())).fmt(f);
        }
        let (first, last) = self.rows();
        let is_cut = first.len() + last.len() < self.values.header().element_count();
        let cut = is_cut.then_some(first.len());
        let (labels, records): (Vec<String>, Vec<&[u8]>) = first.into_iter().chain(last).map(|row| self.row(row)).unzip();
        let few = Self::few();
        let options = self.options.as_ref().unwrap_or(&few);
        let mut columns = vec![Column::new(String::new(), labels, false, cut)];
        for field in dtype.columns() {
            let cells: Vec<&[u8]> = records.iter().map(|record| part(record, field.offset(), field.dtype().itemsize())).collect();
            let cells = table_cells(field.dtype(), &cells, Some(options), MOST_CELL)?;
            columns.push(Column::new(column_name(&field), cells.texts, cells.is_right_aligned, cut));
        }
        let rows = columns.first().map_or(0, |column| column.cells.len());
        for row in 0..rows {
            if row > 0 {
                f.write_str("\n")?;
            }
            let mut line = String::new();
            for column in &columns {
                column.push(row, &mut line);
            }
            f.write_str(line.trim_end())?;
        }
        Ok(())
    }
}

struct Column {
    /// The first one is the name.
    cells: Vec<String>,
    width: usize,
    is_right: bool,
}

impl Column {
    fn new(name: String, mut cells: Vec<String>, is_right: bool, cut: Option<usize>) -> Self {
        if let Some(row) = cut {
            cells.insert(row.min(cells.len()), "...".to_owned());
        }
        cells.insert(0, name);
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        Self { cells, width, is_right }
    }

    fn push(&self, row: usize, line: &mut String) {
        let cell = self.cells.get(row).map_or("", String::as_str);
        let blanks = self.width.saturating_sub(cell.chars().count());
        if !line.is_empty() {
            line.push_str("  ");
        }
        if self.is_right {
            pad(blanks, line);
        }
        line.push_str(cell);
        if !self.is_right {
            pad(blanks, line);
        }
    }
}

/// Returns the path of a field, with control characters escaped.
fn column_name(column: &FieldAt<'_>) -> String {
    let mut name = String::new();
    push_escaped(column.path().chars().map(u32::from), None, &mut name);
    name
}

/// The formatted cells of one column of a [`Table`].
///
/// See [`table_cells`] for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableCells {
    /// The text of each cell.
    pub texts: Vec<String>,
    /// Whether they are aligned to the right, as numbers are.
    pub is_right_aligned: bool,
}

/// Formats cells of one column of a [`Table`].
///
/// Each text is cut after `most` bytes. Without options, those of [`Table`] apply.
///
/// Fails if there is no memory.
///
/// ```
/// use npy_core::NpyElement;
/// use npy_core::print::table_cells;
///
/// let cells = [1.5_f32, 10.0].map(f32::to_ne_bytes);
/// let cells = table_cells(&f32::dtype(), &[&cells[0], &cells[1]], None, 100).unwrap();
/// assert_eq!((&cells.texts[..], cells.is_right_aligned), (&[" 1.5".to_owned(), "10. ".to_owned()][..], true));
/// ```
pub fn table_cells(dtype: &DType, cells: &[&[u8]], options: Option<&PrintOptions>, most: usize) -> Result<TableCells, fmt::Error> {
    let few = Table::few();
    let scope = Scope::new(dtype, cells.len(), options.unwrap_or(&few), Context::Array);
    Ok(TableCells { texts: texts(dtype, cells, scope, most)?, is_right_aligned: is_right_aligned(dtype) })
}

fn is_right_aligned(dtype: &DType) -> bool {
    match dtype {
        // `bfloat16` is printed as raw bytes.
        DType::Scalar(scalar) => {
            let is_void = matches!(scalar.kind(), ScalarKind::Void { .. });
            !is_void && !matches!(scalar.class(), Class::Bytes | Class::Unicode | Class::Object)
        }
        DType::SubArray(_) | DType::Record(_) => false,
    }
}

/// Formats the cells of one column.
fn texts(dtype: &DType, cells: &[&[u8]], scope: Scope<'_>, most: usize) -> Result<Vec<String>, fmt::Error> {
    if let DType::Scalar(scalar) = dtype {
        match (scalar.class(), scalar.time_unit()) {
            (Class::Bytes, _) => return each(cells, most, |cell, out| write_escaped_bytes(*scalar, cell, None, out)),
            (Class::Unicode, _) => return each(cells, most, |cell, out| write_escaped_text(*scalar, cell, None, out)),
            (class, Some((unit, count))) => {
                let text = |cell: &[u8]| match scalar.value(cell) {
                    Some(Value::Time(Some(steps))) if class == Class::Datetime => date_time(unit, count, steps),
                    Some(Value::Time(Some(steps))) => steps.to_string(),
                    _ => "NaT".to_owned(),
                };
                return each(cells, most, |cell, out| out.push_str(&text(cell)));
            }
            _ => {}
        }
    }
    let format = Format::new(dtype, cells, scope);
    each(cells, most, |cell, out| format.write(cell, out))
}

fn each(cells: &[&[u8]], most: usize, write: impl Fn(&[u8], &mut Text<'_>)) -> Result<Vec<String>, fmt::Error> {
    let text = |cell: &&[u8]| {
        let mut beginning = Beginning { text: String::new(), most, is_cut: false };
        let mut text = Text::passed_to(&mut beginning);
        write(cell, &mut text);
        match text.finish() {
            Err(error) if !beginning.is_cut => Err(error),
            _ => Ok(beginning.text),
        }
    };
    cells.iter().map(text).collect()
}

/// The beginning of a text, with `…` if it was cut. Writing fails after the cut, and if an allocation fails.
struct Beginning {
    text: String,
    most: usize,
    is_cut: bool,
}

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = self.most.saturating_sub(self.text.len());
        let end = (0..=left.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let kept = text.get(..end).unwrap_or_default();
        self.text.try_reserve(kept.len() + '…'.len_utf8()).map_err(|_| fmt::Error)?;
        self.text.push_str(kept);
        if end == text.len() {
            return Ok(());
        }
        self.text.push('…');
        self.is_cut = true;
        Err(fmt::Error)
    }
}

//! Some rows and columns of the table, read from the file.

use std::ops::Range;

use npy_core::object::ObjectArray;
use npy_core::print::table_cells;
use npy_core::{DType, DynValues, Order};

use super::grid::Grid;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::values::quantity;

/// The most bytes that are read at once. A screen needs fewer.
pub(crate) const MOST_BYTES: usize = 8 << 20;

/// The elements of some rows and columns, row after row.
pub(crate) struct Block {
    bytes: Vec<u8>,
    itemsize: usize,
    /// The elements of a row: one where the columns are fields.
    width: usize,
    first_column: usize,
}

impl Block {
    /// Reads some rows, given in the order of the table, and some columns.
    pub(crate) fn read(source: &mut Source, grid: &Grid, rows: &[Range<usize>], columns: &Range<usize>) -> Result<Self> {
        let itemsize = grid.element().itemsize();
        let (columns, width) = match grid.column_axis() {
            Some(_) => (columns.clone(), columns.len()),
            None => (0..1, 1),
        };
        let count: usize = rows.iter().map(Range::len).sum();
        let length = count.checked_mul(width).and_then(|count| count.checked_mul(itemsize));
        if length.is_none_or(|length| length > MOST_BYTES) {
            let size = quantity::bytes(itemsize as u64);
            return Err(Failure::Nameless(format!("elements of {size} are too large to be shown")));
        }
        let mut block = Self { bytes: Vec::new(), itemsize, width, first_column: columns.start };
        if grid.rows() == 0 || grid.columns() == 0 || itemsize == 0 {
            return Ok(block);
        }
        source.with(|mut array| {
            for rows in rows {
                let values = array.read_region(&grid.region(rows, &columns))?.into_order(Order::C)?;
                block.append(values.bytes(), grid.is_transposed(), rows.len());
            }
            Ok(block)
        })
    }

    fn append(&mut self, elements: &[u8], is_transposed: bool, rows: usize) {
        if !is_transposed {
            return self.bytes.extend_from_slice(elements);
        }
        for row in 0..rows {
            for column in 0..self.width {
                let begin = (column * rows + row) * self.itemsize;
                self.bytes.extend_from_slice(elements.get(begin..begin + self.itemsize).unwrap_or_default());
            }
        }
    }

    /// The bytes of a cell, by the row in the block and the column of the table.
    pub(crate) fn cell(&self, grid: &Grid, row: usize, column: usize) -> &[u8] {
        let (element, part) = match grid.fields().and_then(|fields| fields.get(column)) {
            Some(field) => (row, field.bytes()),
            None => (row * self.width + column.saturating_sub(self.first_column), 0..self.itemsize),
        };
        let begin = element.saturating_mul(self.itemsize);
        let element = self.bytes.get(begin..begin.saturating_add(self.itemsize)).unwrap_or_default();
        element.get(part).unwrap_or_default()
    }

    /// The bytes of all elements, row after row.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes of the cells of one column, one after the other.
    pub(crate) fn column(&self, grid: &Grid, rows: usize, column: usize) -> Vec<u8> {
        (0..rows).flat_map(|row| self.cell(grid, row, column)).copied().collect()
    }
}

/// The texts of cells of one column, without anything that a terminal obeys; and whether they are aligned to the right.
pub(crate) fn texts(dtype: &DType, cells: &[&[u8]]) -> (Vec<String>, bool) {
    match table_cells(dtype, cells, None, usize::MAX) {
        Ok(cells) => (cells.texts.iter().map(|text| escape::line(text).into_owned()).collect(), cells.is_right_aligned),
        Err(_) => (vec!["<no memory>".to_owned(); cells.len()], false),
    }
}

/// The texts of cells that lie one after the other.
pub(crate) fn texts_of(dtype: &DType, bytes: &[u8], count: usize) -> Vec<String> {
    let itemsize = dtype.itemsize();
    let cell = |row: usize| bytes.get(row * itemsize..(row + 1) * itemsize).unwrap_or_default();
    texts(dtype, &(0..count).map(cell).collect::<Vec<_>>()).0
}

/// The text of a Python object.
pub(crate) fn object_text(objects: &ObjectArray, position: usize) -> String {
    let one = objects.items().get(position).and_then(|item| ObjectArray::new(&[], vec![item.clone()]).ok());
    one.map(|one| escape::line(&one.to_string()).into_owned()).unwrap_or_default()
}

/// All of an element, for a reader who wants more than fits in a cell.
pub(crate) fn whole_text(dtype: &DType, bytes: &[u8]) -> String {
    let (base, axes) = dtype.flattened();
    if let (DType::Scalar(_), []) = (base, &axes[..]) {
        // Text is shown as it is, and all else as NumPy prints it.
        return texts(dtype, &[bytes]).0.concat();
    }
    let text = match DynValues::new(base.clone(), Order::C, &axes, bytes.to_vec()) {
        Ok(values) => values.display_with(npy_core::print::PrintOptions::new().line_width(72)).to_string(),
        Err(error) => error.to_string(),
    };
    escape::text(&text).into_owned()
}

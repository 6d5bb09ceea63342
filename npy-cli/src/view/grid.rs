//! Which elements of an array are the rows and columns of the table. Pure arithmetic.

use std::ops::Range;

use npy_core::dtype::FieldAt;
use npy_core::region::AxisRange;
use npy_core::{DType, Header};

use crate::colors::Images;
use crate::escape;

/// The rows and columns of an array, and the indices of its other axes.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    shape: Vec<usize>,
    dtype: DType,
    /// Of an array without axes there is one row.
    row_axis: Option<usize>,
    columns: Columns,
    /// An index for each axis, unused for rows and columns.
    index: Vec<usize>,
}

#[derive(Clone, Debug)]
enum Columns {
    /// The elements themselves.
    One,
    /// The fields of records, also of nested ones.
    Fields(Vec<Field>),
    Axis(usize),
}

/// A column that is a field.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    name: String,
    offset: usize,
    pub(crate) dtype: DType,
}

impl Field {
    /// The bytes of it in an element.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.offset..self.offset.saturating_add(self.dtype.itemsize())
    }
}

impl Grid {
    pub(crate) fn new(header: &Header) -> Self {
        let shape = header.shape().to_vec();
        let dtype = header.dtype().clone();
        let fields: Vec<Field> = if dtype.has_object() {
            Vec::new()
        } else {
            let field = |column: &FieldAt<'_>| Field {
                name: escape::line(&column.path()).into_owned(),
                offset: column.offset(),
                dtype: column.dtype().clone(),
            };
            dtype.columns().iter().map(field).collect()
        };
        let (row_axis, columns) = match Images::of_last(&shape) {
            _ if !fields.is_empty() => (shape.len().checked_sub(1), Columns::Fields(fields)),
            // The channels of a photo are not its columns, as in `npy plot`.
            Some(Images { axes: [_, rows, columns, _], .. }) => (Some(rows), Columns::Axis(columns)),
            None => (shape.len().checked_sub(1), Columns::One),
        };
        let index = vec![0; shape.len()];
        Self { shape, dtype, row_axis, columns, index }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn length(&self, axis: usize) -> usize {
        // Where any axis is empty there is nothing to show.
        if self.shape.contains(&0) { 0 } else { self.shape.get(axis).copied().unwrap_or(0) }
    }

    pub(crate) fn rows(&self) -> usize {
        self.row_axis.map_or(1, |axis| self.length(axis))
    }

    pub(crate) fn columns(&self) -> usize {
        match &self.columns {
            Columns::One => 1,
            Columns::Fields(fields) => fields.len(),
            Columns::Axis(axis) => self.length(*axis),
        }
    }

    pub(crate) fn fields(&self) -> Option<&[Field]> {
        if let Columns::Fields(fields) = &self.columns { Some(fields) } else { None }
    }

    pub(crate) fn row_axis(&self) -> Option<usize> {
        self.row_axis
    }

    pub(crate) fn column_axis(&self) -> Option<usize> {
        if let Columns::Axis(axis) = self.columns { Some(axis) } else { None }
    }

    /// The axis of the channels of images, unless it is one of the table.
    pub(crate) fn channel_axis(&self) -> Option<usize> {
        let [.., channel] = Images::of_last(&self.shape)?.axes;
        self.others().into_iter().find(|axis| *axis == channel)
    }

    /// The head of a column.
    pub(crate) fn title(&self, column: usize) -> String {
        match &self.columns {
            Columns::One => "value".to_owned(),
            Columns::Fields(fields) => fields.get(column).map(|field| field.name.clone()).unwrap_or_default(),
            Columns::Axis(_) => column.to_string(),
        }
    }

    /// The dtype of the cells of a column.
    pub(crate) fn dtype(&self, column: usize) -> &DType {
        self.fields().and_then(|fields| fields.get(column)).map_or(&self.dtype, |field| &field.dtype)
    }

    /// The dtype of the elements.
    pub(crate) fn element(&self) -> &DType {
        &self.dtype
    }

    /// The region of some rows, and of some columns if they are elements.
    pub(crate) fn region(&self, rows: &Range<usize>, columns: &Range<usize>) -> Vec<AxisRange> {
        let range = |(axis, index): (usize, &usize)| match axis {
            axis if Some(axis) == self.row_axis => rows.clone().into(),
            axis if Some(axis) == self.column_axis() => columns.clone().into(),
            _ => (*index).into(),
        };
        self.index.iter().enumerate().map(range).collect()
    }

    /// Whether the elements of a region in C order are column after column.
    pub(crate) fn is_transposed(&self) -> bool {
        self.column_axis().is_some_and(|column| Some(column) < self.row_axis)
    }

    /// The position of an element in C order.
    pub(crate) fn position(&self, row: usize, column: usize) -> usize {
        let index_of = |axis: usize| match axis {
            axis if Some(axis) == self.row_axis => row,
            axis if Some(axis) == self.column_axis() => column,
            axis => self.index.get(axis).copied().unwrap_or(0),
        };
        let next =
            |position: usize, (axis, length): (usize, &usize)| position.saturating_mul(*length).saturating_add(index_of(axis));
        self.shape.iter().enumerate().fold(0, next)
    }

    /// The index of the table as in NumPy, such as `[3, :, :]`; empty unless there are other axes.
    pub(crate) fn place(&self) -> String {
        if self.others().is_empty() {
            return String::new();
        }
        let part = |(axis, index): (usize, &usize)| match axis {
            axis if Some(axis) == self.row_axis => "rows".to_owned(),
            axis if Some(axis) == self.column_axis() => "columns".to_owned(),
            _ => index.to_string(),
        };
        format!("[{}]", self.index.iter().enumerate().map(part).collect::<Vec<_>>().join(", "))
    }

    /// The axes that are neither rows nor columns.
    pub(crate) fn others(&self) -> Vec<usize> {
        (0..self.shape.len()).filter(|axis| Some(*axis) != self.row_axis && Some(*axis) != self.column_axis()).collect()
    }

    /// Moves the table along another axis; returns whether it moved.
    pub(crate) fn step(&mut self, axis: usize, forward: bool) -> bool {
        let length = self.length(axis);
        let Some(index) = self.index.get_mut(axis) else { return false };
        let next = if forward { index.checked_add(1).filter(|next| *next < length) } else { index.checked_sub(1) };
        next.map(|next| *index = next).is_some()
    }

    /// Exchanges rows and columns.
    pub(crate) fn transpose(&mut self) -> bool {
        let (Some(row), Columns::Axis(column)) = (self.row_axis, &mut self.columns) else { return false };
        self.row_axis = Some(std::mem::replace(column, row));
        true
    }

    /// Makes the next axis the rows; the columns give way.
    pub(crate) fn next_row_axis(&mut self) -> bool {
        let Some(row) = self.row_axis.filter(|_| self.shape.len() > 1) else { return false };
        let next = (row + 1) % self.shape.len();
        if Some(next) == self.column_axis() {
            return self.transpose();
        }
        self.row_axis = Some(next);
        true
    }

    /// Makes the next axis the columns; the rows give way.
    pub(crate) fn next_column_axis(&mut self) -> bool {
        let Some(column) = self.column_axis() else { return false };
        let next = (column + 1) % self.shape.len();
        if Some(next) == self.row_axis {
            return self.transpose();
        }
        self.columns = Columns::Axis(next);
        true
    }

    /// Goes to an index such as `5`, `-1`, `5, 2` or, with all axes, `3, :, :`. Returns the row and the column, where
    /// it names them.
    pub(crate) fn go(&mut self, text: &str) -> Result<(Option<usize>, Option<usize>), String> {
        let text = text.trim();
        let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let is_whole = parts.len() == self.shape.len() && (parts.len() > 2 || parts.contains(&":"));
        if is_whole {
            return self.go_whole(&parts);
        }
        match parts[..] {
            [row] => Ok((Some(index_in(row, self.rows(), "row")?), None)),
            [row, column] => {
                let named = self.fields().and_then(|fields| fields.iter().position(|field| field.name == column));
                let column = named.map_or_else(|| index_in(column, self.columns(), "column"), Ok)?;
                Ok((Some(index_in(row, self.rows(), "row")?), Some(column)))
            }
            _ => Err(format!("expected 1, 2 or all {} indices, found {}", self.shape.len(), parts.len())),
        }
    }

    fn go_whole(&mut self, parts: &[&str]) -> Result<(Option<usize>, Option<usize>), String> {
        let colons: Vec<usize> = (0..parts.len()).filter(|axis| parts.get(*axis) == Some(&":")).collect();
        let mut grid = self.clone();
        match (&colons[..], &mut grid.columns) {
            ([], _) => {}
            ([row, column], Columns::Axis(axis)) => {
                *axis = *column;
                grid.row_axis = Some(*row);
            }
            ([row], Columns::One | Columns::Fields(_)) => grid.row_axis = Some(*row),
            (colons, columns) => {
                let expected = if matches!(columns, Columns::Axis(_)) { "2 axes" } else { "1 axis" };
                return Err(format!("expected {expected} with a colon, found {}", colons.len()));
            }
        }
        let (mut row, mut column) = (None, None);
        for (axis, part) in parts.iter().enumerate().filter(|(_, part)| **part != ":") {
            let index = index_in(part, grid.length(axis), &format!("axis {axis}:"))?;
            if Some(axis) == grid.row_axis {
                row = Some(index);
            } else if Some(axis) == grid.column_axis() {
                column = Some(index);
            } else if let Some(place) = grid.index.get_mut(axis) {
                *place = index;
            }
        }
        *self = grid;
        Ok((row, column))
    }
}

/// An index as in Python, where negative ones count from the end.
fn index_in(text: &str, length: usize, what: &str) -> Result<usize, String> {
    let text = escape::line(text);
    let digits: String = text.chars().filter(|character| *character != '_').collect();
    let index: i128 = digits.parse().map_err(|_| format!("{what} {text:?}: expected an index"))?;
    let found = if index < 0 { index + length as i128 } else { index };
    usize::try_from(found).ok().filter(|index| *index < length).ok_or_else(|| format!("{what} {index}: there are {length}"))
}

#[cfg(test)]
mod tests {
    use npy_core::Order;

    use super::*;

    fn grid(dtype: &str, shape: &[usize]) -> Grid {
        Grid::new(&Header::new(dtype.parse().unwrap(), Order::C, shape).unwrap())
    }

    #[test]
    fn the_last_two_axes_are_shown_first() {
        let mut grid = grid("<f8", &[4, 5, 6]);
        assert_eq!((grid.rows(), grid.columns(), grid.place()), (5, 6, "[0, rows, columns]".to_owned()));
        assert_eq!(grid.position(2, 3), 2 * 6 + 3);
        assert!(grid.step(0, true));
        assert_eq!(grid.position(2, 3), 30 + 2 * 6 + 3);
        assert!(grid.transpose() && grid.is_transposed());
        assert_eq!((grid.rows(), grid.columns(), grid.place()), (6, 5, "[1, columns, rows]".to_owned()));
        assert!(grid.next_row_axis());
        assert_eq!(grid.place(), "[rows, columns, 0]");
    }

    #[test]
    fn an_index_selects_axes_rows_and_columns() {
        let mut grid = grid("<f8", &[4, 5, 6]);
        assert_eq!(grid.go("-1, 2"), Ok((Some(4), Some(2))));
        assert_eq!(grid.go("[3, 1, -1]"), Ok((Some(1), Some(5))));
        assert_eq!(grid.go(":, 2, :"), Ok((None, None)));
        assert_eq!(grid.place(), "[rows, 2, columns]");
        for wrong in ["", "x", "4", ":, :, :", "1, 2, 3, 4", ":, 5, :", "99999999999999999999999999999999999999999"] {
            let before = grid.place();
            assert!(grid.go(wrong).is_err(), "{wrong}");
            assert_eq!(grid.place(), before, "{wrong}");
        }
    }

    #[test]
    fn fields_are_columns_and_their_names_are_escaped() {
        let mut grid = grid("[('id', '<u4'), ('pose', [('x\x1b', '<f4'), ('y', '<f4')])]", &[7]);
        let titles: Vec<String> = (0..grid.columns()).map(|column| grid.title(column)).collect();
        assert_eq!(titles[0], "id");
        assert!(!titles[1].contains('\x1b') && titles[1].starts_with("pose.x"), "{titles:?}");
        assert_eq!(grid.go("3, pose.y"), Ok((Some(3), Some(2))));
    }

    #[test]
    fn arrays_without_elements_and_without_axes_have_a_grid() {
        assert_eq!((grid("<f8", &[0, 5]).rows(), grid("<f8", &[5, 0]).rows()), (0, 0));
        assert_eq!((grid("<f8", &[]).rows(), grid("<f8", &[]).columns()), (1, 1));
        assert!(grid("<f8", &[]).region(&(0..1), &(0..1)).is_empty());
    }
}

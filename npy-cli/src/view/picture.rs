//! Pictures: a table of numbers, or the sub-array under the cursor, as an image in the place of the table.

use std::ops::Range;

use npy_core::region::AxisRange;
use npy_core::{DType, Order};

use super::block::Block;
use super::grid::Grid;
use super::scan::Step;
use super::tiles::Tiles;
use crate::colors::{ColorMap, Colored, Images, Means, fitted, rounded};
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::values::float::digits_apart;
use crate::values::{fields, reals};

/// The picture in the place of the table.
#[derive(Default)]
pub(crate) struct Picture {
    /// What was drawn, and in as many characters.
    drawn: Option<(Subject, (u16, u16))>,
    pub(crate) colored: Option<Colored>,
}

/// An image that there is to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    dtype: DType,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) channels: usize,
    /// The axes of rows, columns and channels, which are beyond the others where there are none.
    axes: [usize; 3],
    of: Of,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Of {
    /// With the indices of the other axes.
    Array(Vec<AxisRange>),
    /// The first image of the cell at a row of the file and a column, and its position among all.
    Cell { row: usize, column: usize, position: usize, shape: Vec<usize> },
}

impl Subject {
    /// The image in the place of the table, or of the cell at a row of the file.
    pub(crate) fn new(source: &Source, grid: &Grid, row: usize, column: usize) -> Result<Self> {
        let refused = |problem: &str| Err(Failure::new(format!("cannot draw a picture: {problem}")));
        if grid.rows() == 0 || grid.columns() == 0 {
            return refused("there are no elements");
        }
        let (dtype, shape) = grid.dtype(column).flattened();
        if source.objects().is_none() && reals::is_complex(dtype) {
            return refused("complex numbers have two values in each; npy plot draws --abs, --real, --imag or --phase");
        }
        if source.objects().is_some() || !reals::is_real(dtype) {
            return refused("expected numbers, or a field of them");
        }
        if grid.fields().is_some() {
            let Some(Images { rows, columns, channels, axes: [_, y, x, channel], .. }) = Images::of_last(&shape) else {
                return refused("expected an array with two axes, or a field with two");
            };
            let of = Of::Cell { row, column, position: grid.position(row, column), shape };
            return Ok(Self { dtype: dtype.clone(), rows, columns, channels, axes: [y, x, channel], of });
        }
        let (Some(y), Some(x)) = (grid.row_axis(), grid.column_axis()) else {
            return refused("expected an array with two axes, or a field with two");
        };
        let channel = grid.channel_axis();
        let channels = channel.and_then(|axis| grid.shape().get(axis)).copied().unwrap_or(1);
        let mut region = grid.region(&(0..0), &(0..0));
        if let Some(place) = channel.and_then(|axis| region.get_mut(axis)) {
            *place = (0..0).into();
        }
        let axes = [y, x, channel.unwrap_or(usize::MAX)];
        let (rows, columns) = (grid.rows(), grid.columns());
        Ok(Self { dtype: dtype.clone(), rows, columns, channels, axes, of: Of::Array(region) })
    }

    /// The characters of a picture with square pixels, of which a character has two, within as many.
    fn size(&self, (width, height): (u16, u16)) -> (u16, u16) {
        let within = (f64::from(width), f64::from(height) * 2.0);
        let (columns, lines) = fitted((self.columns as f64, self.rows as f64), within);
        (rounded(columns, width), rounded(lines / 2.0, height))
    }
}

impl Picture {
    /// The work that there is to do for a picture within as many characters; `None` if it was done.
    pub(crate) fn work(&self, source: &Source, subject: Subject, within: (u16, u16)) -> Option<Picturing> {
        let size = subject.size(within);
        let is_done = self.drawn.as_ref().is_some_and(|(drawn, of)| *drawn == subject && *of == size);
        (!is_done).then(|| Picturing::new(source, subject, size))
    }

    /// The characters of it.
    pub(crate) fn size(&self) -> (u16, u16) {
        self.drawn.as_ref().map_or((0, 0), |(_, size)| *size)
    }

    /// What the picture is, and what its colors stand for.
    pub(crate) fn about(&self) -> String {
        let (Some((subject, _)), Some(colored)) = (&self.drawn, &self.colored) else { return String::new() };
        let size = format!("picture of {} × {}", subject.rows, subject.columns);
        let Some([least, most]) = colored.ends else { return format!("{size} × {}", subject.channels) };
        let is_time = fields::scalar_of(&subject.dtype).is_some_and(reals::is_time);
        let digits = digits_apart(&[least, most], 6);
        let text = |number: f64| {
            #[allow(clippy::cast_possible_truncation, reason = "saturates")]
            let steps = number.round() as i128;
            if is_time { reals::whole_text(&subject.dtype, steps) } else { reals::with_digits(number, digits) }
        };
        format!("{size}, colors from {} to {}", text(least), text(most))
    }
}

/// A picture that is being read.
pub(crate) struct Picturing {
    subject: Subject,
    size: (u16, u16),
    means: Means,
    tiles: Tiles,
    region: Vec<AxisRange>,
}

impl Picturing {
    fn new(source: &Source, subject: Subject, size: (u16, u16)) -> Self {
        let pixels = (usize::from(size.0), usize::from(size.1) * 2);
        let means = Means::new((subject.rows, subject.columns, subject.channels), pixels);
        // A cell is one tile.
        let is_array = matches!(subject.of, Of::Array(_));
        let tiles = Tiles::new(source.header(), |axis| is_array && subject.axes.contains(&axis));
        let region = if let Of::Array(region) = &subject.of { region.clone() } else { Vec::new() };
        Self { subject, size, means, tiles, region }
    }

    /// Reads more. Returns the picture at the end.
    pub(crate) fn step(&mut self, source: &mut Source, grid: &Grid, map: ColorMap) -> Result<Step<Picture>> {
        let Subject { dtype, axes, of, .. } = &self.subject;
        let region = &mut self.region;
        match of {
            Of::Array(_) => {
                if let Some(tile) = self.tiles.next(region) {
                    let values = source.with(|mut array| Ok(array.read_region(region)?.into_order(Order::C)?))?;
                    let mut ranges: Vec<Range<usize>> = vec![0..1; region.len()];
                    for (axis, range) in tile {
                        if let Some(place) = ranges.get_mut(axis) {
                            *place = range;
                        }
                    }
                    add(&mut self.means, &reals::numbers_of(dtype, values.bytes())?, *axes, &ranges);
                    return Ok(Step::More(self.tiles.thousandths()));
                }
            }
            Of::Cell { row, column, shape, .. } => {
                let rows = *row..*row + 1;
                let block = Block::read(source, grid, std::slice::from_ref(&rows), &(*column..*column + 1))?;
                let numbers = reals::numbers_of(dtype, block.cell(grid, 0, *column))?;
                let ranges: Vec<Range<usize>> = shape.iter().map(|length| 0..*length).collect();
                add(&mut self.means, &numbers, *axes, &ranges);
            }
        }
        let colored = self.means.colored(&self.subject.dtype, map, None)?;
        Ok(Step::Done(Picture { drawn: Some((self.subject.clone(), self.size)), colored: Some(colored) }))
    }
}

/// Adds numbers in C order, which are those of a range of each axis, with the first index of axes that are none of an image.
fn add(means: &mut Means, numbers: &[f64], axes: [usize; 3], ranges: &[Range<usize>]) {
    let stride = |axis: usize| ranges.iter().skip(axis.saturating_add(1)).map(Range::len).product::<usize>();
    let strides = axes.map(stride);
    let [rows, columns, channels] = axes.map(|axis| ranges.get(axis).cloned().unwrap_or(0..1));
    for (y, row) in rows.enumerate() {
        for (x, column) in columns.clone().enumerate() {
            for (c, channel) in channels.clone().enumerate() {
                if let Some(number) = numbers.get(y * strides[0] + x * strides[1] + c * strides[2]) {
                    means.add(row, column, channel, *number);
                }
            }
        }
    }
}

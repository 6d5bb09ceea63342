//! Lines: the columns of an array, or fields of records.

use super::figure::{Axis, Content, Figure, Series};
use super::numbers::{Numbers, Range};
use super::options::Options;
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::select::Selection;
use crate::values::bins::bin;
use crate::values::quantity;

/// More columns are an image.
const MOST_LINES: usize = 8;

/// More lines cannot be told apart, even where they are asked for.
const MOST_SERIES: usize = 64;

/// Whether an array of this shape is drawn as lines if nothing else is asked for.
pub(super) fn are_lines(shape: &[usize]) -> bool {
    match shape {
        [] | [_] => true,
        [rows, columns] => few_of(*rows, *columns).is_some(),
        _ => false,
    }
}

/// Whether the lines are the columns (`true`) or the rows.
fn few_of(rows: usize, columns: usize) -> Option<bool> {
    if columns <= MOST_LINES && rows / 4 > columns {
        Some(true)
    } else if rows <= MOST_LINES && columns / 4 > rows {
        Some(false)
    } else {
        None
    }
}

/// Draws an array of one axis, or the columns or rows of one of two.
pub(super) fn of_columns(numbers: &mut Numbers<'_>, options: &Options<'_>) -> Result<Figure> {
    let (rows, columns) = match numbers.shape[..] {
        [rows, columns] => (rows, columns),
        [length] => (length, 1),
        _ => (1, 1),
    };
    let are_columns = numbers.shape.len() < 2 || few_of(rows, columns).unwrap_or(true);
    let (length, count) = if are_columns { (rows, columns) } else { (columns, rows) };
    check_count(count)?;
    let what = if are_columns { "column" } else { "row" };
    let mut lines: Vec<Line> = (0..count).map(|line| Line::new(format!("{what} {line}"), length, options)).collect();
    let mut range = Range::new(options.fields.first().map(String::as_str).unwrap_or_default(), options.log.y());
    range.join(&numbers.dtype)?;
    let strides = numbers.strides();
    numbers.for_each(|position, number| {
        let (along, line) = (strides.index(position, usize::from(!are_columns)), strides.index(position, usize::from(are_columns)));
        if let Some(line) = lines.get_mut(line) {
            line.add(along, number, &mut range);
        }
    })?;
    Ok(figure(lines, range.axis()?, options))
}

/// Draws a line for each of several fields, which have one value in each record.
pub(super) fn of_fields(source: &mut Source, selection: Option<&Selection>, options: &Options<'_>) -> Result<Figure> {
    check_count(options.fields.len())?;
    let mut range = Range::new("", options.log.y());
    let mut lines = Vec::new();
    for field in options.fields {
        let mut numbers = Numbers::new(source, selection, Some(field))?;
        range.join(&numbers.dtype)?;
        let length = match numbers.shape[..] {
            [] => 1,
            [length] => length,
            ref shape => {
                let shape = quantity::shape(shape);
                let message = format!("cannot plot field {field} of shape {shape} with others: expected one axis");
                return Err(Failure::Nameless(message));
            }
        };
        let mut line = Line::new(field.clone(), length, options);
        numbers.for_each(|index, number| line.add(index, number, &mut range))?;
        lines.push(line);
    }
    Ok(figure(lines, range.axis()?, options))
}

fn check_count(count: usize) -> Result<()> {
    if count > MOST_SERIES {
        return Err(Failure::Nameless(format!("too many lines: expected at most {MOST_SERIES}, found {count}")));
    }
    Ok(())
}

fn figure(lines: Vec<Line>, (y, left_out): (Axis, u64), options: &Options<'_>) -> Figure {
    let last = lines.iter().map(|line| line.length.saturating_sub(1)).max().unwrap_or(0) as f64;
    let x = if options.log.x() { Axis::log("index", 1.0, last) } else { Axis::new("index", None, 0.0, last) };
    let series = lines.into_iter().map(Line::into_series).collect();
    Figure { title: options.title.clone(), x: x.whole(), y: y.with_margin(), content: Content::Lines(series), left_out }
}

/// A line of which each pixel keeps the least and the greatest value, so that no spike is lost.
struct Line {
    name: String,
    length: usize,
    /// Whether pixels have the same ratio of indices.
    is_log: bool,
    pixels: Vec<Extremes>,
}

#[derive(Clone, Copy)]
struct Extremes {
    least: (usize, f64),
    most: (usize, f64),
    /// Whether it has an index. On a logarithmic axis some are between two of them.
    is_used: bool,
}

impl Line {
    /// A line of `length` points.
    fn new(name: String, length: usize, options: &Options<'_>) -> Self {
        let none = Extremes { least: (0, f64::NAN), most: (0, f64::NAN), is_used: false };
        let (is_log, width) = (options.log.x(), options.size.0.max(1));
        let pixels = vec![none; if is_log { width } else { length.min(width) }];
        Self { name, length, is_log, pixels }
    }

    /// Adds a value. Values outside of `range` break the line.
    fn add(&mut self, index: usize, number: f64, range: &mut Range) {
        let count = self.pixels.len();
        let pixel = if !self.is_log {
            usize::try_from(index as u128 * count as u128 / (self.length as u128).max(1)).unwrap_or(usize::MAX)
        } else if index > 0 {
            bin((index as f64).ln() / (self.length as f64).ln(), count)
        } else {
            // A logarithmic axis does not have it.
            return range.leave_out();
        };
        let is_shown = range.add(number);
        let Some(pixel) = self.pixels.get_mut(pixel) else { return };
        pixel.is_used = true;
        if !is_shown {
            return;
        }
        if pixel.least.1.is_nan() || number < pixel.least.1 {
            pixel.least = (index, number);
        }
        if pixel.most.1.is_nan() || number > pixel.most.1 {
            pixel.most = (index, number);
        }
    }

    fn into_series(self) -> Series {
        let mut points = Vec::with_capacity(self.pixels.len() * 2);
        for (place, Extremes { least, most, .. }) in self.pixels.iter().enumerate().filter(|(_, pixel)| pixel.is_used) {
            let (first, second) = if least.0 <= most.0 { (least, most) } else { (most, least) };
            if first.1.is_nan() {
                points.push((place as f64, f64::NAN));
                continue;
            }
            points.push((first.0 as f64, first.1));
            if first.0 != second.0 {
                points.push((second.0 as f64, second.1));
            }
        }
        Series { name: self.name, points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::options::{ColorMap, LogAxes};

    fn points(numbers: &[f64], width: usize, log: LogAxes) -> Vec<(f64, f64)> {
        let size = (width, 1);
        let (slice, title, map) = (None, String::new(), ColorMap::Viridis);
        let options =
            Options { kind: None, slice, fields: &[], x: None, y: None, log, bins: 1, clip: (0.0, 1.0), map, title, size };
        let mut line = Line::new(String::new(), numbers.len(), &options);
        let mut range = Range::new("", log.y());
        numbers.iter().enumerate().for_each(|(index, number)| line.add(index, *number, &mut range));
        line.into_series().points
    }

    #[test]
    fn a_spike_stays_and_nan_breaks_the_line() {
        let mut numbers = vec![0.0; 1_000_000];
        numbers[654_321] = 99.0;
        let spike = points(&numbers, 100, LogAxes::None);
        assert!(spike.contains(&(654_321.0, 99.0)));
        let broken = points(&[1.0, f64::NAN, 3.0], 100, LogAxes::None);
        assert!(broken.len() == 3 && broken[1].1.is_nan() && broken[2] == (2.0, 3.0), "{broken:?}");
    }

    #[test]
    fn logarithmic_axes_keep_the_first_indices_without_gaps() {
        let numbers: Vec<f64> = (0..100_000).map(f64::from).collect();
        let found = points(&numbers, 100, LogAxes::X);
        assert_eq!(found[..3], [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]);
        assert!(found.iter().all(|(_, number)| !number.is_nan()) && found.last() == Some(&(99_999.0, 99_999.0)));
        let found = points(&[5.0, 0.0, 7.0], 100, LogAxes::Y);
        assert!(found.len() == 3 && found[1].1.is_nan(), "{found:?}");
    }
}

//! Chooses a kind of plot by the shape, and makes the figure.

use clap::ValueEnum;
use npy_core::DType;
use npy_core::dtype::ScalarKind;

use super::figure::{Axis, Content, Figure, Raster, Scale};
use super::gather::{Line, Means, Numbers, Range, pieces};
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::numbers;
use crate::quantity;
use crate::select::{Selection, Slice};

/// A kind of plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A line for each column
    Line,
    /// Pixels of an array with two axes, or of height × width × 1, 3 or 4
    Image,
    /// How often values occur
    Histogram,
    /// Points with the coordinates of two fields
    Scatter,
}

/// The colors of an image with one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorMap {
    Viridis,
    Magma,
    Inferno,
    Plasma,
    Cividis,
    Turbo,
    Gray,
    /// Blue over white to red
    Coolwarm,
}

impl ColorMap {
    fn gradient(self) -> colorous::Gradient {
        match self {
            Self::Viridis => colorous::VIRIDIS,
            Self::Magma => colorous::MAGMA,
            Self::Inferno => colorous::INFERNO,
            Self::Plasma => colorous::PLASMA,
            Self::Cividis => colorous::CIVIDIS,
            Self::Turbo => colorous::TURBO,
            Self::Gray => colorous::GREYS,
            Self::Coolwarm => colorous::RED_BLUE,
        }
    }

    /// A color, from 0 to 1.
    fn color(self, part: f64) -> [u8; 3] {
        // Black is the least, and red the greatest.
        let part = if matches!(self, Self::Gray | Self::Coolwarm) { 1.0 - part } else { part };
        let color = self.gradient().eval_continuous(part.clamp(0.0, 1.0));
        [color.r, color.g, color.b]
    }
}

/// What the user asks for.
pub(crate) struct Wish<'a> {
    pub(crate) kind: Option<Kind>,
    /// What is taken of the array.
    pub(crate) slice: Option<&'a Slice>,
    pub(crate) field: Option<&'a str>,
    pub(crate) x: Option<&'a str>,
    pub(crate) y: Option<&'a str>,
    pub(crate) bins: usize,
    pub(crate) clip: (f64, f64),
    pub(crate) map: ColorMap,
    pub(crate) title: String,
    /// The pixels of the picture at most.
    pub(crate) size: (usize, usize),
}

/// More columns are an image.
const MOST_LINES: usize = 8;

pub(crate) fn figure(source: &mut Source, wish: &Wish<'_>) -> Result<Figure> {
    let name = source.input().name().to_owned();
    let selection = wish.slice.map(|slice| slice.of(source.header())).transpose().map_err(|failure| failure.about(&name))?;
    let selection = selection.as_ref();
    if let (Some(x), Some(y)) = (wish.x, wish.y) {
        return scatter(source, selection, wish, (x, y));
    }
    if wish.kind == Some(Kind::Scatter) {
        return Err(Failure::new(format!("{name}: a scatter plot has two fields: expected --x and --y")));
    }
    let mut numbers = Numbers::new(source, selection, wish.field)?;
    let kind = wish.kind.unwrap_or_else(|| if is_lines(&numbers.shape) { Kind::Line } else { Kind::Image });
    if kind != Kind::Histogram && numbers.is_mixed() {
        return Err(Failure::new(format!("{name}: cannot plot sub-arrays in Fortran order, except as --kind histogram")));
    }
    match (kind, &numbers.shape[..]) {
        (Kind::Histogram, _) => histogram(&mut numbers, wish, &name),
        (Kind::Line, [] | [_] | [_, _]) => lines(&mut numbers, wish, &name),
        (Kind::Image, [rows, columns] | [rows, columns, 3 | 4]) => {
            let size = (*rows, *columns);
            image(&mut numbers, wish, &name, size)
        }
        (_, shape) => {
            let shape = quantity::shape(shape);
            Err(Failure::new(format!(
                "{name}: cannot plot shape {shape}: expected 1 or 2 axes, or an image of 3 or 4 channels; --kind histogram plots any"
            )))
        }
    }
}

fn is_lines(shape: &[usize]) -> bool {
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

fn lines(numbers: &mut Numbers<'_>, wish: &Wish<'_>, name: &str) -> Result<Figure> {
    let (rows, columns) = match numbers.shape[..] {
        [rows, columns] => (rows, columns),
        [length] => (length, 1),
        _ => (1, 1),
    };
    let are_columns = numbers.shape.len() < 2 || few_of(rows, columns).unwrap_or(true);
    let (length, count) = if are_columns { (rows, columns) } else { (columns, rows) };
    if count > 64 {
        return Err(Failure::new(format!("{name}: {count} lines are too many: expected at most 64")));
    }
    let mut lines: Vec<Line> = (0..count).map(|_| Line::new(length, wish.size.0)).collect();
    let mut range = Range::default();
    let index = numbers.index();
    let has_rows = numbers.shape.len() > 1;
    numbers.read(&mut |first, values| {
        for (place, value) in values.iter().enumerate() {
            let [_, row, column] = index(first + place);
            // An array of one axis is a row.
            let (along, line) = match (has_rows, are_columns) {
                (false, _) => (column, 0),
                (true, true) => (row, column),
                (true, false) => (column, row),
            };
            if let Some(line) = lines.get_mut(line) {
                line.add(along, *value);
            }
            range.add(*value);
        }
        Ok(())
    })?;
    let (least, most, _) = range.found(name)?;
    let series = lines.into_iter().enumerate().map(|(index, line)| line.into_series(index.to_string())).collect();
    let x = Axis::new("index", None, 0.0, length.saturating_sub(1) as f64);
    let y = Axis::new(wish.field.unwrap_or_default(), Some(numbers.dtype.clone()), least, most).with_margin();
    Ok(Figure { title: wish.title.clone(), x, y, content: Content::Lines(series) })
}

fn histogram(numbers: &mut Numbers<'_>, wish: &Wish<'_>, name: &str) -> Result<Figure> {
    let (least, most, _) = numbers.range()?;
    let is_integer = is_integer(&numbers.dtype);
    // A bin for each integer if they are few.
    let (least, most, bins) = if is_integer && most - least < wish.bins as f64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than the number of bins")]
        let bins = (most - least) as usize + 1;
        (least - 0.5, most + 0.5, bins)
    } else {
        (least, most, wish.bins)
    };
    let x = Axis::new(wish.field.unwrap_or("value"), Some(numbers.dtype.clone()), least, most);
    let mut counts = vec![0_u64; bins];
    numbers.read(&mut |_, values| {
        for value in values.iter().filter(|value| value.is_finite()) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of bins")]
            let bin = ((x.part(*value) * bins as f64) as usize).min(bins - 1);
            if let Some(count) = counts.get_mut(bin) {
                *count += 1;
            }
        }
        Ok(())
    })?;
    let highest = counts.iter().copied().max().unwrap_or(0);
    if highest == 0 {
        return Err(Failure::new(format!("{name}: there is nothing to plot")));
    }
    let y = Axis::new("count", None, 0.0, highest as f64 * 1.05);
    Ok(Figure { title: wish.title.clone(), x, y, content: Content::Bars(counts) })
}

fn is_integer(dtype: &DType) -> bool {
    use ScalarKind::{Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let kind = numbers::scalar_of(dtype).map(npy_core::dtype::Scalar::kind);
    matches!(kind, Some(Bool | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64))
}

fn scatter(source: &mut Source, selection: Option<&Selection>, wish: &Wish<'_>, (x, y): (&str, &str)) -> Result<Figure> {
    const MOST_POINTS: usize = 20_000;
    let name = source.input().name().to_owned();
    let mut axes = Vec::new();
    let mut count = 0;
    for field in [x, y] {
        let mut numbers = Numbers::new(source, selection, Some(field))?;
        let (least, most, _) = numbers.range()?;
        count = numbers.shape.iter().fold(1_usize, |count, length| count.saturating_mul(*length));
        axes.push((count, Axis::new(field, Some(numbers.dtype.clone()), least, most).with_margin()));
    }
    let (Some((y_count, y_axis)), Some((x_count, x_axis))) = (axes.pop(), axes.pop()) else { return Err(Failure::new("no axes")) };
    if x_count != y_count {
        return Err(Failure::new(format!("{name}: fields {x} and {y} have {x_count} and {y_count} values: expected as many")));
    }
    // Many points are joined to those that the picture can tell apart.
    let (width, height) = (wish.size.0.clamp(1, 400), wish.size.1.clamp(1, 300));
    let mut cells = vec![false; width * height];
    let mut points = Vec::new();
    pieces(source, selection, &mut |values| {
        let (xs, ys) = (numbers::numbers(&values.field(x)?)?, numbers::numbers(&values.field(y)?)?);
        for (x, y) in xs.into_iter().zip(ys).filter(|(x, y)| x.is_finite() && y.is_finite()) {
            if count <= MOST_POINTS {
                points.push((x, y));
                continue;
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the size")]
            let place = |part: f64, count: usize| ((part * count as f64) as usize).min(count - 1);
            let (column, row) = (place(x_axis.part(x), width), place(y_axis.part(y), height));
            if let Some(cell) = cells.get_mut(row * width + column).filter(|cell| !**cell) {
                *cell = true;
                points.push((x, y));
            }
        }
        Ok(())
    })?;
    if points.is_empty() {
        return Err(Failure::new(format!("{name}: there is nothing to plot: no point has two finite values")));
    }
    Ok(Figure { title: wish.title.clone(), x: x_axis, y: y_axis, content: Content::Points(points) })
}

fn image(numbers: &mut Numbers<'_>, wish: &Wish<'_>, name: &str, (rows, columns): (usize, usize)) -> Result<Figure> {
    let channels = numbers.shape.get(2).copied().unwrap_or(1);
    let mut means = Means::new((rows, columns, channels), wish.size);
    let index = numbers.index();
    let has_channels = channels > 1;
    numbers.read(&mut |first, values| {
        for (place, value) in values.iter().enumerate() {
            let [a, b, c] = index(first + place);
            let (row, column, channel) = if has_channels { (a, b, c) } else { (b, c, 0) };
            means.add(row, column, channel, *value);
        }
        Ok(())
    })?;
    let (width, height) = (means.width, means.height);
    let values = means.means();
    let (pixels, scale) = if has_channels {
        let white = white_of(&numbers.dtype);
        (values.chunks(channels).map(|pixel| color_of(pixel, white)).collect(), None)
    } else {
        let mut finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        finite.sort_by(f64::total_cmp);
        let percentile = |percent: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            let place = (percent / 100.0 * finite.len().saturating_sub(1) as f64).round() as usize;
            finite.get(place).copied()
        };
        let (Some(least), Some(most)) = (percentile(wish.clip.0), percentile(wish.clip.1)) else {
            return Err(Failure::new(format!("{name}: there is nothing to plot: all values are NaN or infinite")));
        };
        let axis = Axis::new("", None, least, most);
        let color = |value: &f64| if value.is_nan() { [200, 200, 200] } else { wish.map.color(axis.part(*value)) };
        (values.iter().map(color).collect(), Some(Scale { map: wish.map, least: axis.least, most: axis.most }))
    };
    // Pixels are areas around their indices, and the first row is on top.
    let x = Axis::new("column", None, -0.5, columns as f64 - 0.5);
    let y = Axis::new("row", None, -0.5, rows as f64 - 0.5);
    Ok(Figure { title: wish.title.clone(), x, y, content: Content::Image(Raster { width, height, pixels }, scale) })
}

/// The value of white.
fn white_of(dtype: &DType) -> f64 {
    match numbers::scalar_of(dtype).map(|scalar| (scalar.kind(), scalar.itemsize())) {
        Some((ScalarKind::UInt8 | ScalarKind::Int8 | ScalarKind::Int16 | ScalarKind::Int32 | ScalarKind::Int64, _)) => 255.0,
        Some((ScalarKind::UInt16 | ScalarKind::UInt32 | ScalarKind::UInt64, size)) => {
            2_f64.powi(8 * i32::try_from(size).unwrap_or(1)) - 1.0
        }
        _ => 1.0,
    }
}

/// The color of a pixel with 3 or 4 channels, on white.
fn color_of(pixel: &[f64], white: f64) -> [u8; 3] {
    let part =
        |channel: usize| pixel.get(channel).copied().filter(|value| !value.is_nan()).map(|value| (value / white).clamp(0.0, 1.0));
    let opacity = part(3).unwrap_or(1.0);
    let byte = |channel: usize| {
        let value = part(channel).unwrap_or(0.8) * opacity + 1.0 - opacity;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
        let byte = (value * 255.0).round() as u8;
        byte
    };
    [byte(0), byte(1), byte(2)]
}

impl Scale {
    /// The color of a part of the scale, from 0 to 1.
    pub(crate) fn color(&self, part: f64) -> [u8; 3] {
        self.map.color(part)
    }
}

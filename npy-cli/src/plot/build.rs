//! Chooses a kind of plot by the shape, and makes the figure.

use super::figure::{Axis, Content, Figure};
use super::gather::{Numbers, pieces};
use super::image::image;
use super::lines;
use super::wish::{Kind, LogAxes, Wish};
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::select::Selection;
use crate::values::bins::WholeBins;
use crate::values::quantity;
use crate::values::reals;

/// Reads what is asked for, and makes a figure of it.
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
    if wish.fields.len() > 1 {
        if !matches!(wish.kind, None | Some(Kind::Line)) {
            let count = wish.fields.len();
            return Err(Failure::new(format!("{name}: several fields are lines: expected one for another kind, found {count}")));
        }
        return lines::of_fields(source, selection, wish, &name);
    }
    let mut numbers = Numbers::new(source, selection, wish.fields.first().map(String::as_str))?;
    let kind = wish.kind.unwrap_or_else(|| if lines::are_lines(&numbers.shape) { Kind::Line } else { Kind::Image });
    if kind != Kind::Histogram && numbers.is_mixed() {
        return Err(Failure::new(format!("{name}: cannot plot sub-arrays in Fortran order, except as --kind histogram")));
    }
    match (kind, &numbers.shape[..]) {
        (Kind::Histogram, _) => histogram(&mut numbers, wish, &name),
        (Kind::Line, [] | [_] | [_, _]) => lines::of_columns(&mut numbers, wish, &name),
        (Kind::Image, _) if wish.log != LogAxes::None => {
            Err(Failure::new(format!("{name}: an image has no logarithmic axes: expected --kind line, or no --log")))
        }
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

fn histogram(numbers: &mut Numbers<'_>, wish: &Wish<'_>, name: &str) -> Result<Figure> {
    let label = wish.fields.first().map_or("value", String::as_str);
    let (x, counts, left_out) = if wish.log.x() || !reals::is_whole(&numbers.dtype) {
        count_floats(numbers, wish, label)?
    } else {
        let (x, counts) = count_whole(numbers, wish, label, name)?;
        (x, counts, 0)
    };
    let highest = counts.iter().copied().max().unwrap_or(0);
    if highest == 0 {
        return Err(Failure::new(format!("{name}: there is nothing to plot")));
    }
    let y = if wish.log.y() {
        // A count of one stands out from the axis.
        Axis::log("count", 0.5, highest as f64 * 1.5)
    } else {
        Axis::new("count", None, 0.0, highest as f64 * 1.05)
    };
    Ok(Figure { title: wish.title.clone(), x, y, content: Content::Bars(counts), left_out })
}

/// The axis of the values, the counts of its intervals, and how many values it leaves out.
fn count_floats(numbers: &mut Numbers<'_>, wish: &Wish<'_>, label: &str) -> Result<(Axis, Vec<u64>, u64)> {
    let is_log = wish.log.x();
    let (least, most, left_out) = numbers.range(is_log)?;
    let x = numbers.axis(label, (least, most), is_log);
    let mut counts = vec![0_u64; wish.bins];
    numbers.read(&mut |_, values| {
        for value in values.iter().filter(|value| value.is_finite() && (!is_log || **value > 0.0)) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of bins")]
            let bin = ((x.part(*value) * wish.bins as f64) as usize).min(wish.bins - 1);
            if let Some(count) = counts.get_mut(bin) {
                *count += 1;
            }
        }
        Ok(())
    })?;
    Ok((x, counts, left_out))
}

/// The same of integers and times, of which `f64` has one number for many.
fn count_whole(numbers: &mut Numbers<'_>, wish: &Wish<'_>, label: &str, name: &str) -> Result<(Axis, Vec<u64>)> {
    let mut range: Option<(i128, i128)> = None;
    numbers.read_whole(&mut |values| {
        for value in values.iter().flatten() {
            let (least, most) = range.unwrap_or((*value, *value));
            range = Some((least.min(*value), most.max(*value)));
        }
    })?;
    let (least, most) = range.ok_or_else(|| Failure::new(format!("{name}: there is nothing to plot: all values are NaT")))?;
    let bins = WholeBins::new(least, most, wish.bins);
    let mut counts = vec![0_u64; bins.count()];
    numbers.read_whole(&mut |values| {
        // A file that changed may have others.
        for value in values.iter().flatten().filter(|value| (least..=most).contains(*value)) {
            if let Some(count) = bins.bin_of(*value).and_then(|bin| counts.get_mut(bin)) {
                *count += 1;
            }
        }
    })?;
    let is_time = reals::scalar_of(&numbers.dtype).is_some_and(reals::is_time);
    // An axis of floats has no integers beyond that: it begins at the smallest one.
    let is_far = !is_time && least.unsigned_abs().max(most.unsigned_abs()) >= 1 << f64::MANTISSA_DIGITS;
    let (label, origin) = if is_far { (format!("{label} - {least}"), least) } else { (label.to_owned(), 0) };
    // A bar stands in the middle of its integers.
    let first = (least - origin) as f64 - if is_time { 0.0 } else { 0.5 };
    Ok((numbers.axis(&label, (first, first + counts.len() as f64 * bins.width as f64), false), counts))
}

fn scatter(source: &mut Source, selection: Option<&Selection>, wish: &Wish<'_>, (x, y): (&str, &str)) -> Result<Figure> {
    const MOST_POINTS: usize = 20_000;
    let name = source.input().name().to_owned();
    let logs = [wish.log.x(), wish.log.y()];
    let mut axes = Vec::new();
    let mut count = 0;
    for (field, is_log) in [x, y].into_iter().zip(logs) {
        let mut numbers = Numbers::new(source, selection, Some(field))?;
        let (least, most, _) = numbers.range(is_log)?;
        count = numbers.shape.iter().fold(1_usize, |count, length| count.saturating_mul(*length));
        axes.push((count, numbers.axis(field, (least, most), is_log).with_margin()));
    }
    let (Some((y_count, y_axis)), Some((x_count, x_axis))) = (axes.pop(), axes.pop()) else { return Err(Failure::new("no axes")) };
    if x_count != y_count {
        return Err(Failure::new(format!(
            "{name}: fields of different lengths: expected {x_count} as in {x}, found {y_count} in {y}"
        )));
    }
    // Many points are joined to those that the picture can tell apart.
    let (width, height) = (wish.size.0.clamp(1, 400), wish.size.1.clamp(1, 300));
    let mut cells = vec![false; width * height];
    let (mut points, mut left_out) = (Vec::new(), 0);
    pieces(source, selection, &mut |values| {
        let (xs, ys) = (reals::numbers(&values.field(x)?)?, reals::numbers(&values.field(y)?)?);
        for (x, y) in xs.into_iter().zip(ys).filter(|(x, y)| x.is_finite() && y.is_finite()) {
            if logs[0] && x <= 0.0 || logs[1] && y <= 0.0 {
                left_out += 1;
                continue;
            }
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
        return Err(Failure::new(format!("{name}: there is nothing to plot: no point has two values that the axes have")));
    }
    Ok(Figure { title: wish.title.clone(), x: x_axis, y: y_axis, content: Content::Points(points), left_out })
}

//! Chooses a kind of plot by the shape, and makes the figure.

use super::figure::{Axis, Content, Figure};
use super::image::image;
use super::lines;
use super::numbers::{Data, Horizontal, Numbers};
use super::options::{Kind, LogAxes, Options};
use super::range::{axis_of, axis_over};
use super::times::Times;
use crate::colors::Images;
use crate::failure::{Failure, Result};
use crate::values::bins::{WholeBins, bin};
use crate::values::{quantity, reals};

/// Reads the numbers of a plot, and makes a figure of them: of `data`, over `x` if there is one.
pub(crate) fn figure(data: &mut [Data], x: Option<Horizontal>, options: &Options<'_>) -> Result<Figure> {
    let name = data.first().map(|data| data.name().to_owned()).unwrap_or_default();
    read(data, x, options).map_err(|failure| failure.about(&name))
}

/// Why `--scale` is refused.
const NO_COLORS: &str = "--scale is for the colors of images: expected --kind image or montage, or no --scale";

fn read(data: &mut [Data], x: Option<Horizontal>, options: &Options<'_>) -> Result<Figure> {
    let refused = |message: String| Err(Failure::Nameless(message));
    let count = options.fields.len().max(1).saturating_mul(data.len());
    let is_over = x.is_some() || count > 1;
    let is_image = options.kind.map_or(!is_over, |kind| matches!(kind, Kind::Image | Kind::Montage));
    if options.scale.is_some() && !is_image {
        return refused(NO_COLORS.to_owned());
    }
    if options.kind == Some(Kind::Scatter) && count == 1 {
        let Some(x) = x else { return refused("a scatter plot needs values of x: expected --x".to_owned()) };
        return scatter(data, x, options);
    }
    if is_over {
        if !matches!(options.kind, None | Some(Kind::Line)) {
            return match x {
                Some(_) if count == 1 => refused("--x is for lines and scatter plots: expected no other --kind".to_owned()),
                _ => refused(format!("several fields or files are lines: expected one for another kind, found {count}")),
            };
        }
        return lines::lines(data, x, options);
    }
    let Some(first) = data.first_mut() else { return refused("there is nothing to plot".to_owned()) };
    let field = options.fields.first().map(String::as_str);
    let mut numbers = Numbers::new(first, field)?;
    let kind = options.kind.unwrap_or_else(|| if lines::are_lines(&numbers.shape) { Kind::Line } else { Kind::Image });
    if kind == Kind::Image && numbers.shape.len() < 2 {
        numbers.keep_all_axes();
    }
    let (shape, images) = (numbers.shape.clone(), Images::of(&numbers.shape, kind == Kind::Montage));
    match (kind, &shape[..], images) {
        (Kind::Histogram, ..) => histogram(first, options),
        (Kind::Line, ..) if options.scale.is_some() => refused(NO_COLORS.to_owned()),
        (Kind::Line, [] | [_] | [_, _], _) => lines::lines(data, None, options),
        (Kind::Image | Kind::Montage, ..) if options.log != LogAxes::None => {
            refused("an image has no logarithmic axes: expected --kind line, or no --log".to_owned())
        }
        (Kind::Image | Kind::Montage, _, Some(images)) => {
            let shown = images.shown(options.size);
            if shown < images.count {
                first.keep_first(shown, field)?;
                numbers = Numbers::new(first, field)?;
            }
            image(&mut numbers, options, images, shown)
        }
        _ => Err(unknown_shape(&shape, options.kind)),
    }
}

/// Why an array of this shape is not drawn as the kind that was asked for.
fn unknown_shape(shape: &[usize], kind: Option<Kind>) -> Failure {
    let (what, expected) = match kind {
        Some(Kind::Line) => (" as lines", "expected 1 or 2 axes"),
        Some(Kind::Montage) => (" as a montage", "expected 3 axes, or 4 of which one has 3 or 4 channels"),
        Some(_) => (" as an image", "expected 2 axes, images of 3 or 4 channels, or several images"),
        None => ("", "expected 1 or 2 axes, images of 3 or 4 channels, or several images; --kind histogram plots any"),
    };
    Failure::Nameless(format!("cannot plot shape {}{what}: {expected}", quantity::shape(shape)))
}

fn histogram(data: &mut Data, options: &Options<'_>) -> Result<Figure> {
    let field = options.fields.first().map(String::as_str);
    let label = field.unwrap_or("value");
    let mut numbers = Numbers::new(data, field)?;
    let (x, counts, left_out) = if options.log.x() || !reals::is_whole(&numbers.dtype) {
        count_floats(data, options, label)?
    } else {
        let (x, counts) = count_whole(&mut numbers, options, label)?;
        (x, counts, 0)
    };
    let highest = counts.iter().copied().max().unwrap_or(0);
    if highest == 0 {
        return Err(Failure::Nameless("there is nothing to plot".to_owned()));
    }
    let y = if options.log.y() {
        // A count of one stands out from the axis.
        Axis::log("count", 0.5, highest as f64 * 1.5)
    } else {
        Axis::new("count", None, 0.0, highest as f64 * 1.05)
    };
    Ok(Figure { title: options.title.clone(), x, y: y.whole(), content: Content::Bars(counts), left_out, note: None })
}

/// The axis of the values, the counts of its intervals, and how many values it leaves out.
fn count_floats(data: &mut Data, options: &Options<'_>, label: &str) -> Result<(Axis, Vec<u64>, u64)> {
    let (is_log, field) = (options.log.x(), options.fields.first().map(String::as_str));
    let (x, left_out) = axis_of(data, field, (label, is_log))?;
    let mut counts = vec![0_u64; options.bins];
    Numbers::new(data, field)?.for_each(|_, number| {
        if number.is_finite() && (!is_log || number > 0.0) {
            counts[bin(x.part(number), options.bins)] += 1;
        }
    })?;
    Ok((x, counts, left_out))
}

/// The axis and the counts of integers and times, which `f64` does not tell apart.
fn count_whole(numbers: &mut Numbers<'_>, options: &Options<'_>, label: &str) -> Result<(Axis, Vec<u64>)> {
    let mut range: Option<(i128, i128)> = None;
    numbers.for_each_whole(|value| {
        let (least, most) = range.unwrap_or((value, value));
        range = Some((least.min(value), most.max(value)));
    })?;
    let (least, most) = range.ok_or_else(|| Failure::Nameless("there is nothing to plot: all values are NaT".to_owned()))?;
    let bins = WholeBins::new(least, most, options.bins);
    let mut counts = vec![0_u64; bins.count()];
    numbers.for_each_whole(|value| {
        // A file that changed may have others.
        let bin = if (least..=most).contains(&value) { bins.bin_of(value) } else { None };
        if let Some(count) = bin.and_then(|bin| counts.get_mut(bin)) {
            *count += 1;
        }
    })?;
    let times = Times::new(&numbers.dtype, i64::try_from(least).unwrap_or(0));
    // An axis of floats has no integers beyond that: it begins at the smallest one.
    let is_far = least.unsigned_abs().max(most.unsigned_abs()) >= 1 << f64::MANTISSA_DIGITS;
    let (label, origin) = match times {
        Some(times) => (label.to_owned(), times.origin.into()),
        None if is_far => (format!("{label} - {least}"), least),
        None => (label.to_owned(), 0),
    };
    // A bar stands in the middle of its integers.
    let first = (least - origin) as f64 - if times.is_some() { 0.0 } else { 0.5 };
    let end = first + counts.len() as f64 * bins.width as f64;
    Ok((Axis::new(label, times, first, end), counts))
}

fn scatter(data: &mut [Data], mut x: Horizontal, options: &Options<'_>) -> Result<Figure> {
    const MOST_POINTS: usize = 20_000;
    let logs = [options.log.x(), options.log.y()];
    let x_axis = axis_over(&mut x, data, logs[0])?.with_margin();
    let Some(data) = data.first_mut() else { return Err(Failure::Nameless("there is nothing to plot".to_owned())) };
    let field = options.fields.first().map(String::as_str);
    let (records, count) = (data.count(), Numbers::new(data, field)?.count());
    let expected = x.count().unwrap_or(records);
    if count != expected {
        let (x, y) = (x.label(), field.map(|field| format!(" in {field}")).unwrap_or_default());
        return Err(Failure::Nameless(format!("x and y of different lengths: expected {expected} as in {x}, found {count}{y}")));
    }
    let y_axis = axis_of(data, field, (field.unwrap_or_default(), logs[1]))?.0.with_margin();
    // Of many points, one is kept for each pixel.
    let (width, height) = (options.size.0.clamp(1, 400), options.size.1.clamp(1, 300));
    let mut cells = vec![false; width * height];
    let (mut points, mut left_out) = (Vec::new(), 0);
    let mut numbers = Numbers::new(data, field)?.since(y_axis.origin());
    numbers.for_each_over((&mut x, x_axis.origin()), 0, |_, x, y| {
        if !x.is_finite() || !y.is_finite() {
            return;
        }
        if logs[0] && x <= 0.0 || logs[1] && y <= 0.0 {
            left_out += 1;
            return;
        }
        if count <= MOST_POINTS {
            points.push((x, y));
            return;
        }
        let cell = &mut cells[bin(y_axis.part(y), height) * width + bin(x_axis.part(x), width)];
        if !*cell {
            *cell = true;
            points.push((x, y));
        }
    })?;
    if points.is_empty() {
        return Err(Failure::Nameless("there is nothing to plot: no point has two values that the axes have".to_owned()));
    }
    Ok(Figure { title: options.title.clone(), x: x_axis, y: y_axis, content: Content::Points(points), left_out, note: None })
}

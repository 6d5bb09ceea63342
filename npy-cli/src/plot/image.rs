//! Images: the colors of values or of channels, of one image or of several in a grid.

use npy_core::DType;
use npy_core::scalar::Class;

use super::figure::{Axis, Color, Content, Figure, Raster, Scale};
use super::numbers::Numbers;
use super::options::{Limit, MISSING, Options};
use crate::failure::{Failure, Result};
use crate::values::bins::part;
use crate::values::{fields, reals};

/// The axes of an array of images: their indices, and lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Images {
    /// The number of images, of which several are a montage.
    pub(super) count: usize,
    rows: usize,
    columns: usize,
    channels: usize,
    /// Of images, rows, columns and channels; beyond the others where there is none.
    axes: [usize; 4],
}

impl Images {
    /// Of the axes of an array; `None` where these are no images. Channels are 3 or 4, after the columns or before the rows.
    pub(super) fn of(shape: &[usize], is_montage: bool) -> Option<Self> {
        const NONE: usize = usize::MAX;
        let are_channels = |length: usize| matches!(length, 3 | 4);
        let (count, rows, columns, channels, axes) = match *shape {
            [rows, columns] => (1, rows, columns, 1, [NONE, 0, 1, NONE]),
            [rows, columns, last] if !is_montage && are_channels(last) => (1, rows, columns, last, [NONE, 0, 1, 2]),
            [first, rows, columns] if !is_montage && are_channels(first) => (1, rows, columns, first, [NONE, 1, 2, 0]),
            [count, rows, columns] => (count, rows, columns, 1, [0, 1, 2, NONE]),
            [count, rows, columns, last] if are_channels(last) => (count, rows, columns, last, [0, 1, 2, 3]),
            [count, first, rows, columns] if are_channels(first) => (count, rows, columns, first, [0, 2, 3, 1]),
            _ => return None,
        };
        Some(Self { count, rows, columns, channels, axes })
    }

    /// The images of a montage for a picture of this size, as many as can be told apart.
    pub(super) fn shown(&self, (width, height): (usize, usize)) -> usize {
        const LEAST_SIDE: usize = 24;
        self.count.min((width / LEAST_SIDE).max(1) * (height / LEAST_SIDE).max(1))
    }

    /// The columns and rows of a montage of some images that fill a picture of this size.
    fn grid(&self, shown: usize, (width, height): (usize, usize)) -> (usize, usize) {
        let ratio = width as f64 * self.rows as f64 / (height.max(1) as f64 * self.columns.max(1) as f64);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the number of images")]
        let columns = ((shown as f64 * ratio).sqrt().ceil() as usize).clamp(1, shown.max(1));
        (columns, shown.div_ceil(columns))
    }

    /// The elements between two images of a grid, so that there are pixels between them in a picture of this size.
    fn gap(&self, (columns, rows): (usize, usize), (width, height): (usize, usize)) -> usize {
        const PIXELS: usize = 3;
        // Of `n` images of `length` elements, the picture has `gap * width / (n * length + (n - 1) * gap)` pixels for a gap.
        let least = |n: usize, length: usize, width: usize| {
            let all = n.saturating_mul(length).saturating_mul(PIXELS);
            all.div_ceil(width.saturating_sub(PIXELS * n.saturating_sub(1)).max(1))
        };
        let side = self.rows.max(self.columns);
        least(columns, self.columns, width).max(least(rows, self.rows, height)).min(side).max(side / 32 + 1)
    }
}

/// Draws an image, or several in a grid: the first `shown`.
pub(super) fn image(numbers: &mut Numbers<'_>, options: &Options<'_>, images: Images, shown: usize) -> Result<Figure> {
    let Images { rows, columns, channels, axes, .. } = images;
    let grid = images.grid(shown, options.size);
    let gap = if shown > 1 { images.gap(grid, options.size) } else { 0 };
    let whole = |count: usize, length: usize| count.saturating_mul(length.saturating_add(gap)).saturating_sub(gap);
    let (height, width) = (whole(grid.1, rows), whole(grid.0, columns));
    let mut means = Means::new((height, width, channels), options.size);
    let strides = numbers.strides();
    numbers.for_each(|position, number| {
        let [image, row, column, channel] = axes.map(|axis| strides.index(position, axis));
        if image < shown {
            let (y, x) = (image / grid.0 * (rows + gap) + row, image % grid.0 * (columns + gap) + column);
            means.add(y, x, channel, number);
        }
    })?;
    let means = means.finish();
    let (pixels, scale, note) =
        if channels > 1 { photo(&means, &numbers.dtype, options)? } else { map(&means, &numbers.dtype, options)? };
    let (pixels, title) = (means.with_gaps(pixels), options.title.clone());
    let title = match (shown, images.count) {
        _ if title.is_empty() || images.count == 1 => title,
        (shown, count) if shown < count => format!("{title}: the first {shown} of {count} images"),
        (_, count) => format!("{title}: {count} images"),
    };
    // Pixels are areas around their indices, and the first row is on top.
    let x = Axis::new("column", None, -0.5, width as f64 - 0.5).whole();
    let y = Axis::new("row", None, -0.5, height as f64 - 0.5).whole().down();
    let (x, y) = if shown > 1 { (x.bare(), y.bare()) } else { (x, y) };
    let raster = Raster { width: means.width, height: means.height, pixels };
    Ok(Figure { title, x, y, content: Content::Image(raster, scale), left_out: 0, note })
}

type Colors = (Vec<Color>, Option<Scale>, Option<String>);

/// The colors of numbers on a scale.
fn map(means: &Means, dtype: &DType, options: &Options<'_>) -> Result<Colors> {
    let finite = sorted(means.values.iter().copied())?;
    let is_bool = fields::scalar_of(dtype).is_some_and(|scalar| scalar.class() == Class::Bool);
    let default = if is_bool { [Limit::Value(0.0), Limit::Value(1.0)] } else { [Limit::Percent(1.0), Limit::Percent(99.0)] };
    let [mut least, mut most] = options.scale.unwrap_or(default).map(|limit| limit.of(&finite));
    if options.scale.is_none() && least >= most {
        // A few among many that are alike.
        [least, most] = [Limit::Percent(0.0), Limit::Percent(100.0)].map(|limit| limit.of(&finite));
    }
    // Of a large picture it has as much memory as the values.
    drop(finite);
    let axis = Axis::new("", None, least, most);
    let axis = if is_bool && options.scale.is_none() { axis.whole() } else { axis };
    let missing = options.map.missing();
    let color = |value: &f64| if value.is_nan() { missing } else { options.map.color(axis.part(*value)) };
    let missing = means.have_nan().then_some(missing);
    Ok((means.values.iter().map(color).collect(), Some(Scale { map: options.map, axis, missing }), None))
}

/// The colors of channels, and what to tell of values that have none of their own.
fn photo(means: &Means, dtype: &DType, options: &Options<'_>) -> Result<Colors> {
    let (white, channels) = (white_of(dtype), means.channels);
    let opaque = || means.values.chunks(channels).flat_map(|pixel| pixel.iter().copied().take(3));
    let finite = || opaque().filter(|value| value.is_finite());
    let [Some(low), Some(high)] = [f64::min, f64::max].map(|end| finite().reduce(end)) else { return Err(nothing()) };
    let of_limits = |limits: [Limit; 2]| sorted(opaque()).map(|sorted| limits.map(|limit| limit.of(&sorted)));
    let scale = options.scale.map(of_limits).transpose()?;
    // One value alone has no place on a scale of its own.
    let [least, most] = scale.filter(|[least, most]| least < most).unwrap_or([0.0, white]);
    let note = (options.scale.is_none() && (low < least || high > most)).then(|| {
        let [low, high, white] = [low, high, white].map(reals::short);
        format!("drew values from {low} to {high} as colors from 0 to {white}; --scale 0%,100% has a color for each")
    });
    Ok((means.values.chunks(channels).map(|pixel| color_of(pixel, (least, most), white)).collect(), None, note))
}

/// The finite values, of which there must be one.
fn sorted(values: impl Iterator<Item = f64>) -> Result<Vec<f64>> {
    let mut finite: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    finite.sort_unstable_by(f64::total_cmp);
    if finite.is_empty() { Err(nothing()) } else { Ok(finite) }
}

fn nothing() -> Failure {
    Failure::Nameless("there is nothing to plot: all values are NaN or infinite".to_owned())
}

/// The value of white.
fn white_of(dtype: &DType) -> f64 {
    match fields::scalar_of(dtype).map(|scalar| (scalar.class(), scalar.integers())) {
        Some((Class::Signed, _)) => 255.0,
        Some((Class::Unsigned, Some(range))) => *range.end() as f64,
        _ => 1.0,
    }
}

/// The color of a pixel with 3 or 4 channels, on white.
fn color_of(pixel: &[f64], (least, most): (f64, f64), white: f64) -> Color {
    let [colors @ .., opacity] = [0, 1, 2, 3].map(|channel| pixel.get(channel).copied().unwrap_or(white));
    if colors.iter().any(|value| value.is_nan()) {
        return MISSING;
    }
    let opacity = if opacity.is_nan() { 1.0 } else { (opacity / white).clamp(0.0, 1.0) };
    colors.map(|value| {
        let value = part(value, least, most.max(least + f64::MIN_POSITIVE)).clamp(0.0, 1.0) * opacity + 1.0 - opacity;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
        let byte = (value * 255.0).round() as u8;
        byte
    })
}

/// The means of an image of more pixels than the picture.
struct Means {
    width: usize,
    height: usize,
    channels: usize,
    of: (usize, usize),
    /// The sums, and the means of what is finished; NaN where all were.
    values: Vec<f64>,
    /// Until it is finished.
    counts: Vec<u32>,
    /// Whether a pixel has an element, also if it is NaN.
    used: Vec<bool>,
}

impl Means {
    /// Of an image of these rows and columns, for a picture of that size.
    fn new((rows, columns, channels): (usize, usize, usize), (most_width, most_height): (usize, usize)) -> Self {
        let (width, height) = (columns.min(most_width.max(1)), rows.min(most_height.max(1)));
        let count = width * height * channels;
        let (values, counts, used) = (vec![0.0; count], vec![0; count], vec![false; width * height]);
        Self { width, height, channels, of: (rows, columns), values, counts, used }
    }

    fn add(&mut self, row: usize, column: usize, channel: usize, number: f64) {
        let scaled =
            |index: usize, to: usize, from: usize| usize::try_from(index as u128 * to as u128 / (from as u128).max(1)).unwrap_or(0);
        let (y, x) = (scaled(row, self.height, self.of.0), scaled(column, self.width, self.of.1));
        let pixel = y * self.width + x;
        if let Some(is_used) = self.used.get_mut(pixel) {
            *is_used = true;
        }
        if number.is_nan() {
            return;
        }
        let place = pixel * self.channels + channel;
        if let (Some(sum), Some(count)) = (self.values.get_mut(place), self.counts.get_mut(place)) {
            *sum += number;
            *count = count.saturating_add(1);
        }
    }

    /// Makes the sums means, in the same memory.
    fn finish(mut self) -> Self {
        for (value, count) in self.values.iter_mut().zip(&self.counts) {
            *value = if *count == 0 { f64::NAN } else { *value / f64::from(*count) };
        }
        Self { counts: Vec::new(), ..self }
    }

    /// Whether a pixel has nothing but NaN.
    fn have_nan(&self) -> bool {
        let mut pixels = self.values.chunks(self.channels).zip(&self.used);
        pixels.any(|(values, is_used)| *is_used && values.iter().any(|value| value.is_nan()))
    }

    /// The colors of the pixels, white where there is no element.
    fn with_gaps(&self, pixels: Vec<Color>) -> Vec<Color> {
        pixels.into_iter().zip(&self.used).map(|(color, is_used)| if *is_used { color } else { [255; 3] }).collect()
    }
}

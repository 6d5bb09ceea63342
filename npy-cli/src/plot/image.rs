//! Images: the colors of values, or of channels.

use npy_core::DType;
use npy_core::scalar::Class;

use super::figure::{Axis, Content, Figure, Raster, Scale};
use super::numbers::Numbers;
use super::options::Options;
use crate::failure::{Failure, Result};
use crate::values::fields;

/// Draws an array of rows, columns and perhaps channels.
pub(super) fn image(numbers: &mut Numbers<'_>, options: &Options<'_>, (rows, columns): (usize, usize)) -> Result<Figure> {
    let channels = numbers.shape.get(2).copied().unwrap_or(1);
    let mut means = Means::new((rows, columns, channels), options.size);
    let strides = numbers.strides();
    numbers.for_each(|position, number| {
        let [row, column, channel] = [0, 1, 2].map(|axis| strides.index(position, axis));
        means.add(row, column, channel, number);
    })?;
    let (width, height) = (means.width, means.height);
    let values = means.means();
    let (pixels, scale) = if channels > 1 {
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
        let (Some(least), Some(most)) = (percentile(options.clip.0), percentile(options.clip.1)) else {
            return Err(Failure::Nameless("there is nothing to plot: all values are NaN or infinite".to_owned()));
        };
        let axis = Axis::new("", None, least, most);
        let color = |value: &f64| if value.is_nan() { [200, 200, 200] } else { options.map.color(axis.part(*value)) };
        (values.iter().map(color).collect(), Some(Scale { map: options.map, axis }))
    };
    // Pixels are areas around their indices, and the first row is on top.
    let x = Axis::new("column", None, -0.5, columns as f64 - 0.5).whole();
    let y = Axis::new("row", None, -0.5, rows as f64 - 0.5).whole().down();
    Ok(Figure { title: options.title.clone(), x, y, content: Content::Image(Raster { width, height, pixels }, scale), left_out: 0 })
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

/// The means of an image of more pixels than the picture.
struct Means {
    width: usize,
    height: usize,
    channels: usize,
    of: (usize, usize),
    sums: Vec<f64>,
    counts: Vec<u32>,
}

impl Means {
    /// Of an image of these rows and columns, for a picture of that size.
    fn new((rows, columns, channels): (usize, usize, usize), (most_width, most_height): (usize, usize)) -> Self {
        let (width, height) = (columns.min(most_width.max(1)), rows.min(most_height.max(1)));
        let count = width * height * channels;
        Self { width, height, channels, of: (rows, columns), sums: vec![0.0; count], counts: vec![0; count] }
    }

    fn add(&mut self, row: usize, column: usize, channel: usize, number: f64) {
        if !number.is_finite() {
            return;
        }
        let scaled =
            |index: usize, to: usize, from: usize| usize::try_from(index as u128 * to as u128 / (from as u128).max(1)).unwrap_or(0);
        let (y, x) = (scaled(row, self.height, self.of.0), scaled(column, self.width, self.of.1));
        let place = (y * self.width + x) * self.channels + channel;
        if let (Some(sum), Some(count)) = (self.sums.get_mut(place), self.counts.get_mut(place)) {
            *sum += number;
            *count = count.saturating_add(1);
        }
    }

    /// The means, row after row; NaN where nothing was finite.
    fn means(&self) -> Vec<f64> {
        self.sums
            .iter()
            .zip(&self.counts)
            .map(|(sum, count)| if *count == 0 { f64::NAN } else { sum / f64::from(*count) })
            .collect()
    }
}

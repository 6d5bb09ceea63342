//! Images: the colors of values, or of channels.

use npy_core::DType;
use npy_core::scalar::Class;

use super::figure::{Axis, Content, Figure, Raster, Scale};
use super::gather::{Means, Numbers};
use super::wish::Wish;
use crate::failure::{Failure, Result};
use crate::values::reals;

/// Draws an array of rows, columns and perhaps channels.
pub(super) fn image(numbers: &mut Numbers<'_>, wish: &Wish<'_>, name: &str, (rows, columns): (usize, usize)) -> Result<Figure> {
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
    Ok(Figure { title: wish.title.clone(), x, y, content: Content::Image(Raster { width, height, pixels }, scale), left_out: 0 })
}

/// The value of white.
fn white_of(dtype: &DType) -> f64 {
    match reals::scalar_of(dtype).map(|scalar| (scalar.class(), scalar.integers())) {
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

impl Scale {
    /// The color of a part of the scale, from 0 to 1.
    pub(crate) fn color(&self, part: f64) -> [u8; 3] {
        self.map.color(part)
    }
}

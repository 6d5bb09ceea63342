//! Images of any size in as many pixels as a picture has.

use npy_core::DType;
use npy_core::scalar::Class;

use super::map::{Color, ColorMap, Limit, MISSING};
use crate::failure::{Failure, Result};
use crate::values::bins::{part, widened};
use crate::values::fields;

/// Pixels in rows from the top.
pub(crate) struct Raster {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<Color>,
}

impl Raster {
    /// The pixel at these parts of the width and height, from the top left corner.
    pub(crate) fn pixel(&self, (column, columns): (usize, usize), (row, rows): (usize, usize)) -> Color {
        let (x, y) = (column * self.width / columns.max(1), row * self.height / rows.max(1));
        self.pixels.get(y * self.width + x).copied().unwrap_or([255; 3])
    }
}

/// The means of an image of more pixels than the picture.
pub(crate) struct Means {
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
    pub(crate) fn new((rows, columns, channels): (usize, usize, usize), (most_width, most_height): (usize, usize)) -> Self {
        let (width, height) = (columns.min(most_width.max(1)), rows.min(most_height.max(1)));
        let count = width * height * channels;
        let (values, counts, used) = (vec![0.0; count], vec![0; count], vec![false; width * height]);
        Self { width, height, channels, of: (rows, columns), values, counts, used }
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, channel: usize, number: f64) {
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
    fn finish(&mut self) {
        for (value, count) in self.values.iter_mut().zip(std::mem::take(&mut self.counts)) {
            *value = if count == 0 { f64::NAN } else { *value / f64::from(count) };
        }
    }

    /// Whether a pixel has nothing but NaN.
    fn have_nan(&self) -> bool {
        let mut pixels = self.values.chunks(self.channels).zip(&self.used);
        pixels.any(|(values, is_used)| *is_used && values.iter().any(|value| value.is_nan()))
    }

    /// The image: numbers on a scale have the colors of a map, and channels are colors.
    ///
    /// # Errors
    ///
    /// Fails if no value is finite.
    pub(crate) fn colored(&mut self, dtype: &DType, map: ColorMap, scale: Option<[Limit; 2]>) -> Result<Colored> {
        self.finish();
        let mut colored = if self.channels > 1 { photo(self, dtype, scale)? } else { mapped(self, dtype, map, scale)? };
        // White where there is no element.
        let pixels = colored.raster.pixels.iter_mut().zip(&self.used).filter(|(_, is_used)| !**is_used);
        pixels.for_each(|(color, _)| *color = [255; 3]);
        Ok(colored)
    }

    fn raster(&self, pixels: Vec<Color>) -> Raster {
        Raster { width: self.width, height: self.height, pixels }
    }
}

/// An image, and what its colors stand for.
pub(crate) struct Colored {
    pub(crate) raster: Raster,
    /// The numbers at the ends of the map.
    pub(crate) ends: Option<[f64; 2]>,
    /// The color of NaN, if there is one.
    pub(crate) missing: Option<Color>,
    /// The least and the greatest value of channels, and white, where colors are cut off.
    pub(crate) cut_off: Option<[f64; 3]>,
}

/// The colors of numbers on a scale.
fn mapped(means: &Means, dtype: &DType, map: ColorMap, scale: Option<[Limit; 2]>) -> Result<Colored> {
    let finite = sorted(means.values.iter().copied())?;
    let is_bool = fields::scalar_of(dtype).is_some_and(|scalar| scalar.class() == Class::Bool);
    let default = if is_bool { [Limit::Value(0.0), Limit::Value(1.0)] } else { [Limit::Percent(1.0), Limit::Percent(99.0)] };
    let [mut least, mut most] = scale.unwrap_or(default).map(|limit| limit.of(&finite));
    if scale.is_none() && least >= most {
        // A few among many that are alike.
        [least, most] = [Limit::Percent(0.0), Limit::Percent(100.0)].map(|limit| limit.of(&finite));
    }
    // Of a large picture it has as much memory as the values.
    drop(finite);
    let [least, most] = widened(least, most);
    let color = |value: &f64| if value.is_nan() { map.missing() } else { map.color(part(*value, least, most)) };
    let missing = means.have_nan().then_some(map.missing());
    let raster = means.raster(means.values.iter().map(color).collect());
    Ok(Colored { raster, ends: Some([least, most]), missing, cut_off: None })
}

/// The colors of channels.
fn photo(means: &Means, dtype: &DType, scale: Option<[Limit; 2]>) -> Result<Colored> {
    let (white, channels) = (white_of(dtype), means.channels);
    let opaque = || means.values.chunks(channels).flat_map(|pixel| pixel.iter().copied().take(3));
    let finite = || opaque().filter(|value| value.is_finite());
    let [Some(low), Some(high)] = [f64::min, f64::max].map(|end| finite().reduce(end)) else { return Err(nothing()) };
    let of_limits = |limits: [Limit; 2]| sorted(opaque()).map(|sorted| limits.map(|limit| limit.of(&sorted)));
    let limits = scale.map(of_limits).transpose()?;
    // One value alone has no place on a scale of its own.
    let [least, most] = limits.filter(|[least, most]| least < most).unwrap_or([0.0, white]);
    let cut_off = (scale.is_none() && (low < least || high > most)).then_some([low, high, white]);
    let raster = means.raster(means.values.chunks(channels).map(|pixel| color_of(pixel, (least, most), white)).collect());
    Ok(Colored { raster, ends: None, missing: None, cut_off })
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

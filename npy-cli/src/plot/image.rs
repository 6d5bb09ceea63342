//! Images: one, or several in a grid.

use npy_core::scalar::Class;

use super::figure::{Axis, Content, Figure, Scale};
use super::numbers::Numbers;
use super::options::Options;
use crate::colors::{Images, Means};
use crate::failure::Result;
use crate::values::{fields, reals};

impl Images {
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
    let colored = means.colored(&numbers.dtype, options.map, options.scale)?;
    let note = colored.cut_off.map(|numbers| {
        let [low, high, white] = numbers.map(reals::short);
        format!("drew values from {low} to {high} as colors from 0 to {white}; --scale 0%,100% has a color for each")
    });
    let is_bool = fields::scalar_of(&numbers.dtype).is_some_and(|scalar| scalar.class() == Class::Bool);
    let scale = |[least, most]: [f64; 2]| {
        let axis = Axis::new("", None, least, most);
        let axis = if is_bool && options.scale.is_none() { axis.whole() } else { axis };
        Scale { map: options.map, axis, missing: colored.missing }
    };
    let (content, title) = (Content::Image(colored.raster, colored.ends.map(scale)), options.title.clone());
    let title = match (shown, images.count) {
        _ if title.is_empty() || images.count == 1 => title,
        (shown, count) if shown < count => format!("{title}: the first {shown} of {count} images"),
        (_, count) => format!("{title}: {count} images"),
    };
    // Pixels are areas around their indices, and the first row is on top.
    let x = Axis::new("column", None, -0.5, width as f64 - 0.5).whole();
    let y = Axis::new("row", None, -0.5, height as f64 - 0.5).whole().down();
    let (x, y) = if shown > 1 { (x.bare(), y.bare()) } else { (x, y) };
    Ok(Figure { title, x, y, content, left_out: 0, note })
}

//! A surface to draw on.

use crate::colors::{Color, Raster};

/// The point of a text that is placed: the middle of its left end, of all, or of its right end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

/// The look of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    pub(super) color: Color,
    /// Read from below.
    pub(super) is_vertical: bool,
}

/// A white surface to draw on, in pixels from the top left corner.
pub(super) trait Canvas {
    fn line(&mut self, points: &[(f64, f64)], color: Color, width: f64);
    fn area(&mut self, corner: (f64, f64), size: (f64, f64), color: Color);
    /// Draws a translucent disc.
    fn disc(&mut self, center: (f64, f64), radius: f64, color: Color);
    fn text(&mut self, place: (f64, f64), text: &str, how: Text);
    fn image(&mut self, corner: (f64, f64), size: (f64, f64), raster: &Raster);
}

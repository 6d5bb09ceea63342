//! Colors of numbers, and images of arrays: what pictures and the viewer have in common.

// A module imports only from modules above it.
mod map;
mod images;
mod raster;
mod terminal;

pub(crate) use images::Images;
pub(crate) use map::{Color, ColorMap, Limit};
pub(crate) use raster::{Means, Raster};
pub(crate) use terminal::{Colors, fitted, half_blocks, indexed, rounded, two_pixels};

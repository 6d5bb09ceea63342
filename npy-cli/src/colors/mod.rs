//! Colors of numbers, and images of arrays: what pictures and the viewer have in common.

// A module imports only from modules above it.
mod map;
mod images;
mod raster;
mod terminal;

pub(crate) use images::Images;
#[cfg(feature = "plot")]
pub(crate) use map::Limit;
pub(crate) use map::{Color, ColorMap};
#[cfg(feature = "view")]
pub(crate) use raster::Colored;
pub(crate) use raster::Means;
#[cfg(feature = "plot")]
pub(crate) use raster::Raster;
pub(crate) use terminal::{Colors, fitted, half_blocks, rounded};
#[cfg(feature = "plot")]
pub(crate) use terminal::{indexed, two_pixels};

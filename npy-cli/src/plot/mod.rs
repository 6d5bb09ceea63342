//! Plots: reading in pieces, the figure, and its drawing in the terminal and in pictures.

// A module imports only from modules above it.
pub(crate) mod options;
mod times;
mod figure;
mod trace;
mod strides;
mod numbers;
mod range;
mod lines;
mod image;
mod build;
pub(crate) mod picture;
pub(crate) mod terminal;

pub(crate) use build::figure;
pub(crate) use figure::Figure;
pub(crate) use numbers::{Data, Horizontal};

/// A file format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Lines and text of any size
    Svg,
    /// Pixels
    Png,
}

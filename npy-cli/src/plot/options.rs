//! The options of a plot.

use clap::ValueEnum;

use crate::colors::{ColorMap, Limit};

/// A kind of plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A line for each column
    Line,
    /// Pixels of an array with two axes, or of height × width × 3 or 4, or of 3 or 4 × height × width
    Image,
    /// Images along the first axis, in a grid
    Montage,
    /// How often values occur
    Histogram,
    /// Points with the coordinates of two fields or arrays
    Scatter,
}

/// The axes that are logarithmic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogAxes {
    #[default]
    #[value(skip)]
    None,
    /// The horizontal axis
    X,
    /// The vertical axis
    Y,
    /// Both axes
    Xy,
}

impl LogAxes {
    pub(super) fn x(self) -> bool {
        matches!(self, Self::X | Self::Xy)
    }

    pub(super) fn y(self) -> bool {
        matches!(self, Self::Y | Self::Xy)
    }
}

/// The options of a plot.
pub(crate) struct Options<'a> {
    pub(crate) kind: Option<Kind>,
    pub(crate) fields: &'a [String],
    pub(crate) log: LogAxes,
    pub(crate) bins: usize,
    /// The numbers that colors stand for.
    pub(crate) scale: Option<[Limit; 2]>,
    pub(crate) map: ColorMap,
    pub(crate) title: String,
    /// The pixels of the picture at most.
    pub(crate) size: (usize, usize),
}

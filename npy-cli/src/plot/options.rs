//! The options of a plot.

use clap::ValueEnum;

/// A kind of plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A line for each column
    Line,
    /// Pixels of an array with two axes, or of height × width × 1, 3 or 4
    Image,
    /// How often values occur
    Histogram,
    /// Points with the coordinates of two fields or arrays
    Scatter,
}

/// The colors of an image with one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorMap {
    Viridis,
    Magma,
    Inferno,
    Plasma,
    Cividis,
    Turbo,
    Gray,
    /// Blue over white to red
    Coolwarm,
}

impl ColorMap {
    fn gradient(self) -> colorous::Gradient {
        match self {
            Self::Viridis => colorous::VIRIDIS,
            Self::Magma => colorous::MAGMA,
            Self::Inferno => colorous::INFERNO,
            Self::Plasma => colorous::PLASMA,
            Self::Cividis => colorous::CIVIDIS,
            Self::Turbo => colorous::TURBO,
            Self::Gray => colorous::GREYS,
            Self::Coolwarm => colorous::RED_BLUE,
        }
    }

    /// The color of a part of the scale, from 0 to 1.
    pub(super) fn color(self, part: f64) -> [u8; 3] {
        // Black is the least, and red the greatest.
        let part = if matches!(self, Self::Gray | Self::Coolwarm) { 1.0 - part } else { part };
        let color = self.gradient().eval_continuous(part.clamp(0.0, 1.0));
        [color.r, color.g, color.b]
    }
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
    pub(crate) clip: (f64, f64),
    pub(crate) map: ColorMap,
    pub(crate) title: String,
    /// The pixels of the picture at most.
    pub(crate) size: (usize, usize),
}

//! Color maps, and the numbers at their ends.

use clap::ValueEnum;

/// A color, red first.
pub(crate) type Color = [u8; 3];

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

    /// The color of NaN, which no part of the scale has.
    pub(crate) fn missing(self) -> Color {
        if matches!(self, Self::Gray | Self::Coolwarm) { MISSING } else { [200, 200, 200] }
    }

    /// The color of a part of the scale, from 0 to 1.
    pub(crate) fn color(self, part: f64) -> Color {
        // Black is the least, and red the greatest.
        let part = if matches!(self, Self::Gray | Self::Coolwarm) { 1.0 - part } else { part };
        let color = self.gradient().eval_continuous(part.clamp(0.0, 1.0));
        [color.r, color.g, color.b]
    }
}

/// The color of NaN among grays and other colors.
pub(crate) const MISSING: Color = [255, 0, 255];

/// An end of the numbers that have colors of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    Value(f64),
    /// A percentile.
    Percent(f64),
}

impl Limit {
    /// The number, by the sorted values, of which there is one.
    pub(crate) fn of(self, sorted: &[f64]) -> f64 {
        match self {
            Self::Value(value) => value,
            Self::Percent(percent) => {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
                let place = (percent / 100.0 * sorted.len().saturating_sub(1) as f64).round() as usize;
                sorted.get(place).copied().unwrap_or(f64::NAN)
            }
        }
    }

    #[cfg(feature = "plot")]
    fn parse(text: &str) -> Option<Self> {
        let percent = text.strip_suffix('%');
        let number: f64 = percent.unwrap_or(text).trim().parse().ok().filter(|number: &f64| number.is_finite())?;
        match percent {
            Some(_) if !(0.0..=100.0).contains(&number) => None,
            Some(_) => Some(Self::Percent(number)),
            None => Some(Self::Value(number)),
        }
    }

    #[cfg(feature = "plot")]
    /// Parses both ends, such as `0,255` and `2%,98%`.
    pub(crate) fn parse_both(text: &str) -> Result<[Self; 2], String> {
        let both = text.split_once(',').and_then(|(low, high)| Some([Self::parse(low.trim())?, Self::parse(high.trim())?]));
        let is_range = |limits: &[Self; 2]| match limits {
            [Self::Value(low), Self::Value(high)] => low < high,
            [Self::Percent(low), Self::Percent(high)] => low <= high,
            _ => true,
        };
        let expected = "expected the least and the greatest number, or percentiles from 0% to 100%, as in 0,255 or 2%,98%";
        both.filter(is_range).ok_or_else(|| expected.to_owned())
    }
}

//! A plot after all of the array was read: its size is bounded by that of the picture.

use npy_core::DType;

use crate::numbers;

/// What is drawn, on whatever surface.
pub(crate) struct Figure {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Lines(Vec<Series>),
    Points(Vec<(f64, f64)>),
    /// Counts of intervals of the x axis that have the same width.
    Bars(Vec<u64>),
    Image(Raster, Option<Scale>),
}

/// Points that are joined, except at NaN.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// The range of an axis, and what is written at it.
#[derive(Clone)]
pub(crate) struct Axis {
    pub(crate) label: String,
    /// The dtype of the numbers, for times.
    pub(crate) dtype: Option<DType>,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

/// Pixels in rows from the top.
pub(crate) struct Raster {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<[u8; 3]>,
}

/// What the colors of an image mean.
pub(crate) struct Scale {
    pub(crate) map: super::build::ColorMap,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Raster {
    pub(crate) fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels.get(y.saturating_mul(self.width).saturating_add(x)).copied().unwrap_or([255; 3])
    }
}

impl Axis {
    pub(crate) fn new(label: impl Into<String>, dtype: Option<DType>, least: f64, most: f64) -> Self {
        // What is constant is in the middle.
        let (least, most) = if least < most {
            (least, most)
        } else {
            (least - 0.5_f64.max(least.abs() / 10.0), most + 0.5_f64.max(most.abs() / 10.0))
        };
        Self { label: label.into(), dtype, least, most }
    }

    /// The axis with a margin, so that nothing lies on the frame.
    pub(crate) fn with_margin(mut self) -> Self {
        let margin = (self.most / 2.0 - self.least / 2.0) * 0.08;
        (self.least, self.most) = ((self.least - margin).max(f64::MIN), (self.most + margin).min(f64::MAX));
        self
    }

    /// Whether times are written at it.
    pub(crate) fn is_time(&self) -> bool {
        self.dtype.as_ref().and_then(numbers::scalar_of).is_some_and(numbers::is_time)
    }

    /// Where a number is on the axis, from 0 to 1.
    pub(crate) fn part(&self, number: f64) -> f64 {
        // Halves, because the range of all floats exceeds a float.
        (number / 2.0 - self.least / 2.0) / (self.most / 2.0 - self.least / 2.0)
    }

    /// The numbers at which something is written, and their texts: about `count` of them.
    pub(crate) fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        let range = self.most - self.least;
        let least_step = range / count.max(1) as f64;
        if !least_step.is_finite() || least_step <= 0.0 {
            return [self.least, self.most].map(|number| (number, numbers::short(number))).into();
        }
        let seconds = self.dtype.as_ref().and_then(numbers::seconds_of_step);
        let step = match seconds {
            Some(seconds) => time_step(least_step * seconds) / seconds,
            None => nice_step(least_step),
        };
        let first = (self.least / step).ceil();
        let on_axis =
            (0..count * 2 + 2).map(|index| (first + index as f64) * step).take_while(|number| *number <= self.most + step * 1e-9);
        on_axis.map(|number| (number, self.text(number, step, seconds))).collect()
    }

    fn text(&self, number: f64, step: f64, seconds: Option<f64>) -> String {
        let Some((dtype, seconds)) = self.dtype.as_ref().zip(seconds) else {
            // Ticks that are close to each other beside their size need more digits to be told apart.
            if step > 0.0 && step < number.abs() * 1e-5 && (1e-12..1.0).contains(&step) && number.abs() < 1e15 {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 12")]
                let digits = (-step.log10().floor()) as usize;
                return format!("{number:.digits$}");
            }
            // Without the noise of 3 * 0.1.
            return numbers::short(if number.abs() < step * 1e-6 { 0.0 } else { number });
        };
        let text = numbers::text_of(dtype, number);
        let part = match step * seconds {
            days if days >= 86_400.0 => text.get(..10),
            minutes if minutes >= 60.0 => text.get(5..16),
            _ => text.get(11..),
        };
        part.unwrap_or(&text).to_owned()
    }
}

/// The least of 1, 2, 5, 10, … that is not below this.
fn nice_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * 0.999_999).unwrap_or(least)
}

/// A step in seconds at which clocks and calendars are read.
fn time_step(least: f64) -> f64 {
    const STEPS: [f64; 24] = [
        1.0,
        2.0,
        5.0,
        10.0,
        15.0,
        30.0,
        60.0,
        120.0,
        300.0,
        600.0,
        900.0,
        1800.0,
        3600.0,
        7200.0,
        10_800.0,
        21_600.0,
        43_200.0,
        86_400.0,
        172_800.0,
        432_000.0,
        864_000.0,
        2_592_000.0,
        7_776_000.0,
        15_552_000.0,
    ];
    if least < 1.0 {
        return nice_step(least);
    }
    STEPS.into_iter().find(|step| *step >= least).unwrap_or_else(|| nice_step(least / 31_557_600.0) * 31_557_600.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, count: usize) -> Vec<String> {
        axis.ticks(count).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_times_are_times() {
        assert_eq!(texts(&Axis::new("", None, -0.35, 0.42), 5), ["-0.2", "0", "0.2", "0.4"]);
        assert_eq!(texts(&Axis::new("", None, 0.0, 1e6), 4), ["0", "500000", "1000000"]);
        assert_eq!(texts(&Axis::new("", None, 5.0, 5.0), 2), ["4.5", "5", "5.5"]);
        let time = Some("<M8[s]".parse().unwrap());
        assert_eq!(texts(&Axis::new("", time.clone(), 10.0, 9000.0), 4), ["01-01T01:00", "01-01T02:00"]);
        assert_eq!(texts(&Axis::new("", time, 0.0, 3e5), 4), ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04"]);
        let all = Axis::new("", None, f64::MIN, f64::MAX);
        assert!((all.part(0.0) - 0.5).abs() < 1e-9 && all.ticks(5).len() == 2);
    }
}

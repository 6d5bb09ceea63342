//! A plot after all of the array was read: its size is bounded by that of the picture.

use npy_core::DType;

use super::wish::ColorMap;
use crate::values::float::digits_apart;
use crate::values::reals;

/// What is drawn, on whatever surface.
pub(crate) struct Figure {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) content: Content,
    /// How many values have no place on a logarithmic axis.
    pub(crate) left_out: u64,
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
    /// Equal distances are equal ratios; both ends are positive.
    is_log: bool,
}

/// Pixels in rows from the top.
pub(crate) struct Raster {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<[u8; 3]>,
}

/// What the colors of an image mean.
pub(crate) struct Scale {
    pub(crate) map: ColorMap,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Scale {
    /// The numbers at both ends, with the digits that tell them apart.
    pub(crate) fn ends(&self) -> [String; 2] {
        let digits = digits_apart(&[self.least, self.most], 6);
        [self.least, self.most].map(|number| reals::with_digits(number, digits))
    }
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
        Self { label: label.into(), dtype, least, most, is_log: false }
    }

    /// A logarithmic axis from one positive number to another.
    pub(crate) fn log(label: impl Into<String>, least: f64, most: f64) -> Self {
        let (least, most) = if least < most { (least, most) } else { (least / 2.0, most * 2.0) };
        let (least, most) = (least.max(f64::MIN_POSITIVE), most.min(f64::MAX));
        Self { label: label.into(), dtype: None, least, most, is_log: true }
    }

    /// Whether equal distances are equal ratios.
    pub(crate) fn is_log(&self) -> bool {
        self.is_log
    }

    /// The axis with a margin, so that nothing lies on the frame.
    pub(crate) fn with_margin(mut self) -> Self {
        if self.is_log {
            let factor = ((self.most.ln() - self.least.ln()) * 0.04).exp();
            (self.least, self.most) = ((self.least / factor).max(f64::MIN_POSITIVE), (self.most * factor).min(f64::MAX));
            return self;
        }
        let margin = (self.most / 2.0 - self.least / 2.0) * 0.08;
        (self.least, self.most) = ((self.least - margin).max(f64::MIN), (self.most + margin).min(f64::MAX));
        self
    }

    /// Whether times are written at it.
    pub(crate) fn is_time(&self) -> bool {
        self.dtype.as_ref().and_then(reals::scalar_of).is_some_and(reals::is_time)
    }

    /// Where a number is on the axis, from 0 to 1.
    pub(crate) fn part(&self, number: f64) -> f64 {
        if self.is_log {
            return (number.ln() - self.least.ln()) / (self.most.ln() - self.least.ln());
        }
        // Halves, because the range of all floats exceeds a float.
        (number / 2.0 - self.least / 2.0) / (self.most / 2.0 - self.least / 2.0)
    }

    /// The numbers at which something is written, and their texts: about `count` of them.
    pub(crate) fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        // Less than a decade has too few round powers.
        if self.is_log && self.decades() >= 1.0 {
            return self.log_ticks(count);
        }
        let range = self.most - self.least;
        let least_step = range / count.max(1) as f64;
        if !least_step.is_finite() || least_step <= 0.0 {
            let digits = digits_apart(&[self.least, self.most], 6);
            return [self.least, self.most].map(|number| (number, reals::with_digits(number, digits))).into();
        }
        let seconds = self.dtype.as_ref().and_then(reals::seconds_of_step);
        let step = match seconds {
            Some(seconds) => time_step(least_step * seconds) / seconds,
            None => nice_step(least_step),
        };
        let first = (self.least / step).ceil();
        let on_axis = (0..count * 2 + 2)
            .map(|index| (first + index as f64) * step)
            .take_while(|number| number.is_finite() && *number <= self.most + step * 1e-9);
        on_axis.map(|number| (number, self.text(number, step, seconds))).collect()
    }

    /// The multiples of powers of ten that a logarithmic axis marks without text.
    pub(crate) fn minor_ticks(&self) -> Vec<f64> {
        if !self.is_log || !(1.0..=12.0).contains(&self.decades()) {
            return Vec::new();
        }
        self.multiples(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1)
    }

    fn decades(&self) -> f64 {
        self.most.log10() - self.least.log10()
    }

    /// Powers of ten, some decades apart if they are many, or with 2 and 5 times them if they are few.
    fn log_ticks(&self, count: usize) -> Vec<(f64, String)> {
        let count = count.max(1) as f64;
        let factors: &[f64] = if self.decades() * 3.0 <= count { &[1.0, 2.0, 5.0] } else { &[1.0] };
        #[allow(clippy::cast_possible_truncation, reason = "at most 617 decades")]
        let stride = (self.decades() / count).ceil().max(1.0) as i32;
        let text = |number: f64| if (1e-3..1e5).contains(&number) { reals::short(number) } else { format!("{number:e}") };
        self.multiples(factors, stride).into_iter().map(|number| (number, text(number))).collect()
    }

    /// Multiples of each power of ten whose exponent is a multiple of `stride`, on the axis.
    fn multiples(&self, factors: &[f64], stride: i32) -> Vec<f64> {
        #[allow(clippy::cast_possible_truncation, reason = "the exponents of floats")]
        let exponents = [self.least, self.most].map(|number| (number.log10() / f64::from(stride)).floor() as i32);
        let powers = (exponents[0]..=exponents[1]).map(|exponent| exponent * stride);
        // The nearest float, which a product is not.
        let number = |factor: f64, power: i32| format!("{factor}e{power}").parse().unwrap_or(f64::NAN);
        let all = powers.flat_map(|power| factors.iter().map(move |factor| number(*factor, power)));
        all.filter(|number: &f64| (self.least..=self.most).contains(number)).collect()
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
            let number = if number.abs() < step * 1e-6 { 0.0 } else { number };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 6 to 17")]
            let digits = ((number.abs() / step).log10() + 2.0).clamp(6.0, 17.0) as usize;
            return reals::with_digits(number, digits);
        };
        let text = reals::text_of(dtype, number);
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

    #[test]
    fn logarithmic_axes_have_powers_of_ten() {
        assert_eq!(texts(&Axis::log("", 0.5, 2000.0), 5), ["1", "10", "100", "1000"]);
        assert_eq!(texts(&Axis::log("", 1.0, 100.0), 8), ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!(texts(&Axis::log("", 1e-12, 1e9), 7), ["1e-12", "1e-9", "1e-6", "0.001", "1", "1000", "1e6", "1e9"]);
        assert_eq!(texts(&Axis::log("", 20.0, 40.0), 4), ["20", "25", "30", "35", "40"]);
        assert_eq!(texts(&Axis::log("", 5.0, 5.0), 2), ["5", "10"]);
        let axis = Axis::log("", 1.0, 1e4);
        assert!((axis.part(100.0) - 0.5).abs() < 1e-12 && axis.minor_ticks().len() == 32);
        for (least, most) in [(f64::from_bits(1), f64::MAX), (f64::MAX, f64::MAX), (f64::from_bits(1), f64::from_bits(1))] {
            let axis = Axis::log("", least, most).with_margin();
            assert!(axis.least > 0.0 && axis.most < f64::INFINITY && axis.ticks(5).len() < 30, "{least} {most}");
        }
    }
}

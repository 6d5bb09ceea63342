//! A figure: its marks, axes, ticks and names. Its size is bounded by the size of the picture.

use super::times::{Times, nice_step};
use crate::colors::{Color, ColorMap, Raster, fitted};
use crate::values::bins::{part, widened};
use crate::values::float::digits_apart;
use crate::values::reals;

/// A figure, which the terminal and pictures draw.
pub(crate) struct Figure {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) content: Content,
    /// The number of values that a logarithmic axis leaves out.
    pub(crate) left_out: u64,
    /// What the picture does not tell.
    pub(crate) note: Option<String>,
}

/// The marks of a figure.
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

/// The color of a line, a point or a bar.
pub(crate) fn color_of(series: usize) -> Color {
    const COLORS: [Color; 8] = [
        [31, 119, 180],
        [255, 127, 14],
        [44, 160, 44],
        [214, 39, 40],
        [148, 103, 189],
        [140, 86, 75],
        [227, 119, 194],
        [23, 190, 207],
    ];
    COLORS[series % COLORS.len()]
}

impl Figure {
    /// The position of a point: parts of the axes, from the lower left corner.
    pub(crate) fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.part(x), self.y.part(y))
    }

    /// The unbroken pieces of the lines, as [positions](Self::at), each with the number of its series.
    pub(crate) fn strokes(&self) -> impl Iterator<Item = (usize, Vec<(f64, f64)>)> {
        let series = if let Content::Lines(series) = &self.content { &series[..] } else { &[] };
        series.iter().enumerate().flat_map(move |(number, series)| {
            let pieces = series.points.split(|(_, value)| value.is_nan()).filter(|piece| !piece.is_empty());
            pieces.map(move |piece| (number, piece.iter().map(|point| self.at(*point)).collect()))
        })
    }

    /// The names of the lines of a legend, none for a single line. The end of a long name tells fields apart more often than its begin.
    pub(crate) fn names(&self, most_characters: usize) -> Vec<String> {
        let shortened = |name: &String| {
            let excess = name.chars().count().saturating_sub(most_characters);
            if excess == 0 { name.clone() } else { format!("..{}", name.chars().skip(excess + 2).collect::<String>()) }
        };
        match &self.content {
            Content::Lines(series) if series.len() > 1 => series.iter().map(|series| shortened(&series.name)).collect(),
            _ => Vec::new(),
        }
    }

    /// The largest size within another in which the pixels of an image are squares. Other figures take all.
    pub(crate) fn fitted(&self, (width, height): (f64, f64)) -> (f64, f64) {
        let (columns, rows) = (self.x.most - self.x.least, self.y.most - self.y.least);
        match self.content {
            Content::Image(..) => fitted((columns, rows), (width, height)),
            _ => (width, height),
        }
    }
}

/// The entry of a legend for the lines that it does not name.
pub(crate) fn more(rest: usize) -> String {
    format!("{rest} more")
}

/// An axis: its range and its label.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "properties that an axis has or not")]
pub(crate) struct Axis {
    pub(crate) label: String,
    /// Of times: the numbers are steps from one of them.
    times: Option<Times>,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Equal distances are equal ratios; both ends are positive.
    is_log: bool,
    /// Only integers have ticks.
    is_whole: bool,
    /// The least number is on top.
    is_down: bool,
    /// It has neither ticks nor a label.
    is_bare: bool,
}

/// A mark of an axis.
pub(crate) struct Tick {
    /// The position: a part of the axis.
    pub(crate) at: f64,
    pub(crate) text: String,
}

/// The numbers that the colors of an image stand for.
pub(crate) struct Scale {
    pub(crate) map: ColorMap,
    pub(crate) axis: Axis,
    /// The color of NaN, if there is one.
    pub(crate) missing: Option<Color>,
}

impl Scale {
    /// The numbers at both ends, with the digits that tell them apart.
    pub(crate) fn ends(&self) -> [String; 2] {
        ends(self.axis.least, self.axis.most)
    }
}

fn ends(least: f64, most: f64) -> [String; 2] {
    let digits = digits_apart(&[least, most], 6);
    [least, most].map(|number| reals::with_digits(number, digits))
}

impl Axis {
    pub(crate) fn new(label: impl Into<String>, times: Option<Times>, least: f64, most: f64) -> Self {
        let [least, most] = widened(least, most);
        Self { label: label.into(), times, least, most, is_log: false, is_whole: false, is_down: false, is_bare: false }
    }

    /// A logarithmic axis from one positive number to another.
    pub(crate) fn log(label: impl Into<String>, least: f64, most: f64) -> Self {
        let [least, most] = [least, most].map(|end| end.clamp(f64::MIN_POSITIVE, f64::MAX));
        let (least, most) =
            if least < most { (least, most) } else { ((least / 2.0).max(f64::MIN_POSITIVE), (most * 2.0).min(f64::MAX)) };
        Self { is_log: true, ..Self::new(label, None, least, most) }
    }

    /// The axis with ticks at integers only.
    pub(crate) fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }

    /// The axis from the top down.
    pub(crate) fn down(self) -> Self {
        Self { is_down: true, ..self }
    }

    /// The axis without ticks and label.
    pub(crate) fn bare(self) -> Self {
        Self { is_bare: true, label: String::new(), ..self }
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
        self.times.is_some()
    }

    /// The time that is the number 0, in steps.
    pub(crate) fn origin(&self) -> i64 {
        self.times.map_or(0, |times| times.origin)
    }

    /// The position of a number: the part of the axis before it.
    pub(crate) fn part(&self, number: f64) -> f64 {
        let part = if self.is_log {
            (number.ln() - self.least.ln()) / (self.most.ln() - self.least.ln())
        } else {
            part(number, self.least, self.most)
        };
        if self.is_down { 1.0 - part } else { part }
    }

    /// About `count` ticks with texts.
    pub(crate) fn ticks(&self, count: usize) -> Vec<Tick> {
        if self.is_bare {
            return Vec::new();
        }
        // Less than a decade has too few round powers.
        let ticks = if self.is_log && self.decades() >= 1.0 { self.log_ticks(count) } else { self.even_ticks(count) };
        let shown = ticks.into_iter().filter(|(number, _)| !self.is_whole || (number - number.round()).abs() < 1e-9);
        shown.map(|(number, text)| Tick { at: self.part(number), text }).collect()
    }

    /// The positions that a logarithmic axis marks without text: multiples of powers of ten.
    pub(crate) fn minor_ticks(&self) -> Vec<f64> {
        if !self.is_log || !(1.0..=12.0).contains(&self.decades()) {
            return Vec::new();
        }
        let numbers = self.multiples(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1);
        numbers.into_iter().map(|number| self.part(number)).collect()
    }

    fn even_ticks(&self, count: usize) -> Vec<(f64, String)> {
        let least_step = (self.most - self.least) / count.max(1) as f64;
        if !least_step.is_finite() || least_step <= 0.0 {
            return [self.least, self.most].into_iter().zip(ends(self.least, self.most)).collect();
        }
        if let Some(times) = self.times {
            return times.ticks(self.least, self.most, count);
        }
        let step = nice_step(least_step);
        let first = (self.least / step).ceil();
        let on_axis = (0..count * 2 + 2)
            .map(|index| (first + index as f64) * step)
            .take_while(|number| number.is_finite() && *number <= self.most + step * 1e-9);
        on_axis.map(|number| (number, text(number, step))).collect()
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
}

fn text(number: f64, step: f64) -> String {
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
    reals::with_digits(number, digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, count: usize) -> Vec<String> {
        axis.ticks(count).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_round_and_times_are_times() {
        assert_eq!(texts(&Axis::new("", None, -0.35, 0.42), 5), ["-0.2", "0", "0.2", "0.4"]);
        assert_eq!(texts(&Axis::new("", None, 0.0, 1e6), 4), ["0", "500000", "1000000"]);
        assert_eq!(texts(&Axis::new("", None, 5.0, 5.0), 2), ["4.5", "5", "5.5"]);
        let times = Times::new(&"<M8[s]".parse().unwrap(), 10);
        assert_eq!(texts(&Axis::new("", times, 0.0, 9000.0), 4), ["1970-01-01T01:00", "02:00"]);
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

    #[test]
    fn names_are_shortened_and_images_fit() {
        let figure = |content: Content| {
            let axis = Axis::new("", None, 0.0, 2.0);
            Figure { title: String::new(), x: Axis::new("", None, 0.0, 4.0), y: axis, content, left_out: 0, note: None }
        };
        let lines = |names: &[&str]| {
            Content::Lines(names.iter().map(|name| Series { name: (*name).to_owned(), points: Vec::new() }).collect())
        };
        assert_eq!(figure(lines(&["a", "origin.magnitude"])).names(8), ["a", "..nitude"]);
        assert!(figure(lines(&["a"])).names(8).is_empty());
        assert_eq!(figure(lines(&["a"])).fitted((300.0, 100.0)), (300.0, 100.0));
        let raster = Raster { width: 4, height: 2, pixels: vec![[0; 3]; 8] };
        assert_eq!(figure(Content::Image(raster, None)).fitted((300.0, 100.0)), (200.0, 100.0));
    }

    #[test]
    fn ticks_of_indices_are_whole_and_rows_go_down() {
        let axis = Axis::new("row", None, -0.5, 1.5).whole().down();
        let ticks: Vec<(f64, String)> = axis.ticks(8).into_iter().map(|tick| (tick.at, tick.text)).collect();
        assert_eq!(ticks, [(0.75, "0".to_owned()), (0.25, "1".to_owned())]);
    }
}

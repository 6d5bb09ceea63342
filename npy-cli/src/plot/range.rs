//! The ranges of axes: of the numbers of arrays.

use npy_core::DType;

use super::figure::Axis;
use super::numbers::{Data, Horizontal, Numbers};
use super::times::Times;
use crate::failure::{Failure, Result};
use crate::values::quantity;

/// The axis of all numbers of an array or of a field of it, and how many of them it leaves out.
pub(super) fn axis_of(data: &mut Data, field: Option<&str>, (label, is_log): (&str, bool)) -> Result<(Axis, u64)> {
    let mut range = Range::new(label, is_log);
    let origin = range.join(data, field)?;
    Numbers::new(data, field)?.since(origin).for_each(|_, number| {
        range.add(number);
    })?;
    range.axis()
}

/// The axis of the horizontal values that belong to these arrays.
pub(super) fn axis_over(x: &mut Horizontal, data: &mut [Data], is_log: bool) -> Result<Axis> {
    let mut range = Range::new(&x.label(), is_log);
    let mut add = |data: &mut Data, field: Option<&str>| -> Result<()> {
        let origin = range.join(data, field)?;
        let mut numbers = Numbers::new(data, field)?.since(origin);
        let own = numbers.own_axes;
        if own > 0 || field.is_none() && numbers.shape.len() > 1 {
            let (what, shape) = (if field.is_some() { "one value in each record" } else { "one axis" }, numbers.all.shape());
            let shape = quantity::shape(if field.is_some() { &shape[shape.len() - own..] } else { &shape });
            return Err(Failure::Nameless(format!("cannot plot over values of shape {shape}: expected {what}")));
        }
        numbers.for_each(|_, number| {
            range.add(number);
        })
    };
    match x {
        Horizontal::Field(field) => {
            for data in data {
                // A part is one of y.
                let part = data.part.take();
                let added = add(data, Some(field));
                data.part = part;
                added.map_err(|failure| failure.about(data.name()))?;
            }
        }
        Horizontal::Data(data) => add(data, None).map_err(|failure| failure.about(data.name()))?,
    }
    Ok(range.axis().map_err(|failure| failure.about(&x.label()))?.0)
}

/// The range of the finite numbers on an axis.
pub(crate) struct Range {
    label: String,
    is_log: bool,
    /// The first dtype.
    first: Option<(DType, Option<Times>)>,
    least: f64,
    most: f64,
    left_out: u64,
}

impl Range {
    pub(crate) fn new(label: &str, is_log: bool) -> Self {
        Self { label: label.to_owned(), is_log, first: None, least: f64::INFINITY, most: f64::NEG_INFINITY, left_out: 0 }
    }

    /// Prepares for the numbers of an array or of a field of it. Returns the origin of times, which is that of the first one.
    /// Fails for times on a logarithmic axis, and beside others.
    pub(crate) fn join(&mut self, data: &mut Data, field: Option<&str>) -> Result<i64> {
        let dtype = Numbers::new(data, field)?.dtype;
        let times = Times::new(&dtype, 0);
        if self.is_log && times.is_some() {
            return Err(Failure::Nameless(format!("a logarithmic axis has no times: expected numbers, found {dtype}")));
        }
        match &self.first {
            None => {
                let origin = if times.is_some() { data.first_time(field)? } else { 0 };
                self.first = Some((dtype.clone(), times.map(|times| times.since(origin))));
            }
            Some((_, first)) if times == first.map(|first| first.since(0)) => {}
            Some((first, _)) => {
                return Err(Failure::Nameless(format!(
                    "an axis has times of one unit, or numbers: expected {first}, found {dtype}"
                )));
            }
        }
        Ok(self.first.as_ref().and_then(|(_, times)| *times).map_or(0, |times| times.origin))
    }

    /// Adds a number. Returns whether the axis has it.
    pub(crate) fn add(&mut self, number: f64) -> bool {
        if self.is_log && number <= 0.0 {
            self.leave_out();
            return false;
        }
        if number.is_finite() {
            (self.least, self.most) = (self.least.min(number), self.most.max(number));
        }
        number.is_finite()
    }

    /// Adds numbers, and returns the least and the greatest, if the axis has all of them. Otherwise adds none.
    pub(crate) fn add_all(&mut self, numbers: &[f64]) -> Option<(f64, f64)> {
        let (least, most) = extremes(numbers).filter(|(least, _)| !self.is_log || *least > 0.0)?;
        (self.least, self.most) = (self.least.min(least), self.most.max(most));
        Some((least, most))
    }

    /// Counts a number that another axis does not have.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// The axis, and how many numbers it leaves out. Fails if it has none.
    pub(crate) fn axis(self) -> Result<(Axis, u64)> {
        let Self { least, most, .. } = self;
        if least > most {
            let problem = match self.left_out {
                0 => "all values are NaN or infinite",
                _ => "no value is positive, as on a logarithmic axis",
            };
            return Err(Failure::Nameless(format!("there is nothing to plot: {problem}")));
        }
        if self.is_log {
            return Ok((Axis::log(self.label, least, most), self.left_out));
        }
        let times = self.first.and_then(|(_, times)| times);
        Ok((Axis::new(self.label, times, least, most), self.left_out))
    }
}

/// The least and the greatest number, if all are finite.
fn extremes(numbers: &[f64]) -> Option<(f64, f64)> {
    /// Numbers that are compared at once.
    const LANES: usize = 8;
    let (mut least, mut most) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    // Zeros, and NaN for what is not finite.
    let mut zeros = [0.0; LANES];
    let (lanes, rest) = numbers.as_chunks::<LANES>();
    for numbers in lanes {
        for (lane, number) in numbers.iter().enumerate() {
            least[lane] = if *number < least[lane] { *number } else { least[lane] };
            most[lane] = if *number > most[lane] { *number } else { most[lane] };
            zeros[lane] += number * 0.0;
        }
    }
    for number in rest {
        least[0] = least[0].min(*number);
        most[0] = most[0].max(*number);
        zeros[0] += number * 0.0;
    }
    let are_finite = !zeros.iter().sum::<f64>().is_nan();
    let range = (least.into_iter().fold(f64::INFINITY, f64::min), most.into_iter().fold(f64::NEG_INFINITY, f64::max));
    Some(range).filter(|_| are_finite && !numbers.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_those_of_finite_numbers() {
        for length in 1..40 {
            let mut numbers: Vec<f64> = (0..length).map(|index| f64::from(index * 17 % 41)).collect();
            let sorted = {
                let mut sorted = numbers.clone();
                sorted.sort_by(f64::total_cmp);
                sorted
            };
            assert_eq!(extremes(&numbers), Some((sorted[0], sorted[sorted.len() - 1])));
            for other in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let place = numbers.len() / 2;
                let number = std::mem::replace(&mut numbers[place], other);
                assert_eq!(extremes(&numbers), None);
                numbers[place] = number;
            }
        }
        assert_eq!(extremes(&[]), None);
    }
}

//! A line in bounded memory: each pixel column keeps its least and its greatest value, so that no spike is lost.

use super::figure::{Axis, Series};
use crate::values::bins::bin;

/// The fewest runs that a line may have before neighbours are joined. A line over an x that goes back and forth has many.
const FEWEST_RUNS: usize = 4096;

/// The points of a line, which come in their order.
pub(super) struct Trace {
    name: String,
    columns: usize,
    runs: Vec<Run>,
    most_runs: usize,
    /// The runs that one holds after neighbours were joined.
    weight: u32,
    gap: Option<Gap>,
}

/// Neighbouring points in one column of pixels.
#[derive(Clone, Copy)]
struct Run {
    column: usize,
    least: (f64, f64),
    most: (f64, f64),
    /// Whether the least value came first.
    rises: bool,
    /// Whether no line leads to it.
    is_apart: bool,
    weight: u32,
}

/// Values that the axes do not have.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    /// In this column, which may have others.
    At(usize),
    Wide,
}

impl Trace {
    /// One of `lines` lines of a picture of this width.
    pub(super) fn new(name: String, width: usize, lines: usize) -> Self {
        let columns = width.max(1);
        let most_runs = (200_000 / lines.max(1)).max(FEWEST_RUNS).max(columns * 2);
        Self { name, columns, runs: Vec::new(), most_runs, weight: 1, gap: None }
    }

    /// Adds a point; `None` where the vertical axis does not have it, which breaks the line.
    pub(super) fn add(&mut self, axis: &Axis, x: f64, y: Option<f64>) {
        let column = bin(axis.part(x), self.columns);
        let Some(y) = y.filter(|_| x.is_finite()) else {
            let here = if x.is_finite() { Gap::At(column) } else { Gap::Wide };
            self.gap = Some(if self.gap.is_none_or(|gap| gap == here) { here } else { Gap::Wide });
            return;
        };
        let last = self.runs.last_mut();
        let is_apart = match self.gap.take() {
            None => false,
            Some(Gap::At(gap)) => gap != column && last.as_ref().is_none_or(|last| last.column != gap),
            Some(Gap::Wide) => true,
        };
        match last {
            Some(last) if last.column == column && !is_apart => last.add((x, y)),
            // A gap within one column is not seen.
            Some(last) if last.column == column && last.weight == 1 => last.add((x, y)),
            Some(last) if last.weight < self.weight && !is_apart => {
                last.add((x, y));
                last.column = column;
                last.weight += 1;
            }
            _ => {
                self.runs.push(Run { column, least: (x, y), most: (x, y), rises: true, is_apart, weight: 1 });
                if self.runs.len() > self.most_runs {
                    self.halve();
                }
            }
        }
    }

    /// Adds numbers that the vertical axis has, over their indices from the first on, by the least and the greatest of them. Returns whether
    /// they are in one column of pixels: otherwise it adds none.
    pub(super) fn add_all(&mut self, axis: &Axis, (first, numbers): (usize, &[f64]), (least, most): (f64, f64)) -> bool {
        let x = |place: usize| (first + place) as f64;
        let column = bin(axis.part(x(0)), self.columns);
        if column != bin(axis.part(x(numbers.len().saturating_sub(1))), self.columns) {
            return false;
        }
        let is_inside = |run: &Run| run.column == column && run.least.1 <= least && run.most.1 >= most;
        if self.gap.is_none() && self.runs.last().is_some_and(is_inside) {
            return true;
        }
        let place = |is_end: &dyn Fn(f64) -> bool| numbers.iter().position(|number| is_end(*number)).unwrap_or(0);
        let (least, most) = (place(&|number| number <= least), place(&|number| number >= most));
        for place in [least.min(most), least.max(most)] {
            self.add(axis, x(place), numbers.get(place).copied());
        }
        true
    }

    /// Joins neighbours in pairs.
    fn halve(&mut self) {
        self.weight = self.weight.saturating_mul(2);
        let joined = self.runs.chunks(2).map(|pair| match *pair {
            [mut first, second] => {
                let points = if second.rises { [second.least, second.most] } else { [second.most, second.least] };
                for point in points {
                    first.add(point);
                }
                Run { column: second.column, weight: first.weight.saturating_add(second.weight), ..first }
            }
            _ => pair[0],
        });
        self.runs = joined.collect();
    }

    pub(super) fn into_series(self) -> Series {
        let mut points = Vec::with_capacity(self.runs.len() * 2);
        for (place, Run { least, most, rises, is_apart, .. }) in self.runs.into_iter().enumerate() {
            if is_apart && place > 0 {
                points.push((least.0, f64::NAN));
            }
            let (first, second) = if rises { (least, most) } else { (most, least) };
            points.push(first);
            if first != second {
                points.push(second);
            }
        }
        Series { name: self.name, points }
    }
}

impl Run {
    fn add(&mut self, point: (f64, f64)) {
        if point.1 < self.least.1 {
            (self.least, self.rises) = (point, false);
        }
        if point.1 > self.most.1 {
            (self.most, self.rises) = (point, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(numbers: &[f64], axis: &Axis, first: usize) -> Vec<(f64, f64)> {
        let mut trace = Trace::new(String::new(), 100, 1);
        for (index, number) in numbers.iter().enumerate().skip(first) {
            trace.add(axis, index as f64, Some(*number).filter(|number| number.is_finite()));
        }
        trace.into_series().points
    }

    #[test]
    fn a_spike_stays_and_nan_breaks_the_line() {
        let mut numbers = vec![0.0; 1_000_000];
        numbers[654_321] = 99.0;
        // A value that a column of pixels has beside others is no gap.
        numbers[20_005] = f64::NAN;
        let spike = points(&numbers, &Axis::new("", None, 0.0, 999_999.0), 0);
        assert!(spike.contains(&(654_321.0, 99.0)) && spike.len() < 200 && spike.iter().all(|point| !point.1.is_nan()));
        let broken = points(&[1.0, f64::NAN, 3.0], &Axis::new("", None, 0.0, 2.0), 0);
        assert!(broken.len() == 3 && broken[1].1.is_nan() && broken[2] == (2.0, 3.0), "{broken:?}");
    }

    #[test]
    fn numbers_that_are_added_at_once_give_the_same_line() {
        let mut state = 1_u32;
        for axis in [Axis::new("", None, 0.0, 9999.0), Axis::log("", 1.0, 9999.0)] {
            let (mut single, mut joined) = (Trace::new(String::new(), 100, 1), Trace::new(String::new(), 100, 1));
            for first in (1..9999).step_by(7) {
                let numbers = [(); 7].map(|()| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    f64::from(state >> 28)
                });
                let ends =
                    numbers.iter().fold((f64::MAX, f64::MIN), |(least, most), number| (least.min(*number), most.max(*number)));
                let is_gap = state % 65_536 < 4096;
                let each = (first..).zip(numbers).map(|(index, number)| (index as f64, Some(number).filter(|_| !is_gap)));
                each.clone().for_each(|(x, y)| single.add(&axis, x, y));
                if is_gap || !joined.add_all(&axis, (first, &numbers), ends) {
                    each.for_each(|(x, y)| joined.add(&axis, x, y));
                }
            }
            let bits =
                |trace: Trace| trace.into_series().points.iter().map(|(x, y)| (x.to_bits(), y.to_bits())).collect::<Vec<_>>();
            assert_eq!(bits(single), bits(joined));
        }
    }

    #[test]
    fn logarithmic_axes_keep_the_first_indices_without_gaps() {
        let numbers: Vec<f64> = (0..100_000).map(f64::from).collect();
        let found = points(&numbers, &Axis::log("", 1.0, 99_999.0), 1);
        assert_eq!(found[..3], [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]);
        assert!(found.iter().all(|(_, number)| !number.is_nan()) && found.last() == Some(&(99_999.0, 99_999.0)));
    }

    #[test]
    fn an_x_that_goes_back_and_forth_has_bounded_memory() {
        let axis = Axis::new("", None, 0.0, 1.0);
        let mut trace = Trace::new(String::new(), 100, 64);
        for step in 0..3_000_000_u32 {
            let y = if step == 1_234_567 { 9.0 } else { 0.0 };
            trace.add(&axis, f64::from(step.wrapping_mul(2_654_435_761) >> 16) / 65_536.0, Some(y));
        }
        assert!(trace.runs.len() <= trace.most_runs && trace.runs.capacity() < 4 * trace.most_runs);
        assert!(trace.into_series().points.iter().any(|point| (point.1 - 9.0).abs() < 1e-9));
    }
}

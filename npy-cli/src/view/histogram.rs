//! The distribution of one column, in two passes: the range first, then the bins.

use super::grid::Grid;
use super::scan::{Scan, Step};
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::reals;

const BINS: usize = 16;

/// A histogram that is being counted.
pub(crate) struct Histogram {
    scan: Scan,
    /// Whether this is the second pass.
    counts: bool,
    summary: Summary,
}

/// What is known of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) finite: u64,
    pub(crate) not_finite: u64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    sum: f64,
    pub(crate) bins: Vec<u64>,
}

impl Summary {
    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.finite as f64
    }

    /// The lower end of a bin.
    pub(crate) fn edge(&self, bin: usize) -> f64 {
        let part = bin as f64 / self.bins.len().max(1) as f64;
        // In this form a range of all floats does not overflow.
        self.least * (1.0 - part) + self.most * part
    }

    fn add(&mut self, numbers: &[f64], counts: bool) {
        for number in numbers {
            if !number.is_finite() {
                self.not_finite += u64::from(!counts);
            } else if counts {
                let half_range = self.most / 2.0 - self.least / 2.0;
                let part = if half_range > 0.0 { (number / 2.0 - self.least / 2.0) / half_range } else { 0.0 };
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of bins")]
                let bin = ((part * BINS as f64) as usize).min(BINS - 1);
                if let Some(count) = self.bins.get_mut(bin) {
                    *count += 1;
                }
            } else {
                (self.least, self.most) =
                    if self.finite == 0 { (*number, *number) } else { (self.least.min(*number), self.most.max(*number)) };
                self.finite += 1;
                self.sum += number;
            }
        }
    }
}

impl Histogram {
    pub(crate) fn new(grid: &Grid, column: usize) -> Result<Self> {
        if !reals::is_real(grid.dtype(column)) {
            return Err(Failure::new("no histogram of this column: expected real numbers or times"));
        }
        Ok(Self { scan: Scan::new(grid, column), counts: false, summary: Summary { bins: vec![0; BINS], ..Summary::default() } })
    }

    pub(crate) fn column(&self) -> usize {
        self.scan.column
    }

    /// Reads more; returns what is known of the column at the end.
    pub(crate) fn step(&mut self, source: &mut Source, grid: &Grid) -> Result<Step<Summary>> {
        let column = self.scan.column;
        match self.scan.next(source, grid)? {
            Some((bytes, _)) => {
                self.summary.add(&reals::numbers_of(grid.dtype(column), bytes)?, self.counts);
                Ok(Step::More(self.scan.thousandths() / 2 + if self.counts { 500 } else { 0 }))
            }
            None if self.counts || self.summary.finite == 0 => Ok(Step::Done(self.summary.clone())),
            None => {
                self.counts = true;
                self.scan = Scan::new(grid, column);
                Ok(Step::More(500))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_finite_numbers_are_in_a_bin() {
        for numbers in [vec![1.0, 2.0, f64::NAN, 17.0], vec![5.0; 3], vec![f64::MIN, 0.0, f64::MAX, f64::INFINITY]] {
            let mut summary = Summary { bins: vec![0; BINS], ..Summary::default() };
            summary.add(&numbers, false);
            summary.add(&numbers, true);
            let finite = numbers.iter().filter(|number| number.is_finite()).count() as u64;
            assert_eq!((summary.bins.iter().sum::<u64>(), summary.finite), (finite, finite), "{numbers:?}");
            assert_eq!(summary.not_finite, numbers.len() as u64 - finite);
            assert_eq!([summary.edge(0), summary.edge(BINS)].map(f64::to_bits), [summary.least, summary.most].map(f64::to_bits));
        }
    }
}

//! The distribution of one column, in two passes: the range first, then the bins.

use npy_core::DType;
use npy_core::scalar::Class;

use super::grid::Grid;
use super::order::RowOrder;
use super::scan::{Scan, Step};
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::values::bins::{WholeBins, bin, part, widened};
use crate::values::fields;
use crate::values::float::digits_apart;
use crate::values::reals::{self, with_digits};

const BINS: usize = 16;

/// A histogram that is being counted.
pub(crate) struct Histogram {
    scan: Scan,
    /// Whether this is the second pass.
    counts: bool,
    summary: Summary,
}

/// The statistics of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) finite: u64,
    pub(crate) not_finite: u64,
    pub(crate) bins: Vec<u64>,
    values: Values,
}

/// The range and the sum of the values.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    Floats {
        least: f64,
        most: f64,
        sum: f64,
    },
    /// Exact, because `f64` has the same number for many large integers.
    Whole {
        least: i128,
        most: i128,
        sum: i128,
    },
}

impl Default for Values {
    fn default() -> Self {
        Self::Floats { least: 0.0, most: 0.0, sum: 0.0 }
    }
}

impl Summary {
    /// The smallest value, the largest and the mean, and the lower ends of the bins, as text.
    pub(crate) fn texts(&self, dtype: &DType) -> ([String; 3], Vec<String>) {
        match self.values {
            Values::Floats { least, most, sum } => {
                let edges: Vec<f64> = (0..=self.bins.len()).map(|bin| self.edge(bin)).collect();
                let digits = digits_apart(&edges, 6);
                let text = |number: f64| with_digits(number, digits);
                let ends = [least, most, sum / self.finite as f64].map(text);
                (ends, edges.into_iter().take(self.bins.len()).map(text).collect())
            }
            Values::Whole { least, most, sum } => {
                let text = |number: i128| reals::whole_text(dtype, number);
                let count = i128::from(self.finite.max(1));
                let (mean, rest) = (sum.div_euclid(count), sum.rem_euclid(count));
                let is_time = fields::scalar_of(dtype).is_some_and(reals::is_time);
                // Beyond that `f64` has no fraction. A mean of times is rounded down, as in `npy stats`.
                let mean = if is_time || rest == 0 || mean.unsigned_abs() >= 1 << f64::MANTISSA_DIGITS {
                    text(mean)
                } else {
                    let mean = mean as f64 + rest as f64 / count as f64;
                    with_digits(mean, digits_apart(&[least as f64, mean, most as f64], 6))
                };
                let bins = WholeBins::new(least, most, BINS);
                ([text(least), text(most), mean], (0..self.bins.len()).map(|bin| text(bins.first(bin))).collect())
            }
        }
    }

    /// The heights of the bins: of whole numbers, of which the last bin may have fewer, not the counts themselves.
    pub(crate) fn heights(&self) -> Vec<u128> {
        let height = |(bin, count): (usize, &u64)| match self.values {
            Values::Floats { .. } => u128::from(*count),
            Values::Whole { least, most, .. } => WholeBins::new(least, most, BINS).density(bin, *count),
        };
        self.bins.iter().enumerate().map(height).collect()
    }

    /// The lower end of a bin of floats.
    fn edge(&self, bin: usize) -> f64 {
        let Values::Floats { least, most, .. } = self.values else { return f64::NAN };
        let part = bin as f64 / self.bins.len().max(1) as f64;
        // In this form a range of all floats does not overflow.
        least * (1.0 - part) + most * part
    }

    /// Adds the cells of a column to the range.
    pub(crate) fn add_cells(&mut self, dtype: &DType, bytes: &[u8]) -> Result<()> {
        match reals::whole_numbers_of(dtype, bytes)? {
            Some(numbers) => self.add_whole(&numbers),
            None => self.add(&reals::numbers_of(dtype, bytes)?),
        }
        Ok(())
    }

    /// The parts of the range before some cells; `None` for one that is not finite. Bools have a range of their own.
    pub(crate) fn parts(&self, dtype: &DType, bytes: &[u8]) -> Result<Vec<Option<f64>>> {
        if let Values::Whole { least, most, .. } = self.values {
            let is_bool = fields::scalar_of(dtype).is_some_and(|scalar| scalar.class() == Class::Bool);
            let (least, most) = if is_bool { (0, 1) } else { (least, most) };
            let [low, high] = widened(0.0, (most - least) as f64);
            let numbers = reals::whole_numbers_of(dtype, bytes)?.unwrap_or_default();
            let part_of = |number: i128| part((number - least) as f64, low, high);
            return Ok(numbers.into_iter().map(|number| number.map(part_of)).collect());
        }
        let Values::Floats { least, most, .. } = self.values else { return Ok(Vec::new()) };
        let [low, high] = widened(least, most);
        let part_of = |number: f64| number.is_finite().then(|| part(number, low, high));
        Ok(reals::numbers_of(dtype, bytes)?.into_iter().map(part_of).collect())
    }

    fn add(&mut self, numbers: &[f64]) {
        for number in numbers {
            if !number.is_finite() {
                self.not_finite += 1;
                continue;
            }
            self.values = match self.values {
                Values::Floats { least, most, sum } if self.finite > 0 => {
                    Values::Floats { least: least.min(*number), most: most.max(*number), sum: sum + number }
                }
                _ => Values::Floats { least: *number, most: *number, sum: *number },
            };
            self.finite += 1;
        }
    }

    fn add_whole(&mut self, numbers: &[Option<i128>]) {
        for number in numbers {
            let Some(number) = *number else {
                self.not_finite += 1;
                continue;
            };
            self.values = match self.values {
                Values::Whole { least, most, sum } => {
                    Values::Whole { least: least.min(number), most: most.max(number), sum: sum + number }
                }
                Values::Floats { .. } => Values::Whole { least: number, most: number, sum: number },
            };
            self.finite += 1;
        }
    }

    /// Makes the bins, when the range is known.
    fn begin_bins(&mut self) {
        let count = match self.values {
            Values::Floats { .. } => BINS,
            Values::Whole { least, most, .. } => WholeBins::new(least, most, BINS).count(),
        };
        self.bins = vec![0; count];
    }

    fn count_cells(&mut self, dtype: &DType, bytes: &[u8]) -> Result<()> {
        match reals::whole_numbers_of(dtype, bytes)? {
            Some(numbers) => self.count_whole(&numbers),
            None => self.count(&reals::numbers_of(dtype, bytes)?),
        }
        Ok(())
    }

    fn count(&mut self, numbers: &[f64]) {
        let Values::Floats { least, most, .. } = self.values else { return };
        for number in numbers.iter().filter(|number| number.is_finite()) {
            if let Some(count) = self.bins.get_mut(bin(part(*number, least, most), BINS)) {
                *count += 1;
            }
        }
    }

    fn count_whole(&mut self, numbers: &[Option<i128>]) {
        let Values::Whole { least, most, .. } = self.values else { return };
        let bins = WholeBins::new(least, most, BINS);
        // A file that changed may have others.
        for number in numbers.iter().flatten().filter(|number| (least..=most).contains(*number)) {
            if let Some(count) = bins.bin_of(*number).and_then(|bin| self.bins.get_mut(bin)) {
                *count += 1;
            }
        }
    }
}

impl Histogram {
    pub(crate) fn new(grid: &Grid, order: &RowOrder, column: usize) -> Result<Self> {
        if !reals::is_real(grid.dtype(column)) {
            return Err(Failure::new("no histogram of this column: expected real numbers or times"));
        }
        Ok(Self { scan: Scan::new(grid, order, column), counts: false, summary: Summary::default() })
    }

    pub(crate) fn column(&self) -> usize {
        self.scan.column
    }

    /// Reads more. Returns the statistics at the end.
    pub(crate) fn step(&mut self, source: &mut Source, grid: &Grid) -> Result<Step<Summary>> {
        let column = self.scan.column;
        match self.scan.next(source, grid)? {
            Some((bytes, _)) => {
                let dtype = grid.dtype(column);
                if self.counts {
                    self.summary.count_cells(dtype, &bytes)?;
                } else {
                    self.summary.add_cells(dtype, &bytes)?;
                }
                Ok(Step::More(self.scan.thousandths() / 2 + if self.counts { 500 } else { 0 }))
            }
            None if self.counts || self.summary.finite == 0 => Ok(Step::Done(self.summary.clone())),
            None => {
                self.counts = true;
                self.summary.begin_bins();
                self.scan.rewind();
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
            let mut summary = Summary::default();
            summary.add(&numbers);
            summary.begin_bins();
            summary.count(&numbers);
            let finite: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
            assert_eq!(
                (summary.bins.iter().sum::<u64>(), summary.finite),
                (finite.len() as u64, finite.len() as u64),
                "{numbers:?}"
            );
            assert_eq!(summary.not_finite, (numbers.len() - finite.len()) as u64);
            let ends = [f64::min, f64::max].map(|end| finite.iter().copied().reduce(end).unwrap());
            assert_eq!([summary.edge(0), summary.edge(BINS)].map(f64::to_bits), ends.map(f64::to_bits));
        }
    }

    #[test]
    fn labels_of_large_integers_and_close_floats_differ() {
        let large = i128::from(u64::MAX) - 99;
        let numbers: Vec<Option<i128>> = (0..100).map(|number| Some(large + number)).chain([None]).collect();
        let mut summary = Summary::default();
        summary.add_whole(&numbers);
        summary.begin_bins();
        summary.count_whole(&numbers);
        let (ends, edges) = summary.texts(&"<u8".parse().unwrap());
        assert_eq!(ends, ["18446744073709551516", "18446744073709551615", "18446744073709551565"]);
        assert_eq!(edges[..2], ["18446744073709551516", "18446744073709551523"]);
        assert!(summary.heights().iter().all(|height| *height == 7), "{:?}", summary.bins);
        let mut summary = Summary::default();
        summary.add(&[1000.0, 1000.001]);
        summary.begin_bins();
        let (_, edges) = summary.texts(&"<f8".parse().unwrap());
        assert!(edges.windows(2).all(|pair| pair[0] != pair[1]), "{edges:?}");
    }
}

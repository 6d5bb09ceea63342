//! Statistics of complex numbers: of both parts, and an order by the real part first, as NumPy has it.

use super::Budget;
use super::distinct::Distinct;
use super::floats::bits;
use super::moments::{Moments, Parts};
use super::summary::{Summary, Value};

#[derive(Clone, Debug)]
pub(super) struct Complexes {
    count: u64,
    nan: u64,
    inf: u64,
    zeros: u64,
    low: Option<(f64, f64)>,
    high: Option<(f64, f64)>,
    real: Parts,
    imaginary: Parts,
    distinct: Distinct,
}

impl Complexes {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            count: 0,
            nan: 0,
            inf: 0,
            zeros: 0,
            low: None,
            high: None,
            real: Parts::default(),
            imaginary: Parts::default(),
            distinct: Distinct::new(budget.distinct),
        }
    }

    pub(super) fn add(&mut self, block: &[(f64, f64)]) {
        self.count += block.len() as u64;
        let mut real = Vec::with_capacity(block.len());
        let mut imaginary = Vec::with_capacity(block.len());
        for value in block {
            if value.0.is_nan() || value.1.is_nan() {
                self.nan += 1;
                continue;
            }
            self.distinct.add_bytes([bits(value.0), bits(value.1)]);
            self.zeros += u64::from(*value == (0.0, 0.0));
            if self.low.is_none_or(|low| *value < low) {
                self.low = Some(*value);
            }
            if self.high.is_none_or(|high| *value > high) {
                self.high = Some(*value);
            }
            if value.0.is_infinite() || value.1.is_infinite() {
                self.inf += 1;
            }
            real.push(value.0);
            imaginary.push(value.1);
        }
        self.real.add(&moments(&real));
        self.imaginary.add(&moments(&imaginary));
    }

    pub(super) fn end_part(&mut self, part: u64) {
        self.real.end(part);
        self.imaginary.end(part);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.nan += other.nan;
        self.inf += other.inf;
        self.zeros += other.zeros;
        self.low = [self.low, other.low].into_iter().flatten().reduce(|one, other| if other < one { other } else { one });
        self.high = [self.high, other.high].into_iter().flatten().reduce(|one, other| if other > one { other } else { one });
        self.real.merge(other.real);
        self.imaginary.merge(other.imaginary);
        self.distinct.merge(&other.distinct);
    }

    pub(super) fn finish(mut self) -> Summary {
        if self.nan > 0 {
            self.distinct.add_bytes([bits(f64::NAN)]);
        }
        let value = |(real, imaginary): (f64, f64)| Value::Complex(real, imaginary);
        let mut summary = Summary {
            count: self.count,
            nan: Some(self.nan),
            inf: Some(self.inf),
            zeros: Some(self.zeros),
            min: self.low.map(value),
            max: self.high.map(value),
            distinct: Some(self.distinct.count()),
            ..Summary::default()
        };
        let (real, imaginary) = (self.real.total(), self.imaginary.total());
        if real.count > 0 {
            summary.mean = Some(Value::Complex(real.mean, imaginary.mean));
            summary.std = Some(Value::Float(real.std().hypot(imaginary.std())));
        }
        summary
    }
}

/// Infinities make the moments infinite or NaN.
fn moments(values: &[f64]) -> Moments {
    let count = values.len() as u64;
    if count == 0 {
        return Moments::default();
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    Moments { count, base: 0, mean, squares: values.iter().map(|value| (value - mean) * (value - mean)).sum() }
}

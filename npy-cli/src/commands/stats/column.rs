//! The numbers of a leaf, widened to one type: the same statistics for integers, times, floats and complex numbers.

use npy_core::scalar::Decoder;

use super::accumulator::{Accumulator, Budget, Total, downcast};
use super::number::Number;
use super::sample::Sample;
use super::summary::Summary;
use super::totals::{Totals, Values};
use crate::failure::Result;
use crate::values::fields::Leaf;

pub(super) struct Column<T> {
    leaf: Leaf,
    decoder: Decoder<T>,
    /// Decoded values; empty between two calls.
    decoded: Vec<T>,
    totals: Totals<T>,
    sample: Option<Sample<T>>,
}

impl<T: Number> Column<T> {
    /// `None` if the type does not hold the values of the leaf.
    pub(super) fn new(leaf: &Leaf, total: Total, budget: Budget) -> Option<Self> {
        let totals = Totals::new(leaf.scalar, budget.distinct);
        let sample = (T::IS_REAL && budget.sample > 0).then(|| Sample::new(total.0, budget.sample));
        Some(Self { leaf: leaf.clone(), decoder: Decoder::new(leaf.scalar)?, decoded: Vec::new(), totals, sample })
    }
}

impl<T: Number> Accumulator for Column<T> {
    fn add(&mut self, position: u64, elements: &[u8]) {
        let Self { leaf, decoder, decoded, totals, sample } = self;
        let is_time = leaf.scalar.time_unit().is_some();
        let mut position = position.saturating_mul(leaf.per_element() as u64);
        leaf.decode(elements, *decoder, decoded, |block| {
            if let Some(sample) = sample {
                sample.add(position, block, |value| !value.is_nan(is_time));
            }
            totals.add(block);
            position += block.len() as u64;
        });
    }

    fn end_part(&mut self, part: u64) {
        self.totals.end_part(part);
    }

    fn merge(&mut self, other: Box<dyn Accumulator>) {
        if let Some(other) = downcast::<Self>(other) {
            self.totals.merge(other.totals);
            if let (Some(sample), Some(other)) = (&mut self.sample, other.sample) {
                sample.merge(other);
            }
        }
    }

    fn expect_memory(&self) -> Result<()> {
        self.sample.as_ref().map_or(Ok(()), Sample::expect_memory)
    }

    fn finish(self: Box<Self>, bins: usize) -> Result<Summary> {
        let is_exact = self.sample.as_ref().is_none_or(Sample::is_exact);
        let sorted = self.sample.map_or(Ok(Vec::new()), |sample| sample.into_sorted(T::order))?;
        Ok(self.totals.summary(&Values { sorted, is_exact }, bins))
    }
}

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
    sample: Sample<T>,
}

impl<T: Number> Column<T> {
    /// `None` if the type does not hold the values of the leaf.
    pub(super) fn new(leaf: &Leaf, total: Total, budget: Budget) -> Option<Self> {
        let totals = Totals::new(leaf.scalar, budget.distinct);
        let sample = Sample::new(total.0, budget.sample);
        Some(Self { leaf: leaf.clone(), decoder: Decoder::new(leaf.scalar)?, decoded: Vec::new(), totals, sample })
    }
}

impl<T: Number> Accumulator for Column<T> {
    fn add(&mut self, position: u64, elements: &[u8]) {
        let Self { leaf, decoder, decoded, totals, sample } = self;
        let is_time = leaf.scalar.time_unit().is_some();
        let mut position = position.saturating_mul(leaf.per_element() as u64);
        leaf.decode(elements, *decoder, decoded, |block| {
            if T::IS_REAL {
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
            self.sample.merge(other.sample);
        }
    }

    fn expect_memory(&self) -> Result<()> {
        self.sample.expect_memory()
    }

    fn finish(self: Box<Self>, bins: usize) -> Result<Summary> {
        let is_exact = self.sample.is_exact();
        Ok(self.totals.summary(&Values { sorted: self.sample.into_sorted(T::order)?, is_exact }, bins))
    }
}

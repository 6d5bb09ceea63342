//! The interface of statistics that accumulate while a file is read.

use std::any::Any;

use super::summary::Summary;
use crate::failure::Result;

/// The statistics of a leaf so far.
pub(super) trait Accumulator: Any + Send {
    /// Adds whole elements, the first of which is the one at `position`.
    fn add(&mut self, position: u64, elements: &[u8]);

    /// Adds text without bytes, which is not in the file.
    fn add_empty(&mut self, _count: u64) {}

    /// Ends a part of the array: see [`super::moments::Parts`].
    fn end_part(&mut self, _part: u64) {}

    /// Adds the values of another accumulator of the same leaf.
    fn merge(&mut self, other: Box<dyn Accumulator>);

    /// Fails if there was no memory for a value.
    fn expect_memory(&self) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>, bins: usize) -> Result<Summary>;
}

/// An accumulator as its own type; `None` if it is of another.
pub(super) fn downcast<T: Accumulator>(accumulator: Box<dyn Accumulator>) -> Option<Box<T>> {
    let accumulator: Box<dyn Any> = accumulator;
    accumulator.downcast().ok()
}

/// The number of values, over which samples are spread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Total(pub(super) u64);

/// The memory of each leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Values of the sample; 0 if there is to be none.
    pub(super) sample: u64,
    /// Distinct values that are counted exactly; 0 if none are to be counted.
    pub(super) distinct: usize,
    /// Whether tables of 65,536 counts are affordable.
    pub(super) has_tables: bool,
}

impl Budget {
    /// For this number of leaves, which share 128 MiB for samples, and 16 MiB a thread for distinct values.
    pub(super) fn of(leaves: usize) -> Self {
        let leaves = leaves.max(1);
        Self {
            sample: ((1 << 24) / leaves as u64).clamp(1 << 8, 1 << 20),
            distinct: ((1 << 20) / leaves).clamp(1 << 8, 1 << 14),
            has_tables: leaves <= 32,
        }
    }

    /// Without the figures that take memory, and most of the time.
    pub(super) fn brief(self) -> Self {
        Self { sample: 0, distinct: 0, ..self }
    }
}

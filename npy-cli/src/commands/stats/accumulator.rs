//! The statistics of a leaf while the file is read: which kind of accumulator its dtype takes.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::scalar::{Class, Decoder};

use super::complexes::Complexes;
use super::floats::Floats;
use super::integers::Integers;
use super::summary::{Summary, Value};
use super::tables::Table;
use super::texts::Texts;
use super::{Budget, Total};
use crate::failure::{Failure, Result};
use crate::values::fields::{BLOCK_VALUES, Blocks, Leaf};

#[derive(Clone, Debug)]
pub(super) struct Accumulator {
    leaf: Leaf,
    itemsize: usize,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    Bytes(Table),
    /// Of bytes in their order in the file, as a little-endian number.
    Pairs(Table),
    Signed(Integers<i64>, Decoder<i64>, Vec<i64>),
    Unsigned(Integers<u64>, Decoder<u64>, Vec<u64>),
    Floats(Floats, Decoder<f64>, Vec<f64>),
    Complexes(Complexes, Decoder<(f64, f64)>, Vec<(f64, f64)>),
    Texts(Texts),
}

impl Accumulator {
    /// For a leaf of elements of this size, of which there are `total` values.
    pub(super) fn new(leaf: Leaf, itemsize: usize, total: Total, budget: Budget) -> Result<Self> {
        let scalar = leaf.scalar;
        let is_number = Decoder::<f64>::new(scalar).is_some();
        let values = match scalar.itemsize() {
            1 if is_number => Some(Values::Bytes(Table::new(1))),
            2 if is_number && budget.has_tables => Some(Values::Pairs(Table::new(2))),
            _ => Self::of_values(scalar, total, budget),
        };
        let unsupported = || Failure::Nameless(format!("unsupported dtype {scalar}: npy stats needs values of a fixed size"));
        let values = values.ok_or_else(unsupported)?;
        let mut accumulator = Self { leaf, itemsize, values };
        if scalar.itemsize() == 0
            && let Values::Texts(texts) = &mut accumulator.values
        {
            texts.add_empty(total.0);
        }
        Ok(accumulator)
    }

    /// For numbers without a table, times and text; `None` for other values.
    fn of_values(scalar: Scalar, total: Total, budget: Budget) -> Option<Values> {
        let is_time = scalar.time_unit().is_some();
        Some(match scalar.class() {
            Class::Unsigned => Values::Unsigned(Integers::new(false, total, budget), Decoder::new(scalar)?, Vec::new()),
            Class::Float => Values::Floats(Floats::new(total, budget), Decoder::new(scalar)?, Vec::new()),
            Class::Complex => Values::Complexes(Complexes::new(budget), Decoder::new(scalar)?, Vec::new()),
            Class::Bytes | Class::Unicode | Class::Void => Values::Texts(Texts::new(scalar, budget)),
            _ => Values::Signed(Integers::new(is_time, total, budget), Decoder::new(scalar)?, Vec::new()),
        })
    }

    /// The same without any values, for another thread.
    pub(super) fn fork(&self, elements: u64, budget: Budget) -> Result<Self> {
        // Values without bytes are counted already.
        let elements = if self.leaf.scalar.itemsize() == 0 { 0 } else { elements };
        let total = Total(elements.saturating_mul(self.leaf.per_element() as u64));
        Self::new(self.leaf.clone(), self.itemsize, total, budget)
    }

    /// Adds whole elements, the first of which is the one at `position`.
    pub(super) fn add(&mut self, position: u64, elements: &[u8]) {
        let per_element = self.leaf.per_element();
        let block = (BLOCK_VALUES / per_element.max(1)).max(1);
        let mut position = position.saturating_mul(per_element as u64);
        for elements in elements.chunks(block.saturating_mul(self.itemsize).max(1)) {
            self.add_block(&mut position, elements);
        }
    }

    /// Adds elements whose first value is the one at `position`, and moves it behind them.
    fn add_block(&mut self, position: &mut u64, elements: &[u8]) {
        /// Calls `each` with the position and the values of a block.
        fn placed<'p, T>(position: &'p mut u64, mut each: impl FnMut(u64, &[T]) + 'p) -> impl FnMut(&[T]) + 'p {
            move |values| {
                each(*position, values);
                *position += values.len() as u64;
            }
        }
        let (leaf, size) = (&self.leaf, self.itemsize);
        match &mut self.values {
            Values::Bytes(table) => leaf.for_each_run(elements, size, |run| table.add_bytes(run)),
            Values::Pairs(table) => {
                leaf.for_each_run(elements, size, |run| {
                    for bytes in run.as_chunks::<2>().0 {
                        table.add(u16::from_le_bytes(*bytes));
                    }
                });
            }
            Values::Signed(integers, decoder, values) => {
                let mut each = placed(position, |position, block| integers.add(position, block));
                leaf.decode(elements, size, *decoder, &mut Blocks { values, each: &mut each });
            }
            Values::Unsigned(integers, decoder, values) => {
                let mut each = placed(position, |position, block| integers.add(position, block));
                leaf.decode(elements, size, *decoder, &mut Blocks { values, each: &mut each });
            }
            Values::Floats(floats, decoder, values) => {
                let mut each = placed(position, |position, block| floats.add(position, block));
                leaf.decode(elements, size, *decoder, &mut Blocks { values, each: &mut each });
            }
            Values::Complexes(complexes, decoder, values) => {
                let mut each = |block: &[(f64, f64)]| complexes.add(block);
                leaf.decode(elements, size, *decoder, &mut Blocks { values, each: &mut each });
            }
            Values::Texts(texts) => leaf.for_each_run(elements, size, |run| texts.add(run)),
        }
    }

    /// Ends a part of the array: see [`super::moments::Parts`].
    pub(super) fn end_part(&mut self, part: u64) {
        match &mut self.values {
            Values::Signed(integers, ..) => integers.end_part(part),
            Values::Unsigned(integers, ..) => integers.end_part(part),
            Values::Floats(floats, ..) => floats.end_part(part),
            Values::Complexes(complexes, ..) => complexes.end_part(part),
            Values::Bytes(_) | Values::Pairs(_) | Values::Texts(_) => {}
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        match (&mut self.values, other.values) {
            (Values::Bytes(table), Values::Bytes(other)) | (Values::Pairs(table), Values::Pairs(other)) => table.merge(&other),
            (Values::Signed(integers, ..), Values::Signed(other, ..)) => integers.merge(other),
            (Values::Unsigned(integers, ..), Values::Unsigned(other, ..)) => integers.merge(other),
            (Values::Floats(floats, ..), Values::Floats(other, ..)) => floats.merge(other),
            (Values::Complexes(complexes, ..), Values::Complexes(other, ..)) => complexes.merge(other),
            (Values::Texts(texts), Values::Texts(other)) => texts.merge(other),
            // Both are of the same leaf.
            _ => {}
        }
    }

    /// Fails if there was no memory for a value.
    pub(super) fn expect_memory(&self) -> Result<()> {
        match &self.values {
            Values::Signed(integers, ..) => integers.expect_memory(),
            Values::Unsigned(integers, ..) => integers.expect_memory(),
            Values::Floats(floats, ..) => floats.expect_memory(),
            Values::Bytes(_) | Values::Pairs(_) | Values::Complexes(..) | Values::Texts(_) => Ok(()),
        }
    }

    /// The leaf, and what is known of it.
    pub(super) fn finish(self, bins: usize) -> Result<(Leaf, Summary)> {
        let scalar = self.leaf.scalar;
        let summary = match (self.values, scalar.kind()) {
            (Values::Bytes(table) | Values::Pairs(table), _) => of_table(&table, scalar, bins),
            (Values::Signed(integers, ..), ScalarKind::Datetime { unit, count }) => {
                let span = Scalar::new(ScalarKind::Timedelta { unit, count }, ByteOrder::NATIVE);
                integers.finish_times(bins, |time| Value::Time(time, scalar), |std| Value::Steps(std, span))?
            }
            (Values::Signed(integers, ..), ScalarKind::Timedelta { .. }) => {
                integers.finish_times(bins, |time| Value::Time(time, scalar), |std| Value::Steps(std, scalar))?
            }
            (Values::Signed(integers, ..), _) => integers.finish(bins)?,
            (Values::Unsigned(integers, ..), _) => integers.finish(bins)?,
            (Values::Floats(floats, ..), _) if scalar.itemsize() >= size_of::<f64>() => floats.finish(bins, Value::Float)?,
            (Values::Floats(floats, ..), _) => floats.finish(bins, Value::Single)?,
            (Values::Complexes(complexes, ..), _) => complexes.finish(),
            (Values::Texts(texts), _) => texts.finish(),
        };
        Ok((self.leaf, summary))
    }
}

/// The statistics of numbers of one or two bytes.
fn of_table(table: &Table, scalar: Scalar, bins: usize) -> Summary {
    match (Decoder::<i64>::new(scalar), Decoder::<f64>::new(scalar)) {
        _ if scalar.class() == Class::Bool => table.finish_bools(),
        (Some(decoder), _) => table.finish_integers(bins, |pattern| decoder.decode(&pattern.to_le_bytes()) as i32),
        (None, Some(decoder)) => table.finish_floats(bins, |pattern| decoder.decode(&pattern.to_le_bytes())),
        (None, None) => Summary::default(),
    }
}

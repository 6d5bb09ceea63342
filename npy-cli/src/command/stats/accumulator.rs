//! The statistics of a leaf while the file is read: which kind of accumulator its dtype takes.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};

use super::complexes::Complexes;
use super::floats::Floats;
use super::integers::Integers;
use super::summary::{Summary, Value};
use super::tables::Table;
use super::texts::{Kind, Texts};
use super::{Budget, Total};
use crate::failure::{Failure, Result};
use crate::fields::{BLOCK_VALUES, Blocks, Leaf};
use crate::float::{brain_float, float8_e5m2, half, long_double};

#[derive(Clone, Debug)]
pub(super) struct Accumulator {
    leaf: Leaf,
    itemsize: usize,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    Bytes(Table),
    Pairs(Table),
    Signed(Integers<i64>, Vec<i64>),
    Unsigned(Integers<u64>, Vec<u64>),
    Floats(Floats, Vec<f64>),
    Complexes(Complexes, Vec<(f64, f64)>),
    Texts(Texts),
}

impl Accumulator {
    /// For a leaf of elements of this size, of which there are `total` values.
    pub(super) fn new(leaf: Leaf, itemsize: usize, total: Total, budget: Budget) -> Result<Self> {
        use ScalarKind as Kinds;
        let scalar = leaf.scalar;
        let values = match scalar.kind() {
            Kinds::Bool | Kinds::Int8 | Kinds::UInt8 | Kinds::Float8E5M2 | Kinds::Ml(_) => Values::Bytes(Table::new(1)),
            Kinds::Int16 | Kinds::UInt16 | Kinds::Float16 if budget.has_tables => Values::Pairs(Table::new(2)),
            Kinds::Int16 | Kinds::Int32 | Kinds::Int64 => Values::Signed(Integers::new(false, total, budget), Vec::new()),
            Kinds::Datetime { .. } | Kinds::Timedelta { .. } => Values::Signed(Integers::new(true, total, budget), Vec::new()),
            Kinds::UInt16 | Kinds::UInt32 | Kinds::UInt64 => Values::Unsigned(Integers::new(false, total, budget), Vec::new()),
            Kinds::Float16 | Kinds::Float32 | Kinds::Float64 | Kinds::LongDouble { .. } => {
                Values::Floats(Floats::new(total, budget), Vec::new())
            }
            Kinds::Void { length: 2 } if scalar.byte_order().is_some() => Values::Floats(Floats::new(total, budget), Vec::new()),
            Kinds::Complex32 | Kinds::Complex64 | Kinds::Complex128 | Kinds::ComplexLongDouble { .. } => {
                Values::Complexes(Complexes::new(budget), Vec::new())
            }
            Kinds::Bytes { .. } => Values::Texts(Texts::new(Kind::Bytes, scalar.itemsize(), budget)),
            Kinds::Unicode { .. } => {
                let is_big = scalar.byte_order() == Some(ByteOrder::Big);
                Values::Texts(Texts::new(Kind::Text { is_big }, scalar.itemsize(), budget))
            }
            Kinds::Void { .. } => Values::Texts(Texts::new(Kind::Raw, scalar.itemsize(), budget)),
            _ => return Err(Failure::Nameless(format!("unsupported dtype {scalar}: npy stats needs values of a fixed size"))),
        };
        let mut accumulator = Self { leaf, itemsize, values };
        if scalar.itemsize() == 0
            && let Values::Texts(texts) = &mut accumulator.values
        {
            texts.add_empty(total.0);
        }
        Ok(accumulator)
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
                let is_big = leaf.scalar.byte_order() == Some(ByteOrder::Big);
                leaf.for_each_run(elements, size, |run| {
                    let patterns = run.as_chunks::<2>().0;
                    if is_big {
                        for bytes in patterns {
                            table.add(u16::from_be_bytes(*bytes));
                        }
                    } else {
                        for bytes in patterns {
                            table.add(u16::from_le_bytes(*bytes));
                        }
                    }
                });
            }
            Values::Signed(integers, values) => {
                let mut each = placed(position, |position, block| integers.add(position, block));
                decode_signed(leaf, elements, size, &mut Blocks { values, each: &mut each });
            }
            Values::Unsigned(integers, values) => {
                let mut each = placed(position, |position, block| integers.add(position, block));
                decode_unsigned(leaf, elements, size, &mut Blocks { values, each: &mut each });
            }
            Values::Floats(floats, values) => {
                let mut each = placed(position, |position, block| floats.add(position, block));
                decode_floats(leaf, elements, size, &mut Blocks { values, each: &mut each });
            }
            Values::Complexes(complexes, values) => {
                let mut each = |block: &[(f64, f64)]| complexes.add(block);
                decode_complexes(leaf, elements, size, &mut Blocks { values, each: &mut each });
            }
            Values::Texts(texts) => leaf.for_each_run(elements, size, |run| texts.add(run)),
        }
    }

    /// Ends a part of the array: see [`super::moments::Parts`].
    pub(super) fn end_part(&mut self, part: u64) {
        match &mut self.values {
            Values::Signed(integers, _) => integers.end_part(part),
            Values::Unsigned(integers, _) => integers.end_part(part),
            Values::Floats(floats, _) => floats.end_part(part),
            Values::Complexes(complexes, _) => complexes.end_part(part),
            Values::Bytes(_) | Values::Pairs(_) | Values::Texts(_) => {}
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        match (&mut self.values, other.values) {
            (Values::Bytes(table), Values::Bytes(other)) | (Values::Pairs(table), Values::Pairs(other)) => table.merge(&other),
            (Values::Signed(integers, _), Values::Signed(other, _)) => integers.merge(other),
            (Values::Unsigned(integers, _), Values::Unsigned(other, _)) => integers.merge(other),
            (Values::Floats(floats, _), Values::Floats(other, _)) => floats.merge(other),
            (Values::Complexes(complexes, _), Values::Complexes(other, _)) => complexes.merge(other),
            (Values::Texts(texts), Values::Texts(other)) => texts.merge(other),
            // Both are of the same leaf.
            _ => {}
        }
    }

    /// Fails if there was no memory for a value.
    pub(super) fn expect_memory(&self) -> Result<()> {
        match &self.values {
            Values::Signed(integers, _) => integers.expect_memory(),
            Values::Unsigned(integers, _) => integers.expect_memory(),
            Values::Floats(floats, _) => floats.expect_memory(),
            Values::Bytes(_) | Values::Pairs(_) | Values::Complexes(..) | Values::Texts(_) => Ok(()),
        }
    }

    /// The leaf, and what is known of it.
    pub(super) fn finish(self, bins: usize) -> Result<(Leaf, Summary)> {
        let scalar = self.leaf.scalar;
        let summary = match (self.values, scalar.kind()) {
            (Values::Bytes(table), ScalarKind::Bool) => table.finish_bools(),
            (Values::Bytes(table), ScalarKind::Int8) => table.finish_integers(bins, |pattern| i32::from(pattern as u8 as i8)),
            (Values::Bytes(table), ScalarKind::UInt8) | (Values::Pairs(table), ScalarKind::UInt16) => {
                table.finish_integers(bins, i32::from)
            }
            (Values::Bytes(table), ScalarKind::Ml(ml)) if ml.is_integer() => {
                table.finish_integers(bins, |pattern| ml.value(pattern as u8) as i32)
            }
            (Values::Bytes(table), ScalarKind::Ml(ml)) => table.finish_floats(bins, |pattern| ml.value(pattern as u8).into()),
            (Values::Bytes(table), _) => table.finish_floats(bins, |pattern| float8_e5m2(pattern as u8)),
            (Values::Pairs(table), ScalarKind::Int16) => table.finish_integers(bins, |pattern| i32::from(pattern as i16)),
            (Values::Pairs(table), _) => table.finish_floats(bins, half),
            (Values::Signed(integers, _), ScalarKind::Datetime { unit, count }) => {
                let span = Scalar::new(ScalarKind::Timedelta { unit, count }, ByteOrder::NATIVE);
                integers.finish_times(bins, |time| Value::Time(time, scalar), |std| Value::Steps(std, span))?
            }
            (Values::Signed(integers, _), ScalarKind::Timedelta { .. }) => {
                integers.finish_times(bins, |time| Value::Time(time, scalar), |std| Value::Steps(std, scalar))?
            }
            (Values::Signed(integers, _), _) => integers.finish(bins)?,
            (Values::Unsigned(integers, _), _) => integers.finish(bins)?,
            (Values::Floats(floats, _), ScalarKind::Float64 | ScalarKind::LongDouble { .. }) => {
                floats.finish(bins, Value::Float)?
            }
            (Values::Floats(floats, _), _) => floats.finish(bins, Value::Single)?,
            (Values::Complexes(complexes, _), _) => complexes.finish(),
            (Values::Texts(texts), _) => texts.finish(),
        };
        Ok((self.leaf, summary))
    }
}

fn is_big(leaf: &Leaf) -> bool {
    leaf.scalar.byte_order() == Some(ByteOrder::Big)
}

fn decode_signed(leaf: &Leaf, elements: &[u8], size: usize, values: &mut Blocks<'_, i64>) {
    match (leaf.scalar.kind(), is_big(leaf)) {
        (ScalarKind::Int16, false) => leaf.decode(elements, size, values, |bytes| i64::from(i16::from_le_bytes(bytes))),
        (ScalarKind::Int16, true) => leaf.decode(elements, size, values, |bytes| i64::from(i16::from_be_bytes(bytes))),
        (ScalarKind::Int32, false) => leaf.decode(elements, size, values, |bytes| i64::from(i32::from_le_bytes(bytes))),
        (ScalarKind::Int32, true) => leaf.decode(elements, size, values, |bytes| i64::from(i32::from_be_bytes(bytes))),
        (_, false) => leaf.decode(elements, size, values, i64::from_le_bytes),
        (_, true) => leaf.decode(elements, size, values, i64::from_be_bytes),
    }
}

fn decode_unsigned(leaf: &Leaf, elements: &[u8], size: usize, values: &mut Blocks<'_, u64>) {
    match (leaf.scalar.kind(), is_big(leaf)) {
        (ScalarKind::UInt16, false) => leaf.decode(elements, size, values, |bytes| u64::from(u16::from_le_bytes(bytes))),
        (ScalarKind::UInt16, true) => leaf.decode(elements, size, values, |bytes| u64::from(u16::from_be_bytes(bytes))),
        (ScalarKind::UInt32, false) => leaf.decode(elements, size, values, |bytes| u64::from(u32::from_le_bytes(bytes))),
        (ScalarKind::UInt32, true) => leaf.decode(elements, size, values, |bytes| u64::from(u32::from_be_bytes(bytes))),
        (_, false) => leaf.decode(elements, size, values, u64::from_le_bytes),
        (_, true) => leaf.decode(elements, size, values, u64::from_be_bytes),
    }
}

fn decode_floats(leaf: &Leaf, elements: &[u8], size: usize, values: &mut Blocks<'_, f64>) {
    match (leaf.scalar.kind(), is_big(leaf)) {
        (ScalarKind::Float64, false) => leaf.decode(elements, size, values, f64::from_le_bytes),
        (ScalarKind::Float64, true) => leaf.decode(elements, size, values, f64::from_be_bytes),
        (ScalarKind::Float32, false) => leaf.decode(elements, size, values, |bytes| f64::from(f32::from_le_bytes(bytes))),
        (ScalarKind::Float32, true) => leaf.decode(elements, size, values, |bytes| f64::from(f32::from_be_bytes(bytes))),
        (ScalarKind::Float16, false) => leaf.decode(elements, size, values, |bytes| half(u16::from_le_bytes(bytes))),
        (ScalarKind::Float16, true) => leaf.decode(elements, size, values, |bytes| half(u16::from_be_bytes(bytes))),
        (ScalarKind::LongDouble { itemsize: 12 }, is_big) => {
            leaf.decode(elements, size, values, |bytes: [u8; 12]| long_double(&bytes, is_big));
        }
        (ScalarKind::LongDouble { .. }, is_big) => {
            leaf.decode(elements, size, values, |bytes: [u8; 16]| long_double(&bytes, is_big));
        }
        (_, false) => leaf.decode(elements, size, values, |bytes| brain_float(u16::from_le_bytes(bytes))),
        (_, true) => leaf.decode(elements, size, values, |bytes| brain_float(u16::from_be_bytes(bytes))),
    }
}

fn decode_complexes(leaf: &Leaf, elements: &[u8], size: usize, values: &mut Blocks<'_, (f64, f64)>) {
    let is_big = is_big(leaf);
    match leaf.scalar.kind() {
        ScalarKind::Complex32 => {
            leaf.decode(elements, size, values, |bytes: [u8; 4]| both(&bytes, is_big, |[a, b]| half(u16::from_le_bytes([a, b]))));
        }
        ScalarKind::Complex64 => {
            leaf.decode(elements, size, values, |bytes: [u8; 8]| both(&bytes, is_big, |part| f64::from(f32::from_le_bytes(part))));
        }
        ScalarKind::Complex128 => leaf.decode(elements, size, values, |bytes: [u8; 16]| both(&bytes, is_big, f64::from_le_bytes)),
        ScalarKind::ComplexLongDouble { itemsize: 24 } => {
            leaf.decode(elements, size, values, |bytes: [u8; 24]| both(&bytes, is_big, |part: [u8; 12]| long_double(&part, false)));
        }
        _ => {
            leaf.decode(elements, size, values, |bytes: [u8; 32]| both(&bytes, is_big, |part: [u8; 16]| long_double(&part, false)));
        }
    }
}

/// Both parts of a complex number; `decode` is given little-endian bytes.
fn both<const N: usize>(bytes: &[u8], is_big: bool, decode: impl Fn([u8; N]) -> f64) -> (f64, f64) {
    let part = |bytes: Option<&[u8; N]>| {
        let mut bytes = bytes.copied().unwrap_or([0; N]);
        if is_big {
            bytes.reverse();
        }
        decode(bytes)
    };
    (part(bytes.first_chunk()), part(bytes.last_chunk()))
}

//! Statistics of text and bytes, ordered by characters or bytes.

use std::cmp::Ordering;

use npy_core::dtype::Scalar;
use npy_core::scalar::Class;

use super::accumulator::{Accumulator, Budget, downcast};
use super::distinct::Distinct;
use super::summary::{Summary, Value};
use crate::failure::Result;
use crate::values::fields::Leaf;

/// The most bytes of the least and of the greatest value that are shown.
const MOST_SHOWN: usize = 1 << 16;

pub(super) struct Texts {
    leaf: Leaf,
    scalar: Scalar,
    class: Class,
    count: u64,
    empty: u64,
    /// In characters.
    longest: usize,
    /// Without padding, and cut to [`MOST_SHOWN`]: longer values are compared by their beginnings.
    low: Option<Vec<u8>>,
    high: Option<Vec<u8>>,
    distinct: Distinct,
}

impl Texts {
    pub(super) fn new(leaf: &Leaf, budget: Budget) -> Self {
        let scalar = leaf.scalar;
        Self {
            leaf: leaf.clone(),
            scalar,
            class: scalar.class(),
            count: 0,
            empty: 0,
            longest: 0,
            low: None,
            high: None,
            distinct: Distinct::new(budget.distinct),
        }
    }

    /// Whether the values have an order.
    fn is_text(&self) -> bool {
        self.class != Class::Void
    }

    /// The order of values without padding.
    #[inline]
    fn compare(&self, one: &[u8], other: &[u8]) -> Ordering {
        match self.class {
            Class::Unicode => self.scalar.units(one).cmp(self.scalar.units(other)),
            _ => one.cmp(other),
        }
    }

    fn add_value(&mut self, value: &[u8]) {
        self.count += 1;
        self.empty += u64::from(value.is_empty());
        self.longest = self.longest.max(value.len());
        let (words, rest) = value.as_chunks::<8>();
        let last = rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte));
        self.distinct.add_bytes(words.iter().map(|word| u64::from_le_bytes(*word)).chain([last]));
        if self.is_text() {
            // One more character, which shows that the value is longer.
            let value = value.get(..MOST_SHOWN + 4).unwrap_or(value);
            if self.low.as_deref().is_none_or(|low| self.compare(value, low).is_lt()) {
                self.low = Some(value.to_vec());
            }
            if self.high.as_deref().is_none_or(|high| self.compare(value, high).is_gt()) {
                self.high = Some(value.to_vec());
            }
        }
    }
}

impl Accumulator for Texts {
    fn add(&mut self, _: u64, elements: &[u8]) {
        let (leaf, scalar) = (self.leaf.clone(), self.scalar);
        leaf.for_each_run(elements, |run| {
            for value in run.chunks_exact(scalar.itemsize().max(1)) {
                self.add_value(scalar.without_padding(value));
            }
        });
    }

    fn add_empty(&mut self, count: u64) {
        if count > 0 {
            self.count += count;
            self.empty += count;
            self.distinct.add_bytes([]);
            self.low = Some(Vec::new());
            self.high = Some(Vec::new());
        }
    }

    fn merge(&mut self, other: Box<dyn Accumulator>) {
        let Some(other) = downcast::<Self>(other) else { return };
        self.count += other.count;
        self.empty += other.empty;
        self.longest = self.longest.max(other.longest);
        let (low, high) = ([self.low.take(), other.low], [self.high.take(), other.high]);
        self.low = low.into_iter().flatten().min_by(|one, other| self.compare(one, other));
        self.high = high.into_iter().flatten().max_by(|one, other| self.compare(one, other));
        self.distinct.merge(&other.distinct);
    }

    fn finish(self: Box<Self>, _: usize) -> Result<Summary> {
        let mut summary = Summary { count: self.count, distinct: self.distinct.count(), ..Summary::default() };
        let value = |bytes: Vec<u8>| {
            let shown = bytes.get(..MOST_SHOWN).unwrap_or(&bytes);
            let rest = if bytes.len() > MOST_SHOWN { "…" } else { "" };
            match self.class {
                Class::Unicode => {
                    let characters =
                        self.scalar.units(shown).map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    Value::Text(characters.chain(rest.chars()).collect())
                }
                _ => Value::Bytes(format!("{}{rest}", shown.escape_ascii())),
            }
        };
        if self.is_text() {
            let width = if self.class == Class::Unicode { 4 } else { 1 };
            summary.empty = Some(self.empty);
            summary.longest = Some((self.longest / width) as u64);
            summary.min = self.low.map(value);
            summary.max = self.high.map(value);
        }
        Ok(summary)
    }
}

//! Statistics of text and bytes: their order is that of the characters or bytes.

use std::cmp::Ordering;

use npy_core::dtype::Scalar;
use npy_core::scalar::Class;

use super::Budget;
use super::distinct::Distinct;
use super::summary::{Summary, Text, Value};

/// The most bytes of the least and of the greatest value that are shown.
const MOST_SHOWN: usize = 1 << 16;

#[derive(Clone, Debug)]
pub(super) struct Texts {
    scalar: Scalar,
    class: Class,
    count: u64,
    empty: u64,
    /// In characters.
    longest: usize,
    /// Without padding; the beginning alone of what is longer than [`MOST_SHOWN`], by which they are compared.
    low: Option<Vec<u8>>,
    high: Option<Vec<u8>>,
    distinct: Distinct,
}

impl Texts {
    pub(super) fn new(scalar: Scalar, budget: Budget) -> Self {
        Self {
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

    /// Adds values of no bytes, which are not in the file at all.
    pub(super) fn add_empty(&mut self, count: u64) {
        if count > 0 {
            self.count += count;
            self.empty += count;
            self.distinct.add_bytes([]);
            self.low = Some(Vec::new());
            self.high = Some(Vec::new());
        }
    }

    pub(super) fn add(&mut self, run: &[u8]) {
        for value in run.chunks_exact(self.scalar.itemsize().max(1)) {
            self.add_value(self.scalar.without_padding(value));
        }
    }

    /// Whether the values have an order.
    fn is_text(&self) -> bool {
        self.class != Class::Void
    }

    /// The order of values without padding.
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

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.empty += other.empty;
        self.longest = self.longest.max(other.longest);
        let (low, high) = ([self.low.take(), other.low], [self.high.take(), other.high]);
        self.low = low.into_iter().flatten().min_by(|one, other| self.compare(one, other));
        self.high = high.into_iter().flatten().max_by(|one, other| self.compare(one, other));
        self.distinct.merge(&other.distinct);
    }

    pub(super) fn finish(self) -> Summary {
        let mut summary = Summary { count: self.count, distinct: Some(self.distinct.count()), ..Summary::default() };
        let value = |mut bytes: Vec<u8>| {
            let is_cut = bytes.len() > MOST_SHOWN;
            bytes.truncate(MOST_SHOWN);
            match self.class {
                Class::Unicode => Value::Text(Text { bytes, scalar: self.scalar, is_cut }),
                _ => Value::Bytes(bytes, is_cut),
            }
        };
        if self.is_text() {
            let width = if self.class == Class::Unicode { 4 } else { 1 };
            summary.empty = Some(self.empty);
            summary.longest = Some((self.longest / width) as u64);
            summary.min = self.low.map(value);
            summary.max = self.high.map(value);
        }
        summary
    }
}

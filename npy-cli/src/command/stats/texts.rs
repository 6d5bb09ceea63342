//! Statistics of text and bytes: their order is that of the characters or bytes.

use std::cmp::Ordering;

use super::Budget;
use super::distinct::Distinct;
use super::summary::{Summary, Text, Value, codes};

/// The most bytes of the least and of the greatest value that are shown.
const MOST_SHOWN: usize = 1 << 16;

/// Text, bytes or raw bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of 4 bytes a character.
    Text {
        is_big: bool,
    },
    Bytes,
    /// Without an order, and without padding.
    Raw,
}

#[derive(Clone, Debug)]
pub(super) struct Texts {
    kind: Kind,
    size: usize,
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
    pub(super) fn new(kind: Kind, size: usize, budget: Budget) -> Self {
        Self { kind, size, count: 0, empty: 0, longest: 0, low: None, high: None, distinct: Distinct::new(budget.distinct) }
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
        for value in run.chunks_exact(self.size.max(1)) {
            match self.kind {
                Kind::Raw => self.add_value(value),
                Kind::Bytes => self.add_value(trimmed(value, 1)),
                Kind::Text { .. } => self.add_value(trimmed(value, 4)),
            }
        }
    }

    fn add_value(&mut self, value: &[u8]) {
        self.count += 1;
        self.empty += u64::from(value.is_empty());
        self.longest = self.longest.max(value.len());
        let (words, rest) = value.as_chunks::<8>();
        let last = rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte));
        self.distinct.add_bytes(words.iter().map(|word| u64::from_le_bytes(*word)).chain([last]));
        if self.kind != Kind::Raw {
            // One more character, which shows that the value is longer.
            let value = value.get(..MOST_SHOWN + 4).unwrap_or(value);
            if self.low.as_deref().is_none_or(|low| self.kind.compare(value, low).is_lt()) {
                self.low = Some(value.to_vec());
            }
            if self.high.as_deref().is_none_or(|high| self.kind.compare(value, high).is_gt()) {
                self.high = Some(value.to_vec());
            }
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.empty += other.empty;
        self.longest = self.longest.max(other.longest);
        let kind = self.kind;
        self.low = [self.low.take(), other.low].into_iter().flatten().min_by(|one, other| kind.compare(one, other));
        self.high = [self.high.take(), other.high].into_iter().flatten().max_by(|one, other| kind.compare(one, other));
        self.distinct.merge(&other.distinct);
    }

    pub(super) fn finish(self) -> Summary {
        let mut summary = Summary { count: self.count, distinct: Some(self.distinct.count()), ..Summary::default() };
        let value = |mut bytes: Vec<u8>| {
            let is_cut = bytes.len() > MOST_SHOWN;
            bytes.truncate(MOST_SHOWN);
            match self.kind {
                Kind::Text { is_big } => Value::Text(Text { bytes, is_big, is_cut }),
                Kind::Bytes | Kind::Raw => Value::Bytes(bytes, is_cut),
            }
        };
        if self.kind != Kind::Raw {
            let width = if matches!(self.kind, Kind::Text { .. }) { 4 } else { 1 };
            summary.empty = Some(self.empty);
            summary.longest = Some((self.longest / width) as u64);
            summary.min = self.low.map(value);
            summary.max = self.high.map(value);
        }
        summary
    }
}

/// The value without its padding: zero characters at the end.
fn trimmed(value: &[u8], width: usize) -> &[u8] {
    let padding = value.rchunks_exact(width).take_while(|character| character.iter().all(|byte| *byte == 0)).count();
    value.get(..value.len() - padding * width).unwrap_or(value)
}

impl Kind {
    /// The order of values without padding.
    fn compare(self, one: &[u8], other: &[u8]) -> Ordering {
        match self {
            Self::Text { is_big } => codes(one, is_big).cmp(codes(other, is_big)),
            Self::Bytes | Self::Raw => one.cmp(other),
        }
    }
}

//! Statistics of text and bytes: their order is that of the characters or bytes.

use super::Budget;
use super::distinct::Distinct;
use super::summary::{Summary, Value};

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
    /// Without padding; of text, each character as 4 bytes, the highest one first.
    low: Option<Vec<u8>>,
    high: Option<Vec<u8>>,
    distinct: Distinct,
    /// The characters of a text in big-endian order.
    buffer: Vec<u8>,
}

impl Texts {
    pub(super) fn new(kind: Kind, size: usize, budget: Budget) -> Self {
        Self {
            kind,
            size,
            count: 0,
            empty: 0,
            longest: 0,
            low: None,
            high: None,
            distinct: Distinct::new(budget.distinct),
            buffer: Vec::new(),
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
        let mut buffer = std::mem::take(&mut self.buffer);
        for value in run.chunks_exact(self.size.max(1)) {
            match self.kind {
                Kind::Raw => self.add_value(value),
                Kind::Bytes => self.add_value(trimmed(value, 1)),
                Kind::Text { is_big: true } => self.add_value(trimmed(value, 4)),
                Kind::Text { is_big: false } => {
                    buffer.clear();
                    buffer.extend(value.as_chunks::<4>().0.iter().flat_map(|[a, b, c, d]| [*d, *c, *b, *a]));
                    self.add_value(trimmed(&buffer, 4));
                }
            }
        }
        self.buffer = buffer;
    }

    fn add_value(&mut self, value: &[u8]) {
        self.count += 1;
        self.empty += u64::from(value.is_empty());
        self.longest = self.longest.max(value.len());
        let (words, rest) = value.as_chunks::<8>();
        let last = rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte));
        self.distinct.add_bytes(words.iter().map(|word| u64::from_le_bytes(*word)).chain([last]));
        if self.kind != Kind::Raw {
            if self.low.as_deref().is_none_or(|low| value < low) {
                self.low = Some(value.to_vec());
            }
            if self.high.as_deref().is_none_or(|high| value > high) {
                self.high = Some(value.to_vec());
            }
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.empty += other.empty;
        self.longest = self.longest.max(other.longest);
        self.low = [self.low.take(), other.low].into_iter().flatten().min();
        self.high = [self.high.take(), other.high].into_iter().flatten().max();
        self.distinct.merge(&other.distinct);
    }

    pub(super) fn finish(self) -> Summary {
        let mut summary = Summary { count: self.count, distinct: Some(self.distinct.count()), ..Summary::default() };
        let value = |bytes: Vec<u8>| match self.kind {
            Kind::Text { .. } => Value::Text(text(&bytes)),
            Kind::Bytes | Kind::Raw => Value::Bytes(bytes),
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

/// Characters that Unicode does not have are replaced.
fn text(bytes: &[u8]) -> String {
    let characters = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_be_bytes(*bytes));
    characters.map(|character| char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

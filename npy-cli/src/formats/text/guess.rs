//! The dtype of a column, by its values.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind, TimeUnit};
use npy_core::scalar::Class;

use super::slot::{parse_bool, split_complex};
use super::time;
use crate::values::units::finer;

/// The types that the values of a column can have. Each value rules some out.
///
/// There is one for each column of a file, of which some have a million: it takes 16 bytes.
#[derive(Clone, Debug)]
pub(crate) struct Guess {
    /// The widest integer that a float has to hold.
    largest: u64,
    /// The most characters of text.
    width: u32,
    facts: Facts,
    unit: TimeUnit,
}

/// A set of facts, one in each bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts(u16);

impl Facts {
    /// Types that all values can have.
    const CAN_BOOL: Self = Self(1);
    const CAN_INT: Self = Self(1 << 1);
    const CAN_FLOAT: Self = Self(1 << 2);
    const CAN_COMPLEX: Self = Self(1 << 3);
    const CAN_TIME: Self = Self(1 << 4);
    const CAN_ALL: Self = Self::CAN_BOOL.and(Self::CAN_INT).and(Self::CAN_FLOAT).and(Self::CAN_COMPLEX).and(Self::CAN_TIME);
    const BLANK: Self = Self(1 << 5);
    const MISSING: Self = Self(1 << 6);
    const NEGATIVE: Self = Self(1 << 7);
    /// Whether an integer exceeds `i64`.
    const UNSIGNED: Self = Self(1 << 8);
    /// Of JSON, where numbers are not text.
    const NUMBER: Self = Self(1 << 9);
    const BOOL: Self = Self(1 << 10);
    const TEXT: Self = Self(1 << 11);
    const INTEGER: Self = Self(1 << 12);
    /// Whether all are numbers, but one begins with a 0, as identifiers do.
    const LEADING_ZERO: Self = Self(1 << 13);
    /// Whether all are numbers, but one has a decimal comma among points or a point among commas.
    const OTHER_DECIMAL: Self = Self(1 << 14);

    /// Whether all of these hold.
    fn has(self, facts: Self) -> bool {
        self.0 & facts.0 == facts.0
    }

    fn add(&mut self, facts: Self) {
        self.0 |= facts.0;
    }

    fn add_if(&mut self, is_so: bool, facts: Self) {
        if is_so {
            self.add(facts);
        }
    }

    fn remove(&mut self, facts: Self) {
        self.0 &= !facts.0;
    }

    fn remove_if(&mut self, is_so: bool, facts: Self) {
        if is_so {
            self.remove(facts);
        }
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Guess {
    pub(crate) fn new() -> Self {
        Self { largest: 0, width: 0, facts: Facts::CAN_ALL.and(Facts::BLANK), unit: TimeUnit::Day }
    }

    fn has(&self, facts: Facts) -> bool {
        self.facts.has(facts)
    }

    /// Adds a cell of CSV that is a word for what is missing. It is text if the others are.
    pub(crate) fn add_missing_word(&mut self, word: &str) {
        self.facts.add(Facts::MISSING);
        self.add_width(word);
    }

    /// Adds a cell of CSV.
    pub(crate) fn add_cell(&mut self, cell: &str) {
        let text = cell.trim_matches([' ', '\t']);
        if text.is_empty() {
            self.add_width(cell);
            self.facts.add(Facts::MISSING);
            return;
        }
        self.facts.remove(Facts::BLANK);
        self.add_width(cell);
        self.facts.remove_if(self.has(Facts::CAN_BOOL) && parse_bool(text).is_none(), Facts::CAN_BOOL);
        let is_parsed = self.has(Facts::CAN_INT) || !self.has(Facts::INTEGER);
        let integer = if is_parsed { parse_integer(text) } else { None };
        self.facts.add_if(integer.is_some(), Facts::INTEGER);
        // An integer has no negative zero.
        match integer.filter(|_| self.has(Facts::CAN_INT) && text != "-0") {
            Some(value) => self.note_int(value),
            None => self.facts.remove(Facts::CAN_INT),
        }
        if integer.is_none() && self.is_nearly_number() && text.parse::<f64>().is_err() {
            self.facts.remove(Facts::CAN_FLOAT.and(Facts::LEADING_ZERO).and(Facts::OTHER_DECIMAL));
        }
        if self.has(Facts::CAN_FLOAT) && has_leading_zero(text) {
            self.facts.remove(Facts::CAN_INT.and(Facts::CAN_FLOAT).and(Facts::CAN_COMPLEX));
            self.facts.add(Facts::LEADING_ZERO);
        }
        if self.has(Facts::CAN_COMPLEX) && !self.has(Facts::CAN_FLOAT) && split_complex(text).is_none() {
            self.facts.remove(Facts::CAN_COMPLEX);
        }
        if self.has(Facts::CAN_TIME) {
            self.add_time(text);
        }
    }

    /// Adds a cell of CSV that would be a number with the other decimal sign.
    pub(crate) fn add_other_decimal(&mut self, cell: &str) {
        self.facts.add_if(self.is_blank() || self.is_nearly_number(), Facts::OTHER_DECIMAL);
        self.facts.remove(Facts::CAN_ALL.and(Facts::BLANK).and(Facts::LEADING_ZERO));
        self.add_width(cell);
    }

    /// Whether all values are numbers, but for how one of them is written.
    fn is_nearly_number(&self) -> bool {
        self.has(Facts::CAN_FLOAT) || self.has(Facts::LEADING_ZERO) || self.has(Facts::OTHER_DECIMAL)
    }

    /// Adds a string of JSON.
    pub(crate) fn add_text(&mut self, text: &str) {
        if matches!(text, "NaN" | "Infinity" | "-Infinity") {
            self.facts.remove(Facts::CAN_BOOL.and(Facts::CAN_INT).and(Facts::CAN_TIME));
        } else {
            self.facts.remove(Facts::CAN_BOOL.and(Facts::CAN_INT).and(Facts::CAN_FLOAT));
            if self.has(Facts::CAN_TIME) {
                self.add_time(text);
            }
        }
        self.facts.remove(Facts::CAN_COMPLEX.and(Facts::BLANK));
        self.facts.add(Facts::TEXT);
        self.add_width(text);
    }

    /// Adds a whole number of JSON.
    pub(crate) fn add_int(&mut self, value: i128) {
        self.add_scalar();
        self.facts.remove(Facts::CAN_BOOL);
        self.facts.add(Facts::NUMBER);
        self.note_int(value);
    }

    /// Adds a number of JSON.
    pub(crate) fn add_float(&mut self) {
        self.add_scalar();
        self.facts.remove(Facts::CAN_BOOL.and(Facts::CAN_INT));
        self.facts.add(Facts::NUMBER);
    }

    pub(crate) fn add_bool(&mut self) {
        self.add_scalar();
        self.facts.remove(Facts::CAN_INT.and(Facts::CAN_FLOAT));
        self.facts.add(Facts::BOOL);
    }

    /// Adds a null.
    pub(crate) fn add_missing(&mut self) {
        self.facts.add(Facts::MISSING);
    }

    /// Rules out text, for other values of JSON.
    fn add_scalar(&mut self) {
        self.facts.remove(Facts::CAN_TIME.and(Facts::CAN_COMPLEX).and(Facts::BLANK));
    }

    /// Whether no value was added but what is missing.
    pub(crate) fn is_blank(&self) -> bool {
        self.has(Facts::BLANK)
    }

    pub(crate) fn has_missing(&self) -> bool {
        self.has(Facts::MISSING)
    }

    /// Whether a number of JSON is not an integer of 64 bits, so that its digits count.
    pub(crate) fn has_fraction(&self) -> bool {
        self.has(Facts::NUMBER) && !self.has(Facts::CAN_INT)
    }

    /// The kinds of values that JSON has in one place, as a message names them.
    pub(crate) fn kinds(&self) -> String {
        let mut kinds = Vec::new();
        for (fact, name) in [(Facts::TEXT, "text"), (Facts::BOOL, "bools"), (Facts::NUMBER, "numbers")] {
            if self.has(fact) {
                kinds.push(name);
            }
        }
        if kinds.len() < 2 && self.has(Facts::MISSING) {
            kinds.push("nulls");
        }
        match kinds.split_last() {
            Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            _ => kinds.concat(),
        }
    }

    /// Whether a column is text only since a number of it begins with a 0.
    pub(crate) fn has_leading_zero(&self) -> bool {
        self.has(Facts::LEADING_ZERO) && self.is_text()
    }

    /// Whether a column is text only since a number of it has the other decimal sign.
    pub(crate) fn has_other_decimal(&self) -> bool {
        self.has(Facts::OTHER_DECIMAL)
    }

    /// Whether the values are numbers, none of them written as an integer.
    pub(crate) fn is_fraction(&self) -> bool {
        !self.has(Facts::INTEGER) && !self.is_blank() && self.number() == Some(ScalarKind::Float64)
    }

    /// Whether the values are text.
    pub(crate) fn is_text(&self) -> bool {
        self.scalar().is_some_and(|scalar| scalar.class() == Class::Unicode)
    }

    fn note_int(&mut self, value: i128) {
        self.facts.add_if(value < 0, Facts::NEGATIVE);
        self.facts.add_if(value > i128::from(i64::MAX), Facts::UNSIGNED);
        self.largest = self.largest.max(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX));
    }

    fn add_width(&mut self, text: &str) {
        // Bytes are an upper limit, which most texts do not reach.
        if text.len() > self.width as usize {
            self.width = self.width.max(u32::try_from(text.chars().count()).unwrap_or(u32::MAX));
        }
    }

    fn add_time(&mut self, text: &str) {
        match time::parse(text) {
            Some(time) if !matches!(time.unit, TimeUnit::Year | TimeUnit::Month) => self.unit = finer(self.unit, time.unit),
            _ if text == "NaT" => {}
            _ => self.facts.remove(Facts::CAN_TIME),
        }
    }

    /// Whether the values are numbers or bools, and which.
    pub(crate) fn number(&self) -> Option<ScalarKind> {
        Some(self.scalar()?.kind()).filter(|kind| {
            matches!(kind, ScalarKind::Bool | ScalarKind::Int64 | ScalarKind::UInt64 | ScalarKind::Float64 | ScalarKind::Complex128)
        })
    }

    /// The dtype that holds all values; `None` for text and numbers in the same column of JSON.
    pub(crate) fn scalar(&self) -> Option<Scalar> {
        let (can_int, can_float) = (self.has(Facts::CAN_INT), self.has(Facts::CAN_FLOAT));
        let has_both_ends = self.has(Facts::UNSIGNED.and(Facts::NEGATIVE));
        let kind = if self.is_blank() {
            ScalarKind::Float64
        } else if self.has(Facts::CAN_BOOL) && !self.has_missing() {
            ScalarKind::Bool
        } else if can_int && !self.has_missing() && !has_both_ends {
            if self.has(Facts::UNSIGNED) { ScalarKind::UInt64 } else { ScalarKind::Int64 }
        } else if can_float && (!can_int || self.largest <= 1 << 53 || has_both_ends || self.has(Facts::NUMBER)) {
            // Whole numbers that it would round are refused by the slot, which knows their place.
            ScalarKind::Float64
        } else if self.has(Facts::CAN_TIME) {
            ScalarKind::Datetime { unit: self.unit, count: 1 }
        } else if self.has(Facts::CAN_COMPLEX) && !can_float {
            ScalarKind::Complex128
        } else if self.has(Facts::NUMBER) || self.has(Facts::BOOL) {
            return None;
        } else {
            ScalarKind::Unicode { length: self.width.max(1) as usize }
        };
        Some(Scalar::new(kind, ByteOrder::Little))
    }
}

/// An integer of 64 bits with or without a sign.
fn parse_integer(text: &str) -> Option<i128> {
    text.parse::<i64>().map(i128::from).or_else(|_| text.parse::<u64>().map(i128::from)).ok()
}

/// Whether a digit follows a 0 at the beginning, as in `007` or `-00.5`.
fn has_leading_zero(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text).as_bytes();
    matches!(digits, [b'0', b'0'..=b'9', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(cells: &[&str]) -> String {
        let mut guess = Guess::new();
        for cell in cells {
            guess.add_cell(cell);
        }
        guess.scalar().unwrap().to_string()
    }

    #[test]
    fn a_column_takes_16_bytes() {
        assert_eq!(size_of::<Guess>(), 16);
    }

    #[test]
    fn finds_the_narrowest_kind() {
        for (cells, expected) in [
            (&["1", "-2"][..], "<i8"),
            (&["1", ""], "<f8"),
            (&["18446744073709551615", "1"], "<u8"),
            (&["1", "2.5", "nan", "-inf"], "<f8"),
            (&["True", "False"], "|b1"),
            (&["True", ""], "<U4"),
            (&["True", "1"], "<U4"),
            (&["2024-02-29", "2024-02-29T12:30:00.5"], "<M8[ms]"),
            (&["2024-02-29", "", "NaT"], "<M8[D]"),
            (&["(1+2j)", "3j", "4"], "<c16"),
            (&["é", "ab"], "<U2"),
            (&["1", "x"], "<U1"),
            (&["9007199254740993", ""], "<U16"),
            (&["007", "12"], "<U3"),
            (&["12", "-00.5"], "<U5"),
            (&["0", "0.5", "0e5"], "<f8"),
            (&["-0", "1"], "<f8"),
            (&["", ""], "<f8"),
            (&[], "<f8"),
        ] {
            assert_eq!(guess(cells), expected, "{cells:?}");
        }
    }
}

//! The dtype of a column, by its values.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind, TimeUnit};

use super::parse::{parse_bool, split_complex};
use super::time;
use crate::units::finer;

/// What the values of a column can be; each value rules something out.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Guess {
    can: Kinds,
    is_blank: bool,
    has_missing: bool,
    has_negative: bool,
    /// Whether an integer exceeds `i64`.
    is_unsigned: bool,
    /// The widest integer that a float has to hold.
    largest: u64,
    unit: TimeUnit,
    /// The most characters of text.
    width: usize,
    /// Of JSON, where numbers are not text.
    has_number: bool,
    has_bool: bool,
    has_text: bool,
    has_integer: bool,
    /// Whether all are numbers, but one begins with a 0, as identifiers do.
    has_leading_zero: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of kinds")]
struct Kinds {
    bool: bool,
    int: bool,
    float: bool,
    complex: bool,
    time: bool,
}

impl Guess {
    pub(super) fn new() -> Self {
        Self {
            can: Kinds { bool: true, int: true, float: true, complex: true, time: true },
            is_blank: true,
            has_missing: false,
            has_negative: false,
            is_unsigned: false,
            largest: 0,
            unit: TimeUnit::Day,
            width: 0,
            has_number: false,
            has_bool: false,
            has_text: false,
            has_integer: false,
            has_leading_zero: false,
        }
    }

    /// The guess by one cell of CSV.
    pub(super) fn of(cell: &str) -> Self {
        let mut guess = Self::new();
        guess.add_cell(cell);
        guess
    }

    /// Adds a cell of CSV that is a word for what is missing. It is text if the others are.
    pub(super) fn add_missing_word(&mut self, word: &str) {
        self.has_missing = true;
        self.add_width(word);
    }

    /// Adds a cell of CSV.
    pub(super) fn add_cell(&mut self, cell: &str) {
        let text = cell.trim_matches([' ', '\t']);
        if text.is_empty() {
            self.width = self.width.max(cell.len());
            self.has_missing = true;
            return;
        }
        self.is_blank = false;
        self.add_width(cell);
        self.can.bool = self.can.bool && parse_bool(text).is_some();
        let integer = if self.can.int || !self.has_integer { parse_integer(text) } else { None };
        self.has_integer |= integer.is_some();
        // An integer has no negative zero.
        match integer.filter(|_| self.can.int && text != "-0") {
            Some(value) => self.note_int(value),
            None => self.can.int = false,
        }
        if integer.is_none() && (self.can.float || self.has_leading_zero) && text.parse::<f64>().is_err() {
            (self.can.float, self.has_leading_zero) = (false, false);
        }
        if self.can.float && has_leading_zero(text) {
            (self.can.int, self.can.float, self.can.complex) = (false, false, false);
            self.has_leading_zero = true;
        }
        let can = &mut self.can;
        can.complex = can.complex && (can.float || split_complex(text).is_some());
        if can.time {
            self.add_time(text);
        }
    }

    /// Adds a string of JSON.
    pub(super) fn add_text(&mut self, text: &str) {
        if matches!(text, "NaN" | "Infinity" | "-Infinity") {
            (self.can.bool, self.can.int, self.can.time) = (false, false, false);
        } else {
            (self.can.bool, self.can.int, self.can.float) = (false, false, false);
            if self.can.time {
                self.add_time(text);
            }
        }
        self.can.complex = false;
        (self.is_blank, self.has_text) = (false, true);
        self.add_width(text);
    }

    /// Adds a whole number of JSON.
    pub(super) fn add_int(&mut self, value: i128) {
        self.add_scalar();
        (self.can.bool, self.has_number) = (false, true);
        self.note_int(value);
    }

    /// Adds a number of JSON.
    pub(super) fn add_float(&mut self) {
        self.add_scalar();
        (self.can.bool, self.can.int, self.has_number) = (false, false, true);
    }

    pub(super) fn add_bool(&mut self) {
        self.add_scalar();
        (self.can.int, self.can.float, self.has_bool) = (false, false, true);
    }

    /// Adds a null.
    pub(super) fn add_missing(&mut self) {
        self.has_missing = true;
    }

    /// What is not text in JSON.
    fn add_scalar(&mut self) {
        (self.can.time, self.can.complex) = (false, false);
        self.is_blank = false;
    }

    /// Whether no value was added but what is missing.
    pub(super) fn is_blank(&self) -> bool {
        self.is_blank
    }

    pub(super) fn has_missing(&self) -> bool {
        self.has_missing
    }

    /// Whether a number of JSON is not an integer of 64 bits, so that its digits count.
    pub(super) fn has_fraction(&self) -> bool {
        self.has_number && !self.can.int
    }

    /// The kinds of values that JSON has in one place, as a message names them.
    pub(super) fn kinds(&self) -> String {
        let mut kinds = Vec::new();
        for (has, name) in [(self.has_text, "text"), (self.has_bool, "bools"), (self.has_number, "numbers")] {
            if has {
                kinds.push(name);
            }
        }
        if kinds.len() < 2 && self.has_missing {
            kinds.push("nulls");
        }
        match kinds.split_last() {
            Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            _ => kinds.concat(),
        }
    }

    /// Whether a column is text only since a number of it begins with a 0.
    pub(super) fn has_leading_zero(&self) -> bool {
        self.has_leading_zero && self.is_text()
    }

    /// Whether the values are numbers, none of them written as an integer.
    pub(super) fn is_fraction(&self) -> bool {
        !self.has_integer && !self.is_blank && self.number() == Some(ScalarKind::Float64)
    }

    /// Whether the values are text.
    pub(super) fn is_text(&self) -> bool {
        self.scalar().is_some_and(|scalar| matches!(scalar.kind(), ScalarKind::Unicode { .. }))
    }

    fn note_int(&mut self, value: i128) {
        self.has_negative |= value < 0;
        self.is_unsigned |= value > i128::from(i64::MAX);
        self.largest = self.largest.max(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX));
    }

    fn add_width(&mut self, text: &str) {
        // Bytes are an upper limit, which most texts do not reach.
        if text.len() > self.width {
            self.width = self.width.max(text.chars().count());
        }
    }

    fn add_time(&mut self, text: &str) {
        match time::parse(text) {
            Some(time) if !matches!(time.unit, TimeUnit::Year | TimeUnit::Month) => self.unit = finer(self.unit, time.unit),
            _ if text == "NaT" => {}
            _ => self.can.time = false,
        }
    }

    /// Whether the values are numbers or bools, and which.
    pub(super) fn number(&self) -> Option<ScalarKind> {
        Some(self.scalar()?.kind()).filter(|kind| {
            matches!(kind, ScalarKind::Bool | ScalarKind::Int64 | ScalarKind::UInt64 | ScalarKind::Float64 | ScalarKind::Complex128)
        })
    }

    /// The dtype that holds all values; `None` for text and numbers in the same column of JSON.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        let can = self.can;
        let kind = if self.is_blank {
            ScalarKind::Float64
        } else if can.bool && !self.has_missing {
            ScalarKind::Bool
        } else if can.int && !self.has_missing && !(self.is_unsigned && self.has_negative) {
            if self.is_unsigned { ScalarKind::UInt64 } else { ScalarKind::Int64 }
        } else if can.float && (!can.int || self.largest <= 1 << 53 || self.is_unsigned && self.has_negative || self.has_number) {
            // Whole numbers that it would round are refused by the slot, which knows their place.
            ScalarKind::Float64
        } else if can.time {
            ScalarKind::Datetime { unit: self.unit, count: 1 }
        } else if can.complex && !can.float {
            ScalarKind::Complex128
        } else if self.has_number || self.has_bool {
            return None;
        } else {
            ScalarKind::Unicode { length: self.width.max(1) }
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

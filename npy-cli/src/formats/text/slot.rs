//! Text, numbers and nulls as the bytes of a scalar.

use std::fmt::Display;

use npy_core::DynValues;
use npy_core::dtype::{ByteOrder, Scalar, ScalarKind, TimeUnit};
use npy_core::print::push_scalar;
use npy_core::scalar::Class;

use super::cast;
use super::decimal::Decimal;
use super::long_double::{self, Rounded};
use super::{Problem, shown, time};
use crate::losses;
use crate::values::quantity;

/// The encoding of text in dtype `S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Latin1,
}

/// A scalar of the output, and how values are stored in it. Errors say what was expected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) scalar: Scalar,
    pub(crate) encoding: Encoding,
    /// Whether text may be truncated, times rounded down, and digits of numbers lost.
    pub(crate) is_lossy: bool,
}

impl Slot {
    /// Whether this is text, or bytes that are shown as text.
    pub(crate) fn is_text(self) -> bool {
        matches!(self.scalar.kind(), ScalarKind::Unicode { .. } | ScalarKind::Bytes { .. } | ScalarKind::Void { .. })
    }

    /// Whether there is a value for what is missing: NaN or NaT.
    pub(crate) fn has_null(self) -> bool {
        self.is_float() || matches!(self.scalar.kind(), ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. })
    }

    /// Whether this is a float or a complex number.
    fn is_float(self) -> bool {
        let is_number = !matches!(self.scalar.kind(), ScalarKind::Void { .. } | ScalarKind::Float8E5M2 | ScalarKind::Ml(_));
        is_number && matches!(self.scalar.class(), Class::Float | Class::Complex)
    }

    /// Stores text: a cell of CSV, or a string of JSON.
    pub(crate) fn put_text(self, text: &str, out: &mut [u8]) -> Result<(), Problem> {
        let trimmed = text.trim_matches([' ', '\t']);
        match self.scalar.kind() {
            ScalarKind::Unicode { .. } => self.put_unicode(text, out),
            ScalarKind::Bytes { .. } => self.put_bytes(text, out),
            ScalarKind::Void { .. } => put_hexadecimal(trimmed, out).ok_or_else(|| {
                Problem::error(format!("expected {} hexadecimal digits, found {:?}", out.len().saturating_mul(2), shown(text)))
            }),
            ScalarKind::Datetime { unit, .. } if unit != TimeUnit::Year && time::is_number(trimmed) => Err(ambiguous(trimmed)),
            ScalarKind::Datetime { unit, count } if !trimmed.is_empty() => {
                match time::parse(trimmed).map(|time| time.to_steps(unit, count)) {
                    Some(Ok(steps)) => self.put_raw(steps, out),
                    Some(Err(time::Misfit::Inexact)) if self.is_lossy => {
                        let steps = time::parse(trimmed).and_then(|time| time.to_steps_below(unit, count));
                        steps.map_or_else(|| Err(self.outside(shown(text))), |steps| self.put_raw(steps, out))
                    }
                    Some(Err(time::Misfit::Inexact)) => {
                        Err(Problem::loss(format!("{:?} is not a whole number of the units of {}", shown(text), self.scalar)))
                    }
                    Some(Err(time::Misfit::OutOfRange)) => Err(self.outside(shown(text))),
                    None if trimmed == "NaT" => self.put_raw(i64::MIN, out),
                    None => Err(Problem::error(format!("expected a date such as 2024-02-29T12:30:00.5, found {:?}", shown(text)))),
                }
            }
            _ if trimmed.is_empty() => self.put_null(out),
            ScalarKind::Bool => match parse_bool(trimmed) {
                Some(value) => self.put_int(i128::from(value), out),
                None if Decimal::parse(trimmed).is_some() => self.put_number(trimmed, out),
                None => Err(Problem::error(format!("expected True or False, found {:?}", shown(text)))),
            },
            ScalarKind::Timedelta { .. } if trimmed == "NaT" => self.put_raw(i64::MIN, out),
            _ if self.scalar.part().is_some() => match split_complex(trimmed) {
                Some((real, imaginary)) => self.put_complex(real, imaginary, out),
                None => Err(self.expected(text)),
            },
            _ => self.put_number(trimmed, out),
        }
    }

    /// Stores a number as text or JSON has it, by the rule of [`Decimal`].
    pub(crate) fn put_number(self, text: &str, out: &mut [u8]) -> Result<(), Problem> {
        match self.scalar.kind() {
            ScalarKind::Float16 | ScalarKind::Float32 | ScalarKind::Float64 => {
                // Text is rounded once: to an `f32` not by way of an `f64`.
                let is_single = self.scalar.kind() == ScalarKind::Float32;
                let parsed = if is_single { text.parse::<f32>().map(f64::from) } else { text.parse() };
                let value = parsed.ok().and_then(|value| self.scalar.rounded(value)).ok_or_else(|| self.expected(text))?;
                self.check_digits(text, value)?;
                self.scalar.encode_float(value, out);
                Ok(())
            }
            ScalarKind::LongDouble { .. } => self.put_long_double(text, out),
            _ if self.scalar.part().is_some() => self.put_complex(text, "0", out),
            _ => {
                let decimal = Decimal::parse(text);
                let is_cast = cast::is_possible(Scalar::new(ScalarKind::Float64, ByteOrder::NATIVE), self.scalar);
                match (decimal.filter(Decimal::is_integer).and_then(Decimal::to_integer), text.parse::<f64>()) {
                    (Some(value), _) => self.put_int(value, out),
                    (None, Ok(value)) if is_cast && self.is_lossy => self.put_cast(value, out),
                    (None, Ok(_)) if is_cast && decimal.is_some() => {
                        Err(self.lost(text, decimal.as_ref().is_some_and(Decimal::is_integer)))
                    }
                    _ => Err(self.expected(text)),
                }
            }
        }
    }

    /// Stores a float as a cast of an array does.
    fn put_cast(self, value: f64, out: &mut [u8]) -> Result<(), Problem> {
        let values = DynValues::from_slice(&[value]).map_err(|error| cast::problem(&error).1)?;
        out.copy_from_slice(&cast::cast(&values, self.scalar, true).map_err(|(_, problem)| problem)?);
        Ok(())
    }

    fn put_long_double(self, text: &str, out: &mut [u8]) -> Result<(), Problem> {
        let decimal = Decimal::parse(text);
        let rounded = match (decimal, text.parse::<f64>()) {
            (Some(decimal), _) => decimal.to_long_double(),
            (None, Ok(value)) if value.is_nan() => Rounded::NAN,
            (None, Ok(_)) => Rounded::INFINITY,
            (None, Err(_)) => return Err(self.expected(text)),
        };
        let number = long_double::of_bits(rounded.bits | u128::from(text.starts_with('-')) << 79);
        out.copy_from_slice(&cast::bytes_of(&[number], self.scalar).map_err(|(_, problem)| problem)?);
        let mut shortest = String::new();
        push_scalar(self.scalar, out, &mut shortest);
        if decimal.is_none_or(|decimal| decimal.is_given_back_by(rounded, &shortest)) {
            return Ok(());
        }
        self.round(text, rounded == Rounded::INFINITY)
    }

    /// Checks whether a float that was read from text gives its digits back.
    fn check_digits(self, text: &str, value: f64) -> Result<(), Problem> {
        if Decimal::parse(text).is_none_or(|decimal| decimal.is_given_back(value, self.scalar.kind())) {
            return Ok(());
        }
        self.round(text, value.is_infinite())
    }

    /// Accepts a float that does not give the digits of its text back, if losses are allowed.
    fn round(self, text: &str, is_infinite: bool) -> Result<(), Problem> {
        if !self.is_lossy {
            return Err(self.lost(text, is_infinite));
        }
        if is_infinite { &losses::INFINITE } else { &losses::ROUNDED }.note(1);
        Ok(())
    }

    fn lost(self, text: &str, is_out_of_range: bool) -> Problem {
        let problem = if is_out_of_range { "is out of range for" } else { "loses precision as" };
        Problem::loss(format!("{} {problem} {}", shown(text), self.scalar))
    }

    /// Stores what is missing: NaN or NaT. Text has nothing for it, and becomes empty.
    pub(crate) fn put_null(self, out: &mut [u8]) -> Result<(), Problem> {
        match self.scalar.kind() {
            ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => self.put_raw(i64::MIN, out),
            ScalarKind::Unicode { .. } | ScalarKind::Bytes { .. } if self.is_lossy => {
                losses::EMPTIED.note(1);
                Ok(())
            }
            ScalarKind::Unicode { .. } | ScalarKind::Bytes { .. } => {
                Err(Problem::loss(format!("a null becomes empty text in {}", self.scalar)))
            }
            _ if self.is_float() => self.put_number("nan", out),
            _ => Err(Problem::error(format!("expected {}, found nothing", self.scalar))),
        }
    }

    /// Stores a whole number.
    pub(crate) fn put_int(self, value: i128, out: &mut [u8]) -> Result<(), Problem> {
        match self.scalar.class() {
            // The smallest number is NaT.
            Class::Timedelta if value <= i64::MIN.into() || value > i64::MAX.into() => Err(self.outside(value)),
            Class::Bool | Class::Signed | Class::Unsigned | Class::Timedelta => {
                if self.scalar.encode_integer(value, out) {
                    return Ok(());
                }
                if !self.is_lossy {
                    let expected_bool = || Problem::loss(format!("expected True or False, found {value}"));
                    let is_bool = self.scalar.class() == Class::Bool;
                    return Err(if is_bool { expected_bool() } else { self.lost(&value.to_string(), true) });
                }
                losses::OUT_OF_RANGE.note((self.scalar.class() != Class::Bool).into());
                Ok(())
            }
            _ if self.is_float() => self.put_number(&value.to_string(), out),
            _ => Err(self.expected(&value.to_string())),
        }
    }

    /// Stores a complex number, whose parts are text.
    pub(crate) fn put_complex(self, real: &str, imaginary: &str, out: &mut [u8]) -> Result<(), Problem> {
        let Some(scalar) = self.scalar.part() else {
            return Err(Problem::error(format!("expected {}, found a complex number", self.scalar)));
        };
        let slot = Self { scalar, ..self };
        let (first, second) = out.split_at_mut(out.len() / 2);
        slot.put_number(real, first)?;
        slot.put_number(imaginary, second)
    }

    fn put_unicode(self, text: &str, out: &mut [u8]) -> Result<(), Problem> {
        let fits = self.scalar.encode_units(text.chars().map(u32::from), out);
        if fits { self.expect_no_padding(text) } else { self.truncated(text, text.chars().count()) }
    }

    fn put_bytes(self, text: &str, out: &mut [u8]) -> Result<(), Problem> {
        let latin: Vec<u8>;
        let bytes = match self.encoding {
            Encoding::Utf8 => text.as_bytes(),
            Encoding::Latin1 => {
                let characters = text.chars().map(|character| u8::try_from(u32::from(character)));
                latin = characters
                    .collect::<Result<_, _>>()
                    .map_err(|_| Problem::error(format!("expected characters of Latin-1, found {:?}", shown(text))))?;
                &latin
            }
        };
        let length = bytes.len().min(out.len());
        out[..length].copy_from_slice(&bytes[..length]);
        if bytes.len() > length { self.truncated(text, bytes.len()) } else { self.expect_no_padding(text) }
    }

    fn expect_no_padding(self, text: &str) -> Result<(), Problem> {
        if !text.ends_with('\0') {
            return Ok(());
        }
        if self.is_lossy {
            losses::PADDED.note(1);
            return Ok(());
        }
        Err(Problem::loss(format!("{} drops the NUL at the end of {:?}", self.scalar, shown(text))))
    }

    /// Refuses text that is too long: it has `found` characters, or bytes of dtype `S`.
    fn truncated(self, text: &str, found: usize) -> Result<(), Problem> {
        if self.is_lossy {
            return Ok(());
        }
        // A letter such as Ä is two bytes of UTF-8, which is not seen in the text.
        let is_seen = found == text.chars().count();
        let count = if is_seen { String::new() } else { format!(" of {}", quantity::counted(found as u64, "byte")) };
        Err(Problem::loss(format!("text is longer than {}: {:?}{count}", self.scalar, shown(text))))
    }

    fn put_raw(self, steps: i64, out: &mut [u8]) -> Result<(), Problem> {
        if self.scalar.encode_integer(steps.into(), out) { Ok(()) } else { Err(self.outside(steps)) }
    }

    fn expected(self, text: &str) -> Problem {
        Problem::error(format!("expected {}, found {:?}", self.scalar, shown(text)))
    }

    fn outside(self, value: impl Display) -> Problem {
        Problem::error(format!("{value} is out of range for {}", self.scalar))
    }
}

/// Whether there is text for a scalar at all.
pub(crate) fn is_supported(scalar: Scalar) -> bool {
    !matches!(scalar.kind(), ScalarKind::Object | ScalarKind::Float8E5M2 | ScalarKind::Ml(_))
}

/// Stores the texts of an array as cells of CSV. An error has the index of the text.
pub(crate) fn parse(values: &DynValues, to: Scalar, is_lossy: bool) -> Result<Vec<u8>, (usize, Problem)> {
    let texts = values.to_vec::<String>().map_err(|error| cast::problem(&error))?;
    let mut bytes = cast::zeros(texts.len(), to)?;
    let slot = Slot { scalar: to, encoding: Encoding::Utf8, is_lossy };
    for (index, (text, out)) in texts.iter().zip(bytes.chunks_exact_mut(to.itemsize().max(1))).enumerate() {
        slot.put_text(text, out).map_err(|problem| (index, problem))?;
    }
    Ok(bytes)
}

/// A number that may be a year, a date without hyphens or a count.
fn ambiguous(text: &str) -> Problem {
    let hint = "a year of more than 4 digits needs its month, and a count such as seconds since 1970 is read as i8 or m8";
    Problem::error(format!("expected a date such as 2024-02-29T12:30:00.5, found the number {}; {hint}", shown(text)))
}

/// A bool as Python, JSON or a spreadsheet writes it.
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "True" | "true" | "TRUE" => Some(true),
        "False" | "false" | "FALSE" => Some(false),
        _ => None,
    }
}

/// The parts of a complex number as Python writes it: `(1.5-2j)`, `2j`, or a plain number.
pub(crate) fn split_complex(text: &str) -> Option<(&str, &str)> {
    // In accounts `(5)` is -5.
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let text = inner.filter(|inner| inner.ends_with('j')).unwrap_or(text);
    let (real, imaginary) = match text.strip_suffix('j') {
        None => (text, "0"),
        Some(parts) => {
            let bytes = parts.as_bytes();
            let sign = (1..bytes.len()).rev().find(|&i| matches!(bytes[i], b'+' | b'-') && !matches!(bytes[i - 1], b'e' | b'E'));
            sign.map_or(("0", parts), |sign| parts.split_at(sign))
        }
    };
    let is_number = |part: &str| part.parse::<f64>().is_ok();
    (is_number(real) && is_number(imaginary)).then_some((real, imaginary))
}

fn put_hexadecimal(text: &str, out: &mut [u8]) -> Option<()> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != out.len() {
        return None;
    }
    for ([high, low], byte) in pairs.iter().zip(out) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_complex_numbers_of_python() {
        for (text, expected) in [
            ("(1.5-2j)", Some(("1.5", "-2"))),
            ("2j", Some(("0", "2"))),
            ("-1e-05-1e+16j", Some(("-1e-05", "-1e+16"))),
            ("3", Some(("3", "0"))),
            ("nan+infj", Some(("nan", "+inf"))),
            ("(inf+nanj", None),
            ("j", None),
            ("1+j", None),
            ("a+bj", None),
        ] {
            assert_eq!(split_complex(text), expected, "{text}");
        }
    }
}

//! Text, numbers and nulls as the bytes of a scalar.

use std::fmt::Display;

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::half::f16;

use super::cast::Problem;
use super::time;

/// How the characters of text become bytes of dtype `S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Latin1,
}

/// A scalar of the output, and how values are stored in it. Errors say what was expected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) scalar: Scalar,
    pub(super) encoding: Encoding,
    /// Whether text may be truncated, times rounded down, and whole numbers rounded to floats.
    pub(super) is_lossy: bool,
}

impl Slot {
    /// Whether there is text for this scalar at all.
    pub(super) fn is_supported(self) -> bool {
        !matches!(
            self.scalar.kind(),
            ScalarKind::Object
                | ScalarKind::Float8E5M2
                | ScalarKind::LongDouble { .. }
                | ScalarKind::Complex32
                | ScalarKind::ComplexLongDouble { .. }
        )
    }

    /// Stores text: a cell of CSV, or a string of JSON.
    pub(super) fn put_text(self, text: &str, out: &mut [u8]) -> Result<(), Problem> {
        let trimmed = text.trim_matches([' ', '\t']);
        match self.scalar.kind() {
            ScalarKind::Unicode { length } => self.put_unicode(text, length, out),
            ScalarKind::Bytes { .. } => self.put_bytes(text, out),
            ScalarKind::Void { .. } => put_hexadecimal(trimmed, out).ok_or_else(|| {
                Problem::error(format!("expected {} hexadecimal digits, found {text:?}", out.len().saturating_mul(2)))
            }),
            ScalarKind::Datetime { unit, count } if !trimmed.is_empty() => {
                match time::parse(trimmed).map(|time| time.to_steps(unit, count)) {
                    Some(Ok(steps)) => self.put_raw(steps, out),
                    Some(Err(time::Misfit::Inexact)) if self.is_lossy => {
                        let steps = time::parse(trimmed).and_then(|time| time.to_steps_below(unit, count));
                        steps.map_or_else(|| Err(self.outside(text)), |steps| self.put_raw(steps, out))
                    }
                    Some(Err(time::Misfit::Inexact)) => {
                        Err(Problem::loss(format!("{text:?} is not a whole number of the units of {}", self.scalar)))
                    }
                    Some(Err(time::Misfit::OutOfRange)) => Err(self.outside(text)),
                    None if trimmed == "NaT" => self.put_raw(i64::MIN, out),
                    None => Err(Problem::error(format!("expected a date such as 2024-02-29T12:30:00.5, found {text:?}"))),
                }
            }
            _ if trimmed.is_empty() => self.put_null(out),
            ScalarKind::Bool => match parse_bool(trimmed) {
                Some(value) => self.put_int(i128::from(value), out),
                None => match trimmed {
                    "0" | "1" => self.put_int(i128::from(trimmed == "1"), out),
                    _ => Err(Problem::error(format!("expected True or False, found {text:?}"))),
                },
            },
            ScalarKind::Timedelta { .. } if trimmed == "NaT" => self.put_raw(i64::MIN, out),
            _ if self.loses_digits(trimmed) => Err(self.imprecise(trimmed)),
            ScalarKind::Float32 => match trimmed.parse::<f32>() {
                Ok(value) => self.store(out, value.to_le_bytes()),
                Err(_) => Err(self.expected(text)),
            },
            ScalarKind::Float16 | ScalarKind::Float64 => match trimmed.parse() {
                Ok(value) => self.put_float(value, out),
                Err(_) => Err(self.expected(text)),
            },
            ScalarKind::Complex64 | ScalarKind::Complex128 => match parse_complex(trimmed) {
                Some((real, imaginary)) => self.put_complex(real, imaginary, out),
                None => Err(self.expected(text)),
            },
            _ => match trimmed.parse::<i128>() {
                Ok(value) => self.put_int(value, out),
                Err(_) => match trimmed.parse::<f64>() {
                    Ok(value) => self.put_float(value, out),
                    Err(_) => Err(self.expected(text)),
                },
            },
        }
    }

    /// Stores what is missing: NaN or NaT.
    pub(super) fn put_null(self, out: &mut [u8]) -> Result<(), Problem> {
        match self.scalar.kind() {
            ScalarKind::Float16 | ScalarKind::Float32 | ScalarKind::Float64 => self.put_float(f64::NAN, out),
            ScalarKind::Complex64 | ScalarKind::Complex128 => self.put_complex(f64::NAN, 0.0, out),
            ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => self.put_raw(i64::MIN, out),
            ScalarKind::Unicode { .. } | ScalarKind::Bytes { .. } => Ok(()),
            _ => Err(Problem::error(format!("expected {}, found nothing", self.scalar))),
        }
    }

    /// Stores a whole number.
    pub(super) fn put_int(self, value: i128, out: &mut [u8]) -> Result<(), Problem> {
        macro_rules! checked {
            ($type:ty) => {
                match <$type>::try_from(value) {
                    Ok(value) => self.store(out, value.to_le_bytes()),
                    Err(_) => Err(self.outside(value)),
                }
            };
        }
        match self.scalar.kind() {
            ScalarKind::Bool => match value {
                0 | 1 => self.store(out, [u8::from(value == 1)]),
                _ => Err(Problem::error(format!("expected True or False, found {value}"))),
            },
            ScalarKind::Int8 => checked!(i8),
            ScalarKind::Int16 => checked!(i16),
            ScalarKind::Int32 => checked!(i32),
            ScalarKind::Int64 => checked!(i64),
            ScalarKind::UInt8 => checked!(u8),
            ScalarKind::UInt16 => checked!(u16),
            ScalarKind::UInt32 => checked!(u32),
            ScalarKind::UInt64 => checked!(u64),
            ScalarKind::Timedelta { .. } => {
                i64::try_from(value).map_err(|_| self.outside(value)).and_then(|steps| self.put_raw(steps, out))
            }
            ScalarKind::Float16 | ScalarKind::Float32 | ScalarKind::Float64 | ScalarKind::Complex64 | ScalarKind::Complex128 => {
                self.check_digits(value)?;
                #[expect(clippy::cast_precision_loss, reason = "floats are rounded")]
                self.put_float(value as f64, out)
            }
            _ => Err(self.expected(&value.to_string())),
        }
    }

    /// Fails if a float would round a whole number.
    pub(super) fn check_digits(self, value: i128) -> Result<(), Problem> {
        match self.exact_below() {
            Some(limit) if value.unsigned_abs() > limit && self.loses_digits(&value.to_string()) => Err(self.imprecise(value)),
            _ => Ok(()),
        }
    }

    /// Whether text is a whole number that a float would round. One that a program wrote as the shortest digits of the float
    /// is not rounded.
    fn loses_digits(self, text: &str) -> bool {
        let Some(limit) = self.exact_below().filter(|_| !self.is_lossy) else { return false };
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text).trim_start_matches('0');
        if digits.len() <= limit.ilog10() as usize || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let is_of = |exact: String, shortest: String| exact == digits || shortest == digits;
        match self.scalar.kind() {
            ScalarKind::Float16 => digits.parse().is_ok_and(|value| {
                let half = f16::from_f64(value);
                !is_of(format!("{:.0}", f64::from(half)), half.to_string())
            }),
            ScalarKind::Float32 | ScalarKind::Complex64 => {
                digits.parse::<f32>().is_ok_and(|value| !is_of(format!("{value:.0}"), value.to_string()))
            }
            _ => digits.parse::<f64>().is_ok_and(|value| !is_of(format!("{value:.0}"), value.to_string())),
        }
    }

    /// The number up to which a float has every whole number; `None` for other kinds.
    fn exact_below(self) -> Option<u128> {
        match self.scalar.kind() {
            ScalarKind::Float16 => Some(1 << 11),
            ScalarKind::Float32 | ScalarKind::Complex64 => Some(1 << 24),
            ScalarKind::Float64 | ScalarKind::Complex128 => Some(1 << 53),
            _ => None,
        }
    }

    /// Stores a number.
    pub(super) fn put_float(self, value: f64, out: &mut [u8]) -> Result<(), Problem> {
        // Rounded as the text of a number is in any case.
        #[expect(clippy::cast_possible_truncation, reason = "rounding, and whole numbers below 2^64")]
        match self.scalar.kind() {
            ScalarKind::Float16 => self.store(out, f16::from_f64(value).to_le_bytes()),
            ScalarKind::Float32 => self.store(out, (value as f32).to_le_bytes()),
            ScalarKind::Float64 => self.store(out, value.to_le_bytes()),
            ScalarKind::Complex64 | ScalarKind::Complex128 => self.put_complex(value, 0.0, out),
            _ if value.fract() == 0.0 && value.abs() < 2.0_f64.powi(64) => self.put_int(value as i128, out),
            _ => Err(self.expected(&value.to_string())),
        }
    }

    /// Stores a complex number.
    pub(super) fn put_complex(self, real: f64, imaginary: f64, out: &mut [u8]) -> Result<(), Problem> {
        let part = match self.scalar.kind() {
            ScalarKind::Complex64 => ScalarKind::Float32,
            ScalarKind::Complex128 => ScalarKind::Float64,
            _ => return Err(Problem::error(format!("expected {}, found a complex number", self.scalar))),
        };
        let slot = Self { scalar: Scalar::new(part, self.scalar.byte_order().unwrap_or(ByteOrder::NATIVE)), ..self };
        let (first, second) = out.split_at_mut(out.len() / 2);
        slot.put_float(real, first)?;
        slot.put_float(imaginary, second)
    }

    fn put_unicode(self, text: &str, length: usize, out: &mut [u8]) -> Result<(), Problem> {
        let is_big = self.scalar.byte_order() == Some(ByteOrder::Big);
        let mut characters = text.chars();
        for (character, unit) in characters.by_ref().take(length).zip(out.chunks_exact_mut(4)) {
            let code = u32::from(character);
            unit.copy_from_slice(&if is_big { code.to_be_bytes() } else { code.to_le_bytes() });
        }
        if characters.next().is_some() { self.truncated(text) } else { Ok(()) }
    }

    fn put_bytes(self, text: &str, out: &mut [u8]) -> Result<(), Problem> {
        let latin: Vec<u8>;
        let bytes = match self.encoding {
            Encoding::Utf8 => text.as_bytes(),
            Encoding::Latin1 => {
                let characters = text.chars().map(|character| u8::try_from(u32::from(character)));
                latin = characters
                    .collect::<Result<_, _>>()
                    .map_err(|_| Problem::error(format!("expected characters of Latin-1, found {text:?}")))?;
                &latin
            }
        };
        let length = bytes.len().min(out.len());
        out[..length].copy_from_slice(&bytes[..length]);
        if bytes.len() > length { self.truncated(text) } else { Ok(()) }
    }

    fn truncated(self, text: &str) -> Result<(), Problem> {
        if self.is_lossy { Ok(()) } else { Err(Problem::loss(format!("text is longer than {}: {text:?}", self.scalar))) }
    }

    fn put_raw(self, steps: i64, out: &mut [u8]) -> Result<(), Problem> {
        self.store(out, steps.to_le_bytes())
    }

    fn store<const N: usize>(self, out: &mut [u8], mut bytes: [u8; N]) -> Result<(), Problem> {
        if self.scalar.byte_order() == Some(ByteOrder::Big) {
            bytes.reverse();
        }
        match out.try_into() as Result<&mut [u8; N], _> {
            Ok(out) => *out = bytes,
            Err(_) => return Err(Problem::error(format!("cannot store {} in its bytes", self.scalar))),
        }
        Ok(())
    }

    fn expected(self, text: &str) -> Problem {
        Problem::error(format!("expected {}, found {text:?}", self.scalar))
    }

    fn imprecise(self, value: impl Display) -> Problem {
        Problem::loss(format!("{value} loses precision as {}", self.scalar))
    }

    fn outside(self, value: impl Display) -> Problem {
        Problem::error(format!("{value} is out of range for {}", self.scalar))
    }
}

/// A bool as Python, JSON or a spreadsheet writes it.
pub(super) fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "True" | "true" | "TRUE" => Some(true),
        "False" | "false" | "FALSE" => Some(false),
        _ => None,
    }
}

/// A complex number as Python writes it: `(1.5-2j)`, `2j`, or a plain number.
pub(super) fn parse_complex(text: &str) -> Option<(f64, f64)> {
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let Some(parts) = text.strip_suffix('j') else { return Some((text.parse().ok()?, 0.0)) };
    let bytes = parts.as_bytes();
    let sign = (1..bytes.len()).rev().find(|&i| matches!(bytes[i], b'+' | b'-') && !matches!(bytes[i - 1], b'e' | b'E'));
    match sign {
        Some(sign) => Some((parts[..sign].parse().ok()?, parts[sign..].parse().ok()?)),
        None => Some((0.0, parts.parse().ok()?)),
    }
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
            ("(1.5-2j)", Some((1.5, -2.0))),
            ("2j", Some((0.0, 2.0))),
            ("-1e-05-1e+16j", Some((-1e-5, -1e16))),
            ("3", Some((3.0, 0.0))),
            ("(inf+nanj", None),
            ("j", None),
            ("a+bj", None),
        ] {
            assert_eq!(parse_complex(text), expected, "{text}");
        }
    }
}

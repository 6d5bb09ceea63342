//! The rule for numbers of text: a number is read if what is stored gives its digits back, and refused otherwise.
//!
//! An integer, also one written as `7.0` or `1e20`, gives back all of its digits: it is that integer, or it was written with the
//! digits that a float of this value has when it is rounded to as many. A fraction is the nearest float, as every reader has it, and
//! gives back its first 15 digits, which every `f8` does. Nothing finite becomes an infinity, and nothing but zero becomes zero.

use std::cmp::Ordering;

use npy_core::dtype::ScalarKind;

use super::long_double::Rounded;

/// The digits of a fraction that have to be given back: as many as every double holds.
const DIGITS_OF_FRACTION: usize = 15;

/// A decimal number as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'a> {
    text: &'a str,
    is_negative: bool,
    /// From the first digit that is not 0 to the last one, with the point if that is between them.
    significant: &'a str,
    /// The digits of these.
    count: usize,
    /// The power of ten of the first one.
    exponent: i64,
}

impl<'a> Decimal<'a> {
    /// Takes a number such as `-1.50e3` apart; `None` for other text, names of infinities and NaN included.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let is_negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, parse_power(power)?),
            None => (unsigned, 0),
        };
        let point = mantissa.find('.').unwrap_or(mantissa.len());
        let (whole, fraction) = (&mantissa[..point], mantissa.get(point + 1..).unwrap_or_default());
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let is_digit = |character: char| matches!(character, '1'..='9');
        let (first, last) = (mantissa.find(is_digit), mantissa.rfind(is_digit));
        let significant = first.zip(last).map_or("", |(first, last)| &mantissa[first..=last]);
        let first = first.unwrap_or(point);
        let place = if first < point { point - first - 1 } else { first - point };
        let place = i64::try_from(place).unwrap_or(i64::MAX);
        let place = if first < point { place } else { -place };
        Some(Self {
            text,
            is_negative,
            significant,
            count: significant.len() - usize::from(significant.contains('.')),
            exponent: place.saturating_add(power),
        })
    }

    fn digits(&self) -> impl Iterator<Item = u8> + '_ {
        self.significant.bytes().filter(u8::is_ascii_digit)
    }

    fn is_zero(&self) -> bool {
        self.count == 0
    }

    /// The power of ten of the last digit.
    fn last_exponent(&self) -> i64 {
        self.exponent.saturating_add(1).saturating_sub(i64::try_from(self.count).unwrap_or(i64::MAX))
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.is_zero() || self.last_exponent() >= 0
    }

    /// The integer, if it is one and 128 bits hold it.
    pub(crate) fn to_integer(self) -> Option<i128> {
        if self.is_zero() {
            return Some(0);
        }
        let power = u32::try_from(self.last_exponent()).ok().filter(|power| *power < 39)?;
        let digits = self.digits().try_fold(0_i128, |value, digit| value.checked_mul(10)?.checked_add(i128::from(digit - b'0')))?;
        let magnitude = digits.checked_mul(10_i128.checked_pow(power)?)?;
        Some(if self.is_negative { -magnitude } else { magnitude })
    }

    /// The nearest long double without its sign.
    pub(crate) fn to_long_double(self) -> Rounded {
        if self.is_zero() { Rounded::ZERO } else { Rounded::nearest(self.digits(), self.last_exponent()) }
    }

    /// Whether a long double, to which the text was rounded, gives the digits back; `shortest` is its text.
    pub(crate) fn is_given_back_by(&self, rounded: Rounded, shortest: &str) -> bool {
        // Every normal number gives 18 digits back.
        let is_normal = (-4931..=4931).contains(&self.exponent);
        if rounded.is_exact || is_normal && (self.count <= 18 || !self.is_integer()) {
            return true;
        }
        Decimal::parse(shortest).is_some_and(|other| other.exponent == self.exponent && other.digits().eq(self.digits()))
    }

    /// Whether a float, to which the text was rounded, gives the digits back.
    pub(crate) fn is_given_back(&self, value: f64, kind: ScalarKind) -> bool {
        // The digits that every normal number of this width gives back, and the powers of ten that are normal.
        let (digits, powers) = match kind {
            ScalarKind::Float16 => (3, -4..=3),
            ScalarKind::Float32 => (6, -37..=37),
            _ => (15, -307..=307),
        };
        if self.is_zero() || self.count <= digits && powers.contains(&self.exponent) {
            return true;
        }
        if value == 0.0 || !value.is_finite() {
            return false;
        }
        if self.count > DIGITS_OF_FRACTION && !self.is_integer() {
            let last = i32::try_from(self.exponent).unwrap_or(i32::MIN).saturating_sub(14);
            let nearest = self.text.parse().unwrap_or(f64::NAN);
            return (value - nearest).abs() <= 0.5 * 10_f64.powi(last);
        }
        self.is_rounded(value)
    }

    /// Whether this is a number rounded to as many digits as are written, a tie in either direction.
    fn is_rounded(&self, value: f64) -> bool {
        let exact = format!("{:.*e}", self.count + 20, value.abs());
        let Some((mantissa, power)) = exact.split_once('e') else { return false };
        let Ok(power) = power.parse::<i64>() else { return false };
        let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
        let rest = digits.split_off(self.count);
        let half = rest.iter().zip(b"500000000000000000000").map(|(digit, half)| digit.cmp(half)).find(|order| order.is_ne());
        let half = half.unwrap_or(Ordering::Equal);
        let is_this = |digits: &[u8], power| power == self.exponent && self.digits().eq(digits.iter().copied());
        if half.is_le() && is_this(&digits, power) {
            return true;
        }
        let place = digits.iter().rposition(|digit| *digit != b'9');
        let next = match place.and_then(|place| digits.get_mut(place)) {
            Some(digit) => {
                *digit += 1;
                digits.truncate(place.map_or(0, |place| place + 1));
                is_this(&digits, power)
            }
            None => is_this(b"1", power + 1),
        };
        half.is_ge() && next
    }
}

/// The power of ten after an `e`. What exceeds 64 bits is as far out of range as the largest one.
fn parse_power(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_told_by_their_digits() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0.0e99999999999999999999", Some(0)),
            ("+007", Some(7)),
            ("9007199254740993.0", Some(9_007_199_254_740_993)),
            ("-1e20", Some(-100_000_000_000_000_000_000)),
            ("12.50e1", Some(125)),
            (".5e1", Some(5)),
            ("1.e2", Some(100)),
            ("1200e-2", Some(12)),
            ("1.5", None),
            ("1e-1", None),
            ("1e40", None),
            ("1e99999999999999999999", None),
        ] {
            assert_eq!(Decimal::parse(text).unwrap().to_integer(), expected, "{text}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "1_000", "0x10", "inf", "nan", "1 2", "--1", "1,5"] {
            assert!(Decimal::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn doubles_give_digits_back() {
        for (text, expected) in [
            ("0.1", true),
            ("0.30000000000000004441", true),
            ("0.12345678901234567890123", true),
            ("1e23", true),
            ("100000000000000000000000", true),
            ("1.234567890123456774e+22", true),
            ("5e-324", true),
            ("1.7976931348623157e308", true),
            ("2.2250738585072014e-308", true),
            ("9007199254740993.5", true),
            ("9007199254740993", false),
            ("9007199254740993.0", false),
            ("9007199254740993e0", false),
            ("90071992547409930e-1", false),
            ("12345678901234567890123", false),
            ("100000000000000000000001", false),
            ("1e400", false),
            ("1e-400", false),
            ("3e-324", false),
            ("1.23456e-320", false),
        ] {
            let decimal = Decimal::parse(text).unwrap();
            assert_eq!(decimal.is_given_back(text.parse().unwrap(), ScalarKind::Float64), expected, "{text}");
        }
    }

    #[test]
    fn ties_are_rounded_either_way() {
        for text in ["0.01562", "0.01563"] {
            assert!(Decimal::parse(text).unwrap().is_given_back(0.015_625, ScalarKind::Float16), "{text}");
        }
        for text in ["0.01561", "0.01564"] {
            assert!(!Decimal::parse(text).unwrap().is_given_back(0.015_625, ScalarKind::Float16), "{text}");
        }
        assert!(Decimal::parse("1e-5").unwrap().is_given_back(0.999e-5, ScalarKind::Float16));
    }
}

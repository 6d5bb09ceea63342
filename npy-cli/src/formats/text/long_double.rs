//! Decimal text as the nearest `long double` of x86: 64 bits of significand, 15 of exponent.

use npy_core::types::LongDouble;
use num_bigint::BigUint;

/// The bits of a number; the rest of its bytes is garbage.
const BITS: u128 = (1 << 80) - 1;

/// The exponent of the last bit of the least number is its negative.
const LEAST: i64 = 16_445;

/// More digits than any number of 80 bits has, or any point halfway between two. Of those beyond only counts whether one is not 0.
const MOST_DIGITS: usize = 11_600;

/// A number that was rounded to 80 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounded {
    /// The significand below the exponent, without the sign.
    pub(crate) bits: u128,
    pub(crate) is_exact: bool,
}

impl Rounded {
    pub(crate) const INFINITY: Self = Self { bits: 0x7fff << 64 | 1 << 63, is_exact: false };
    pub(crate) const NAN: Self = Self { bits: 0x7fff << 64 | 3 << 62, is_exact: true };
    pub(crate) const ZERO: Self = Self { bits: 0, is_exact: true };

    /// Rounds digits times a power of ten to the nearest number, ties to even.
    pub(crate) fn nearest(digits: impl Iterator<Item = u8>, mut power: i64) -> Self {
        let mut kept = Vec::new();
        let mut has_more = false;
        for digit in digits.skip_while(|digit| *digit == b'0') {
            if kept.len() < MOST_DIGITS {
                kept.push(digit - b'0');
            } else {
                has_more |= digit != b'0';
                power += 1;
            }
        }
        if has_more {
            kept.push(1);
            power -= 1;
        }
        let ten = match power + i64::try_from(kept.len()).unwrap_or(i64::MAX) {
            _ if kept.is_empty() => return Self::ZERO,
            ..=-5_000 => return Self { bits: 0, is_exact: false },
            5_000.. => return Self::INFINITY,
            _ => BigUint::from(10_u8).pow(u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX)),
        };
        let digits = BigUint::from_radix_be(&kept, 10).unwrap_or_default();
        let (mut numerator, mut denominator) = if power < 0 { (digits, ten) } else { (digits * ten, BigUint::from(1_u8)) };
        // So that the quotient has 64 or 65 bits, or fewer where numbers are subnormal.
        let length = |number: &BigUint| i64::try_from(number.bits()).unwrap_or(i64::MAX);
        let shift = (64 - (length(&numerator) - length(&denominator))).min(LEAST);
        let shifted = if shift < 0 { &mut denominator } else { &mut numerator };
        *shifted <<= shift.unsigned_abs();
        let rest = &numerator % &denominator;
        let quotient = u128::try_from(numerator / &denominator).unwrap_or(u128::MAX);
        let has_rest = rest != BigUint::ZERO;
        let is_long = quotient >> 64 != 0;
        let (mut significand, half, below) = if is_long {
            (quotient >> 1, quotient & 1 == 1, has_rest)
        } else {
            let half = (rest << 1_u8).cmp(&denominator);
            (quotient, half.is_ge(), half.is_gt())
        };
        let is_exact = !half && !has_rest;
        significand += u128::from(half && (below || significand & 1 == 1));
        let mut shift = shift - i64::from(is_long);
        if significand >> 64 != 0 {
            (significand, shift) = (significand >> 1, shift - 1);
        }
        let exponent = if significand >> 63 == 0 { 0 } else { LEAST + 1 - shift };
        match u128::try_from(exponent) {
            Ok(exponent) if exponent < 0x7fff => Self { bits: exponent << 64 | significand, is_exact },
            _ => Self::INFINITY,
        }
    }
}

/// The bits of an integer, which is exact.
pub(crate) fn of_integer(magnitude: u64, is_negative: bool) -> u128 {
    if magnitude == 0 {
        return 0;
    }
    let zeros = magnitude.leading_zeros();
    u128::from(is_negative) << 79 | u128::from(16_383 + 63 - zeros) << 64 | u128::from(magnitude << zeros)
}

/// The bits of a number.
pub(crate) fn bits_of(number: LongDouble) -> u128 {
    BITS & u128::from_ne_bytes(number.to_bytes())
}

/// The number of these bits.
pub(crate) fn of_bits(bits: u128) -> LongDouble {
    LongDouble::from_bytes(bits.to_ne_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact() {
        for magnitude in [0, 1, 3, 1 << 53 | 1, u64::MAX - 1, u64::MAX] {
            let digits = magnitude.to_string();
            assert_eq!(Rounded { bits: of_integer(magnitude, false), is_exact: true }, Rounded::nearest(digits.bytes(), 0));
        }
        assert_eq!(of_integer(1, true), 0xbfff << 64 | 1 << 63);
    }

    #[test]
    fn rounds_to_the_nearest_ties_to_even() {
        let nearest = |digits: &str, power| Rounded::nearest(digits.bytes(), power);
        let exact = |bits| Rounded { bits, is_exact: true };
        let inexact = |bits| Rounded { bits, is_exact: false };
        assert_eq!(nearest("1", 0), exact(0x3fff << 64 | 1 << 63));
        assert_eq!(nearest("5", -1), exact(0x3ffe << 64 | 1 << 63));
        assert_eq!(nearest("18446744073709551615", 0), exact(0x403e << 64 | u128::from(u64::MAX)));
        assert_eq!(nearest("18446744073709551617", 0), inexact(0x403f << 64 | 1 << 63));
        assert_eq!(nearest("18446744073709551619", 0), inexact(0x403f << 64 | 1 << 63 | 2));
        assert_eq!(nearest("36893488147419103231", 0), inexact(0x4040 << 64 | 1 << 63));
        assert_eq!(nearest("1", -1), inexact(0x3ffb << 64 | 0xcccc_cccc_cccc_cccd));
        assert_eq!(nearest("118973149535723176502", 4912), inexact(0x7ffe << 64 | u128::from(u64::MAX)));
        assert_eq!(nearest("12", 4931), Rounded::INFINITY);
        assert_eq!(nearest("1", 999_999), Rounded::INFINITY);
        assert_eq!(nearest("4", -4951), inexact(1));
        assert_eq!(nearest("1", -4951), inexact(0));
        assert_eq!(nearest("1", -999_999), inexact(0));
        assert_eq!(nearest("336210314311209350626", -4952), inexact(1 << 63 | 1 << 64));
        assert_eq!(nearest("000", 5), Rounded::ZERO);
        // A digit far behind decides a tie, in time that does not grow with their square.
        let tie = format!("18446744073709551617{}", "0".repeat(1 << 20));
        assert_eq!(nearest(&tie, -(1 << 20)), inexact(0x403f << 64 | 1 << 63));
        assert_eq!(nearest(&format!("{tie}1"), -(1 << 20) - 1), inexact(0x403f << 64 | 1 << 63 | 1));
    }
}

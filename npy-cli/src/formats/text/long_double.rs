//! Decimal text as the nearest `long double` of x86: 64 bits of significand, 15 of exponent.

use std::cmp::Ordering;

use npy_core::dtype::{ByteOrder, Scalar};

/// The bits of a number; the rest of its bytes is garbage.
pub(crate) const BITS: u128 = (1 << 80) - 1;

/// The exponent of the last bit of the least number is its negative.
const LEAST: i64 = 16_445;

/// More digits than any number of 80 bits has, or any point halfway between two. Of those beyond only counts whether one is not 0.
const MOST_DIGITS: i64 = 11_600;

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
        let mut numerator = Natural(vec![0]);
        let mut count = 0_i64;
        let mut has_more = false;
        for digit in digits.skip_while(|digit| *digit == b'0') {
            if count < MOST_DIGITS {
                numerator.multiply_add(10, u64::from(digit - b'0'));
                count += 1;
            } else {
                has_more |= digit != b'0';
                power += 1;
            }
        }
        if has_more {
            numerator.multiply_add(10, 1);
            (count, power) = (count + 1, power - 1);
        }
        match power + count {
            _ if numerator.length() == 0 => return Self::ZERO,
            ..=-5_000 => return Self { bits: 0, is_exact: false },
            5_000.. => return Self::INFINITY,
            _ => {}
        }
        let mut denominator = Natural(vec![1]);
        let scaled = if power < 0 { &mut denominator } else { &mut numerator };
        scaled.multiply_power_of_ten(power.unsigned_abs());
        // So that the quotient has 64 or 65 bits, or fewer where numbers are subnormal.
        let shift = (64 - (numerator.length() - denominator.length())).min(LEAST);
        let shifted = if shift < 0 { &mut denominator } else { &mut numerator };
        shifted.shift_left(shift.unsigned_abs());
        let (quotient, has_rest) = numerator.divide(&mut denominator);
        let is_long = quotient >> 64 != 0;
        let (mut significand, half, below) = if is_long {
            (quotient >> 1, quotient & 1 == 1, has_rest)
        } else {
            let half = numerator.twice_compared(&denominator);
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

/// The bits of an integer.
pub(crate) fn of_integer(magnitude: u64, is_negative: bool) -> u128 {
    if magnitude == 0 {
        return 0;
    }
    let zeros = magnitude.leading_zeros();
    u128::from(is_negative) << 79 | u128::from(16_383 + 63 - zeros) << 64 | u128::from(magnitude << zeros)
}

/// Stores bits as the bytes of a scalar.
pub(crate) fn store(bits: u128, scalar: Scalar, out: &mut [u8]) {
    out.copy_from_slice(bits.to_le_bytes().get(..out.len()).unwrap_or_default());
    if scalar.byte_order() == Some(ByteOrder::Big) {
        out.reverse();
    }
}

/// A natural number in words of 64 bits, the least first.
struct Natural(Vec<u64>);

impl Natural {
    fn multiply_add(&mut self, factor: u64, summand: u64) {
        let mut carry = u128::from(summand);
        for word in &mut self.0 {
            carry += u128::from(*word) * u128::from(factor);
            *word = low(carry);
            carry >>= 64;
        }
        if carry != 0 {
            self.0.push(low(carry));
        }
    }

    fn multiply_power_of_ten(&mut self, mut power: u64) {
        // As many as 64 bits hold.
        const STEP: u64 = 19;
        while power > 0 {
            let step = power.min(STEP);
            self.multiply_add((0..step).fold(1, |product, _| product * 10), 0);
            power -= step;
        }
    }

    /// The number of its bits.
    fn length(&self) -> i64 {
        let words = self.0.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        let zeros = words.checked_sub(1).and_then(|last| self.0.get(last)).map_or(0, |word| word.leading_zeros());
        i64::try_from(words * 64).unwrap_or(i64::MAX) - i64::from(zeros)
    }

    fn shift_left(&mut self, bits: u64) {
        let words = usize::try_from(bits / 64).unwrap_or_default();
        self.multiply_add(1 << (bits % 64), 0);
        self.0.splice(0..0, std::iter::repeat_n(0, words));
    }

    fn halve(&mut self) {
        let mut carry = 0;
        for word in self.0.iter_mut().rev() {
            let next = *word << 63;
            *word = *word >> 1 | carry;
            carry = next;
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let word = |words: &[u64], i: usize| words.get(i).copied().unwrap_or_default();
        let most = self.0.len().max(other.0.len());
        (0..most).rev().map(|i| word(&self.0, i).cmp(&word(&other.0, i))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (i, word) in self.0.iter_mut().enumerate() {
            let (difference, first) = word.overflowing_sub(other.0.get(i).copied().unwrap_or_default());
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*word, borrow) = (difference, first || second);
        }
    }

    /// Divides by a number, of which less than 2^66 go into this one. The rest remains, and whether there is one.
    fn divide(&mut self, divisor: &mut Self) -> (u128, bool) {
        divisor.shift_left(66);
        let mut quotient = 0_u128;
        for _ in 0..66 {
            divisor.halve();
            quotient <<= 1;
            if self.compare(divisor).is_ge() {
                self.subtract(divisor);
                quotient |= 1;
            }
        }
        (quotient, self.length() != 0)
    }

    /// Compares twice this number with another one.
    fn twice_compared(&mut self, other: &Self) -> Ordering {
        self.multiply_add(2, 0);
        self.compare(other)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low word")]
fn low(value: u128) -> u64 {
    value as u64
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

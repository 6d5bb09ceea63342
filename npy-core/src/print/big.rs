//! Natural numbers of any size, with the operations that digit generation needs.

use std::cmp::Ordering;

/// The arithmetic of digit generation, in 128 bits where they are known to suffice.
pub(super) trait Number: Ord + From<u64> {
    fn is_zero(&self) -> bool;

    fn shift_left(&mut self, bits: u32);

    fn multiply(&mut self, factor: u64);

    fn multiply_by_power_of_ten(&mut self, power: u32);

    fn plus(&self, other: &Self) -> Self;

    /// Subtracts a number that is not greater.
    fn subtract(&mut self, other: &Self);

    /// Divides a number less than ten times `divisor`. Returns the quotient, and leaves the remainder.
    fn take_digit(&mut self, divisor: &Self) -> u8 {
        let mut quotient = 0;
        // Up to nine subtractions are as fast as an estimate and its correction for a few limbs.
        while quotient < 9 && *self >= *divisor {
            self.subtract(divisor);
            quotient += 1;
        }
        quotient
    }
}

impl Number for u128 {
    fn is_zero(&self) -> bool {
        *self == 0
    }

    fn shift_left(&mut self, bits: u32) {
        *self <<= bits;
    }

    fn multiply(&mut self, factor: u64) {
        *self *= Self::from(factor);
    }

    fn multiply_by_power_of_ten(&mut self, power: u32) {
        *self *= 10_u128.pow(power);
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn subtract(&mut self, other: &Self) {
        *self -= other;
    }
}

/// A natural number. Limbs of 64 bits, the least significant first, the last one other than 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Natural(Vec<u64>);

impl Number for Natural {
    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn shift_left(&mut self, bits: u32) {
        if self.is_zero() {
            return;
        }
        let (limbs, bits) = (bits / 64, bits % 64);
        self.multiply(1 << bits);
        self.0.splice(..0, (0..limbs).map(|_| 0));
    }

    fn multiply(&mut self, factor: u64) {
        let mut carry = 0;
        for limb in &mut self.0 {
            let (low, high) = halves(u128::from(*limb) * u128::from(factor) + u128::from(carry));
            (*limb, carry) = (low, high);
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    fn multiply_by_power_of_ten(&mut self, power: u32) {
        // The largest power that fits a limb.
        for _ in 0..power / 19 {
            self.multiply(10_000_000_000_000_000_000);
        }
        self.multiply(10_u64.pow(power % 19));
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = Vec::with_capacity(self.0.len().max(other.0.len()) + 1);
        let mut carry = 0;
        for index in 0..self.0.len().max(other.0.len()) {
            let (low, high) = halves(self.limb(index) + other.limb(index) + u128::from(carry));
            sum.push(low);
            carry = high;
        }
        if carry > 0 {
            sum.push(carry);
        }
        Self(sum)
    }

    fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let (difference, first) = limb.overflowing_sub(other.0.get(index).copied().unwrap_or(0));
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (difference, first || second);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

impl Natural {
    fn limb(&self, index: usize) -> u128 {
        self.0.get(index).copied().map_or(0, u128::from)
    }
}

impl From<u64> for Natural {
    fn from(value: u64) -> Self {
        Self(if value == 0 { Vec::new() } else { vec![value] })
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The lower and the upper 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "each half is taken on purpose")]
fn halves(value: u128) -> (u64, u64) {
    (value as u64, (value >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::{Natural, Number};

    fn natural(value: u128) -> Natural {
        let (low, high) = (u64::try_from(value & u128::from(u64::MAX)).unwrap(), u64::try_from(value >> 64).unwrap());
        let mut natural = Natural::from(high);
        natural.shift_left(64);
        natural.plus(&Natural::from(low))
    }

    #[test]
    fn arithmetic_is_that_of_integers() {
        let numbers = [0, 1, 9, 10, 0xffff_ffff, 1 << 32, (1 << 64) - 1, 1 << 64, 0x1234_5678_9abc_def0_1234_5678_9abc_def0];
        for a in numbers {
            for b in numbers {
                assert_eq!(natural(a).cmp(&natural(b)), a.cmp(&b), "{a} {b}");
                if let Some(sum) = a.checked_add(b) {
                    assert_eq!(natural(a).plus(&natural(b)), natural(sum), "{a} + {b}");
                }
                if b > 0 && a / b < 10 {
                    let mut rest = natural(a);
                    assert_eq!(u128::from(rest.take_digit(&natural(b))), a / b, "{a} / {b}");
                    assert_eq!(rest, natural(a % b), "{a} % {b}");
                }
            }
            let (mut shifted, mut scaled) = (natural(a >> 40), natural(a >> 90));
            shifted.shift_left(37);
            assert_eq!(shifted, natural((a >> 40) << 37));
            scaled.multiply_by_power_of_ten(19);
            assert_eq!(scaled, natural((a >> 90) * 10_u128.pow(19)));
        }
    }
}

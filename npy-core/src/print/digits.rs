//! The decimal digits of a binary number: the shortest unique ones, or an exact number of them.
//!
//! The algorithm of Steele and White in the form that Burger and Dybvig gave it ("Printing
//! Floating-Point Numbers Quickly and Accurately", 1996), in exact integers, with limits to the
//! digits as NumPy has them.

use std::cmp::Ordering;

use super::big::Natural;
use super::binary::Finite;

/// Decimal digits without leading zeros, but for a number that is rounded to 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Digits {
    /// In ASCII.
    pub(super) digits: String,
    /// The power of ten that the first digit stands for.
    pub(super) exponent: i32,
}

/// How many digits are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The fewest digits that distinguish the number from its neighbours, within these limits; the
    /// last one is rounded.
    Unique { least: Option<Count>, most: Option<Count> },
    /// The digits of the exact value up to this one, but no zeros at the end; the last one rounded,
    /// ties to even.
    Exact { most: Count },
}

/// Where the last digit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// A number of digits after the decimal point.
    BehindPoint(i32),
    /// A total number of digits.
    InAll(i32),
}

impl Count {
    /// The power of ten of the last digit, if the first one is of the power `first`.
    fn last(self, first: i32) -> i32 {
        match self {
            Self::BehindPoint(count) => -count,
            Self::InAll(count) => first + 1 - count,
        }
    }
}

/// The digits of a number.
pub(super) fn digits(number: Finite, wanted: Wanted) -> Digits {
    if number.is_zero() {
        return Digits { digits: "0".to_owned(), exponent: 0 };
    }
    let (at_least, most) = match wanted {
        Wanted::Unique { least, most } => (least, most),
        Wanted::Exact { most } => (None, Some(most)),
    };
    let (mut state, mut exponent) = State::new(number, wanted, most);
    let end = most.map(|count| count.last(exponent));
    // Before this one it does not end, though it could.
    let earliest = at_least.map(|count| count.last(exponent));
    let mut digits = Vec::new();
    let first = exponent;
    let round_up = loop {
        let digit = state.next_digit();
        let (low, high) = match wanted {
            Wanted::Unique { .. } => state.is_in_reach(number.mantissa.is_multiple_of(2)),
            Wanted::Exact { .. } => (false, false),
        };
        digits.push(digit);
        let may_end = match wanted {
            Wanted::Unique { .. } => (low || high) && earliest.is_none_or(|earliest| exponent <= earliest),
            Wanted::Exact { .. } => state.value.is_zero(),
        };
        if may_end || end == Some(exponent) {
            // Where both ends are in reach, or none is, the nearer one.
            break if low == high { state.is_nearer_above(digit) } else { high };
        }
        exponent -= 1;
    };
    let carried = round_up && increment(&mut digits);
    let digits = digits.into_iter().map(|digit| char::from(b'0' + digit)).collect();
    Digits { digits, exponent: first + i32::from(carried) }
}

/// The rest of the number in units of the next digit, as a fraction: `value` / `scale`, with half
/// the distances to its neighbours.
struct State {
    value: Natural,
    scale: Natural,
    below: Natural,
    above: Natural,
}

impl State {
    /// The state before the first digit, and the power of ten of that digit.
    ///
    /// With a limit behind the point the first digit is not beyond it: it is 0 for smaller numbers.
    fn new(number: Finite, wanted: Wanted, most: Option<Count>) -> (Self, i32) {
        // Quarters, so that half the distance to the nearer of two unequal neighbours is a whole
        // number.
        let mut value = Natural::from(number.mantissa);
        value.shift_left(2);
        let mut scale = Natural::from(4);
        let distances = match wanted {
            Wanted::Unique { .. } => (if number.is_nearer_below { 1 } else { 2 }, 2),
            // The neighbours do not matter.
            Wanted::Exact { .. } => (0, 0),
        };
        let (mut below, mut above) = (Natural::from(distances.0), Natural::from(distances.1));
        match number.exponent {
            up @ 0.. => {
                for part in [&mut value, &mut below, &mut above] {
                    part.shift_left(up.unsigned_abs());
                }
            }
            down => scale.shift_left(down.unsigned_abs()),
        }

        // The number is less than 10^power. Of the logarithm an estimate that is never too high is
        // enough.
        let bits = 63 - i64::from(number.mantissa.leading_zeros()) + i64::from(number.exponent);
        let mut power = i32::try_from(((bits * 78_913) >> 18) - 1).unwrap_or(0);
        if let Some(Count::BehindPoint(count)) = most {
            power = power.max(1 - count);
        }
        match power {
            up @ 0.. => scale.multiply_by_power_of_ten(up.unsigned_abs()),
            down => {
                for part in [&mut value, &mut below, &mut above] {
                    part.multiply_by_power_of_ten(down.unsigned_abs());
                }
            }
        }
        while value >= scale {
            scale.multiply(10);
            power += 1;
        }
        (Self { value, scale, below, above }, power - 1)
    }

    fn next_digit(&mut self) -> u8 {
        for part in [&mut self.value, &mut self.below, &mut self.above] {
            part.multiply(10);
        }
        self.value.take_digit(&self.scale)
    }

    /// Whether the digits so far, and whether those with the last one raised, are read as this
    /// number. The ends of the range are, if the mantissa is even.
    fn is_in_reach(&self, even: bool) -> (bool, bool) {
        let is_in_reach = |order: Ordering| order == Ordering::Less || even && order == Ordering::Equal;
        let low = self.value.cmp(&self.below);
        let high = self.scale.cmp(&self.value.plus(&self.above));
        (is_in_reach(low), is_in_reach(high))
    }

    /// Whether the rest is more than a half, or a half behind an odd digit.
    fn is_nearer_above(&self, digit: u8) -> bool {
        match self.value.plus(&self.value).cmp(&self.scale) {
            Ordering::Less => false,
            Ordering::Equal => digit % 2 == 1,
            Ordering::Greater => true,
        }
    }
}

/// Raises the last digit, and drops those that became 0. Says whether it became a single 1 one
/// place further left.
fn increment(digits: &mut Vec<u8>) -> bool {
    while digits.last() == Some(&9) {
        digits.pop();
    }
    match digits.last_mut() {
        Some(last) => {
            *last += 1;
            false
        }
        None => {
            digits.push(1);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::super::binary::{Finite, FloatKind, Magnitude};
    use super::{Count, Wanted, digits};
    use crate::format::dtype::ByteOrder;

    fn finite(kind: FloatKind, bytes: &[u8]) -> Option<Finite> {
        match kind.decode(bytes, ByteOrder::Little).magnitude {
            Magnitude::Finite(finite) => Some(finite),
            _ => None,
        }
    }

    /// In the form `1.25e-3`, as Rust writes floats.
    fn scientific(number: Finite, wanted: Wanted) -> String {
        let shortest = digits(number, wanted);
        let (first, rest) = shortest.digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{first}{point}{rest}e{}", shortest.exponent)
    }

    const SHORTEST: Wanted = Wanted::Unique { least: None, most: None };

    /// A generator of numbers that look random (xorshift64*).
    fn random_bits() -> impl Iterator<Item = u64> {
        std::iter::successors(Some(0x9e37_79b9_7f4a_7c15_u64), |&bits| {
            let bits = bits ^ bits >> 12;
            let bits = bits ^ bits << 25;
            Some(bits ^ bits >> 27)
        })
        .map(|bits| bits.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    /// Compares with the digits of the standard library, and says whether they differ.
    ///
    /// They may for a number in the middle between two of the shortest ones: this takes the even
    /// one, as Python does.
    fn check_shortest(number: Finite, value: f64, expected: &str) -> u32 {
        let ours = scientific(number, SHORTEST);
        if ours == expected {
            return 0;
        }
        let (digits, _) = ours.split_once('e').unwrap();
        // One digit more is the exact value.
        let exact = format!("{value:.*e}", digits.len() - 1);
        assert!(exact.contains("5e") && f64::from_str(&exact) == Ok(value), "{ours} instead of {expected}");
        assert!(digits.ends_with(['0', '2', '4', '6', '8']) && ours.len() == expected.len(), "{ours} instead of {expected}");
        1
    }

    #[test]
    fn shortest_digits_are_those_of_the_standard_library() {
        let special = [0, 1, 2, 3, f64::MIN_POSITIVE.to_bits(), f64::MAX.to_bits(), 1e23_f64.to_bits(), 9.5e-323_f64.to_bits()];
        let powers = (0..2046).map(|exponent| exponent << 52);
        let (mut compared, mut ties) = (0, 0);
        for bits in special.into_iter().chain(powers).chain(random_bits().take(3_000)) {
            let value = f64::from_bits(bits & !(1 << 63));
            if let Some(number) = finite(FloatKind::Double, &value.to_le_bytes()) {
                ties += check_shortest(number, value, &format!("{value:e}"));
                compared += 1;
            }
        }
        assert!(compared > 4_500);
        let (powers, random) = ((0..255).map(|exponent| exponent << 23), random_bits().take(3_000));
        for bits in powers.chain(random.map(|bits| u32::try_from(bits >> 33).unwrap())) {
            let value = f32::from_bits(bits);
            if let Some(number) = finite(FloatKind::Single, &value.to_le_bytes()) {
                ties += check_shortest(number, f64::from(value), &format!("{value:e}"));
            }
        }
        assert!((1..100).contains(&ties), "{ties} ties");
    }

    #[test]
    fn exact_digits_are_those_of_the_standard_library() {
        for bits in random_bits().take(300) {
            let value = f64::from_bits(bits & !(1 << 63));
            let Some(number) = finite(FloatKind::Double, &value.to_le_bytes()) else { continue };
            for count in [1, 2, 5, 17, 30] {
                let ours = scientific(number, Wanted::Exact { most: Count::InAll(count) });
                let exact = format!("{value:.*e}", usize::try_from(count).unwrap() - 1);
                let (mantissa, exponent) = exact.split_once('e').unwrap();
                let (ours, our_exponent) = ours.split_once('e').unwrap();
                let trim = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
                assert_eq!((trim(ours), our_exponent), (trim(mantissa), exponent), "{value:e} with {count}");
            }
        }
    }

    #[test]
    fn digits_beyond_the_limit_are_rounded_away() {
        let number = |value: f64| finite(FloatKind::Double, &value.to_le_bytes()).unwrap();
        let cut = |value, count| scientific(number(value), Wanted::Unique { least: None, most: Some(Count::BehindPoint(count)) });
        assert_eq!(cut(1e-10, 8), "0e-8");
        assert_eq!(cut(6e-9, 8), "1e-8");
        assert_eq!(cut(0.5, 0), "0e0");
        assert_eq!(cut(1.5, 0), "2e0");
        assert_eq!(cut(0.96, 0), "1e0");
        assert_eq!(cut(99.96, 1), "1e2");
        assert_eq!(cut(1.0 / 3.0, 8), "3.3333333e-1");
    }
}

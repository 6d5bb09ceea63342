//! The decimal digits of a binary number: the shortest unique ones, or an exact number of them.
//!
//! The crate `zmij` generates the shortest digits of singles and doubles. Fixed-point numbers are
//! rounded in 128 bits. The algorithm of Steele and White generates all other digits in exact
//! integers, as in Burger and Dybvig, "Printing Floating-Point Numbers Quickly and Accurately" (1996).

use std::cmp::Ordering;

use super::big::{Natural, Number};
use super::binary::{Finite, FloatKind};
use super::decimal::{MOST_IN_64_BITS, decimal};

/// Decimal digits without leading and trailing zeros, except for the number 0.
#[derive(Clone, Debug)]
pub(super) struct Digits {
    /// All digits in ASCII, or none if there are more than [`MOST_FEW`].
    few: [u8; MOST_FEW],
    length: usize,
    many: Vec<u8>,
    /// The power of ten of the first digit.
    pub(super) exponent: i32,
}

/// The most digits that are stored without an allocation: enough for the shortest of any number.
const MOST_FEW: usize = 24;

/// The digits to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The fewest digits that round-trip, within these limits. The last one is rounded.
    Unique { least: Option<Count>, most: Option<Count> },
    /// The digits of the exact value up to this one, without trailing zeros. The last one is rounded,
    /// ties to even.
    Exact { most: Count },
}

/// The position of the last digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// A number of digits after the decimal point.
    AfterPoint(i32),
    /// A total number of digits.
    Total(i32),
}

impl Count {
    /// The power of ten of the last digit, if the first one is of the power `first`.
    fn last(self, first: i32) -> i32 {
        match self {
            Self::AfterPoint(count) => -count,
            Self::Total(count) => first + 1 - count,
        }
    }
}

/// The digits of a number.
pub(super) fn digits(kind: FloatKind, number: Finite, wanted: Wanted) -> Digits {
    if number.is_zero() {
        return Digits::ZERO;
    }
    if let Some((rounded, places)) = fixed_point(number, wanted) {
        return Digits::of_integer(rounded, -places);
    }
    let found = match wanted {
        Wanted::Unique { most: None, .. } => Some(shortest(kind, number)),
        Wanted::Unique { least: None, most: Some(most) } => {
            let mut digits = shortest(kind, number);
            digits.round(most).then_some(digits)
        }
        Wanted::Unique { .. } | Wanted::Exact { .. } => None,
    };
    found.unwrap_or_else(|| generate(number, wanted))
}

/// Rounds a number to the wanted digits in fixed-point arithmetic.
///
/// Returns it in units of the last digit, with the place of that digit after the point. `None` if the
/// wanted digits are not the nearest number, or exceed 64 bits.
///
/// Without this fast path, printing an array takes 1.3 to 2 times as long, and with a precision of 17 up
/// to 6.8 times.
pub(super) fn fixed_point(number: Finite, wanted: Wanted) -> Option<(u64, i32)> {
    let (count, is_nearest) = match wanted {
        Wanted::Unique { least: None, most: Some(most) } => (most, false),
        Wanted::Unique { least: Some(count), .. } => (count, !number.is_nearer_below),
        Wanted::Exact { most } => (most, true),
        Wanted::Unique { .. } => return None,
    };
    let (rounded, places) = number.round(count)?;
    // The shortest digits are the nearest number if the neighbours are nearer than a unit of the last
    // digit. Those of an integer are the integer if its neighbours are nearer than the next integer.
    let is_nearest = is_nearest || number.is_finer_than(places) || number.is_integer() && number.is_finer_than(0);
    is_nearest.then_some((rounded, places))
}

/// The shortest digits that round-trip.
pub(super) fn shortest(kind: FloatKind, number: Finite) -> Digits {
    let value = number.to_f64();
    match (kind, value) {
        #[expect(clippy::cast_possible_truncation, reason = "the number is a single")]
        (FloatKind::Single, Some(value)) => Digits::parse(zmij::Buffer::new().format_finite(value as f32)),
        (FloatKind::Double, Some(value)) => Digits::parse(zmij::Buffer::new().format_finite(value)),
        _ => generate(number, Wanted::Unique { least: None, most: None }),
    }
}

/// The powers of ten in 64 bits.
const POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut power = 1;
    while power < powers.len() {
        powers[power] = powers[power - 1] * 10;
        power += 1;
    }
    powers
};

pub(super) fn power_of_ten(power: impl TryInto<usize>) -> Option<u64> {
    POWERS_OF_TEN.get(power.try_into().ok()?).copied()
}

impl Finite {
    /// Rounds to this count of digits, ties to even. Returns the number in units of the last digit, and
    /// the place of that digit after the point. `None` beyond 64 bits.
    fn round(self, count: Count) -> Option<(u64, i32)> {
        match count {
            Count::AfterPoint(places) => Some((self.in_units(places)?, places)),
            Count::Total(count) if self.is_zero() => Some((0, count - 1)),
            Count::Total(count) => {
                let places = count - 1 - self.estimate_first();
                let rounded = self.in_units(places)?;
                if rounded < power_of_ten(count)? {
                    Some((rounded, places))
                } else {
                    Some((self.in_units(places - 1)?, places - 1))
                }
            }
        }
    }

    /// Returns whether this count of digits certainly round-trips.
    pub(super) fn round_trips_with(self, count: Count) -> bool {
        let error = || {
            let (rounded, places) = self.round(count)?;
            let unit = power_of_ten(places)?;
            let down = self.exponent.unsigned_abs().min(127);
            Some((unit, (u128::from(rounded) << down).abs_diff(u128::from(self.mantissa) * u128::from(unit))))
        };
        // The neighbours are at least half a unit away.
        error().is_some_and(|(unit, error)| error == 0 || error < u128::from(unit / 4))
    }

    /// Rounds to this place after the point, in units of it, ties to even.
    fn in_units(self, places: i32) -> Option<u64> {
        let scaled = u128::from(self.mantissa) * u128::from(power_of_ten(places)?);
        let down = match self.exponent {
            ..=-129 => return Some(0),
            exponent @ -127..=-1 => exponent.unsigned_abs(),
            _ => return None,
        };
        let (rounded, rest, half) = (scaled >> down, scaled & ((1 << down) - 1), 1 << (down - 1));
        let round_up = rest > half || rest == half && rounded % 2 == 1;
        u64::try_from(rounded + u128::from(round_up)).ok()
    }

    fn is_integer(self) -> bool {
        self.mantissa.trailing_zeros() >= self.exponent.min(0).unsigned_abs()
    }

    /// The power of ten of the first digit, or the one below. Beyond 400 digits it may be the one above.
    fn estimate_first(self) -> i32 {
        let bits = 63 - i64::from(self.mantissa.leading_zeros()) + i64::from(self.exponent);
        i32::try_from((bits * 78_913) >> 18).unwrap_or(0)
    }

    /// Returns whether its neighbours are nearer than a unit of this place after the point.
    fn is_finer_than(self, places: i32) -> bool {
        let down = self.exponent.checked_neg().and_then(|down| u32::try_from(down).ok());
        down.zip(power_of_ten(places)).is_some_and(|(down, power)| power.checked_shr(down).unwrap_or(0) == 0)
    }

    /// The number as a double, if it is one.
    fn to_f64(self) -> Option<f64> {
        const FRACTION_BITS: u32 = 52;
        let shift = i32::try_from(self.mantissa.leading_zeros()).ok()? - 11;
        let mantissa = self.mantissa.checked_shl(u32::try_from(shift).ok()?)?;
        let biased = self.exponent - shift + 1075;
        match u64::try_from(biased) {
            Ok(biased @ 1..2047) => Some(f64::from_bits((biased << FRACTION_BITS) | (mantissa & ((1 << FRACTION_BITS) - 1)))),
            _ => (self.exponent == -1074).then(|| f64::from_bits(self.mantissa)),
        }
    }
}

impl Digits {
    const ZERO: Self = Self { few: [b'0'; MOST_FEW], length: 1, many: Vec::new(), exponent: 0 };

    /// The number in units of this place after the point. `None` if it has more digits, or beyond 64 bits.
    pub(super) fn in_units(&self, places: i32) -> Option<u64> {
        let zeros = places + self.exponent + 1 - self.count();
        let append = |number: u64, digit: &u8| number.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
        self.ascii().iter().try_fold(0, append)?.checked_mul(power_of_ten(zeros)?)
    }

    fn count(&self) -> i32 {
        i32::try_from(self.ascii().len()).unwrap_or(i32::MAX)
    }

    fn ascii(&self) -> &[u8] {
        if self.many.is_empty() { self.few.get(..self.length).unwrap_or_default() } else { &self.many }
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(self.ascii()).unwrap_or_default()
    }

    /// The digits of an integer in units of a power of ten.
    fn of_integer(value: u64, unit: i32) -> Self {
        if value == 0 {
            return Self::ZERO;
        }
        let mut buffer = [0; MOST_IN_64_BITS];
        let begin = decimal(value, &mut buffer);
        let text = &buffer[begin..];
        let mut digits = Self { length: 0, exponent: unit + i32::try_from(text.len()).unwrap_or(0) - 1, ..Self::ZERO };
        digits.push(text);
        digits.trim();
        digits
    }

    /// Converts values of digits, which may end in zeros.
    fn of_digits(mut digits: Vec<u8>, exponent: i32) -> Self {
        digits.truncate(digits.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1));
        if digits.is_empty() {
            return Self::ZERO;
        }
        for digit in &mut digits {
            *digit += b'0';
        }
        if digits.len() > MOST_FEW {
            return Self { many: digits, exponent, ..Self::ZERO };
        }
        let mut few = Self { length: 0, exponent, ..Self::ZERO };
        few.push(&digits);
        few
    }

    /// Parses the text of a positive number, such as `0.00125`, `1.25e-3` or `125.0`.
    pub(super) fn parse(text: &str) -> Self {
        let text = text.as_bytes();
        let letter = text.iter().rposition(|&byte| byte == b'e').unwrap_or(text.len());
        let (text, exponent) = text.split_at(letter);
        let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
        let (whole, fraction) = (&text[..point], text.get(point + 1..).unwrap_or_default());
        let digits_of = |digits: &[u8]| digits.iter().fold(0, |number, digit| number * 10 + i32::from(digit - b'0'));
        let exponent = match exponent {
            [b'e', b'-', digits @ ..] => -digits_of(digits),
            [b'e', b'+', digits @ ..] | [b'e', digits @ ..] => digits_of(digits),
            _ => 0,
        };
        let mut digits = Self { length: 0, exponent, ..Self::ZERO };
        if whole == b"0" {
            let zeros = fraction.iter().take_while(|&&digit| digit == b'0').count();
            digits.exponent -= i32::try_from(zeros).unwrap_or(0) + 1;
            digits.push(&fraction[zeros..]);
        } else {
            digits.exponent += i32::try_from(whole.len()).unwrap_or(0) - 1;
            digits.push(whole);
            digits.push(fraction);
            digits.trim();
        }
        digits
    }

    fn push(&mut self, digits: &[u8]) {
        let end = self.length + digits.len();
        if let Some(place) = self.few.get_mut(self.length..end) {
            place.copy_from_slice(digits);
            self.length = end;
        }
    }

    /// Drops zeros at the end.
    fn trim(&mut self) {
        while self.length > 1 && self.few.get(self.length - 1) == Some(&b'0') {
            self.length -= 1;
        }
    }

    /// Rounds the shortest digits of a number as the number itself is to be rounded. Says whether
    /// they tell how.
    ///
    /// No number with fewer digits reads as the same number. Hence the middle between two numbers
    /// of the wanted digits, which has one digit more than they have, lies on the same side of both
    /// the shortest digits and the number, unless it is the shortest digits itself.
    fn round(&mut self, most: Count) -> bool {
        let kept = match most {
            Count::AfterPoint(places) => self.exponent.saturating_add(places).saturating_add(1),
            Count::Total(count) => count,
        };
        let Ok(kept) = usize::try_from(kept) else {
            *self = Self::ZERO;
            return true;
        };
        let dropped = match self.few.get(kept..self.length) {
            None | Some([]) => return true,
            Some([b'5']) => return false,
            Some(dropped) => dropped,
        };
        let round_up = dropped.first() >= Some(&b'5');
        self.length = kept;
        if round_up {
            while self.length > 0 && self.few.get(self.length - 1) == Some(&b'9') {
                self.length -= 1;
            }
            match self.length.checked_sub(1).and_then(|last| self.few.get_mut(last)) {
                Some(last) => *last += 1,
                None => *self = Self::of_integer(1, self.exponent + 1),
            }
        } else if kept == 0 {
            *self = Self::ZERO;
        } else {
            self.trim();
        }
        true
    }
}

/// Generates the digits of a number other than 0, one after the other.
fn generate(number: Finite, wanted: Wanted) -> Digits {
    let (least, most) = match wanted {
        Wanted::Unique { least, most } => (least, most),
        Wanted::Exact { most } => (None, Some(most)),
    };
    // The first digit is within a limit of digits after the point: it is 0 for smaller numbers.
    let power = match most {
        Some(Count::AfterPoint(count)) => number.estimate_first().max(1 - count),
        _ => number.estimate_first(),
    };
    // An upper bound of the bits of a power of ten.
    let bits = |power: i32| u32::try_from(power).unwrap_or(0) * 10 / 3 + 1;
    let value = 64 - number.mantissa.leading_zeros() + u32::try_from(number.exponent).unwrap_or(0) + bits(-power);
    let scale = u32::try_from(-number.exponent).unwrap_or(0) + bits(power);
    // 16 bits for quarters, three factors of ten and a sum. Digits after the last unique one have no
    // bound.
    if least.is_none() && value.max(scale) <= 128 - 16 {
        State::<u128>::new(number, wanted, power).digits(number, least, most)
    } else {
        State::<Natural>::new(number, wanted, power).digits(number, least, most)
    }
}

/// The rest of the number in units of the next digit, as a fraction: `value` / `scale`, with half
/// the distances to its neighbours.
struct State<N> {
    value: N,
    scale: N,
    below: N,
    above: N,
    /// Whether digits end as soon as they round-trip.
    is_unique: bool,
    /// The power of ten of the first digit.
    first: i32,
}

impl<N: Number> State<N> {
    /// The state before the first digit of a number below ten to the `power`, or up to 100 times that.
    fn new(number: Finite, wanted: Wanted, power: i32) -> Self {
        // Quarters, so that half the distance to the nearer of two unequal neighbours is a whole
        // number.
        let mut value = N::from(number.mantissa);
        value.shift_left(2);
        let mut scale = N::from(4);
        let is_unique = matches!(wanted, Wanted::Unique { .. });
        // The neighbours do not matter for exact digits.
        let distances = if is_unique { (if number.is_nearer_below { 1 } else { 2 }, 2) } else { (0, 0) };
        let (mut below, mut above) = (N::from(distances.0), N::from(distances.1));
        match number.exponent {
            up @ 0.. => {
                for part in [&mut value, &mut below, &mut above] {
                    part.shift_left(up.unsigned_abs());
                }
            }
            down => scale.shift_left(down.unsigned_abs()),
        }
        match power {
            up @ 0.. => scale.multiply_by_power_of_ten(up.unsigned_abs()),
            down => {
                for part in [&mut value, &mut below, &mut above] {
                    part.multiply_by_power_of_ten(down.unsigned_abs());
                }
            }
        }
        let mut first = power - 1;
        while value >= scale {
            scale.multiply(10);
            first += 1;
        }
        Self { value, scale, below, above, is_unique, first }
    }

    fn digits(mut self, number: Finite, least: Option<Count>, most: Option<Count>) -> Digits {
        let first = self.first;
        let end = most.map(|count| count.last(first));
        // The digits do not end before this one.
        let earliest = least.map(|count| count.last(first));
        let mut digits = Vec::new();
        let mut exponent = first;
        let round_up = loop {
            let digit = self.next_digit();
            let (low, high) = if self.is_unique { self.is_in_reach(number.mantissa.is_multiple_of(2)) } else { (false, false) };
            digits.push(digit);
            let may_end = if self.is_unique {
                (low || high) && earliest.is_none_or(|earliest| exponent <= earliest)
            } else {
                self.value.is_zero()
            };
            if may_end || end == Some(exponent) {
                // The nearer one, if both or neither are in reach.
                break if low == high { self.is_nearer_above(digit) } else { high };
            }
            exponent -= 1;
        };
        let carried = round_up && increment(&mut digits);
        Digits::of_digits(digits, first + i32::from(carried))
    }

    fn next_digit(&mut self) -> u8 {
        for part in [&mut self.value, &mut self.below, &mut self.above] {
            part.multiply(10);
        }
        self.value.take_digit(&self.scale)
    }

    /// Returns whether the digits so far round-trip, and whether they do with the last one raised.
    ///
    /// The ends of the interval of rounding belong to it if the mantissa is even.
    fn is_in_reach(&self, even: bool) -> (bool, bool) {
        let is_in_reach = |order: Ordering| order == Ordering::Less || even && order == Ordering::Equal;
        let low = self.value.cmp(&self.below);
        let high = self.scale.cmp(&self.value.plus(&self.above));
        (is_in_reach(low), is_in_reach(high))
    }

    /// Returns whether the rest is more than a half, or a half after an odd digit.
    fn is_nearer_above(&self, digit: u8) -> bool {
        match self.value.plus(&self.value).cmp(&self.scale) {
            Ordering::Less => false,
            Ordering::Equal => digit % 2 == 1,
            Ordering::Greater => true,
        }
    }
}

/// Raises the last digit and drops zeros. Returns whether it carried to a single 1, one place to the
/// left.
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
    use super::{Count, Digits, Wanted, digits, generate};
    use crate::format::dtype::ByteOrder;
    use crate::some::some;

    fn finite(kind: FloatKind, bytes: &[u8]) -> Option<Finite> {
        match kind.decode(bytes, ByteOrder::Little).magnitude {
            Magnitude::Finite(finite) => Some(finite),
            _ => None,
        }
    }

    /// In the form `1.25e-3`, as Rust writes floats.
    fn scientific(digits: &Digits) -> String {
        let (first, rest) = digits.as_str().split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{first}{point}{rest}e{}", digits.exponent)
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

    /// Compares with the digits of the standard library. Returns whether they differ.
    ///
    /// They may for a number in the middle between two of the shortest ones: this takes the even
    /// one, as Python does.
    fn check_shortest(number: Finite, value: f64, expected: &str) -> u32 {
        let ours = scientific(&generate(number, SHORTEST));
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
                let ours = scientific(&generate(number, Wanted::Exact { most: Count::Total(count) }));
                let exact = format!("{value:.*e}", usize::try_from(count).unwrap() - 1);
                let (mantissa, exponent) = exact.split_once('e').unwrap();
                let (ours, our_exponent) = ours.split_once('e').unwrap();
                let trim = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
                assert_eq!((trim(ours), our_exponent), (trim(mantissa), exponent), "{value:e} with {count}");
            }
        }
    }

    /// Numbers whose digits are few, many, or just as many as are wanted, up to a 5 at the end.
    fn numbers(kind: FloatKind) -> Vec<Finite> {
        let powers = (1..2046).step_by(19).map(|exponent| f64::from_bits(exponent << 52));
        let random = random_bits().take(200).map(|bits| f64::from_bits(bits & !(1 << 63)));
        let rounded = random_bits().take(600).enumerate().map(|(index, bits)| {
            let power = i32::try_from(index % 23).unwrap() - 11;
            f64::from(u32::try_from(bits >> (33 + index % 30)).unwrap()) * 5.0 * 10_f64.powi(power)
        });
        let halves = (1..100).map(|number| f64::from(number) / 16.0);
        let values = powers.chain(random).chain(rounded).chain(halves).filter(|value| *value != 0.0);
        let of_kind = |value: f64| match kind {
            FloatKind::Double => finite(kind, &value.to_le_bytes()),
            #[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
            FloatKind::Single => finite(kind, &(value as f32).to_le_bytes()).filter(|number| !number.is_zero()),
            _ => finite(kind, &value.to_le_bytes()[4..6]).filter(|number| !number.is_zero()),
        };
        values.filter_map(of_kind).collect()
    }

    fn check(kind: FloatKind, number: Finite, wanted: Wanted) -> String {
        let generated = scientific(&generate(number, wanted));
        assert_eq!(scientific(&digits(kind, number, wanted)), generated, "{number:?} {wanted:?}");
        generated
    }

    #[test]
    fn all_ways_to_the_digits_agree() {
        let counts = |most: i32| (0..most).map(Count::AfterPoint).chain((1..most).map(Count::Total));
        for kind in [FloatKind::Double, FloatKind::Single, FloatKind::Half] {
            for (index, number) in numbers(kind).into_iter().enumerate() {
                check(kind, number, SHORTEST);
                for count in some(counts(19).cycle().skip(index % 5).take(37), 5) {
                    let limits = [(None, Some(count)), (Some(count), Some(count))];
                    let unique = limits.map(|(least, most)| Wanted::Unique { least, most });
                    for wanted in unique.into_iter().chain([Wanted::Exact { most: count }]) {
                        check(kind, number, wanted);
                    }
                }
            }
        }
    }

    #[test]
    fn digits_beyond_the_limit_are_rounded_away() {
        let number = |value: f64| finite(FloatKind::Double, &value.to_le_bytes()).unwrap();
        let cut = |value, count| {
            check(FloatKind::Double, number(value), Wanted::Unique { least: None, most: Some(Count::AfterPoint(count)) })
        };
        assert_eq!(cut(1e-10, 8), "0e0");
        assert_eq!(cut(6e-9, 8), "1e-8");
        assert_eq!(cut(0.5, 0), "0e0");
        assert_eq!(cut(1.5, 0), "2e0");
        assert_eq!(cut(0.96, 0), "1e0");
        assert_eq!(cut(99.96, 1), "1e2");
        assert_eq!(cut(1.0 / 3.0, 8), "3.3333333e-1");
    }
}

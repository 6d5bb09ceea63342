//! Integers of any size.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// Digits to which Python itself converts between integers and text (`sys.get_int_max_str_digits`):
/// it takes time that grows with their square.
const MOST_DIGITS: usize = 4300;

/// The largest power of ten below 2⁶⁴.
const CHUNK: u64 = 10_000_000_000_000_000_000;
const CHUNK_DIGITS: usize = 19;

/// A Python integer of any size.
///
/// It is made of Rust's integers and of text, compared, and printed; there is no arithmetic.
///
/// ```
/// use npy_core::object::PyInt;
///
/// let large: PyInt = "-170141183460469231731687303715884105729".parse()?;
/// assert_eq!(large.to_i128(), None);
/// assert_eq!(large.to_string(), "-170141183460469231731687303715884105729");
/// assert_eq!(PyInt::from(5).to_i64(), Some(5));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PyInt(Repr);

/// Small wherever it fits, so that equal integers are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Large(Box<Large>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Large {
    is_negative: bool,
    /// The least significant first; the last is not 0.
    magnitude: Vec<u64>,
}

impl PyInt {
    /// Returns the integer as an `i64`, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(value) => Some(*value),
            Repr::Large(_) => None,
        }
    }

    /// Returns the integer as an `i128`, if it fits.
    ///
    /// ```
    /// # use npy_core::object::PyInt;
    /// assert_eq!(PyInt::from(u64::MAX).to_i128(), Some(u64::MAX.into()));
    /// ```
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Repr::Small(value) => Some(i128::from(*value)),
            Repr::Large(large) => {
                let magnitude = match large.magnitude.as_slice() {
                    [low] => u128::from(*low),
                    [low, high] => u128::from(*low) | u128::from(*high) << 64,
                    _ => return None,
                };
                if large.is_negative { 0_i128.checked_sub_unsigned(magnitude) } else { i128::try_from(magnitude).ok() }
            }
        }
    }

    /// Returns the nearest `f64`, as Python's `float` does, or `None` if the integer is too large.
    ///
    /// ```
    /// # use npy_core::object::PyInt;
    /// assert_eq!(PyInt::from(1_i64 << 60).to_f64(), Some(1152921504606846976.0));
    /// ```
    pub fn to_f64(&self) -> Option<f64> {
        const LIMBS: usize = 17; // 2¹⁰²⁴ has that many.
        if let Repr::Large(large) = &self.0
            && large.magnitude.len() > LIMBS
        {
            return None;
        }
        // Reading digits rounds to the nearest, ties to even.
        self.to_string().parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Whether it is above 0, whatever its size at the same cost.
    pub(crate) fn is_positive(&self) -> bool {
        match &self.0 {
            Repr::Small(value) => *value > 0,
            Repr::Large(large) => !large.is_negative,
        }
    }

    /// An integer in two's complement, the least significant byte first, as pickles have it.
    pub(crate) fn from_le_bytes(bytes: &[u8]) -> Self {
        let is_negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
        let fill = if is_negative { 0xff } else { 0 };
        let mut magnitude: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| {
                let mut limb = [fill; 8];
                limb.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
                u64::from_le_bytes(limb)
            })
            .collect();
        if is_negative {
            negate(&mut magnitude);
        }
        Self::from_parts(is_negative, magnitude)
    }

    /// The shortest two's complement, the least significant byte first.
    pub(crate) fn to_le_bytes(&self) -> Vec<u8> {
        let (is_negative, mut limbs) = match &self.0 {
            Repr::Small(value) => (*value < 0, vec![value.cast_unsigned()]),
            Repr::Large(large) => {
                let mut limbs = large.magnitude.clone();
                limbs.push(0);
                if large.is_negative {
                    negate(&mut limbs);
                }
                (large.is_negative, limbs)
            }
        };
        let mut bytes: Vec<u8> = limbs.drain(..).flat_map(u64::to_le_bytes).collect();
        let fill = if is_negative { 0xff } else { 0 };
        // The last byte says the sign.
        while let [.., before, last] = bytes.as_slice() {
            if *last != fill || (*before >= 0x80) != is_negative {
                break;
            }
            bytes.pop();
        }
        bytes
    }

    fn from_parts(is_negative: bool, mut magnitude: Vec<u64>) -> Self {
        while magnitude.last() == Some(&0) {
            magnitude.pop();
        }
        let small = match magnitude.as_slice() {
            [] => Some(0),
            [limb] if is_negative => 0_i64.checked_sub_unsigned(*limb),
            [limb] => i64::try_from(*limb).ok(),
            _ => None,
        };
        Self(small.map_or_else(|| Repr::Large(Box::new(Large { is_negative, magnitude })), Repr::Small))
    }
}

/// Two's complement: the complement of all bits, plus one.
fn negate(limbs: &mut [u64]) {
    let mut carry = true;
    for limb in limbs {
        (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
    }
}

macro_rules! from_small {
    ($($integer:ty)*) => {$(
        impl From<$integer> for PyInt {
            fn from(value: $integer) -> Self {
                Self(Repr::Small(i64::from(value)))
            }
        }
    )*};
}

from_small! { i8 i16 i32 i64 u8 u16 u32 }

impl From<u64> for PyInt {
    fn from(value: u64) -> Self {
        Self::from_parts(false, vec![value])
    }
}

impl From<i128> for PyInt {
    fn from(value: i128) -> Self {
        Self::from_le_bytes(&value.to_le_bytes())
    }
}

/// In decimal; in hexadecimal if it has more than about 4300 digits, which Python refuses to print.
impl fmt::Display for PyInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let large = match &self.0 {
            Repr::Small(value) => return value.fmt(f),
            Repr::Large(large) => large,
        };
        let mut digits = String::new();
        if large.magnitude.len() > MOST_DIGITS / CHUNK_DIGITS {
            let mut limbs = large.magnitude.iter().rev();
            digits.push_str("0x");
            digits.push_str(&limbs.next().map(|limb| format!("{limb:x}")).unwrap_or_default());
            limbs.try_for_each(|limb| write!(digits, "{limb:016x}"))?;
        } else {
            let mut limbs = large.magnitude.clone();
            let mut chunks = Vec::new();
            while !limbs.is_empty() {
                chunks.push(divide(&mut limbs));
            }
            let mut chunks = chunks.into_iter().rev();
            digits.push_str(&chunks.next().unwrap_or_default().to_string());
            chunks.try_for_each(|chunk| write!(digits, "{chunk:0CHUNK_DIGITS$}"))?;
        }
        f.pad_integral(!large.is_negative, "", &digits)
    }
}

/// Divides by `CHUNK`, and returns the remainder.
fn divide(limbs: &mut Vec<u64>) -> u64 {
    let mut remainder = 0_u64;
    for limb in limbs.iter_mut().rev() {
        let dividend = u128::from(remainder) << 64 | u128::from(*limb);
        // Below 2⁶⁴, because the remainder is below the divisor.
        *limb = u64::try_from(dividend / u128::from(CHUNK)).unwrap_or(u64::MAX);
        remainder = u64::try_from(dividend % u128::from(CHUNK)).unwrap_or(u64::MAX);
    }
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
    remainder
}

/// Decimal digits with a sign or without, at most 4300 of them.
impl FromStr for PyInt {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let invalid = || ErrorKind::InvalidInteger { text: super::super::pickle::text::excerpt(text.as_bytes()) };
        parse(text).ok_or_else(|| invalid().into())
    }
}

/// An integer in decimal digits.
pub(crate) fn parse(text: &str) -> Option<PyInt> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || digits.len() > MOST_DIGITS || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut magnitude: Vec<u64> = Vec::new();
    let first = digits.len() % CHUNK_DIGITS;
    let (head, tail) = digits.split_at(first);
    let tail = tail.as_bytes().chunks(CHUNK_DIGITS).filter_map(|chunk| str::from_utf8(chunk).ok());
    for chunk in std::iter::once(head).filter(|head| !head.is_empty()).chain(tail) {
        let mut carry: u64 = chunk.parse().ok()?;
        let factor = u128::from(10_u64.checked_pow(u32::try_from(chunk.len()).ok()?)?);
        for limb in &mut magnitude {
            let product = u128::from(*limb).checked_mul(factor)?.checked_add(u128::from(carry))?;
            // The low and the high half.
            *limb = u64::try_from(product & u128::from(u64::MAX)).ok()?;
            carry = u64::try_from(product >> 64).ok()?;
        }
        if carry > 0 {
            magnitude.push(carry);
        }
    }
    Some(PyInt::from_parts(is_negative, magnitude))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_survive_text_and_bytes() {
        let edges =
            [0_i128, 1, -1, 127, 128, -128, -129, 255, 256, 1 << 31, i64::MAX.into(), i64::MIN.into(), 1 << 63, -(1 << 63) - 1];
        for value in edges.into_iter().chain([u64::MAX.into(), 1 << 64, -(1 << 64), i128::MAX, i128::MIN]) {
            let integer = PyInt::from(value);
            assert_eq!(integer.to_string(), value.to_string());
            assert_eq!(integer.to_i128(), Some(value));
            assert_eq!(integer.to_i64(), i64::try_from(value).ok());
            assert_eq!(value.to_string().parse::<PyInt>().unwrap(), integer);
            assert_eq!(PyInt::from_le_bytes(&integer.to_le_bytes()), integer);
            assert!(value.to_le_bytes().starts_with(&integer.to_le_bytes()));
        }
        let digits = format!("-1{}7", "0123456789".repeat(400));
        let large: PyInt = digits.parse().unwrap();
        assert_eq!(large.to_string(), digits);
        assert_eq!(PyInt::from_le_bytes(&large.to_le_bytes()), large);
        assert_eq!((large.to_i128(), large.to_f64()), (None, None));
        assert!("9".repeat(4301).parse::<PyInt>().is_err() && "".parse::<PyInt>().is_err() && "1_0".parse::<PyInt>().is_err());
        assert_eq!(PyInt::from_le_bytes(&[1; 2000]).to_string(), format!("0x{}", "01".repeat(2000).trim_start_matches('0')));
        assert_eq!("1".repeat(300).parse::<PyInt>().unwrap().to_f64(), Some("1".repeat(300).parse().unwrap()));
        assert_eq!(PyInt::from_le_bytes(&[]).to_i64(), Some(0));
    }
}

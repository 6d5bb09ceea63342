//! Integers of any size.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use num_bigint::{BigInt, Sign};

use crate::error::{Error, ErrorKind, excerpt};

/// Python's limit of digits (`sys.get_int_max_str_digits`). Conversion takes quadratic time.
const MOST_DIGITS: usize = 4300;

/// The bits of about that many digits.
const MOST_BITS: u64 = MOST_DIGITS as u64 * 10 / 3;

/// A Python integer of any size.
///
/// It converts from and to Rust's integers and text. There is no arithmetic.
///
/// ```
/// use npy_core::object::PyInt;
///
/// let large: PyInt = "-170141183460469231731687303715884105729".parse()?;
/// assert_eq!(large.to_i128(), None);
/// assert_eq!(large.to_string(), "-170141183460469231731687303715884105729");
/// assert_eq!(PyInt::from(5).to_i64(), Some(5));
/// assert_eq!(PyInt::from(1_i64 << 60).to_f64(), Some(1152921504606846976.0));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PyInt(Repr);

/// `Small` for every integer that fits, so that equality is derived. With a `BigInt` alone, small integers took 1.2 times as long to
/// read, and 1.35 times to print.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Large(Box<BigInt>),
}

impl PyInt {
    /// Returns the integer as an `i64`, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(value) => Some(value),
            Repr::Large(_) => None,
        }
    }

    /// Returns the integer as an `i128`, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        i128::try_from(&*self.big()).ok()
    }

    /// The integer as a `u128`, if it fits.
    pub(crate) fn to_u128(&self) -> Option<u128> {
        u128::try_from(&*self.big()).ok()
    }

    /// Returns the nearest `f64`, as Python's `float` does, or `None` if the integer is too large.
    pub fn to_f64(&self) -> Option<f64> {
        if self.big().bits() > f64::MAX_EXP.unsigned_abs().into() {
            return None;
        }
        // Reading digits rounds to the nearest, ties to even.
        self.to_string().parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Returns whether the integer is above 0.
    pub(crate) fn is_positive(&self) -> bool {
        self.big().sign() == Sign::Plus
    }

    /// Converts from two's complement, little-endian, as in pickles.
    pub(crate) fn from_le_bytes(bytes: &[u8]) -> Self {
        Self::from_big(BigInt::from_signed_bytes_le(bytes))
    }

    /// Converts to the shortest two's complement, little-endian: Python's `int.from_bytes(…, "little", signed=True)` reads it.
    ///
    /// ```
    /// use npy_core::object::PyInt;
    ///
    /// assert_eq!(PyInt::from(-2).to_le_bytes(), [0xfe]);
    /// assert_eq!(PyInt::from(255).to_le_bytes(), [0xff, 0]);
    /// ```
    pub fn to_le_bytes(&self) -> Vec<u8> {
        self.big().to_signed_bytes_le()
    }

    fn from_big(value: BigInt) -> Self {
        Self(i64::try_from(&value).map_or_else(|_| Repr::Large(Box::new(value)), Repr::Small))
    }

    fn big(&self) -> Cow<'_, BigInt> {
        match &self.0 {
            Repr::Small(value) => Cow::Owned(BigInt::from(*value)),
            Repr::Large(value) => Cow::Borrowed(value),
        }
    }
}

macro_rules! from_integer {
    ($($integer:ty)*) => {$(
        impl From<$integer> for PyInt {
            fn from(value: $integer) -> Self {
                match i64::try_from(value) {
                    Ok(value) => Self(Repr::Small(value)),
                    Err(_) => Self(Repr::Large(Box::new(BigInt::from(value)))),
                }
            }
        }
    )*};
}

from_integer! { i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 }

/// In decimal; in hexadecimal if it has more than about 4300 digits, which Python refuses to print.
impl fmt::Display for PyInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(value) => value.fmt(f),
            Repr::Large(value) if value.bits() > MOST_BITS => write!(f, "{:#x}", **value),
            Repr::Large(value) => value.fmt(f),
        }
    }
}

/// Parses an optional sign and at most 4300 decimal digits.
impl FromStr for PyInt {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text).ok_or_else(|| Error::new(ErrorKind::InvalidValue, describe_invalid(&excerpt(text))))
    }
}

/// The message for a text that is not an integer.
pub(crate) fn describe_invalid(text: &str) -> String {
    format!("invalid integer {text:?}: expected an optional sign and at most {MOST_DIGITS} decimal digits")
}

/// Parses an integer in decimal digits.
pub(crate) fn parse(text: &str) -> Option<PyInt> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    // The library also accepts underscores, and any number of digits.
    let is_valid = digits.len() <= MOST_DIGITS && digits.bytes().all(|digit| digit.is_ascii_digit());
    if is_valid { text.parse().map(PyInt::from_big).ok() } else { None }
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

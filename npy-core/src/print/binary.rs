//! Floating-point numbers of every width, split exactly into mantissa and exponent.

use std::cmp::Ordering;

use super::big::{Natural, Number as _};
use crate::format::decoder::bits;
use crate::format::dtype::{ByteOrder, Scalar, ScalarKind};

/// The floating-point formats of NumPy's dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatKind {
    /// `float8_e5m2`: the upper byte of a half.
    Quarter,
    Half,
    Single,
    Double,
    /// 80-bit extended precision, in 12 or 16 bytes.
    Extended,
}

/// The value of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Binary {
    pub(super) negative: bool,
    pub(super) magnitude: Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magnitude {
    Nan,
    Infinite,
    Finite(Finite),
}

/// The number `mantissa` · 2^`exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finite {
    pub(super) mantissa: u64,
    pub(super) exponent: i32,
    /// Whether the neighbour below is nearer than the one above, as for powers of two.
    pub(super) is_nearer_below: bool,
}

/// `1e-4L` of C, the nearest to a ten-thousandth in extended precision.
const TEN_THOUSANDTH: Finite = Finite { mantissa: 0xd1b7_1758_e219_652c, exponent: -77, is_nearer_below: false };

impl FloatKind {
    /// The format of a float; `None` of other scalars.
    pub(super) fn of(scalar: Scalar) -> Option<Self> {
        Some(match scalar.kind() {
            ScalarKind::Float8E5M2 => Self::Quarter,
            ScalarKind::Float16 => Self::Half,
            ScalarKind::Float32 => Self::Single,
            ScalarKind::Float64 => Self::Double,
            ScalarKind::LongDouble { .. } => Self::Extended,
            _ => return None,
        })
    }

    /// The value of an element with these bytes.
    pub(super) fn decode(self, bytes: &[u8], order: ByteOrder) -> Binary {
        let bits = bits(bytes, order);
        match self {
            Self::Quarter => ieee(bits, 5, 2),
            Self::Half => ieee(bits, 5, 10),
            Self::Single => ieee(bits, 8, 23),
            Self::Double => ieee(bits, 11, 52),
            Self::Extended => extended(bits),
        }
    }

    /// Bits of the mantissa, the leading one included.
    fn precision(self) -> u32 {
        match self {
            Self::Quarter | Self::Half => 11,
            Self::Single => 24,
            Self::Double => 53,
            Self::Extended => 64,
        }
    }

    /// Returns whether NumPy writes an array with exponents, by its smallest and largest absolute values.
    ///
    /// It does if the largest has more digits than `finfo` states, if the smallest is below 0.0001, or if
    /// their quotient exceeds 1000.
    pub(super) fn needs_exponent(self, smallest: Finite, largest: Finite, suppress_small: bool) -> bool {
        let most = match self {
            Self::Quarter | Self::Half => 1_000,
            Self::Single => 1_000_000,
            Self::Double | Self::Extended => 100_000_000,
        };
        // 0.0001, rounded to the type of the array.
        let least = match self {
            Self::Quarter | Self::Half => Finite::new(0x68e, -24),
            Self::Single => Finite::new(0x00d1_b717, -37),
            Self::Double | Self::Extended => Finite::new(0x001a_36e2_eb1c_432d, -66),
        };
        largest >= Finite::new(most, 0)
            || !suppress_small && (smallest < least || self.is_quotient_over_a_thousand(largest, smallest))
    }

    /// Returns whether NumPy writes the scalar with an exponent.
    pub(super) fn needs_exponent_as_scalar(self, number: Finite) -> bool {
        let most = match self {
            Self::Quarter | Self::Half => 1_000,
            Self::Single => 1_000_000,
            Self::Double | Self::Extended => 10_000_000_000_000_000,
        };
        !number.is_zero() && (number < TEN_THOUSANDTH || number >= Finite::new(most, 0))
    }

    /// Returns whether the quotient, rounded to this type, exceeds 1000.
    ///
    /// It does above 1000 and half a unit in the last place, 2^(9 − precision). A tie is rounded to 1000.
    fn is_quotient_over_a_thousand(self, dividend: Finite, divisor: Finite) -> bool {
        let shift = self.precision() - 9;
        let (mut left, mut right) = (Natural::from(dividend.mantissa), Natural::from(divisor.mantissa));
        left.shift_left(shift);
        let unit = right.clone();
        right.shift_left(shift);
        right.multiply(1000);
        let mut right = right.plus(&unit);
        match dividend.exponent - divisor.exponent {
            more @ 0.. => left.shift_left(more.unsigned_abs()),
            less => right.shift_left(less.unsigned_abs()),
        }
        left > right
    }
}

impl Finite {
    fn new(mantissa: u64, exponent: i32) -> Self {
        Self { mantissa, exponent, is_nearer_below: false }
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0
    }
}

/// By value.
impl PartialOrd for Finite {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.is_zero() || other.is_zero() {
            return Some(self.mantissa.cmp(&other.mantissa));
        }
        let normalized = |number: &Self| {
            let shift = number.mantissa.leading_zeros();
            (i64::from(number.exponent) - i64::from(shift), number.mantissa << shift)
        };
        Some(normalized(self).cmp(&normalized(other)))
    }
}

/// The lowest `count` bits, at most 64.
fn low_bits(value: u128, count: u32) -> u64 {
    u64::try_from(value & ((1 << count) - 1)).unwrap_or(u64::MAX)
}

fn small_bits(value: u128, count: u32) -> i32 {
    i32::try_from(low_bits(value, count)).unwrap_or(i32::MAX)
}

/// A number of an interchange format of IEEE 754.
fn ieee(bits: u128, exponent_bits: u32, fraction_bits: u32) -> Binary {
    let fraction = low_bits(bits, fraction_bits);
    let biased = small_bits(bits >> fraction_bits, exponent_bits);
    let negative = bits >> (exponent_bits + fraction_bits) & 1 == 1;
    let infinite = (1 << exponent_bits) - 1;
    // The biased exponent of 1.
    let of_one = infinite >> 1;
    let magnitude = match biased {
        _ if biased == infinite && fraction == 0 => Magnitude::Infinite,
        _ if biased == infinite => Magnitude::Nan,
        _ => {
            let hidden = u64::from(biased != 0) << fraction_bits;
            Magnitude::Finite(Finite {
                mantissa: hidden | fraction,
                exponent: biased.max(1) - of_one - small_bits(u128::from(fraction_bits), 8),
                is_nearer_below: fraction == 0 && biased > 1,
            })
        }
    };
    Binary { negative, magnitude }
}

/// A number of 80-bit extended precision, whose leading bit is explicit. Higher bits are ignored.
fn extended(bits: u128) -> Binary {
    let mantissa = low_bits(bits, 64);
    let biased = small_bits(bits >> 64, 15);
    let magnitude = match biased {
        0x7fff if mantissa << 1 == 0 => Magnitude::Infinite,
        0x7fff => Magnitude::Nan,
        _ => Magnitude::Finite(Finite {
            mantissa,
            exponent: biased.max(1) - 16_383 - 63,
            is_nearer_below: mantissa == 1 << 63 && biased > 1,
        }),
    };
    Binary { negative: bits >> 79 & 1 == 1, magnitude }
}

#[cfg(test)]
mod tests {
    use super::{Binary, Finite, FloatKind, Magnitude};
    use crate::format::dtype::ByteOrder;

    fn double(value: f64) -> Finite {
        match FloatKind::Double.decode(&value.to_le_bytes(), ByteOrder::Little) {
            Binary { magnitude: Magnitude::Finite(finite), .. } => finite,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_compare_as_floats_do() {
        let values = [0.0, f64::from_bits(1), f64::MIN_POSITIVE, 1e-5, 0.0001, 0.1, 1.0, 1.5, 2.0, 999.9, 1000.0, 1e16, f64::MAX];
        for a in values {
            for b in values {
                assert_eq!(double(a).partial_cmp(&double(b)), a.partial_cmp(&b), "{a} {b}");
                if a > 0.0 && b > 0.0 {
                    assert_eq!(FloatKind::Double.is_quotient_over_a_thousand(double(a), double(b)), a / b > 1000.0, "{a} / {b}");
                }
            }
        }
        // 1000 and half a unit is rounded to 1000.
        assert!(!FloatKind::Double.is_quotient_over_a_thousand(double(1000.0), double(1.0)));
        assert!(FloatKind::Double.is_quotient_over_a_thousand(double(1000.0_f64.next_up()), double(1.0)));
    }
}

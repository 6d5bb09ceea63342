//! The types of `ml_dtypes` that have one byte: their names, their formats and their values.

use std::fmt;

/// A type of Python's package `ml_dtypes` with one byte for each number, known by its name.
///
/// `np.save` writes all of them as `<V1`, which does not say which one it is. A header that has the
/// name says it, and so does a safetensors file.
///
/// ```
/// use npy_core::dtype::MlType;
///
/// let float = MlType::named("float8_e4m3fn").unwrap();
/// assert_eq!((float.value(0x38), float.value(0x7e)), (1.0, 448.0));
/// assert!(float.value(0x7f).is_nan());
/// assert_eq!(MlType::named("int4").unwrap().value(0x0f), -1.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MlType(u8);

/// How the bits of a byte are a number.
#[derive(Clone, Copy)]
enum Form {
    /// In the lowest bits.
    Integer { bits: u32, is_signed: bool },
    /// A sign, an exponent with a bias, and the bits of a fraction.
    Float { exponent: u32, fraction: u32, bias: i32, specials: Specials },
    /// A power of two without a sign.
    Power,
}

/// Which bits are no finite numbers.
#[derive(Clone, Copy, PartialEq)]
enum Specials {
    /// Infinity and NaN where all bits of the exponent are set, as in IEEE 754.
    Ieee,
    /// NaN where all bits but the sign are set.
    AllOnes,
    /// NaN in the place of the negative zero.
    NegativeZero,
    None,
}

const fn float(exponent: u32, fraction: u32, bias: i32, specials: Specials) -> Form {
    Form::Float { exponent, fraction, bias, specials }
}

const fn integer(bits: u32, is_signed: bool) -> Form {
    Form::Integer { bits, is_signed }
}

const TABLE: [(&str, Form); 17] = [
    ("float4_e2m1fn", float(2, 1, 1, Specials::None)),
    ("float6_e2m3fn", float(2, 3, 1, Specials::None)),
    ("float6_e3m2fn", float(3, 2, 3, Specials::None)),
    ("float8_e3m4", float(3, 4, 3, Specials::Ieee)),
    ("float8_e4m3", float(4, 3, 7, Specials::Ieee)),
    ("float8_e4m3b11fnuz", float(4, 3, 11, Specials::NegativeZero)),
    ("float8_e4m3fn", float(4, 3, 7, Specials::AllOnes)),
    ("float8_e4m3fnuz", float(4, 3, 8, Specials::NegativeZero)),
    ("float8_e5m2fnuz", float(5, 2, 16, Specials::NegativeZero)),
    ("float8_e8m0fnu", Form::Power),
    ("int1", integer(1, true)),
    ("int2", integer(2, true)),
    ("int4", integer(4, true)),
    ("uint1", integer(1, false)),
    ("uint2", integer(2, false)),
    ("uint4", integer(4, false)),
    ("float8_e5m2", float(5, 2, 15, Specials::Ieee)),
];

impl MlType {
    /// Returns the type of that name. `float8_e5m2` is not one of them: it is
    /// [`ScalarKind::Float8E5M2`](super::ScalarKind::Float8E5M2).
    pub fn named(name: &str) -> Option<Self> {
        let place = TABLE.iter().position(|(known, _)| *known == name)?;
        u8::try_from(place).ok().map(Self).filter(|ml| *ml != Self::E5M2)
    }

    /// `float8_e5m2`, which has a code of its own and so is no [`ScalarKind::Ml`](super::ScalarKind::Ml).
    pub(crate) const E5M2: Self = Self(16);

    /// Returns the name, such as `float8_e4m3fn`.
    pub const fn name(self) -> &'static str {
        TABLE[self.0 as usize].0
    }

    /// The bits of an integer.
    pub(crate) const fn integer_bits(self) -> Option<usize> {
        match TABLE[self.0 as usize].1 {
            Form::Integer { bits, .. } => Some(bits as usize),
            _ => None,
        }
    }

    /// Returns whether its numbers are integers.
    pub const fn is_integer(self) -> bool {
        matches!(TABLE[self.0 as usize].1, Form::Integer { .. })
    }

    /// Returns whether its numbers may be negative.
    pub const fn is_signed(self) -> bool {
        !matches!(TABLE[self.0 as usize].1, Form::Integer { is_signed: false, .. } | Form::Power)
    }

    /// Returns the byte of the nearest number, as `ml_dtypes` rounds an `f32`.
    ///
    /// Floats beyond the largest are infinite, NaN where there is no infinity, and the largest where
    /// there is no NaN either. Integers are truncated and wrap.
    pub fn nearest(self, value: f32) -> u8 {
        match TABLE[self.0 as usize].1 {
            Form::Integer { bits, .. } => lowest_bits(value, bits),
            Form::Power => nearest_power(value),
            Form::Float { exponent, fraction, bias, specials } => nearest_bits(value, (exponent, fraction, bias, specials)),
        }
    }

    /// Returns the number that a byte is. An `f32` holds each of them.
    pub fn value(self, byte: u8) -> f32 {
        match TABLE[self.0 as usize].1 {
            Form::Integer { bits, is_signed } => {
                let shift = u8::BITS - bits;
                if is_signed { f32::from(byte.cast_signed() << shift >> shift) } else { f32::from(byte << shift >> shift) }
            }
            Form::Power if byte == 0xff => f32::NAN,
            Form::Power => power(i32::from(byte) - 127),
            Form::Float { exponent, fraction, bias, specials } => {
                // Of fewer than eight bits, each of those above is a sign.
                let (magnitude, is_negative) = (byte & !(0xff << (exponent + fraction)), byte >> (exponent + fraction) != 0);
                let sign = if is_negative { -1.0 } else { 1.0 };
                sign * magnitude_of(magnitude, is_negative, (exponent, fraction, bias, specials))
            }
        }
    }
}

/// The bits of the nearest float of this form, a tie to the even one.
fn nearest_bits(value: f32, (exponent, fraction, bias, specials): (u32, u32, i32, Specials)) -> u8 {
    let sign = 1_u8 << (exponent + fraction);
    let infinity = (sign - 1) & (0xff << fraction);
    let (largest, beyond, not_a_number) = match specials {
        Specials::Ieee => (infinity - 1, infinity, infinity | 1 << (fraction - 1)),
        Specials::AllOnes => (sign - 2, sign - 1, sign - 1),
        Specials::NegativeZero => (sign - 1, sign, sign),
        // The largest is the nearest, and a NaN becomes a zero of the other sign.
        Specials::None => (sign - 1, sign - 1, sign),
    };
    let code = if value.is_nan() { not_a_number } else { rounded(value.abs(), (fraction, bias), largest).unwrap_or(beyond) };
    match specials {
        // There is one zero, and one NaN.
        Specials::NegativeZero if code == 0 || code == sign => code,
        _ if value.is_sign_negative() => code ^ sign,
        _ => code,
    }
}

/// The bits of a magnitude, `None` beyond the largest.
fn rounded(magnitude: f32, (fraction, bias): (u32, i32), largest: u8) -> Option<u8> {
    let biased = (magnitude.to_bits() >> 23).cast_signed();
    // Those below the smallest exponent are subnormal.
    let exponent = (biased - 127).max(1 - bias);
    let units = (magnitude / power(exponent - fraction.cast_signed())).round_ties_even();
    let implied = f32::from(1_u8 << fraction);
    // A carry into the exponent is the next power of two. Bits of a byte are exact as a float.
    #[allow(clippy::cast_precision_loss, reason = "at most 255 + 127")]
    let code = (exponent + bias - 1) as f32 * implied + units;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared before")]
    (code <= f32::from(largest)).then_some(code as u8)
}

/// The lowest bits of the integer, by way of an `i32`.
#[allow(clippy::cast_possible_truncation, reason = "which wraps")]
fn lowest_bits(value: f32, bits: u32) -> u8 {
    (value as i32).to_le_bytes()[0] & !(0xff << bits)
}

/// The exponent of the nearest power of two; halfway it is the larger one.
fn nearest_power(value: f32) -> u8 {
    const NAN: u8 = 0xff;
    let (exponent, fraction) = (value.to_bits() >> 23, value.to_bits() & 0x7f_ffff);
    // `ml_dtypes` rounds up all between 2^-127, a subnormal, and the smallest normal one.
    let is_above = if exponent == 0 { fraction > 0x40_0000 } else { fraction >= 0x40_0000 };
    if value > 0.0 { u8::try_from(exponent + u32::from(is_above)).unwrap_or(NAN) } else { NAN }
}

fn magnitude_of(magnitude: u8, is_negative: bool, (exponent, fraction, bias, specials): (u32, u32, i32, Specials)) -> f32 {
    let (power_bits, fraction_bits) = (magnitude >> fraction, magnitude & !(0xff << fraction));
    let is_full = u32::from(power_bits) == (1 << exponent) - 1;
    match specials {
        Specials::Ieee if is_full && fraction_bits == 0 => return f32::INFINITY,
        Specials::Ieee if is_full => return f32::NAN,
        Specials::AllOnes if is_full && u32::from(fraction_bits) == (1 << fraction) - 1 => return f32::NAN,
        Specials::NegativeZero if is_negative && magnitude == 0 => return f32::NAN,
        _ => {}
    }
    let (implied, power_bits) = if power_bits == 0 { (0, 1) } else { (1 << fraction, power_bits) };
    f32::from(fraction_bits | implied) * power(i32::from(power_bits) - bias - fraction.cast_signed())
}

/// 2 to this power, which may be subnormal.
fn power(exponent: i32) -> f32 {
    2.0_f32.powi(exponent)
}

impl fmt::Debug for MlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

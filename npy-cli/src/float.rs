//! Floats that Rust has no type for, parts of complex numbers, and floats as text.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::types::LongDouble;

/// The value of an IEEE half.
pub(crate) fn half(bits: u16) -> f64 {
    let magnitude = match (bits >> 10 & 0x1f, bits & 0x3ff) {
        (0, fraction) => f64::from(fraction) * 2.0_f64.powi(-24),
        (0x1f, 0) => f64::INFINITY,
        (0x1f, _) => f64::NAN,
        (exponent, fraction) => f64::from(fraction | 0x400) * 2.0_f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The value of a `bfloat16`: the upper half of an `f32`.
pub(crate) fn brain_float(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

/// The value of a `float8_e5m2`: the upper half of an IEEE half.
pub(crate) fn float8_e5m2(bits: u8) -> f64 {
    half(u16::from(bits) << 8)
}

/// The value of a long double of x86, of 12 or 16 bytes, rounded to 64 bits.
pub(crate) fn long_double(bytes: &[u8], is_big: bool) -> f64 {
    // The ten bytes that count are the last ones of a big-endian number.
    let mut bits = 0_u128;
    let mut add = |byte: &u8| bits = bits << 8 | u128::from(*byte);
    if is_big {
        bytes.iter().for_each(&mut add);
    } else {
        bytes.iter().rev().for_each(&mut add);
    }
    LongDouble::from_bytes(bits.to_ne_bytes()).to_f64()
}

/// The float that is half of a complex number; `None` for other scalars.
pub(crate) fn part_of(scalar: Scalar) -> Option<Scalar> {
    let kind = match scalar.kind() {
        ScalarKind::Complex32 => ScalarKind::Float16,
        ScalarKind::Complex64 => ScalarKind::Float32,
        ScalarKind::Complex128 => ScalarKind::Float64,
        ScalarKind::ComplexLongDouble { itemsize } => ScalarKind::LongDouble { itemsize: itemsize / 2 },
        _ => return None,
    };
    Some(Scalar::new(kind, scalar.byte_order().unwrap_or(ByteOrder::NATIVE)))
}

/// Rounds to the nearest half, ties to even.
pub(crate) fn round_to_half(value: f64) -> f64 {
    let magnitude = value.abs();
    if !value.is_finite() {
        return value;
    }
    // The exponent of the last bit.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14) - 10;
    let unit = 2.0_f64.powi(exponent);
    let rounded = (magnitude / unit).round_ties_even() * unit;
    let rounded = if rounded > 65504.0 { f64::INFINITY } else { rounded };
    rounded.copysign(value)
}

/// The shortest digits of a float, with an exponent where it is very small or large.
pub(crate) fn float(value: f64) -> String {
    match value.abs() {
        _ if value.is_nan() => "nan".to_owned(),
        0.0 | f64::INFINITY => value.to_string(),
        magnitude if (1e-4..1e16).contains(&magnitude) => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// The value with this number of significant digits, and with all of those before the point.
pub(crate) fn significant(value: f64, digits: usize) -> f64 {
    let magnitude = value.abs();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 17")]
    let whole = if (1.0..1e16).contains(&magnitude) { magnitude.log10() as usize + 1 } else { 1 };
    let digits = digits.max(whole);
    format!("{:.*e}", digits.saturating_sub(1), value).parse().unwrap_or(value)
}

/// The number of significant digits that tells different neighbours apart, at least `least`.
pub(crate) fn digits_apart(numbers: &[f64], least: usize) -> usize {
    let are_apart = |digits: &usize| {
        #[allow(clippy::float_cmp, reason = "rounded numbers are equal or not")]
        let is_apart = |one: f64, other: f64| one == other || significant(one, *digits) != significant(other, *digits);
        numbers.windows(2).all(|pair| is_apart(pair[0], pair[1]))
    };
    (least..MOST_DIGITS).find(are_apart).unwrap_or(MOST_DIGITS)
}

/// As many digits tell any two floats apart.
const MOST_DIGITS: usize = 17;

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the values are exact")]
mod tests {
    use super::*;

    #[test]
    fn digits_tell_neighbours_apart() {
        assert_eq!(significant(1_700_000_599.4, 6), 1_700_000_599.0);
        assert_eq!(significant(-0.123_456_78, 6), -0.123_457);
        for (numbers, expected) in [
            (&[1.0, 2.0, 2.0, 3.5][..], 6),
            (&[0.123_456_7, 0.123_457_4], 7),
            (&[1_700_000_000.0, 1_700_000_060.0], 6),
            (&[1_700_000_000.25, 1_700_000_000.5], 11),
            (&[1.0, 1.0 + f64::EPSILON], 17),
            (&[1e20, 1.000_000_1e20], 8),
            (&[f64::NEG_INFINITY, 0.0, f64::INFINITY], 6),
        ] {
            assert_eq!(digits_apart(numbers, 6), expected, "{numbers:?}");
        }
    }

    #[test]
    fn rounds_to_every_half() {
        for bits in 0..=u16::MAX {
            let value = half(bits);
            assert!(value.is_nan() || round_to_half(value).to_bits() == value.to_bits(), "{bits:04x}");
        }
        assert_eq!(round_to_half(65519.9), 65504.0);
        assert_eq!(round_to_half(65520.0), f64::INFINITY);
        assert_eq!(round_to_half(2049.0), 2048.0);
        assert_eq!(round_to_half(2051.0), 2052.0);
        assert_eq!(round_to_half(2.0_f64.powi(-25)), 0.0);
        assert_eq!(brain_float(0x3f80), 1.0);
        assert_eq!(float8_e5m2(0x3c), 1.0);
    }
}

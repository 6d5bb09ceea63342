//! Half precision as a wider float, without the feature `half`.

use crate::dynamic::DynValues;
use crate::format::dtype::{ByteOrder, DType, ScalarKind};

/// The value of a `float16` of NumPy.
pub(crate) fn of_scalar(scalar: &DynValues) -> Option<f64> {
    let bytes: [u8; 2] = scalar.bytes().try_into().ok()?;
    match scalar.dtype() {
        DType::Scalar(kind) if kind.kind() == ScalarKind::Float16 => match kind.byte_order() {
            Some(ByteOrder::Big) => Some(to_f64(u16::from_be_bytes(bytes))),
            _ => Some(to_f64(u16::from_le_bytes(bytes))),
        },
        _ => None,
    }
}

/// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction.
pub(crate) fn to_f64(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match (bits >> 10) & 0x1f {
        0 => fraction * 2_f64.powi(-24),
        0x1f if fraction > 0.0 => f64::NAN,
        0x1f => f64::INFINITY,
        exponent => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
    };
    if bits >= 0x8000 { -magnitude } else { magnitude }
}

/// The nearest `float16`, ties to even.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 to 2048")]
pub(crate) fn from_f64(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    // Halfway between the largest number and the one that would come next.
    if magnitude >= 65_520.0 {
        return sign | 0x7c00;
    }
    // The exponents from the smallest of normal numbers on, counted from 0.
    let exponent = u16::try_from((magnitude.to_bits() >> 52).saturating_sub(1023 - 14)).unwrap_or(0);
    let fraction = (magnitude * 2_f64.powi(24 - i32::from(exponent))).round_ties_even() as u16;
    // A fraction of 2048 is the next exponent's 1024.
    sign | ((exponent << 10).saturating_add(fraction))
}

#[cfg(test)]
mod tests {
    use super::{from_f64, to_f64};

    #[test]
    fn round_trips_every_half() {
        for bits in (0..=u16::MAX).filter(|&bits| !to_f64(bits).is_nan()) {
            assert_eq!(from_f64(to_f64(bits)), bits);
        }
        assert!(to_f64(from_f64(f64::NAN)).is_nan());
    }

    #[test]
    fn rounds_to_nearest_even() {
        for bits in (0..0x7bff_u16).step_by(7) {
            let (below, above) = (to_f64(bits), to_f64(bits + 1));
            let middle = f64::midpoint(below, above);
            assert_eq!(from_f64(middle), bits + bits % 2);
            assert_eq!((from_f64(middle.next_down()), from_f64(-middle.next_up())), (bits, 0x8000 | (bits + 1)));
        }
        assert_eq!((from_f64(65_519.9), from_f64(65_520.0), from_f64(f64::MIN_POSITIVE)), (0x7bff, 0x7c00, 0));
    }
}

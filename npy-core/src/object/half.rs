//! Half precision as a wider float, without the feature `half`.

use crate::dtype::{ByteOrder, DType, ScalarKind};
use crate::dynamic::DynValues;

/// The value of a `float16` of NumPy.
pub(super) fn of_scalar(scalar: &DynValues) -> Option<f64> {
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
pub(super) fn to_f64(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match (bits >> 10) & 0x1f {
        0 => fraction * 2_f64.powi(-24),
        0x1f if fraction > 0.0 => f64::NAN,
        0x1f => f64::INFINITY,
        exponent => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
    };
    if bits >= 0x8000 { -magnitude } else { magnitude }
}

/// The fewest digits that no other `float16` is nearer to, in the form `1.5e3`.
pub(super) fn shortest(bits: u16) -> String {
    let value = to_f64(bits);
    let is_it = |digits: &String| digits.parse().is_ok_and(|digits| nearest(digits, bits));
    let digits = (0..17).map(|precision| format!("{value:.precision$e}")).find(is_it);
    digits.unwrap_or_else(|| format!("{value:e}"))
}

/// Whether a number rounds to this `float16`, ties to even.
fn nearest(number: f64, bits: u16) -> bool {
    let (value, magnitude) = (to_f64(bits).abs(), bits & 0x7fff);
    if !value.is_finite() {
        return false;
    }
    let distance = (number.abs() - value).abs();
    let gap_below = magnitude.checked_sub(1).map_or(f64::INFINITY, |below| value - to_f64(below));
    // Beyond the largest the gap is as before it.
    let gap_above = Some(to_f64(magnitude.saturating_add(1)) - value).filter(|gap| gap.is_finite()).unwrap_or(gap_below);
    let half_gap = if number.abs() < value { gap_below } else { gap_above } / 2.0;
    distance < half_gap || (distance <= half_gap && magnitude.is_multiple_of(2))
}

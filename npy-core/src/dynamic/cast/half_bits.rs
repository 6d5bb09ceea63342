//! Branchless conversions of half floats, so that loops over them are vectorized. The crate `half` detects
//! the processor's instructions for each number, which is 8 times slower.

use half::f16;

/// The difference between the exponent biases of `f32` and `f16`, at the exponent of an `f32`.
const BIAS: u32 = (127 - 15) << 23;
const INFINITY: u32 = 0x7c00;

/// Widens to `f32`, exactly.
#[inline(always)]
pub(super) fn to_f32(half: f16) -> f32 {
    let bits = u32::from(half.to_bits());
    let magnitude = bits & 0x7fff;
    // Exact, also for subnormals. Infinity and NaN keep their bits.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(BIAS + (127 << 23));
    let special = if magnitude >= INFINITY { f32::INFINITY.to_bits() } else { 0 };
    f32::from_bits(scaled.to_bits() | special | (bits & 0x8000) << 16)
}

/// Rounds to nearest, ties to even.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "no more than 16 bits are left")]
pub(super) fn from_f32(value: f32) -> f16 {
    let bits = value.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    let normal = (magnitude.wrapping_sub(BIAS).wrapping_add(0xfff).wrapping_add(magnitude >> 13 & 1)) >> 13;
    // The last bit of 0.5 has the value of the smallest half float, so that this addition rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
    let nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    let finite = if magnitude < BIAS + (1 << 23) { subnormal } else { normal };
    let ordered = if magnitude >= (127 + 16) << 23 { INFINITY } else { finite };
    let rounded = if magnitude > f32::INFINITY.to_bits() { nan } else { ordered };
    f16::from_bits((sign | rounded) as u16)
}

/// Rounds to odd: returns the float next to the number in the direction of 0, with its last bit set
/// if inexact. Rounding it again, to a float of at least two bits fewer, rounds the number itself.
#[inline(always)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::needless_bitwise_bool,
    reason = "rounding is what is asked for, without a branch"
)]
pub(super) fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    // Of floats of one sign, the one with the lower bits is nearer to 0.
    let is_beyond = back.abs() > value.abs();
    // Not of NaN.
    let is_inexact = (back < value) | (back > value);
    f32::from_bits(nearest.to_bits().wrapping_sub(u32::from(is_beyond)) | u32::from(is_inexact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_float_is_that_of_the_crate() {
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            assert!(to_f32(half).to_bits() == half.to_f32().to_bits() || half.is_nan() && to_f32(half).is_nan(), "{bits:#x}");
            // Also ties with the next half float, and the numbers beside them.
            let middle = half.to_f32() + (f16::from_bits(bits ^ 1).to_f32() - half.to_f32()) / 2.0;
            for float in [middle.next_down(), middle, middle.next_up(), half.to_f32()] {
                let (ours, theirs) = (from_f32(float), f16::from_f32(float));
                assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{float}: {ours} {theirs}");
            }
        }
        for float in [f32::MAX, f32::INFINITY, 65_519.0, 65_520.0, 65_536.0, f32::MIN_POSITIVE, 1e-45, -1e-8] {
            assert_eq!(from_f32(float).to_bits(), f16::from_f32(float).to_bits(), "{float}");
        }
        let nan = f32::from_bits(0x7f80_0001);
        assert!(from_f32(nan).is_nan() && from_f32(to_odd(f64::NAN)).is_nan() && from_f32(-nan).is_nan());
    }
}

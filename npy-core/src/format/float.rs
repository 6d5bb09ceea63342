//! Floats that Rust has no type for, as bits: half precision, `bfloat16`, and the 80-bit extended precision of x86.

/// The difference between the exponent biases of `f32` and half precision, at the exponent of an `f32`.
const BIAS: u32 = (127 - 15) << 23;
const INFINITY: u32 = 0x7c00;

/// Widens half precision, exactly and without a branch, so that loops are vectorized.
///
/// The crate `half` detects the processor's instructions for each number, which is 8 times slower.
#[inline(always)]
pub(crate) fn half_to_f32(half: u16) -> f32 {
    let bits = u32::from(half);
    let magnitude = bits & 0x7fff;
    // Exact, also for subnormals. Infinity and NaN keep their bits.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(BIAS + (127 << 23));
    let special = if magnitude >= INFINITY { f32::INFINITY.to_bits() } else { 0 };
    f32::from_bits(scaled.to_bits() | special | (bits & 0x8000) << 16)
}

/// Rounds to half precision, ties to even, without a branch.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "no more than 16 bits are left")]
pub(crate) fn half_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    let normal = (magnitude.wrapping_sub(BIAS).wrapping_add(0xfff).wrapping_add(magnitude >> 13 & 1)) >> 13;
    // The last bit of 0.5 has the value of the smallest half float, so that this addition rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
    let nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    let finite = if magnitude < BIAS + (1 << 23) { subnormal } else { normal };
    let ordered = if magnitude >= (127 + 16) << 23 { INFINITY } else { finite };
    let rounded = if magnitude > f32::INFINITY.to_bits() { nan } else { ordered };
    (sign | rounded) as u16
}

/// Rounds to half precision, ties to even.
#[inline(always)]
pub(crate) fn half_from_f64(value: f64) -> u16 {
    half_from_f32(to_odd(value))
}

/// Widens a `bfloat16`, the upper half of an `f32`.
#[inline(always)]
pub(crate) fn brain_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Rounds to a `bfloat16`, ties to even.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "no more than 16 bits are left")]
pub(crate) fn brain_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() { (bits >> 16) as u16 | 0x40 } else { ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16 }
}

/// Rounds to odd: truncates, and sets the last bit of the result if that lost anything.
///
/// Rounding the result again, to nearest in a format of at least two bits fewer, is the same as rounding `value` once.
/// If both steps rounded to nearest, the first could make a tie.
#[inline(always)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::needless_bitwise_bool,
    reason = "rounding is what is asked for, without a branch"
)]
pub(crate) fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    // Then the truncated value is the neighbour nearer to 0, whose bits are one less.
    let is_beyond = back.abs() > value.abs();
    // False for NaN, which stays as it is.
    let is_inexact = (back < value) | (back > value);
    f32::from_bits(nearest.to_bits().wrapping_sub(u32::from(is_beyond)) | u32::from(is_inexact))
}

/// Bits of an `f64` behind the point, and the offset of its exponent.
const F64_FRACTION_BITS: u32 = 52;
const F64_BIAS: i32 = 1023;
/// The offset of the exponent of both wide formats.
const WIDE_BIAS: i32 = 16383;

/// Rounds extended precision to the nearest `f64`, ties to even. Bits above the lowest 80 are ignored.
#[allow(clippy::cast_possible_truncation, reason = "the fields of the float")]
pub(crate) fn extended_to_f64(bits: u128) -> f64 {
    let significand = bits as u64;
    let sign_and_exponent = (bits >> 64) as u16;
    let exponent = i32::from(sign_and_exponent & 0x7fff);
    // The bit before the point is explicit here; shifting left by 64 puts it where `round`
    // wants it.
    round(sign_and_exponent >> 15 != 0, exponent, u128::from(significand) << 64, significand << 1 != 0)
}

/// Rounds IEEE quadruple precision to the nearest `f64`, ties to even.
pub(crate) fn quadruple_to_f64(bits: u128) -> f64 {
    #[allow(clippy::cast_possible_truncation, reason = "15 bits")]
    let exponent = ((bits >> 112) & 0x7fff) as i32;
    let fraction = bits << 16 >> 1;
    let hidden = u128::from(exponent != 0) << 127;
    round(bits >> 127 != 0, exponent, hidden | fraction, fraction != 0)
}

/// Widens to extended precision, exactly.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "the fields of the float")]
pub(crate) fn extended_from_f64(value: f64) -> u128 {
    let bits = value.to_bits();
    let sign = (bits >> 63) as u16;
    let exponent = ((bits >> F64_FRACTION_BITS) & 0x7ff) as i32;
    let fraction = bits & ((1 << F64_FRACTION_BITS) - 1);
    let (exponent, significand) = match (exponent, fraction) {
        (0x7ff, fraction) => (0x7fff, 1 << 63 | fraction << 11),
        (0, 0) => (0, 0),
        // A subnormal number is a normal one here.
        (0, fraction) => {
            let shift = fraction.leading_zeros();
            (WIDE_BIAS - F64_BIAS + 12 - shift as i32, fraction << shift)
        }
        (exponent, fraction) => (exponent - F64_BIAS + WIDE_BIAS, 1 << 63 | fraction << 11),
    };
    u128::from(sign << 15 | exponent as u16) << 64 | u128::from(significand)
}

/// Rounds `significand` · 2^(`exponent` − 16383 − 127) to the nearest `f64`. The largest exponent is NaN or
/// infinity, by `is_nan`.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "in range by the checks")]
fn round(negative: bool, exponent: i32, significand: u128, is_nan: bool) -> f64 {
    let sign = if negative { -1.0_f64 } else { 1.0 };
    if exponent == 0x7fff {
        return if is_nan { f64::NAN.copysign(sign) } else { f64::INFINITY.copysign(sign) };
    }
    if significand == 0 {
        return 0.0_f64.copysign(sign);
    }
    // Normalise, so that the top bit is 1; an exponent of 0 means the same scale as 1.
    let shift = significand.leading_zeros();
    let significand = significand << shift;
    let exponent = exponent.max(1) - WIDE_BIAS - shift as i32 + F64_BIAS;
    if exponent >= 0x7ff {
        return f64::INFINITY.copysign(sign);
    }
    // Keep 53 bits of a normal number, fewer of a subnormal one.
    let dropped = 128 - 53 + if exponent < 1 { (1 - exponent).min(100) as u32 } else { 0 };
    let (kept, rest) =
        if dropped >= 128 { (0, significand) } else { ((significand >> dropped) as u64, significand << (128 - dropped)) };
    let half = 1_u128 << 127;
    // At exactly 128 dropped bits the rest is the significand itself; beyond, it is less than half
    // a unit.
    let up = dropped <= 128 && (rest > half || (rest == half && kept & 1 == 1));
    let kept = kept + u64::from(up);
    // A carry out of the fraction goes into the exponent, as it should.
    let base = if exponent < 1 { 0 } else { (exponent as u64 - 1) << F64_FRACTION_BITS };
    f64::from_bits(base + kept).copysign(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half precision by its definition: a sign, 5 bits of exponent, 10 of fraction.
    fn defined(bits: u16) -> f64 {
        let fraction = f64::from(bits & 0x3ff);
        let magnitude = match bits >> 10 & 0x1f {
            0 => fraction * 2_f64.powi(-24),
            0x1f if fraction > 0.0 => f64::NAN,
            0x1f => f64::INFINITY,
            exponent => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
        };
        if bits >= 0x8000 { -magnitude } else { magnitude }
    }

    #[test]
    fn every_half_is_widened_and_rounded_back() {
        for bits in 0..=u16::MAX {
            let (value, wide) = (defined(bits), f64::from(half_to_f32(bits)));
            assert!(value.to_bits() == wide.to_bits() || value.is_nan() && wide.is_nan(), "{bits:#x}");
            assert!(value.is_nan() && defined(half_from_f64(value)).is_nan() || half_from_f64(value) == bits, "{bits:#x}");
        }
    }

    #[test]
    fn halves_are_rounded_to_nearest_ties_to_even() {
        for bits in 0..0x7bff_u16 {
            let middle = f64::midpoint(defined(bits), defined(bits + 1));
            assert_eq!(half_from_f64(middle), bits + bits % 2);
            assert_eq!((half_from_f64(middle.next_down()), half_from_f64(-middle.next_up())), (bits, 0x8000 | (bits + 1)));
        }
        assert_eq!((half_from_f64(65_519.9), half_from_f64(65_520.0), half_from_f64(f64::MIN_POSITIVE)), (0x7bff, 0x7c00, 0));
        assert_eq!((half_from_f64(f64::MAX), half_from_f64(f64::NEG_INFINITY), half_from_f64(f64::NAN)), (0x7c00, 0xfc00, 0x7e00));
    }

    #[test]
    #[cfg(feature = "half")]
    fn every_half_is_that_of_the_crate() {
        use half::f16;
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            // Also ties with the next half float, and the numbers beside them.
            let middle = half.to_f32() + (f16::from_bits(bits ^ 1).to_f32() - half.to_f32()) / 2.0;
            for float in [middle.next_down(), middle, middle.next_up(), half.to_f32()] {
                let (ours, theirs) = (f16::from_bits(half_from_f32(float)), f16::from_f32(float));
                assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{float}: {ours} {theirs}");
            }
        }
        for float in [f32::MAX, f32::INFINITY, 65_519.0, 65_520.0, 65_536.0, f32::MIN_POSITIVE, 1e-45, -1e-8] {
            assert_eq!(half_from_f32(float), f16::from_f32(float).to_bits(), "{float}");
        }
        let nan = f32::from_bits(0x7f80_0001);
        assert!([nan, -nan, to_odd(f64::NAN)].iter().all(|nan| f16::from_bits(half_from_f32(*nan)).is_nan()));
    }
}

//! The C compiler's `long double`.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the fields of floats are taken apart here; each value is in range by its mask"
)]

use super::codec::{Codec, element};
use super::plan::{Layout, Plan, Planner};
use super::{first_chunk, first_chunk_mut};
use crate::error::{Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::memory::Bulk;
use crate::memory::slots::Sends;

/// A `long double` (`<f16`): the bytes as a C compiler stores them, in native byte order.
///
/// What they mean depends on the platform that wrote the file, which the file does not tell: on
/// x86-64 Unix 80-bit extended precision in the first 10 bytes, the other 6 being garbage; on most
/// others IEEE quadruple precision in all 16. Rust has a type for neither, so
/// [`to_f64`](Self::to_f64) and [`quadruple_to_f64`](Self::quadruple_to_f64) round to the nearest
/// `f64`.
///
/// ```
/// use npy_core::types::LongDouble;
///
/// let third = LongDouble::from_f64(1.0 / 3.0);
/// assert_eq!(third.to_f64(), 1.0 / 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct LongDouble([u8; 16]);

/// Bits of an `f64` behind the point, and the offset of its exponent.
const F64_FRACTION_BITS: u32 = 52;
const F64_BIAS: i32 = 1023;
/// The offset of the exponent of both wide formats.
const WIDE_BIAS: i32 = 16383;

impl LongDouble {
    /// Creates a value from its bytes, in native byte order.
    ///
    /// ```
    /// # use npy_core::types::LongDouble;
    /// let one = LongDouble::from_f64(1.0);
    /// assert_eq!(LongDouble::from_bytes(one.to_bytes()), one);
    /// ```
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, in native byte order.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Its bits as one integer, the garbage of the 80-bit format included.
    fn bits(self) -> u128 {
        u128::from_ne_bytes(self.0)
    }

    /// Returns the integer part of 80-bit extended precision; `None` for NaN, infinities and numbers from 2¹²⁶ on.
    ///
    /// ```
    /// # use npy_core::types::LongDouble;
    /// assert_eq!(LongDouble::from_f64(-2.5).truncated(), Some(-2));
    /// assert_eq!(LongDouble::from_f64(1e300).truncated(), None);
    /// ```
    pub fn truncated(self) -> Option<i128> {
        self.integer_part().map(|(integer, _)| integer)
    }

    /// The integer part, and whether there is no fraction.
    pub(crate) fn integer_part(self) -> Option<(i128, bool)> {
        let bits = self.bits();
        let mantissa = (bits & u128::from(u64::MAX)) as u64;
        let exponent = ((bits >> 64) & 0x7fff) as i32 - 16383 - 63;
        let is_negative = bits >> 79 & 1 == 1;
        let (magnitude, is_whole) = match exponent {
            _ if mantissa == 0 => (0, true),
            ..=-64 => (0, false),
            -63..=-1 => {
                let bits = exponent.unsigned_abs();
                (i128::from(mantissa >> bits), mantissa.trailing_zeros() >= bits)
            }
            0..=62 => (i128::from(mantissa) << exponent, true),
            _ => return None,
        };
        Some((if is_negative { -magnitude } else { magnitude }, is_whole))
    }

    /// The `f64` next to the number in the direction of 0, with its last bit set if inexact: rounding it again, to a float of fewer
    /// bits, rounds the number itself.
    #[cfg(feature = "dynamic")]
    pub(crate) fn to_odd(self) -> f64 {
        // Without the padding and the sign.
        let magnitude = |number: Self| number.bits() & (u128::MAX >> 49);
        let nearest = self.to_f64();
        let (ours, its) = (magnitude(self), magnitude(Self::from_f64(nearest)));
        if nearest.is_nan() || ours == its {
            return nearest;
        }
        f64::from_bits((nearest.to_bits() - u64::from(its > ours)) | 1)
    }

    /// Decodes 80-bit extended precision (x86-64 and x86 Unix), rounded to the nearest `f64`, ties
    /// to even.
    ///
    /// ```
    /// # use npy_core::types::LongDouble;
    /// let one = 0x3fff_8000_0000_0000_0000_u128;
    /// assert_eq!(LongDouble::from_bytes(one.to_ne_bytes()).to_f64(), 1.0);
    /// ```
    pub fn to_f64(self) -> f64 {
        let bits = self.bits();
        let significand = bits as u64;
        let sign_and_exponent = (bits >> 64) as u16;
        let exponent = i32::from(sign_and_exponent & 0x7fff);
        // The bit before the point is explicit here; shifting left by 64 puts it where `round`
        // wants it.
        round(sign_and_exponent >> 15 != 0, exponent, u128::from(significand) << 64, significand << 1 != 0)
    }

    /// Decodes IEEE quadruple precision (aarch64 and most other Unix), rounded to the nearest
    /// `f64`, ties to even.
    ///
    /// ```
    /// # use npy_core::types::LongDouble;
    /// let minus_two = 0xc000_u128 << 112;
    /// assert_eq!(LongDouble::from_bytes(minus_two.to_ne_bytes()).quadruple_to_f64(), -2.0);
    /// ```
    pub fn quadruple_to_f64(self) -> f64 {
        let bits = self.bits();
        let exponent = ((bits >> 112) & 0x7fff) as i32;
        let fraction = bits << 16 >> 1;
        let hidden = u128::from(exponent != 0) << 127;
        round(bits >> 127 != 0, exponent, hidden | fraction, fraction != 0)
    }

    /// Encodes 80-bit extended precision, which holds every `f64` exactly. The 6 bytes of padding
    /// are 0.
    ///
    /// ```
    /// # use npy_core::types::LongDouble;
    /// assert_eq!(LongDouble::from_f64(-0.1).to_f64(), -0.1);
    /// ```
    pub fn from_f64(value: f64) -> Self {
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
        let high = sign << 15 | exponent as u16;
        Self((u128::from(high) << 64 | u128::from(significand)).to_ne_bytes())
    }
}

/// The nearest `f64` of `significand` · 2^(`exponent` − 16383 − 127); `is_nan` tells the sort of an
/// infinite exponent.
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

/// The byte order, and whether an element has 12 bytes in the file instead of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongDoublePlan {
    pub(super) order: ByteOrder,
    pub(super) itemsize: u8,
}

impl Plan for LongDoublePlan {}

impl LongDoublePlan {
    pub(super) const fn new(order: ByteOrder) -> Self {
        Self { order, itemsize: 16 }
    }
}

element!(LongDouble);

#[diagnostic::do_not_recommend]
impl Codec<Self> for LongDouble {
    type Plan = LongDoublePlan;
    const LITTLE: Option<Layout<LongDoublePlan>> = Some(Layout { itemsize: 16, plan: LongDoublePlan::new(ByteOrder::Little) });
    const BIG: Option<Layout<LongDoublePlan>> = Some(Layout { itemsize: 16, plan: LongDoublePlan::new(ByteOrder::Big) });
    const ALIGNMENT: usize = 16;
    const SENDS: Option<Sends<Self>> = Some(Sends::new());
    const BULK: Option<Bulk<Self>> = Some(Bulk::new());

    fn dtype() -> DType {
        Scalar::new(ScalarKind::LongDouble { itemsize: 16 }, ByteOrder::NATIVE).into()
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<LongDoublePlan> {
        if let DType::Scalar(scalar) = dtype
            && let ScalarKind::LongDouble { itemsize } = scalar.kind()
        {
            return Some(LongDoublePlan { order: scalar.byte_order().unwrap_or(ByteOrder::NATIVE), itemsize });
        }
        planner.mismatch(dtype, &Self::dtype());
        None
    }

    #[inline(always)]
    fn decode(plan: &LongDoublePlan, bytes: &[u8]) -> Result<Self, ValueError> {
        let value = match (plan.itemsize, plan.order) {
            (12, ByteOrder::Little) => {
                let mut wide = [0; 16];
                wide[..12].copy_from_slice(&first_chunk::<12>(bytes)?);
                u128::from_le_bytes(wide)
            }
            (12, ByteOrder::Big) => {
                let mut wide = [0; 16];
                wide[4..].copy_from_slice(&first_chunk::<12>(bytes)?);
                u128::from_be_bytes(wide)
            }
            (_, ByteOrder::Little) => u128::from_le_bytes(first_chunk(bytes)?),
            (_, ByteOrder::Big) => u128::from_be_bytes(first_chunk(bytes)?),
        };
        Ok(Self(value.to_ne_bytes()))
    }

    #[inline(always)]
    fn encode(value: &Self, plan: &LongDoublePlan, bytes: &mut [u8]) -> Result<(), ValueError> {
        match (plan.itemsize, plan.order) {
            (12, ByteOrder::Little) => {
                first_chunk_mut::<12>(bytes)?.copy_from_slice(&value.bits().to_le_bytes()[..12]);
            }
            (12, ByteOrder::Big) => first_chunk_mut::<12>(bytes)?.copy_from_slice(&value.bits().to_be_bytes()[4..]),
            (_, ByteOrder::Little) => *first_chunk_mut(bytes)? = value.bits().to_le_bytes(),
            (_, ByteOrder::Big) => *first_chunk_mut(bytes)? = value.bits().to_be_bytes(),
        }
        Ok(())
    }
}

//! The C compiler's `long double`.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the fields of floats are taken apart here; each value is in range by its mask"
)]

use super::bytes::{first_chunk, first_chunk_mut};
use super::codec::{Codec, element};
use super::plan::{Layout, Plan, Planner, order_of};
use crate::error::{Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::format::float;
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
/// assert_eq!(LongDouble::from_f64(-2.5).truncated(), Some(-2));
///
/// let minus_two = 0xc000_u128 << 112; // in quadruple precision
/// assert_eq!(LongDouble::from_bytes(minus_two.to_ne_bytes()).quadruple_to_f64(), -2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct LongDouble([u8; 16]);

impl LongDouble {
    /// Creates a value from its bytes, in native byte order.
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

    /// Rounds 80-bit extended precision to odd, as `float::to_odd` does: the result can be rounded again to a narrower
    /// float.
    #[cfg(feature = "dynamic")]
    pub(crate) fn to_odd(self) -> f64 {
        // The exponent and the significand: the lowest 79 bits.
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
    pub fn to_f64(self) -> f64 {
        float::extended_to_f64(self.bits())
    }

    /// Decodes IEEE quadruple precision (aarch64 and most other Unix), rounded to the nearest
    /// `f64`, ties to even.
    pub fn quadruple_to_f64(self) -> f64 {
        float::quadruple_to_f64(self.bits())
    }

    /// Encodes 80-bit extended precision, which holds every `f64` exactly. The 6 bytes of padding
    /// are 0.
    pub fn from_f64(value: f64) -> Self {
        Self(float::extended_from_f64(value).to_ne_bytes())
    }
}

/// The byte order, and whether an element has 12 bytes in the file instead of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(unnameable_types, reason = "the plan of a codec")]
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
        let plan_of =
            |itemsize| order_of(dtype, ScalarKind::LongDouble { itemsize }).map(|order| LongDoublePlan { order, itemsize });
        planner.require(plan_of(16).or_else(|| plan_of(12)), dtype, Self::dtype)
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

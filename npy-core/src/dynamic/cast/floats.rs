//! Casts of blocks of floats. Losses are gathered as bits as wide as the floats, without branches, so that
//! loops are vectorized.

use std::ops::{BitOr, BitOrAssign, Sub};

use super::number::{NpyNumber, Wide};
use super::rule::SizedClass;

/// The float type of a loop's vectors.
pub(super) trait Lane: Copy + PartialOrd + Sub<Output = Self> {
    type Bits: Copy + Default + PartialEq + BitOr<Output = Self::Bits> + BitOrAssign;
    /// The largest finite float.
    const MAX: Self;

    /// The real and the imaginary part of a number.
    fn parts(wide: Wide) -> (Self, Self);

    /// The float nearest to an integer.
    fn rounded(integer: i32) -> Self;

    fn bits(self) -> Self::Bits;

    fn abs(self) -> Self;

    /// Bits that are 0 if nothing is lost.
    fn bits_if(is_lost: bool) -> Self::Bits;
}

macro_rules! lanes {
    ($($float:ident $bits:ident,)*) => {$(
        impl Lane for $float {
            type Bits = $bits;
            const MAX: Self = Self::MAX;

            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_lossless, trivial_numeric_casts,
                reason = "no float is wider than the lane, and integers are compared with the floats they came from"
            )]
            fn parts(wide: Wide) -> (Self, Self) {
                match wide {
                    Wide::Signed(value) => (value as Self, 0.0),
                    Wide::Unsigned(value) => (value as Self, 0.0),
                    Wide::Single(value) => (value as Self, 0.0),
                    Wide::Float(value) => (value as Self, 0.0),
                    Wide::ComplexSingle(re, im) => (re as Self, im as Self),
                    Wide::Complex(re, im) => (re as Self, im as Self),
                }
            }

            #[inline(always)]
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "rounding is what is asked for")]
            fn rounded(integer: i32) -> Self {
                integer as Self
            }

            #[inline(always)]
            fn bits(self) -> $bits {
                self.to_bits()
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn bits_if(is_lost: bool) -> $bits {
                $bits::from(is_lost).wrapping_neg()
            }
        }
    )*};
}

lanes!(f32 u32, f64 u64,);

/// Appends converted floats, and returns whether all of them fit.
#[inline(always)]
pub(super) fn append_floats<S: NpyNumber, T: NpyNumber, L: Lane, const EXACT: bool>(converted: &mut Vec<T>, block: &[S]) -> bool {
    let mut lost = L::Bits::default();
    let append = |item: &S| {
        let (number, bits) = if const { T::CLASS.is_integer() } {
            to_integer::<T, L>(item.to_wide())
        } else {
            to_float::<T, L, EXACT>(item.to_wide())
        };
        lost |= bits;
        number
    };
    T::extend(converted, block.iter().map(append));
    lost == L::Bits::default()
}

/// Converts a float to an integer or a bool. Also returns bits that are 0 if nothing is lost.
#[inline(always)]
fn to_integer<T: NpyNumber, L: Lane>(wide: Wide) -> (T, L::Bits) {
    let (re, im) = L::parts(wide);
    let (number, integer, is_outside) = if const { matches!(T::CLASS, SizedClass::Bool) || T::CLASS.is_long_integer() } {
        let number = T::from_wide(wide);
        // The greatest integer may be rounded to the end of the range.
        let is_outside = T::CLASS.is_long_integer() && re >= L::parts(Wide::Float(const { T::CLASS.range().1 })).0;
        (number, L::parts(number.to_wide()).0, is_outside)
    } else {
        let integer = wide.truncated::<T>();
        (T::from_wide(Wide::Signed(integer.into())), L::rounded(integer), false)
    };
    // The difference is 0 only for equal numbers, and NaN for NaN.
    (number, (integer - re).bits() | L::bits_if(is_outside) | im.abs().bits())
}

/// Converts a number to a float, or a float to a complex number; not complex to complex, which is a cast of their
/// parts. Also returns bits that are 0 if nothing is lost.
#[inline(always)]
fn to_float<T: NpyNumber, L: Lane, const EXACT: bool>(wide: Wide) -> (T, L::Bits) {
    #[cfg(feature = "half")]
    let wide = if matches!(T::CLASS, SizedClass::Float(2) | SizedClass::BrainFloat) { wide.narrowed() } else { wide };
    let number = T::from_wide(wide);
    let ((re, im), (new_re, _)) = (L::parts(wide), L::parts(number.to_wide()));
    let lost = if EXACT {
        // An imaginary part of -0 is lost, too.
        L::bits_if(is_changed(re, new_re)) | im.bits()
    } else {
        L::bits_if(overflows(re, new_re)) | im.abs().bits()
    };
    (number, lost)
}

/// Whether rounding changed a float. NaN counts as unchanged.
#[inline(always)]
#[allow(clippy::needless_bitwise_bool, reason = "`||` is a branch, which keeps the loop from being vectorized")]
fn is_changed<L: Lane>(before: L, after: L) -> bool {
    (before < after) | (before > after)
}

/// Whether a finite float became infinite. The difference of two infinities is NaN.
#[inline(always)]
fn overflows<L: Lane>(before: L, after: L) -> bool {
    (before - after).abs() > L::MAX
}

/// 1.5 · 2^52. The last bit of a sum with it has the value 1, so that the low bits are the nearest integer.
/// AVX2 has no conversion to 64-bit integers, and the one to `u32` takes 1.4 times as long.
const MIDDLE: f64 = 6_755_399_441_055_744.0;

/// Appends floats as long integers if all of them are in the range and below 2^51, and nothing otherwise. If
/// `WHOLE`, all of them must be integers without an imaginary part; otherwise they are truncated.
#[inline(always)]
pub(super) fn append_long<S: NpyNumber, T: NpyNumber, const WHOLE: bool>(converted: &mut Vec<T>, block: &[S]) -> bool {
    let (begin, mut lost, mut beyond) = (converted.len(), 0, 0);
    let (first, bits) = const {
        if !T::CLASS.is_unsigned() {
            (1 << 51, 52)
        } else if T::CLASS.integer_bits() == 32 {
            (0, 32)
        } else {
            (0, 51)
        }
    };
    T::extend(
        converted,
        block.iter().map(|item| {
            let (re, im) = f64::parts(item.to_wide());
            let integer = if WHOLE {
                let (nearest, value) = nearest(re);
                lost |= (value - re).to_bits() | im.abs().to_bits();
                nearest
            } else {
                nearest(re.trunc()).0
            };
            beyond |= integer.wrapping_add(first).cast_unsigned();
            T::from_wide(Wide::Signed(integer))
        }),
    );
    let all_fit = lost == 0 && beyond >> bits == 0;
    if !all_fit {
        converted.truncate(begin);
    }
    all_fit
}

/// The nearest integer of a float below 2^51, as an integer and as a float. For other floats and for NaN, the
/// integer is beyond 2^51.
#[inline(always)]
fn nearest(value: f64) -> (i64, f64) {
    let sum = value + MIDDLE;
    (sum.to_bits().wrapping_sub(MIDDLE.to_bits()).cast_signed(), sum - MIDDLE)
}

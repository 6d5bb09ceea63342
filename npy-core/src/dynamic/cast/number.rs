//! Number types, and conversions of one number.

use std::fmt;

#[cfg(feature = "half")]
use half::{bf16, f16};
#[cfg(feature = "complex")]
use num_complex::Complex;

use super::rule::SizedClass;
use super::wide::{By, CastBlocks, cast_mapped};
use crate::element::NpyElement;
use crate::error::Result;
#[cfg(feature = "half")]
use crate::format::float;
use crate::memory::vectors;

/// A number between two types.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
#[expect(unnameable_types, reason = "only casts use it")]
pub enum Wide {
    Signed(i64),
    Unsigned(u64),
    /// Not widened to `f64`, because a vector holds twice as many `f32`s.
    Single(f32),
    Float(f64),
    ComplexSingle(f32, f32),
    Complex(f64, f64),
}

impl Wide {
    /// Widens floats to `f64`, for scalar code.
    #[inline(always)]
    fn widened(self) -> Self {
        match self {
            Self::Single(value) => Self::Float(value.into()),
            Self::ComplexSingle(re, im) => Self::Complex(re.into(), im.into()),
            other => other,
        }
    }

    /// The integer part of a float, clamped to the range of a type that `i32` represents. NaN becomes any integer
    /// of the range.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "`i32` represents the range")]
    pub(super) fn truncated<T: NpyNumber>(self) -> i32 {
        let (least, most) = const { (T::CLASS.range().0 as i32, (T::CLASS.range().1 - 1.0) as i32) };
        match self {
            Self::Single(value) | Self::ComplexSingle(value, _) => vectors::truncate_f32(value, least, most),
            wide => vectors::truncate_f64(wide.parts().0, least, most),
        }
    }

    /// Rounds an `f64` to an `f32` [to odd](float::to_odd), before it is rounded to a half float: rounding to nearest
    /// twice would go wrong at ties. An inexact result equals no half float, so that checks for exact casts still notice it.
    #[cfg(feature = "half")]
    #[inline(always)]
    pub(super) fn narrowed(self) -> Self {
        match self {
            Self::Float(value) => Self::Single(float::to_odd(value)),
            Self::Complex(re, im) => Self::ComplexSingle(float::to_odd(re), float::to_odd(im)),
            other => other,
        }
    }

    /// [`truncated`](Self::truncated), where NaN becomes 0.
    #[inline(always)]
    fn saturated<T: NpyNumber>(self) -> i32 {
        match self {
            // `i32::MAX` is not an `f32`.
            Self::Single(value) | Self::ComplexSingle(value, _)
                if const { matches!(T::CLASS, SizedClass::Signed(4)) } && value >= TWO_31 =>
            {
                i32::MAX
            }
            Self::Single(value) | Self::ComplexSingle(value, _) => {
                Self::Single(if value.is_nan() { 0.0 } else { value }).truncated::<T>()
            }
            wide => Self::Float(if wide.parts().0.is_nan() { 0.0 } else { wide.parts().0 }).truncated::<T>(),
        }
    }

    /// The real and the imaginary part.
    #[inline(always)]
    #[allow(clippy::cast_precision_loss, reason = "callers compare floats only")]
    pub(super) fn parts(self) -> (f64, f64) {
        match self {
            Self::Signed(value) => (value as f64, 0.0),
            Self::Unsigned(value) => (value as f64, 0.0),
            Self::Single(value) => (value.into(), 0.0),
            Self::Float(value) => (value, 0.0),
            Self::ComplexSingle(re, im) => (re.into(), im.into()),
            Self::Complex(re, im) => (re, im),
        }
    }
}

impl fmt::Display for Wide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signed(value) => value.fmt(f),
            Self::Unsigned(value) => value.fmt(f),
            // Without an exponent 1e-300 has 300 zeros.
            Self::Float(value) if value.is_finite() && *value != 0.0 && !(1e-4..1e16).contains(&value.abs()) => {
                fmt::LowerExp::fmt(value, f)
            }
            Self::Float(value) => value.fmt(f),
            Self::Single(value) => Self::Float((*value).into()).fmt(f),
            Self::ComplexSingle(..) => self.widened().fmt(f),
            Self::Complex(re, im) => write!(f, "{}{:+}j", Self::Float(*re), Self::Float(*im)),
        }
    }
}

/// A number type of NumPy: bool, integers, floats, complex numbers.
///
/// A [`Casting`](crate::Casting) converts between them.
///
/// Only this crate implements the trait. Its hidden items may change.
///
/// ```
/// use npy_core::{Casting, DynValues, NpyNumber};
///
/// fn mean<T: NpyNumber>(values: &[T]) -> npy_core::Result<f64> {
///     let values = DynValues::from_slice(values)?.cast::<f64>(Casting::SameKind)?;
///     Ok(values.iter().sum::<f64>() / values.len() as f64)
/// }
///
/// assert_eq!(mean(&[1_u8, 2, 6])?, 3.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that others could be cast to",
    note = "bools, integers, floats and, with their features, `half` and `complex` numbers are",
    note = "instead of `usize` use `u64`, instead of `isize` `i64`"
)]
pub trait NpyNumber: NpyElement + Copy + Send + Sync + 'static {
    /// Returns the nearest `f64`; of a complex number, of its real part.
    fn to_f64(self) -> f64 {
        <f64 as NpyNumber>::from_wide(self.to_wide())
    }

    #[doc(hidden)]
    const CLASS: SizedClass;

    /// Without loss, except for bits that `f64` does not have.
    #[doc(hidden)]
    fn to_wide(self) -> Wide;

    /// The nearest number, wrapped or truncated.
    #[doc(hidden)]
    fn from_wide(wide: Wide) -> Self;

    /// The number, if it fits: see [`Casting::Checked`](crate::Casting::Checked).
    #[doc(hidden)]
    fn from_wide_checked(wide: Wide) -> Option<Self>;

    /// Casts numbers by the loops of the same type, or of a wider one.
    #[doc(hidden)]
    fn cast_blocks(numbers: &[Self], casts: &mut dyn CastBlocks) -> Result<()>;

    /// The type of the real and the imaginary part; for other numbers the type itself.
    #[doc(hidden)]
    type Part: NpyNumber;

    /// Views numbers as their parts: two for each complex number.
    #[doc(hidden)]
    fn as_parts(numbers: &[Self]) -> &[Self::Part];

    /// Converts to parts, in the same memory.
    #[doc(hidden)]
    fn into_parts(numbers: Vec<Self>) -> Vec<Self::Part>;

    /// Converts back from [`into_parts`](Self::into_parts). The vector must not have been reallocated.
    #[doc(hidden)]
    fn from_parts(parts: Vec<Self::Part>) -> Vec<Self>;

    /// Appends numbers, for which there must be memory.
    #[doc(hidden)]
    #[inline(always)]
    fn extend(numbers: &mut Vec<Self>, items: impl Iterator<Item = Self>) {
        vectors::extend(numbers, items);
    }

    /// An accumulator for the bits of integers.
    #[doc(hidden)]
    type Bits: Copy + Default;

    /// Gathers the bits of an integer. Does nothing for other numbers.
    #[doc(hidden)]
    fn gather(_bits: &mut Self::Bits, _item: Self) {}

    /// The gathered bits.
    #[doc(hidden)]
    fn span(_bits: Self::Bits) -> Span {
        Span { bits: u64::MAX, is_any_negative: true }
    }
}

/// The bits that several integers need.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
#[expect(unnameable_types, reason = "only casts use it")]
pub struct Span {
    /// The union of their bits; of negative integers, those of the complement.
    pub bits: u64,
    pub is_any_negative: bool,
}

/// Casts numbers as a type that represents all of them.
fn cast_wider<S: NpyNumber, W: NpyNumber>(numbers: &[S], casts: &mut dyn CastBlocks, by: By<W>) -> Result<()> {
    cast_mapped(numbers, |number| W::from_wide(number.to_wide()), casts, by)
}

/// Numbers that are their own part.
macro_rules! whole {
    () => {
        type Part = Self;

        #[inline(always)]
        fn as_parts(numbers: &[Self]) -> &[Self] {
            numbers
        }

        #[inline(always)]
        fn into_parts(numbers: Vec<Self>) -> Vec<Self> {
            numbers
        }

        #[inline(always)]
        fn from_parts(parts: Vec<Self>) -> Vec<Self> {
            parts
        }
    };
}

impl NpyNumber for bool {
    const CLASS: SizedClass = SizedClass::Bool;
    whole!();

    fn cast_blocks(numbers: &[Self], casts: &mut dyn CastBlocks) -> Result<()> {
        cast_wider(numbers, casts, |casts, numbers: &[u8]| casts.u8s(numbers))
    }

    #[inline(always)]
    fn to_wide(self) -> Wide {
        Wide::Unsigned(u64::from(self))
    }

    #[inline(always)]
    #[allow(clippy::float_cmp, reason = "everything but 0 is true, also NaN")]
    fn from_wide(wide: Wide) -> Self {
        match wide {
            Wide::Signed(value) => value != 0,
            Wide::Unsigned(value) => value != 0,
            Wide::Single(value) => value != 0.0,
            Wide::Float(value) => value != 0.0,
            Wide::ComplexSingle(re, im) => re != 0.0 || im != 0.0,
            Wide::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }

    #[inline(always)]
    fn from_wide_checked(wide: Wide) -> Option<Self> {
        u8::from_wide_checked(wide).filter(|value| *value <= 1).map(|value| value == 1)
    }

    type Bits = ();

    fn span((): ()) -> Span {
        Span { bits: 1, is_any_negative: false }
    }
}

macro_rules! integers {
    ($($type:ident: $class:ident $wide:ident $bytes:literal, $numbers:ident $casts:ident $cast:expr;)*) => {$(
        impl NpyNumber for $type {
            const CLASS: SizedClass = SizedClass::$class($bytes);
            whole!();

            fn cast_blocks($numbers: &[Self], $casts: &mut dyn CastBlocks) -> Result<()> {
                $cast
            }

            #[inline(always)]
            fn to_wide(self) -> Wide {
                Wide::$class(self.into())
            }

            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss, clippy::cast_lossless, trivial_numeric_casts,
                reason = "wrapping is what is asked for"
            )]
            fn from_wide(wide: Wide) -> Self {
                match wide {
                    Wide::Signed(value) => value as Self,
                    Wide::Unsigned(value) => value as Self,
                    // `as` is not vectorized, which takes ten times as long.
                    _ if !Self::CLASS.is_long_integer() => wide.saturated::<Self>() as Self,
                    Wide::Single(value) | Wide::ComplexSingle(value, _) => value as Self,
                    Wide::Float(value) | Wide::Complex(value, _) => value as Self,
                }
            }

            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation, clippy::float_cmp,
                reason = "`i128` holds all 64-bit integers and those beyond their ends"
            )]
            fn from_wide_checked(wide: Wide) -> Option<Self> {
                match wide.widened() {
                    Wide::Signed(value) => Self::try_from(value).ok(),
                    Wide::Unsigned(value) => Self::try_from(value).ok(),
                    Wide::Float(value) | Wide::Complex(value, 0.0) if value == value.trunc() => Self::try_from(value as i128).ok(),
                    _ => None,
                }
            }

            type Bits = (Self, Self);

            // The highest bit of a signed integer that differs from the next lower one ends the copies of the
            // sign. 64-bit vectors have no arithmetic shift to the right. `MIN` of unsigned integers is 0.
            #[inline(always)]
            fn gather((bits, any): &mut Self::Bits, item: Self) {
                *bits |= if Self::MIN != 0 { item ^ (item << 1) } else { item };
                *any |= item;
            }

            #[inline(always)]
            #[allow(clippy::cast_sign_loss, clippy::cast_lossless, trivial_numeric_casts, reason = "only their bits matter")]
            fn span((bits, any): Self::Bits) -> Span {
                // Without the sign extension.
                let width = if Self::BITS < 64 { (1 << Self::BITS) - 1 } else { u64::MAX };
                Span { bits: (bits as u64 & width) >> u32::from(Self::MIN != 0), is_any_negative: Self::MIN != 0 && any.leading_zeros() == 0 }
            }
        }
    )*};
}

integers! {
    u8: Unsigned u64 1, numbers casts casts.u8s(numbers);
    u16: Unsigned u64 2, numbers casts casts.u16s(numbers);
    u32: Unsigned u64 4, numbers casts casts.u32s(numbers);
    u64: Unsigned u64 8, numbers casts casts.u64s(numbers);
    i8: Signed i64 1, numbers casts cast_wider(numbers, casts, |casts, numbers: &[i16]| casts.i16s(numbers));
    i16: Signed i64 2, numbers casts casts.i16s(numbers);
    i32: Signed i64 4, numbers casts casts.i32s(numbers);
    i64: Signed i64 8, numbers casts casts.i64s(numbers);
}

/// The operations of floats of every width.
trait Float: Copy {
    fn of_f32(value: f32) -> Self;
    fn of_f64(value: f64) -> Self;
    /// Narrower floats are rounded by way of `f32`, as in NumPy.
    fn of_signed(value: i64) -> Self;
    fn of_unsigned(value: u64) -> Self;
    fn to_f64(self) -> f64;
}

/// Converts to a float, if the number fits.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "looked at only where it is in range")]
fn checked<T: Float>(wide: Wide) -> Option<T> {
    match wide.widened() {
        Wide::Signed(value) => {
            let float = T::of_signed(value);
            let back = float.to_f64();
            ((-TWO_63..TWO_63).contains(&back) && back as i64 == value).then_some(float)
        }
        Wide::Unsigned(value) => {
            let float = T::of_unsigned(value);
            let back = float.to_f64();
            ((0.0..2.0 * TWO_63).contains(&back) && back as u64 == value).then_some(float)
        }
        Wide::Float(value) | Wide::Complex(value, 0.0) => {
            let float = T::of_f64(value);
            (float.to_f64().is_infinite() == value.is_infinite()).then_some(float)
        }
        _ => None,
    }
}

/// The nearest `f32`. Vectors of `as f32` take 1.6 times as long.
#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "rounding is what is asked for")]
fn rounded(value: u64) -> f32 {
    let signed = value.cast_signed();
    // The last bit of the half is a sticky bit, so that the half rounds as the whole does.
    let half = (value >> 1 | value & 1).cast_signed() as f32;
    if signed >= 0 { signed as f32 } else { half + half }
}

/// One more than the largest `i32`.
const TWO_31: f32 = 2_147_483_648.0;

/// One more than the largest `i64`.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

macro_rules! floats {
    ($($type:ident $class:expr, $wide:expr, $from_f32:expr, $from_f64:expr, $numbers:ident $casts:ident $cast:expr;)*) => {$(
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
        #[allow(clippy::redundant_closure_call, reason = "some are functions")]
        impl Float for $type {
            #[inline(always)]
            fn of_f32(value: f32) -> Self {
                $from_f32(value)
            }

            #[inline(always)]
            fn of_f64(value: f64) -> Self {
                $from_f64(value)
            }

            #[inline(always)]
            fn of_signed(value: i64) -> Self {
                if size_of::<Self>() == 8 { $from_f64(value as f64) } else { $from_f32(value as f32) }
            }

            #[inline(always)]
            fn of_unsigned(value: u64) -> Self {
                if size_of::<Self>() == 8 { $from_f64(value as f64) } else { $from_f32(rounded(value)) }
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                $wide(self).parts().0
            }
        }

        #[allow(clippy::redundant_closure_call, reason = "some are functions")]
        impl NpyNumber for $type {
            type Bits = ();
            const CLASS: SizedClass = $class;
            whole!();

            fn cast_blocks($numbers: &[Self], $casts: &mut dyn CastBlocks) -> Result<()> {
                $cast
            }

            #[inline(always)]
            fn to_wide(self) -> Wide {
                $wide(self)
            }

            #[inline(always)]
            fn from_wide(wide: Wide) -> Self {
                match wide {
                    Wide::Signed(value) => Self::of_signed(value),
                    Wide::Unsigned(value) => Self::of_unsigned(value),
                    Wide::Single(value) | Wide::ComplexSingle(value, _) => Self::of_f32(value),
                    Wide::Float(value) | Wide::Complex(value, _) => Self::of_f64(value),
                }
            }

            #[inline(always)]
            fn from_wide_checked(wide: Wide) -> Option<Self> {
                checked(wide)
            }
        }
    )*};
}

floats! {
    f32 SizedClass::Float(4), Wide::Single, |value: f32| value, |value: f64| value as f32, numbers casts casts.f32s(numbers);
    f64 SizedClass::Float(8), Wide::Float, f64::from, |value: f64| value, numbers casts casts.f64s(numbers);
}

#[cfg(feature = "half")]
floats! {
    f16 SizedClass::Float(2), |half: f16| Wide::Single(float::half_to_f32(half.to_bits())), |value| f16::from_bits(float::half_from_f32(value)), |value| f16::from_bits(float::half_from_f64(value)), numbers casts cast_wider(numbers, casts, |casts, numbers: &[f32]| casts.f32s(numbers));
    bf16 SizedClass::BrainFloat, |half: bf16| Wide::Single(half.to_f32()), bf16::from_f32, |value| bf16::from_f32(float::to_odd(value)), numbers casts cast_wider(numbers, casts, |casts, numbers: &[f32]| casts.f32s(numbers));
}

#[cfg(feature = "complex")]
macro_rules! complex {
    ($($part:ident $bytes:literal $wide:ident $cast:ident,)*) => {$(
        impl NpyNumber for Complex<$part> {
            type Bits = ();
            const CLASS: SizedClass = SizedClass::Complex($bytes);

            fn cast_blocks(numbers: &[Self], casts: &mut dyn CastBlocks) -> Result<()> {
                casts.$cast(numbers)
            }

            #[inline(always)]
            fn to_wide(self) -> Wide {
                Wide::$wide(self.re, self.im)
            }

            #[inline(always)]
            fn from_wide(wide: Wide) -> Self {
                let im = match wide {
                    Wide::ComplexSingle(_, im) => $part::from_wide(Wide::Single(im)),
                    Wide::Complex(_, im) => $part::from_wide(Wide::Float(im)),
                    _ => 0.0,
                };
                Self::new($part::from_wide(wide), im)
            }

            #[inline(always)]
            fn from_wide_checked(wide: Wide) -> Option<Self> {
                let wide = wide.widened();
                let (re, im) = if let Wide::Complex(re, im) = wide { (Wide::Float(re), im) } else { (wide, 0.0) };
                Some(Self::new($part::from_wide_checked(re)?, $part::from_wide_checked(Wide::Float(im))?))
            }

            #[inline(always)]
            fn extend(numbers: &mut Vec<Self>, items: impl Iterator<Item = Self>) {
                vectors::extend_pairs(numbers, items);
            }

            type Part = $part;

            #[inline(always)]
            fn as_parts(numbers: &[Self]) -> &[$part] {
                vectors::parts(numbers)
            }

            #[inline(always)]
            fn into_parts(numbers: Vec<Self>) -> Vec<$part> {
                vectors::into_parts(numbers)
            }

            #[inline(always)]
            fn from_parts(parts: Vec<$part>) -> Vec<Self> {
                vectors::from_parts(parts)
            }
        }
    )*};
}

#[cfg(feature = "complex")]
complex!(f32 4 ComplexSingle c64s, f64 8 Complex c128s,);

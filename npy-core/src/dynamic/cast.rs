//! Casts numbers by the rules of `numpy.can_cast`.

use std::any::Any;
use std::fmt;

#[cfg(feature = "half")]
use half::{bf16, f16};
#[cfg(feature = "complex")]
use num_complex::Complex;

use super::DynValues;
use crate::element::{LongDouble, NpyElement};
use crate::error::{Error, ErrorKind, Result, ValueError, ValueProblem};
use crate::format::dtype::{DType, Scalar, ScalarKind};
use crate::memory::reserve_exact;
use crate::memory::slots::Reserved;

/// The rule for a conversion of numbers: `casting=` of `numpy.ndarray.astype`.
///
/// ```
/// use npy_core::{Casting, DynValues};
///
/// let values = DynValues::from_slice(&[1_i32, 2, 300])?;
/// assert_eq!(values.cast::<f64>(Casting::Safe)?, [1.0, 2.0, 300.0]);
/// assert_eq!(values.cast::<i8>(Casting::SameKind)?, [1, 2, 44]);
///
/// let error = values.cast::<u8>(Casting::Checked).unwrap_err();
/// assert_eq!(error.to_string(), "element 2: 300 is out of range for |u1");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Casting {
    /// `numpy.can_cast(…, 'safe')`: no integer wraps and no float overflows.
    ///
    /// 64-bit integers may become `f64`, although that may round.
    Safe,
    /// `numpy.can_cast(…, 'same_kind')`, NumPy's rule for storing results.
    ///
    /// Also allows narrower types of the same kind, where floats are rounded and integers wrap. A
    /// kind may become a later one of bool, unsigned, signed, float, complex.
    #[default]
    SameKind,
    /// Between any two types, if every value fits.
    ///
    /// Integers must be exact, also as floats. Floats that become integers must be whole. Floats
    /// are rounded to narrower ones, but must not become infinite. Complex numbers that become real
    /// must have no imaginary part.
    Checked,
    /// Between any two types, without checks.
    ///
    /// Integers wrap, and imaginary parts are dropped. Floats are truncated to integers. Those
    /// outside of the range of an integer become the nearest integer, and NaN becomes 0, where the
    /// result of NumPy depends on the processor.
    Unsafe,
}

impl Casting {
    /// Returns whether the rule allows a conversion between two dtypes.
    ///
    /// The values are not considered. Dtypes that are not numbers never become numbers.
    ///
    /// ```
    /// use npy_core::Casting;
    ///
    /// let dtype = |text: &str| text.parse::<npy_core::DType>();
    /// assert!(Casting::Safe.allows(&dtype("<i4")?, &dtype("<f8")?));
    /// assert!(!Casting::Safe.allows(&dtype("<f8")?, &dtype("<f4")?));
    /// assert!(Casting::SameKind.allows(&dtype("<f8")?, &dtype("<f4")?));
    /// assert!(!Casting::SameKind.allows(&dtype("<f8")?, &dtype("<i8")?));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn allows(self, from: &DType, to: &DType) -> bool {
        match (Class::of(from), Class::of(to)) {
            (Some(from), Some(to)) => self.allows_class(from, to),
            _ => false,
        }
    }

    /// NumPy's name of the rule, or ours.
    fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::SameKind => "same_kind",
            Self::Checked => "checked",
            Self::Unsafe => "unsafe",
        }
    }

    fn allows_class(self, from: Class, to: Class) -> bool {
        match self {
            Self::Safe => from.is_held_by(to),
            Self::SameKind => from.kind() <= to.kind(),
            Self::Checked | Self::Unsafe => true,
        }
    }
}

/// The property of a number type on which casting rules depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Class {
    Bool,
    /// With a number of bytes, as all below.
    Unsigned(u8),
    Signed(u8),
    /// Of IEEE 754.
    Float(u8),
    /// As wide as `f16`, with the range of `f32`.
    BrainFloat,
    /// Of each part.
    Complex(u8),
}

impl Class {
    fn of(dtype: &DType) -> Option<Self> {
        let DType::Scalar(scalar) = dtype else { return None };
        Some(match scalar.kind() {
            ScalarKind::Bool => Self::Bool,
            ScalarKind::UInt8 => Self::Unsigned(1),
            ScalarKind::UInt16 => Self::Unsigned(2),
            ScalarKind::UInt32 => Self::Unsigned(4),
            ScalarKind::UInt64 => Self::Unsigned(8),
            ScalarKind::Int8 => Self::Signed(1),
            ScalarKind::Int16 => Self::Signed(2),
            ScalarKind::Int32 => Self::Signed(4),
            ScalarKind::Int64 => Self::Signed(8),
            ScalarKind::Float16 => Self::Float(2),
            ScalarKind::Float32 => Self::Float(4),
            ScalarKind::Float64 => Self::Float(8),
            ScalarKind::LongDouble { .. } => Self::Float(16),
            ScalarKind::Complex64 => Self::Complex(4),
            ScalarKind::Complex128 => Self::Complex(8),
            ScalarKind::ComplexLongDouble { .. } => Self::Complex(16),
            // What `ml_dtypes` writes for bfloat16.
            ScalarKind::Void { length: 2 } if scalar.byte_order().is_some() => Self::BrainFloat,
            _ => return None,
        })
    }

    /// NumPy's order of the kinds.
    fn kind(self) -> u8 {
        match self {
            Self::Bool => 0,
            Self::Unsigned(_) => 1,
            Self::Signed(_) => 2,
            Self::Float(_) | Self::BrainFloat => 3,
            Self::Complex(_) => 4,
        }
    }

    /// NumPy's rule of what is safe.
    fn is_held_by(self, to: Self) -> bool {
        match (self, to) {
            (Self::Bool, _) | (Self::BrainFloat, Self::BrainFloat) => true,
            (Self::Unsigned(from), Self::Unsigned(to))
            | (Self::Signed(from), Self::Signed(to))
            | (Self::Float(from), Self::Float(to) | Self::Complex(to))
            | (Self::Complex(from), Self::Complex(to)) => from <= to,
            (Self::Unsigned(from), Self::Signed(to)) => from < to,
            // A float of twice the bytes, and `f64` for 64 bits.
            (Self::Unsigned(from) | Self::Signed(from), Self::Float(to) | Self::Complex(to)) => from < to || (from, to) == (8, 8),
            (Self::Unsigned(from) | Self::Signed(from), Self::BrainFloat) => from == 1,
            (Self::BrainFloat, Self::Float(to) | Self::Complex(to)) => to >= 4,
            _ => false,
        }
    }
}

/// A number between two types.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub enum Wide {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Complex(f64, f64),
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
            Self::Complex(re, im) => write!(f, "{}{:+}j", Self::Float(*re), Self::Float(*im)),
        }
    }
}

/// A number type of NumPy: bool, integers, floats, complex numbers.
///
/// A [`Casting`] converts between them.
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
    ///
    /// ```
    /// use npy_core::NpyNumber;
    ///
    /// fn sum<T: NpyNumber>(numbers: &[T]) -> f64 {
    ///     numbers.iter().map(|number| number.to_f64()).sum()
    /// }
    ///
    /// assert_eq!(sum(&[1_u8, 2]) + sum(&[0.5_f32]), 3.5);
    /// ```
    fn to_f64(self) -> f64 {
        <f64 as NpyNumber>::from_wide(self.to_wide())
    }

    #[doc(hidden)]
    const CLASS: Class;

    /// Without loss, except for bits that `f64` does not have.
    #[doc(hidden)]
    fn to_wide(self) -> Wide;

    /// The nearest number, wrapped or truncated.
    #[doc(hidden)]
    fn from_wide(wide: Wide) -> Self;

    /// The number, if it fits: see [`Casting::Checked`].
    #[doc(hidden)]
    fn from_wide_checked(wide: Wide) -> Option<Self>;
}

impl NpyNumber for bool {
    const CLASS: Class = Class::Bool;

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
            Wide::Float(value) => value != 0.0,
            Wide::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }

    #[inline(always)]
    fn from_wide_checked(wide: Wide) -> Option<Self> {
        u8::from_wide_checked(wide).filter(|value| *value <= 1).map(|value| value == 1)
    }
}

macro_rules! integers {
    ($($type:ident: $class:ident $wide:ident $bytes:literal,)*) => {$(
        impl NpyNumber for $type {
            const CLASS: Class = Class::$class($bytes);

            #[inline(always)]
            fn to_wide(self) -> Wide {
                Wide::$class(self.into())
            }

            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss, trivial_numeric_casts,
                reason = "wrapping is what is asked for"
            )]
            fn from_wide(wide: Wide) -> Self {
                match wide {
                    Wide::Signed(value) => value as Self,
                    Wide::Unsigned(value) => value as Self,
                    Wide::Float(value) | Wide::Complex(value, _) => value as Self,
                }
            }

            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation, clippy::float_cmp,
                reason = "integers of 64 bits are looked at in 128, which hold them and one more on each side"
            )]
            fn from_wide_checked(wide: Wide) -> Option<Self> {
                match wide {
                    Wide::Signed(value) => Self::try_from(value).ok(),
                    Wide::Unsigned(value) => Self::try_from(value).ok(),
                    Wide::Float(value) | Wide::Complex(value, 0.0) if value == value.trunc() => Self::try_from(value as i128).ok(),
                    _ => None,
                }
            }
        }
    )*};
}

integers! {
    u8: Unsigned u64 1,
    u16: Unsigned u64 2,
    u32: Unsigned u64 4,
    u64: Unsigned u64 8,
    i8: Signed i64 1,
    i16: Signed i64 2,
    i32: Signed i64 4,
    i64: Signed i64 8,
}

/// The operations of floats of every width.
trait Float: Copy {
    fn of_f64(value: f64) -> Self;
    /// Through `f32`, as NumPy does, for those that are narrower.
    fn of_signed(value: i64) -> Self;
    fn of_unsigned(value: u64) -> Self;
    fn to_f64(self) -> f64;
}

/// The float, if it fits.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "floats that came of 64-bit integers lie within 128 bits")]
fn checked<T: Float>(wide: Wide) -> Option<T> {
    match wide {
        Wide::Signed(value) => {
            let float = T::of_signed(value);
            (float.to_f64().is_finite() && float.to_f64() as i128 == i128::from(value)).then_some(float)
        }
        Wide::Unsigned(value) => {
            let float = T::of_unsigned(value);
            (float.to_f64().is_finite() && float.to_f64() as i128 == i128::from(value)).then_some(float)
        }
        Wide::Float(value) | Wide::Complex(value, 0.0) => {
            let float = T::of_f64(value);
            (float.to_f64().is_infinite() == value.is_infinite()).then_some(float)
        }
        Wide::Complex(..) => None,
    }
}

macro_rules! floats {
    ($($type:ident $class:expr, $from_f64:expr, $from_signed:expr, $from_unsigned:expr;)*) => {$(
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
        impl Float for $type {
            #[inline(always)]
            fn of_f64(value: f64) -> Self {
                $from_f64(value)
            }

            #[inline(always)]
            fn of_signed(value: i64) -> Self {
                $from_signed(value)
            }

            #[inline(always)]
            fn of_unsigned(value: u64) -> Self {
                $from_unsigned(value)
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }
        }

        impl NpyNumber for $type {
            const CLASS: Class = $class;

            #[inline(always)]
            fn to_wide(self) -> Wide {
                Wide::Float(self.into())
            }

            #[inline(always)]
            fn from_wide(wide: Wide) -> Self {
                match wide {
                    Wide::Signed(value) => Self::of_signed(value),
                    Wide::Unsigned(value) => Self::of_unsigned(value),
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
    f32 Class::Float(4), |value: f64| value as f32, |value: i64| value as f32, |value: u64| value as f32;
    f64 Class::Float(8), |value: f64| value, |value: i64| value as f64, |value: u64| value as f64;
}

/// Rounds to odd: returns the float next to the number in the direction of 0, with its last bit set
/// if inexact. Rounding it again, to a float of at least two bits fewer, rounds the number itself.
#[cfg(feature = "half")]
#[allow(clippy::cast_possible_truncation, clippy::float_cmp, reason = "rounding is what is asked for, and whether it was exact")]
fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    if value.is_nan() || f64::from(nearest) == value {
        return nearest;
    }
    // Of floats of one sign, the one with the lower bits is nearer to 0.
    let is_beyond = f64::from(nearest).abs() > value.abs();
    f32::from_bits((nearest.to_bits() - u32::from(is_beyond)) | 1)
}

#[cfg(feature = "half")]
floats! {
    f16 Class::Float(2), |value: f64| f16::from_f32(to_odd(value)), |value: i64| f16::from_f32(value as f32), |value: u64| f16::from_f32(value as f32);
    bf16 Class::BrainFloat, |value: f64| bf16::from_f32(to_odd(value)), |value: i64| bf16::from_f32(value as f32), |value: u64| bf16::from_f32(value as f32);
}

#[cfg(feature = "complex")]
macro_rules! complex {
    ($($part:ident $bytes:literal,)*) => {$(
        impl NpyNumber for Complex<$part> {
            const CLASS: Class = Class::Complex($bytes);

            #[inline(always)]
            fn to_wide(self) -> Wide {
                Wide::Complex(self.re.into(), self.im.into())
            }

            #[inline(always)]
            fn from_wide(wide: Wide) -> Self {
                let im = if let Wide::Complex(_, im) = wide { $part::from_wide(Wide::Float(im)) } else { 0.0 };
                Self::new($part::from_wide(wide), im)
            }

            #[inline(always)]
            fn from_wide_checked(wide: Wide) -> Option<Self> {
                let (re, im) = if let Wide::Complex(re, im) = wide { (Wide::Float(re), im) } else { (wide, 0.0) };
                Some(Self::new($part::from_wide_checked(re)?, $part::from_wide_checked(Wide::Float(im))?))
            }
        }
    )*};
}

#[cfg(feature = "complex")]
complex!(f32 4, f64 8,);

/// Converts numbers to another type.
///
/// # Errors
///
/// Fails if the rule does not allow it, or if a value does not fit.
pub fn cast_items<S: NpyNumber, T: NpyNumber>(items: impl ExactSizeIterator<Item = S>, casting: Casting) -> Result<Vec<T>> {
    if !casting.allows_class(S::CLASS, T::CLASS) {
        return Err(not_allowed(&S::dtype(), &T::dtype(), casting));
    }
    convert(items, casting)
}

/// The numbers, whatever the rule says of their types.
fn convert<S: NpyNumber, T: NpyNumber>(items: impl ExactSizeIterator<Item = S>, casting: Casting) -> Result<Vec<T>> {
    let (mut converted, count) = (Vec::new(), items.len());
    reserve_exact(&mut converted, count)?;
    let mut reserved = Reserved::new(&mut converted, count, count)?;
    let mut slots = reserved.slots();
    // A NaN of the same type keeps its payload, as in NumPy.
    let same = |item: &S| (item as &dyn Any).downcast_ref::<T>().copied();
    let result = if casting == Casting::Checked {
        slots.extend(items, |item| {
            let wide = item.to_wide();
            same(&item).or_else(|| T::from_wide_checked(wide)).ok_or_else(|| does_not_fit::<T>(wide))
        })
    } else {
        slots.extend(items, |item| Ok(same(&item).unwrap_or_else(|| T::from_wide(item.to_wide()))))
    };
    result.map_err(|(index, error)| error.in_element(index as u64))?;
    slots.keep();
    reserved.finish()?;
    Ok(converted)
}

#[cold]
fn not_allowed(from: &DType, to: &DType, casting: Casting) -> Error {
    let (from, is_number, to) = (from.to_string(), Class::of(from).is_some(), to.to_string());
    if is_number { ErrorKind::CannotCast { from, to, casting: casting.name() } } else { ErrorKind::NoNumbers { from, to } }.into()
}

#[cold]
fn does_not_fit<T: NpyNumber>(wide: Wide) -> ValueError {
    let (value, dtype) = (wide.to_string(), T::dtype().to_string());
    let is_for_integers = matches!(T::CLASS, Class::Bool | Class::Unsigned(_) | Class::Signed(_));
    // What is rounded, or loses a part, is inexact; what is not there at all is out of range.
    let is_outside = match wide {
        Wide::Signed(_) | Wide::Unsigned(_) => is_for_integers,
        Wide::Float(number) | Wide::Complex(number, 0.0) => !is_for_integers || number.is_infinite() || number.fract() == 0.0,
        Wide::Complex(..) => false,
    };
    if is_outside { ValueProblem::OutOfRange { value, dtype } } else { ValueProblem::Inexact { value, dtype } }.into()
}

impl DynValues {
    /// Converts the elements to numbers, in the order of [`order`](Self::order).
    ///
    /// ```
    /// use npy_core::{Casting, DynValues};
    ///
    /// let values = DynValues::from_slice(&[1_i64, 300])?;
    /// assert_eq!(values.cast::<f64>(Casting::Safe)?, [1.0, 300.0]);
    /// let error = values.cast::<u8>(Casting::Checked).unwrap_err();
    /// assert!(error.to_string().starts_with("element 1"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if `casting` does not allow it, if the elements are not numbers, or, with
    /// [`Casting::Checked`], if a value does not fit. The error names the first.
    pub fn cast<T: NpyNumber>(&self, casting: Casting) -> Result<Vec<T>> {
        let DType::Scalar(scalar) = self.dtype() else { return Err(not_allowed(self.dtype(), &T::dtype(), casting)) };
        match scalar.kind() {
            ScalarKind::Bool => self.cast_from::<bool, T>(casting),
            ScalarKind::UInt8 => self.cast_from::<u8, T>(casting),
            ScalarKind::UInt16 => self.cast_from::<u16, T>(casting),
            ScalarKind::UInt32 => self.cast_from::<u32, T>(casting),
            ScalarKind::UInt64 => self.cast_from::<u64, T>(casting),
            ScalarKind::Int8 => self.cast_from::<i8, T>(casting),
            ScalarKind::Int16 => self.cast_from::<i16, T>(casting),
            ScalarKind::Int32 => self.cast_from::<i32, T>(casting),
            ScalarKind::Int64 => self.cast_from::<i64, T>(casting),
            #[cfg(feature = "half")]
            ScalarKind::Float16 => self.cast_from::<f16, T>(casting),
            #[cfg(feature = "half")]
            ScalarKind::Void { length: 2 } if scalar.byte_order().is_some() => self.cast_from::<bf16, T>(casting),
            ScalarKind::Float32 => self.cast_from::<f32, T>(casting),
            ScalarKind::Float64 => self.cast_from::<f64, T>(casting),
            #[cfg(feature = "complex")]
            ScalarKind::Complex64 => self.cast_from::<Complex<f32>, T>(casting),
            #[cfg(feature = "complex")]
            ScalarKind::Complex128 => self.cast_from::<Complex<f64>, T>(casting),
            _ => self.cast_long_double(*scalar, casting),
        }
    }

    fn cast_from<S: NpyNumber, T: NpyNumber>(&self, casting: Casting) -> Result<Vec<T>> {
        if !casting.allows_class(S::CLASS, T::CLASS) {
            return Err(not_allowed(self.dtype(), &T::dtype(), casting));
        }
        cast_items(self.to_vec::<S>()?.into_iter(), casting)
    }

    /// By way of `f64`, which is nearer than any other type.
    fn cast_long_double<T: NpyNumber>(&self, scalar: Scalar, casting: Casting) -> Result<Vec<T>> {
        let refused = || not_allowed(self.dtype(), &T::dtype(), casting);
        if !Class::of(self.dtype()).is_some_and(|from| casting.allows_class(from, T::CLASS)) {
            return Err(refused());
        }
        match scalar.kind() {
            ScalarKind::LongDouble { .. } if matches!(T::CLASS, Class::Bool | Class::Unsigned(_) | Class::Signed(_)) => {
                self.cast_long_integers(casting)
            }
            ScalarKind::LongDouble { .. } => convert(self.to_vec::<LongDouble>()?.into_iter().map(LongDouble::to_f64), casting),
            #[cfg(feature = "complex")]
            ScalarKind::ComplexLongDouble { .. } => {
                let to_f64 = |item: Complex<LongDouble>| Complex::new(item.re.to_f64(), item.im.to_f64());
                convert(self.to_vec::<Complex<LongDouble>>()?.into_iter().map(to_f64), casting)
            }
            _ => Err(refused()),
        }
    }

    /// Long doubles as integers, which they hold up to 64 bits, and `f64` up to 53.
    fn cast_long_integers<T: NpyNumber>(&self, casting: Casting) -> Result<Vec<T>> {
        let mut numbers = Vec::new();
        let items = self.to_vec::<LongDouble>()?;
        reserve_exact(&mut numbers, items.len())?;
        for (index, item) in items.into_iter().enumerate() {
            let is_checked = casting == Casting::Checked;
            let wide = match item.to_integer() {
                Some(integer) if integer < 0 => i64::try_from(integer).map(Wide::Signed),
                Some(integer) => u64::try_from(integer).map(Wide::Unsigned),
                // Beyond that it is out of range.
                None if is_checked && item.to_f64().abs() < 2.0_f64.powi(64) => {
                    let (value, dtype) = (item.to_f64().to_string(), T::dtype().to_string());
                    return Err(ValueError::from(ValueProblem::Inexact { value, dtype }).in_element(index as u64));
                }
                None => Ok(Wide::Float(item.to_f64())),
            };
            // Those beyond 64 bits are outside of every range.
            let wide = wide.unwrap_or(Wide::Float(item.to_f64()));
            let number = if is_checked { T::from_wide_checked(wide) } else { Some(T::from_wide(wide)) };
            numbers.push(number.ok_or_else(|| does_not_fit::<T>(wide).in_element(index as u64))?);
        }
        Ok(numbers)
    }
}

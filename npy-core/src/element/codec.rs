//! Codecs, which store values as a dtype, and the codecs of `#[npy(dtype = …)]`, `#[npy(with = …)]` and `Option`.

use std::marker::PhantomData;

use super::plan::{Layout, Plan, Planner};
use crate::error::{Result, ValueError, rust_type};
use crate::format::dtype::{ByteOrder, DType};
use crate::memory::Bulk;
use crate::memory::slots::Sends;

/// A way to store a `T`. Most elements are their own; others have no values.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot be stored as this dtype",
    label = "this dtype does not hold every `{T}`",
    note = "numbers can be stored as wider numbers that hold each of their values, `String` as `U16` or `S16`, `i64` and the types \
            of `jiff` and `chrono` as times; without `dtype`, a type is stored as its own dtype",
    note = "for the byte order of enums, newtypes and records, use `endian` on the struct they are in"
)]
pub trait Codec<T> {
    /// How to read and write a `T` as a given dtype.
    type Plan: Plan;

    /// The little-endian layout of [`dtype`](Self::dtype), if that depends on the type alone.
    const LITTLE: Option<Layout<Self::Plan>>;

    /// The big-endian layout.
    const BIG: Option<Layout<Self::Plan>>;

    /// The multiple at which `np.dtype(..., align=True)` places a field of this type: the alignment
    /// of the C type.
    const ALIGNMENT: usize;

    /// Whether the dtype that is written depends on the values.
    const VARIES: bool = false;

    /// Whether [`dtype`](Self::dtype) holds every value, so that values can be written before all
    /// of them are known.
    const GROWS: bool = !Self::VARIES;

    /// Whether the dtype has a missing value: NaT.
    const HAS_NONE: bool = false;

    /// Whether the codec has a byte order of its own, which the record around it does not change.
    const HAS_ORDER: bool = false;

    /// Proof that the memory of a `T` is the file's bytes: `Plain` is
    /// implemented for it. `None` is always correct, and slower.
    const BULK: Option<Bulk<T>> = None;

    /// Proof that `T` is `Send`, so that several threads may make its values.
    const SENDS: Option<Sends<T>> = None;

    /// Returns the dtype that a `T` is written as, without regard to values.
    fn dtype() -> DType;

    /// Returns the dtype that holds all of `values`; without any, [`dtype`](Self::dtype).
    fn dtype_of<'a>(values: Option<impl Iterator<Item = &'a T> + Clone>) -> DType
    where
        T: 'a,
    {
        let _ = values;
        Self::dtype()
    }

    /// Decides how to read and write a `T` as the dtype of a file; `None`, and mismatches in
    /// `planner`, if it cannot.
    fn plan(file: &DType, planner: &mut Planner) -> Option<Self::Plan>;

    /// Decodes the value at the beginning of `bytes`.
    ///
    /// Fails if the bytes are not a value of `T`.
    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<T, ValueError>;

    /// Stores the value at the beginning of `bytes`.
    ///
    /// Fails if the value does not fit the file's dtype.
    fn encode(value: &T, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError>;

    /// [`decode`](Self::decode) for an `Option`: `None` for a missing value.
    #[inline(always)]
    fn decode_option(plan: &Self::Plan, bytes: &[u8]) -> Result<Option<T>, ValueError> {
        Self::decode(plan, bytes).map(Some)
    }

    /// Stores a missing value.
    ///
    /// Fails if the dtype has none.
    fn encode_none(plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        let _ = (plan, bytes);
        Err(no_none())
    }
}

#[cold]
fn no_none() -> ValueError {
    ValueError::new(
        "cannot store `None`: the dtype has no missing value; store one that stands for it, such as NaN, -1 or an empty text",
    )
}

/// A Rust type that can be an element of an array: it has a dtype.
///
/// | dtype | Rust type |
/// |---|---|
/// | `\|b1` | `bool` |
/// | `\|i1` `<i2` `<i4` `<i8` | `i8` `i16` `i32` `i64` |
/// | `\|u1` `<u2` `<u4` `<u8` | `u8` `u16` `u32` `u64` |
/// | `<f4` `<f8` | `f32` `f64` |
/// | `<f2`, and `<V2` of `ml_dtypes` | `half::f16`, `half::bf16` (feature `half`) |
/// | `<c8` `<c16` `<c32` | `num_complex::Complex<T>` (feature `complex`) |
/// | `<f16` | [`LongDouble`](super::LongDouble) |
/// | `\|S8` | [`FixedBytes<8>`](super::FixedBytes), `String` |
/// | `<U8` | [`FixedUnicode<8>`](super::FixedUnicode), `String` |
/// | `<M8[ns]` `<m8[ns]` | [`Datetime64<unit::Nanosecond>`](super::Datetime64), [`Timedelta64<unit::Nanosecond>`](super::Timedelta64) |
/// | `\|V8` | [`FixedVoid<8>`](super::FixedVoid), [`Void`](super::Void) |
/// | `('<f4', (2, 3))` | `[[f32; 3]; 2]` |
/// | `[('x', '<f4'), …]` | a struct with `#[derive(NpyRecord)]` |
///
/// An `Option` of any of them is what it holds; NaT is `None`. The whole table is in
/// [`dtype`](crate::dtype).
///
/// Either byte order is read; native byte order is written. A file whose dtype is another is
/// refused, never converted.
///
/// The derive and this crate implement the trait. Apart from [`dtype`](Self::dtype), its items are
/// not for others to implement or call, and may change.
///
/// ```
/// use npy_core::NpyElement;
///
/// assert_eq!(<[f32; 3]>::dtype().to_string(), "('<f4', (3,))");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element of a NumPy array",
    note = "for a custom struct, use `#[derive(NpyRecord)]` of the feature `derive`",
    note = "numbers, `bool`, `String`, `[T; N]`, `FixedBytes`, `Datetime64` and others are elements; `half` and `complex` numbers are \
            behind features of that name",
    note = "use `u64` for `usize`, `i64` for `isize`, `u32` for `char`, `[T; N]` for `Vec<T>`, `String` for `&str`"
)]
pub trait NpyElement: Sized {
    /// The way to store it.
    #[doc(hidden)]
    type Codec: Codec<Self>;

    /// The way to store it under which narrower numbers are read too.
    #[doc(hidden)]
    type Widened: Codec<Self>;

    /// The dtype that this type is written as.
    ///
    /// Text without a fixed width (`String`) has the width 0 here: what is written is as wide as
    /// the longest item.
    #[inline]
    fn dtype() -> DType {
        Self::Codec::dtype()
    }
}

/// The way to store a `T` as its own dtype.
pub type CodecOf<T> = <T as NpyElement>::Codec;

/// How to read and write a `T` as a given dtype.
pub type PlanOf<T> = <CodecOf<T> as Codec<T>>::Plan;

/// Makes a type an element that is its own codec. `$widened` reads narrower numbers too.
macro_rules! element {
    ($(#[$doc:meta])* $({$($generics:tt)*})? $type:ty) => {
        $crate::element::codec::element!($(#[$doc])* $({$($generics)*})? $type, Self);
    };
    ($(#[$doc:meta])* $({$($generics:tt)*})? $type:ty, $widened:ty) => {
        $(#[$doc])*
        impl$(<$($generics)*>)? $crate::element::codec::NpyElement for $type {
            type Codec = Self;
            type Widened = $widened;
        }
    };
}

pub(super) use element;

/// Implements `#[npy(dtype = …)]`: the dtype of `S`, in the byte order `'<'`, `'>'`, or the native
/// one for `'='`.
#[derive(Debug)]
pub struct As<S, const ORDER: char = '='>(PhantomData<S>);

/// Returns the layout in a byte order: `'<'`, `'>'`, or `'='` for `native`.
pub(super) const fn ordered<S: Codec<S>>(order: char, native: ByteOrder) -> Option<Layout<S::Plan>> {
    match (order, native) {
        ('<', _) | ('=', ByteOrder::Little) => S::LITTLE,
        _ => S::BIG,
    }
}

/// Returns the dtype of `S` in a byte order.
pub(super) fn ordered_dtype<S: Codec<S>>(order: char) -> DType {
    match order {
        '<' => S::dtype().with_byte_order(ByteOrder::Little),
        '>' => S::dtype().with_byte_order(ByteOrder::Big),
        _ => S::dtype(),
    }
}

#[diagnostic::do_not_recommend]
impl<T: Codec<T>, const ORDER: char> Codec<T> for As<T, ORDER> {
    type Plan = T::Plan;
    const LITTLE: Option<Layout<T::Plan>> = ordered::<T>(ORDER, ByteOrder::Little);
    const BIG: Option<Layout<T::Plan>> = ordered::<T>(ORDER, ByteOrder::Big);
    const ALIGNMENT: usize = T::ALIGNMENT;
    const HAS_NONE: bool = T::HAS_NONE;
    const HAS_ORDER: bool = ORDER != '=';

    fn dtype() -> DType {
        ordered_dtype::<T>(ORDER)
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<T::Plan> {
        planner.with_dtype_given(|planner| T::plan(file, planner))
    }

    #[inline(always)]
    fn decode(plan: &T::Plan, bytes: &[u8]) -> Result<T, ValueError> {
        T::decode(plan, bytes)
    }

    #[inline(always)]
    fn encode(value: &T, plan: &T::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        T::encode(value, plan, bytes)
    }

    #[inline(always)]
    fn decode_option(plan: &T::Plan, bytes: &[u8]) -> Result<Option<T>, ValueError> {
        T::decode_option(plan, bytes)
    }

    fn encode_none(plan: &T::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        T::encode_none(plan, bytes)
    }
}

/// An element that stores a value of another type: `store` makes one of a value, `restore` a value
/// of one.
macro_rules! stored_as {
    ($({$($generics:tt)*})? $value:ty as $stored:ty, |$from_value:ident| $store:expr, |$from_stored:ident| $restore:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($($generics)*,)? const ORDER: char> $crate::element::codec::Codec<$value> for $crate::element::codec::As<$stored, ORDER> {
            type Plan = <$stored as $crate::element::codec::Codec<$stored>>::Plan;
            const LITTLE: Option<$crate::element::plan::Layout<Self::Plan>> =
                $crate::element::codec::ordered::<$stored>(ORDER, $crate::format::dtype::ByteOrder::Little);
            const BIG: Option<$crate::element::plan::Layout<Self::Plan>> =
                $crate::element::codec::ordered::<$stored>(ORDER, $crate::format::dtype::ByteOrder::Big);
            const ALIGNMENT: usize = <$stored as $crate::element::codec::Codec<$stored>>::ALIGNMENT;
            const HAS_ORDER: bool = ORDER != '=';

            fn dtype() -> $crate::format::dtype::DType {
                $crate::element::codec::ordered_dtype::<$stored>(ORDER)
            }

            fn plan(file: &$crate::format::dtype::DType, planner: &mut $crate::element::plan::Planner) -> Option<Self::Plan> {
                planner.with_dtype_given(|planner| <$stored as $crate::element::codec::Codec<$stored>>::plan(file, planner))
            }

            #[inline(always)]
            fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<$value, $crate::error::ValueError> {
                let $from_stored = <$stored as $crate::element::codec::Codec<$stored>>::decode(plan, bytes)?;
                $restore
            }

            #[inline(always)]
            fn encode(value: &$value, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), $crate::error::ValueError> {
                let $from_value = value;
                let stored: $stored = $store?;
                <$stored as $crate::element::codec::Codec<$stored>>::encode(&stored, plan, bytes)
            }
        }
    };
}

pub(super) use stored_as;

/// The conversions of the module that `#[npy(with = …)]` names.
pub trait With<T> {
    /// The element in the file.
    type Element: NpyElement;

    /// Fails, with a reason, if the element is not a value.
    fn decode(element: Self::Element) -> Result<T, String>;

    /// Fails, with a reason, if no element holds the value.
    fn encode(value: &T) -> Result<Self::Element, String>;
}

/// Implements `#[npy(with = …)]`: the element to which `W` converts a value.
#[derive(Debug)]
pub struct Through<W>(PhantomData<W>);

#[cold]
fn refused<T>(message: &str) -> ValueError {
    ValueError::new(format!("invalid {}: {message}", rust_type::<T>()))
}

#[diagnostic::do_not_recommend]
impl<T, W: With<T>> Codec<T> for Through<W> {
    type Plan = PlanOf<W::Element>;
    const LITTLE: Option<Layout<Self::Plan>> = <CodecOf<W::Element>>::LITTLE;
    const BIG: Option<Layout<Self::Plan>> = <CodecOf<W::Element>>::BIG;
    const ALIGNMENT: usize = <CodecOf<W::Element>>::ALIGNMENT;
    const VARIES: bool = <CodecOf<W::Element>>::VARIES;
    const GROWS: bool = <CodecOf<W::Element>>::GROWS;

    fn dtype() -> DType {
        W::Element::dtype()
    }

    fn dtype_of<'a>(values: Option<impl Iterator<Item = &'a T> + Clone>) -> DType
    where
        T: 'a,
    {
        if !Self::VARIES {
            return W::Element::dtype();
        }
        // A value that cannot be converted is reported when it is written.
        let elements = values.map(|values| values.filter_map(|value| W::encode(value).ok()).collect::<Vec<_>>());
        <CodecOf<W::Element>>::dtype_of(elements.as_ref().map(|elements| elements.iter()))
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<Self::Plan> {
        <CodecOf<W::Element>>::plan(file, planner)
    }

    #[inline(always)]
    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<T, ValueError> {
        W::decode(<CodecOf<W::Element>>::decode(plan, bytes)?).map_err(|message| refused::<T>(&message))
    }

    #[inline(always)]
    fn encode(value: &T, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        <CodecOf<W::Element>>::encode(&W::encode(value).map_err(|message| refused::<T>(&message))?, plan, bytes)
    }
}

/// An `Option` of a value that `C` stores. Missing values (NaT) are `None`.
#[derive(Debug)]
pub struct Optional<C>(PhantomData<C>);

#[diagnostic::do_not_recommend]
impl<T, C: Codec<T>> Codec<Option<T>> for Optional<C> {
    type Plan = C::Plan;
    const LITTLE: Option<Layout<C::Plan>> = C::LITTLE;
    const BIG: Option<Layout<C::Plan>> = C::BIG;
    const ALIGNMENT: usize = C::ALIGNMENT;
    // A field that is `None` in every record is not written.
    const VARIES: bool = true;
    const GROWS: bool = C::GROWS && C::HAS_NONE;
    const HAS_NONE: bool = C::HAS_NONE;
    const HAS_ORDER: bool = C::HAS_ORDER;
    const SENDS: Option<Sends<Option<T>>> = match C::SENDS {
        Some(sends) => Some(sends.option()),
        None => None,
    };

    fn dtype() -> DType {
        C::dtype()
    }

    fn dtype_of<'a>(values: Option<impl Iterator<Item = &'a Option<T>> + Clone>) -> DType
    where
        Option<T>: 'a,
    {
        C::dtype_of(values.map(|values| values.filter_map(Option::as_ref)))
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<C::Plan> {
        C::plan(file, planner)
    }

    #[inline(always)]
    fn decode(plan: &C::Plan, bytes: &[u8]) -> Result<Option<T>, ValueError> {
        C::decode_option(plan, bytes)
    }

    #[inline(always)]
    fn encode(value: &Option<T>, plan: &C::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        match value {
            Some(value) => C::encode(value, plan, bytes),
            None => C::encode_none(plan, bytes),
        }
    }
}

/// In a record, also the value of a field that the file does not have: `None`. Bytes that mean that
/// there is no value (NaT) are read as `None` too; where a dtype has none, a `None` beside values
/// cannot be written.
///
/// ```
/// use npy_core::types::{Datetime64, unit::Day};
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[Some(Datetime64::<Day>::new(19_000)), None])?;
/// assert_eq!(npy_core::read::<Option<Datetime64<Day>>>(&file[..])?[1], None);
/// assert!(npy_core::read::<Datetime64<Day>>(&file[..])?[1].is_nat());
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<T: NpyElement> NpyElement for Option<T> {
    type Codec = Optional<T::Codec>;
    type Widened = Optional<T::Widened>;
}

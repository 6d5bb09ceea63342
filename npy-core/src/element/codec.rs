//! Storage of a record field in another form than its type's own dtype: `#[npy(dtype = …)]`,
//! `#[npy(with = …)]` and `Option`.

use std::marker::PhantomData;

use super::NpyElement;
use super::plan::{Layout, Planner, rust_type};
use crate::error::{Result, ValueError, ValueProblem};
use crate::format::dtype::{ByteOrder, DType};
use crate::memory::slots::Sends;

/// A way to store a `T`. The types that implement it have no values.
///
/// Its items are those of [`NpyElement`].
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot be stored as this dtype",
    label = "this dtype does not hold every `{T}`",
    note = "numbers can be stored as wider numbers that hold each of their values, `String` as `U16` or `S16`, `i64` and the types \
            of `jiff` and `chrono` as times; without `dtype`, a type is stored as its own dtype",
    note = "for the byte order of enums, newtypes and records, use `endian` on the struct they are in"
)]
#[allow(missing_docs, reason = "they are those of `NpyElement`")]
pub trait Codec<T> {
    type Plan: Copy + PartialEq + Send + Sync;
    const LITTLE: Option<Layout<Self::Plan>>;
    const BIG: Option<Layout<Self::Plan>>;
    const ALIGNMENT: usize;
    /// Whether the dtype depends on the values.
    const VARIES: bool = false;
    /// Whether the dtype has bytes that mean that there is no value.
    const HAS_NONE: bool = false;
    /// Whether the byte order is part of what was asked for, so that the one of the record it is a
    /// field of does not change it.
    const HAS_ORDER: bool = false;

    fn dtype() -> DType;

    fn dtype_of<'a>(values: impl Iterator<Item = &'a T> + Clone) -> DType
    where
        T: 'a,
    {
        let _ = values;
        Self::dtype()
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<Self::Plan>;

    #[inline(always)]
    fn relocate(layout: Self::Plan, file: &Self::Plan) -> Self::Plan {
        let _ = file;
        layout
    }

    /// # Errors
    ///
    /// When the bytes are no value of `T`.
    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<T, ValueError>;

    /// # Errors
    ///
    /// When the value does not fit the file's dtype.
    fn encode(value: &T, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError>;

    /// `None` where the bytes mean that there is no value.
    ///
    /// # Errors
    ///
    /// Like [`decode`](Self::decode).
    #[inline(always)]
    fn decode_option(plan: &Self::Plan, bytes: &[u8]) -> Result<Option<T>, ValueError> {
        Self::decode(plan, bytes).map(Some)
    }

    /// # Errors
    ///
    /// When the dtype has no bytes that mean that there is no value.
    fn encode_none(plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        let _ = (plan, bytes);
        Err(no_none())
    }
}

#[cold]
pub(super) fn no_none() -> ValueError {
    ValueProblem::NoValue.into()
}

/// Stores a field as its type's own dtype.
#[derive(Debug)]
pub enum AsIs {}

impl<T: NpyElement> Codec<T> for AsIs {
    type Plan = T::Plan;
    const LITTLE: Option<Layout<T::Plan>> = T::LITTLE;
    const BIG: Option<Layout<T::Plan>> = T::BIG;
    const ALIGNMENT: usize = T::ALIGNMENT;
    const VARIES: bool = T::VARIES;
    const HAS_NONE: bool = T::HAS_NONE;

    fn dtype() -> DType {
        T::dtype()
    }

    fn dtype_of<'a>(values: impl Iterator<Item = &'a T> + Clone) -> DType
    where
        T: 'a,
    {
        T::dtype_of(values)
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<T::Plan> {
        T::plan(file, planner)
    }

    #[inline(always)]
    fn relocate(layout: T::Plan, file: &T::Plan) -> T::Plan {
        T::relocate(layout, file)
    }

    #[inline(always)]
    fn decode(plan: &T::Plan, bytes: &[u8]) -> Result<T, ValueError> {
        T::decode(plan, bytes)
    }

    #[inline(always)]
    fn encode(value: &T, plan: &T::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        value.encode(plan, bytes)
    }

    #[inline(always)]
    fn decode_option(plan: &T::Plan, bytes: &[u8]) -> Result<Option<T>, ValueError> {
        T::decode_option(plan, bytes)
    }

    fn encode_none(plan: &T::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        T::encode_none(plan, bytes)
    }
}

/// Implements `#[npy(dtype = …)]`: the dtype of `S`, in the byte order `'<'`, `'>'`, or the native
/// one for `'='`.
#[derive(Debug)]
pub struct As<S, const ORDER: char = '='>(PhantomData<S>);

/// The layout on a machine of byte order `native`, in the byte order that was asked for.
pub(super) const fn ordered<S: NpyElement>(order: char, native: ByteOrder) -> Option<Layout<S::Plan>> {
    match (order, native) {
        ('<', _) | ('=', ByteOrder::Little) => S::LITTLE,
        _ => S::BIG,
    }
}

/// The dtype of `S` in the byte order that was asked for.
pub(super) fn ordered_dtype<S: NpyElement>(order: char) -> DType {
    match order {
        '<' => S::dtype().with_byte_order(ByteOrder::Little),
        '>' => S::dtype().with_byte_order(ByteOrder::Big),
        _ => S::dtype(),
    }
}

#[diagnostic::do_not_recommend]
impl<T: NpyElement, const ORDER: char> Codec<T> for As<T, ORDER> {
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
        value.encode(plan, bytes)
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
            type Plan = <$stored as $crate::element::NpyElement>::Plan;
            const LITTLE: Option<$crate::element::plan::Layout<Self::Plan>> =
                $crate::element::codec::ordered::<$stored>(ORDER, $crate::format::dtype::ByteOrder::Little);
            const BIG: Option<$crate::element::plan::Layout<Self::Plan>> =
                $crate::element::codec::ordered::<$stored>(ORDER, $crate::format::dtype::ByteOrder::Big);
            const ALIGNMENT: usize = <$stored as $crate::element::NpyElement>::ALIGNMENT;
            const HAS_ORDER: bool = ORDER != '=';

            fn dtype() -> $crate::format::dtype::DType {
                $crate::element::codec::ordered_dtype::<$stored>(ORDER)
            }

            fn plan(file: &$crate::format::dtype::DType, planner: &mut $crate::element::plan::Planner) -> Option<Self::Plan> {
                planner.with_dtype_given(|planner| <$stored as $crate::element::NpyElement>::plan(file, planner))
            }

            #[inline(always)]
            fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<$value, $crate::error::ValueError> {
                let $from_stored = <$stored as $crate::element::NpyElement>::decode(plan, bytes)?;
                $restore
            }

            #[inline(always)]
            fn encode(value: &$value, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), $crate::error::ValueError> {
                let $from_value = value;
                let stored: $stored = $store?;
                $crate::element::NpyElement::encode(&stored, plan, bytes)
            }
        }
    };
}

pub(super) use stored_as;

/// The conversions of the module that `#[npy(with = …)]` names.
pub trait With<T> {
    /// What is in the file.
    type Element: NpyElement;

    /// # Errors
    ///
    /// When the element stands for no value: why.
    fn decode(element: Self::Element) -> Result<T, String>;

    /// # Errors
    ///
    /// When the value has no element that stands for it: why.
    fn encode(value: &T) -> Result<Self::Element, String>;
}

/// Implements `#[npy(with = …)]`: the element to which `W` converts a value.
#[derive(Debug)]
pub struct Through<W>(PhantomData<W>);

#[cold]
fn refused<T>(message: String) -> ValueError {
    ValueProblem::Custom { rust_type: Some(rust_type::<T>()), message }.into()
}

#[diagnostic::do_not_recommend]
impl<T, W: With<T>> Codec<T> for Through<W> {
    type Plan = <W::Element as NpyElement>::Plan;
    const LITTLE: Option<Layout<Self::Plan>> = W::Element::LITTLE;
    const BIG: Option<Layout<Self::Plan>> = W::Element::BIG;
    const ALIGNMENT: usize = W::Element::ALIGNMENT;
    const VARIES: bool = W::Element::VARIES;

    fn dtype() -> DType {
        W::Element::dtype()
    }

    fn dtype_of<'a>(values: impl Iterator<Item = &'a T> + Clone) -> DType
    where
        T: 'a,
    {
        if !W::Element::VARIES {
            return W::Element::dtype();
        }
        // What cannot be converted is reported when it is written.
        let elements: Vec<_> = values.filter_map(|value| W::encode(value).ok()).collect();
        W::Element::dtype_of(elements.iter())
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<Self::Plan> {
        W::Element::plan(file, planner)
    }

    #[inline(always)]
    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<T, ValueError> {
        W::decode(W::Element::decode(plan, bytes)?).map_err(refused::<T>)
    }

    #[inline(always)]
    fn encode(value: &T, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        W::encode(value).map_err(refused::<T>)?.encode(plan, bytes)
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
    const VARIES: bool = C::VARIES || !C::HAS_NONE;
    const HAS_NONE: bool = C::HAS_NONE;
    const HAS_ORDER: bool = C::HAS_ORDER;

    fn dtype() -> DType {
        C::dtype()
    }

    fn dtype_of<'a>(values: impl Iterator<Item = &'a Option<T>> + Clone) -> DType
    where
        Option<T>: 'a,
    {
        C::dtype_of(values.filter_map(Option::as_ref))
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<C::Plan> {
        C::plan(file, planner)
    }

    #[inline(always)]
    fn relocate(layout: C::Plan, file: &C::Plan) -> C::Plan {
        C::relocate(layout, file)
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
    type Plan = T::Plan;
    type Widened = Optional<T::Widened>;
    const LITTLE: Option<Layout<T::Plan>> = T::LITTLE;
    const BIG: Option<Layout<T::Plan>> = T::BIG;
    const ALIGNMENT: usize = T::ALIGNMENT;
    const SENDS: Option<Sends<Self>> = match T::SENDS {
        Some(sends) => Some(sends.option()),
        None => None,
    };
    const VARIES: bool = T::VARIES || !T::HAS_NONE;
    const HAS_NONE: bool = T::HAS_NONE;

    fn dtype() -> DType {
        T::dtype()
    }

    fn dtype_of<'a>(items: impl Iterator<Item = &'a Self> + Clone) -> DType
    where
        Self: 'a,
    {
        <Optional<AsIs> as Codec<Self>>::dtype_of(items)
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<T::Plan> {
        T::plan(file, planner)
    }

    #[inline(always)]
    fn relocate(layout: T::Plan, file: &T::Plan) -> T::Plan {
        T::relocate(layout, file)
    }

    #[inline(always)]
    fn decode(plan: &T::Plan, bytes: &[u8]) -> Result<Self, ValueError> {
        T::decode_option(plan, bytes)
    }

    #[inline(always)]
    fn encode(&self, plan: &T::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        <Optional<AsIs> as Codec<Self>>::encode(self, plan, bytes)
    }
}

//! Bools, integers and floats.

#[cfg(feature = "half")]
use half::f16;

use super::bytes::{Bytes, first_chunk, first_chunk_mut, outside};
use super::codec::{Codec, element, stored_as};
use super::plan::{Layout, Plan, Planner, order_of};
use crate::error::{Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::memory::Bulk;
use crate::memory::slots::Sends;

element!(bool);

#[diagnostic::do_not_recommend]
impl Codec<Self> for bool {
    type Plan = ();
    const LITTLE: Option<Layout<()>> = Some(Layout { itemsize: 1, plan: () });
    const BIG: Option<Layout<()>> = Self::LITTLE;
    const ALIGNMENT: usize = 1;
    const SENDS: Option<Sends<Self>> = Some(Sends::new());
    const BULK: Option<Bulk<Self>> = Some(Bulk::new());

    #[inline]
    fn dtype() -> DType {
        Scalar::new(ScalarKind::Bool, ByteOrder::NATIVE).into()
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<()> {
        let plan = order_of(dtype, ScalarKind::Bool).map(|_| ());
        if plan.is_none() {
            planner.mismatch(dtype, &Self::dtype());
        }
        plan
    }

    #[inline(always)]
    fn decode((): &(), bytes: &[u8]) -> Result<Self, ValueError> {
        // NumPy takes every byte but 0 for true.
        let [byte] = first_chunk(bytes)?;
        Ok(byte != 0)
    }

    #[inline(always)]
    fn encode(value: &Self, (): &(), bytes: &mut [u8]) -> Result<(), ValueError> {
        *first_chunk_mut(bytes)? = [u8::from(*value)];
        Ok(())
    }
}

/// The plan for a number that may have a narrower type in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(unnameable_types, reason = "the plan of a codec")]
pub struct WidePlan {
    order: ByteOrder,
    /// `None` for the Rust type's own kind.
    narrow: Option<Narrow>,
}

impl Plan for WidePlan {}

/// A number type whose values all fit into a wider one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types, missing_docs, reason = "these are Rust's names of them")]
pub(super) enum Narrow {
    bool,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    #[cfg(feature = "half")]
    f16,
    f32,
}

impl Narrow {
    /// The number type of that dtype, and its byte order.
    fn of(dtype: &DType) -> Option<(Self, ByteOrder)> {
        let DType::Scalar(scalar) = dtype else { return None };
        let narrow = match scalar.kind() {
            ScalarKind::Bool => Self::bool,
            ScalarKind::Int8 => Self::i8,
            ScalarKind::Int16 => Self::i16,
            ScalarKind::Int32 => Self::i32,
            ScalarKind::Int64 => Self::i64,
            ScalarKind::UInt8 => Self::u8,
            ScalarKind::UInt16 => Self::u16,
            ScalarKind::UInt32 => Self::u32,
            ScalarKind::UInt64 => Self::u64,
            #[cfg(feature = "half")]
            ScalarKind::Float16 => Self::f16,
            ScalarKind::Float32 => Self::f32,
            _ => return None,
        };
        Some((narrow, scalar.byte_order().unwrap_or(ByteOrder::NATIVE)))
    }
}

/// A number type that holds every value of `N`.
trait Wide<N>: Copy {
    fn widen(narrow: N) -> Self;

    /// The value of the narrower type that is this one, if there is one. All NaN are the same.
    fn narrow(self) -> Option<N>;
}

/// Implements `#[npy(widen)]`: the type's own dtype, or one of a narrower number. It is a separate
/// codec, because its work for each number would make loops over other records three times slower.
#[derive(Debug)]
#[expect(unnameable_types, reason = "the codec of `Widens::Widened`")]
pub enum Widen {}

/// A type that `#[npy(widen)]` has an effect on: numbers, and what consists of them.
#[diagnostic::on_unimplemented(
    message = "narrower numbers cannot be widened to `{Self}`",
    label = "not a number",
    note = "`#[npy(widen)]` is for integers, floats and complex numbers, and for arrays of them; a record has its own `widen`"
)]
pub trait Widens {}

impl<T: Widens, const N: usize> Widens for [T; N] {}

impl<T: Widens> Widens for Option<T> {}

impl Bytes for bool {
    #[inline(always)]
    fn from_bytes(_: ByteOrder, bytes: &[u8]) -> Result<Self, ValueError> {
        Self::decode(&(), bytes)
    }

    #[inline(always)]
    fn to_bytes(self, _: ByteOrder, bytes: &mut [u8]) -> Result<(), ValueError> {
        Self::encode(&self, &(), bytes)
    }
}

/// The error of a value that the narrower type in the file does not have.
#[cold]
fn inexact(value: impl std::fmt::Display, dtype: &str) -> ValueError {
    ValueError::inexact(value, dtype)
}

/// Types with `to_le_bytes` and its relatives, and the narrower types of which they hold every
/// value.
macro_rules! number {
    ($($type:ident => $kind:ident, holds $($narrow:ident)*;)*) => {$(
        impl Bytes for $type {
            #[inline(always)]
            fn from_bytes(order: ByteOrder, bytes: &[u8]) -> Result<Self, ValueError> {
                let bytes = first_chunk(bytes)?;
                Ok(match order {
                    ByteOrder::Little => Self::from_le_bytes(bytes),
                    ByteOrder::Big => Self::from_be_bytes(bytes),
                })
            }

            #[inline(always)]
            fn to_bytes(self, order: ByteOrder, bytes: &mut [u8]) -> Result<(), ValueError> {
                *first_chunk_mut(bytes)? = match order {
                    ByteOrder::Little => self.to_le_bytes(),
                    ByteOrder::Big => self.to_be_bytes(),
                };
                Ok(())
            }
        }

        impl Widens for $type {}

        element!($type, Widen);

        #[diagnostic::do_not_recommend]
        impl Codec<Self> for $type {
            type Plan = ByteOrder;
            const LITTLE: Option<Layout<ByteOrder>> = Some(Layout { itemsize: size_of::<Self>(), plan: ByteOrder::Little });
            const BIG: Option<Layout<ByteOrder>> = Some(Layout { itemsize: size_of::<Self>(), plan: ByteOrder::Big });
            const ALIGNMENT: usize = align_of::<Self>();
            const SENDS: Option<Sends<Self>> = Some(Sends::new());
            const BULK: Option<Bulk<Self>> = Some(Bulk::new());

            #[inline]
            fn dtype() -> DType {
                Scalar::new(ScalarKind::$kind, ByteOrder::NATIVE).into()
            }

            fn plan(file: &DType, planner: &mut Planner) -> Option<ByteOrder> {
                let plan = order_of(file, ScalarKind::$kind);
                if plan.is_none() {
                    let held: &[Narrow] = &[$(Narrow::$narrow),*];
                    if Narrow::of(file).is_some_and(|(narrow, _)| held.contains(&narrow)) {
                        planner.mismatch_of_narrower(file, &Self::dtype());
                    } else {
                        planner.mismatch(file, &Self::dtype());
                    }
                }
                plan
            }

            #[inline(always)]
            fn decode(order: &ByteOrder, bytes: &[u8]) -> Result<Self, ValueError> {
                Self::from_bytes(*order, bytes)
            }

            #[inline(always)]
            fn encode(value: &Self, order: &ByteOrder, bytes: &mut [u8]) -> Result<(), ValueError> {
                value.to_bytes(*order, bytes)
            }
        }

        #[diagnostic::do_not_recommend]
        impl Codec<$type> for Widen {
            type Plan = WidePlan;
            const LITTLE: Option<Layout<WidePlan>> =
                Some(Layout { itemsize: size_of::<$type>(), plan: WidePlan { order: ByteOrder::Little, narrow: None } });
            const BIG: Option<Layout<WidePlan>> =
                Some(Layout { itemsize: size_of::<$type>(), plan: WidePlan { order: ByteOrder::Big, narrow: None } });
            const ALIGNMENT: usize = <$type>::ALIGNMENT;

            #[inline]
            fn dtype() -> DType {
                <$type>::dtype()
            }

            fn plan(file: &DType, planner: &mut Planner) -> Option<WidePlan> {
                let held: &[Narrow] = &[$(Narrow::$narrow),*];
                match Narrow::of(file) {
                    Some((narrow, order)) if held.contains(&narrow) => Some(WidePlan { order, narrow: Some(narrow) }),
                    _ => <$type>::plan(file, planner).map(|order| WidePlan { order, narrow: None }),
                }
            }

            #[inline]
            fn decode(plan: &WidePlan, bytes: &[u8]) -> Result<$type, ValueError> {
                match plan.narrow {
                    None => <$type>::from_bytes(plan.order, bytes),
                    $(Some(Narrow::$narrow) => $narrow::from_bytes(plan.order, bytes).map(<$type as Wide<$narrow>>::widen),)*
                    Some(_) => Err(outside()),
                }
            }

            #[inline]
            fn encode(value: &$type, plan: &WidePlan, bytes: &mut [u8]) -> Result<(), ValueError> {
                match plan.narrow {
                    None => value.to_bytes(plan.order, bytes),
                    $(Some(Narrow::$narrow) => match <$type as Wide<$narrow>>::narrow(*value) {
                        Some(narrow) => narrow.to_bytes(plan.order, bytes),
                        None => Err(inexact(value, stringify!($narrow))),
                    },)*
                    Some(_) => Err(outside()),
                }
            }
        }

        $(stored_as! {
            $narrow as $type,
            |value| Ok::<$type, ValueError>(<$type as Wide<$narrow>>::widen(*value)),
            |stored| <$type as Wide<$narrow>>::narrow(stored).ok_or_else(|| inexact(stored, stringify!($narrow)))
        })*
    )*};
}

/// Integers hold others.
macro_rules! integer_holds {
    ($($type:ident: $($narrow:ident)*;)*) => {$($(
        impl Wide<$narrow> for $type {
            #[inline(always)]
            fn widen(narrow: $narrow) -> Self {
                Self::from(narrow)
            }

            #[inline(always)]
            fn narrow(self) -> Option<$narrow> {
                $narrow::try_from(self).ok()
            }
        }
    )*)*};
}

macro_rules! integer_holds_bool {
    ($($type:ident)*) => {$(
        impl Wide<bool> for $type {
            #[inline(always)]
            fn widen(narrow: bool) -> Self {
                Self::from(narrow)
            }

            #[inline(always)]
            fn narrow(self) -> Option<bool> {
                match self {
                    0 => Some(false),
                    1 => Some(true),
                    _ => None,
                }
            }
        }
    )*};
}

/// Floats hold integers of fewer bits than their significand, and narrower floats.
macro_rules! float_holds {
    ($($type:ident: $($narrow:ident)*;)*) => {$($(
        impl Wide<$narrow> for $type {
            #[inline(always)]
            fn widen(narrow: $narrow) -> Self {
                Self::from(narrow)
            }

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whether anything was lost is looked at")]
            fn narrow(self) -> Option<$narrow> {
                let narrow = self as $narrow;
                (Self::from(narrow).to_bits() == self.to_bits()).then_some(narrow)
            }
        }
    )*)*};
}

integer_holds! {
    i16: i8 u8;
    i32: i8 u8 i16 u16;
    i64: i8 u8 i16 u16 i32 u32;
    u16: u8;
    u32: u8 u16;
    u64: u8 u16 u32;
}

integer_holds_bool! { i8 i16 i32 i64 u8 u16 u32 u64 }

float_holds! {
    f32: i8 u8 i16 u16;
    f64: i8 u8 i16 u16 i32 u32;
}

impl Wide<f32> for f64 {
    #[inline(always)]
    fn widen(narrow: f32) -> Self {
        Self::from(narrow)
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "whether anything was lost is looked at")]
    fn narrow(self) -> Option<f32> {
        let narrow = self as f32;
        (self.is_nan() || Self::from(narrow).to_bits() == self.to_bits()).then_some(narrow)
    }
}

macro_rules! float_holds_bool {
    ($($type:ident)*) => {$(
        impl Wide<bool> for $type {
            #[inline(always)]
            fn widen(narrow: bool) -> Self {
                Self::from(u8::from(narrow))
            }

            #[inline(always)]
            fn narrow(self) -> Option<bool> {
                <Self as Wide<u8>>::narrow(self).and_then(<u8 as Wide<bool>>::narrow)
            }
        }
    )*};
}

float_holds_bool! { f32 f64 }

/// What is lost shows in the way back.
#[cfg(feature = "half")]
macro_rules! float_holds_half {
    ($($type:ident $from:ident)*) => {$(
        impl Wide<f16> for $type {
            #[inline(always)]
            fn widen(narrow: f16) -> Self {
                Self::from(narrow)
            }

            #[inline(always)]
            fn narrow(self) -> Option<f16> {
                let narrow = f16::$from(self);
                (self.is_nan() || Self::from(narrow).to_bits() == self.to_bits()).then_some(narrow)
            }
        }
    )*};
}

#[cfg(feature = "half")]
float_holds_half! { f32 from_f32 f64 from_f64 }

number! {
    i8 => Int8, holds bool;
    i16 => Int16, holds bool i8 u8;
    i32 => Int32, holds bool i8 u8 i16 u16;
    i64 => Int64, holds bool i8 u8 i16 u16 i32 u32;
    u8 => UInt8, holds bool;
    u16 => UInt16, holds bool u8;
    u32 => UInt32, holds bool u8 u16;
    u64 => UInt64, holds bool u8 u16 u32;
}

#[cfg(not(feature = "half"))]
number! {
    f32 => Float32, holds bool i8 u8 i16 u16;
    f64 => Float64, holds bool i8 u8 i16 u16 i32 u32 f32;
}

#[cfg(feature = "half")]
number! {
    f16 => Float16, holds;
    f32 => Float32, holds bool i8 u8 i16 u16 f16;
    f64 => Float64, holds bool i8 u8 i16 u16 i32 u32 f16 f32;
}

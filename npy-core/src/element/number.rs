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
        planner.require(order_of(dtype, ScalarKind::Bool), dtype, Self::dtype).map(|_| ())
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
#[allow(non_camel_case_types, reason = "named as the types of Rust")]
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
    /// Returns the number type of a dtype, and its byte order.
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

    /// Returns the equal value of the narrower type; `None` if there is none. All NaN are equal.
    fn narrow(self) -> Option<N>;
}

/// Implements `#[npy(widen)]`: the type's own dtype, or one of a narrower number. A separate codec, because
/// it would make loops over other records three times slower.
#[derive(Debug)]
#[expect(unnameable_types, reason = "the codec of `Widens::Widened`")]
pub enum Widen {}

/// A type that `#[npy(widen)]` has an effect on: numbers, and arrays and options of them.
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

/// Numbers, and the narrower integers and floats of which they hold every value. All but `f16` hold `bool` too.
macro_rules! number {
    ($($type:ident => $kind:ident, holds $($integer:ident)*; $($float:ident)*;)*) => {$(
        number!(@number $type => $kind, holds bool $($integer)* $($float)*;);

        $(impl Wide<$integer> for $type {
            #[inline(always)]
            fn widen(narrow: $integer) -> Self {
                Self::from(narrow)
            }

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "the round trip is checked")]
            fn narrow(self) -> Option<$integer> {
                let narrow = self as $integer;
                (Self::from(narrow).to_ne_bytes() == self.to_ne_bytes()).then_some(narrow)
            }
        })*

        impl Wide<bool> for $type {
            #[inline(always)]
            #[allow(trivial_numeric_casts, clippy::cast_possible_wrap, clippy::cast_lossless, reason = "0 or 1")]
            fn widen(narrow: bool) -> Self {
                u8::from(narrow) as Self
            }

            #[inline(always)]
            fn narrow(self) -> Option<bool> {
                [false, true].into_iter().find(|bit| <Self as Wide<bool>>::widen(*bit).to_ne_bytes() == self.to_ne_bytes())
            }
        }
    )*};
    (@number $type:ident => $kind:ident, holds $($narrow:ident)*;) => {
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
                        None => Err(ValueError::inexact(value, stringify!($narrow))),
                    },)*
                    Some(_) => Err(outside()),
                }
            }
        }

        $(stored_as! {
            $narrow as $type,
            |value| Ok::<$type, ValueError>(<$type as Wide<$narrow>>::widen(*value)),
            |stored| <$type as Wide<$narrow>>::narrow(stored).ok_or_else(|| ValueError::inexact(stored, stringify!($narrow)))
        })*
    };
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

/// The halves that a float holds.
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
    i8 => Int8, holds; ;
    i16 => Int16, holds i8 u8; ;
    i32 => Int32, holds i8 u8 i16 u16; ;
    i64 => Int64, holds i8 u8 i16 u16 i32 u32; ;
    u8 => UInt8, holds; ;
    u16 => UInt16, holds u8; ;
    u32 => UInt32, holds u8 u16; ;
    u64 => UInt64, holds u8 u16 u32; ;
}

#[cfg(not(feature = "half"))]
number! {
    f32 => Float32, holds i8 u8 i16 u16; ;
    f64 => Float64, holds i8 u8 i16 u16 i32 u32; f32;
}

#[cfg(feature = "half")]
number! {
    f32 => Float32, holds i8 u8 i16 u16; f16;
    f64 => Float64, holds i8 u8 i16 u16 i32 u32; f16 f32;
}

#[cfg(feature = "half")]
number!(@number f16 => Float16, holds;);

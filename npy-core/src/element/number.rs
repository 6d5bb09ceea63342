//! Bools, integers and floats.

use super::{NpyElement, first_chunk, first_chunk_mut, order_of};
use crate::alloc::Bulk;
use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::error::{Result, ValueError};
use crate::plan::{Layout, Planner};

impl NpyElement for bool {
    type Plan = ();
    const LITTLE: Option<Layout<()>> = Some(Layout { itemsize: 1, plan: () });
    const BIG: Option<Layout<()>> = Self::LITTLE;
    const BULK: Option<Bulk<Self>> = Some(Bulk::new());

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
    fn encode(&self, (): &(), bytes: &mut [u8]) -> Result<(), ValueError> {
        *first_chunk_mut(bytes)? = [u8::from(*self)];
        Ok(())
    }
}

/// Types with `to_le_bytes` and its relatives.
macro_rules! number {
    ($($type:ty => $kind:ident,)*) => {$(
        impl NpyElement for $type {
            type Plan = ByteOrder;
            const LITTLE: Option<Layout<ByteOrder>> = Some(Layout { itemsize: size_of::<Self>(), plan: ByteOrder::Little });
            const BIG: Option<Layout<ByteOrder>> = Some(Layout { itemsize: size_of::<Self>(), plan: ByteOrder::Big });
            const BULK: Option<Bulk<Self>> = Some(Bulk::new());

            fn dtype() -> DType {
                Scalar::new(ScalarKind::$kind, ByteOrder::NATIVE).into()
            }

            fn plan(dtype: &DType, planner: &mut Planner) -> Option<ByteOrder> {
                let plan = order_of(dtype, ScalarKind::$kind);
                if plan.is_none() {
                    planner.mismatch(dtype, &Self::dtype());
                }
                plan
            }

            #[inline(always)]
            fn decode(plan: &ByteOrder, bytes: &[u8]) -> Result<Self, ValueError> {
                let bytes = first_chunk(bytes)?;
                Ok(match plan {
                    ByteOrder::Little => Self::from_le_bytes(bytes),
                    ByteOrder::Big => Self::from_be_bytes(bytes),
                })
            }

            #[inline(always)]
            fn encode(&self, plan: &ByteOrder, bytes: &mut [u8]) -> Result<(), ValueError> {
                *first_chunk_mut(bytes)? = match plan {
                    ByteOrder::Little => self.to_le_bytes(),
                    ByteOrder::Big => self.to_be_bytes(),
                };
                Ok(())
            }
        }
    )*};
}

#[cfg(feature = "half")]
pub(super) use number;

number! {
    i8 => Int8,
    i16 => Int16,
    i32 => Int32,
    i64 => Int64,
    u8 => UInt8,
    u16 => UInt16,
    u32 => UInt32,
    u64 => UInt64,
    f32 => Float32,
    f64 => Float64,
}

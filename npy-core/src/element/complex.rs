//! `Complex` of the `num-complex` crate.

use num_complex::Complex;

use super::long_double::{LongDouble, LongDoublePlan};
use super::{NpyElement, order_of};
use crate::alloc::Bulk;
use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::error::{Result, ValueError};
use crate::plan::{Layout, Planner};

/// The real part, then the imaginary part, each of `$part`.
macro_rules! complex {
    ($part:ty, $plan:ty, $dtype:expr, $new_plan:expr, $find_plan:expr, $part_bytes:expr) => {
        impl NpyElement for Complex<$part> {
            type Plan = $plan;
            const LITTLE: Option<Layout<$plan>> = Some(Layout { itemsize: size_of::<Self>(), plan: $new_plan(ByteOrder::Little) });
            const BIG: Option<Layout<$plan>> = Some(Layout { itemsize: size_of::<Self>(), plan: $new_plan(ByteOrder::Big) });
            const BULK: Option<Bulk<Self>> = Some(Bulk::new());

            fn dtype() -> DType {
                Scalar::new($dtype, ByteOrder::NATIVE).into()
            }

            fn plan(dtype: &DType, planner: &mut Planner) -> Option<$plan> {
                let plan = $find_plan(dtype);
                if plan.is_none() {
                    planner.mismatch(dtype, &Self::dtype());
                }
                plan
            }

            #[inline(always)]
            fn decode(plan: &$plan, bytes: &[u8]) -> Result<Self, ValueError> {
                let imaginary = bytes.get($part_bytes(plan)..).ok_or_else(super::outside)?;
                Ok(Self { re: <$part>::decode(plan, bytes)?, im: <$part>::decode(plan, imaginary)? })
            }

            #[inline(always)]
            fn encode(&self, plan: &$plan, bytes: &mut [u8]) -> Result<(), ValueError> {
                self.re.encode(plan, bytes)?;
                self.im.encode(plan, bytes.get_mut($part_bytes(plan)..).ok_or_else(super::outside)?)
            }
        }
    };
}

const fn order(order: ByteOrder) -> ByteOrder {
    order
}

complex!(f32, ByteOrder, ScalarKind::Complex64, order, |dtype| order_of(dtype, ScalarKind::Complex64), |_: &ByteOrder| 4);
complex!(f64, ByteOrder, ScalarKind::Complex128, order, |dtype| order_of(dtype, ScalarKind::Complex128), |_: &ByteOrder| 8);
complex!(
    LongDouble,
    LongDoublePlan,
    ScalarKind::ComplexLongDouble { itemsize: 32 },
    LongDoublePlan::new,
    |dtype: &DType| match dtype {
        DType::Scalar(scalar) => match scalar.kind() {
            ScalarKind::ComplexLongDouble { itemsize } => {
                Some(LongDoublePlan { order: scalar.byte_order().unwrap_or(ByteOrder::NATIVE), itemsize: itemsize / 2 })
            }
            _ => None,
        },
        _ => None,
    },
    |plan: &LongDoublePlan| usize::from(plan.itemsize)
);

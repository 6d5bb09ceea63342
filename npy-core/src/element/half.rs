//! The type `bf16` of the `half` crate; its `f16` is among the numbers.

use half::bf16;

use super::bytes::Bytes;
use super::codec::{Codec, element};
use super::plan::{Layout, Planner, order_of};
use crate::error::{Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::memory::Bulk;
use crate::memory::slots::Sends;

element! {
    /// Stored as `<V2`, as `ml_dtypes` does. Reads `|V2` too, which NumPy without `ml_dtypes` writes.
    bf16
}

#[diagnostic::do_not_recommend]
impl Codec<Self> for bf16 {
    type Plan = ByteOrder;
    const LITTLE: Option<Layout<ByteOrder>> = Some(Layout { itemsize: 2, plan: ByteOrder::Little });
    const BIG: Option<Layout<ByteOrder>> = Some(Layout { itemsize: 2, plan: ByteOrder::Big });
    const ALIGNMENT: usize = align_of::<Self>();
    const SENDS: Option<Sends<Self>> = Some(Sends::new());
    const BULK: Option<Bulk<Self>> = Some(Bulk::new());

    #[inline]
    fn dtype() -> DType {
        Scalar::void_with_byte_order(2, ByteOrder::NATIVE).into()
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<ByteOrder> {
        planner.require(order_of(dtype, ScalarKind::Void { length: 2 }), dtype, Self::dtype)
    }

    #[inline(always)]
    fn decode(plan: &ByteOrder, bytes: &[u8]) -> Result<Self, ValueError> {
        u16::from_bytes(*plan, bytes).map(Self::from_bits)
    }

    #[inline(always)]
    fn encode(value: &Self, plan: &ByteOrder, bytes: &mut [u8]) -> Result<(), ValueError> {
        value.to_bits().to_bytes(*plan, bytes)
    }
}

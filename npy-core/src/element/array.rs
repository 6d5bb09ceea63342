//! Arrays `[T; N]`, the elements of sub-arrays.

use std::marker::PhantomData;

use super::bytes::outside;
use super::codec::{Codec, NpyElement};
use super::plan::{Layout, Plan, Planner, outermost_axis};
use crate::error::{Result, ValueError};
use crate::format::dtype::{DType, SubArray};
use crate::memory::slots::Sends;
use crate::memory::{Bulk, MakeItem, try_array};

/// The plan for the items of a sub-array.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(unnameable_types, reason = "the plan of a codec")]
pub struct ArrayPlan<P> {
    itemsize: usize,
    item: P,
}

impl<P> ArrayPlan<P> {
    #[cfg(feature = "complex")]
    pub(super) const fn new(itemsize: usize, item: P) -> Self {
        Self { itemsize, item }
    }
}

impl<P: Plan> Plan for ArrayPlan<P> {
    #[inline(always)]
    fn relocate(self, file: &Self) -> Self {
        Self { item: self.item.relocate(&file.item), ..self }
    }
}

/// The bytes of an array.
struct Encoded<'a, T, C: Codec<T>> {
    plan: &'a ArrayPlan<C::Plan>,
    bytes: &'a [u8],
}

impl<T, C: Codec<T>> MakeItem for Encoded<'_, T, C> {
    type Item = T;
    type Error = ValueError;

    #[inline(always)]
    fn make(&self, index: usize) -> Result<T, ValueError> {
        C::decode(&self.plan.item, &self.bytes[index * self.plan.itemsize..]).map_err(|error| error.at_index(index))
    }
}

/// An array of items that `C` stores.
#[derive(Debug)]
pub struct Items<C>(PhantomData<C>);

const fn layout<P: Copy>(item: Option<Layout<P>>, length: usize) -> Option<Layout<ArrayPlan<P>>> {
    match item {
        Some(Layout { itemsize, plan }) => {
            let plan = ArrayPlan { itemsize, item: plan };
            Some(Layout { itemsize: itemsize.saturating_mul(length), plan })
        }
        None => None,
    }
}

/// Returns the dtype of an array of `length` items. Arrays of arrays are one sub-array of more dimensions.
fn dtype(item: DType, length: usize) -> DType {
    let (base, inner) = match item {
        DType::SubArray(array) => (array.base().clone(), array.shape().to_vec()),
        item => (item, Vec::new()),
    };
    let shape = [vec![length], inner].concat();
    SubArray::new_unchecked(base, shape).into()
}

#[diagnostic::do_not_recommend]
impl<T, C: Codec<T>, const N: usize> Codec<[T; N]> for Items<C> {
    type Plan = ArrayPlan<C::Plan>;
    const LITTLE: Option<Layout<Self::Plan>> = layout(C::LITTLE, N);
    const BIG: Option<Layout<Self::Plan>> = layout(C::BIG, N);
    const ALIGNMENT: usize = C::ALIGNMENT;
    const VARIES: bool = C::VARIES;
    const GROWS: bool = C::GROWS;
    const HAS_ORDER: bool = C::HAS_ORDER;
    const BULK: Option<Bulk<[T; N]>> = match C::BULK {
        Some(bulk) => Some(bulk.array()),
        None => None,
    };
    const SENDS: Option<Sends<[T; N]>> = match C::SENDS {
        Some(sends) => Some(sends.array()),
        None => None,
    };

    fn dtype() -> DType {
        dtype(C::dtype(), N)
    }

    fn dtype_of<'a>(arrays: Option<impl Iterator<Item = &'a [T; N]> + Clone>) -> DType
    where
        [T; N]: 'a,
    {
        dtype(C::dtype_of(arrays.map(Iterator::flatten)), N)
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<Self::Plan> {
        let Some((length, item)) = outermost_axis(file) else {
            planner.mismatch(file, &<Self as Codec<[T; N]>>::dtype());
            return None;
        };
        if length != N {
            let advice = format!("this axis has length {length}, the Rust array {N}");
            planner.mismatch_with(file, &<Self as Codec<[T; N]>>::dtype().to_string(), Some(advice));
            return None;
        }
        let plan = planner.in_items(|planner| C::plan(&item, planner))?;
        Some(ArrayPlan { itemsize: item.itemsize(), item: plan })
    }

    #[inline(always)]
    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<[T; N], ValueError> {
        let bytes = bytes.get(..plan.itemsize * N).ok_or_else(outside)?;
        try_array(&Encoded::<T, C> { plan, bytes })
    }

    #[inline(always)]
    fn encode(array: &[T; N], plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        let bytes = bytes.get_mut(..plan.itemsize * N).ok_or_else(outside)?;
        for (i, item) in array.iter().enumerate() {
            C::encode(item, &plan.item, &mut bytes[i * plan.itemsize..]).map_err(|error| error.at_index(i))?;
        }
        Ok(())
    }
}

impl<T: NpyElement, const N: usize> NpyElement for [T; N] {
    type Codec = Items<T::Codec>;
    type Widened = Items<T::Widened>;
}

//! Arrays `[T; N]`, the elements of sub-arrays.

use std::marker::PhantomData;

use super::NpyElement;
use super::codec::{AsIs, Codec};
use super::plan::{Layout, Planner, outermost_axis};
use crate::error::{Result, ValueError};
use crate::format::dtype::{DType, SubArray};
use crate::memory::slots::Sends;
use crate::memory::{Bulk, MakeItem, try_array};

/// The plan for the items of a sub-array.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// The dtype of an array of `length` items; arrays of arrays become one sub-array of more
/// dimensions.
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
    const HAS_ORDER: bool = C::HAS_ORDER;

    fn dtype() -> DType {
        dtype(C::dtype(), N)
    }

    fn dtype_of<'a>(arrays: impl Iterator<Item = &'a [T; N]> + Clone) -> DType
    where
        [T; N]: 'a,
    {
        dtype(C::dtype_of(arrays.flatten()), N)
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<Self::Plan> {
        let Some((length, item)) = outermost_axis(file) else {
            planner.mismatch(file, &<Self as Codec<[T; N]>>::dtype());
            return None;
        };
        if length != N {
            let advice = format!("this axis has {length} items, the Rust array {N}");
            planner.mismatch_with(file, <Self as Codec<[T; N]>>::dtype().to_string(), Some(advice));
            return None;
        }
        let plan = planner.in_items(|planner| C::plan(&item, planner))?;
        Some(ArrayPlan { itemsize: item.itemsize(), item: plan })
    }

    #[inline(always)]
    fn relocate(layout: Self::Plan, file: &Self::Plan) -> Self::Plan {
        ArrayPlan { itemsize: layout.itemsize, item: C::relocate(layout.item, &file.item) }
    }

    #[inline(always)]
    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<[T; N], ValueError> {
        let bytes = bytes.get(..plan.itemsize * N).ok_or_else(super::outside)?;
        try_array(&Encoded::<T, C> { plan, bytes })
    }

    #[inline(always)]
    fn encode(array: &[T; N], plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        let bytes = bytes.get_mut(..plan.itemsize * N).ok_or_else(super::outside)?;
        for (i, item) in array.iter().enumerate() {
            C::encode(item, &plan.item, &mut bytes[i * plan.itemsize..]).map_err(|error| error.at_index(i))?;
        }
        Ok(())
    }
}

impl<T: NpyElement, const N: usize> NpyElement for [T; N] {
    type Plan = ArrayPlan<T::Plan>;
    type Widened = Items<T::Widened>;
    const LITTLE: Option<Layout<Self::Plan>> = layout(T::LITTLE, N);
    const BIG: Option<Layout<Self::Plan>> = layout(T::BIG, N);
    const ALIGNMENT: usize = T::ALIGNMENT;
    const SENDS: Option<Sends<Self>> = match T::SENDS {
        Some(sends) => Some(sends.array()),
        None => None,
    };
    const VARIES: bool = T::VARIES;
    const BULK: Option<Bulk<Self>> = match T::BULK {
        Some(bulk) => Some(bulk.array()),
        None => None,
    };

    fn dtype() -> DType {
        dtype(T::dtype(), N)
    }

    fn dtype_of<'a>(items: impl Iterator<Item = &'a Self> + Clone) -> DType
    where
        Self: 'a,
    {
        Items::<AsIs>::dtype_of(items)
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<Self::Plan> {
        <Items<AsIs> as Codec<Self>>::plan(file, planner)
    }

    #[inline(always)]
    fn relocate(layout: Self::Plan, file: &Self::Plan) -> Self::Plan {
        <Items<AsIs> as Codec<Self>>::relocate(layout, file)
    }

    #[inline(always)]
    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<Self, ValueError> {
        <Items<AsIs> as Codec<Self>>::decode(plan, bytes)
    }

    #[inline(always)]
    fn encode(&self, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        <Items<AsIs> as Codec<Self>>::encode(self, plan, bytes)
    }
}

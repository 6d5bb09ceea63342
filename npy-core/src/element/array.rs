//! Arrays `[T; N]`, the elements of sub-arrays.

use super::NpyElement;
use crate::alloc::{Bulk, try_array};
use crate::dtype::{DType, SubArray};
use crate::error::{Result, ValueError};
use crate::plan::{Layout, Planner, outermost_axis};

/// How to read the items of a sub-array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrayPlan<P> {
    itemsize: usize,
    item: P,
}

const fn layout<P: Copy>(item: Option<Layout<P>>, length: usize) -> Option<Layout<ArrayPlan<P>>> {
    match item {
        Some(Layout { itemsize, plan }) => {
            let plan = ArrayPlan { itemsize, item: plan };
            Some(Layout { itemsize: itemsize.saturating_mul(length), plan })
        }
        None => None,
    }
}

/// The dtype of an array of `length` items; arrays of arrays become one sub-array of more dimensions.
fn dtype(item: DType, length: usize) -> DType {
    let (base, inner) = match item {
        DType::SubArray(array) => (array.base().clone(), array.shape().to_vec()),
        item => (item, Vec::new()),
    };
    let shape = [vec![length], inner].concat();
    SubArray::new_unchecked(base, shape).into()
}

impl<T: NpyElement, const N: usize> NpyElement for [T; N] {
    type Plan = ArrayPlan<T::Plan>;
    const LITTLE: Option<Layout<Self::Plan>> = layout(T::LITTLE, N);
    const BIG: Option<Layout<Self::Plan>> = layout(T::BIG, N);
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
        dtype(T::dtype_of(items.flatten()), N)
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<Self::Plan> {
        let Some((length, item)) = outermost_axis(file) else {
            planner.mismatch(file, &Self::dtype());
            return None;
        };
        if length != N {
            let advice = format!("the sub-array has {length} items along this axis, and the Rust array has {N}");
            planner.mismatch_with(file, Self::dtype().to_string(), Some(advice));
            return None;
        }
        let plan = planner.in_items(|planner| T::plan(&item, planner))?;
        Some(ArrayPlan { itemsize: item.itemsize(), item: plan })
    }

    #[inline(always)]
    fn decode(plan: &Self::Plan, bytes: &[u8]) -> Result<Self, ValueError> {
        let bytes = bytes.get(..plan.itemsize * N).ok_or_else(super::outside)?;
        try_array(|i| T::decode(&plan.item, &bytes[i * plan.itemsize..]).map_err(|error| error.at_index(i)))
    }

    #[inline(always)]
    fn encode(&self, plan: &Self::Plan, bytes: &mut [u8]) -> Result<(), ValueError> {
        let bytes = bytes.get_mut(..plan.itemsize * N).ok_or_else(super::outside)?;
        for (i, item) in self.iter().enumerate() {
            item.encode(&plan.item, &mut bytes[i * plan.itemsize..]).map_err(|error| error.at_index(i))?;
        }
        Ok(())
    }
}

//! Layouts of a type: whether a file has its native one, the swapped one, or another.

use super::codec::{Codec, NpyElement, PlanOf};
use super::plan::{Layout, Plan, Planner, missing_element};
use crate::error::{Error, ErrorKind, Result, axes, rust_type, tuple};
use crate::format::dtype::DType;
use crate::memory::Bulk;

/// Returns the layout in native byte order.
pub const fn native<T: NpyElement>() -> Option<Layout<PlanOf<T>>> {
    if cfg!(target_endian = "big") { T::Codec::BIG } else { T::Codec::LITTLE }
}

/// The difference between the bytes of a file and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    None,
    ByteOrder,
}

/// Returns whether [`bulk`] may have bytes. Otherwise no code for them has to be compiled.
pub(crate) const fn is_plain<T: NpyElement>() -> bool {
    match T::Codec::BULK {
        Some(bulk) => !bulk.has_padding(),
        None => false,
    }
}

/// Returns the proof that the memory of `T` is the file's bytes, except for the byte order.
pub(crate) fn bulk<T: NpyElement>(plan: &PlanOf<T>, itemsize: usize) -> Option<(Bulk<T>, Difference)> {
    let bulk = T::Codec::BULK.filter(|_| itemsize == size_of::<T>())?;
    match (native::<T>(), swapped::<T>()) {
        (Some(layout), _) if layout.plan == *plan => Some((bulk, Difference::None)),
        (_, Some(layout)) if bulk.can_swap() && layout.plan == *plan => Some((bulk, Difference::ByteOrder)),
        _ => None,
    }
}

/// Returns the number of axes that `T` adds to an array: 1 for `[f32; 3]`.
pub(crate) fn inner_axes<T: NpyElement>() -> usize {
    axes_of(&T::dtype())
}

/// [`inner_axes`] by the dtype of the type.
pub(crate) fn axes_of(dtype: &DType) -> usize {
    if let DType::SubArray(array) = dtype { array.shape().len() } else { 0 }
}

/// Creates the error of an array that lacks `outer` axes followed by those of the elements `T`.
pub(crate) fn wrong_shape<T: NpyElement>(outer: usize, found: &[usize]) -> Error {
    wrong_shape_of(&rust_type::<T>(), &T::dtype(), outer, found)
}

/// [`wrong_shape`] by the name and the dtype of the type.
#[cold]
pub(crate) fn wrong_shape_of(rust_type: &str, dtype: &DType, outer: usize, found: &[usize]) -> Error {
    let inner = if let DType::SubArray(array) = dtype { array.shape() } else { &[] };
    let expected: Vec<_> = std::iter::repeat_n(None, outer).chain(inner.iter().copied().map(Some)).collect();
    let (expected, found) = (axes(&expected), tuple(found));
    Error::new(ErrorKind::WrongShape, format!("wrong shape for {rust_type}: expected {expected}, found {found}"))
}

/// Returns whether the memory of `T` is the bytes of a file in one of the byte orders, so that only rare
/// dtypes are decoded.
pub(super) const fn is_number<T: NpyElement>() -> bool {
    match T::Codec::BULK {
        Some(bulk) => bulk.can_swap(),
        None => false,
    }
}

/// Decides how to read and write `T` as `dtype`.
pub(crate) fn plan<T: NpyElement>(dtype: &DType) -> Result<PlanOf<T>> {
    if dtype.has_object() {
        return Err(Error::object_array());
    }
    let mut planner = Planner::new();
    T::Codec::plan(dtype, &mut planner).ok_or_else(|| planner.into_error(&rust_type::<T>()))
}

/// [`plan`] for writing. Also returns the bytes of a missing element, if elements are written over them.
pub(crate) fn plan_to_write<T: NpyElement>(dtype: &DType) -> Result<(PlanOf<T>, Vec<u8>)> {
    if dtype.has_object() {
        return Err(Error::object_array());
    }
    let mut planner = Planner::for_writing();
    let Some(plan) = T::Codec::plan(dtype, &mut planner) else { return Err(planner.into_error(&rust_type::<T>())) };
    let missing = if planner.is_filled() { missing_element(dtype)? } else { Vec::new() };
    Ok((plan, missing))
}

/// Returns whether the file has the native layout. [`native`] then replaces the plan, so that offsets and
/// widths are constants in the loop over the elements.
///
/// The itemsize counts too: a record with nothing but padding behind its last field has the same
/// plan as one without.
#[inline(always)]
pub(super) fn is_native<T: NpyElement>(plan: &PlanOf<T>, itemsize: usize) -> bool {
    native::<T>().is_some_and(|layout| layout.plan == *plan && layout.itemsize == itemsize && itemsize > 0)
}

/// The layout in the byte order that is not the machine's.
pub(crate) const fn swapped<T: NpyElement>() -> Option<Layout<PlanOf<T>>> {
    if cfg!(target_endian = "big") { T::Codec::LITTLE } else { T::Codec::BIG }
}

/// Returns the plan if it differs from a layout only by the offsets of fields. Widths and byte order are
/// then constants in the loop over the elements, which is nearly as fast as constant offsets.
#[inline(always)]
pub(crate) fn relocated<T: NpyElement>(layout: Option<Layout<PlanOf<T>>>, plan: &PlanOf<T>, itemsize: usize) -> Option<PlanOf<T>> {
    layout.map(|layout| layout.plan.relocate(plan)).filter(|relocated| relocated == plan && itemsize > 0)
}

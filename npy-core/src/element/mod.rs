//! Rust types that are elements of arrays.

pub(crate) mod plan;
pub(crate) mod record;
mod array;
mod codec;
#[cfg(feature = "complex")]
mod complex;
#[cfg(any(feature = "jiff", feature = "chrono"))]
mod date;
#[cfg(feature = "half")]
mod half;
mod long_double;
mod number;
mod sends;
mod text;
mod time;
mod void;

use crate::error::{Error, ErrorKind, Result, ValueError, axes, tuple};
use crate::format::dtype::{ByteOrder, DType};
use crate::memory::Bulk;
use crate::memory::slots::{Reserved, Slots};
use plan::{Layout, Plan, Planner, missing_element, rust_type};

pub use array::{ArrayPlan, Items};
pub use codec::{As, Codec, Optional, Through, With};
#[cfg(any(feature = "jiff", feature = "chrono"))]
pub use date::TimePlan;
pub use long_double::{LongDouble, LongDoublePlan};
pub use number::{Narrow, WidePlan, Widen, Widens};
pub use sends::{Otherwise, Probe};
pub use text::{FixedBytes, FixedText, FixedUnicode, TextPlan, Truncated};
pub use time::{Datetime64, Timedelta64, unit};
pub use void::{FixedVoid, Void};

/// A Rust type that can be an element of an array: it has a dtype.
///
/// | dtype | Rust type |
/// |---|---|
/// | `\|b1` | `bool` |
/// | `\|i1` `<i2` `<i4` `<i8` | `i8` `i16` `i32` `i64` |
/// | `\|u1` `<u2` `<u4` `<u8` | `u8` `u16` `u32` `u64` |
/// | `<f4` `<f8` | `f32` `f64` |
/// | `<f2`, and `<V2` of `ml_dtypes` | `half::f16`, `half::bf16` (feature `half`) |
/// | `<c8` `<c16` `<c32` | `num_complex::Complex<T>` (feature `complex`) |
/// | `<f16` | [`LongDouble`] |
/// | `\|S8` | [`FixedBytes<8>`](FixedBytes), `String` |
/// | `<U8` | [`FixedUnicode<8>`](FixedUnicode), `String` |
/// | `<M8[ns]` `<m8[ns]` | [`Datetime64<unit::Nanosecond>`](Datetime64), [`Timedelta64<unit::Nanosecond>`](Timedelta64) |
/// | `\|V8` | [`FixedVoid<8>`](FixedVoid), [`Void`] |
/// | `('<f4', (2, 3))` | `[[f32; 3]; 2]` |
/// | `[('x', '<f4'), …]` | a struct with `#[derive(NpyRecord)]` |
///
/// An `Option` of any of them is what it holds; NaT is `None`. The whole table is in
/// [`dtype`](crate::dtype).
///
/// Either byte order is read; native byte order is written. A file whose dtype is another is
/// refused, never converted.
///
/// The derive and this crate implement the trait. Apart from [`dtype`](Self::dtype), its items are
/// not for others to implement or call, and may change.
///
/// ```
/// use npy_core::NpyElement;
///
/// assert_eq!(<[f32; 3]>::dtype().to_string(), "('<f4', (3,))");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element of a NumPy array",
    note = "for a custom struct, use `#[derive(NpyRecord)]` of the feature `derive`",
    note = "numbers, `bool`, `String`, `[T; N]`, `FixedBytes`, `Datetime64` and others are elements; `half` and `complex` numbers are \
            behind features of that name",
    note = "use `u64` for `usize`, `i64` for `isize`, `u32` for `char`, `[T; N]` for `Vec<T>`, `String` for `&str`"
)]
pub trait NpyElement: Sized {
    /// The way to store it.
    #[doc(hidden)]
    type Codec: Codec<Self>;

    /// The way to store it under which narrower numbers are read too.
    #[doc(hidden)]
    type Widened: Codec<Self>;

    /// The dtype that this type is written as.
    ///
    /// Text without a fixed width (`String`) has the width 0 here: what is written is as wide as
    /// the longest item.
    #[inline]
    fn dtype() -> DType {
        Self::Codec::dtype()
    }
}

/// The way to store a `T` as its own dtype.
pub type CodecOf<T> = <T as NpyElement>::Codec;

/// How to read and write a `T` as a given dtype.
pub type PlanOf<T> = <CodecOf<T> as Codec<T>>::Plan;

/// Returns the layout in native byte order.
pub const fn native<T: NpyElement>() -> Option<Layout<PlanOf<T>>> {
    if cfg!(target_endian = "big") { T::Codec::BIG } else { T::Codec::LITTLE }
}

/// How the bytes of a file differ from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    None,
    ByteOrder,
}

/// Whether [`bulk`] may give bytes. Where it may not, nothing need be compiled for them.
pub(crate) const fn is_plain<T: NpyElement>() -> bool {
    match T::Codec::BULK {
        Some(bulk) => !bulk.has_padding(),
        None => false,
    }
}

/// Proof that the memory of `T` is the file's bytes, but perhaps for the byte order.
pub(crate) fn bulk<T: NpyElement>(plan: &PlanOf<T>, itemsize: usize) -> Option<(Bulk<T>, Difference)> {
    let bulk = T::Codec::BULK.filter(|_| itemsize == size_of::<T>())?;
    match (native::<T>(), swapped::<T>()) {
        (Some(layout), _) if layout.plan == *plan => Some((bulk, Difference::None)),
        (_, Some(layout)) if bulk.can_swap() && layout.plan == *plan => Some((bulk, Difference::ByteOrder)),
        _ => None,
    }
}

/// The number of axes that `T` adds to an array of it: those of `[T; N]`.
pub(crate) fn inner_axes<T: NpyElement>() -> usize {
    axes_of(&T::dtype())
}

/// [`inner_axes`] by the dtype of the type.
pub(crate) fn axes_of(dtype: &DType) -> usize {
    if let DType::SubArray(array) = dtype { array.shape().len() } else { 0 }
}

/// The error of an array that has other axes than `outer` and those that are in the elements `T`.
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

/// Whether the memory of `T` is the bytes of a file in one of the byte orders, so that it is decoded
/// only where the dtype is a rare one.
const fn is_number<T: NpyElement>() -> bool {
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

/// [`plan`] where nothing is read, so that errors speak of writing. Returns the bytes of an element
/// without any value too, if the elements are to be written over them.
pub(crate) fn plan_to_write<T: NpyElement>(dtype: &DType) -> Result<(PlanOf<T>, Vec<u8>)> {
    if dtype.has_object() {
        return Err(Error::object_array());
    }
    let mut planner = Planner::for_writing();
    let Some(plan) = T::Codec::plan(dtype, &mut planner) else { return Err(planner.into_error(&rust_type::<T>())) };
    let missing = if planner.is_filled() { missing_element(dtype)? } else { Vec::new() };
    Ok((plan, missing))
}

/// Whether the file has the native layout, so that [`native`] may stand for the plan: in the loop
/// over the elements all offsets and widths are constants then.
///
/// The itemsize counts too: a record with nothing but padding behind its last field has the same
/// plan as one without.
#[inline(always)]
fn is_native<T: NpyElement>(plan: &PlanOf<T>, itemsize: usize) -> bool {
    native::<T>().is_some_and(|layout| layout.plan == *plan && layout.itemsize == itemsize && itemsize > 0)
}

/// The layout in the byte order that is not the machine's.
pub(crate) const fn swapped<T: NpyElement>() -> Option<Layout<PlanOf<T>>> {
    if cfg!(target_endian = "big") { T::Codec::LITTLE } else { T::Codec::BIG }
}

/// The plan, if it is that of a layout but for where the fields of records lie: in the loop over
/// the elements all widths and the byte order are constants then, which is nearly as fast as if
/// offsets were.
#[inline(always)]
pub(crate) fn relocated<T: NpyElement>(layout: Option<Layout<PlanOf<T>>>, plan: &PlanOf<T>, itemsize: usize) -> Option<PlanOf<T>> {
    layout.map(|layout| layout.plan.relocate(plan)).filter(|relocated| relocated == plan && itemsize > 0)
}

/// Runs `$loop` with the plan and the itemsize: one copy of it for the native layout, one for native
/// fields that lie elsewhere, and one for all other plans.
///
/// A macro, because each copy must be a loop of its own in which they are constants. A copy for
/// swapped bytes was measured to gain nothing, and each copy costs compile time.
macro_rules! by_layout {
    ($T:ty, $plan:ident, $itemsize:ident, $loop:expr) => {
        if let Some(layout) = const { native::<$T>() }
            && is_native::<$T>($plan, $itemsize)
        {
            let ($plan, $itemsize) = (&layout.plan, layout.itemsize);
            $loop
        } else if let Some(plan) = relocated::<$T>(const { native::<$T>() }, $plan, $itemsize) {
            let $plan = &plan;
            $loop
        } else {
            $loop
        }
    };
}

/// How many elements of 0 bytes are decoded or encoded at a time. They are treated as if each had
/// one byte, which no plan reads or writes: `decode` and `encode` use the beginning of their bytes.
/// A separate loop would have to be compiled.
const EMPTY: usize = 1024;

/// Decodes `count` elements of `itemsize` bytes, and appends them to `items`, which is to have
/// `total`. `first` is the index of the first, for error messages.
pub(crate) fn decode_all<T: NpyElement>(
    plan: &PlanOf<T>,
    itemsize: usize,
    bytes: &[u8],
    (count, total): (usize, usize),
    items: &mut Vec<T>,
    first: u64,
) -> Result<()> {
    let mut reserved = Reserved::new(items, count, total)?;
    let mut slots = reserved.slots();
    decode_slots(plan, itemsize, bytes, count, &mut slots, first)?;
    slots.keep();
    reserved.finish()
}

/// Decodes `count` elements of `itemsize` bytes into memory with capacity for them. `first` is the
/// index of the first.
pub(crate) fn decode_slots<T: NpyElement>(
    plan: &PlanOf<T>,
    itemsize: usize,
    bytes: &[u8],
    count: usize,
    slots: &mut Slots<'_, T>,
    first: u64,
) -> Result<()> {
    if itemsize == 0 {
        return (0..count).step_by(EMPTY).try_for_each(|done| {
            let step = EMPTY.min(count - done);
            decode_slots(plan, 1, &[0; EMPTY][..step], step, slots, first + done as u64)
        });
    }
    let result = if const { is_number::<T>() } {
        // One loop, because only rare dtypes come here.
        slots.extend(bytes.chunks_exact(itemsize), |element| T::Codec::decode(plan, element))
    } else {
        by_layout!(T, plan, itemsize, slots.extend(bytes.chunks_exact(itemsize), |element| T::Codec::decode(plan, element)))
    };
    result.map_err(|(index, error)| error.in_element(first + index as u64))
}

/// Decodes as many elements of `itemsize` bytes as there are `items`, over them. `first` is the
/// index of the first.
pub(crate) fn decode_over<T: NpyElement>(
    plan: &PlanOf<T>,
    itemsize: usize,
    bytes: &[u8],
    items: &mut [T],
    first: u64,
) -> Result<()> {
    if itemsize == 0 {
        return items
            .chunks_mut(EMPTY)
            .enumerate()
            .try_for_each(|(i, items)| decode_over(plan, 1, &[0; EMPTY][..items.len()], items, first + (i * EMPTY) as u64));
    }
    if const { is_number::<T>() } {
        return decode_each(plan, items.iter_mut().zip(bytes.chunks_exact(itemsize)), first);
    }
    by_layout!(T, plan, itemsize, decode_each(plan, items.iter_mut().zip(bytes.chunks_exact(itemsize)), first))
}

#[inline(always)]
fn decode_each<'a, T: NpyElement + 'a>(
    plan: &PlanOf<T>,
    pairs: impl Iterator<Item = (&'a mut T, &'a [u8])>,
    first: u64,
) -> Result<()> {
    for (i, (item, element)) in pairs.enumerate() {
        match T::Codec::decode(plan, element) {
            Ok(decoded) => *item = decoded,
            Err(error) => return Err(error.in_element(first + i as u64)),
        }
    }
    Ok(())
}

/// Stores the elements one after another in `bytes`, `itemsize` bytes each, and returns their
/// number. `bytes` must be as long as they; `first` is the index of the first.
pub(crate) fn encode_slice<T: NpyElement>(
    plan: &PlanOf<T>,
    itemsize: usize,
    items: &[T],
    bytes: &mut [u8],
    first: u64,
) -> Result<usize> {
    if itemsize == 0 {
        return items.chunks(EMPTY).enumerate().try_fold(0, |done, (i, items)| {
            let count = encode_slice(plan, 1, items, &mut [0; EMPTY][..items.len()], first + (i * EMPTY) as u64)?;
            Ok(done + count)
        });
    }
    by_layout!(T, plan, itemsize, encode_each(plan, items.iter().zip(bytes.chunks_exact_mut(itemsize)), first))
}

/// [`encode_slice`] for elements that lie anywhere. There is a loop for the native layout and one
/// for all others, because each iterator has its own. `bytes` must have room for all items.
pub(crate) fn encode_all<'a, T: NpyElement + 'a>(
    plan: &PlanOf<T>,
    itemsize: usize,
    items: impl Iterator<Item = &'a T>,
    bytes: &mut [u8],
    first: u64,
) -> Result<usize> {
    match const { native::<T>() } {
        Some(layout) if is_native::<T>(plan, itemsize) => {
            encode_each(&layout.plan, items.zip(bytes.chunks_exact_mut(layout.itemsize)), first)
        }
        _ => encode_rarely(plan, itemsize, items, bytes, first),
    }
}

/// [`encode_all`] by one loop for every plan: for where a type's memory is the file's bytes but in
/// rare files, so that the others would be compiled for nothing.
pub(crate) fn encode_rarely<'a, T: NpyElement + 'a>(
    plan: &PlanOf<T>,
    itemsize: usize,
    items: impl Iterator<Item = &'a T>,
    bytes: &mut [u8],
    first: u64,
) -> Result<usize> {
    // Elements of 0 bytes have no chunks, and are encoded to no bytes.
    let mut elements = bytes.chunks_exact_mut(itemsize.max(1));
    encode_each(plan, items.map(|item| (item, elements.next().unwrap_or_default())), first)
}

#[inline(always)]
fn encode_each<'a, 'b, T: NpyElement + 'a>(
    plan: &PlanOf<T>,
    pairs: impl Iterator<Item = (&'a T, &'b mut [u8])>,
    first: u64,
) -> Result<usize> {
    let mut count = 0;
    for (item, element) in pairs {
        if let Err(error) = T::Codec::encode(item, plan, element) {
            return Err(error.in_element(first + count as u64));
        }
        count += 1;
    }
    Ok(count)
}

/// The first `N` bytes. That there are as many is checked when the plan is made.
#[inline(always)]
fn first_chunk<const N: usize>(bytes: &[u8]) -> Result<[u8; N], ValueError> {
    match bytes.first_chunk() {
        Some(chunk) => Ok(*chunk),
        None => Err(outside()),
    }
}

#[inline(always)]
fn first_chunk_mut<const N: usize>(bytes: &mut [u8]) -> Result<&mut [u8; N], ValueError> {
    bytes.first_chunk_mut().ok_or_else(outside)
}

/// What a plan that does not belong to the bytes would lead to, in place of a panic.
#[cold]
pub(crate) fn outside() -> ValueError {
    ValueError::new("field out of bounds of the record")
}

/// Whether the dtype is a scalar of this kind; its byte order then, native if it has none.
fn order_of(dtype: &DType, kind: crate::format::dtype::ScalarKind) -> Option<ByteOrder> {
    match dtype {
        DType::Scalar(scalar) if scalar.kind() == kind => Some(scalar.byte_order().unwrap_or(ByteOrder::NATIVE)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::NpyElement;

    /// NumPy writes that of its machine, too.
    #[test]
    fn numbers_have_the_native_byte_order() {
        let expected = if cfg!(target_endian = "big") { [">f8", ">i2"] } else { ["<f8", "<i2"] };
        assert_eq!([f64::dtype().to_string(), i16::dtype().to_string()], expected);
    }
}

//! Loops that decode and encode elements by a plan.

use super::codec::{Codec, NpyElement, PlanOf};
use super::layout::{is_native, is_number, native, relocated};
use crate::error::Result;
use crate::memory::slots::{Reserved, Slots};

/// Runs `$loop` with the plan and the itemsize: one copy for the native layout, one for native fields at
/// other offsets, and one for all other plans.
///
/// A macro, because the plan is a constant in each copy. A copy for swapped bytes gained nothing, and each
/// copy costs compile time.
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

/// The number of elements of 0 bytes that are decoded or encoded at a time. Each gets one byte, which no
/// plan reads or writes, because a separate loop would have to be compiled.
const EMPTY: usize = 1024;

/// Appends `count` decoded elements of `itemsize` bytes to `items`, which grows to `total`. `first` is the
/// index of the first, for errors.
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

/// Encodes elements of `itemsize` bytes side by side, and returns their number. `bytes` has space for
/// exactly these; `first` is the index of the first.
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

/// [`encode_slice`] for elements at any addresses: one loop for the native layout, one for all others.
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

/// [`encode_all`] by one loop for every plan, for types whose memory is the bytes of most files.
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

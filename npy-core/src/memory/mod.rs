//! Uninitialised buffers that are filled before they are read.
//!
//! Their growth is bounded by the bytes present. Proofs say which types have the bytes of a file as
//! their memory, and threads fill parts of one buffer.
#![allow(unsafe_code)]

pub(crate) mod byteswap;
#[cfg(feature = "npz")]
mod parts;
mod read_buf;
pub(crate) mod slots;
#[cfg(any(unix, windows))]
pub(crate) mod threads;
pub(crate) mod vectors;

use std::io;
use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};

use crate::error::{Error, Result};
use crate::sys::huge_pages::advise_huge_pages;
use byteswap::{copy_swapped, repair_bools, swap_words};

use read_buf::assume_init;
pub(crate) use read_buf::{Fill, ReadBuf, STAGE_BYTES, read_head};

/// A type whose memory is the bytes of a file in native byte order: numbers, texts or bools. The
/// implementations are in `view/mod.rs`, beside those of `NpyView`.
///
/// # Safety
///
/// For every value, each of the `size_of::<Self>()` bytes is initialised (there is no padding).
/// Every pattern of bytes is a valid value, except that where `IS_BOOL` is true each byte must be 0
/// or 1. `WORD_BYTES` divides `size_of::<Self>()`, and reversing each word of that many bytes
/// changes between the byte orders.
#[expect(unnameable_types, reason = "a supertrait that only this crate implements")]
pub unsafe trait Plain: Copy + 'static {
    /// Bytes of a number in it, the unit in which bytes are swapped: 1 for text in bytes, 4 for a
    /// `Complex<f32>`.
    const WORD_BYTES: usize;
    /// Whether it consists of bools.
    const IS_BOOL: bool = false;
}

/// Proof that the memory of a type is the bytes of a file in native byte order. Generic code
/// carries it without a bound.
pub struct Bulk<T> {
    layout: BulkLayout,
    // No `T` is owned or shared.
    marker: PhantomData<fn() -> T>,
}

/// The facts of a [`Bulk`], for code that is compiled once for all types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BulkLayout {
    /// Bytes of an element.
    pub(crate) size: usize,
    /// [`Plain::WORD_BYTES`]; 0 for records, which have no such unit.
    word_bytes: usize,
    /// Whether it consists of bools.
    is_bool: bool,
    /// Whether some of its bytes belong to no field.
    has_padding: bool,
}

impl<T> Clone for Bulk<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Bulk<T> {}

impl<T: Plain> Bulk<T> {
    /// Creates the proof.
    pub const fn new() -> Self {
        let layout = BulkLayout { size: size_of::<T>(), word_bytes: T::WORD_BYTES, is_bool: T::IS_BOOL, has_padding: false };
        Self { layout, marker: PhantomData }
    }
}

impl<T: Plain> Default for Bulk<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Bulk<T> {
    /// The proof for records.
    ///
    /// # Safety
    ///
    /// Every pattern of bytes is a value, and unless `has_padding` every byte of a `T` is
    /// initialised.
    pub(crate) const unsafe fn of_record(has_padding: bool) -> Self {
        let layout = BulkLayout { size: size_of::<T>(), word_bytes: 0, is_bool: false, has_padding };
        Self { layout, marker: PhantomData }
    }
}

/// Elements to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// The number of elements.
    pub(crate) count: usize,
    /// Whether the file has the other byte order.
    pub(crate) swap: bool,
    /// Whether the input is known to hold all of them, so that memory is allocated at once. Otherwise it
    /// grows with the bytes read.
    pub(crate) is_there: bool,
    /// The offset of the first one in the file.
    pub(crate) offset: u64,
}

/// The first allocation for a stream of unknown length.
pub(crate) const FIRST_BYTES: usize = 64 * 1024;

impl<T> Bulk<T> {
    /// Extends the proof to arrays of the type.
    pub const fn array<const N: usize>(self) -> Bulk<[T; N]> {
        Bulk { layout: BulkLayout { size: size_of::<[T; N]>(), ..self.layout }, marker: PhantomData }
    }

    /// Returns the facts for code without the type.
    pub(crate) const fn layout(self) -> BulkLayout {
        self.layout
    }

    /// Whether some of the bytes of an element belong to no field.
    pub(crate) const fn has_padding(self) -> bool {
        self.layout.has_padding
    }

    /// Whether [`swap`](Self::swap) changes between the byte orders.
    pub(crate) const fn can_swap(self) -> bool {
        self.layout.word_bytes > 0
    }

    /// Returns the bytes of the elements, or `None` if they contain padding.
    pub fn bytes_of(self, items: &[T]) -> Option<&[u8]> {
        if self.layout.has_padding {
            return None;
        }
        // SAFETY: `self` proves that all bytes of a `T` are initialised where it has no padding. A
        // `u8` has no alignment and no invalid value, the length is that of the memory, and the
        // lifetime is that of `items`.
        Some(unsafe { std::slice::from_raw_parts(items.as_ptr().cast::<u8>(), mem::size_of_val(items)) })
    }

    /// Overwrites elements with the output of `fill`. They begin at `offset` in the file.
    pub(crate) fn fill_slice(self, items: &mut [T], swap: bool, offset: u64, fill: &mut Fill<'_>) -> Result<()> {
        // SAFETY: by `self`, whatever bytes are stored in it are valid `T`s, but for bools, of
        // which `fill_whole` stores only 0 and 1.
        let memory = unsafe { memory_of(items) };
        self.layout.fill_whole(memory, swap, offset, fill)
    }

    /// Reads elements into a vector, and replaces those that it has. After an error it has fewer.
    pub(crate) fn refill(self, items: &mut Vec<T>, request: Request, fill: &mut Fill<'_>) -> Result<()> {
        items.clear();
        let count = request.count;
        if size_of::<T>() > 0 {
            if request.is_there {
                reserve_exact(items, count)?;
            }
            // SAFETY: by `self`, any bytes are valid `T`s, but for bools, of which `refill` leaves
            // only 0 and 1 before it asks for more.
            let mut memory = unsafe { GrowingItems::new(items, count) };
            self.layout.refill(&mut memory, request, fill)?;
        }
        // SAFETY: elements of 0 bytes need no initialisation, and the vector's capacity for them is
        // `usize::MAX`. Of others, `refill` succeeded: the bytes of `count` elements are initialised.
        // They are valid: by `self` any pattern is, but for bools, of which `refill` leaves only 0
        // and 1.
        unsafe { items.set_len(count) };
        Ok(())
    }

    /// [`refill`](Self::refill) from the bytes of all elements in memory. Returns whether it did: not for
    /// elements of 0 bytes, nor for many bools.
    pub(crate) fn copy(self, items: &mut Vec<T>, swap: bool, bytes: &[u8]) -> Result<bool> {
        let Some(count) = bytes.len().checked_div(size_of::<T>()) else { return Ok(false) };
        if self.layout.is_bool && bytes.len() > STAGE_BYTES {
            return Ok(false);
        }
        items.clear();
        reserve_exact(items, count)?;
        self.append(items, swap, bytes);
        Ok(true)
    }

    /// Appends the elements with these bytes. The vector must have capacity for them.
    pub(crate) fn append(self, items: &mut Vec<T>, swap: bool, bytes: &[u8]) {
        let count = bytes.len().checked_div(size_of::<T>()).unwrap_or(0);
        self.layout.copy(spare_bytes(items, count), swap, bytes);
        // SAFETY: `count` elements were copied just now behind those that there were, so that every
        // byte is initialised, and valid as in `refill`.
        unsafe { items.set_len(items.len() + count) };
    }
}

/// Memory of elements, for code without their type.
pub(crate) trait GrowingMemory {
    /// Returns memory for `step` elements behind the first `done`, which are initialised and valid.
    fn grow(&mut self, done: usize, step: usize) -> Result<&mut [MaybeUninit<u8>]>;
}

/// A vector that grows to `count` elements.
struct GrowingItems<'a, T> {
    items: &'a mut Vec<T>,
    count: usize,
}

impl<'a, T> GrowingItems<'a, T> {
    /// # Safety
    ///
    /// [`grow`](GrowingMemory::grow) may only be called with a `done` for which the bytes of the
    /// first `done` elements were stored, in the memory that earlier calls gave, and are valid `T`s.
    unsafe fn new(items: &'a mut Vec<T>, count: usize) -> Self {
        Self { items, count }
    }
}

impl<T> GrowingMemory for GrowingItems<'_, T> {
    fn grow(&mut self, done: usize, step: usize) -> Result<&mut [MaybeUninit<u8>]> {
        // SAFETY: the promise that was given to `new`.
        unsafe { self.items.set_len(done) };
        reserve_more(self.items, step, self.count)?;
        Ok(spare_bytes(self.items, step))
    }
}

impl BulkLayout {
    /// Creates the layout of elements of `size` bytes that are only copied.
    pub(crate) const fn of_bytes(size: usize) -> Self {
        Self { size, ..Bulk::<u8>::new().layout }
    }

    /// Overwrites whole elements, all of which are initialised but perhaps for their padding.
    pub(crate) fn fill_whole(self, memory: &mut [MaybeUninit<u8>], swap: bool, offset: u64, fill: &mut Fill<'_>) -> Result<()> {
        let expected = memory.len() as u64;
        self.fill_memory(memory, swap, !self.has_padding, fill)
            .map_err(|(error, filled)| truncated_or_io(error, offset, expected, filled as u64))
    }

    /// Overwrites whole elements by `fill`, and makes bools 0 or 1. Bools in initialised memory stay
    /// valid even after an error. An error has the number of bytes before it.
    pub(crate) fn fill_memory(
        self,
        memory: &mut [MaybeUninit<u8>],
        swap: bool,
        is_initialised: bool,
        fill: &mut Fill<'_>,
    ) -> Result<(), (io::Error, usize)> {
        let step = self.step(memory.len(), swap).max(1);
        let keeps_valid = self.is_bool && is_initialised;
        let mut raw_bools = vec![MaybeUninit::new(0); if keeps_valid { step } else { 0 }];
        for (i, stage) in memory.chunks_mut(step).enumerate() {
            let mut fill_up = |memory: &mut [MaybeUninit<u8>]| {
                let initialised = if is_initialised { memory.len() } else { 0 };
                let mut buf = ReadBuf { memory, filled: 0, initialised };
                let result = buf.fill_up(fill);
                let filled = buf.filled;
                result.map_err(|error| (error, i * step + filled))
            };
            if keeps_valid {
                let raw = &mut raw_bools[..stage.len()];
                fill_up(raw)?;
                // SAFETY: `fill_up` succeeded, so it initialised every byte.
                let raw = unsafe { assume_init(raw) };
                for (byte, raw) in stage.iter_mut().zip(raw) {
                    byte.write(u8::from(*raw != 0));
                }
                continue;
            }
            fill_up(stage)?;
            // SAFETY: as above.
            self.repair(unsafe { assume_init(stage) }, swap);
        }
        Ok(())
    }

    /// Reads elements of more than 0 bytes into memory that grows.
    fn refill(self, target: &mut dyn GrowingMemory, request: Request, fill: &mut Fill<'_>) -> Result<()> {
        let Request { count, swap, is_there, offset } = request;
        let expected = count.saturating_mul(self.size);
        let step = self.step(expected, swap) / self.size;
        let mut done = 0;
        while done < count {
            let step = if is_there { step } else { step.min(growth(done * self.size).div_ceil(self.size)) };
            let step = step.clamp(1, count - done);
            let memory = target.grow(done, step)?;
            let mut buf = ReadBuf::new(memory);
            let result = buf.fill_up(fill);
            let filled = done * self.size + buf.filled;
            result.map_err(|error| truncated_or_io(error, offset, expected as u64, filled as u64))?;
            // SAFETY: `fill_up` succeeded, so `buf` initialised every byte.
            self.repair(unsafe { assume_init(memory) }, swap);
            done += step;
        }
        Ok(())
    }

    /// Copies whole elements to memory that has space for them.
    fn copy(self, memory: &mut [MaybeUninit<u8>], swap: bool, bytes: &[u8]) {
        if swap && self.word_bytes > 1 {
            return copy_swapped(memory, bytes, self.word_bytes);
        }
        let mut buf = ReadBuf::new(memory);
        let count = buf.copy_from(bytes);
        // SAFETY: as many bytes were copied just now.
        self.repair(unsafe { assume_init(&mut memory[..count]) }, false);
    }

    /// Returns the size of the chunks to read: all bytes at once if none has to be repaired.
    fn step(self, bytes: usize, swap: bool) -> usize {
        let size = self.size.max(1);
        if self.is_touched(swap) { (STAGE_BYTES / size).max(1).saturating_mul(size).min(bytes) } else { bytes }
    }

    /// Returns whether bytes of the file have to be repaired.
    pub(crate) fn is_touched(self, swap: bool) -> bool {
        (swap && self.word_bytes > 1) || self.is_bool
    }

    /// Converts bytes of the file to valid values in native byte order.
    fn repair(self, bytes: &mut [u8], swap: bool) {
        if self.is_bool {
            repair_bools(bytes);
        } else if swap {
            swap_words(bytes, self.word_bytes);
        }
    }

    /// Reverses the bytes of each number in `bytes`, which hold whole elements.
    pub(crate) fn swap(self, bytes: &mut [u8]) {
        swap_words(bytes, self.word_bytes);
    }
}

/// Creates the error of a read of `expected` bytes at `offset` that gave `found`.
#[cold]
pub(crate) fn truncated_or_io(error: io::Error, offset: u64, expected: u64, found: u64) -> crate::error::Error {
    // An error of this crate that came through `io` already says where the data end.
    let is_own = error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<crate::error::Error>);
    if error.kind() == io::ErrorKind::UnexpectedEof && !is_own {
        return Error::truncated("the array", offset, expected, found);
    }
    crate::error::Error::io("cannot read the array", error)
}

/// Returns the number of bytes to grow by after `done` bytes: a quarter, so that the cost stays linear.
fn growth(done: usize) -> usize {
    FIRST_BYTES.max(done / 4)
}

/// The bytes of elements, to be overwritten.
///
/// # Safety
///
/// Only bytes that make valid `T`s may be stored.
unsafe fn memory_of<T>(items: &mut [T]) -> &mut [MaybeUninit<u8>] {
    let begin = items.as_mut_ptr().cast::<MaybeUninit<u8>>();
    // SAFETY: the memory is that of `items`, borrowed mutably for as long as the slice lives; a
    // `MaybeUninit<u8>` needs no initialisation, so that padding may be in it, and no alignment.
    // What is stored is the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(begin, mem::size_of_val(items)) }
}

/// Returns the memory of `count` elements behind those of a vector, which must have the capacity.
pub(crate) fn spare_bytes<T>(items: &mut Vec<T>, count: usize) -> &mut [MaybeUninit<u8>] {
    let (spare, _) = items.spare_capacity_mut().split_at_mut(count);
    let begin = spare.as_mut_ptr().cast::<MaybeUninit<u8>>();
    // SAFETY: the memory is that of the spare capacity, borrowed mutably for as long as the slice
    // lives; a `MaybeUninit<u8>` needs no initialisation and no alignment.
    unsafe { std::slice::from_raw_parts_mut(begin, mem::size_of_val(spare)) }
}

/// Reserves memory for exactly `count` more elements.
pub(crate) fn reserve_exact<T>(items: &mut Vec<T>, count: usize) -> Result<()> {
    let bytes = count.saturating_mul(size_of::<T>());
    items.try_reserve_exact(count).map_err(|_| Error::out_of_memory(bytes))?;
    advise_huge_pages(items.spare_capacity_mut());
    Ok(())
}

/// Reserves `step` more of `count` elements in all, in steps that keep the cost of growing linear.
///
/// Without the advice of `reserve_exact`: memory that grows is moved by its pages, and moving huge
/// ones was measured four times slower.
pub(crate) fn reserve_more<T>(items: &mut Vec<T>, step: usize, count: usize) -> Result<()> {
    if items.capacity() - items.len() >= step {
        return Ok(());
    }
    let size = size_of::<T>().max(1);
    let more = step.max(growth(items.len() * size) / size);
    let more = more.min(count - items.len());
    let bytes = more.saturating_mul(size_of::<T>());
    items.try_reserve_exact(more).map_err(|_| Error::out_of_memory(bytes))?;
    Ok(())
}

/// Makes the items of an array. A trait and not a closure: only a method can be forced to inline, which
/// made loops over records twice as fast.
pub(crate) trait MakeItem {
    type Item;
    type Error;

    fn make(&self, index: usize) -> Result<Self::Item, Self::Error>;
}

/// Makes an array of the item for each index, or returns the first error.
#[inline(always)]
pub(crate) fn try_array<M: MakeItem, const N: usize>(items: &M) -> Result<[M::Item; N], M::Error> {
    struct Guard<'a, T> {
        slots: &'a mut [MaybeUninit<T>],
        count: usize,
    }
    impl<T> Drop for Guard<'_, T> {
        fn drop(&mut self) {
            let written: *mut [MaybeUninit<T>] = &raw mut self.slots[..self.count];
            // SAFETY: the first `count` slots were written, and are not used again: the guard is
            // only dropped on an error or a panic.
            unsafe { std::ptr::drop_in_place(written as *mut [T]) };
        }
    }

    let mut array = [const { MaybeUninit::<M::Item>::uninit() }; N];
    let mut guard = Guard { slots: &mut array, count: 0 };
    for i in 0..N {
        guard.slots[i].write(items.make(i)?);
        guard.count += 1;
    }
    mem::forget(guard);
    // SAFETY: all `N` slots are written, `[MaybeUninit<T>; N]` has the layout of `[T; N]`, and
    // `array` is not used again, nor dropped as `T`s.
    Ok(unsafe { mem::transmute_copy::<[MaybeUninit<M::Item>; N], [M::Item; N]>(&array) })
}

//! Slots in which elements are constructed one after another, also by several threads.

use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::reserve_more;
use crate::error::{Error, Result};

/// Proof that a type is `Send`. Generic code carries it without a bound.
pub struct Sends<T>(PhantomData<fn() -> T>);

impl<T: Send> Sends<T> {
    /// Creates the proof.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Send> Default for Sends<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for Sends<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Sends<T> {}

impl<T> Sends<T> {
    /// Extends the proof to arrays of the type.
    pub const fn array<const N: usize>(self) -> Sends<[T; N]> {
        Sends(PhantomData)
    }

    /// Extends the proof to an `Option` of the type.
    pub const fn option(self) -> Sends<Option<T>> {
        Sends(PhantomData)
    }
}

/// Memory that holds or will hold `T`s, which may go to other threads, as was proved.
#[cfg(any(unix, windows))]
pub(crate) struct Sent<M>(M);

// SAFETY: one is made only of memory that borrows or owns `T`s and nothing else that is not `Send`,
// with the proof that `T` is.
#[cfg(any(unix, windows))]
unsafe impl<M> Send for Sent<M> {}

#[cfg(any(unix, windows))]
impl<'a, T> Sent<Slots<'a, T>> {
    /// Slots for elements. Apart from them they hold only an atomic number.
    pub(crate) fn of_slots(_: Sends<T>, slots: Slots<'a, T>) -> Self {
        Self(slots)
    }

    pub(crate) fn split(self, count: usize) -> (Self, Self) {
        let (front, rest) = self.0.split(count);
        (Self(front), Self(rest))
    }

    pub(crate) fn get(&mut self) -> &mut Slots<'a, T> {
        &mut self.0
    }

    pub(crate) fn keep(self) {
        self.0.keep();
    }
}

#[cfg(any(unix, windows))]
impl<'a, T> Sent<&'a mut [T]> {
    /// Elements that are there.
    pub(crate) fn of_slice(_: Sends<T>, items: &'a mut [T]) -> Self {
        Self(items)
    }

    /// The first `count`, or all if there are fewer, and the rest.
    pub(crate) fn split(self, count: usize) -> (Self, Self) {
        let count = count.min(self.0.len());
        let (front, rest) = self.0.split_at_mut(count);
        (Self(front), Self(rest))
    }

    /// Takes the first `count` off, or all if there are fewer.
    pub(crate) fn take_front(&mut self, count: usize) -> &'a mut [T] {
        let count = count.min(self.0.len());
        self.0.split_off_mut(..count).unwrap_or_default()
    }
}

/// Reserved slots at the end of a vector, whose elements all join the vector at once.
pub(crate) struct Reserved<'v, T> {
    items: &'v mut Vec<T>,
    count: usize,
    /// The number of elements that were kept.
    kept: AtomicUsize,
}

impl<'v, T> Reserved<'v, T> {
    /// Reserves `count` slots, growing the vector towards `total` elements.
    pub(crate) fn new(items: &'v mut Vec<T>, count: usize, total: usize) -> Result<Self> {
        reserve_more(items, count, total)?;
        Ok(Self { items, count, kept: AtomicUsize::new(0) })
    }

    /// Returns all slots.
    pub(crate) fn slots(&mut self) -> Slots<'_, T> {
        // None of those that were given out before are left: they would borrow `self`.
        *self.kept.get_mut() = 0;
        let (memory, _) = self.items.spare_capacity_mut().split_at_mut(self.count);
        Slots { memory, filled: 0, kept: &self.kept }
    }

    /// Adds the elements to the vector.
    ///
    /// Fails if not all were kept; they leak then.
    pub(crate) fn finish(self) -> Result<()> {
        let kept = self.kept.into_inner();
        if kept != self.count {
            return Err(Error::wrong_count(self.count as u64, kept as u64));
        }
        // SAFETY: `Slots::keep` has counted `count` slots in which there are elements, each of
        // which was in one `Slots`, because splitting shares out the memory, and counted once,
        // because `keep` consumes it. The memory has no more slots than that, so there is an
        // element in each, which nothing else owns; and the memory is that of the spare capacity
        // from its first slot on.
        unsafe { self.items.set_len(self.items.len() + self.count) };
        Ok(())
    }
}

/// Memory for elements, of which the first ones are constructed. They are dropped with it, unless they
/// are kept.
pub(crate) struct Slots<'a, T> {
    memory: &'a mut [MaybeUninit<T>],
    filled: usize,
    kept: &'a AtomicUsize,
}

impl<T> Slots<'_, T> {
    /// Constructs an element from each of `parts`, up to the capacity. After an error, it keeps
    /// those before it.
    ///
    /// Unlike `push` this keeps the number out of the loop, so that decoding records runs at the
    /// speed of memory.
    #[inline(always)]
    pub(crate) fn extend<P, E>(
        &mut self,
        parts: impl ExactSizeIterator<Item = P>,
        mut decode: impl FnMut(P) -> Result<T, E>,
    ) -> Result<(), (usize, E)> {
        let mut count = 0;
        let mut result = Ok(());
        for (slot, part) in self.memory[self.filled..].iter_mut().zip(parts) {
            match decode(part) {
                Ok(item) => slot.write(item),
                Err(error) => {
                    result = Err((count, error));
                    break;
                }
            };
            count += 1;
        }
        // (If `decode` panics, those before leak.)
        self.filled += count;
        result
    }

    /// Splits off the slots after the first `count`, if there are that many.
    #[cfg(any(unix, windows, test))]
    pub(crate) fn split(mut self, count: usize) -> (Self, Self) {
        let memory = mem::take(&mut self.memory);
        let filled = mem::take(&mut self.filled);
        let count = count.min(memory.len());
        let (front, rest) = memory.split_at_mut(count);
        let kept = self.kept;
        (Self { memory: front, filled: filled.min(count), kept }, Self { memory: rest, filled: filled.saturating_sub(count), kept })
    }

    /// Hands the elements over to the vector that reserved the slots.
    pub(crate) fn keep(mut self) {
        // Threads that kept some have ended when the sum is taken.
        self.kept.fetch_add(mem::take(&mut self.filled), Ordering::Relaxed);
    }
}

impl<T> Drop for Slots<'_, T> {
    fn drop(&mut self) {
        let written: *mut [MaybeUninit<T>] = &raw mut self.memory[..self.filled];
        // SAFETY: there are elements in the first `filled` slots: `extend` has written them, and
        // `split` hands them on in their order, leaving none here. They are in nothing else: `keep`
        // leaves none here either.
        unsafe { std::ptr::drop_in_place(written as *mut [T]) };
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    /// Elements that count themselves.
    fn fill(slots: &mut Slots<'_, Rc<()>>, count: usize, one: &Rc<()>) {
        assert!(slots.extend(0..count, |_| Ok::<_, ()>(Rc::clone(one))).is_ok());
    }

    #[test]
    fn elements_appear_all_at_once_or_are_dropped() {
        let one = Rc::new(());
        let mut items = vec![Rc::clone(&one)];
        for front in [0, 3, 5, 7, 9] {
            let mut reserved = Reserved::new(&mut items, 7, 8).unwrap();
            let mut slots = reserved.slots();
            fill(&mut slots, 5, &one);
            let (mut front, mut rest) = slots.split(front);
            assert_eq!(Rc::strong_count(&one), 7);
            fill(&mut front, 7, &one);
            fill(&mut rest, 7, &one);
            assert_eq!(Rc::strong_count(&one), 9);
            // One part alone is not enough.
            let missing = rest.memory.len();
            rest.keep();
            drop(front);
            assert_eq!(Rc::strong_count(&one), 2 + missing);
            assert!(reserved.finish().is_err() || missing == 7);
            // Those that were kept leak, which is safe, where nothing else is wrong.
            items.truncate(1);
            for _ in 0..Rc::strong_count(&one) - 2 {
                // SAFETY: these are the ones that leaked.
                unsafe { Rc::decrement_strong_count(Rc::as_ptr(&one)) };
            }
        }
        let mut reserved = Reserved::new(&mut items, 7, 8).unwrap();
        let (mut front, mut rest) = reserved.slots().split(4);
        fill(&mut rest, 3, &one);
        let error = front.extend(0..4, |i| if i < 2 { Ok(Rc::clone(&one)) } else { Err("two") });
        assert_eq!(error, Err((2, "two")));
        fill(&mut front, 2, &one);
        front.keep();
        rest.keep();
        reserved.finish().unwrap();
        assert_eq!((items.len(), Rc::strong_count(&one)), (8, 9));
        drop(items);
        assert_eq!(Rc::strong_count(&one), 1);
    }
}

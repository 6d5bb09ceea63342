//! Loops that are compiled twice on x86-64: for every processor, and for those with vectors of 32 bytes.

#[cfg(all(feature = "complex", feature = "dynamic"))]
use std::mem::ManuallyDrop;
#[cfg(feature = "dynamic")]
use std::mem::MaybeUninit;
#[cfg(all(feature = "complex", feature = "dynamic"))]
use std::slice;

#[cfg(all(feature = "complex", feature = "dynamic"))]
use num_complex::Complex;

/// Loops over memory. A trait and not a closure: only a method can be forced to inline, and code that is not
/// inlined is compiled for every processor.
pub(crate) trait Loops {
    type Output;

    /// Runs them. To be marked with `#[inline(always)]`, and all that it calls in a loop.
    fn run(self) -> Self::Output;
}

/// Runs loops by the widest vectors that the processor has.
pub(crate) fn run<L: Loops>(loops: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function needs.
        return unsafe { run_by_avx2(loops) };
    }
    loops.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_by_avx2<L: Loops>(loops: L) -> L::Output {
    loops.run()
}

macro_rules! truncate {
    ($($name:ident $float:ident $last:literal,)*) => {$(
        /// The integer part of a float if it lies between two integers, or else the nearer of them; of NaN
        /// the lesser. The conversion of the language makes 0 of NaN, which has no vectors.
        #[cfg(feature = "dynamic")]
        #[inline(always)]
        pub(crate) fn $name(value: $float, least: i32, most: i32) -> i32 {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "beyond the integers there is `last`")]
            let (least_float, last) = (least as $float, (most as $float).min($last));
            let held = if value > least_float { value } else { least_float };
            let held = if held < last { held } else { last };
            // SAFETY: it is not NaN, at most `last`, and not less than `least` or `last`, whose integer parts an `i32`
            // holds.
            unsafe { held.to_int_unchecked() }
        }
    )*};
}

truncate!(truncate_f32 f32 2_147_483_520.0, truncate_f64 f64 2_147_483_647.0,);

/// Appends items, for which there must be memory. Not `Vec::extend`, which is not inlined for certain.
#[cfg(feature = "dynamic")]
#[inline(always)]
pub(crate) fn extend<T>(items: &mut Vec<T>, more: impl Iterator<Item = T>) {
    // SAFETY: it writes the item.
    unsafe { extend_by(items, more, |item, slot| *slot = MaybeUninit::new(item)) };
}

/// [`extend`], each by one store. Of two, the compiler makes shuffles of vectors, which take 1.3 times as long.
#[cfg(all(feature = "complex", feature = "dynamic"))]
#[inline(always)]
pub(crate) fn extend_pairs<P: Pair>(pairs: &mut Vec<P>, more: impl Iterator<Item = P>) {
    // SAFETY: both kinds of pairs do.
    unsafe { extend_by(pairs, more, P::store) };
}

/// Appends items, for which there must be memory.
///
/// # Safety
///
/// `store` must store an item in the slot.
#[cfg(feature = "dynamic")]
#[inline(always)]
unsafe fn extend_by<T>(items: &mut Vec<T>, more: impl Iterator<Item = T>, store: impl Fn(T, &mut MaybeUninit<T>)) {
    let (begin, mut count) = (items.len(), 0);
    debug_assert!(items.capacity() - begin >= more.size_hint().0, "memory for all items");
    for (slot, item) in items.spare_capacity_mut().iter_mut().zip(more) {
        store(item, slot);
        count += 1;
    }
    // SAFETY: there is an item in each of the `count` slots behind those that were there, by the caller's promise.
    unsafe { items.set_len(begin + count) };
}

/// Views complex numbers as their real and imaginary parts in turn.
#[cfg(all(feature = "complex", feature = "dynamic"))]
#[inline(always)]
pub(crate) const fn parts<P>(numbers: &[Complex<P>]) -> &[P] {
    // SAFETY: `Complex<P>` is `repr(C)` with two fields of type `P`: it has the alignment of `P`, twice its size and no
    // padding. So `2 * len` initialised values begin at the pointer, in memory that the result keeps borrowed.
    unsafe { slice::from_raw_parts(numbers.as_ptr().cast(), 2 * numbers.len()) }
}

/// Converts to the [`parts`], in the same memory.
#[cfg(all(feature = "complex", feature = "dynamic"))]
#[inline(always)]
pub(crate) fn into_parts<P: Copy>(numbers: Vec<Complex<P>>) -> Vec<P> {
    let mut numbers = ManuallyDrop::new(numbers);
    // SAFETY: as in `parts`. The memory is not used again, and was allocated with the alignment of a `P` and the
    // size of twice as many.
    unsafe { Vec::from_raw_parts(numbers.as_mut_ptr().cast(), 2 * numbers.len(), 2 * numbers.capacity()) }
}

/// Converts back from [`into_parts`].
///
/// # Panics
///
/// If the length or the capacity is odd, as after a reallocation.
#[cfg(all(feature = "complex", feature = "dynamic"))]
#[inline(always)]
pub(crate) fn from_parts<P: Copy>(parts: Vec<P>) -> Vec<Complex<P>> {
    assert!(parts.len().is_multiple_of(2) && parts.capacity().is_multiple_of(2), "memory of whole numbers");
    let mut parts = ManuallyDrop::new(parts);
    // SAFETY: `Complex` is `repr(C)` with two fields of type `P`, so that its alignment is that of a `P`. Both counts are even, so that
    // the allocation is that of half as many numbers.
    unsafe { Vec::from_raw_parts(parts.as_mut_ptr().cast(), parts.len() / 2, parts.capacity() / 2) }
}

/// Two numbers that are stored at once.
#[cfg(all(feature = "complex", feature = "dynamic"))]
pub(crate) trait Pair: Sized {
    /// Stores it in the slot.
    fn store(self, slot: &mut MaybeUninit<Self>);
}

#[cfg(all(feature = "complex", feature = "dynamic"))]
impl Pair for Complex<f32> {
    #[inline(always)]
    fn store(self, slot: &mut MaybeUninit<Self>) {
        let [re, im] = [self.re, self.im].map(|part| u64::from(part.to_bits()));
        let bits = if cfg!(target_endian = "big") { re << 32 | im } else { im << 32 | re };
        // SAFETY: the slot has the 8 bytes of two numbers, the first of which is `re`, and `write_unaligned` needs
        // no alignment.
        unsafe { slot.as_mut_ptr().cast::<u64>().write_unaligned(bits) };
    }
}

#[cfg(all(feature = "complex", feature = "dynamic"))]
impl Pair for Complex<f64> {
    #[inline(always)]
    fn store(self, slot: &mut MaybeUninit<Self>) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_mm_set_pd, _mm_storeu_pd};
            // SAFETY: every processor of x86-64 has the instruction.
            let numbers = unsafe { _mm_set_pd(self.im, self.re) };
            // SAFETY: as above. The slot has the 16 bytes of two numbers, the first of which is `re`, and the
            // instruction needs no alignment.
            unsafe { _mm_storeu_pd(slot.as_mut_ptr().cast(), numbers) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        slot.write(self);
    }
}

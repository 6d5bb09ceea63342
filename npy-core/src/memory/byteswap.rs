//! Byte swaps and checks of bools, in the cache on their way from a file.
//!
//! On x86-64 the same loops are compiled for AVX2 and used where the processor has it (`vectors`). They are
//! three times as fast as the portable ones, and hardly slow down reading.

use std::mem::MaybeUninit;

use super::vectors::{self, Loops};

/// Reverses the bytes of each word of 2, 4, 8 or 16 bytes. Words of one byte stay as they are.
pub(super) fn swap_words(bytes: &mut [u8], word_bytes: usize) {
    vectors::run(Swap(bytes, word_bytes));
}

/// Makes 1 of every byte but 0.
pub(super) fn repair_bools(bytes: &mut [u8]) {
    vectors::run(Repair(bytes));
}

/// Copies whole words, and reverses the bytes of each.
pub(super) fn copy_swapped(memory: &mut [MaybeUninit<u8>], bytes: &[u8], word_bytes: usize) {
    vectors::run(CopySwapped(memory, bytes, word_bytes));
}

struct Swap<'a>(&'a mut [u8], usize);

impl Loops for Swap<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        swap_portably(self.0, self.1);
    }
}

struct CopySwapped<'a>(&'a mut [MaybeUninit<u8>], &'a [u8], usize);

impl Loops for CopySwapped<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        copy_portably(self.0, self.1, self.2);
    }
}

struct Repair<'a>(&'a mut [u8]);

impl Loops for Repair<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        repair_portably(self.0);
    }
}

// Inlined as the others below, so that it is compiled for each of the callers.
#[inline(always)]
fn swap_portably(bytes: &mut [u8], word_bytes: usize) {
    match word_bytes {
        2 => swap_each(bytes, swapped_2),
        4 => swap_each(bytes, swapped_4),
        8 => swap_each(bytes, swapped_8),
        16 => swap_each(bytes, swapped_16),
        _ => {}
    }
}

#[inline(always)]
fn copy_portably(memory: &mut [MaybeUninit<u8>], bytes: &[u8], word_bytes: usize) {
    match word_bytes {
        2 => copy_each(memory, bytes, swapped_2),
        4 => copy_each(memory, bytes, swapped_4),
        8 => copy_each(memory, bytes, swapped_8),
        16 => copy_each(memory, bytes, swapped_16),
        _ => copy_each(memory, bytes, |byte: [u8; 1]| byte),
    }
}

macro_rules! swapped {
    ($($name:ident $word:ident,)*) => {$(
        /// By an integer and not by `reverse`, of which the compiler makes shuffles of single bytes.
        #[inline(always)]
        fn $name(word: [u8; size_of::<$word>()]) -> [u8; size_of::<$word>()] {
            $word::from_ne_bytes(word).swap_bytes().to_ne_bytes()
        }
    )*};
}

swapped!(swapped_2 u16, swapped_4 u32, swapped_8 u64, swapped_16 u128,);

#[inline(always)]
fn copy_each<const N: usize>(memory: &mut [MaybeUninit<u8>], bytes: &[u8], swap: impl Fn([u8; N]) -> [u8; N]) {
    for (slots, word) in memory.as_chunks_mut::<N>().0.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *slots = swap(*word).map(MaybeUninit::new);
    }
}

#[inline(always)]
fn swap_each<const N: usize>(bytes: &mut [u8], swap: impl Fn([u8; N]) -> [u8; N]) {
    for word in bytes.as_chunks_mut::<N>().0 {
        *word = swap(*word);
    }
}

#[inline(always)]
fn repair_portably(bytes: &mut [u8]) {
    // There is hardly ever anything to be done, and looking is faster than writing.
    if bytes.iter().fold(0, |all, byte| all | byte) <= 1 {
        return;
    }
    for byte in bytes {
        *byte = u8::from(*byte != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Miri takes a minute for all lengths.
    const STEP: usize = if cfg!(miri) { 11 } else { 1 };

    #[test]
    fn every_way_reverses_words_of_every_width() {
        for word_bytes in [1, 2, 4, 8, 16] {
            for words in (0..70).step_by(STEP).chain([1000 / STEP]) {
                let bytes: Vec<u8> = (0..=250).cycle().take(words * word_bytes).collect();
                let expected: Vec<u8> = bytes.chunks(word_bytes).flat_map(|word| word.iter().rev().copied()).collect();
                let mut swapped = bytes.clone();
                swap_words(&mut swapped, word_bytes);
                assert_eq!(swapped, expected);
                swapped.copy_from_slice(&bytes);
                swap_portably(&mut swapped, word_bytes);
                assert_eq!(swapped, expected);
                for copy in [copy_swapped, copy_portably] {
                    let mut memory = vec![MaybeUninit::new(0); bytes.len()];
                    copy(&mut memory, &bytes, word_bytes);
                    // SAFETY: zeros at least.
                    assert_eq!(unsafe { super::super::assume_init(&mut memory) }, expected);
                }
            }
        }
    }

    #[test]
    fn every_way_makes_bools() {
        for length in (0..70).step_by(STEP).chain([1000 / STEP]) {
            for most in [0, 1, 2, 255] {
                let bytes: Vec<u8> = (0..=most).rev().cycle().take(length).collect();
                let expected: Vec<u8> = bytes.iter().map(|byte| u8::from(*byte != 0)).collect();
                let mut repaired = bytes.clone();
                repair_bools(&mut repaired);
                assert_eq!(repaired, expected);
                repaired.copy_from_slice(&bytes);
                repair_portably(&mut repaired);
                assert_eq!(repaired, expected);
            }
        }
    }
}

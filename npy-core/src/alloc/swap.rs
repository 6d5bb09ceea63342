//! The other byte order.

/// Reverses the bytes of each word of 2, 4, 8 or 16 bytes. Words of one byte stay as they are.
///
/// On x86-64 by AVX2 where the processor has it: the same loop, three times as fast as what every processor understands, and so hardly slower than not
/// swapping at all while data are read.
pub(super) fn swap_words(bytes: &mut [u8], word_bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function needs.
        unsafe { swap_by_avx2(bytes, word_bytes) };
        return;
    }
    swap_portably(bytes, word_bytes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn swap_by_avx2(bytes: &mut [u8], word_bytes: usize) {
    swap_portably(bytes, word_bytes);
}

// Inlined, so that it is compiled for each of the callers.
#[inline(always)]
fn swap_portably(bytes: &mut [u8], word_bytes: usize) {
    // By integers and not by `reverse`, of which the compiler makes shuffles of single bytes.
    match word_bytes {
        2 => swap_each(bytes, |word| u16::from_ne_bytes(word).swap_bytes().to_ne_bytes()),
        4 => swap_each(bytes, |word| u32::from_ne_bytes(word).swap_bytes().to_ne_bytes()),
        8 => swap_each(bytes, |word| u64::from_ne_bytes(word).swap_bytes().to_ne_bytes()),
        16 => swap_each(bytes, |word| u128::from_ne_bytes(word).swap_bytes().to_ne_bytes()),
        _ => {}
    }
}

#[inline(always)]
fn swap_each<const N: usize>(bytes: &mut [u8], swap: impl Fn([u8; N]) -> [u8; N]) {
    for word in bytes.as_chunks_mut::<N>().0 {
        *word = swap(*word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_reverses_words_of_every_width() {
        for word_bytes in [1, 2, 4, 8, 16] {
            for words in (0..70).chain([1000]) {
                let bytes: Vec<u8> = (0..=250).cycle().take(words * word_bytes).collect();
                let expected: Vec<u8> = bytes.chunks(word_bytes).flat_map(|word| word.iter().rev().copied()).collect();
                let mut swapped = bytes.clone();
                swap_words(&mut swapped, word_bytes);
                assert_eq!(swapped, expected);
                swapped.copy_from_slice(&bytes);
                swap_portably(&mut swapped, word_bytes);
                assert_eq!(swapped, expected);
            }
        }
    }
}

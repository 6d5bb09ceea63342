//! Estimates how much of a block matches would cover. Noise is written 1.27 × as fast as with a trial run of `zlib-rs`.
//!
//! Arrays that change from noise to steps within a block get 11 % smaller than by a sample of the front.

use super::huffman::bits_of;

/// Bytes of a sample: the window of deflate, and the bytes in which repetitions of it are counted. A
/// position in it has 16 bits.
const SAMPLE_BYTES: usize = WINDOW + COUNTED;
const COUNTED: usize = 8 * 1024;

/// Each share of a block has a sample, because the data may change within a block.
const SHARE_BYTES: usize = 256 * 1024;

/// The largest distance of a match in deflate.
const WINDOW: usize = 32 * 1024;

/// The width of the hash by which matches are found.
const HASH_BITS: u32 = 14;

/// The hashed bytes, and the least length of a match. Three random bytes repeat too often within the
/// window.
const LEAST: usize = 4;
/// The greatest length of a match.
const MOST: usize = 258;

/// The usual bits of a match: its length and its distance.
const MATCH_BITS: u64 = 18;

/// Below this gain in per mille, and below this share of matches in per mille, a search gains nothing.
pub(super) const LEAST_GAIN: u64 = 5;
const LEAST_REPEATED: u64 = 20;

/// From this gain in per mille on, a search certainly gains.
const MUCH_GAIN: u64 = 100;

/// The estimated gain of a search for matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Repeats {
    /// A search gains nothing.
    None,
    /// A search may gain this many per mille of Huffman codes alone.
    Some(u64),
    /// A search gains.
    Many,
}

/// Estimates the front of a block, and a sample of each further share. Returns the offsets of the
/// samples, too.
pub(super) fn estimates(block: &[u8]) -> impl Iterator<Item = (usize, Repeats)> {
    block.chunks(SHARE_BYTES).enumerate().map(|(i, share)| {
        let length = SAMPLE_BYTES.min(share.len());
        let begin = if i == 0 { 0 } else { (share.len() - length) / 2 };
        (i * SHARE_BYTES + begin, repeats_in(&share[begin..][..length]))
    })
}

fn repeats_in(sample: &[u8]) -> Repeats {
    let front = sample.len().saturating_sub(COUNTED);
    let counted = &sample[front..];
    // Long runs, as of zeros, are searched faster than they are estimated.
    let (words, _) = counted.as_chunks::<8>();
    if words.iter().zip(words.iter().skip(1)).filter(|(a, b)| a == b).count() * 4 > words.len() {
        return Repeats::Many;
    }
    let (repeated, count) = search(sample, front);
    let bytes = counted.len() as u64;
    // The gain is at most the share of matches.
    if repeated * 1000 < bytes * LEAST_GAIN {
        return Repeats::None;
    }
    let whole = bits_of(counted);
    let gained = (repeated * whole / bytes).saturating_sub(count * MATCH_BITS) * 1000 / whole;
    match gained {
        ..LEAST_GAIN if repeated * 1000 < bytes * LEAST_REPEATED => Repeats::None,
        MUCH_GAIN.. => Repeats::Many,
        gained => Repeats::Some(gained),
    }
}

/// Searches a sample after its front. Returns the bytes in matches, and the number of matches.
fn search(sample: &[u8], front: usize) -> (u64, u64) {
    let last = &mut vec![0_u16; 1 << HASH_BITS];
    // Every second position is enough to find a match of five bytes.
    for (at, word) in (0..u16::MAX).zip(sample[..front].windows(LEAST)).step_by(2) {
        if let Some(word) = word_at(word, 0) {
            *slot(last, word) = at;
        }
    }
    let (mut bytes, mut count) = (0, 0);
    let mut at = front;
    while let Some(word) = word_at(sample, at) {
        let slot = slot(last, word);
        let before = usize::from(*slot);
        *slot = u16::try_from(at).unwrap_or_default();
        // The bytes are compared first: in noise they always differ, and their distance is
        // unpredictable.
        if word_at(sample, before) == Some(word) && before < at && at - before <= WINDOW {
            let same = sample[at..].iter().zip(&sample[before..]).take(MOST).take_while(|(a, b)| a == b).count();
            bytes += same as u64;
            count += 1;
            at += same;
        } else {
            at += 1;
        }
    }
    (bytes, count)
}

/// The hashed bytes at a position.
fn word_at(sample: &[u8], at: usize) -> Option<u32> {
    sample.get(at..).and_then(|rest| rest.first_chunk::<LEAST>()).map(|word| u32::from_le_bytes(*word))
}

/// The last position of bytes with this hash.
fn slot(last: &mut [u16], word: u32) -> &mut u16 {
    // As many bits as the table has.
    &mut last[usize::try_from(word.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)).unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::{Repeats, estimates};

    #[test]
    fn repetitions_are_estimated() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_le_bytes()[7]
        };
        let noise: Vec<u8> = (0..1 << 20).map(|_| random()).collect();
        let look = |block: &[u8]| estimates(block).map(|(_, repeats)| repeats).max().unwrap();
        assert_eq!(look(&noise), Repeats::None);
        assert_eq!(look(&noise[..100]), Repeats::None);
        // The same bytes within the window of deflate, and beyond it.
        let far = |distance: usize| noise.iter().copied().take(distance).cycle().take(1 << 20).collect::<Vec<u8>>();
        assert_eq!(look(&far(30_000)), Repeats::Many);
        assert_eq!(look(&far(40_000)), Repeats::None);
        assert_eq!(look(&vec![0; 1 << 20]), Repeats::Many);
        assert_eq!(look(&[0; 1000]), Repeats::Many);
        // Every match has six bytes of 180.
        let few: Vec<u8> = noise.chunks_exact(174).flat_map(|part| part.iter().chain(&part[..6]).copied()).collect();
        assert!(matches!(look(&few), Repeats::Some(_)));
        // Long runs beside noise.
        let sparse: Vec<u8> = noise.chunks_exact(64).flat_map(|part| [&part[..8], &[0; 56]].concat()).collect();
        assert_eq!(look(&sparse[..40_000]), Repeats::Many);
        // Runs in any share.
        for quarter in 0..4 {
            let mut changing = noise.clone();
            changing[quarter << 18..][..200_000].fill(7);
            assert_eq!(look(&changing), Repeats::Many);
        }
    }
}

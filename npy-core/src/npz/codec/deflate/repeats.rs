//! An estimate of how much of a block repeats what came shortly before.

use super::huffman::bits_of;

/// Bytes of each piece that is looked at: as far as deflate may reach back, where repetitions are
/// only looked for, and some that may repeat them. No more than 16 bits count.
const PIECE_BYTES: usize = REACH + LOOKED_AT;
const LOOKED_AT: usize = 8 * 1024;

/// A piece of each share of a block is looked at, because a block may change its nature.
const SHARE_BYTES: usize = 256 * 1024;

/// Deflate reaches so far back.
const REACH: usize = 32 * 1024;

/// The width of the hash by which positions are found.
const HASH_BITS: u32 = 14;

/// Bytes that are hashed, the fewest that count as a repetition. Three random bytes repeat within
/// the reach too often to mean anything.
const LEAST: usize = 4;
/// The most bytes that a repetition has.
const MOST: usize = 258;

/// What a repetition costs: its length and its distance.
const REPEAT_BITS: u64 = 18;

/// Where fewer per mille are gained, and fewer than these per mille are repetitions, nothing is.
pub(super) const LEAST_GAIN: u64 = 5;
const LEAST_REPEATED: u64 = 20;

/// Where more per mille are gained, the search certainly gains.
const MUCH_GAIN: u64 = 100;

/// How much of a piece repeats what came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Repeats {
    /// So little that it gains nothing.
    None,
    /// Not enough to tell. It seems to gain that many per mille of what codes for bytes alone take.
    Some(u64),
    Many,
}

/// Looks at the front of a block, and at a piece of each further share; gives where each begins.
pub(super) fn looks(block: &[u8]) -> impl Iterator<Item = (usize, Repeats)> {
    block.chunks(SHARE_BYTES).enumerate().map(|(i, share)| {
        let length = PIECE_BYTES.min(share.len());
        let begin = if i == 0 { 0 } else { (share.len() - length) / 2 };
        (i * SHARE_BYTES + begin, repeats_in(&share[begin..][..length]))
    })
}

fn repeats_in(piece: &[u8]) -> Repeats {
    let front = piece.len().saturating_sub(LOOKED_AT);
    let looked_at = &piece[front..];
    // Long runs, as of zeros, which the search crosses faster than anything looks at them.
    let (words, _) = looked_at.as_chunks::<8>();
    if words.iter().zip(words.iter().skip(1)).filter(|(a, b)| a == b).count() * 4 > words.len() {
        return Repeats::Many;
    }
    let (repeated, count) = search(piece, front);
    let bytes = looked_at.len() as u64;
    // No more is gained than is repeated.
    if repeated * 1000 < bytes * LEAST_GAIN {
        return Repeats::None;
    }
    let whole = bits_of(looked_at);
    let gained = (repeated * whole / bytes).saturating_sub(count * REPEAT_BITS) * 1000 / whole;
    match gained {
        ..LEAST_GAIN if repeated * 1000 < bytes * LEAST_REPEATED => Repeats::None,
        MUCH_GAIN.. => Repeats::Many,
        gained => Repeats::Some(gained),
    }
}

/// How many bytes of a piece behind its front are repetitions, and of how many.
fn search(piece: &[u8], front: usize) -> (u64, u64) {
    let last = &mut vec![0_u16; 1 << HASH_BITS];
    // Every second place of the front will do: of a repetition of five bytes, four begin at one.
    for (at, word) in (0..u16::MAX).zip(piece[..front].windows(LEAST)).step_by(2) {
        if let Some(word) = word_at(word, 0) {
            *slot(last, word) = at;
        }
    }
    let (mut bytes, mut count) = (0, 0);
    let mut at = front;
    while let Some(word) = word_at(piece, at) {
        let slot = slot(last, word);
        let before = usize::from(*slot);
        *slot = u16::try_from(at).unwrap_or_default();
        // What is there comes first: in noise it is always something else, and how far away it is
        // cannot be foreseen.
        if word_at(piece, before) == Some(word) && before < at && at - before <= REACH {
            let same = piece[at..].iter().zip(&piece[before..]).take(MOST).take_while(|(a, b)| a == b).count();
            bytes += same as u64;
            count += 1;
            at += same;
        } else {
            at += 1;
        }
    }
    (bytes, count)
}

/// The bytes that are hashed.
fn word_at(piece: &[u8], at: usize) -> Option<u32> {
    piece.get(at..).and_then(|rest| rest.first_chunk::<LEAST>()).map(|word| u32::from_le_bytes(*word))
}

/// Where the last place of such bytes is noted.
fn slot(last: &mut [u16], word: u32) -> &mut u16 {
    // No more bits than the table has, nor bytes than the piece.
    &mut last[usize::try_from(word.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)).unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::{Repeats, looks};

    #[test]
    fn repetitions_are_seen() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_le_bytes()[7]
        };
        let noise: Vec<u8> = (0..1 << 20).map(|_| random()).collect();
        let look = |block: &[u8]| looks(block).map(|(_, repeats)| repeats).max().unwrap();
        assert_eq!(look(&noise), Repeats::None);
        assert_eq!(look(&noise[..100]), Repeats::None);
        // The same again 30,000 bytes later, and too far away to be seen by deflate.
        let far = |distance: usize| noise.iter().copied().take(distance).cycle().take(1 << 20).collect::<Vec<u8>>();
        assert_eq!(look(&far(30_000)), Repeats::Many);
        assert_eq!(look(&far(40_000)), Repeats::None);
        assert_eq!(look(&vec![0; 1 << 20]), Repeats::Many);
        assert_eq!(look(&[0; 1000]), Repeats::Many);
        // One byte in thirty is a repetition of six.
        let few: Vec<u8> = noise.chunks_exact(174).flat_map(|part| part.iter().chain(&part[..6]).copied()).collect();
        assert!(matches!(look(&few), Repeats::Some(_)));
        // Long runs beside noise.
        let sparse: Vec<u8> = noise.chunks_exact(64).flat_map(|part| [&part[..8], &[0; 56]].concat()).collect();
        assert_eq!(look(&sparse[..40_000]), Repeats::Many);
        // It may begin anywhere.
        for quarter in 0..4 {
            let mut changing = noise.clone();
            changing[quarter << 18..][..200_000].fill(7);
            assert_eq!(look(&changing), Repeats::Many);
        }
    }
}

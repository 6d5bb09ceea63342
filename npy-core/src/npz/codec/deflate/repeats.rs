//! An estimate of how much of a block repeats what came shortly before.

/// Bytes of each piece that is looked at: as far as deflate may reach back, where repetitions are
/// only looked for, and some that may repeat them. No more than 16 bits count.
const PIECE_BYTES: usize = REACH + LOOKED_AT;
const LOOKED_AT: usize = 8 * 1024;

/// A sample is taken from the middle of each share of a block, because a block may change its
/// nature.
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

/// How much of a block repeats what came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// So little that it gains nothing.
    None,
    /// Not enough to tell. Here it is the most.
    Some { at: usize },
    /// Somewhere.
    Many,
}

/// Looks at some of the block, of which each byte takes its part of `bits` without repetitions.
pub(super) fn repeats_in(block: &[u8], bits: u64) -> Repeats {
    let mut table = vec![0; 1 << HASH_BITS];
    let mut most = None;
    for (i, share) in block.chunks(SHARE_BYTES).enumerate() {
        let begin = (share.len() - PIECE_BYTES.min(share.len())) / 2;
        let piece = &share[begin..][..PIECE_BYTES.min(share.len())];
        let front = piece.len().saturating_sub(LOOKED_AT);
        let (repeated, count) = search(piece, front, &mut table);
        // What all that is looked at would take, and what the repetitions would, less what they
        // take as such.
        let looked_at = (piece.len() - front) as u64;
        let whole = looked_at * bits / block.len() as u64;
        let gained = (repeated * bits / block.len() as u64).saturating_sub(count * REPEAT_BITS);
        match () {
            // Half a percent at most is gained, be it short repetitions or long ones.
            () if gained * 200 < whole && repeated * 50 < looked_at => {}
            () if gained * 10 > whole => return Repeats::Many,
            () => most = most.max(Some((gained, i * SHARE_BYTES + begin))),
        }
    }
    most.map_or(Repeats::None, |(_, at)| Repeats::Some { at })
}

/// How many bytes of a piece behind its front are repetitions, and of how many.
fn search(piece: &[u8], front: usize, last: &mut [u16]) -> (u64, u64) {
    last.fill(0);
    // Every second place of the front will do: of a repetition of five bytes, four begin at one.
    for at in (0..front).step_by(2) {
        if let Some(word) = word_at(piece, at) {
            *slot(last, word) = u16::try_from(at).unwrap_or_default();
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
    use super::{Repeats, repeats_in};

    #[test]
    fn repetitions_are_seen() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_le_bytes()[7]
        };
        let noise: Vec<u8> = (0..1 << 20).map(|_| random()).collect();
        let look = |block: &[u8]| repeats_in(block, block.len() as u64 * 8);
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
        assert!(matches!(look(&few), Repeats::Some { .. }));
        // It may begin anywhere.
        for quarter in 0..4 {
            let mut changing = noise.clone();
            changing[quarter << 18..][..200_000].fill(7);
            assert_eq!(look(&changing), Repeats::Many);
        }
    }
}

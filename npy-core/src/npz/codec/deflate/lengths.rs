//! How long the codes of symbols are that come so and so often: the best there are of a limited
//! length.

use std::collections::VecDeque;

/// Symbols of the largest alphabet: literals and the end of a block.
const MOST_SYMBOLS: usize = 257;

/// How many bits the symbols of these frequencies take by the best prefix code, however long.
///
/// By Huffman's algorithm, of which only the sum is kept: each merge adds a bit to all below it.
pub(super) fn least_bits(frequencies: &[u32]) -> u64 {
    let mut leaves: Vec<u64> = frequencies.iter().filter(|count| **count > 0).map(|count| u64::from(*count)).collect();
    if let [alone] = *leaves {
        return alone;
    }
    leaves.sort_unstable();
    let mut leaves = leaves.into_iter().peekable();
    // They come in the order of their weights.
    let mut merged = VecDeque::new();
    let mut bits = 0;
    loop {
        let mut least = || match merged.front() {
            Some(merge) if leaves.peek().is_none_or(|leaf| leaf > merge) => merged.pop_front(),
            _ => leaves.next(),
        };
        let (Some(first), Some(second)) = (least(), least()) else { return bits };
        merged.push_back(first + second);
        bits += first + second;
    }
}

/// The lengths of the best prefix code for symbols of these frequencies whose codes have at most
/// `limit` bits, which must be enough for as many codes. What does not come has none. A symbol that
/// is alone gets one bit.
///
/// By the package-merge algorithm (Larmore and Hirschberg 1990), which needs only the number of
/// symbols that are left at each level.
pub(super) fn code_lengths<const N: usize>(frequencies: &[u32; N], limit: usize) -> [u8; N] {
    let mut lengths = [0; N];
    let mut leaves: Vec<(u64, usize)> = frequencies
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, count)| (u64::from(*count), symbol))
        .collect();
    leaves.sort_unstable();
    debug_assert!(leaves.len() <= MOST_SYMBOLS && leaves.len() <= 1 << limit);
    if let [(_, alone)] = *leaves {
        lengths[alone] = 1;
        return lengths;
    }

    // At each level the leaves are merged with the packages, which are pairs of what the level
    // before has.
    let mut level: Vec<u64> = Vec::new();
    let mut is_leaf: Vec<Vec<bool>> = Vec::with_capacity(limit);
    for _ in 0..limit {
        let mut packages = level.chunks_exact(2).map(|pair| pair[0] + pair[1]).peekable();
        let mut weights = leaves.iter().map(|(weight, _)| *weight).peekable();
        let mut merged = Vec::with_capacity(2 * leaves.len());
        let mut kinds = Vec::with_capacity(2 * leaves.len());
        loop {
            let takes_leaf = match (weights.peek(), packages.peek()) {
                (Some(weight), Some(package)) => weight <= package,
                (weight, None) if weight.is_none() => break,
                (weight, _) => weight.is_some(),
            };
            merged.extend(if takes_leaf { weights.next() } else { packages.next() });
            kinds.push(takes_leaf);
        }
        level = merged;
        is_leaf.push(kinds);
    }

    // From the last level back: of the first items, each leaf makes its symbol's code longer by a
    // bit, and each package stands for two items.
    let mut taken = (2 * leaves.len()).saturating_sub(2);
    for kinds in is_leaf.iter().rev() {
        let taken_leaves = kinds.iter().take(taken).filter(|is_leaf| **is_leaf).count();
        for (_, symbol) in &leaves[..taken_leaves] {
            lengths[*symbol] += 1;
        }
        taken = 2 * (taken - taken_leaves);
    }
    lengths
}

/// The canonical codes of these lengths (RFC 1951, 3.2.2), in the order in which their bits are
/// written.
pub(super) fn codes<const N: usize>(lengths: &[u8; N]) -> [u64; N] {
    const LONGEST: usize = 16;
    let mut counts = [0_u64; LONGEST];
    for length in lengths {
        counts[usize::from(*length)] += 1;
    }
    counts[0] = 0;
    let mut next = [0_u64; LONGEST];
    for length in 1..LONGEST {
        next[length] = (next[length - 1] + counts[length - 1]) << 1;
    }
    lengths.map(|length| {
        if length == 0 {
            return 0;
        }
        let code = next[usize::from(length)];
        next[usize::from(length)] += 1;
        // Codes begin with their highest bit.
        code.reverse_bits() >> (64 - u64::from(length))
    })
}

#[cfg(test)]
mod tests {
    use super::{code_lengths, codes, least_bits};

    /// The bits of all symbols, by lengths found by trying all that keep Kraft's inequality.
    fn best(frequencies: &[u32], limit: u8) -> u64 {
        fn search(rest: &[u32], limit: u8, room: u64) -> Option<u64> {
            let Some((first, rest)) = rest.split_first() else { return Some(0) };
            let tries = (1..=limit).filter_map(|length| {
                let room = room.checked_sub(1 << (limit - length))?;
                Some(u64::from(*first) * u64::from(length) + search(rest, limit, room)?)
            });
            tries.min()
        }
        search(frequencies, limit, 1 << limit).unwrap()
    }

    #[test]
    fn lengths_are_the_best_there_are() {
        for (frequencies, limit) in [
            ([1, 1, 2, 3, 5, 8], 3),
            ([1, 1, 2, 3, 5, 8], 4),
            ([1, 1, 2, 3, 5, 8], 5),
            ([1, 1, 1, 1, 1, 1], 3),
            ([1, 10, 100, 1000, 10_000, 100_000], 3),
            ([7, 7, 7, 900, 1, 2], 4),
        ] {
            let lengths = code_lengths(&frequencies, limit.into());
            let bits: u64 = frequencies.iter().zip(lengths).map(|(count, length)| u64::from(*count) * u64::from(length)).sum();
            assert_eq!(bits, best(&frequencies, limit), "{frequencies:?} {limit}: {lengths:?}");
            assert!(least_bits(&frequencies) <= bits);
        }
    }

    /// Frequencies like Fibonacci's make the longest codes there are.
    #[test]
    fn codes_are_complete_and_no_longer_than_the_limit() {
        let mut fibonacci = [0_u32; 30];
        for i in 0..30 {
            fibonacci[i] = if i < 2 { 1 } else { fibonacci[i - 1] + fibonacci[i - 2] };
        }
        for limit in [5, 7, 14, 15] {
            let lengths = code_lengths(&fibonacci, limit);
            assert!(lengths.iter().all(|length| (1..=limit).contains(&usize::from(*length))), "{lengths:?}");
            assert_eq!(lengths.iter().map(|length| 1_u64 << (limit - usize::from(*length))).sum::<u64>(), 1 << limit);
        }
        // As long as they like, and alone.
        assert_eq!(least_bits(&[1, 1, 2, 3, 5, 8]), best(&[1, 1, 2, 3, 5, 8], 5));
        assert_eq!((least_bits(&[0, 5, 0]), least_bits(&[0; 3]), least_bits(&[7; 256])), (5, 0, 7 * 8 * 256));
        assert_eq!(code_lengths(&[0, 0, 5, 0], 7), [0, 0, 1, 0]);
        assert_eq!(code_lengths(&[0; 4], 7), [0; 4]);
        // RFC 1951, 3.2.2: A to H of lengths 3, 3, 3, 3, 3, 2, 4, 4.
        let expected = [0b010, 0b011, 0b100, 0b101, 0b110, 0b00, 0b1110, 0b1111];
        let lengths = [3, 3, 3, 3, 3, 2, 4, 4];
        let written = codes(&lengths);
        for ((code, length), expected) in written.into_iter().zip(lengths).zip(expected) {
            assert_eq!(code, u64::reverse_bits(expected) >> (64 - u64::from(length)));
        }
    }
}

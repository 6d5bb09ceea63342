//! Length-limited Huffman codes.

/// Returns the code lengths of symbols by Huffman's algorithm, at most `limit`.
///
/// Symbols of frequency 0 have no code, and a single symbol has one bit. The limited code is nearly
/// optimal: package-merge made files smaller by 0.01 % at most.
pub(super) fn code_lengths<const N: usize>(frequencies: &[u32; N], limit: usize) -> [u8; N] {
    let mut lengths = [0; N];
    let mut leaves: Vec<(u64, usize)> = frequencies
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, count)| (u64::from(*count), symbol))
        .collect();
    leaves.sort_unstable();
    debug_assert!(leaves.len() <= 1 << limit);
    if let [(_, alone)] = *leaves {
        lengths[alone] = 1;
        return lengths;
    }

    let mut depths = depths(&leaves);
    limit_depths(&mut depths, limit);
    for ((_, symbol), depth) in leaves.iter().zip(depths) {
        lengths[*symbol] = u8::try_from(depth).unwrap_or_default();
    }
    lengths
}

/// Returns the depths of leaves in the Huffman tree, the rarest first.
fn depths(leaves: &[(u64, usize)]) -> Vec<usize> {
    // The leaves, then the inner nodes, each by ascending weight.
    let mut weights: Vec<u64> = leaves.iter().map(|(weight, _)| *weight).collect();
    let mut parents = vec![0; (2 * leaves.len()).saturating_sub(1)];
    let (mut leaf, mut merge) = (0, leaves.len());
    for node in leaves.len()..parents.len() {
        let mut sum = 0;
        for _ in 0..2 {
            let takes_leaf = leaf < leaves.len() && (merge == node || weights[leaf] <= weights[merge]);
            let least = if takes_leaf { &mut leaf } else { &mut merge };
            sum += weights[*least];
            parents[*least] = node;
            *least += 1;
        }
        weights.push(sum);
    }
    let mut depths = vec![0; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    depths.truncate(leaves.len());
    depths
}

/// Limits the code lengths of symbols, the rarest first.
fn limit_depths(depths: &mut [usize], limit: usize) {
    let share = |depth: usize| 1 << (limit - depth);
    for depth in depths.iter_mut() {
        *depth = (*depth).min(limit);
    }
    // Shortened codes exceed Kraft's sum, so that others get longer: the rarest first, which costs
    // least.
    let mut taken: usize = depths.iter().map(|depth| share(*depth)).sum();
    for depth in depths.iter_mut() {
        while taken > 1 << limit && *depth < limit {
            *depth += 1;
            taken -= share(*depth);
        }
    }
    // The last step may leave space.
    for depth in depths.iter_mut().rev() {
        while *depth > 1 && taken + share(*depth) <= 1 << limit {
            taken += share(*depth);
            *depth -= 1;
        }
    }
}

/// Returns the canonical codes of these lengths (RFC 1951, 3.2.2), with their bits reversed.
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
    use super::{code_lengths, codes};

    /// The bits of the best code, by trying all lengths that keep Kraft's inequality.
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
    fn lengths_are_optimal() {
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
        }
    }

    /// Fibonacci's numbers as frequencies make the longest codes.
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
        // Alone.
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

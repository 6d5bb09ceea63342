//! Checks that the field names of a record are distinct.

use std::hash::{BuildHasher, RandomState};

use super::super::inline::Name;

/// Up to this many names are compared pairwise, which is faster than a hash table.
const FEW: usize = 16;

/// Returns the first name that equals an earlier one.
pub(super) fn repeated<T>(items: &[T], name: impl Fn(&T) -> &Name) -> Option<&Name> {
    let was_before = |place: usize, wanted: &Name| items.iter().take(place).any(|item| name(item) == wanted);
    let mut names = items.iter().map(&name).enumerate();
    let found = if items.len() <= FEW {
        // One bit for each: where it is not set yet, the name is another than those before.
        let mut seen = 0_u64;
        names.find(|(place, name)| {
            let bit = 1 << (fingerprint(name) >> 58);
            let is_new = seen & bit == 0;
            seen |= bit;
            !is_new && was_before(*place, name)
        })
    } else if items.iter().map(|item| name(item).rank()).is_sorted_by(|one, next| one.is_some() && one < next) {
        // Those of many fields are mostly numbered: each comes after all before.
        None
    } else {
        let mut seen = Seen::new(items.len());
        // Those of the same hash are the same, but for a chance that is not to be relied upon.
        names.find(|(place, name)| seen.insert(name) && was_before(*place, name))
    };
    found.map(|(_, name)| name)
}

/// Returns a number that is equal for equal names, and differs in its upper bits for most others.
#[inline]
fn fingerprint(name: &Name) -> u64 {
    let [first, second, third] = name.words().unwrap_or_default();
    (first ^ second.rotate_left(21) ^ third.rotate_left(42)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The hashes of names. Takes two thirds of the instructions of a `HashSet` of the names.
struct Seen {
    /// A power of two, at least half of which are free: 0.
    slots: Vec<u64>,
    seeds: [u64; 2],
}

impl Seen {
    /// Creates a table for at most `most` names. The hash multiplies and folds with random numbers,
    /// so that colliding names cannot be prepared. The standard library's hash takes several times
    /// as long for names of a few bytes.
    fn new(most: usize) -> Self {
        let random = RandomState::new();
        Self { slots: vec![0; most.saturating_mul(2).next_power_of_two()], seeds: [random.hash_one(0_u8), random.hash_one(1_u8)] }
    }

    /// Adds a name. Returns whether there was one with the same hash.
    #[inline]
    fn insert(&mut self, name: &Name) -> bool {
        let hash = self.hash(name) | 1;
        // The upper half is the better one of a product.
        let first = usize::try_from(hash >> 32).unwrap_or_default();
        let last = self.slots.len() - 1;
        for step in 0..=last {
            let Some(slot) = self.slots.get_mut(first.wrapping_add(step) & last) else { break };
            if *slot == 0 {
                *slot = hash;
                return false;
            }
            if *slot == hash {
                break;
            }
        }
        true
    }

    #[inline]
    fn hash(&self, name: &Name) -> u64 {
        let [first, second] = self.seeds;
        if let Some([a, b, c]) = name.words() {
            return fold(fold(a ^ first, b ^ second) ^ c, first | 1);
        }
        let (words, rest) = name.as_bytes().as_chunks::<8>();
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
        let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
        words.chain([name.as_bytes().len() as u64]).fold(second, |hash, word| fold(hash ^ word, first | 1))
    }
}

/// Both halves of the product, one over the other.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let [low, high] = [product, product >> 64].map(|half| u64::try_from(half & u128::from(u64::MAX)).unwrap_or_default());
    low ^ high
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Seen, fingerprint, repeated};
    use crate::format::inline::Name;
    use crate::some::some;

    #[test]
    fn the_first_repeated_name_is_found() {
        for count in [0, 1, 2, 15, 16, 17, 40, 3000] {
            for text in ["n", "a name with the number ", "a name of more than twenty-two bytes with the number "] {
                let mut names: Vec<_> = (0..count).map(|i| Name::from(format!("{text}{i}").as_str())).collect();
                assert_eq!(repeated(&names, |name| name), None, "{count}");
                names.reverse();
                assert_eq!(repeated(&names, |name| name), None, "{count}");
                for place in some((0..count).step_by(7), 10) {
                    names.push(names[place].clone());
                    assert_eq!(repeated(&names, |name| name), Some(&names[place]), "{count}");
                    names.pop();
                }
            }
        }
        let mut zeros: Vec<_> = (0..40).map(|length| Name::from("\0".repeat(length).as_str())).collect();
        assert_eq!(repeated(&zeros, |name| name), None);
        zeros.extend([zeros[23].clone(), zeros[1].clone()]);
        assert_eq!(repeated(&zeros, |name| name), Some(&zeros[23]));
    }

    /// Names that differ in one of the words, or in length alone.
    fn similar_names() -> Vec<Name> {
        let texts = [0, 7, 8, 15, 16, 21, 22, 23, 40, 63].map(|length| "x".repeat(length));
        let changed =
            texts.iter().flat_map(|text| (0..text.len()).map(|place| format!("{}y{}", &text[..place], &text[place + 1..])));
        texts.iter().cloned().chain(changed).map(|text| Name::from(text.as_str())).collect()
    }

    /// Otherwise, the names of each record are compared pairwise.
    #[test]
    fn hashes_of_similar_names_differ() {
        let names = similar_names();
        let seen = Seen { slots: Vec::new(), seeds: [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03] };
        let hashes: HashSet<u64> = names.iter().map(|name| seen.hash(name)).collect();
        assert_eq!(hashes.len(), names.len());
        let halves: HashSet<u64> = hashes.iter().map(|hash| hash >> 32).collect();
        assert_eq!(halves.len(), names.len());
        let slots: HashSet<u64> = hashes.iter().map(|hash| hash >> 32 & 255).collect();
        assert!(slots.len() > 100, "{} of 256 slots", slots.len());
        assert_ne!(Seen::new(1).seeds, Seen::new(1).seeds);

        let short: Vec<&Name> = names.iter().filter(|name| name.words().is_some()).collect();
        let fingerprints: HashSet<u64> = short.iter().map(|name| fingerprint(name)).collect();
        assert_eq!(fingerprints.len(), short.len());
        let bits: HashSet<u64> = fingerprints.iter().map(|fingerprint| fingerprint >> 58).collect();
        assert!(bits.len() > 32, "{} of 64 bits", bits.len());
    }

    #[test]
    fn only_names_that_were_there_are_seen() {
        let names = similar_names();
        let mut seen = Seen::new(names.len());
        assert_eq!(seen.slots.len(), (2 * names.len()).next_power_of_two());
        assert!(names.iter().all(|name| !seen.insert(name)));
        assert!(names.iter().all(|name| seen.insert(name)));
        assert_eq!(seen.slots.iter().filter(|slot| **slot != 0).count(), names.len());
    }
}

//! Whether names are different.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Up to so many names are compared each with each, which takes less time than a set of them.
const FEW: usize = 16;

/// The first name that was there before.
pub(super) fn repeated<'a>(names: impl Iterator<Item = &'a [u8]> + Clone) -> Option<&'a [u8]> {
    let count = names.size_hint().1.unwrap_or(usize::MAX);
    if count <= FEW {
        return names
            .clone()
            .enumerate()
            .find(|(i, name)| names.clone().take(*i).any(|other| other == *name))
            .map(|(_, name)| name);
    }
    let mut seen = HashSet::with_capacity_and_hasher(names.size_hint().0, Seeded::new());
    names.into_iter().find(|name| !seen.insert(Name(name)))
}

#[derive(PartialEq, Eq)]
struct Name<'a>(&'a [u8]);

impl std::hash::Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.0);
    }
}

/// Makes hashers that multiply and fold, with numbers that are others in each process and each set: names that all have one hash
/// cannot be prepared. The standard library's hash takes several times as long for names of a few bytes.
#[derive(Clone)]
struct Seeded {
    seeds: [u64; 2],
}

impl Seeded {
    fn new() -> Self {
        let random = RandomState::new();
        // Odd, so that no multiplication loses all.
        Self { seeds: [random.hash_one(0_u8), random.hash_one(1_u8)].map(|seed| seed | 1) }
    }
}

impl BuildHasher for Seeded {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded { hash: self.seeds[0], seed: self.seeds[1] }
    }
}

struct Folded {
    hash: u64,
    seed: u64,
}

impl Folded {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.hash ^ word) * u128::from(self.seed);
        let [low, high] = [product, product >> 64].map(|half| u64::try_from(half & u128::from(u64::MAX)).unwrap_or_default());
        self.hash = low ^ high;
    }
}

impl Hasher for Folded {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
        self.mix(u64::from_le_bytes(last));
        // The length tells texts apart that end in zeros.
        self.mix(bytes.len() as u64);
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn the_first_repeated_name_is_found() {
        for count in [0, 1, 2, 15, 16, 17, 40, 3000] {
            let names: Vec<String> = (0..count).map(|i| format!("a name with the number {i}")).collect();
            assert_eq!(repeated(names.iter().map(String::as_bytes)), None, "{count}");
            if let Some(last) = names.last() {
                let twice = names.iter().chain([last]).map(String::as_bytes);
                assert_eq!(repeated(twice), Some(last.as_bytes()), "{count}");
            }
        }
        let zeros = ["", "\0", "\0\0", "\0\0\0\0\0\0\0\0"].into_iter().cycle().take(4).chain(std::iter::repeat_n("a", 1));
        assert_eq!(repeated(zeros.map(str::as_bytes)), None);
    }
}

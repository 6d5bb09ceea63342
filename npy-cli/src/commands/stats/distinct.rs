//! Counts distinct values in bounded memory: exactly up to a bound, then by adaptive sampling of hashes.

/// A set of hashes that is halved whenever it is full: those remain whose next leading bit is zero.
///
/// Each value has one hash, so the result depends on the set of values alone: not on their order, nor on how they are
/// distributed over threads. (Wegman's adaptive sampling, analysed by Flajolet in 1990.)
#[derive(Clone, Debug)]
pub(super) struct Distinct {
    /// Open addressing; 0 is an empty slot.
    slots: Vec<u64>,
    used: usize,
    /// At most this number of hashes is kept.
    most: usize,
    /// Hashes above are ignored.
    limit: u64,
    /// The number of times that the set was halved.
    level: u32,
}

/// The number of distinct values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) count: u64,
    pub(super) is_exact: bool,
}

const FIRST_SLOTS: usize = 64;

impl Distinct {
    /// Exact up to `most` values. With 0 nothing is counted.
    pub(super) fn new(most: usize) -> Self {
        let limit = if most == 0 { 0 } else { u64::MAX };
        Self { slots: Vec::new(), used: 0, most, limit, level: 0 }
    }

    /// Adds a value of at most 64 bits. Different values have different hashes.
    #[inline]
    pub(super) fn add(&mut self, bits: u64) {
        // A bijection of one multiplication, whose high bits depend on all bits. It runs for every value, and few pass.
        let hash = (bits ^ (bits >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if hash <= self.limit {
            self.keep(hash);
        }
    }

    /// Adds a value of any length.
    pub(super) fn add_bytes(&mut self, value: impl IntoIterator<Item = u64>) {
        let mut state = 0x243f_6a88_85a3_08d3_u64;
        for word in value {
            state = mix(state ^ word).rotate_left(23);
        }
        self.add(state);
    }

    #[inline(never)]
    fn keep(&mut self, hash: u64) {
        if self.most == 0 {
            return;
        }
        let hash = hash.max(1);
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = mix(hash) as usize & mask;
        while let Some(found) = self.slots.get_mut(slot) {
            if *found == hash {
                return;
            }
            if *found == 0 {
                break;
            }
            slot = (slot + 1) & mask;
        }
        if self.used * 2 >= self.slots.len() {
            let length = (self.slots.len() * 2).max(FIRST_SLOTS);
            self.rebuild(length);
            return self.keep(hash);
        }
        if let Some(found) = self.slots.get_mut(slot) {
            *found = hash;
            self.used += 1;
        }
        while self.used > self.most {
            self.level += 1;
            self.limit >>= 1;
            self.rebuild(self.slots.len());
        }
    }

    /// Moves the hashes within the limit to slots of a new length.
    fn rebuild(&mut self, length: usize) {
        let old = std::mem::replace(&mut self.slots, vec![0; length]);
        self.used = 0;
        let mask = length.wrapping_sub(1);
        for hash in old.into_iter().filter(|hash| *hash != 0 && *hash <= self.limit) {
            let mut slot = mix(hash) as usize & mask;
            while self.slots.get(slot).is_some_and(|found| *found != 0) {
                slot = (slot + 1) & mask;
            }
            if let Some(found) = self.slots.get_mut(slot) {
                *found = hash;
                self.used += 1;
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if other.level > self.level {
            self.level = other.level;
            self.limit = other.limit;
            self.rebuild(self.slots.len());
        }
        for hash in other.slots.iter().filter(|hash| **hash != 0) {
            if *hash <= self.limit {
                self.keep(*hash);
            }
        }
    }

    /// The number of values; `None` if nothing is counted.
    pub(super) fn count(&self) -> Option<Count> {
        let count = u64::try_from((self.used as u128) << self.level.min(64)).unwrap_or(u64::MAX);
        (self.most > 0).then_some(Count { count, is_exact: self.level == 0 })
    }
}

/// A bijection of 64 bits after which all bits depend on all bits (the finalizer of MurmurHash3).
#[inline]
pub(super) fn mix(bits: u64) -> u64 {
    let mut hash = bits ^ (bits >> 33);
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_exactly_up_to_the_bound() {
        let mut distinct = Distinct::new(1000);
        for _ in 0..3 {
            (0..1000).for_each(|value| distinct.add(value));
        }
        assert_eq!(distinct.count(), Some(Count { count: 1000, is_exact: true }));
    }

    #[test]
    fn estimates_do_not_depend_on_the_order_or_the_parts() {
        let mut forwards = Distinct::new(1 << 14);
        (0..1_000_000).for_each(|value| forwards.add(value));
        let mut backwards = Distinct::new(1 << 14);
        (500_000..1_000_000).rev().for_each(|value| backwards.add(value));
        let mut other = Distinct::new(1 << 14);
        (0..600_000).rev().for_each(|value| other.add(value));
        backwards.merge(&other);
        assert_eq!(forwards.count(), backwards.count());
        let found = forwards.count().unwrap();
        assert!(!found.is_exact && found.count.abs_diff(1_000_000) < 40_000, "{found:?}");
    }
}

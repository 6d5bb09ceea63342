//! Numbers of one or two bytes: how often each value is there. Everything else follows, exactly.
//!
//! A second path beside `Column`, which is five times as slow: 4.9 ns a value of 500 MB of `i4`, and 0.9 ns here of `u1`.

use npy_core::scalar::Decoder;

use super::accumulator::{Accumulator, downcast};
use super::number::Number;
use super::summary::Summary;
use super::totals::Totals;
use crate::failure::Result;
use crate::values::fields::Leaf;

/// The counts of the 256 or 65,536 bit patterns.
pub(super) struct Table {
    leaf: Leaf,
    /// Two tables for bytes: a value that repeats does not wait for the count before.
    counts: [Vec<u64>; 2],
}

impl Table {
    pub(super) fn new(leaf: &Leaf) -> Self {
        let length = 1 << (8 * leaf.scalar.itemsize());
        Self { leaf: leaf.clone(), counts: [vec![0; length], vec![0; length]] }
    }

    /// The summary of the patterns that are there, which are the bytes of values.
    fn summary<T: Number>(&self, decoder: Decoder<T>, bins: usize) -> Summary {
        let [one, other] = &self.counts;
        let counts = one.iter().zip(other).map(|(count, other)| count + other).enumerate();
        let values = counts.filter(|(_, count)| *count > 0).map(|(pattern, count)| {
            let bytes = (pattern as u16).to_le_bytes();
            (decoder.decode(&bytes), count)
        });
        Totals::new(self.leaf.scalar, one.len()).of_counts(values.collect(), bins)
    }
}

/// Counts each byte, in one of two tables by turns.
fn count_bytes(run: &[u8], one: &mut [u64], other: &mut [u64]) {
    let (pairs, rest) = run.as_chunks::<2>();
    for [first, second] in pairs {
        count(one, usize::from(*first));
        count(other, usize::from(*second));
    }
    for byte in rest {
        count(one, usize::from(*byte));
    }
}

fn count_pairs(run: &[u8], counts: &mut [u64]) {
    for bytes in run.as_chunks().0 {
        count(counts, u16::from_le_bytes(*bytes).into());
    }
}

#[inline]
fn count(counts: &mut [u64], pattern: usize) {
    if let Some(count) = counts.get_mut(pattern) {
        *count += 1;
    }
}

impl Accumulator for Table {
    fn add(&mut self, _: u64, elements: &[u8]) {
        let [one, other] = &mut self.counts;
        if self.leaf.scalar.itemsize() == 1 {
            self.leaf.for_each_run(elements, |run| count_bytes(run, one, other));
        } else {
            self.leaf.for_each_run(elements, |run| count_pairs(run, one));
        }
    }

    fn merge(&mut self, other: Box<dyn Accumulator>) {
        let counts = downcast::<Self>(other).map(|other| other.counts);
        for (count, more) in self.counts.iter_mut().flatten().zip(counts.iter().flatten().flatten()) {
            *count += more;
        }
    }

    fn finish(self: Box<Self>, bins: usize) -> Result<Summary> {
        let scalar = self.leaf.scalar;
        Ok(match (Decoder::new(scalar), Decoder::new(scalar)) {
            (Some(whole), _) => self.summary::<i64>(whole, bins),
            (None, Some(float)) => self.summary::<f64>(float, bins),
            (None, None) => Summary::default(),
        })
    }
}

//! The memo of a pickle: values by their indexes.

use std::collections::HashMap;

use super::arena::{NONE, reserve};
use super::error::Result;

/// A map of memo indexes to node ids, dense for small indexes.
#[derive(Default)]
pub(crate) struct Memo {
    /// Nodes of small indexes.
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
    count: usize,
}

impl Memo {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn get(&self, index: u64) -> Option<u32> {
        let dense = usize::try_from(index).ok().and_then(|index| self.dense.get(index)).copied();
        dense.filter(|node| *node != NONE).or_else(|| self.sparse.get(&index).copied())
    }

    pub(crate) fn put(&mut self, index: u64, node: u32) -> Result<()> {
        // Usually, it is the next index.
        if self.sparse.is_empty() && index == self.dense.len() as u64 {
            reserve(&mut self.dense, 1)?;
            self.dense.push(node);
            self.count = self.count.saturating_add(1);
            return Ok(());
        }
        // Python 2 omits some indexes.
        let near = self.count.saturating_mul(2).saturating_add(16);
        let is_new = self.get(index).is_none();
        match usize::try_from(index) {
            Ok(index) if index < near || index < self.dense.len() => {
                if index >= self.dense.len() {
                    let more = index.saturating_add(1) - self.dense.len();
                    reserve(&mut self.dense, more)?;
                    self.dense.resize(index.saturating_add(1), NONE);
                }
                if let Some(place) = self.dense.get_mut(index) {
                    *place = node;
                }
                self.sparse.remove(&(index as u64));
            }
            _ => {
                self.sparse.insert(index, node);
            }
        }
        self.count = self.count.saturating_add(usize::from(is_new));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::Memo;

    /// Indexes in order, with gaps, far apart, and repeated.
    #[test]
    fn a_memo_is_a_map() {
        for numbers in [
            &[0, 1, 2, 3, 1][..],
            &[1, 5, 3, 2, 40, 5],
            &[17, 16, 15, 33, 34, 100, 0, 1],
            &[u64::MAX, 0, 1, u64::MAX, 2, 1 << 40],
            &[1 << 40, 0, 1, 2, 3, 40, 39, 20, 1000, 3],
        ] {
            let (mut memo, mut model) = (Memo::default(), HashMap::new());
            for (node, number) in numbers.iter().enumerate() {
                let node = u32::try_from(node).unwrap();
                memo.put(*number, node).unwrap();
                model.insert(*number, node);
                assert_eq!(memo.len(), model.len(), "{numbers:?}");
                for number in (0..110).chain([1000, 1 << 40, u64::MAX]) {
                    assert_eq!(memo.get(number), model.get(&number).copied(), "{number} of {numbers:?}");
                }
                assert!(memo.dense.len() <= 2 * memo.len() + 17, "{} places for {}", memo.dense.len(), memo.len());
            }
        }
    }
}

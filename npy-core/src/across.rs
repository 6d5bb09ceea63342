//! Writing in the order that an array does not have in memory.

use std::io::Write;

use crate::element::{self, Difference, NpyElement};
use crate::error::{ErrorKind, Result};
use crate::write::{NpyWriter, PIECE};

/// So much of each line is taken at a time at least, if it is possible: a line of the cache.
const LEAST_BYTES: usize = 64;

/// What is put together in memory at most, as a part of all, where less would not be enough for [`LEAST_BYTES`].
const LARGEST_PART: usize = 8;

impl<T: NpyElement, W: Write> NpyWriter<T, W> {
    /// Writes the elements of `count` lines of `length` elements so that those of the same index come one after another: the first of
    /// all lines, then the second of all, and so on. For `npy-ndarray`.
    ///
    /// The lines are asked for several times, and parts of them are put together in the cache.
    #[doc(hidden)]
    pub fn write_across<'a, L>(&mut self, lines: impl Fn() -> L, count: usize, length: usize) -> Result<()>
    where
        T: 'a,
        L: Iterator<Item = &'a [T]>,
    {
        let Some((bulk, difference)) = element::bulk::<T>(&self.plan, self.itemsize) else {
            return self.extend_across(lines, length);
        };
        let overflow = || ErrorKind::WrongCount { expected: self.expected, found: u64::MAX };
        let total = count.checked_mul(length).ok_or_else(overflow)?;
        self.admit(total)?;
        let rows_at_once = rows_at_once(count, length, self.itemsize);
        for begin in (0..length).step_by(rows_at_once) {
            let end = (begin + rows_at_once).min(length);
            let elements = (end - begin) * count;
            let place = self.make_room(elements * self.itemsize)?;
            if !bulk.append_rows(&mut self.stage.bytes, lines(), count, begin..end)? {
                return self.extend_across(lines, length);
            }
            if difference == Difference::ByteOrder {
                bulk.swap(&mut self.stage.bytes[place..]);
            }
            self.count += elements as u64;
        }
        Ok(())
    }

    /// [`write_across`](Self::write_across) one element after another.
    fn extend_across<'a, L>(&mut self, lines: impl Fn() -> L, length: usize) -> Result<()>
    where
        T: 'a,
        L: Iterator<Item = &'a [T]>,
    {
        (0..length).try_for_each(|row| self.extend(lines().filter_map(|line| line.get(row))))
    }
}

/// How many elements of each line are put together at a time.
fn rows_at_once(count: usize, length: usize, itemsize: usize) -> usize {
    let row_bytes = count.saturating_mul(itemsize).max(1);
    let least = (LEAST_BYTES / itemsize.max(1)).clamp(1, (length / LARGEST_PART).max(1));
    (PIECE / 2 / row_bytes).max(least).min(length.max(1))
}

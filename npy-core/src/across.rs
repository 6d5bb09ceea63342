//! Writing in the order that an array does not have in memory.

use std::io::Write;

use crate::element::{self, Difference, NpyElement};
use crate::error::{ErrorKind, Result};
use crate::write::{NpyWriter, PIECE};

/// So much of each line is taken at a time at least, if it is possible: a line of the cache.
const LEAST_BYTES: usize = 64;

/// What is put together in memory at most, as a part of all, where less would not be enough for [`LEAST_BYTES`].
const LARGEST_PART: usize = 8;

/// What it takes to remember the lines, as a part of what is put together of them at a time, is at most one of so many.
const LARGEST_PART_OF_MEMORY: usize = 4;

impl<T: NpyElement, W: Write> NpyWriter<T, W> {
    /// Writes the elements of `count` lines of `length` elements so that those of the same index come one after another: the first of
    /// all lines, then the second of all, and so on. For `npy-ndarray`.
    ///
    /// The lines are asked for several times if there are so many of them that they are not remembered, and parts of them are put
    /// together in the cache.
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
        let remembered = remembered(&lines, count, rows_at_once.saturating_mul(self.itemsize));
        for begin in (0..length).step_by(rows_at_once) {
            let end = (begin + rows_at_once).min(length);
            let elements = (end - begin) * count;
            let place = self.make_room(elements * self.itemsize)?;
            let stage = &mut self.stage.bytes;
            let is_done = match &remembered {
                Some(lines) => bulk.append_rows(stage, lines.iter().copied(), count, begin..end),
                None => bulk.append_rows(stage, lines(), count, begin..end),
            };
            if !is_done? {
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

/// The lines, so that they need not be found anew for each of their parts, which took a tenth of the time; if that is little memory
/// beside what is put together at a time, `part_bytes` bytes of each line.
fn remembered<'a, T: 'a, L: Iterator<Item = &'a [T]>>(
    lines: impl Fn() -> L,
    count: usize,
    part_bytes: usize,
) -> Option<Vec<&'a [T]>> {
    if size_of::<&[T]>() > part_bytes / LARGEST_PART_OF_MEMORY {
        return None;
    }
    let mut remembered = Vec::new();
    remembered.try_reserve_exact(count).ok()?;
    remembered.extend(lines().take(count));
    Some(remembered)
}

/// How many elements of each line are put together at a time.
fn rows_at_once(count: usize, length: usize, itemsize: usize) -> usize {
    let row_bytes = count.saturating_mul(itemsize).max(1);
    let least = (LEAST_BYTES / itemsize.max(1)).clamp(1, (length / LARGEST_PART).max(1));
    (PIECE / row_bytes).max(least).min(length.max(1))
}

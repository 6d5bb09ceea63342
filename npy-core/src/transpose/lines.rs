//! Transposition of lines in memory into a buffer that is written.

use std::iter;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::Lines;
use super::tile::{CACHE_LINE, TILE_BYTES, TileMemory, prefetch, store, transpose};
use crate::error::{Error, Result};
use crate::memory::spare_bytes;

/// The bytes of each row that are written together.
const WRITTEN_BYTES: usize = 512;

/// The most lines of a group, whose elements lie side by side in each row.
const MOST_LINES: usize = 512;

/// The number of lines that are prefetched while as many are moved. More would displace each other in the cache where they lie at the
/// same offset of different pages.
const LINES_AHEAD: usize = 16;

/// Appends rows of an array: each has the elements of `count` lines at one index. An element has `size` bytes, more than 0.
///
/// Fails if there are fewer lines, or one is too short.
pub(crate) fn append_rows<'a>(
    size: usize,
    bytes: &mut Vec<u8>,
    lines: &mut Lines<'_, 'a>,
    count: usize,
    rows: Range<usize>,
) -> Result<()> {
    let missing = |found: usize| Error::wrong_count(count as u64, found as u64);
    let length = count.checked_mul(rows.len()).and_then(|count| count.checked_mul(size)).ok_or_else(|| missing(0))?;
    bytes.try_reserve(length).map_err(|_| Error::out_of_memory(length))?;
    let most = (WRITTEN_BYTES / size).clamp(16, MOST_LINES).min(count.max(1));
    let mut lines = iter::from_fn(lines).take(count);
    let part_of_line = rows.start.saturating_mul(size)..rows.end.saturating_mul(size);
    let mut target = Target { memory: spare_bytes(bytes, length), size, count, done: 0 };
    let mut tile = TileMemory::new();
    let mut group: Vec<&'a [u8]> = Vec::with_capacity(most);
    loop {
        group.clear();
        group.extend(lines.by_ref().take(most).map_while(|line| line.get(part_of_line.clone())));
        if group.is_empty() {
            break;
        }
        if size > CACHE_LINE {
            target.put_each(&group);
        } else {
            target.put_tiles(&group, rows.len(), &mut tile);
        }
        target.done += group.len();
    }
    if target.done < count {
        return Err(missing(target.done));
    }
    // SAFETY: there is space for `length` more bytes, and all were written: those of each row and
    // each line.
    unsafe { bytes.set_len(bytes.len() + length) };
    Ok(())
}

/// The memory of rows of `count` elements, of which the first `done` of each row are written.
struct Target<'m> {
    memory: &'m mut [MaybeUninit<u8>],
    size: usize,
    count: usize,
    done: usize,
}

impl Target<'_> {
    /// Copies bytes into a row, as element `index` behind those that are written.
    ///
    /// # Safety
    ///
    /// At `from` there must be `length` bytes, in other memory.
    unsafe fn put(&mut self, row: usize, index: usize, from: *const u8, length: usize) {
        let begin = (row * self.count + self.done + index) * self.size;
        let to = &mut self.memory[begin..begin + length];
        // SAFETY: there are as many bytes at `from`, by the caller's promise, and in `to`, which is
        // borrowed mutably.
        unsafe { store(from, to.as_mut_ptr().cast(), length, false) };
    }

    /// Moves elements larger than a cache line one by one.
    fn put_each(&mut self, group: &[&[u8]]) {
        for (index, line) in group.iter().enumerate() {
            for (row, item) in line.chunks_exact(self.size).enumerate() {
                // SAFETY: these are the bytes of one element.
                unsafe { self.put(row, index, item.as_ptr(), item.len()) };
            }
        }
    }

    /// Moves the elements of `rows` rows through a tile.
    fn put_tiles(&mut self, group: &[&[u8]], rows: usize, tile: &mut TileMemory) {
        let (size, width) = (self.size, group.len());
        let rows_of_tile = TILE_BYTES / size / width;
        for begin in (0..rows).step_by(rows_of_tile) {
            let step = rows_of_tile.min(rows - begin);
            for first in (0..width).step_by(LINES_AHEAD) {
                let (part, following) = group[first..].split_at(LINES_AHEAD.min(width - first));
                following.iter().take(LINES_AHEAD).for_each(|line| prefetch(&line[begin * size..(begin + step) * size]));
                let line = |index: usize| part[index][begin * size..].as_ptr();
                // SAFETY: `first` is less than the lines of the tile.
                let target = unsafe { tile.begin().add(first * size) };
                // SAFETY: the lines have `step` elements from there on, and the tile has space for as
                // many of each line of the group. They are initialised bytes, which are no pointers.
                unsafe { transpose(size, &line, (part.len(), step), target, width, true) };
            }
            for row in 0..step {
                // SAFETY: `row` is one of the tile's.
                let from = unsafe { tile.begin().add(row * width * size) };
                // SAFETY: the tile has just got an element of each line there.
                unsafe { self.put(begin + row, 0, from, width * size) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Bulk, Plain};

    fn append<'a, T: 'a>(
        bulk: Bulk<T>,
        bytes: &mut Vec<u8>,
        mut lines: impl Iterator<Item = &'a [T]>,
        count: usize,
        rows: Range<usize>,
    ) -> Result<()> {
        append_rows(size_of::<T>(), bytes, &mut || bulk.bytes_of(lines.next()?), count, rows)
    }

    fn agrees<T: Plain>(item: impl Fn(usize) -> T, bytes_of: impl Fn(&T) -> Vec<u8>) {
        for (count, length) in [(1, 1), (3, 70), (70, 3), (64, 64), (100, 513), (513, 100), (1025, 2)] {
            // Miri takes a minute for each of the others.
            if cfg!(miri) && count * length > 300 {
                continue;
            }
            let items: Vec<T> = (0..count * length).map(&item).collect();
            for rows in [0..length, 0..0, length / 2..length] {
                let mut bytes = vec![7];
                let lines = items.chunks(length);
                append(Bulk::<T>::new(), &mut bytes, lines.clone(), count, rows.clone()).unwrap();
                let expected: Vec<u8> = rows
                    .clone()
                    .flat_map(|row| (0..count).map(move |line| line * length + row))
                    .flat_map(|i| bytes_of(&items[i]))
                    .collect();
                assert_eq!(bytes[0], 7);
                assert!(bytes[1..] == expected, "{count} × {length}, {rows:?}");
                // Neither too few lines nor too short ones.
                assert!(append(Bulk::<T>::new(), &mut bytes, lines.clone(), count + 1, rows.clone()).is_err());
                assert!(append(Bulk::<T>::new(), &mut bytes, lines, count, 0..length + 1).is_err());
                assert_eq!(bytes.len(), 1 + expected.len());
            }
        }
    }

    #[test]
    fn rows_of_lines_are_what_their_elements_are_one_after_another() {
        agrees(|i| u8::try_from(i % 251).unwrap(), |item| vec![*item]);
        agrees(|i| u16::try_from(i % 65_521).unwrap(), |item| item.to_ne_bytes().to_vec());
        agrees(|i| u32::try_from(i).unwrap(), |item| item.to_ne_bytes().to_vec());
        agrees(|i| f64::from(u32::try_from(i).unwrap()), |item| item.to_ne_bytes().to_vec());
    }

    #[test]
    fn large_elements_and_those_of_odd_sizes_are_moved_too() {
        fn check<const N: usize>() {
            let items: Vec<[u8; N]> = (0..35_u8).map(|i| [i; N]).collect();
            let mut bytes = Vec::new();
            append(Bulk::<u8>::new().array::<N>(), &mut bytes, items.chunks(7), 5, 1..7).unwrap();
            let places = (1..7).flat_map(|row| (0..5).map(move |line| line * 7 + row));
            let mut expected = Vec::new();
            places.for_each(|place: u8| expected.extend_from_slice(&[place; N]));
            assert!(bytes == expected, "{N}");
        }
        check::<3>();
        check::<12>();
        check::<64>();
        check::<65>();
        check::<1000>();
    }
}

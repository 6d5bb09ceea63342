//! Transposition of lines in memory into a buffer that is written.

use std::iter;
use std::mem;
use std::ops::Range;

use super::Lines;
use super::tile::{CACHE_LINE, TILE_BYTES, TileMemory, prefetch, store, transpose};
use crate::error::{Error, Result};
use crate::memory::spare_bytes;

/// What is written together of each row, in bytes.
const WRITTEN_BYTES: usize = 512;

/// The most lines that are moved together.
const MOST_LINES: usize = 512;

/// The number of lines at the same place of different pages that are prefetched while as many are
/// moved. More would displace each other before they are moved.
const LINES_AHEAD: usize = 8;

/// The same for elements of one byte, of which blocks have more lines.
const LINES_AHEAD_OF_BYTES: usize = 16;

/// Appends rows of an array: each is what `count` lines have at one index. An element has `size`
/// bytes, more than 0.
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
    let memory = spare_bytes(bytes, length);
    let most = (WRITTEN_BYTES / size).clamp(16, MOST_LINES).min(count.max(1));
    let mut lines = iter::from_fn(lines).take(count);
    let few = if size == 1 { LINES_AHEAD_OF_BYTES } else { LINES_AHEAD };
    let (mut group, mut next): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let part_of_line = rows.start.saturating_mul(size)..rows.end.saturating_mul(size);
    let mut fetch = |group: &mut Vec<&'a [u8]>| {
        group.clear();
        group.extend(lines.by_ref().take(most).map_while(|line| line.get(part_of_line.clone())));
        if !displace_each_other(group) {
            for line in group.iter() {
                prefetch(line);
            }
        }
    };
    let mut tile = TileMemory::new();
    let mut done = 0;
    fetch(&mut group);
    while !group.is_empty() {
        fetch(&mut next);
        // Each row has capacity for `count` elements.
        if done + group.len() > count {
            return Err(missing(done));
        }
        if size > CACHE_LINE {
            for (index, line) in group.iter().enumerate() {
                for (row, item) in line.chunks_exact(size).enumerate() {
                    let place = (row * count + done + index) * size;
                    let to = &mut memory[place..place + size];
                    // SAFETY: these are the bytes of one element, and as many in the memory, which
                    // is borrowed mutably.
                    unsafe { store(item.as_ptr(), to.as_mut_ptr().cast(), size, false) };
                }
            }
        } else {
            // A whole group is on its way into the cache while the one before is moved, or some
            // of its lines.
            let is_by_few = displace_each_other(&group);
            let ahead = if is_by_few { few } else { group.len() };
            let rows_of_tile = TILE_BYTES / size / group.len();
            for begin in (0..rows.len()).step_by(rows_of_tile) {
                let step = rows_of_tile.min(rows.len() - begin);
                for first in (0..group.len()).step_by(ahead) {
                    let part = &group[first..group.len().min(first + ahead)];
                    let (following, from) = match group.get(first + ahead..) {
                        Some(following) if !following.is_empty() => (following, begin),
                        _ if begin + step < rows.len() => (&group[..], begin + step),
                        _ => (&next[..], 0),
                    };
                    for line in following.iter().take(if is_by_few { ahead } else { 0 }) {
                        prefetch(&line[from * size..rows.len().min(from + rows_of_tile) * size]);
                    }
                    let line = |index: usize| part[index][begin * size..].as_ptr();
                    // SAFETY: `first` is less than the lines of the tile.
                    let target = unsafe { tile.begin().add(first * size) };
                    // SAFETY: the lines have `step` elements from there on, and the tile has space
                    // for as many of each. They are initialised bytes, which are no pointers.
                    unsafe { transpose(size, &line, (part.len(), step), target, group.len(), true) };
                }
                for row in 0..step {
                    let place = ((begin + row) * count + done) * size;
                    let to = &mut memory[place..place + group.len() * size];
                    // SAFETY: `row` is one of the tile's, with as many elements as the group
                    // has lines.
                    let from = unsafe { tile.begin().add(row * group.len() * size) };
                    // SAFETY: as many bytes, which the tile has just got, and as many in the
                    // memory, which is borrowed mutably.
                    unsafe { store(from, to.as_mut_ptr().cast(), to.len(), false) };
                }
            }
        }
        done += group.len();
        mem::swap(&mut group, &mut next);
    }
    if done < count {
        return Err(missing(done));
    }
    // SAFETY: there is space for `length` more bytes, and all were written: those of each row and
    // each line.
    unsafe { bytes.set_len(bytes.len() + length) };
    Ok(())
}

/// Whether lines lie at the same place of different pages, and so have few places in the cache.
fn displace_each_other(group: &[&[u8]]) -> bool {
    const PAGE: usize = 4096;
    matches!(group, [first, second, ..] if first.as_ptr().addr().abs_diff(second.as_ptr().addr()).is_multiple_of(PAGE))
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

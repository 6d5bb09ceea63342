//! Transposes while writing: an array in one order into a file in the other.

use std::io::{IoSlice, Write};
use std::{iter, slice};

use super::NpyWriter;
use super::output::{Sink, write_all_vectored};
use super::stage::PIECE;
use super::stage::Stage;
use crate::element;
use crate::element::{Difference, NpyElement};
use crate::error::{Error, Result};
use crate::memory::BulkLayout;
use crate::transpose::lines::append_rows;
use crate::transpose::padded::PaddedRows;

/// The fewest bytes of a line that are read at a time, if possible: a cache line.
const LEAST_BYTES: usize = 64;

/// The largest fraction of the array that is assembled in memory, if [`LEAST_BYTES`] needs that much.
const LARGEST_PART: usize = 8;

/// The memory for remembered lines is at most this fraction of the assembled rows.
const LARGEST_PART_OF_MEMORY: usize = 4;

/// Shorter rows are too short to be written from separate places.
const LEAST_BYTES_OF_ROWS: usize = 4096;

impl<T: NpyElement, W: Write> NpyWriter<T, W> {
    /// Writes `count` lines of `length` elements transposed: the first element of all lines, then
    /// the second of all, and so on. For `npy-ndarray`.
    ///
    /// If there are too many lines to remember, `lines` is called several times. Parts of them are
    /// assembled in the cache.
    #[doc(hidden)]
    pub fn write_transposed<'a, L>(&mut self, lines: impl Fn() -> L, count: usize, length: usize) -> Result<()>
    where
        T: 'a,
        L: Iterator<Item = &'a [T]>,
    {
        let result = self.put_transposed(&lines, count, length);
        self.stage.note_result(result)
    }

    fn put_transposed<'a, L>(&mut self, lines: &impl Fn() -> L, count: usize, length: usize) -> Result<()>
    where
        T: 'a,
        L: Iterator<Item = &'a [T]>,
    {
        let Self { writer, plan, stage, .. } = self;
        if const { element::is_plain::<T>() && size_of::<T>() > 0 }
            && let Some((bulk, difference)) = element::bulk::<T>(plan, stage.itemsize)
        {
            let bytes = || lines().map_while(|line| bulk.bytes_of(line));
            return stage.put_transposed(writer, bulk.layout(), difference, (count, length), &|| Box::new(bytes()));
        }
        // One element after another.
        (0..length).try_for_each(|row| {
            let mut items = lines().filter_map(|line| line.get(row));
            if const { element::is_plain::<T>() } {
                // Only rare dtypes come here, for which nothing more is compiled.
                return items.try_for_each(|item| stage.put_items(writer, plan, slice::from_ref(item)));
            }
            stage.put_each(writer, plan, items)
        })
    }
}

/// Returns the bytes of the lines of an array, from the first line on.
type AllLines<'l, 'a> = dyn Fn() -> Box<dyn Iterator<Item = &'a [u8]> + 'l> + 'l;

impl Stage {
    /// Adds `count` lines of `length` elements, transposed. Elements have more than 0 bytes and no
    /// padding.
    pub(super) fn put_transposed(
        &mut self,
        sink: &mut dyn Sink,
        layout: BulkLayout,
        difference: Difference,
        (count, length): (usize, usize),
        lines: &AllLines<'_, '_>,
    ) -> Result<()> {
        let overflow = || Error::wrong_count(self.expected, u64::MAX);
        let total = count.checked_mul(length).ok_or_else(overflow)?;
        self.admit(total)?;
        let rows = Rows { count, length, row_bytes: count.saturating_mul(self.itemsize), least: least_rows(length, self.itemsize) };
        let remembered = remembered(lines, count, rows.at_once().saturating_mul(self.itemsize));
        let lines = || match &remembered {
            Some(remembered) => Box::new(remembered.iter().copied()),
            None => lines(),
        };
        let mut begin = 0;
        if rows.are_worth_places()
            && self.growth.is_none()
            && let Ok(Some(mut padded)) = PaddedRows::new(layout, count, rows.most_at_once())
        {
            let mut is_vectored = true;
            while begin < length && is_vectored {
                let place = self.put_bytes.saturating_add(self.bytes.len() as u64);
                let end = (begin + rows.up_to_piece(place)).min(length);
                let mut lines = lines();
                padded.fill(&mut || lines.next(), begin..end)?;
                if difference == Difference::ByteOrder {
                    padded.swap();
                }
                is_vectored = self.put_rows(sink, &padded.rows().collect::<Vec<_>>())?;
                self.count += ((end - begin) * count) as u64;
                begin = end;
            }
        }
        while begin < length {
            let end = (begin + rows.at_once()).min(length);
            let elements = (end - begin) * count;
            let place = self.make_room(sink, elements * self.itemsize)?;
            let mut lines = lines();
            append_rows(layout.size, &mut self.bytes, &mut || lines.next(), count, begin..end)?;
            if difference == Difference::ByteOrder {
                layout.swap(&mut self.bytes[place..]);
            }
            self.count += elements as u64;
            begin = end;
        }
        Ok(())
    }

    /// Writes the stage and the rows after it, up to the last multiple of a piece, and leaves the
    /// rest in the stage. Returns whether the writer takes several rows at once.
    fn put_rows(&mut self, sink: &mut dyn Sink, rows: &[&[u8]]) -> Result<bool> {
        let staged = self.bytes.len();
        let length = rows.iter().fold(staged, |length, row| length.saturating_add(row.len()));
        // Less than a piece.
        let behind = usize::try_from(self.put_bytes.saturating_add(length as u64) % PIECE as u64).unwrap_or_default();
        let end = length.saturating_sub(behind);
        // For the rest, before anything is written that would have to be counted.
        self.bytes.try_reserve(behind).map_err(|_| Error::out_of_memory(behind))?;
        let mut slices: Vec<IoSlice<'_>> = Vec::new();
        let mut left = end;
        for bytes in iter::once(&self.bytes[..]).chain(rows.iter().copied()) {
            let part = &bytes[..bytes.len().min(left)];
            if !part.is_empty() {
                slices.push(IoSlice::new(part));
            }
            left -= part.len();
        }
        let written = write_all_vectored(sink, &mut slices);
        let is_vectored = written.as_ref().is_ok_and(|is_vectored| *is_vectored);
        self.note(written.map(|_| ()), end)?;
        self.bytes.drain(..staged.min(end));
        let mut done = end.saturating_sub(staged);
        for row in rows {
            let part = done.min(row.len());
            self.bytes.extend_from_slice(&row[part..]);
            done -= part;
        }
        Ok(is_vectored)
    }
}

/// The lines, if remembering them takes little memory compared to the assembled rows, which have
/// `part_bytes` bytes of each. Finding them again for each part took a tenth of the time.
fn remembered<'a>(lines: &AllLines<'_, 'a>, count: usize, part_bytes: usize) -> Option<Vec<&'a [u8]>> {
    if size_of::<&[u8]>() > part_bytes / LARGEST_PART_OF_MEMORY {
        return None;
    }
    let mut remembered = Vec::new();
    remembered.try_reserve_exact(count).ok()?;
    remembered.extend(lines().take(count));
    Some(remembered)
}

/// The rows of the written array: each has the elements of one index of all lines.
struct Rows {
    /// The number of elements in a row.
    count: usize,
    /// The number of rows.
    length: usize,
    row_bytes: usize,
    /// The least number of rows assembled at a time.
    least: usize,
}

impl Rows {
    /// The number of rows assembled at a time, one after another.
    fn at_once(&self) -> usize {
        (PIECE / self.row_bytes.max(1)).max(self.least).min(self.length.max(1))
    }

    /// Whether rows are assembled in separate buffers, several of which are written with one call.
    fn are_worth_places(&self) -> bool {
        self.count > 0 && self.row_bytes >= LEAST_BYTES_OF_ROWS && self.row_bytes.saturating_mul(self.length) >= PIECE
    }

    /// The number of rows up to the end of a piece, if the next begins at this position of the
    /// file. The last may exceed it. Of rows longer than a piece only the least number, because
    /// they take much memory.
    fn up_to_piece(&self, place: u64) -> usize {
        if self.row_bytes >= PIECE {
            return self.most_at_once();
        }
        let row_bytes = (self.row_bytes as u64).max(1);
        let least = row_bytes.saturating_mul(self.least as u64);
        let end = place.saturating_add(least).checked_next_multiple_of(PIECE as u64).unwrap_or(u64::MAX);
        let rows = usize::try_from(end.saturating_sub(place).div_ceil(row_bytes)).unwrap_or(usize::MAX);
        rows.clamp(1, self.most_at_once())
    }

    /// The largest result of [`up_to_piece`](Self::up_to_piece).
    fn most_at_once(&self) -> usize {
        let more = if self.row_bytes >= PIECE { 0 } else { PIECE.div_ceil(self.row_bytes.max(1)) };
        self.least.saturating_add(more).min(self.length.max(1))
    }
}

/// The least number of elements of each line that are assembled at a time.
fn least_rows(length: usize, itemsize: usize) -> usize {
    (LEAST_BYTES / itemsize.max(1)).clamp(1, (length / LARGEST_PART).max(1))
}

#[cfg(test)]
mod tests {
    use super::super::output::tests::{Picky, picky};
    use super::*;
    use crate::format::header::Header;
    use crate::options::Order;
    use crate::some::some;

    fn items(count: usize) -> Vec<u32> {
        (0..count).map(|i| u32::try_from(i).unwrap()).collect()
    }

    fn write(writer: &mut Picky, descr: &str, items: &[u32], count: usize, length: usize) -> Result<()> {
        let header = Header::new(descr.parse()?, Order::C, &[length, count])?;
        let mut writer = NpyWriter::with_header(writer, &header)?;
        writer.write_transposed(|| items.chunks(length), count, length)?;
        writer.finish()?;
        Ok(())
    }

    #[test]
    fn writers_of_every_kind_get_the_same() {
        // Rows that are shorter than a piece and longer, that end with pieces and do not.
        for (number, (count, length)) in [(1024, 1025), (1 << 20, 2), (150_001, 11), (1023, 1030)].into_iter().enumerate() {
            let items = items(count * length);
            for descr in ["<u4", ">u4"] {
                let mut expected = Header::new(descr.parse().unwrap(), Order::C, &[length, count]).unwrap().to_bytes();
                for row in 0..length {
                    let row = (0..count).map(|line| items[line * length + row]);
                    row.for_each(|item| expected.extend(if descr == "<u4" { item.to_le_bytes() } else { item.to_be_bytes() }));
                }
                let kinds = [(usize::MAX, usize::MAX), (usize::MAX, 1), (100_003, usize::MAX), (usize::MAX, 3)];
                for (most, slices) in some(kinds.into_iter().cycle().skip(number).take(4), 4) {
                    let mut writer = picky(most, slices);
                    write(&mut writer, descr, &items, count, length).unwrap();
                    assert!(writer.bytes == expected, "{count} × {length} of {descr}, {most} bytes, {slices} slices");
                }
            }
        }
    }

    #[test]
    fn whole_pieces_are_written_with_one_call() {
        let (count, length) = (8192, 1024);
        let items = items(count * length);
        let mut writer = picky(usize::MAX, usize::MAX);
        write(&mut writer, "<u4", &items, count, length).unwrap();
        // Eight pieces and what is left of the last, one interruption in three.
        assert!(writer.calls <= 14, "{}", writer.calls);
    }

    #[test]
    fn a_failure_is_told_and_nothing_is_written_after_it() {
        let (count, length) = (8192, 1024);
        let items = items(count * length);
        for end in [0, 1, PIECE, 3 * PIECE] {
            for slices in [1, usize::MAX] {
                let mut writer = Picky { end, ..picky(usize::MAX, slices) };
                assert!(write(&mut writer, "<u4", &items, count, length).is_err());
                let done = writer.bytes.len();
                let header = Header::new("<u4".parse().unwrap(), Order::C, &[length, count]).unwrap();
                let mut writer = NpyWriter::with_header(&mut writer, &header).unwrap();
                assert!(writer.write_transposed(|| items.chunks(length), count, length).is_err());
                let calls = writer.writer.get().unwrap().calls;
                assert!(writer.write_transposed(|| items.chunks(length), count, length).is_err());
                assert!(writer.push(&1).is_err() && writer.finish().is_err());
                assert!(calls > 0 && done >= end.min(1));
            }
        }
    }

    #[test]
    fn too_few_and_too_many_lines_are_refused() {
        let (count, length) = (8192, 1024);
        let items = items(count * length);
        let header = Header::new("<u4".parse().unwrap(), Order::C, &[length, count]).unwrap();
        let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
        assert!(writer.write_transposed(|| items.chunks(length).take(count - 1), count, length).is_err());
        assert!(writer.write_transposed(|| items.chunks(length), count + 1, length).is_err());
        assert!(writer.write_transposed(|| items.chunks(length), count, usize::MAX).is_err());
        assert!(writer.finish().is_err());
    }
}

//! Assembles the header and the elements of an array into pieces. Compiled once for all streams.

use std::io;
use std::thread;

use super::bytes::ElementBytes;
use super::growth::Growth;
use super::output::{SMALL_BYTES, Sink, cannot_write, write_parts};
use crate::element::{self, Difference, NpyElement, PlanOf};
use crate::error::{Error, Result};
use crate::format::header::Header;
use crate::memory::{BulkLayout, STAGE_BYTES, reserve_exact};

/// Assembled rows are written in pieces that end at multiples of this: the page cache uses large
/// pages for them. Other pieces took 1.4 to 6 times as long on ext4. A slice of this size is not
/// copied.
pub(super) const PIECE: usize = 4 << 20;

/// Encoded elements and small slices are written in pieces that end at multiples of this, while
/// they are in the second-level cache. With 4 MiB, saving records took 1.07 (ext4) to 1.17 (tmpfs)
/// times as long where that cache has 1 MiB.
const STAGED_PIECE: usize = 512 << 10;

/// How much is zeroed before elements are encoded there, while it is in the first-level cache.
/// Saving records took 1.1 times as long with 256 KiB.
const ZEROED_BYTES: usize = 4 << 10;

/// The bytes of an array that are not written yet, and the count of those that are.
pub(crate) struct Stage {
    pub(super) itemsize: usize,
    pub(super) expected: u64,
    /// Elements accepted so far.
    pub(super) count: u64,
    /// Bytes written to the stream, the header included.
    pub(super) put_bytes: u64,
    /// Bytes not written yet; at first the header, so that a small array takes one system call.
    pub(super) bytes: Vec<u8>,
    /// The size of a piece. A file that grows does not hold pushed elements back for long.
    piece: usize,
    /// State of an array of unknown length.
    pub(super) growth: Option<Growth>,
    /// The bytes that an element has before it is encoded, if these are not zeros.
    missing: Vec<u8>,
    state: State,
}

/// The outcome of the last call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It succeeded.
    Good,
    /// Its elements were refused, and nothing of them was written.
    Refused,
    /// Elements are being encoded after this many bytes of the stage. Remains if their iterator or a
    /// conversion panics.
    Encoding(usize),
    /// Writing has failed, so that the content of the stream is unknown; or the stream was
    /// returned.
    Over,
}

impl Stage {
    /// Begins with `header`. `layout` is the same array as elements that contain its inner axes.
    /// Elements are encoded over the bytes `missing`, unless it is empty.
    pub(super) fn new(header: &Header, layout: &Header, missing: Vec<u8>) -> Self {
        // A small array is assembled in one buffer.
        let room = usize::try_from(layout.data_bytes()).ok().filter(|bytes| *bytes <= SMALL_BYTES).unwrap_or_default();
        Self {
            itemsize: layout.dtype().itemsize(),
            expected: layout.element_count() as u64,
            count: 0,
            put_bytes: 0,
            bytes: header.to_bytes_with_room(room),
            piece: STAGED_PIECE,
            growth: None,
            missing,
            state: State::Good,
        }
    }

    /// Continues an array that grows, whose header is written already.
    pub(super) fn grow(&mut self, growth: Growth) {
        let (growable, start) = (&growth.growable, growth.start);
        self.bytes = Vec::new();
        self.piece = STAGE_BYTES;
        self.put_bytes = (growable.header_bytes as u64).saturating_add(start.saturating_mul(self.itemsize as u64));
        self.expected = growable.most_rows().saturating_mul(growable.row_elements).saturating_sub(start);
        self.growth = Some(growth);
    }

    /// Begins an array of unknown length, whose header the caller writes.
    #[cfg(feature = "npz")]
    pub(super) fn open_end(&mut self) {
        self.bytes.clear();
        self.expected = u64::MAX;
    }

    /// Adds the bytes of an element if the buffer has capacity. Otherwise returns `false`.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        let is_added = self.bytes.capacity() - self.bytes.len() >= bytes.len()
            && self.bytes.len() < self.piece
            && self.count < self.expected
            && self.state == State::Good;
        if is_added {
            self.bytes.extend_from_slice(bytes);
            self.count += 1;
        }
        is_added
    }

    /// Adds elements.
    pub(super) fn put_items<T: NpyElement>(&mut self, sink: &mut dyn Sink, plan: &PlanOf<T>, items: &[T]) -> Result<()> {
        if const { element::is_plain::<T>() }
            && let Some(bytes) = ElementBytes::of_plan(plan, self.itemsize, items)
        {
            return self.put_bytes(sink, bytes, items.len());
        }
        self.admit(0)?;
        let mut left = items;
        while !left.is_empty() {
            let (begin, count) = self.begin_encoding(sink, left.len())?;
            let (items, behind) = left.split_at(count);
            let bytes = &mut self.bytes[begin..];
            let encoded = if const { element::is_plain::<T>() } {
                element::encode_rarely(plan, self.itemsize, items.iter(), bytes, self.count)
            } else {
                element::encode_slice(plan, self.itemsize, items, bytes, self.count)
            };
            self.end_encoding(begin, encoded)?;
            left = behind;
        }
        Ok(())
    }

    /// Adds the elements of an iterator.
    pub(super) fn put_each<'a, T: NpyElement + 'a>(
        &mut self,
        sink: &mut dyn Sink,
        plan: &PlanOf<T>,
        items: impl Iterator<Item = &'a T>,
    ) -> Result<()> {
        self.admit(0)?;
        let mut items = items.peekable();
        while items.peek().is_some() {
            // The upper bound of the iterator, which need not be right.
            let (begin, count) = self.begin_encoding(sink, items.size_hint().1.unwrap_or(usize::MAX).max(1))?;
            let bytes = &mut self.bytes[begin..];
            let encoded = element::encode_all(plan, self.itemsize, items.by_ref().take(count), bytes, self.count);
            self.end_encoding(begin, encoded)?;
        }
        Ok(())
    }

    /// Adds `count` elements.
    pub(super) fn put_bytes(&mut self, sink: &mut dyn Sink, items: ElementBytes<'_>, count: usize) -> Result<()> {
        match items.difference {
            Difference::None => self.put(sink, items.bytes, count),
            Difference::ByteOrder => self.put_swapped(sink, items.bytes, count, items.layout),
        }
    }

    /// Adds `count` elements that are `bytes` in the file.
    fn put(&mut self, sink: &mut dyn Sink, bytes: &[u8], count: usize) -> Result<()> {
        self.admit(count)?;
        let is_last = self.count + count as u64 == self.expected;
        // Small slices are assembled to pieces. A whole array, or a large slice, is not copied.
        if bytes.len() >= PIECE || (is_last && bytes.len() >= SMALL_BYTES && self.bytes.len() + bytes.len() > STAGE_BYTES) {
            let written = write_parts(sink, &[&self.bytes, bytes]);
            self.note(written, self.bytes.len() + bytes.len())?;
            self.bytes.clear();
        } else {
            self.make_room(sink, bytes.len())?;
            self.bytes.extend_from_slice(bytes);
        }
        self.count += count as u64;
        Ok(())
    }

    /// [`put`](Self::put) with a byte swap.
    fn put_swapped(&mut self, sink: &mut dyn Sink, bytes: &[u8], count: usize, layout: BulkLayout) -> Result<()> {
        self.admit(count)?;
        let itemsize = self.itemsize.max(1);
        for bytes in bytes.chunks((STAGE_BYTES / itemsize).max(1) * itemsize) {
            let begin = self.make_room(sink, bytes.len())?;
            self.bytes.extend_from_slice(bytes);
            layout.swap(&mut self.bytes[begin..]);
            self.count += (bytes.len() / itemsize) as u64;
        }
        Ok(())
    }

    /// Adds zeros for some of `left` elements, and returns where they begin and how many they are.
    /// Until [`end_encoding`](Self::end_encoding), nothing else is admitted.
    fn begin_encoding(&mut self, sink: &mut dyn Sink, left: usize) -> Result<(usize, usize)> {
        let room = usize::try_from(self.expected - self.count).unwrap_or(usize::MAX);
        if room == 0 {
            return Err(self.overfull(1));
        }
        let count = (ZEROED_BYTES / self.itemsize.max(1)).max(1).min(room).min(left);
        // Zeros, so that padding is written as zeros.
        let begin = self.make_room(sink, count * self.itemsize)?;
        self.bytes.resize(begin + count * self.itemsize, 0);
        if !self.missing.is_empty() {
            self.bytes[begin..].chunks_exact_mut(self.itemsize).for_each(|element| element.copy_from_slice(&self.missing));
        }
        // Remains if a conversion or an iterator panics: the accepted elements end there.
        self.state = State::Encoding(begin);
        Ok((begin, count))
    }

    /// Keeps the elements from `begin` on that were encoded: all, none after an error, and fewer if
    /// an iterator ended early.
    #[inline]
    fn end_encoding(&mut self, begin: usize, encoded: Result<usize>) -> Result<()> {
        let count = encoded.as_ref().map_or(0, |count| *count);
        self.bytes.truncate(begin + count * self.itemsize);
        self.state = State::Good;
        self.count += count as u64;
        encoded.map(|_| ())
    }

    /// Writes the buffered elements, and commits an array that grows.
    pub(super) fn commit(&mut self, sink: &mut dyn Sink) -> Result<()> {
        self.admit(0)?;
        self.put_all(sink)?;
        let result = match &mut self.growth {
            Some(growth) => growth.commit(sink, self.count, self.itemsize),
            None => sink.flush().map_err(cannot_write),
        };
        // Data that did not reach the disk are not counted later.
        self.state = if result.is_ok() { State::Good } else { State::Over };
        result
    }

    /// Commits a complete array; nothing is written afterwards.
    pub(super) fn end(&mut self, sink: &mut dyn Sink) -> Result<()> {
        self.admit(0)?;
        let incomplete = match &self.growth {
            Some(growth) => growth.incomplete(self.count),
            None if self.count < self.expected => Some(Error::wrong_count(self.expected, self.count)),
            None => None,
        };
        if let Some(error) = incomplete {
            self.state = State::Refused;
            return Err(error);
        }
        self.commit(sink)?;
        self.state = State::Over;
        Ok(())
    }

    /// Writes the buffered elements of an [open end](Self::open_end), and returns the number of
    /// all.
    #[cfg(feature = "npz")]
    pub(super) fn end_open(&mut self, sink: &mut dyn Sink) -> Result<u64> {
        self.admit(0)?;
        self.put_all(sink)?;
        self.state = State::Over;
        Ok(self.count)
    }

    /// Commits the accepted elements when the writer is dropped, unless writing failed.
    pub(super) fn close(&mut self, sink: &mut dyn Sink) {
        let is_kept = match self.state {
            State::Good => self.growth.is_some() || !thread::panicking(),
            // Rows of a growing array that were accepted before are whole.
            State::Refused => self.growth.is_some(),
            State::Encoding(begin) => {
                self.bytes.truncate(begin);
                self.state = State::Refused;
                self.growth.is_some()
            }
            State::Over => false,
        };
        if is_kept {
            // A drop cannot report the error.
            let _ = self.commit(sink);
        }
    }

    /// Prevents a drop from writing more: the owner of the elements has failed.
    #[cfg(feature = "npz")]
    pub(super) fn abandon(&mut self) {
        self.state = State::Over;
    }

    /// Records the outcome of a call that ends with this result.
    #[inline]
    pub(super) fn note_result(&mut self, result: Result<()>) -> Result<()> {
        self.state = match (self.state, &result) {
            (state @ (State::Over | State::Encoding(_)), _) => state,
            (_, Ok(())) => State::Good,
            (_, Err(_)) => State::Refused,
        };
        result.map_err(|error| self.locate(error))
    }

    /// Adds the path to an error, if it is known.
    #[cold]
    pub(super) fn locate(&self, error: Error) -> Error {
        match self.growth.as_ref().and_then(|growth| growth.file.as_ref()) {
            Some(file) => error.with_path(&file.path),
            None => error,
        }
    }

    /// Refuses elements that the header cannot count, and all elements after a failure.
    #[inline]
    pub(super) fn admit(&self, count: usize) -> Result<()> {
        if matches!(self.state, State::Over | State::Encoding(_)) {
            return Err(Error::failed_before("cannot write the array", None));
        }
        if count as u64 > self.expected - self.count { Err(self.overfull(count)) } else { Ok(()) }
    }

    #[cold]
    fn overfull(&self, count: usize) -> Error {
        if let Some(growth) = &self.growth {
            return growth.growable.full();
        }
        Error::wrong_count(self.expected, self.count + count as u64)
    }

    /// Reserves `bytes` more, and returns their position.
    pub(super) fn make_room(&mut self, sink: &mut dyn Sink, bytes: usize) -> Result<usize> {
        if self.bytes.len() >= self.piece {
            self.put_pieces(sink)?;
        }
        if self.bytes.capacity() - self.bytes.len() < bytes {
            let left = self.expected.saturating_sub(self.count).saturating_mul(self.itemsize as u64);
            // All that it ever needs, if it is going to be filled.
            if self.growth.is_none() && self.expected < u64::MAX && left >= STAGED_PIECE as u64 {
                reserve_exact(&mut self.bytes, STAGED_PIECE + bytes)?;
            }
            self.bytes.try_reserve(bytes).map_err(|_| Error::out_of_memory(bytes))?;
        }
        Ok(self.bytes.len())
    }

    /// Writes the stage up to the last multiple of a piece.
    fn put_pieces(&mut self, sink: &mut dyn Sink) -> Result<()> {
        let length = self.bytes.len();
        let behind = (self.put_bytes + length as u64) % self.piece as u64;
        // Less than a piece.
        let end = length - usize::try_from(behind).unwrap_or_default().min(length);
        let written = sink.write_all(&self.bytes[..end]);
        self.note(written, end)?;
        self.bytes.drain(..end);
        Ok(())
    }

    fn put_all(&mut self, sink: &mut dyn Sink) -> Result<()> {
        let written = sink.write_all(&self.bytes);
        let length = self.bytes.len();
        self.note(written, length)?;
        self.bytes.clear();
        Ok(())
    }

    /// Records that bytes were written, or that the content of the stream is unknown.
    pub(super) fn note(&mut self, written: io::Result<()>, bytes: usize) -> Result<()> {
        match written {
            Ok(()) => {
                self.put_bytes += bytes as u64;
                if let Some(file) = self.growth.as_mut().and_then(|growth| growth.file.as_mut()) {
                    file.note(self.put_bytes);
                }
            }
            Err(error) => {
                self.state = State::Over;
                return Err(cannot_write(error));
            }
        }
        Ok(())
    }
}

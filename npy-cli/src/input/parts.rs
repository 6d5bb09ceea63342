//! Elements in a file, which threads read side by side: each takes the next part, and reads it piece by piece.

use std::io::SeekFrom;

use super::kept::{ReadSeek, Stored, cannot_read};
use crate::failure::{Failure, Result};

/// Bytes that a thread reads at a time: they stay in the second cache.
const PIECE_BYTES: usize = 1 << 18;

/// The most bytes that all threads read at a time, unless an element has more.
const MOST_BUFFERS: usize = 32 << 20;

/// The usual bytes of a part, the unit of work of a thread.
pub(crate) const PART_BYTES: u64 = 4 << 20;

/// The parts of which an array consists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    itemsize: usize,
    pub(crate) elements: u64,
    /// Elements that are read at a time.
    pub(crate) piece: u64,
    /// Elements of a part: whole pieces.
    pub(crate) part: u64,
}

impl Parts {
    /// Divides this number of elements into parts of about as many bytes.
    pub(crate) fn new(itemsize: usize, elements: u64, part_bytes: u64) -> Self {
        let piece = (PIECE_BYTES / itemsize.max(1)).max(1) as u64;
        let part = (part_bytes / itemsize.max(1) as u64).next_multiple_of(piece).max(piece);
        Self { itemsize, elements, piece, part }
    }

    /// Elements that are read: those without bytes are not.
    pub(crate) fn stored(&self) -> u64 {
        if self.itemsize == 0 { 0 } else { self.elements }
    }

    pub(crate) fn count(&self) -> u64 {
        self.stored().div_ceil(self.part)
    }

    /// Whether no element is larger than a piece.
    pub(crate) fn is_small(&self) -> bool {
        self.piece_bytes() <= PIECE_BYTES
    }

    /// The number of threads that read: at most this many.
    pub(crate) fn threads(&self, most: usize) -> usize {
        most.min(MOST_BUFFERS / self.piece_bytes()).clamp(1, usize::try_from(self.count().max(1)).unwrap_or(usize::MAX))
    }

    fn piece_bytes(&self) -> usize {
        usize::try_from(self.piece).unwrap_or(usize::MAX).saturating_mul(self.itemsize).max(1)
    }
}

/// A thread's reader of parts.
pub(crate) struct PartReader {
    parts: Parts,
    file: Box<dyn ReadSeek>,
    /// The position of the first element in the file.
    begin: u64,
    buffer: Vec<u8>,
}

impl PartReader {
    /// Opens the elements of an array.
    pub(crate) fn open(parts: &Parts, stored: &Stored) -> Result<Self> {
        let (file, begin) = stored.open()?;
        Ok(Self { parts: *parts, file, begin, buffer: Vec::new() })
    }

    /// Reads a part. `each` gets the position of the first element of a piece, and the bytes.
    pub(crate) fn read(&mut self, part: u64, each: &mut dyn FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let Parts { itemsize, elements, piece, part: part_elements } = self.parts;
        let mut position = part * part_elements;
        let end = (position + part_elements).min(elements);
        let offset = self.begin.saturating_add(position * itemsize as u64);
        self.file.seek(SeekFrom::Start(offset)).map_err(|error| cannot_read(&error))?;
        while position < end {
            let count = piece.min(end - position);
            let length = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(itemsize);
            let more = length.saturating_sub(self.buffer.len());
            self.buffer.try_reserve_exact(more).map_err(|_| Failure::allocation(length))?;
            self.buffer.resize(length, 0);
            self.file.read_exact(&mut self.buffer).map_err(|error| cannot_read(&error))?;
            each(position, &self.buffer)?;
            position += count;
        }
        Ok(())
    }
}

//! The parts of an archive that were fetched, as a file that `npy_core` reads.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use bytes::Bytes;

use crate::object::Chunk;

/// A file of which only some chunks are there. Reading others fails, and [`missing`](Self::missing) says what to fetch.
#[derive(Clone)]
pub(crate) struct Sparse {
    size: u64,
    position: u64,
    chunks: Vec<Chunk>,
    /// The bytes that the last failed read needs.
    pub(crate) missing: Option<Range<u64>>,
}

impl Sparse {
    pub(crate) fn new(size: u64) -> Self {
        Self { size, position: 0, chunks: Vec::new(), missing: None }
    }

    pub(crate) fn add(&mut self, chunks: impl IntoIterator<Item = Chunk>) {
        self.chunks.extend(chunks);
    }

    /// The bytes at the beginning of a range, up to the first that was not fetched.
    pub(crate) fn from(&self, range: &Range<u64>) -> Bytes {
        let mut all = Bytes::new();
        let mut begin = range.start;
        while begin < range.end
            && let Some(chunk) = self.chunk_at(begin)
        {
            let bytes = chunk.slice(&(begin..chunk.end().min(range.end)));
            begin += bytes.len() as u64;
            all = if all.is_empty() { bytes } else { [all, bytes].concat().into() };
        }
        all
    }

    /// The parts of a range that were not fetched.
    pub(crate) fn missing_in(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut parts = Vec::new();
        let mut begin = range.start;
        while begin < range.end {
            if let Some(chunk) = self.chunk_at(begin) {
                begin = chunk.end();
                continue;
            }
            let next = self.chunks.iter().map(|chunk| chunk.begin).filter(|next| *next > begin).min();
            let end = next.unwrap_or(range.end).min(range.end);
            parts.push(begin..end);
            begin = end;
        }
        parts
    }

    /// The chunk that holds a byte.
    fn chunk_at(&self, offset: u64) -> Option<&Chunk> {
        self.chunks.iter().find(|chunk| (chunk.begin..chunk.end()).contains(&offset))
    }
}

impl Read for Sparse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let Some(chunk) = self.chunk_at(self.position) else {
            let behind = self.chunks.iter().map(|chunk| chunk.begin).filter(|begin| *begin > self.position);
            // Up to the next chunk, or to the end of the file.
            self.missing = Some(self.position..behind.min().unwrap_or(self.size));
            return Err(io::Error::other("part of the archive was not fetched"));
        };
        let bytes = chunk.slice(&(self.position..chunk.end()));
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Sparse {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let target = match position {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
        };
        self.position = target.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "cannot seek before the beginning"))?;
        Ok(self.position)
    }
}

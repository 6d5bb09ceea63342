//! The parts of an archive that were fetched, as a file that `npy_core` reads.

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use bytes::Bytes;
use npy_core::Error;

use crate::object::Piece;

/// A file of which only some pieces are there. Reading others fails with [`Missing`].
#[derive(Clone)]
pub(crate) struct Sparse {
    size: u64,
    position: u64,
    pieces: Vec<Piece>,
}

/// Bytes that have to be fetched first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missing {
    pub(crate) begin: u64,
    /// Where the next piece begins, or the file ends.
    pub(crate) end: u64,
}

impl Sparse {
    pub(crate) fn new(size: u64) -> Self {
        Self { size, position: 0, pieces: Vec::new() }
    }

    pub(crate) fn add(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        self.pieces.extend(pieces);
    }

    /// The bytes at the beginning of a range, up to the first that was not fetched.
    pub(crate) fn from(&self, range: &Range<u64>) -> Bytes {
        let mut all = Bytes::new();
        let mut begin = range.start;
        while begin < range.end
            && let Some(piece) = self.piece_at(begin)
        {
            let bytes = piece.slice(&(begin..piece.end().min(range.end)));
            begin += bytes.len() as u64;
            all = if all.is_empty() { bytes } else { [all, bytes].concat().into() };
        }
        all
    }

    /// The piece that holds a byte.
    fn piece_at(&self, offset: u64) -> Option<&Piece> {
        self.pieces.iter().find(|piece| (piece.begin..piece.end()).contains(&offset))
    }
}

impl Missing {
    /// What was missing, if that is what the error says.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        let error: &std::io::Error = std::error::Error::source(error)?.downcast_ref()?;
        error.get_ref()?.downcast_ref().copied()
    }
}

impl Read for Sparse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let Some(piece) = self.piece_at(self.position) else {
            let behind = self.pieces.iter().map(|piece| piece.begin).filter(|begin| *begin > self.position);
            let missing = Missing { begin: self.position, end: behind.min().unwrap_or(self.size) };
            return Err(io::Error::other(missing));
        };
        let bytes = piece.slice(&(self.position..piece.end()));
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

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "missing part of the archive: expected bytes {}..{}, found none", self.begin, self.end)
    }
}

impl StdError for Missing {}

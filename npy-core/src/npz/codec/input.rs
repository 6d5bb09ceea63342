//! Buffered input, bounded by the current member.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use crate::format::trust::read_once;
use crate::memory::ReadBuf;

/// The size of the buffer.
const BUFFER_BYTES: usize = 256 * 1024;

/// The size of the buffer at the front of a member, of which only the array's header may be needed.
const FRONT_BYTES: usize = 64 * 1024;

/// Reads once from an `R`, without initialising the memory first.
pub(crate) type FillFrom<R> = fn(&mut R, &mut ReadBuf<'_>) -> io::Result<()>;

/// A buffered reader that ends where the member ends.
pub(crate) struct Input<R> {
    reader: R,
    fill: FillFrom<R>,
    buffer: Vec<u8>,
    /// The unused bytes are `buffer[begin..end]`.
    begin: usize,
    end: usize,
    /// The remaining bytes of the member; `None` if unknown.
    left: Option<u64>,
    /// The number of bytes used since the member began.
    used: u64,
    /// The number of bytes used in all.
    total: u64,
    /// The largest size of the buffer.
    most: usize,
    /// The end of the bytes of the member that one `fill_buf` returns.
    border: u64,
}

impl<R> Input<R> {
    pub(crate) fn new(reader: R, fill: FillFrom<R>) -> Self {
        Self { reader, fill, buffer: Vec::new(), begin: 0, end: 0, left: None, used: 0, total: 0, most: BUFFER_BYTES, border: 0 }
    }

    /// Empties the buffer and returns the reader.
    pub(crate) fn reader_mut(&mut self) -> &mut R {
        (self.begin, self.end) = (0, 0);
        &mut self.reader
    }

    pub(crate) fn reader(&self) -> &R {
        &self.reader
    }

    /// Begins a member of `bytes` bytes, or of unknown length.
    pub(crate) fn begin(&mut self, bytes: Option<u64>) {
        (self.left, self.used, self.border) = (bytes, 0, 0);
    }

    /// Sets a position of the member that no slice of [`fill_buf`](BufRead::fill_buf) crosses.
    pub(crate) fn set_border(&mut self, border: u64) {
        self.border = border;
    }

    /// The number of bytes used since [`begin`](Self::begin).
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Limits the buffer, for callers who skip most of the bytes.
    pub(crate) fn set_buffer(&mut self, bytes: usize) {
        self.most = bytes;
    }

    /// The number of bytes used in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The remaining bytes of the member; `None` if unknown.
    pub(crate) fn left(&self) -> Option<u64> {
        self.left
    }

    /// Records that the reader skipped `bytes` bytes, and empties the buffer.
    pub(crate) fn pass(&mut self, bytes: u64) {
        (self.begin, self.end) = (0, 0);
        self.used += bytes;
        self.total += bytes;
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(bytes);
        }
    }

    fn at_most(&self, bytes: usize) -> usize {
        self.left.map_or(bytes, |left| bytes.min(usize::try_from(left).unwrap_or(usize::MAX)))
    }

    fn count(&mut self, bytes: usize) {
        self.used += bytes as u64;
        self.total += bytes as u64;
        if let Some(left) = &mut self.left {
            *left -= bytes as u64;
        }
    }

    /// Puts the last used bytes back.
    #[cfg(feature = "lzma")]
    pub(crate) fn put_back(&mut self, bytes: &[u8]) {
        self.buffer = [bytes, &self.buffer[self.begin..self.end]].concat();
        (self.begin, self.end) = (0, self.buffer.len());
        self.used -= bytes.len() as u64;
        self.total -= bytes.len() as u64;
        if let Some(left) = &mut self.left {
            *left += bytes.len() as u64;
        }
    }
}

impl<R: Read + Seek> Input<R> {
    /// Refills the buffer with `bytes` bytes at `offset`.
    pub(crate) fn read_at(&mut self, offset: u64, bytes: u64) -> io::Result<&[u8]> {
        self.reader.seek(SeekFrom::Start(offset))?;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if self.buffer.len() < bytes {
            self.buffer.resize(bytes, 0);
        }
        (self.begin, self.end) = (0, 0);
        while self.end < bytes {
            match read_once(&mut self.reader, &mut self.buffer[self.end..bytes]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.end += read,
            }
        }
        Ok(&self.buffer[..self.end])
    }

    /// Moves within the member, and empties the buffer.
    pub(crate) fn move_by(&mut self, distance: i64) -> io::Result<()> {
        // The buffer is small.
        let buffered = (self.end - self.begin) as u64;
        (self.begin, self.end) = (0, 0);
        self.reader.seek(SeekFrom::Current(distance - buffered.cast_signed()))?;
        self.used = self.used.saturating_add_signed(distance);
        self.total = self.total.saturating_add_signed(distance);
        self.left = self.left.map(|left| left.saturating_add_signed(-distance));
        Ok(())
    }

    /// Skips the first bytes that [`read_at`](Self::read_at) has read.
    pub(crate) fn skip_front(&mut self, bytes: usize) {
        self.begin = bytes.min(self.end);
    }
}

impl<R: Clone> Clone for Input<R> {
    /// The same reader with nothing buffered, between two members.
    fn clone(&self) -> Self {
        Self::new(self.reader.clone(), self.fill)
    }
}

impl<R: Read> Input<R> {
    /// Reads some bytes, from the reader itself if none are buffered, and none at the end.
    pub(crate) fn fill(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        let buffered = self.at_most(self.end - self.begin);
        if buffered > 0 {
            let copied = buf.copy_from(&self.buffer[self.begin..][..buffered]);
            self.begin += copied;
            self.count(copied);
            return Ok(());
        }
        let most = self.at_most(usize::MAX);
        let Self { reader, fill, .. } = self;
        let given = buf.fill_at_most(most, |buf| fill(reader, buf))?.len();
        self.count(given);
        Ok(())
    }

    /// Copies the next few bytes and leaves them in the buffer. Returns whether there are as many.
    pub(crate) fn peek(&mut self, bytes: &mut [u8]) -> io::Result<bool> {
        if self.at_most(bytes.len()) < bytes.len() {
            return Ok(false);
        }
        while self.end - self.begin < bytes.len() {
            let mut more = vec![0; bytes.len() - (self.end - self.begin)];
            match read_once(&mut self.reader, &mut more) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(0) => return Ok(false),
                Ok(read) => {
                    let buffered = &self.buffer[self.begin..self.end];
                    self.buffer = [buffered, &more[..read]].concat();
                    (self.begin, self.end) = (0, self.buffer.len());
                }
            }
        }
        bytes.copy_from_slice(&self.buffer[self.begin..][..bytes.len()]);
        Ok(true)
    }

    /// Returns the reader, positioned after the buffered bytes.
    pub(crate) fn reader_behind(&mut self) -> &mut R {
        &mut self.reader
    }

    fn refill(&mut self) -> io::Result<()> {
        let most = self.at_most(if self.used < FRONT_BYTES as u64 { FRONT_BYTES } else { BUFFER_BYTES }.min(self.most));
        if self.buffer.len() < most {
            self.buffer.resize(most, 0);
        }
        (self.begin, self.end) = (0, 0);
        self.end = loop {
            match read_once(&mut self.reader, &mut self.buffer[..most]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        Ok(())
    }
}

impl<R: Read> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.begin == self.end && self.left != Some(0) {
            self.refill()?;
        }
        let before = self.border.checked_sub(self.used).filter(|before| *before > 0);
        let most = before.map_or(usize::MAX, |before| usize::try_from(before).unwrap_or(usize::MAX));
        let available = self.at_most(self.end - self.begin).min(most);
        Ok(&self.buffer[self.begin..][..available])
    }

    fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.at_most(self.end - self.begin));
        self.begin += bytes;
        self.count(bytes);
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

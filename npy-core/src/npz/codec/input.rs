//! Buffered input, bounded by the current member.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use crate::format::trust::read_once;
use crate::memory::ReadBuf;

/// Bytes that are buffered at most.
const BUFFER_BYTES: usize = 256 * 1024;

/// Bytes that are buffered of the front of a member, of which no more may be wanted than the
/// array's header.
const FRONT_BYTES: usize = 64 * 1024;

/// How to read from an `R`: straight to where the bytes are wanted.
pub(crate) type FillFrom<R> = fn(&mut R, &mut ReadBuf<'_>) -> io::Result<()>;

/// A buffered reader that ends where the member ends.
pub(crate) struct Input<R> {
    reader: R,
    fill: FillFrom<R>,
    buffer: Vec<u8>,
    /// Where in `buffer` begins what was not used yet.
    begin: usize,
    /// Where it ends; what is behind it is of no meaning.
    end: usize,
    /// Bytes of the member that are left; `None` where nobody knows.
    left: Option<u64>,
    /// Bytes used since the member began.
    used: u64,
    /// Bytes used in all.
    total: u64,
    /// Bytes that are buffered at most.
    most: usize,
    /// The bytes of the member up to which a decoder may read. Those that follow are given only
    /// after these are used up.
    border: u64,
}

impl<R> Input<R> {
    pub(crate) fn new(reader: R, fill: FillFrom<R>) -> Self {
        Self { reader, fill, buffer: Vec::new(), begin: 0, end: 0, left: None, used: 0, total: 0, most: BUFFER_BYTES, border: 0 }
    }

    /// The reader itself, of which nothing is buffered afterwards.
    pub(crate) fn reader_mut(&mut self) -> &mut R {
        (self.begin, self.end) = (0, 0);
        &mut self.reader
    }

    pub(crate) fn reader(&self) -> &R {
        &self.reader
    }

    /// Begins to read a part of `bytes` bytes, or of unknown length.
    pub(crate) fn begin(&mut self, bytes: Option<u64>) {
        (self.left, self.used, self.border) = (bytes, 0, 0);
    }

    /// Has [`fill_buf`](BufRead::fill_buf) give no bytes from both sides of this place of the
    /// member at once. Who has used all before it, and asks for more, gets what is behind it.
    pub(crate) fn set_border(&mut self, border: u64) {
        self.border = border;
    }

    /// Bytes used since [`begin`](Self::begin).
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Buffers at most `bytes`, for callers who skip most of what they read.
    pub(crate) fn set_buffer(&mut self, bytes: usize) {
        self.most = bytes;
    }

    /// Bytes used since the input was made.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of the member that are left; `None` where nobody knows.
    pub(crate) fn left(&self) -> Option<u64> {
        self.left
    }

    /// Notes that the reader skipped `bytes` bytes. Nothing is buffered afterwards.
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

    /// Puts back the last bytes that were used, which were these.
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
    /// Reads `bytes` bytes at `offset` into the buffer, in place of what it held.
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

    /// Moves within the member by this many bytes. Nothing is buffered afterwards.
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

    /// Skips the first bytes of those that [`read_at`](Self::read_at) has read.
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
    /// Gives some bytes, straight from the reader where none are buffered; none at the end.
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

    /// Copies the next few bytes without consuming them; returns whether that many are available.
    /// They count as buffered afterwards.
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

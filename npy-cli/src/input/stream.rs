//! Streams that look like a file with an `.npy` header.

use std::io::{self, Read, Seek, SeekFrom};

/// A stream that seeks forwards, by reading and discarding.
pub(super) struct Forward<R> {
    inner: R,
    position: u64,
}

impl<R: Read> Forward<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, position: 0 }
    }
}

impl<R: Read> Read for Forward<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl<R: Read> Seek for Forward<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let target = match position {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(_) => None,
        };
        let distance = target.and_then(|target| target.checked_sub(self.position));
        let distance = distance.ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "cannot seek backwards in a stream"))?;
        if io::copy(&mut self.by_ref().take(distance), &mut io::sink())? < distance {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(self.position)
    }
}

/// A stream that keeps what was read from it.
pub(super) struct Recorder<R> {
    inner: R,
    read: Vec<u8>,
}

impl<R: Read> Recorder<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, read: Vec::new() }
    }

    pub(super) fn into_read(self) -> Vec<u8> {
        self.read
    }
}

impl<R: Read> Read for Recorder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.extend_from_slice(&buffer[..read]);
        Ok(read)
    }
}

/// A header in memory, followed by a file from some position on.
pub(crate) struct Prefixed<R> {
    prefix: Vec<u8>,
    inner: R,
    /// Where in the file the data begin.
    begin: u64,
    position: u64,
}

impl<R: Read + Seek> Prefixed<R> {
    /// The file stands at `begin`.
    pub(crate) fn new(prefix: Vec<u8>, inner: R, begin: u64) -> Self {
        Self { prefix, inner, begin, position: 0 }
    }

    fn prefix_bytes(&self) -> u64 {
        self.prefix.len() as u64
    }
}

impl<R: Read> Read for Prefixed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(self.position).ok().and_then(|position| self.prefix.get(position..)).unwrap_or_default();
        let read = if rest.is_empty() {
            self.inner.read(buffer)?
        } else {
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            count
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl<R: Read + Seek> Seek for Prefixed<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let target = match position {
            SeekFrom::Start(target) => target,
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset).ok_or(io::ErrorKind::InvalidInput)?,
            SeekFrom::End(offset) => {
                let end = self.inner.seek(SeekFrom::End(offset))?;
                (self.prefix_bytes() + end).checked_sub(self.begin).ok_or(io::ErrorKind::InvalidInput)?
            }
        };
        self.inner.seek(SeekFrom::Start(self.begin + target.saturating_sub(self.prefix_bytes())))?;
        self.position = target;
        Ok(target)
    }
}

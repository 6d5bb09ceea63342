//! Streams that look like a file with an `.npy` header.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use tempfile::NamedTempFile;

use super::array::not_spooled;
use crate::failure::{Failure, Result};
use crate::signals;

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

/// A stream that keeps the bytes that were read from it.
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

/// A stream in a temporary file, which a signal does not leave behind.
pub(crate) struct Spool {
    file: NamedTempFile,
    _guard: signals::Guard,
}

impl Spool {
    /// Copies a stream of this name.
    pub(crate) fn of(stream: &mut dyn Read, name: &str) -> Result<Self> {
        let failed = Failure::cannot("read the stream");
        Self::written(|file| io::copy(stream, file).map(drop).map_err(failed)).map_err(|failure| failure.about(name))
    }

    /// Takes what `write` writes.
    pub(crate) fn written(write: impl FnOnce(&mut File) -> Result<()>) -> Result<Self> {
        let guard = signals::Guard::new();
        let mut file = NamedTempFile::new().map_err(|error| not_spooled(&error))?;
        write(file.as_file_mut())?;
        signals::check()?;
        Ok(Self { file, _guard: guard })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }
}

/// A header in memory, followed by a file from some position on.
pub(crate) struct Prefixed<R> {
    prefix: Vec<u8>,
    inner: R,
    /// The position in the file at which the data begin.
    begin: u64,
    /// The file is not read from here on.
    end: u64,
    position: u64,
}

impl<R: Read + Seek> Prefixed<R> {
    /// The file stands at `begin`.
    pub(crate) fn new(prefix: Vec<u8>, inner: R, begin: u64) -> Self {
        Self { prefix, inner, begin, end: u64::MAX, position: 0 }
    }

    /// A range of a file as a file of its own.
    pub(super) fn section(mut inner: R, range: Range<u64>) -> io::Result<Self> {
        inner.seek(SeekFrom::Start(range.start))?;
        Ok(Self { prefix: Vec::new(), inner, begin: range.start, end: range.end, position: 0 })
    }
}

impl<R> Prefixed<R> {
    /// The position in the file that a position of the whole is.
    fn in_file(&self, position: u64) -> u64 {
        self.begin.saturating_add(position.saturating_sub(self.prefix.len() as u64))
    }
}

impl<R: Read> Read for Prefixed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(self.position).ok().and_then(|position| self.prefix.get(position..)).unwrap_or_default();
        let read = if rest.is_empty() {
            let left = self.end.saturating_sub(self.in_file(self.position));
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            self.inner.read(&mut buffer[..count])?
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
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(offset) => {
                let end = self.inner.seek(SeekFrom::End(0))?.min(self.end);
                (self.prefix.len() as u64 + end).checked_sub(self.begin).and_then(|end| end.checked_add_signed(offset))
            }
        };
        let target = target.ok_or(io::ErrorKind::InvalidInput)?;
        self.inner.seek(SeekFrom::Start(self.in_file(target)))?;
        self.position = target;
        Ok(target)
    }
}

//! Sources of bytes: the abilities of a reader beyond `Read`.

use std::fs::File;
use std::io::{self, Read};

use crate::error::Result;
use crate::memory::ReadBuf;

/// How to get bytes from an `R`, chosen when the reader is made: a file's bytes go straight to
/// where they are wanted.
pub(crate) struct Source<R> {
    pub(crate) fill: fn(&mut R, &mut ReadBuf<'_>) -> io::Result<()>,
    /// How many bytes there are from the beginning of the header on, if that can be known.
    pub(crate) length: fn(&R, u64) -> Option<u64>,
    /// The bytes in memory: all remaining ones, or of a file maybe some.
    pub(crate) bytes: fn(&R) -> &[u8],
    /// Skips bytes that are in memory.
    pub(crate) consume: fn(&mut R, usize),
    /// Called when all elements were read, for checks of the end.
    pub(crate) finish: fn(&mut R) -> Result<()>,
    /// Whether bytes after the array may be read ahead, because nothing else reads the source.
    #[cfg_attr(not(feature = "object"), expect(dead_code, reason = "only pickles are read ahead"))]
    pub(crate) is_owned: bool,
    /// How to read at any offset, if the source is a file that begins with the array.
    #[cfg_attr(
        not(any(unix, windows, feature = "object")),
        expect(dead_code, reason = "only threads that read parts, and pickles, ask whether it is a file")
    )]
    pub(crate) file: Option<AsFile<R>>,
}

/// A source that is a file.
pub(crate) struct AsFile<R> {
    #[cfg_attr(not(any(unix, windows)), expect(dead_code, reason = "only there can several threads read from one"))]
    pub(crate) get: fn(&R) -> &File,
    /// Goes to an offset in the file.
    #[cfg_attr(not(any(unix, windows)), expect(dead_code, reason = "only there can several threads read from one"))]
    pub(crate) seek: fn(&mut R, u64) -> io::Result<()>,
}

/// A reader and its abilities.
pub(crate) struct Stream<R> {
    pub(crate) reader: R,
    pub(crate) source: Source<R>,
}

/// A [`Stream`] of any type, for code that is compiled once for all of them.
pub(crate) trait Input {
    fn fill(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()>;
    fn length(&self, offset: u64) -> Option<u64>;
    fn bytes(&self) -> &[u8];
    fn consume(&mut self, count: usize);
    fn finish(&mut self) -> Result<()>;
    #[cfg(any(unix, windows))]
    fn file(&self) -> Option<&File>;
    #[cfg(any(unix, windows))]
    fn seek(&mut self, offset: u64) -> io::Result<()>;
}

impl<R> Input for Stream<R> {
    fn fill(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        (self.source.fill)(&mut self.reader, buf)
    }

    fn length(&self, offset: u64) -> Option<u64> {
        (self.source.length)(&self.reader, offset)
    }

    fn bytes(&self) -> &[u8] {
        (self.source.bytes)(&self.reader)
    }

    fn consume(&mut self, count: usize) {
        (self.source.consume)(&mut self.reader, count);
    }

    fn finish(&mut self) -> Result<()> {
        (self.source.finish)(&mut self.reader)
    }

    #[cfg(any(unix, windows))]
    fn file(&self) -> Option<&File> {
        self.source.file.as_ref().map(|file| (file.get)(&self.reader))
    }

    #[cfg(any(unix, windows))]
    fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.source.file.as_ref().map_or(Ok(()), |file| (file.seek)(&mut self.reader, offset))
    }
}

impl Source<&[u8]> {
    /// Bytes in memory.
    pub(crate) fn of_bytes() -> Self {
        Self {
            fill: |reader, buf| {
                let count = buf.copy_from(reader);
                *reader = &reader[count..];
                Ok(())
            },
            length: |reader, offset| Some(offset + reader.len() as u64),
            bytes: |reader| reader,
            consume: |reader, count| *reader = &reader[count..],
            finish: |_| Ok(()),
            is_owned: false,
            file: None,
        }
    }
}

impl<R: Read> Source<R> {
    /// A stream that only reads.
    pub(crate) fn of_stream() -> Self {
        Self {
            fill: |reader, buf| buf.read_from(reader),
            length: |_, _| None,
            bytes: |_| &[],
            consume: |_, _| (),
            finish: |_| Ok(()),
            is_owned: false,
            file: None,
        }
    }
}

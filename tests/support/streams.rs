//! Streams that count what is asked of them, give little at a time, or have room for little.

use std::cell::Cell;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

#[derive(Debug, Default)]
pub struct Count {
    pub bytes: Cell<u64>,
    pub reads: Cell<u64>,
    pub seeks: Cell<u64>,
}

pub struct Counting<R> {
    stream: R,
    count: Rc<Count>,
}

impl<R> Counting<R> {
    /// Returns the stream, and its count, which outlives it.
    pub fn new(stream: R) -> (Self, Rc<Count>) {
        let count = Rc::<Count>::default();
        (Self { stream, count: Rc::clone(&count) }, count)
    }
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.count.reads.update(|reads| reads + 1);
        let found = self.stream.read(buffer)?;
        self.count.bytes.update(|bytes| bytes + found as u64);
        Ok(found)
    }
}

impl<R: Seek> Seek for Counting<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.count.seeks.update(|seeks| seeks + 1);
        self.stream.seek(to)
    }
}

/// Gives so many bytes at a time, and cannot go back.
pub struct Slow<'a>(pub &'a [u8], pub usize);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

/// A file in memory on a disk that is full after so many bytes.
pub struct Full {
    pub file: Cursor<Vec<u8>>,
    most: usize,
}

impl Full {
    pub fn after(most: usize) -> Self {
        Self { file: Cursor::new(Vec::new()), most }
    }
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.most.saturating_sub(self.file.position() as usize);
        if room == 0 { Err(io::ErrorKind::StorageFull.into()) } else { self.file.write(&bytes[..bytes.len().min(room)]) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

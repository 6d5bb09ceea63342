//! A stream that counts what is asked of it.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
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

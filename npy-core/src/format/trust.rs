//! Protection from readers that report more bytes than the buffer holds.
//!
//! Every call of a custom `Read` goes through [`read_once`], or through [`Checked`] where the
//! standard library calls it: its adapters panic then, or take bytes for initialised that are not.

use std::io::{self, Read};

use crate::error::Error;

/// Calls [`Read::read`] once, and fails if it reports more bytes than `buffer` holds.
pub(crate) fn read_once(reader: &mut (impl Read + ?Sized), buffer: &mut [u8]) -> io::Result<usize> {
    let found = reader.read(buffer)?;
    if found <= buffer.len() { Ok(found) } else { Err(too_many(buffer.len(), found)) }
}

/// A reader whose counts are checked.
pub(crate) struct Checked<R>(pub(crate) R);

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_once(&mut self.0, buffer)
    }
}

#[cold]
fn too_many(expected: usize, found: usize) -> io::Error {
    Error::invalid_count("reader", expected, found).into()
}

//! Reading of one pickle from a stream into memory.
//!
//! Reads exactly the bytes of the pickle from a stream, because another array may follow. Reads ahead from a file or a member of an
//! archive.

use std::io::{ErrorKind as IoErrorKind, Read};
use std::ops::Range;

use super::error::{Fault, PickleError, Result};
use super::opcode::{Form, length, lookup, step};
use crate::error::Error;
use crate::format::trust::read_once;

/// The largest step of an allocation, whatever a length claims.
const STEP_BYTES: usize = 64 * 1024;

/// Reads up to the `STOP` opcode, and no further unless the stream is `owned`.
///
/// A framed pickle, as from protocol 4 on, is read frame by frame.
pub(crate) fn read_pickle(reader: &mut impl Read, owned: bool, limit: u64) -> Result<Vec<u8>> {
    let ahead = if owned { STEP_BYTES } else { 0 };
    let mut pickle = Fetch { reader, bytes: Vec::new(), limit, ahead, owned, marks: 0 };
    let mut at = 0_usize;
    let mut frame_end = 0;
    loop {
        let begin = at;
        // Most opcodes of a file are in memory already.
        let code = if owned && let Ok(step) = step(&pickle.bytes, begin) {
            at = step.next;
            step.opcode.code
        } else {
            let code = pickle.opcode(begin)?;
            at = pickle.argument(code, begin)?;
            code
        };
        match code {
            b'.' => break,
            // `FRAME`: the bytes that it announces belong to the pickle.
            0x95 => {
                let argument = pickle.bytes.get(begin.saturating_add(1)..at).unwrap_or_default();
                frame_end = frame_end.max(pickle.skip(at, length(argument, Form::Counted(8), begin.saturating_add(1))?, begin)?);
            }
            _ => {}
        }
    }
    match frame_end.saturating_sub(at) {
        0 => {
            pickle.bytes.truncate(at);
            Ok(pickle.bytes)
        }
        beyond => Err(PickleError::at(at, Fault::frame_too_long(beyond))),
    }
}

struct Fetch<'a, R> {
    reader: &'a mut R,
    bytes: Vec<u8>,
    limit: u64,
    /// The number of bytes that may be read ahead.
    ahead: usize,
    owned: bool,
    /// Open marks. At least as many opcodes and `STOP` follow, because each closes at most one.
    marks: usize,
}

impl<R: Read> Fetch<'_, R> {
    /// Reads the opcode at `at`, and no further than the pickle goes unless the stream is owned.
    fn opcode(&mut self, at: usize) -> Result<u8> {
        if !self.owned {
            self.ahead = self.marks;
        }
        self.ensure(at..at.saturating_add(1), at)?;
        let code = self.bytes.get(at).copied().unwrap_or_default();
        self.marks = match code {
            b'(' => self.marks.saturating_add(1),
            b'0' | b'1' | b'd' | b'e' | b'l' | b't' | b'u' | 0x90 | 0x91 => self.marks.saturating_sub(1),
            _ => self.marks,
        };
        if !self.owned {
            // A frame may end with the pickle.
            self.ahead = if matches!(code, b'.' | 0x95) { 0 } else { self.marks.saturating_add(1) };
        }
        Ok(code)
    }

    /// Reads the argument of the opcode at `at`. Returns its end.
    fn argument(&mut self, code: u8, at: usize) -> Result<usize> {
        let (form, begin) = (lookup(code, at)?.form, at.saturating_add(1));
        match form {
            Form::Fixed(length) => self.skip(begin, length, at),
            Form::Counted(_) | Form::CountedSigned => {
                let width = if let Form::Counted(width) = form { width } else { 4 };
                let end = self.skip(begin, width, at)?;
                let length = length(self.bytes.get(begin..end).unwrap_or_default(), form, at)?;
                self.skip(end, length, at)
            }
            Form::Line => self.line(begin, at),
            Form::TwoLines => {
                let second = self.line(begin, at)?;
                self.line(second, at)
            }
        }
    }

    /// Reads the `length` bytes at `begin` of the opcode at `at`. Returns their end.
    fn skip(&mut self, begin: usize, length: usize, at: usize) -> Result<usize> {
        let end = begin.saturating_add(length);
        self.ensure(begin..end, at)?;
        Ok(end)
    }

    /// Reads the line at `begin`. Returns the start of the next one.
    fn line(&mut self, begin: usize, at: usize) -> Result<usize> {
        let mut end = begin;
        loop {
            let next = end.saturating_add(1);
            self.ensure(begin..next, at)?;
            if self.bytes.get(end) == Some(&b'\n') {
                return Ok(next);
            }
            end = next;
        }
    }

    /// Reads the missing bytes of a range.
    fn ensure(&mut self, Range { start, end }: Range<usize>, at: usize) -> Result<()> {
        if end <= self.bytes.len() {
            return Ok(());
        }
        if end as u64 > self.limit {
            return Err(too_long(self.limit, end as u64, at));
        }
        let most = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let wanted = end.saturating_add(self.ahead).min(most);
        while self.bytes.len() < end {
            let filled = self.bytes.len();
            let step = (wanted - filled).min(STEP_BYTES.max(filled / 4));
            super::arena::reserve(&mut self.bytes, step)?;
            self.bytes.resize(filled.saturating_add(step), 0);
            let read = read_once(self.reader, self.bytes.get_mut(filled..).unwrap_or_default());
            let count = *read.as_ref().unwrap_or(&0);
            self.bytes.truncate(filled.saturating_add(count));
            match read {
                Ok(0) => {
                    let (expected, found) = (end.saturating_sub(start) as u64, filled.saturating_sub(start) as u64);
                    return Err(PickleError::at(start, Fault::Truncated { expected, found }));
                }
                Err(error) if error.kind() != IoErrorKind::Interrupted => {
                    return Err(Error::io("cannot read the array", error).into());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The error of a pickle that exceeds the limit of bytes.
#[cold]
pub(crate) fn too_long(limit: u64, found: u64, at: usize) -> PickleError {
    PickleError::at(at, Fault::LimitExceeded { what: "bytes of the pickle", limit, found })
}

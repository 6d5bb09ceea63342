//! Bounds of lines of CSV, before they are parsed: neither their cells nor their bytes are more than memory should hold.

use std::io::{self, Read};

use csv::{Reader, StringRecord};

use crate::failure::{Failure, Result};
use crate::formats::text::expect_memory;
use crate::values::columns;
use crate::values::quantity::counted;

/// The most bytes of a line.
const MOST_BYTES: usize = 64 << 20;

/// The bytes or cells of a line from which on memory is looked for: less than [`MOST_BYTES`] and [`columns::MOST`].
const FIRST: usize = 1 << 15;

/// Fails where a line has too many cells or bytes. Where blanks delimit, several are one.
pub(super) struct Lines<R> {
    file: R,
    /// The bytes at the beginning that are dropped.
    skip: usize,
    delimiter: u8,
    comment: Option<u8>,
    state: State,
    /// Whether a blank was read that delimits if the line goes on.
    has_blank: bool,
    cells: usize,
    bytes: usize,
    line: usize,
    /// Where the last quote opened.
    quote_line: usize,
}

/// Where in a line a byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a cell, whose first byte may be a quote.
    Start,
    Cell,
    Quoted,
    /// After a quote, which ends the text or stands for one.
    Quote,
    Comment,
}

impl<R> Lines<R> {
    pub(super) fn new(file: R, skip: usize, delimiter: u8, comment: Option<u8>) -> Self {
        Self { file, skip, delimiter, comment, state: State::Start, has_blank: false, cells: 0, bytes: 0, line: 1, quote_line: 1 }
    }

    fn step(&mut self, byte: u8) {
        self.bytes += 1;
        self.line += usize::from(byte == b'\n');
        if (self.state, byte) == (State::Start, b'"') {
            self.quote_line = self.line;
        }
        self.state = match (self.state, byte) {
            (State::Quoted, b'"') => State::Quote,
            (State::Start | State::Quote, b'"') | (State::Quoted, _) => State::Quoted,
            (_, b'\n' | b'\r') => {
                (self.cells, self.bytes) = (0, 0);
                State::Start
            }
            (State::Comment, _) => State::Comment,
            (State::Start, _) if self.bytes == 1 && self.comment == Some(byte) => State::Comment,
            _ if byte == self.delimiter => {
                self.cells += 1;
                State::Start
            }
            _ => State::Cell,
        };
    }

    /// Takes the bytes of a short cell as [`step`](Self::step) would, which takes three times as long. Returns how many there are.
    fn skip_cell(&mut self, bytes: &[u8]) -> usize {
        if self.state != State::Cell {
            return 0;
        }
        let bytes = bytes.get(..FIRST.saturating_sub(self.bytes + 1)).unwrap_or(bytes);
        let ends = |byte: &u8| matches!(byte, b'\n' | b'\r') || *byte == self.delimiter;
        let count = bytes.iter().position(ends).unwrap_or(bytes.len());
        self.bytes += count;
        count
    }

    /// Where blanks delimit: makes one of several, and none of those at either end of a line. Returns the bytes that remain of
    /// `count`, before which there is room for one.
    fn collapse(&mut self, buffer: &mut [u8], count: usize) -> usize {
        let mut kept = 0;
        for i in 1..=count {
            let byte = buffer[i];
            if byte == b' ' && matches!(self.state, State::Start | State::Cell | State::Quote) {
                self.has_blank |= self.bytes > 0;
                if self.state != State::Start {
                    self.step(byte);
                }
                continue;
            }
            if std::mem::take(&mut self.has_blank) && !matches!(byte, b'\n' | b'\r') {
                buffer[kept] = b' ';
                kept += 1;
            }
            self.step(byte);
            buffer[kept] = byte;
            kept += 1;
        }
        kept
    }

    /// Fails at the end of the file within quotes.
    fn expect_closed_quote(&self, count: usize) -> io::Result<()> {
        if count > 0 || self.state != State::Quoted {
            return Ok(());
        }
        Err(io::Error::other(format!("line {}: expected a quote that closes, found the end of the file", self.quote_line)))
    }

    fn check(&self) -> io::Result<()> {
        let problem = if self.cells >= columns::MOST {
            format!("expected at most {}, found more", counted(columns::MOST as u64, "column"))
        } else if self.bytes > MOST_BYTES {
            format!("expected at most {} in a line, found more; a quote may be open", counted(MOST_BYTES as u64, "byte"))
        } else {
            return self.expect_memory();
        };
        Err(io::Error::other(format!("line {}: {problem}", self.line)))
    }

    /// Fails where there is no memory for as much again: the reader of cells doubles its own, and aborts if there is none.
    fn expect_memory(&self) -> io::Result<()> {
        let is_full = |count: usize| count >= FIRST && count.is_power_of_two();
        let bytes = if is_full(self.bytes) {
            self.bytes.saturating_mul(2)
        } else if is_full(self.cells) {
            self.cells.saturating_mul(2 * size_of::<usize>())
        } else {
            return Ok(());
        };
        expect_memory(bytes)
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.skip > 0 {
            let skip = std::mem::take(&mut self.skip);
            io::copy(&mut self.file.by_ref().take(skip as u64), &mut io::sink())?;
        }
        if self.delimiter != b' ' {
            let count = self.file.read(buffer)?;
            self.expect_closed_quote(count)?;
            let mut rest = buffer.get(..count).unwrap_or_default();
            while let Some((byte, behind)) = rest.split_first() {
                self.step(*byte);
                // A line has at least as many bytes as cells.
                if self.bytes >= FIRST {
                    self.check()?;
                }
                rest = behind.get(self.skip_cell(behind)..).unwrap_or_default();
            }
            return Ok(count);
        }
        loop {
            let count = self.file.read(buffer.get_mut(1..).unwrap_or_default())?;
            self.expect_closed_quote(count)?;
            let kept = self.collapse(buffer, count);
            self.check()?;
            if kept > 0 || count == 0 {
                return Ok(kept);
            }
        }
    }
}

/// Reads the next line into `record`; `false` at the end.
pub(super) fn next<R: Read>(reader: &mut Reader<R>, record: &mut StringRecord) -> Result<bool> {
    reader.read_record(record).map_err(|error| match error.kind() {
        csv::ErrorKind::Utf8 { pos, err } => {
            let line = pos.as_ref().map(|pos| format!("line {}: ", pos.line())).unwrap_or_default();
            Failure::Nameless(format!("{line}expected UTF-8 in column {}, found other bytes", err.field() + 1))
        }
        // Of a line that is too long.
        csv::ErrorKind::Io(error) if error.get_ref().is_some() => Failure::Nameless(error.to_string()),
        _ => Failure::Nameless(format!("cannot read the file: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_blanks_are_one() {
        let read = |text: &str| {
            let mut out = String::new();
            Lines::new(text.as_bytes(), 0, b' ', Some(b'#')).read_to_string(&mut out).unwrap();
            out
        };
        assert_eq!(read("  1   2 \n3 4\n"), "1 2\n3 4\n");
        assert_eq!(read("\"a  b\"  c  \r\n# x  y\n1"), "\"a  b\" c\r\n# x  y\n1");
        assert_eq!(read("1 "), "1");
    }

    #[test]
    fn long_lines_are_refused() {
        let count = |text: &str| Lines::new(text.as_bytes(), 0, b',', None).read_to_end(&mut Vec::new());
        let most = ",".repeat(columns::MOST - 1);
        assert!(count(&format!("{most}\n{most}\n")).is_ok());
        assert!(count(&format!("\"{most},,\"\n")).is_ok());
        let error = count(&format!("1\n{most},\n")).unwrap_err();
        assert_eq!(error.to_string(), "line 2: expected at most 1,048,576 columns, found more");
    }
}

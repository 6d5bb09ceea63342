//! Seeks to rows and skips them.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::elements::Elements;
use super::reader::NpyReader;
use super::stage::with_totals;
use crate::element::NpyElement;
use crate::error::{Error, Result};
use crate::format::rows::OuterAxis;
use crate::memory::{Bulk, ReadBuf, STAGE_BYTES};

impl<R: Read> NpyReader<R> {
    /// Skips rows by reading and discarding them, in bounded memory.
    ///
    /// In a file, [`seek_to`](Self::seek_to) skips without reading. Fails if fewer rows remain.
    pub fn skip(&mut self, rows: usize) -> Result<()> {
        let elements = rows.saturating_mul(OuterAxis::of(&self.state.header).per_row);
        if elements > self.remaining() {
            let found = self.remaining() as u64;
            return Err(self.state.locate(Error::wrong_count(elements as u64, found)));
        }
        self.elements().skip(elements)
    }
}

impl Elements<'_> {
    fn skip(&mut self, count: usize) -> Result<()> {
        self.state.begin()?;
        self.drop_bytes(count * self.itemsize())?;
        self.end(count)
    }

    fn drop_bytes(&mut self, count: usize) -> Result<()> {
        let offset = self.state.offset();
        if self.input.bytes().len() >= count {
            self.input.consume(count);
            return Ok(());
        }
        let fill = &mut |buf: &mut ReadBuf<'_>| self.input.fill(buf);
        let mut stage = vec![0; STAGE_BYTES.min(count)];
        let mut done = 0;
        while done < count {
            let step = stage.len().min(count - done);
            Bulk::<u8>::new()
                .fill_slice(&mut stage[..step], false, offset, fill)
                .map_err(|error| with_totals(error, offset, count as u64, done as u64))?;
            done += step;
        }
        Ok(())
    }
}

impl<R: Read + Seek> NpyReader<R> {
    /// Seeks to a row, counted from the beginning of the array.
    ///
    /// Whatever is read next continues from there. The row after the last is the end of the array,
    /// where the next array of a stream begins. The array need not begin at the start of the stream.
    ///
    /// Fails if there are fewer rows.
    pub fn seek_to(&mut self, row: usize) -> Result<()> {
        let element = OuterAxis::of(&self.state.header).element(row).map_err(|error| self.state.locate(error))?;
        self.state.begin()?;
        self.go_to(element)?;
        self.elements().end(0)
    }

    /// Reads a range of rows, counted from the beginning of the array.
    ///
    /// Afterwards the reader is positioned after them. [`read_region`](Self::read_region) reads parts
    /// of rows. Fails if there are fewer rows.
    pub fn read_at<T: NpyElement>(&mut self, rows: Range<usize>) -> Result<Vec<T>> {
        let plan = self.state.plan::<T>()?;
        let elements = OuterAxis::of(&self.state.header).elements(&rows).map_err(|error| self.state.locate(error))?;
        self.state.begin()?;
        self.go_to(elements.start)?;
        self.elements().end(0)?;
        self.elements().read_vec(&plan, elements.len())
    }

    /// Seeks to an element.
    pub(crate) fn go_to(&mut self, element: usize) -> Result<()> {
        let itemsize = self.state.header.dtype().itemsize() as u64;
        seek(&mut self.stream.reader, self.state.position as u64 * itemsize, element as u64 * itemsize)
            .map_err(|error| self.state.locate(Error::io("cannot seek in the array", error)))?;
        self.state.position = element;
        Ok(())
    }
}

/// Seeks from `from` to `to`, relatively, because the array may begin anywhere in the stream.
pub(crate) fn seek(reader: &mut impl Seek, from: u64, to: u64) -> io::Result<()> {
    // Both are within the data, whose size fits an `isize`.
    let distance = to.cast_signed() - from.cast_signed();
    match distance {
        0 => Ok(()),
        // A `BufReader` keeps its buffer if that reaches so far.
        1.. => reader.seek_relative(distance),
        // Not within its buffer: bytes after it may have been read from the file directly.
        _ => reader.seek(SeekFrom::Current(distance)).map(|_| ()),
    }
}

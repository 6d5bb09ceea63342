//! Seeks to rows and skips them.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::NpyReader;
use super::elements::Elements;
use super::stage::with_totals;
use crate::element::NpyElement;
use crate::error::{Error, ErrorKind, Result};
use crate::format::rows::OuterAxis;
use crate::memory::{Bulk, ReadBuf, STAGE_BYTES};

impl<R: Read> NpyReader<R> {
    /// Skips rows of a stream by reading and discarding them, in bounded memory.
    ///
    /// In a file, [`seek_to`](Self::seek_to) skips without reading.
    ///
    /// A row is what one index of the outer axis has: of the first axis in C order, of the last in
    /// Fortran order. A row of a one-dimensional array is an element.
    ///
    /// # Errors
    ///
    /// Fails if fewer rows remain, if the file is truncated, or if reading fails.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// # let mut file = Vec::new();
    /// # npy_core::write(&mut file, &[1_u16, 2, 3, 4, 5])?;
    /// let mut reader = NpyReader::new(&file[..])?;
    /// reader.skip(3)?;
    /// assert_eq!(reader.into_vec::<u16>()?, [4, 5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn skip(&mut self, rows: usize) -> Result<()> {
        let elements = rows.saturating_mul(OuterAxis::of(&self.state.header).per_row);
        if elements > self.remaining() {
            let found = self.remaining() as u64;
            return Err(self.state.locate(ErrorKind::WrongCount { expected: elements as u64, found }.into()));
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
    /// [`records`](Self::records), [`chunks`](Self::chunks) and the other methods continue from
    /// there.
    ///
    /// A row is what one index of the outer axis has: of the first axis in C order, of the **last**
    /// in Fortran order. A row of a one-dimensional array is an element. The row behind the last is
    /// the end of the array, where the next array of the stream begins. The array need not begin at
    /// the start of the stream.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer rows, or if seeking fails.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("trace.npy");
    /// # npy_core::save(&path, &[1_i32, 2, 3, 4, 5])?;
    /// let mut reader = NpyReader::open(&path)?;
    /// reader.seek_to(3)?;
    /// assert_eq!(reader.remaining(), 2);
    /// assert_eq!(reader.records::<i32>().next().transpose()?, Some(4));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn seek_to(&mut self, row: usize) -> Result<()> {
        let element = OuterAxis::of(&self.state.header).element(row).map_err(|error| self.state.locate(error))?;
        self.state.begin()?;
        self.go_to(element)?;
        self.elements().end(0)
    }

    /// Reads a range of rows, counted from the beginning of the array.
    ///
    /// The elements come in the order of the file. Afterwards the reader is positioned behind them.
    ///
    /// [`seek_to`](Self::seek_to) explains what a row is. [`read_region`](Self::read_region) reads
    /// parts of rows.
    ///
    /// # Errors
    ///
    /// Fails like [`into_vec`](Self::into_vec), if there are fewer rows, and if seeking fails.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("trace.npy");
    /// # npy_core::save(&path, &[1_i32, 2, 3, 4, 5])?;
    /// let mut reader = NpyReader::open(&path)?;
    /// assert_eq!(reader.read_at::<i32>(3..5)?, [4, 5]);
    /// assert_eq!(reader.read_at::<i32>(0..2)?, [1, 2]);
    /// assert_eq!(reader.remaining(), 3);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
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
        // Here it would go back in its buffer, behind which bytes may have been read from the file
        // directly.
        _ => reader.seek(SeekFrom::Current(distance)).map(|_| ()),
    }
}

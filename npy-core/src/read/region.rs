//! Reads a rectangular region without reading the rest of the array.

use std::io::{self, Read, Seek};
use std::ops::Range;

use super::elements::Elements;
use super::reader::NpyReader;
use super::rows::seek;
use super::source::{Source, Stream};
use crate::element::NpyElement;
use crate::error::{Error, ErrorKind, Result};
use crate::format::header::Header;
use crate::format::region::{AxisRange, Pieces, region_shape};
use crate::memory::{ReadBuf, STAGE_BYTES, truncated_or_io};

/// The longest gap between two ranges that is read and discarded, because a seek costs more.
const MOST_GAP: u64 = 16 * 1024;

/// The shortest range that is read to its destination directly, and not through the stage.
const DIRECT: u64 = 64 * 1024;

impl<R: Read + Seek> NpyReader<R> {
    /// Reads a rectangular region without reading the rest of the array.
    ///
    /// Each axis takes a range, an index or a stepped range. The elements come in the order of the file,
    /// and [`region_shape`](crate::region::region_shape) returns their shape. Afterwards the reader is
    /// positioned after the last of them.
    ///
    /// The [`byte_ranges`](crate::region::byte_ranges) of the region are read. Gaps of at most 16 KiB
    /// are read and discarded. Reading takes 256 KiB of memory beyond the result.
    ///
    /// # Errors
    ///
    /// Fails if the region has the wrong number of axes, exceeds one of them, or has a step of 0. The
    /// index in an error of an element counts from the beginning of the region.
    pub fn read_region<T: NpyElement>(&mut self, region: &[AxisRange]) -> Result<Vec<T>> {
        let plan = self.state.plan::<T>()?;
        Ok(self.gather(region, &mut |elements, count| elements.read_vec(&plan, count))?.1)
    }

    /// Reads the elements of a region: by `whole` if they are contiguous, otherwise by `each`, from
    /// a reader that concatenates them. Also returns the header of an array of these elements.
    pub(crate) fn gather<V>(
        &mut self,
        region: &[AxisRange],
        read: &mut dyn FnMut(&mut Elements<'_>, usize) -> Result<V>,
    ) -> Result<(Header, V)> {
        let header = &self.state.header;
        let divided = Pieces::new(header, region).and_then(|pieces| Ok((pieces, header.reshaped(&region_shape(header, region)?)?)));
        let (pieces, header) = divided.map_err(|error| self.state.locate(error))?;
        let itemsize = self.state.header.dtype().itemsize();
        // Offsets in the data are smaller than the size of the data, which fits an `isize`.
        let element = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX) / itemsize.max(1);
        self.state.begin()?;
        if let Some(range) = pieces.only() {
            self.go_to(element(range.start))?;
            self.elements().end(0)?;
            let items = read(&mut self.elements(), header.element_count())?;
            return Ok((header, items));
        }
        let end = pieces.end().unwrap_or(0);
        let position = self.state.position as u64 * itemsize as u64;
        let data_offset = self.state.data_offset;
        let Stream { reader, source } = &mut self.stream;
        let is_there = (source.length)(reader, self.state.offset()).is_some_and(|length| length.saturating_sub(data_offset) >= end);
        let mut gather = Gather {
            origin: Origin { reader, fill: source.fill, position, missing: None },
            pieces,
            current: 0..0,
            stage: Vec::new(),
            staged: 0..0,
            is_there,
        };
        let mut reader = NpyReader::behind_header(&mut gather, Gather::source(), header.clone(), 0);
        reader.state.path.clone_from(&self.state.path);
        let result = read(&mut reader.elements(), header.element_count());
        let missing = gather.origin.missing.take();
        let items = result.map_err(|error| match missing {
            Some(Missing { begin, expected, found }) => {
                let offset = data_offset + begin;
                self.state.locate(Error::truncated("the array", offset, expected, found))
            }
            None => error,
        })?;
        if end > 0 {
            self.state.position = element(end);
        }
        self.elements().end(0)?;
        Ok((header, items))
    }
}

/// Reads the bytes of a region as if they were contiguous.
pub(crate) struct Gather<'a, R> {
    origin: Origin<'a, R>,
    /// The pieces after the current one.
    pieces: Pieces,
    /// The rest of the current piece.
    current: Range<u64>,
    /// Bytes that were read together, and their range in the data.
    stage: Vec<u8>,
    staged: Range<u64>,
    /// Whether the file is known to reach the end of the region.
    is_there: bool,
}

impl<R: Read + Seek> Gather<'_, R> {
    fn source<'b>() -> Source<&'b mut Self> {
        Source {
            fill: |gather, buf| gather.fill(buf),
            length: |gather, _| gather.is_there.then_some(u64::MAX),
            bytes: |_| &[],
            consume: |_, _| (),
            finish: |_| Ok(()),
            is_owned: false,
            file: None,
        }
    }

    /// Fills the buffer with the next bytes of the region.
    fn fill(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        while !buf.is_full() {
            if self.current.is_empty() {
                match self.pieces.next() {
                    Some(next) => self.current = next,
                    None => break,
                }
            }
            let length = self.current.end - self.current.start;
            if self.staged.contains(&self.current.start) {
                self.copy_staged(buf)?;
            } else if length >= DIRECT {
                let count = usize::try_from(length).map_or(buf.room(), |length| length.min(buf.room()));
                self.origin.read_at(self.current.start, buf, count)?;
                self.current.start += count as u64;
            } else {
                self.fill_stage()?;
            }
        }
        Ok(())
    }

    /// Copies the rest of the current piece from the stage, which holds it to its end, and the next
    /// ones of the innermost loop that it holds.
    fn copy_staged(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        let Range { start, end } = self.current;
        let staged = |range: Range<u64>| {
            let [begin, end] = [range.start, range.end].map(|at| usize::try_from(at - self.staged.start).unwrap_or(usize::MAX));
            self.stage.get(begin..end).ok_or(io::ErrorKind::InvalidInput)
        };
        self.current.start += buf.copy_from(staged(start..end)?) as u64;
        if self.current.is_empty()
            && let Some(run) = self.pieces.next_within_run(self.staged.end, buf.room() as u64 / self.pieces.length)
        {
            // Both are within the stage.
            let [length, stride] = [run.length, run.stride].map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
            buf.copy_strided(staged(run.start..run.end)?, length, stride);
        }
        Ok(())
    }

    /// Reads the rest of the current piece, and the next ones as far as they are near and fit the
    /// stage.
    fn fill_stage(&mut self) -> io::Result<()> {
        let Range { start, mut end } = self.current.clone();
        let limit = start + STAGE_BYTES as u64;
        let mut ahead = self.pieces.clone();
        let is_dense = ahead.inner_gap() <= MOST_GAP;
        // Pieces are ascending and do not overlap.
        while let Some(next) = ahead.next().filter(|next| next.start - end <= MOST_GAP && next.end <= limit) {
            end = next.end;
            if is_dense && let Some(run) = ahead.next_within_run(limit, u64::MAX) {
                end = run.end;
            }
        }
        // At most the capacity of the stage.
        let length = usize::try_from(end - start).unwrap_or(STAGE_BYTES);
        if self.stage.len() < length {
            self.stage.resize(length, 0);
        }
        self.staged = 0..0;
        self.origin.read_at(start, &mut ReadBuf::over(&mut self.stage[..length]), length)?;
        self.staged = start..end;
        Ok(())
    }
}

/// The stream that holds the array.
struct Origin<'a, R> {
    reader: &'a mut R,
    fill: fn(&mut R, &mut ReadBuf<'_>) -> io::Result<()>,
    /// The position, counted from the beginning of the data.
    position: u64,
    /// The range in which the file ended.
    missing: Option<Missing>,
}

struct Missing {
    begin: u64,
    expected: u64,
    found: u64,
}

impl<R: Read + Seek> Origin<'_, R> {
    /// Reads `count` bytes that begin at `begin`; the buffer has the capacity.
    fn read_at(&mut self, begin: u64, buf: &mut ReadBuf<'_>, count: usize) -> io::Result<()> {
        seek(self.reader, self.position, begin)?;
        let Self { reader, fill, .. } = self;
        let before = buf.filled();
        let result = buf.fill_at_most(count, |buf| buf.fill_up(&mut |buf| fill(reader, buf))).map(drop);
        let found = (buf.filled() - before) as u64;
        self.position = begin + found;
        result.map_err(|error| truncated_or_io(error, begin, count as u64, found)).map_err(|error| {
            if error.kind() == ErrorKind::Truncated {
                self.missing = Some(Missing { begin, expected: count as u64, found });
            }
            error.into()
        })
    }
}

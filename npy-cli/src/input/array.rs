//! One array of an input, whether it comes once or can be read again.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write};

use npy_core::object::{ObjectArray, ObjectOptions, UnknownGlobals};
use npy_core::region::AxisRange;
use npy_core::{DynValues, Header, NpyReader, Order};

use super::arrays::MAGIC;
use crate::failure::{Failure, Result};
use crate::signals;
use crate::values::quantity;

/// One array, wherever it is.
pub(crate) trait Array {
    /// Dtype, order, shape and version.
    fn header(&self) -> &Header;
    /// The position of the data, counted from the beginning of the `.npy` header.
    fn data_offset(&self) -> u64;
    /// See [`NpyReader::next_elements`].
    fn next_elements(&mut self, count: usize) -> Result<Option<DynValues>>;
    /// See [`NpyReader::read_region_values`].
    fn read_region(&mut self, region: &[AxisRange]) -> Result<DynValues>;
    /// The elements of a region at both ends of each axis that has edges.
    fn read_edges(&mut self, region: &[AxisRange], edges: &[Option<usize>]) -> Result<DynValues>;
    /// The array as Python objects, of which nothing is run.
    fn into_objects(self: Box<Self>, options: ObjectOptions) -> npy_core::Result<ObjectArray>;
    /// Writes the bytes of the file from this row on, also behind the array; returns their number. In a member,
    /// nothing follows once all elements were read.
    fn copy_from(self: Box<Self>, row: usize, out: &mut dyn Write) -> Result<u64>;
    /// The first bytes behind the elements, which were all read: as many as an array begins with.
    fn rest(self: Box<Self>) -> Result<Vec<u8>>;
    /// Whether reading can go back: not in a stream or a compressed member.
    fn can_go_back(&self) -> bool;
}

/// The largest array that is copied to memory. Larger ones go to a temporary file.
pub(crate) const MOST_MEMORY: usize = 256 << 20;

/// The number of rows of an array in its order, for [`Array::copy_from`] to begin behind the last.
pub(crate) fn rows_of(header: &Header) -> usize {
    let rows = if header.order() == Order::C { header.shape().first() } else { header.shape().last() };
    rows.copied().unwrap_or(1)
}

/// The bytes of a row of the first axis, or of a single element.
pub(crate) fn row_bytes(header: &Header) -> usize {
    let axes = header.shape().iter().skip(1);
    axes.fold(header.dtype().itemsize(), |bytes, length| bytes.saturating_mul(*length))
}

impl<R: Read + Seek> Array for NpyReader<R> {
    fn header(&self) -> &Header {
        self.header()
    }

    fn data_offset(&self) -> u64 {
        self.data_offset()
    }

    fn next_elements(&mut self, count: usize) -> Result<Option<DynValues>> {
        // The usual step of long work.
        signals::check()?;
        Ok(self.next_elements(count)?)
    }

    fn read_region(&mut self, region: &[AxisRange]) -> Result<DynValues> {
        signals::check()?;
        Ok(self.read_region_values(region)?)
    }

    fn read_edges(&mut self, region: &[AxisRange], edges: &[Option<usize>]) -> Result<DynValues> {
        Ok(self.read_edges(region, edges)?)
    }

    fn into_objects(self: Box<Self>, options: ObjectOptions) -> npy_core::Result<ObjectArray> {
        (*self).into_objects(options)
    }

    fn copy_from(mut self: Box<Self>, row: usize, out: &mut dyn Write) -> Result<u64> {
        if row > 0 {
            self.seek_to(row)?;
        }
        copy(&mut self.into_inner(), out)
    }

    fn rest(mut self: Box<Self>) -> Result<Vec<u8>> {
        let rows = rows_of(Self::header(&self));
        if rows > 0 {
            self.seek_to(rows)?;
        }
        let mut rest = Vec::new();
        let read = self.into_inner().take(MAGIC.len() as u64).read_to_end(&mut rest);
        read.map_err(Failure::cannot("read the file"))?;
        Ok(rest)
    }

    fn can_go_back(&self) -> bool {
        true
    }
}

/// Values in memory as the file that has them.
pub(crate) fn in_memory(values: &DynValues) -> Result<NpyReader<Cursor<Vec<u8>>>> {
    let mut file = Vec::new();
    values.write(&mut file)?;
    Ok(NpyReader::new(Cursor::new(file))?)
}

/// The options for pickles: an object of an unknown class is kept with its name.
pub(crate) fn object_options() -> ObjectOptions {
    ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque).keep_cycles(true)
}

/// An array whose bytes come once, one after another.
pub(super) struct Once<A>(pub(super) A);

impl<A: Array> Array for Once<A> {
    fn header(&self) -> &Header {
        self.0.header()
    }

    fn data_offset(&self) -> u64 {
        self.0.data_offset()
    }

    fn next_elements(&mut self, count: usize) -> Result<Option<DynValues>> {
        self.0.next_elements(count)
    }

    fn read_region(&mut self, region: &[AxisRange]) -> Result<DynValues> {
        self.0.read_region(region)
    }

    fn read_edges(&mut self, region: &[AxisRange], edges: &[Option<usize>]) -> Result<DynValues> {
        self.0.read_edges(region, edges)
    }

    fn into_objects(self: Box<Self>, options: ObjectOptions) -> npy_core::Result<ObjectArray> {
        Box::new(self.0).into_objects(options)
    }

    fn copy_from(self: Box<Self>, row: usize, out: &mut dyn Write) -> Result<u64> {
        Box::new(self.0).copy_from(row, out)
    }

    fn rest(self: Box<Self>) -> Result<Vec<u8>> {
        Box::new(self.0).rest()
    }

    fn can_go_back(&self) -> bool {
        false
    }
}

/// Copies the rest of a stream, and returns the number of bytes.
pub(crate) fn copy(stream: &mut impl Read, out: &mut dyn Write) -> Result<u64> {
    let mut buffer = vec![0; SPOOL_BYTES];
    let mut copied = 0;
    loop {
        signals::check()?;
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(copied),
            Ok(read) => {
                out.write_all(&buffer[..read])?;
                copied += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::Nameless(format!("cannot read the file: {error}"))),
        }
    }
}

/// Writes an array with this header, and all bytes behind it, as they are in the file.
pub(crate) fn write_whole(array: Box<dyn Array + '_>, header: &Header, out: &mut dyn Write) -> Result<()> {
    out.write_all(&header.to_bytes())?;
    // A pickle says itself where it ends.
    let expected = if header.dtype().has_object() { 0 } else { header.data_bytes() };
    let found = array.copy_from(0, out)?;
    if found < expected {
        return Err(Failure::Nameless(format!("truncated: {}", quantity::expected_bytes(expected, found))));
    }
    Ok(())
}

/// Copies an array to a temporary file, in which reading can go back.
///
/// It takes the bytes that come, and never more than the header says.
pub(crate) fn spooled(array: &mut dyn Array) -> Result<Box<dyn Array>> {
    let header = array.header().clone();
    spool(&header, |file| write_elements(array, file))
}

/// Writes the elements of an array to a temporary file.
pub(super) fn write_elements(array: &mut dyn Array, file: &mut dyn Write) -> Result<()> {
    let itemsize = array.header().dtype().itemsize();
    let count = (SPOOL_BYTES / itemsize.max(1)).max(1);
    while itemsize > 0
        && let Some(values) = array.next_elements(count)?
    {
        file.write_all(values.bytes()).map_err(|error| not_spooled(&error))?;
    }
    Ok(())
}

/// An array in a temporary file, of which `write` writes the elements.
pub(crate) fn spool(header: &Header, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<Box<dyn Array>> {
    let failed = |error: io::Error| not_spooled(&error);
    // It has no name, so that nothing remains of it.
    let mut file = BufWriter::new(tempfile::tempfile().map_err(failed)?);
    file.write_all(&header.to_bytes()).map_err(failed)?;
    write(&mut file)?;
    let mut file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    Ok(Box::new(NpyReader::from_file(file)?))
}

/// The failure of a temporary file.
pub(crate) fn not_spooled(error: &io::Error) -> Failure {
    Failure::Nameless(format!("cannot write a temporary file: {error}"))
}

/// Copies an array and the bytes behind it to a temporary file.
pub(crate) fn spooled_with_rest(array: Box<dyn Array + '_>) -> Result<Box<dyn Array>> {
    let header = array.header().clone();
    spool(&header, |file| match array.copy_from(0, file) {
        Err(Failure::Unwritten(error)) => Err(not_spooled(&error)),
        result => result.map(|_| ()),
    })
}

/// The bytes that are copied at once.
const SPOOL_BYTES: usize = 1 << 20;

//! The header of a growing file, which counts the committed rows.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::output::{Changes, Sink, WriteBack, cannot_write};
use crate::error::describe::counted;
use crate::error::{Error, ErrorKind, Result, tuple};
use crate::format::header::{Escapes, Header};
use crate::options::Order;
use crate::sys::lock::is_same;

/// A header of fixed length whose outer axis grows.
#[derive(Clone, Debug)]
pub(crate) struct Growable {
    header: Header,
    /// Bytes of the header in the file.
    pub(super) header_bytes: usize,
    /// Elements of a row: one index of the outer axis.
    pub(super) row_elements: u64,
    pub(super) row_bytes: u64,
}

impl Growable {
    /// A header of `header_bytes` bytes in the file, for elements as in `layout`.
    pub(crate) fn new(header: &Header, layout: &Header, header_bytes: usize) -> Result<Self> {
        if header.dtype().has_object() {
            return Err(Error::object_array());
        }
        let outer = outer_axis(layout)?;
        let others = layout.shape().iter().enumerate().filter(|(axis, _)| *axis != outer).map(|(_, length)| *length as u64);
        let row_elements = others.fold(1, u64::saturating_mul);
        if row_elements == 0 {
            return Err(empty_rows());
        }
        let row_bytes = row_elements.saturating_mul(layout.dtype().itemsize() as u64);
        Ok(Self { header: header.clone(), header_bytes, row_elements, row_bytes })
    }

    /// The number of whole rows in a number of elements.
    pub(crate) fn rows(&self, elements: u64) -> u64 {
        elements / self.row_elements
    }

    /// The error of elements that do not fill their last row.
    #[cold]
    fn incomplete(&self, elements: u64) -> Error {
        let row = self.rows(elements);
        let mut shape = self.header.shape().to_vec();
        if let Some(length) = outer_axis(&self.header).ok().and_then(|outer| shape.get_mut(outer)) {
            *length = usize::try_from(row).unwrap_or(usize::MAX);
        }
        let (expected, found) = (self.row_elements, elements % self.row_elements);
        let line = if self.header.order() == Order::Fortran { "column" } else { "row" };
        let (shape, expected) = (tuple(&shape), counted(expected, "element"));
        let message = format!("incomplete {line} {row} of an array of shape {shape}: expected {expected}, found {found}");
        Error::new(ErrorKind::WrongShape, message)
    }

    /// The error of more rows than the header has digits for.
    #[cold]
    pub(crate) fn full(&self) -> Error {
        let bytes = counted(self.header_bytes, "byte");
        Error::cannot_grow(format_args!("the header of {bytes} has no space for a larger shape; load and save the array once"))
    }

    /// The largest number of rows that the header can hold.
    pub(crate) fn most_rows(&self) -> u64 {
        // As far as the size of an array allows.
        let largest = isize::MAX as u64 / self.row_bytes.max(self.row_elements);
        let Ok((_, end)) = self.dict(0) else { return 0 };
        // The existing digit, and the digits that fit before the line feed.
        let digits = self.header_bytes.checked_sub(end).and_then(|digits| u32::try_from(digits).ok()).unwrap_or_default();
        10_u64.checked_pow(digits).map_or(largest, |next| largest.min(next - 1))
    }

    /// The header for a number of rows, in the same number of bytes.
    pub(crate) fn bytes(&self, rows: u64) -> Result<Vec<u8>> {
        let (mut bytes, end) = self.dict(rows)?;
        if end >= self.header_bytes {
            return Err(self.full());
        }
        // As many bytes as before, whatever NumPy would write now.
        bytes.truncate(end);
        bytes.resize(self.header_bytes - 1, b' ');
        bytes.push(b'\n');
        let prefix = if self.header.version().major() == 1 { 10 } else { 12 };
        let text_bytes = (self.header_bytes - prefix).to_le_bytes();
        bytes[8..prefix].copy_from_slice(&text_bytes[..prefix - 8]);
        Ok(bytes)
    }

    /// A header for a number of rows, and the end of its dict.
    fn dict(&self, rows: u64) -> Result<(Vec<u8>, usize)> {
        let mut shape = self.header.shape().to_vec();
        let outer = outer_axis(&self.header)?;
        let overflow = || Error::shape_overflow(self.header.shape(), self.header.dtype().itemsize());
        shape[outer] = usize::try_from(rows).map_err(|_| overflow())?;
        let version = self.header.version();
        let mut header = Header::new(self.header.dtype().clone(), self.header.order(), &shape)?;
        if header.version() != version {
            header = header.in_version(version, Escapes::Allowed)?;
        }
        let bytes = header.to_bytes();
        let end = bytes.iter().rposition(|byte| !matches!(byte, b' ' | b'\n')).map_or(0, |last| last + 1);
        Ok((bytes, end))
    }
}

/// The header of a new array that grows: C order for a single axis, as NumPy has it for arrays that
/// are contiguous in both orders. With more axes the order says which of them grows, even while
/// the others have length 1.
pub(super) fn canonical(header: &Header) -> Cow<'_, Header> {
    match (header.shape(), header.order()) {
        ([_], Order::Fortran) => Cow::Owned(header.in_c_order()),
        _ => Cow::Borrowed(header),
    }
}

/// The axis along which an array grows: new rows come last in the file.
fn outer_axis(header: &Header) -> Result<usize> {
    let axes = header.shape().len();
    let outer = if header.order() == Order::Fortran { axes.checked_sub(1) } else { (axes > 0).then_some(0) };
    outer.ok_or_else(|| Error::cannot_grow("expected at least 1 dimension, found 0"))
}

/// The error of rows without elements, which cannot be counted.
#[cold]
pub(super) fn empty_rows() -> Error {
    Error::cannot_grow("expected rows with elements, found empty ones")
}

/// An array whose rows are counted while they are written.
pub(crate) struct Growth {
    pub(crate) growable: Growable,
    /// The number of elements that the file had before.
    pub(crate) start: u64,
    /// The number of rows that the header counts.
    committed: u64,
    /// The file, if it was opened by path.
    pub(crate) file: Option<GrowingFile>,
}

impl Growth {
    /// Of an array that had `start` elements before.
    pub(crate) fn new(growable: Growable, start: u64, file: Option<GrowingFile>) -> Self {
        let committed = growable.rows(start);
        Self { growable, start, committed, file }
    }

    /// Of a file that had `start` elements before.
    pub(crate) fn of_file(path: &Path, file: &File, growable: Growable, start: u64) -> Result<Self> {
        let rows = growable.rows(start).saturating_mul(growable.row_bytes);
        let place = (growable.header_bytes as u64).saturating_add(rows);
        let file = GrowingFile::new(file, path, place).map_err(cannot_write)?;
        Ok(Self::new(growable, start, Some(file)))
    }

    /// Writes the number of rows into the header, once they are safe. `count` elements were added.
    pub(crate) fn commit(&mut self, sink: &mut dyn Sink, count: u64, itemsize: usize) -> Result<()> {
        let elements = self.start + count;
        let rows = self.growable.rows(elements);
        sink.flush().map_err(cannot_write)?;
        if rows != self.committed {
            let header = self.growable.bytes(rows)?;
            let back = header.len() as u64 + elements * itemsize as u64;
            sink.patch(back, &header).map_err(cannot_write)?;
            self.committed = rows;
        }
        self.file.as_ref().map_or(Ok(()), |file| file.expect_in_place().map_err(cannot_write))
    }

    /// The error of elements that do not fill their last row, if there are any.
    pub(crate) fn incomplete(&self, count: u64) -> Option<Error> {
        let elements = self.start + count;
        (!elements.is_multiple_of(self.growable.row_elements)).then(|| self.growable.incomplete(elements))
    }
}

/// Overwrites bytes at a distance before the current position, and returns to it.
pub(crate) fn patch<W: Write + Seek>(writer: &mut W, back: u64, bytes: &[u8]) -> io::Result<()> {
    let distance = |bytes: u64| i64::try_from(bytes).map_err(io::Error::other);
    // Relative to here, because the array need not begin where the stream does.
    let place = writer.seek(SeekFrom::Current(-distance(back)?))?;
    writer.write_all(bytes)?;
    if writer.seek(SeekFrom::Current(distance(back - bytes.len() as u64)?))? != place + back {
        return Err(Error::cannot_grow("expected a stream that writes where it is seeked to, found one that only appends").into());
    }
    Ok(())
}

/// The changes of the header of a file.
pub(super) const FILE_CHANGES: Changes<File> = Changes { patch: patch_file, sync: sync_file };

/// [`patch`] for a file that the array begins.
fn patch_file(file: &mut File, back: u64, bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    {
        let _ = back;
        std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
    }
    #[cfg(not(unix))]
    patch(file, back, bytes)
}

fn sync_file(file: &mut File) -> io::Result<()> {
    file.sync_data()
}

/// The file that holds a growing array, in addition to the stream.
pub(crate) struct GrowingFile {
    file: File,
    pub(super) path: PathBuf,
    /// Starts writing pieces to the disk early, because the file is going to be synced.
    write_back: WriteBack,
}

impl GrowingFile {
    /// A file that ends at `place`.
    fn new(file: &File, path: &Path, place: u64) -> io::Result<Self> {
        Ok(Self { file: file.try_clone()?, path: path.to_owned(), write_back: WriteBack::from(place) })
    }

    /// Records that the file was written up to `place`.
    pub(crate) fn note(&mut self, place: u64) {
        self.write_back.reach(&self.file, place);
    }

    /// Checks that the path still names this file.
    pub(crate) fn expect_in_place(&self) -> io::Result<()> {
        let gone = || io::Error::from(Error::replaced());
        if is_same(&self.file, &self.path)? { Ok(()) } else { Err(gone()) }
    }
}

//! Maps for reading.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};

use super::header::MapHeader;
use super::open::{Access, cannot_map, cannot_open, extent, open_regular};
use crate::error::{Error, Result};
use crate::format::header::Header;
#[cfg(feature = "rawarray")]
use crate::format::rawarray::RaHeader;
use crate::format::rows::OuterAxis;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::view::column::NpyColumn;
use crate::view::{NpyView, elements};

/// A file mapped into memory for reading.
///
/// Borrows its elements as slices. Only the pages that you touch are read from the disk. The type of
/// the header is that of the format. See [`NpyMap`](crate::NpyMap) for an example, and `RaMap` of the feature `rawarray`.
///
/// [`file_bytes`](Self::file_bytes) returns the mapped file, for functions that take a file in
/// memory, such as [`NpyReader::from_bytes`](crate::NpyReader::from_bytes). `npy_ndarray::MapNpyExt`
/// returns array views of `ndarray`.
pub struct Map<H> {
    /// From the beginning of the file to the end of its data or metadata. In a [`MapMut`](super::MapMut) it is writable.
    pub(super) file: MmapRaw,
    pub(super) header: H,
    /// The range of the data in `file`.
    pub(super) data: Range<usize>,
    /// The path, for errors.
    pub(super) path: Box<Path>,
}

impl<H: MapHeader> Map<H> {
    /// Maps a file for reading: mode `r` of NumPy.
    ///
    /// # Errors
    ///
    /// Fails if it is not a regular file, cannot be opened or mapped, is not of the format, is
    /// truncated, or holds Python objects.
    ///
    /// # Safety
    ///
    /// The bytes of a map are those of the file, even if another process changes it.
    ///
    /// - While a slice or a column borrows elements from the map, they must not change: that is
    ///   undefined behaviour. An [`NpyWriter`](crate::NpyWriter) changes the header of its file,
    ///   which is part of the map: map the file when the writer has finished.
    /// - While the file is mapped, it must not be truncated: touching a missing page ends the
    ///   process, on Unix with SIGBUS. So does a disk or a network that fails.
    ///
    /// Map a file that no one else knows or may write, or that all writers lock. A file that is
    /// replaced by a rename, as [`save`](crate::save) does, is harmless: the map keeps the old one.
    /// Without such certainty, [`load`](crate::load) the file.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::open_with(path, Limits::new()) }
    }

    /// [`open`](Self::open) with options: limits.
    ///
    /// # Safety
    ///
    /// Like [`open`](Self::open).
    pub unsafe fn open_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::map_file(path.as_ref(), options.into().limits, Access::Read) }
    }

    /// Maps a file that holds all of its data.
    ///
    /// # Safety
    ///
    /// Like [`open`](Self::open), and for [`Access::Write`] like [`MapMut::open`](super::MapMut::open).
    pub(super) unsafe fn map_file(path: &Path, limits: Limits, access: Access) -> Result<Self> {
        let map = || {
            let file = open_regular(path, access == Access::Write)?;
            let (header, offset) = H::read_header(&file, &limits)?;
            let data = extent(header.to_npy(), offset)?;
            let found = file.metadata().map_err(cannot_open)?.len();
            if found < data.end as u64 {
                let (offset, expected) = (offset as u64, header.to_npy().data_bytes());
                return Err(Error::truncated("the array", offset, expected, found.saturating_sub(offset)));
            }
            // A file too long for a map has no metadata.
            let whole = usize::try_from(found).ok().filter(|&end| H::HAS_METADATA && isize::try_from(end).is_ok());
            let mut options = MmapOptions::new();
            options.len(whole.unwrap_or(data.end));
            let file = match access {
                Access::Read => options.map_raw_read_only(&file),
                Access::Write => options.map_raw(&file),
                // SAFETY: the caller promises that no one changes what a slice shows, or truncates the file.
                Access::Copy => unsafe { options.map_copy(&file) }.map(MmapRaw::from),
            };
            Ok(Self { file: file.map_err(cannot_map)?, header, data, path: path.into() })
        };
        map().map_err(|error: Error| error.with_path(path))
    }

    /// Returns the header, as it was when the file was mapped.
    pub fn header(&self) -> &H {
        &self.header
    }

    /// Returns the offset of the data in the file.
    pub fn data_offset(&self) -> usize {
        self.data.start
    }

    /// Borrows the bytes of the elements, without the header.
    pub fn bytes(&self) -> &[u8] {
        &self.file_bytes()[self.data.clone()]
    }

    /// Borrows the mapped bytes of the file: header and data.
    ///
    /// Bytes after the array are not among them, but for the metadata of an `.ra` file.
    ///
    /// Functions that take a file in memory take this slice. The map itself is not a slice:
    /// its length would be that of the header and the data in bytes.
    pub fn file_bytes(&self) -> &[u8] {
        // SAFETY: the file is mapped for reading while `self` lives. A mutable slice of it borrows `self`
        // mutably, so that none exists now. The caller of `open` promised that no one changes what a slice
        // shows, or truncates the file.
        unsafe { std::slice::from_raw_parts(self.file.as_ptr(), self.file.len()) }
    }

    /// Borrows the elements in the order of the file.
    ///
    /// Records need a struct with `#[npy(view)]`. Elements of a user-defined type, in an `.ra` file, are
    /// viewed as `T` if it has the same size.
    ///
    /// No element is read, unless some patterns of bytes are invalid, as for bools and
    /// enums: then all are checked, every time.
    ///
    /// # Errors
    ///
    /// Fails if the dtype differs from that of `T` in anything, byte order included; if the
    /// data are not aligned for `T`, as in some files of NumPy before 1.14; or if a bool is
    /// neither 0 nor 1. [`NpyReader::from_bytes`](crate::NpyReader::from_bytes) reads a
    /// copy of all of these from [`file_bytes`](Self::file_bytes).
    pub fn view<T: NpyView>(&self) -> Result<&[T]> {
        self.rows(0..self.row_count())
    }

    /// Returns the number of rows; see [`rows`](Self::rows).
    pub fn row_count(&self) -> usize {
        OuterAxis::of(self.header.to_npy()).rows
    }

    /// Borrows the elements of a range of rows.
    ///
    /// Nothing else is read, so that others may change other rows.
    ///
    /// A row is contiguous in the file: it has one index of the first axis in C order, and
    /// of the last axis, usually called a column, in Fortran order. An array without axes
    /// is one row.
    ///
    /// Fails like [`view`](Self::view), and when there are fewer rows.
    pub fn rows<T: NpyView>(&self, rows: Range<usize>) -> Result<&[T]> {
        let rows = self.header.seen_as::<T>().and_then(|header| {
            let range = OuterAxis::of(&header).elements(&rows)?;
            elements(&header, self.bytes(), self.data.start, range)
        });
        rows.map_err(|error| self.locate(error))
    }

    /// The error, with the path of the file.
    #[cold]
    pub(super) fn locate(&self, error: Error) -> Error {
        error.with_path(&*self.path)
    }
}

impl Map<Header> {
    /// Borrows one field of all records, without a struct for the others.
    ///
    /// It is [`view_column`](crate::view_column) of the mapped file, with the same rules and errors.
    /// [`load_columns`](crate::load_columns) reads a copy of other byte orders and bools.
    pub fn column<T: NpyView + Copy>(&self, name: &str) -> Result<NpyColumn<'_, T>> {
        NpyColumn::new(&self.header, self.bytes(), self.data.start, name).map_err(|error| self.locate(error))
    }
}

#[cfg(feature = "rawarray")]
impl Map<RaHeader> {
    /// Returns the metadata that follow the elements.
    pub fn metadata(&self) -> &[u8] {
        &self.file_bytes()[self.data.end..]
    }
}

impl<H: fmt::Debug> fmt::Debug for Map<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("header", &self.header).field("data_offset", &self.data.start).finish_non_exhaustive()
    }
}

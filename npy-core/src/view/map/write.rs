//! Maps for writing.

use std::fmt;
use std::fs;
use std::io;
use std::ops::{Deref, Range};
use std::path::Path;

use memmap2::MmapOptions;

use super::header::MapHeader;
use super::open::{Access, cannot_map, extent, require_regular};
use super::read::Map;
use crate::error::{Error, Result};
use crate::format::header::Header;
use crate::format::rows::{OuterAxis, row_range};
use crate::limits::Limits;
use crate::memory::reserve_exact;
use crate::options::{ReadOptions, SaveOptions};
use crate::view::{NpyView, elements_mut};
use crate::write::replace::Replacement;

/// A file mapped into memory for writing, or a private copy of it.
///
/// See [`NpyMapMut`](crate::NpyMapMut) for an example. The methods of [`Map`] borrow the elements to be read.
///
/// [`bytes_mut`](Self::bytes_mut) changes the data. There is no mutable
/// [`file_bytes`](Map::file_bytes): it would let the header of the file differ from
/// [`header`](Map::header).
pub struct MapMut<H>(Map<H>);

impl<H: MapHeader> MapMut<H> {
    /// Maps a file for reading and writing: mode `r+` of NumPy.
    ///
    /// Fails like [`Map::open`], and if the file is not writable.
    ///
    /// # Safety
    ///
    /// The bytes of a map are those of the file, even if another process changes it.
    ///
    /// - While a slice or a column borrows elements from the map, no one else may change them.
    ///   While a mutable slice does, no one else may read them either. Both are undefined
    ///   behaviour. Other elements are free: several processes may fill disjoint
    ///   [`rows_mut`](Self::rows_mut) of a file, if they touch nothing else of it. A second map of
    ///   the file counts as someone else.
    /// - While the file is mapped, it must not be truncated: touching a missing page ends the
    ///   process, on Unix with SIGBUS. So does a disk or a network that fails, and a full disk when
    ///   a part of the file is filled for the first time.
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
        unsafe { Map::map_file(path.as_ref(), options.into().limits, Access::Write) }.map(Self)
    }

    /// Maps a file copy-on-write: mode `c` of NumPy.
    ///
    /// Changes stay in the memory of this process and never reach the file.
    ///
    /// Only the pages that are changed take memory. The file need not be writable.
    ///
    /// # Safety
    ///
    /// Like [`Map::open`]: pages that were not changed yet are those of the file.
    pub unsafe fn open_copy(path: impl AsRef<Path>) -> Result<Self> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::open_copy_with(path, Limits::new()) }
    }

    /// [`open_copy`](Self::open_copy) with options: limits.
    ///
    /// # Safety
    ///
    /// Like [`open_copy`](Self::open_copy).
    pub unsafe fn open_copy_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        // SAFETY: the caller's promise is the same.
        unsafe { Map::map_file(path.as_ref(), options.into().limits, Access::Copy) }.map(Self)
    }

    /// Borrows the bytes of the elements mutably.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.parts_mut().1
    }

    /// Borrows the elements mutably, in the order of the file.
    ///
    /// A struct with padding fails the build, because bytes that belong to no field would be
    /// written to the file.
    pub fn view_mut<T: NpyView>(&mut self) -> Result<&mut [T]> {
        self.rows_mut(0..self.row_count())
    }

    /// Borrows the elements of a range of rows mutably.
    ///
    /// See [`rows`](Map::rows) for what a row is.
    pub fn rows_mut<T: NpyView>(&mut self, rows: Range<usize>) -> Result<&mut [T]> {
        let offset = self.data_offset();
        let (header, data, path) = self.parts_mut();
        let rows = header.seen_as::<T>().and_then(|header| {
            let range = OuterAxis::of(&header).elements(&rows)?;
            elements_mut(&header, data, offset, range)
        });
        rows.map_err(|error| error.with_path(path))
    }

    /// Borrows `n` blocks of rows mutably, one for each of `n` threads.
    ///
    /// The blocks have nearly equal numbers of rows.
    ///
    /// They are those of [`row_range`](crate::region::row_range): some are empty if there are fewer
    /// rows. See [`rows`](Map::rows) for what a row is.
    pub fn split_rows_mut<T: NpyView>(&mut self, n: usize) -> Result<Vec<&mut [T]>> {
        let OuterAxis { rows, per_row, .. } = OuterAxis::of(self.header().to_npy());
        let mut blocks = Vec::new();
        reserve_exact(&mut blocks, n)?;
        let mut rest = self.view_mut::<T>()?;
        for i in 0..n {
            let length = row_range(rows, i, n).len() * per_row;
            blocks.extend(rest.split_off_mut(..length));
        }
        Ok(blocks)
    }

    /// Waits until all changes are on the disk.
    ///
    /// Other processes and readers of the file see the changes without it.
    ///
    /// The name of a new file may reach the disk later. A map of [`open_copy`](Self::open_copy) has
    /// nothing to write.
    ///
    /// Fails if writing fails, which is reported nowhere else.
    pub fn flush(&self) -> Result<()> {
        self.0.file.flush().map_err(|error| self.locate(cannot_flush(error)))
    }

    /// Starts writing all changes to the disk, without waiting.
    ///
    /// Fails if that cannot be started. Later failures are not reported.
    pub fn flush_async(&self) -> Result<()> {
        self.0.file.flush_async().map_err(|error| self.locate(cannot_flush(error)))
    }

    /// The header, the bytes of the elements, and the path.
    fn parts_mut(&mut self) -> (&H, &mut [u8], &Path) {
        let Map { file, header, data, path } = &mut self.0;
        // SAFETY: the file is mapped for writing while `self` lives, of which this is the only borrow. The
        // caller of `open` promised that no one else uses what a slice shows, or truncates the file.
        let bytes = unsafe { std::slice::from_raw_parts_mut(file.as_mut_ptr(), file.len()) };
        (header, &mut bytes[data.clone()], path)
    }
}

impl MapMut<Header> {
    /// Creates a file of zeros and maps it for writing: mode `w+` of NumPy.
    ///
    /// The zeros are not written: on most file systems they take no disk space until they are
    /// filled. An existing file is replaced once the new one has its header and its size; an error
    /// leaves it untouched. The new file is valid from the start. It does not say how much of it is
    /// filled.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be created, extended or mapped, if the path names something other
    /// than a regular file, or if the dtype is that of Python objects.
    ///
    /// # Safety
    ///
    /// Like [`open`](Self::open).
    pub unsafe fn create(path: impl AsRef<Path>, header: &Header) -> Result<Self> {
        let path = path.as_ref();
        let create = || {
            let data = extent(header, header.to_bytes().len())?;
            if let Ok(existing) = fs::metadata(path) {
                // A pipe or a device would be written to.
                require_regular(&existing)?;
            }
            let (file, replacement) = Replacement::begin(path)?;
            header.write(&file)?;
            file.set_len(data.end as u64).map_err(|error| Error::io("cannot resize the file", error))?;
            let map = MmapOptions::new().len(data.end).map_raw(&file).map_err(cannot_map)?;
            replacement.commit(SaveOptions::new(), || file.sync_all())?;
            // Where a map keeps its file open, it would keep the temporary file's lock too.
            let _ = file.unlock();
            Ok(Self(Map { file: map, header: header.clone(), data, path: path.into() }))
        };
        create().map_err(|error: Error| error.with_path(path))
    }
}

impl<H> Deref for MapMut<H> {
    type Target = Map<H>;

    fn deref(&self) -> &Map<H> {
        &self.0
    }
}

impl<H: fmt::Debug> fmt::Debug for MapMut<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MapMut").field(&self.0).finish()
    }
}

#[cold]
fn cannot_flush(error: io::Error) -> Error {
    Error::io("cannot flush the map", error)
}

//! Files mapped into memory, in the four modes of `np.lib.format.open_memmap`.

mod open;
#[cfg(feature = "rawarray")]
pub(crate) mod rawarray;

use std::fmt;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use memmap2::{Mmap, MmapMut, MmapOptions};

use self::open::{Opened, cannot_map, extent, require_regular};
use super::{NpyView, elements, elements_mut};
use crate::error::{Error, Result};
use crate::format::header::Header;
use crate::format::rows::{OuterAxis, row_range};
use crate::limits::Limits;
use crate::memory::reserve_exact;
use crate::options::{ReadOptions, SaveOptions};
use crate::write::replace::Replacement;

/// A file mapped into memory for reading.
///
/// Its elements are slices at once. Only the pages that you touch are read from the disk.
///
/// ```
/// use npy_core::NpyMap;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// npy_core::save(&path, &[[1.0_f64, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
///
/// // SAFETY: no one changes or truncates this file while it is mapped.
/// let map = unsafe { NpyMap::open(&path)? };
/// assert_eq!(map.header().shape(), [3, 2]);
/// assert_eq!(map.view::<f64>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!(map.rows::<f64>(1..2)?, [3.0, 4.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// [`file_bytes`](Self::file_bytes) returns the mapped file, for functions that take a file in
/// memory, such as [`NpyReader::from_bytes`](crate::NpyReader::from_bytes). `npy_ndarray::MapNpyExt`
/// returns array views of `ndarray`.
pub struct NpyMap {
    /// From the beginning of the file to the end of the array.
    file: Mmap,
    header: Header,
    /// The offset of the data.
    begin: usize,
    /// The path, for errors.
    path: Box<Path>,
}

/// A file mapped into memory for writing, or a private copy of it.
///
/// [`create`](Self::create) makes a file of its full size at once, whose parts take disk space when
/// they are filled. Many processes can fill it together: [`row_range`](crate::region::row_range)
/// returns the rows of each, and [`rows_mut`](Self::rows_mut) borrows them. Threads take
/// [`split_rows_mut`](Self::split_rows_mut):
///
/// ```
/// use npy_core::region::row_range;
/// use npy_core::{Header, NpyElement, NpyMapMut, Order};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let header = Header::new(f32::dtype(), Order::C, &[10, 3])?;
/// // SAFETY: no one else changes or truncates this file while it is mapped.
/// let mut map = unsafe { NpyMapMut::create(&path, &header)? };
///
/// // In the process 1 of 4:
/// let rows = row_range(map.row_count(), 1, 4);
/// assert_eq!(rows, 3..6);
/// for (row, samples) in rows.clone().zip(map.rows_mut::<f32>(rows)?.chunks_mut(3)) {
///     samples.fill(row as f32);
/// }
/// map.flush()?;
/// assert_eq!(map.rows::<f32>(2..4)?, [0.0, 0.0, 0.0, 3.0, 3.0, 3.0]);
///
/// // Or in four threads:
/// std::thread::scope(|scope| {
///     for block in map.split_rows_mut::<f32>(4)? {
///         scope.spawn(|| block.fill(1.5));
///     }
///     Ok::<(), npy_core::Error>(())
/// })?;
/// drop(map);
///
/// // Changes of a copy never reach the file.
/// // SAFETY: no one changes or truncates this file while it is mapped.
/// let mut copy = unsafe { NpyMapMut::open_copy(&path)? };
/// copy.view_mut::<f32>()?.fill(0.0);
/// assert_eq!(npy_core::load::<[f32; 3]>(&path)?, [[1.5; 3]; 10]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// [`bytes_mut`](Self::bytes_mut) changes the data. There is no mutable
/// [`file_bytes`](Self::file_bytes): it would let the header of the file differ from
/// [`header`](Self::header).
pub struct NpyMapMut {
    /// From the beginning of the file to the end of the array.
    file: MmapMut,
    header: Header,
    /// The offset of the data.
    begin: usize,
    /// The path, for errors.
    path: Box<Path>,
}

impl NpyMap {
    /// Maps a file for reading: mode `r` of NumPy.
    ///
    /// # Errors
    ///
    /// Fails if it is not a regular file, cannot be opened or mapped, is not an `.npy` file, is
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
        let path = path.as_ref();
        let Opened { file, header, begin, length } = Opened::open(path, options.into().limits, false)?;
        // SAFETY: the caller promises that no one changes what a slice shows, or truncates the
        // file.
        let file = unsafe { MmapOptions::new().len(length).map(&file) };
        Ok(Self { file: file.map_err(|error| cannot_map(error).with_path(path))?, header, begin, path: path.into() })
    }
}

impl NpyMapMut {
    /// Maps a file for reading and writing: mode `r+` of NumPy.
    ///
    /// Fails like [`NpyMap::open`], and if the file is not writable.
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
        let path = path.as_ref();
        let Opened { file, header, begin, length } = Opened::open(path, options.into().limits, true)?;
        // SAFETY: the caller promises that no one else uses what a slice shows, or truncates the
        // file.
        let file = unsafe { MmapOptions::new().len(length).map_mut(&file) };
        Ok(Self { file: file.map_err(|error| cannot_map(error).with_path(path))?, header, begin, path: path.into() })
    }

    /// Maps a file copy-on-write: mode `c` of NumPy.
    ///
    /// Changes stay in the memory of this process and never reach the file.
    ///
    /// Only the pages that are changed take memory. The file need not be writable.
    ///
    /// # Safety
    ///
    /// Like [`NpyMap::open`]: pages that were not changed yet are those of the file.
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
        let path = path.as_ref();
        let Opened { file, header, begin, length } = Opened::open(path, options.into().limits, false)?;
        // SAFETY: the caller promises that no one changes what a slice shows, or truncates the
        // file.
        let file = unsafe { MmapOptions::new().len(length).map_copy(&file) };
        Ok(Self { file: file.map_err(|error| cannot_map(error).with_path(path))?, header, begin, path: path.into() })
    }

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
            let bytes = header.to_bytes();
            let (begin, length) = extent(header, bytes.len())?;
            if let Ok(existing) = fs::metadata(path) {
                // A pipe or a device would be written to.
                require_regular(&existing)?;
            }
            let (file, replacement) = Replacement::begin(path)?;
            header.write(&file)?;
            file.set_len(length as u64).map_err(|error| Error::io("cannot resize the file", error))?;
            // SAFETY: no one else knows the file by now, and afterwards the caller promises that
            // no one uses what a slice shows, or truncates the file.
            let map = unsafe { MmapOptions::new().len(length).map_mut(&file) }.map_err(cannot_map)?;
            replacement.commit(SaveOptions::new(), || file.sync_all())?;
            // Where a map keeps its file open, it would keep the temporary file's lock too.
            let _ = file.unlock();
            Ok(Self { file: map, header: header.clone(), begin, path: path.into() })
        };
        create().map_err(|error: Error| error.with_path(path))
    }

    /// Borrows the bytes of the elements mutably.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.file[self.begin..]
    }

    /// Borrows the elements mutably, in the order of the file.
    ///
    /// A struct with padding fails the build, because bytes that belong to no field would be
    /// written to the file.
    pub fn view_mut<T: NpyView>(&mut self) -> Result<&mut [T]> {
        let count = self.header.element_count();
        elements_mut(&self.header, &mut self.file[self.begin..], self.begin, 0..count).map_err(|error| error.with_path(&*self.path))
    }

    /// Borrows the elements of a range of rows mutably.
    ///
    /// See [`rows`](Self::rows) for what a row is.
    pub fn rows_mut<T: NpyView>(&mut self, rows: Range<usize>) -> Result<&mut [T]> {
        let range = OuterAxis::of(&self.header).elements(&rows);
        let rows = range.and_then(|range| elements_mut(&self.header, &mut self.file[self.begin..], self.begin, range));
        rows.map_err(|error| error.with_path(&*self.path))
    }

    /// Borrows `n` blocks of rows mutably, one for each of `n` threads.
    ///
    /// The blocks have nearly equal numbers of rows.
    ///
    /// They are those of [`row_range`](crate::region::row_range): some are empty if there are fewer
    /// rows. See [`rows`](Self::rows) for what a row is.
    pub fn split_rows_mut<T: NpyView>(&mut self, n: usize) -> Result<Vec<&mut [T]>> {
        let OuterAxis { rows, per_row, .. } = OuterAxis::of(&self.header);
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
        self.file.flush().map_err(|error| self.locate(cannot_flush(error)))
    }

    /// Starts writing all changes to the disk, without waiting.
    ///
    /// Fails if that cannot be started. Later failures are not reported.
    pub fn flush_async(&self) -> Result<()> {
        self.file.flush_async().map_err(|error| self.locate(cannot_flush(error)))
    }
}

/// The methods of both maps that only read.
macro_rules! impl_map {
    ($map:ident) => {
        impl $map {
            /// Returns the header, as it was when the file was mapped.
            pub fn header(&self) -> &Header {
                &self.header
            }

            /// Returns the offset of the data in the file.
            pub fn data_offset(&self) -> usize {
                self.begin
            }

            /// Borrows the bytes of the elements, without the header.
            pub fn bytes(&self) -> &[u8] {
                &self.file[self.begin..]
            }

            /// Borrows the mapped bytes of the file: header and data.
            ///
            /// Bytes after the array are not among them.
            ///
            /// Functions that take a file in memory take this slice. The map itself is not a slice:
            /// its length would be that of the header and the data in bytes.
            pub fn file_bytes(&self) -> &[u8] {
                &self.file
            }

            /// Borrows the elements in the order of the file.
            ///
            /// Records need a struct with `#[npy(view)]`.
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
                elements(&self.header, self.bytes(), self.begin, 0..self.header.element_count()).map_err(|error| self.locate(error))
            }

            /// Returns the number of rows; see [`rows`](Self::rows).
            pub fn row_count(&self) -> usize {
                OuterAxis::of(&self.header).rows
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
                let range = OuterAxis::of(&self.header).elements(&rows);
                let rows = range.and_then(|range| elements(&self.header, self.bytes(), self.begin, range));
                rows.map_err(|error| self.locate(error))
            }

            /// The error, with the path of the file.
            #[cold]
            pub(in crate::view) fn locate(&self, error: Error) -> Error {
                error.with_path(&*self.path)
            }
        }

        impl fmt::Debug for $map {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($map))
                    .field("header", &self.header)
                    .field("data_offset", &self.begin)
                    .finish_non_exhaustive()
            }
        }
    };
}

impl_map!(NpyMap);
impl_map!(NpyMapMut);

#[cold]
fn cannot_flush(error: io::Error) -> Error {
    Error::io("cannot flush the map", error)
}

//! RawArray files mapped into memory.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use memmap2::MmapOptions;

use super::open::{Opened, cannot_map, cannot_open, open_regular};
use super::{NpyMap, NpyMapMut};
use crate::error::{Error, ErrorKind, Result};
use crate::format::rawarray::RaHeader;
use crate::format::rows::OuterAxis;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::view::{NpyView, elements, elements_mut};

/// A read-only memory map of a RawArray file (`.ra`).
///
/// The elements are a slice, first dimension fastest, and only the pages that are used are read.
/// For arrays of `ndarray` see `npy_ndarray::MapNpyExt`.
///
/// ```
/// use npy_core::rawarray::{self, RaMap};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// rawarray::save(&path, &[1.0_f64, 2.0, 4.0])?;
///
/// // SAFETY: no one changes or truncates this file while it is mapped.
/// let map = unsafe { RaMap::open(&path)? };
/// assert_eq!(map.view::<f64>()?, [1.0, 2.0, 4.0]);
/// assert_eq!(map.rows::<f64>(1..3)?, [2.0, 4.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct RaMap {
    /// The whole file, with the header that an `.npy` file of this array has.
    map: NpyMap,
    header: RaHeader,
}

/// A writable memory map of a RawArray file (`.ra`), or a private copy of it.
///
/// ```
/// use npy_core::rawarray::{self, RaMapMut};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// rawarray::save(&path, &[1.0_f64, 2.0, 4.0])?;
///
/// // SAFETY: no one else uses this file while it is mapped.
/// let mut map = unsafe { RaMapMut::open(&path)? };
/// map.view_mut::<f64>()?[1] = 8.0;
/// map.flush()?;
/// assert_eq!(rawarray::load::<f64>(&path)?, [1.0, 8.0, 4.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct RaMapMut {
    /// The whole file, with the header that an `.npy` file of this array has.
    map: NpyMapMut,
    header: RaHeader,
}

impl RaMap {
    /// Maps a file for reading.
    ///
    /// # Errors
    ///
    /// Fails if it is not a regular file, cannot be opened or mapped, is not an `.ra` file, is shorter
    /// than its header says, or has compressed data.
    ///
    /// # Safety
    ///
    /// Like [`NpyMap::open`].
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
        let open = || {
            let (opened, ra_header) = open_ra(path, options.into().limits, false)?;
            let Opened { file, header, begin, length } = opened;
            // SAFETY: the caller promises that no one changes what a slice shows, or truncates the
            // file.
            let file = unsafe { MmapOptions::new().len(length).map(&file) }.map_err(cannot_map)?;
            Ok(Self { map: NpyMap { file, header, begin, path: path.into() }, header: ra_header })
        };
        open().map_err(|error: Error| error.with_path(path))
    }
}

impl RaMapMut {
    /// Maps a file for changes in place.
    ///
    /// Fails like [`RaMap::open`], and if the file is read-only.
    ///
    /// # Safety
    ///
    /// Like [`NpyMapMut::open`].
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
        unsafe { Self::map(path.as_ref(), options.into().limits, true) }
    }

    /// Maps a file copy-on-write: changes stay in the memory of this process and never reach the
    /// file.
    ///
    /// # Safety
    ///
    /// Like [`NpyMapMut::open_copy`].
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
        unsafe { Self::map(path.as_ref(), options.into().limits, false) }
    }

    /// Maps a file, either shared with other processes or as a private copy.
    ///
    /// # Safety
    ///
    /// Like [`NpyMapMut::open`].
    unsafe fn map(path: &Path, limits: Limits, is_shared: bool) -> Result<Self> {
        let open = || {
            let (opened, ra_header) = open_ra(path, limits, is_shared)?;
            let Opened { file, header, begin, length } = opened;
            let mut options = MmapOptions::new();
            options.len(length);
            let file = if is_shared {
                // SAFETY: the caller promises that no one else uses what a slice shows, or
                // truncates the file.
                unsafe { options.map_mut(&file) }
            } else {
                // SAFETY: as above.
                unsafe { options.map_copy(&file) }
            };
            let file = file.map_err(cannot_map)?;
            Ok(Self { map: NpyMapMut { file, header, begin, path: path.into() }, header: ra_header })
        };
        open().map_err(|error: Error| error.with_path(path))
    }

    /// Returns the elements for changes in place, the first dimension fastest.
    pub fn view_mut<T: NpyView>(&mut self) -> Result<&mut [T]> {
        let rows = 0..OuterAxis::of(self.header.to_npy()).rows;
        self.rows_mut(rows)
    }

    /// Returns the elements of some rows for changes in place. See [`rows`](Self::rows) for what a
    /// row is.
    pub fn rows_mut<T: NpyView>(&mut self, rows: Range<usize>) -> Result<&mut [T]> {
        let NpyMapMut { file, begin, path, .. } = &mut self.map;
        let rows = self.header.seen_as(T::dtype()).and_then(|header| {
            let range = OuterAxis::of(&header).elements(&rows)?;
            elements_mut(&header, &mut file[*begin..], *begin, range)
        });
        rows.map_err(|error| error.with_path(&**path))
    }

    /// Makes all changes durable. A map of [`open_copy`](Self::open_copy) has nothing to write.
    pub fn flush(&self) -> Result<()> {
        self.map.flush()
    }
}

/// The methods of both maps that only read.
macro_rules! impl_map {
    ($map:ident) => {
        impl $map {
            /// Returns the header of the file.
            pub fn header(&self) -> &RaHeader {
                &self.header
            }

            /// Returns the bytes of the elements.
            pub fn bytes(&self) -> &[u8] {
                let metadata = self.metadata().len();
                &self.map.file[self.map.begin..self.map.file.len() - metadata]
            }

            /// Returns the metadata that follow the elements.
            pub fn metadata(&self) -> &[u8] {
                let end = self.map.begin as u64 + self.header.data_bytes();
                let end = usize::try_from(end).unwrap_or(usize::MAX);
                self.map.file.get(end..).unwrap_or_default()
            }

            /// Returns the elements in place, the first dimension fastest. Elements of a
            /// user-defined type are viewed as `T` if it has the same size.
            ///
            /// # Errors
            ///
            /// Fails if the elements are not of type `T` in the machine's byte order, if the data
            /// are misaligned for it, or if a byte of a bool is neither 0 nor 1.
            pub fn view<T: NpyView>(&self) -> Result<&[T]> {
                self.rows(0..self.row_count())
            }

            /// Returns the number of rows; see [`rows`](Self::rows).
            pub fn row_count(&self) -> usize {
                OuterAxis::of(self.header.to_npy()).rows
            }

            /// Returns the elements of some rows in place. The last dimension counts rows, because
            /// a row is contiguous in the file.
            ///
            /// Fails like [`view`](Self::view), and if there are fewer rows.
            pub fn rows<T: NpyView>(&self, rows: Range<usize>) -> Result<&[T]> {
                let rows = self.header.seen_as(T::dtype()).and_then(|header| {
                    let range = OuterAxis::of(&header).elements(&rows)?;
                    elements(&header, &self.map.file[self.map.begin..], self.map.begin, range)
                });
                rows.map_err(|error| self.map.locate(error))
            }
        }

        impl fmt::Debug for $map {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($map)).field("header", &self.header).finish_non_exhaustive()
            }
        }
    };
}

impl_map!(RaMap);
impl_map!(RaMapMut);

/// Opens a file whose data are not compressed. Its `length` includes the metadata.
fn open_ra(path: &Path, limits: Limits, write: bool) -> Result<(Opened, RaHeader)> {
    let file = open_regular(path, write)?;
    let header = RaHeader::read_with(&file, limits)?;
    if header.is_compressed() {
        return Err(Error::new(ErrorKind::NotViewable, "cannot map compressed data; `RaArray::load` reads them"));
    }
    let mut opened = Opened::behind_header(file, header.to_npy().clone(), header.data_offset())?;
    let length = opened.file.metadata().map_err(cannot_open)?.len();
    // The elements are there. A file too long for a map has no metadata.
    opened.length = usize::try_from(length).ok().filter(|&end| isize::try_from(end).is_ok()).unwrap_or(opened.length);
    Ok((opened, header))
}

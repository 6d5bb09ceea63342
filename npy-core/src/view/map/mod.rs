//! Files mapped into memory, in the four modes of `np.lib.format.open_memmap`.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::Path;

use memmap2::{Mmap, MmapMut, MmapOptions};

use super::{NpyView, elements, elements_mut};
use crate::error::{Error, ErrorKind, Part, Result};
use crate::format::header::Header;
use crate::format::rows::{OuterAxis, row_range};
use crate::limits::Limits;
use crate::memory::reserve_exact;
use crate::options::{ReadOptions, SaveOptions};
use crate::write::replace::Replacement;

/// A file mapped into memory to be read: its elements are slices at once, and only the parts that are looked at are read from the disk.
///
/// [`file_bytes`](Self::file_bytes) gives the mapped file to functions that take one in memory. `npy_ndarray::MapNpyExt` gives array views
/// of `ndarray`.
///
/// ```
/// use npy_core::NpyMap;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// # npy_core::save(&path, &[1.0_f64, 2.0, 4.0])?;
/// // SAFETY: nobody changes this file or cuts it while it is mapped.
/// let map = unsafe { NpyMap::open(&path)? };
/// let samples: &[f64] = map.view()?;
/// assert_eq!(samples[2], 4.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct NpyMap {
    /// From the beginning of the file to the end of the array.
    pub(crate) file: Mmap,
    pub(crate) header: Header,
    /// Where the data begin.
    pub(crate) begin: usize,
    /// Where it was opened, for errors.
    pub(crate) path: Box<Path>,
}

/// A file mapped into memory to be changed, or a copy of it that is private to the process.
///
/// [`create`](Self::create) makes a file of any size at once, whose parts take room on the disk only when they are filled. Many processes
/// can fill it together, each its own rows: [`row_range`](crate::region::row_range) tells which, [`rows_mut`](Self::rows_mut) gives them. Threads
/// take [`split_rows_mut`](Self::split_rows_mut).
///
/// [`bytes_mut`](Self::bytes_mut) changes the data. There is no mutable [`file_bytes`](Self::file_bytes): it would let the header of the
/// file differ from [`header`](Self::header).
///
/// ```
/// use npy_core::{Header, NpyElement, NpyMapMut, Order};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("traces.npy");
/// let header = Header::new(f32::dtype(), Order::C, &[1000, 512])?;
/// // SAFETY: nobody else changes this file or cuts it while it is mapped.
/// let mut map = unsafe { NpyMapMut::create(&path, &header)? };
/// map.rows_mut::<f32>(10..12)?.fill(1.5);
/// map.flush()?;
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct NpyMapMut {
    /// From the beginning of the file to the end of the array.
    pub(crate) file: MmapMut,
    pub(crate) header: Header,
    /// Where the data begin.
    pub(crate) begin: usize,
    /// Where it was opened, for errors.
    pub(crate) path: Box<Path>,
}

impl NpyMap {
    /// Maps a file to be read: mode `r` of NumPy.
    ///
    /// # Errors
    ///
    /// When it is no regular file, cannot be opened or mapped, is no `.npy` file, is shorter than its header says, or holds Python objects.
    ///
    /// # Safety
    ///
    /// The bytes of a map are those of the file, whoever changes it, inside of this process or outside.
    ///
    /// - While a slice or a column borrows from the map, the elements that it shows must not change: that is undefined behaviour. A file
    ///   that an [`NpyWriter`](crate::NpyWriter) adds to changes its header, which belongs to the bytes of the map: map it when the writer is done.
    /// - While the file is mapped, it must not be cut shorter: touching a page that is no longer there ends the process, on Unix by the
    ///   signal SIGBUS. So does a disk or a network that fails.
    ///
    /// Take a file that nobody else knows or may write, or locks that everyone who writes it respects. A file that is replaced by a rename,
    /// as [`save`](crate::save) does, is harmless: the map keeps the old one. Without any such certainty [`load`](crate::load) the file.
    ///
    /// ```
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// npy_core::save(&path, &[1_i32, 2, 3])?;
    /// // SAFETY: nobody changes this file or cuts it while it is mapped.
    /// let map = unsafe { npy_core::NpyMap::open(&path)? };
    /// assert_eq!(map.view::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::open_with(path, Limits::new()) }
    }

    /// [`open`](Self::open) with limits of one's own.
    ///
    /// ```
    /// use npy_core::{Limits, NpyMap};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// npy_core::save(&path, &[1_i32, 2, 3])?;
    /// // SAFETY: nobody else uses this file while it is mapped.
    /// let map = unsafe { NpyMap::open_with(&path, Limits::new().data_bytes(4)) };
    /// assert!(map.is_err()); // 12 bytes
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`open`](Self::open).
    ///
    /// # Safety
    ///
    /// Like [`open`](Self::open).
    pub unsafe fn open_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let path = path.as_ref();
        let Opened { file, header, begin, length } = Opened::open(path, options.into().limits, false)?;
        // SAFETY: the caller promises that nobody changes what a slice shows, or cuts the file.
        let file = unsafe { MmapOptions::new().len(length).map(&file) };
        Ok(Self { file: file.map_err(|error| cannot_map(error).with_path(path))?, header, begin, path: path.into() })
    }
}

impl NpyMapMut {
    /// Maps a file to be changed in place: mode `r+` of NumPy.
    ///
    /// # Errors
    ///
    /// Like [`NpyMap::open`], and when the file must not be written.
    ///
    /// # Safety
    ///
    /// The bytes of a map are those of the file, whoever changes it, inside of this process or outside.
    ///
    /// - While a slice or a column borrows from the map, nobody else may change the elements that it shows; if it is a slice to be changed, nobody else
    ///   may look at them either. Both are undefined behaviour. Elements that no slice shows are free: processes that fill disjoint
    ///   [`rows_mut`](Self::rows_mut) of a file, and look at nothing else of it, are in order. A second map of the file is somebody else
    ///   too.
    /// - While the file is mapped, it must not be cut shorter: touching a page that is no longer there ends the process, on Unix by the
    ///   signal SIGBUS. So does a disk or a network that fails, and a disk that is full when a part of the file is filled for the first
    ///   time.
    ///
    /// ```
    /// # use npy_core::NpyMapMut;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// npy_core::save(&path, &[1_i32, 2, 3])?;
    /// // SAFETY: nobody else uses this file while it is mapped.
    /// let mut map = unsafe { NpyMapMut::open(&path)? };
    /// map.view_mut::<i32>()?[1] = 20;
    /// drop(map);
    /// assert_eq!(npy_core::load::<i32>(&path)?, [1, 20, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::open_with(path, Limits::new()) }
    }

    /// [`open`](Self::open) with limits of one's own.
    ///
    /// ```
    /// use npy_core::{Limits, NpyMapMut};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// npy_core::save(&path, &[1_i32, 2, 3])?;
    /// // SAFETY: nobody else uses this file while it is mapped.
    /// let map = unsafe { NpyMapMut::open_with(&path, Limits::new().data_bytes(4)) };
    /// assert!(map.is_err()); // 12 bytes
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`open`](Self::open).
    ///
    /// # Safety
    ///
    /// Like [`open`](Self::open).
    pub unsafe fn open_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let path = path.as_ref();
        let Opened { file, header, begin, length } = Opened::open(path, options.into().limits, true)?;
        // SAFETY: the caller promises that nobody else uses what a slice shows, or cuts the file.
        let file = unsafe { MmapOptions::new().len(length).map_mut(&file) };
        Ok(Self { file: file.map_err(|error| cannot_map(error).with_path(path))?, header, begin, path: path.into() })
    }

    /// Maps a file so that changes stay in the memory of this process and never reach the file: mode `c` of NumPy, copy-on-write.
    ///
    /// Only the pages that are changed take memory. The file need not be writable.
    ///
    /// # Errors
    ///
    /// Like [`NpyMap::open`].
    ///
    /// # Safety
    ///
    /// Like [`NpyMap::open`]: pages that were not changed yet are those of the file.
    ///
    /// ```
    /// # use npy_core::NpyMapMut;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// npy_core::save(&path, &[3_i32, 1, 2])?;
    /// // SAFETY: nobody changes this file or cuts it while it is mapped.
    /// let mut map = unsafe { NpyMapMut::open_copy(&path)? };
    /// map.view_mut::<i32>()?.sort();
    /// assert_eq!(map.view::<i32>()?, [1, 2, 3]);
    /// assert_eq!(npy_core::load::<i32>(&path)?, [3, 1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub unsafe fn open_copy(path: impl AsRef<Path>) -> Result<Self> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::open_copy_with(path, Limits::new()) }
    }

    /// [`open_copy`](Self::open_copy) with limits of one's own.
    ///
    /// ```
    /// use npy_core::{Limits, NpyMapMut};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// npy_core::save(&path, &[1_i32, 2, 3])?;
    /// // SAFETY: nobody else uses this file while it is mapped.
    /// let map = unsafe { NpyMapMut::open_copy_with(&path, Limits::new().data_bytes(4)) };
    /// assert!(map.is_err()); // 12 bytes
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`open_copy`](Self::open_copy).
    ///
    /// # Safety
    ///
    /// Like [`open_copy`](Self::open_copy).
    pub unsafe fn open_copy_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let path = path.as_ref();
        let Opened { file, header, begin, length } = Opened::open(path, options.into().limits, false)?;
        // SAFETY: the caller promises that nobody changes what a slice shows, or cuts the file.
        let file = unsafe { MmapOptions::new().len(length).map_copy(&file) };
        Ok(Self { file: file.map_err(|error| cannot_map(error).with_path(path))?, header, begin, path: path.into() })
    }

    /// Makes a new file of zeros and maps it to be filled: mode `w+` of NumPy.
    ///
    /// The zeros are not written, so that it takes no time, and on most file systems no room until it is filled. What stood under that
    /// path before is replaced when the file has its header and its size; an error leaves it as it was. From then on the file has the
    /// right size and opens everywhere, and how much of it is filled is for those who fill it to know.
    ///
    /// # Errors
    ///
    /// When the file cannot be made so large or mapped, when something stands there that is no regular file, or when the dtype is that
    /// of Python objects.
    ///
    /// # Safety
    ///
    /// Like [`open`](Self::open).
    ///
    /// ```
    /// # use npy_core::{Header, NpyElement, NpyMapMut, Order};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// let header = Header::new(i32::dtype(), Order::C, &[3])?;
    /// // SAFETY: nobody else uses this file while it is mapped.
    /// let mut map = unsafe { NpyMapMut::create(&path, &header)? };
    /// map.view_mut::<i32>()?[1] = 20;
    /// drop(map);
    /// assert_eq!(npy_core::load::<i32>(&path)?, [0, 20, 0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
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
            // SAFETY: nobody else knows the file by now, and afterwards the caller promises that nobody uses what a slice shows, or cuts
            // the file.
            let map = unsafe { MmapOptions::new().len(length).map_mut(&file) }.map_err(cannot_map)?;
            replacement.commit(SaveOptions::new(), || file.sync_all())?;
            // Where a map keeps its file open, it would keep the temporary file's lock too.
            let _ = file.unlock();
            Ok(Self { file: map, header: header.clone(), begin, path: path.into() })
        };
        create().map_err(|error: Error| error.with_path(path))
    }

    /// The bytes of the elements, to be changed.
    ///
    /// ```
    /// # use npy_core::{Header, NpyElement, NpyMapMut, Order};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// # let header = Header::new("<u2".parse()?, Order::C, &[3])?;
    /// # // SAFETY: nobody else knows the file.
    /// # let mut map = unsafe { NpyMapMut::create(&path, &header)? };
    /// map.bytes_mut()[2..4].copy_from_slice(&[0, 1]);
    /// assert_eq!(npy_core::load::<u16>(&path)?, [0, 256, 0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.file[self.begin..]
    }

    /// The elements in the order of the file, to be changed in place.
    ///
    /// A struct with padding cannot be viewed so, because bytes that belong to no field would end up in the file: that fails the build.
    ///
    /// # Errors
    ///
    /// Like [`view`](Self::view).
    ///
    /// ```
    /// # use npy_core::NpyMapMut;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// # npy_core::save(&path, &[1.0_f64, 2.0])?;
    /// # // SAFETY: nobody else knows the file.
    /// # let mut map = unsafe { NpyMapMut::open(&path)? };
    /// for sample in map.view_mut::<f64>()? {
    ///     *sample *= 2.0;
    /// }
    /// assert_eq!(map.view::<f64>()?, [2.0, 4.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn view_mut<T: NpyView>(&mut self) -> Result<&mut [T]> {
        let count = self.header.element_count();
        elements_mut(&self.header, &mut self.file[self.begin..], self.begin, 0..count).map_err(|error| error.with_path(&*self.path))
    }

    /// The elements of some rows, to be changed in place. See [`rows`](Self::rows) for what a row is.
    ///
    /// # Errors
    ///
    /// Like [`rows`](Self::rows).
    ///
    /// ```
    /// # use npy_core::region::row_range;
    /// # use npy_core::{Header, NpyElement, NpyMapMut, Order};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("traces.npy");
    /// # let header = Header::new(f32::dtype(), Order::C, &[10, 3])?;
    /// # // SAFETY: nobody else knows the file.
    /// # let mut map = unsafe { NpyMapMut::create(&path, &header)? };
    /// // In the process 1 of 4:
    /// let rows = row_range(map.row_count(), 1, 4);
    /// for (row, samples) in rows.clone().zip(map.rows_mut::<f32>(rows)?.chunks_mut(3)) {
    ///     samples.fill(row as f32);
    /// }
    /// assert_eq!(map.rows::<f32>(2..4)?, [0.0, 0.0, 0.0, 3.0, 3.0, 3.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn rows_mut<T: NpyView>(&mut self, rows: Range<usize>) -> Result<&mut [T]> {
        let range = OuterAxis::of(&self.header).elements(&rows);
        let rows = range.and_then(|range| elements_mut(&self.header, &mut self.file[self.begin..], self.begin, range));
        rows.map_err(|error| error.with_path(&*self.path))
    }

    /// The elements in `n` blocks of nearly equally many rows, to be changed in place by as many threads.
    ///
    /// The blocks are those of [`row_range`](crate::region::row_range): some are empty if there are fewer rows. See [`rows`](Self::rows) for what a
    /// row is.
    ///
    /// # Errors
    ///
    /// Like [`view`](Self::view).
    ///
    /// ```
    /// # use npy_core::{Header, NpyElement, NpyMapMut, Order};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("traces.npy");
    /// # let header = Header::new(u32::dtype(), Order::C, &[10, 3])?;
    /// # // SAFETY: nobody else knows the file.
    /// # let mut map = unsafe { NpyMapMut::create(&path, &header)? };
    /// std::thread::scope(|scope| {
    ///     for (i, block) in (0..).zip(map.split_rows_mut::<u32>(4)?) {
    ///         scope.spawn(move || block.fill(i));
    ///     }
    ///     Ok::<(), npy_core::Error>(())
    /// })?;
    /// assert_eq!(map.rows::<u32>(2..4)?, [0, 0, 0, 1, 1, 1]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
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

    /// Waits until all changes are on the disk. Other processes and readers of the file see them without that.
    ///
    /// The name of a file that was just made may reach the disk later. A map of [`open_copy`](Self::open_copy) has nothing to write.
    ///
    /// # Errors
    ///
    /// When writing fails, which is noticed nowhere else.
    ///
    /// ```
    /// # use npy_core::NpyMapMut;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// # npy_core::save(&path, &[1.0_f64, 2.0])?;
    /// # // SAFETY: nobody else knows the file.
    /// # let mut map = unsafe { NpyMapMut::open(&path)? };
    /// map.view_mut::<f64>()?.fill(3.0);
    /// map.flush()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn flush(&self) -> Result<()> {
        self.file.flush().map_err(|error| self.locate(cannot_flush(error)))
    }

    /// Has the changes written to the disk without waiting for it.
    ///
    /// # Errors
    ///
    /// When that cannot be begun. What fails afterwards is not told.
    ///
    /// ```
    /// # use npy_core::NpyMapMut;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("samples.npy");
    /// # npy_core::save(&path, &[1.0_f64, 2.0])?;
    /// # // SAFETY: nobody else knows the file.
    /// # let mut map = unsafe { NpyMapMut::open(&path)? };
    /// map.view_mut::<f64>()?.fill(3.0);
    /// map.flush_async()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn flush_async(&self) -> Result<()> {
        self.file.flush_async().map_err(|error| self.locate(cannot_flush(error)))
    }
}

/// What both maps can: all that only looks. The examples need the type's name.
macro_rules! looking {
    ($map:ident) => {
        impl $map {
            /// The header, as it was when the file was mapped.
            pub fn header(&self) -> &Header {
                &self.header
            }

            /// Where in the file the data begin.
            pub fn data_offset(&self) -> usize {
                self.begin
            }

            /// The data: the bytes of the elements, without the header.
            ///
            /// ```
            #[doc = concat!("# use npy_core::", stringify!($map), ";")]
            /// # let directory = tempfile::tempdir()?;
            /// # let path = directory.path().join("samples.npy");
            /// # npy_core::save(&path, &[1_u8, 2, 3])?;
            /// # // SAFETY: nobody else knows the file.
            #[doc = concat!("# let map = unsafe { ", stringify!($map), "::open(&path)? };")]
            /// assert_eq!(map.bytes(), [1, 2, 3]);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn bytes(&self) -> &[u8] {
                &self.file[self.begin..]
            }

            /// The mapped bytes of the file: the header and the data, without what follows the array.
            ///
            /// Functions that take a file in memory take this slice. The map itself is no slice: its length would be that of the header
            /// and the data in bytes.
            ///
            /// ```
            #[doc = concat!("# use npy_core::{NpyReader, ", stringify!($map), "};")]
            /// # let directory = tempfile::tempdir()?;
            /// # let path = directory.path().join("samples.npy");
            /// # npy_core::save(&path, &[1.0_f32, 2.0, 3.0])?;
            /// # // SAFETY: nobody else knows the file.
            #[doc = concat!("# let map = unsafe { ", stringify!($map), "::open(&path)? };")]
            /// assert_eq!(map.file_bytes().len(), map.data_offset() + 3 * size_of::<f32>());
            /// assert_eq!(NpyReader::from_bytes(map.file_bytes())?.into_vec::<f32>()?, [1.0, 2.0, 3.0]);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            ///
            /// ```compile_fail
            #[doc = concat!("fn count(map: &npy_core::", stringify!($map), ") -> usize {")]
            ///     map.len() // error: no method named `len`
            /// }
            /// ```
            pub fn file_bytes(&self) -> &[u8] {
                &self.file
            }

            /// The elements in the order of the file, in place. A record's fields are those of its struct, which needs `#[npy(view)]`.
            ///
            /// That takes no time, except where not all bytes are values, as with bools and enums: they are checked, every time.
            ///
            /// # Errors
            ///
            /// When the dtype differs from `T`'s in anything, byte order included; when the data do not lie at a multiple of `T`'s
            /// alignment, as in some files of NumPy before 1.14; when a bool is neither 0 nor 1. A copy can be read of all of these: see
            /// [`NpyReader::from_bytes`](crate::NpyReader::from_bytes), which takes [`file_bytes`](Self::file_bytes).
            ///
            /// ```
            #[doc = concat!("# use npy_core::", stringify!($map), ";")]
            /// # let directory = tempfile::tempdir()?;
            /// # let path = directory.path().join("samples.npy");
            /// # npy_core::save(&path, &[1.0_f64, 2.0, 4.0])?;
            /// # // SAFETY: nobody else knows the file.
            #[doc = concat!("# let map = unsafe { ", stringify!($map), "::open(&path)? };")]
            /// assert_eq!(map.view::<f64>()?.iter().sum::<f64>(), 7.0);
            /// assert!(map.view::<f32>().is_err());
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn view<T: NpyView>(&self) -> Result<&[T]> {
                elements(&self.header, self.bytes(), self.begin, 0..self.header.element_count()).map_err(|error| self.locate(error))
            }

            /// How many rows there are; see [`rows`](Self::rows).
            pub fn row_count(&self) -> usize {
                OuterAxis::of(&self.header).rows
            }

            /// The elements of some rows, in place. Nothing else is looked at, so that others may change what lies outside of these rows.
            ///
            /// A row is what lies together in the file: what the first axis counts in C order, and what the last axis counts, usually
            /// called a column, in Fortran order. An array without axes is one row.
            ///
            /// # Errors
            ///
            /// Like [`view`](Self::view), and when there are fewer rows.
            ///
            /// ```
            #[doc = concat!("# use npy_core::{", stringify!($map), ", NpyWriter, Header, Order, NpyElement};")]
            /// # let directory = tempfile::tempdir()?;
            /// # let path = directory.path().join("samples.npy");
            /// # let header = Header::new(u8::dtype(), Order::C, &[3, 2])?;
            /// # let mut file = header.to_bytes();
            /// # file.extend([1, 2, 3, 4, 5, 6]);
            /// # std::fs::write(&path, file)?;
            /// # // SAFETY: nobody else knows the file.
            #[doc = concat!("# let map = unsafe { ", stringify!($map), "::open(&path)? };")]
            /// assert_eq!(map.header().shape(), [3, 2]);
            /// assert_eq!(map.rows::<u8>(1..3)?, [3, 4, 5, 6]);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            pub fn rows<T: NpyView>(&self, rows: Range<usize>) -> Result<&[T]> {
                let range = OuterAxis::of(&self.header).elements(&rows);
                let rows = range.and_then(|range| elements(&self.header, self.bytes(), self.begin, range));
                rows.map_err(|error| self.locate(error))
            }

            /// The error, with the path of the file.
            #[cold]
            pub(crate) fn locate(&self, error: Error) -> Error {
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

looking!(NpyMap);
looking!(NpyMapMut);

/// A file whose header has been read, and that holds all of its data.
pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) header: Header,
    /// Where the data begin.
    pub(crate) begin: usize,
    /// Where they end.
    pub(crate) length: usize,
}

impl Opened {
    fn open(path: &Path, limits: Limits, write: bool) -> Result<Self> {
        Self::check(path, limits, write).map_err(|error| error.with_path(path))
    }

    fn check(path: &Path, limits: Limits, write: bool) -> Result<Self> {
        let file = open_regular(path, write)?;
        let (header, begin) = Header::read_with_offset(&file, &limits)?;
        Self::behind_header(file, header, begin)
    }

    /// A file whose data begin at `begin`.
    pub(crate) fn behind_header(file: File, header: Header, begin: usize) -> Result<Self> {
        let (begin, length) = extent(&header, begin)?;
        let found = file.metadata().map_err(cannot_open)?.len();
        if found < length as u64 {
            let (offset, expected) = (begin as u64, header.data_bytes());
            return Err(ErrorKind::Truncated { part: Part::Data, offset, expected, found: found.saturating_sub(offset) }.into());
        }
        Ok(Self { file, header, begin, length })
    }
}

pub(crate) fn open_regular(path: &Path, write: bool) -> Result<File> {
    // Before it is opened, which may wait for ever if it is a pipe.
    require_regular(&fs::metadata(path).map_err(cannot_open)?)?;
    OpenOptions::new().read(true).write(write).open(path).map_err(cannot_open)
}

#[cold]
pub(crate) fn cannot_open(error: io::Error) -> Error {
    Error::io("cannot open the file", error)
}

/// Where the data begin and end that follow a header.
fn extent(header: &Header, begin: usize) -> Result<(usize, usize)> {
    if header.dtype().has_object() {
        return Err(ErrorKind::ObjectArray.into());
    }
    let end = usize::try_from(header.data_bytes()).ok().and_then(|bytes| begin.checked_add(bytes));
    match end.filter(|&end| isize::try_from(end).is_ok()) {
        Some(end) => Ok((begin, end)),
        None => Err(ErrorKind::ShapeOverflow { shape: header.shape().to_vec(), itemsize: header.dtype().itemsize() }.into()),
    }
}

fn require_regular(metadata: &fs::Metadata) -> Result<()> {
    match metadata.is_dir() {
        true => Err(cannot_map(io::ErrorKind::IsADirectory.into())),
        false if metadata.is_file() => Ok(()),
        false => Err(ErrorKind::NotRegularFile.into()),
    }
}

#[cold]
pub(crate) fn cannot_map(error: io::Error) -> Error {
    Error::io("cannot map the file", error)
}

#[cold]
fn cannot_flush(error: io::Error) -> Error {
    Error::io("cannot flush the map", error)
}

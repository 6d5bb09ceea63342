//! Reads archives that can seek, by name or by index.

use std::fmt;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::super::codec::blocks::Blocks;
use super::super::codec::inflate::{InflateBlocks, inflate_in_parallel};
use super::super::codec::input::{FillFrom, Input};
use super::super::zip::entry::Entry;
use super::super::zip::problem::{cannot_read, no_index, no_member};
use super::content::{check_most, read_at_most};
use super::directory;
use super::file::ArchiveFile;
use super::index::{Index, Surroundings};
use super::member::{Blockwise, Member};
use crate::element::NpyElement;
use crate::error::{Error, Result};
use crate::format::header::Header;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::read::NpyReader;

/// Reads the arrays of an archive, by name or by index.
///
/// [`open`](NpzReader::open) opens a file, [`new`](Self::new) takes any stream that can seek, and
/// [`from_bytes`](NpzReader::from_bytes) memory. Only the central directory is read before you ask for
/// an array. Damage of one member does not affect the others.
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let mut archive = NpzWriter::create(&path)?; // np.savez(path, times=[0.5, 1.5], rate=0.01)
/// archive.add_slice("times", &[0.5_f64, 1.5])?;
/// archive.add_scalar("rate", &0.01_f64)?;
/// archive.finish()?;
///
/// let mut archive = NpzReader::open(&path)?;
/// for index in 0..archive.len() {
///     if !archive.is_array(index) {
///         continue; // another file
///     }
///     let header = archive.header(index)?;
///     // times <f8 [2], then rate <f8 []
///     println!("{} {} {:?}", archive.name(index).unwrap_or_default(), header.dtype(), header.shape());
/// }
/// assert_eq!(archive.by_name::<f64>("times")?, [0.5, 1.5]);
/// assert_eq!(archive.scalar::<f64>("rate")?, 0.01);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Names
///
/// The name of an array is that of its member without `.npy`, as in NumPy. A full name takes
/// precedence over one without `.npy`, and of several members of one name the last is found. Members
/// that are no arrays have their full names:
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter};
///
/// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
/// archive.add_slice("x", &[1.0_f64, 2.0])?;
/// archive.add_bytes("notes.txt", b"hello")?;
///
/// let mut archive = NpzReader::new(archive.finish()?)?;
/// assert_eq!(archive.names().collect::<Vec<_>>(), ["x", "notes.txt"]);
/// assert_eq!((archive.name(0), archive.full_name(0)), (Some("x"), Some("x.npy")));
/// assert_eq!((archive.is_array(0), archive.is_array(1)), (true, false));
///
/// let notes = archive.find("notes.txt")?;
/// assert_eq!(archive.bytes(notes, 1 << 20)?, b"hello");
/// let error = archive.find("y").unwrap_err();
/// assert_eq!(error.to_string(), "missing array \"y\": the archive has x, notes.txt");
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Large arrays and other shapes
///
/// [`array`](Self::array) returns an [`NpyReader`], which reads any shape, in parts. In an archive in
/// memory or a map, [`view`](NpzReader::view) borrows what is stored and aligned, and
/// [`view_or_read`](NpzReader::view_or_read) reads a copy of what is not:
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter};
///
/// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
/// archive.add_slice("matrix", &[[1_u8, 2], [3, 4], [5, 6]])?;
/// let file = archive.finish()?.into_inner();
///
/// let mut archive = NpzReader::from_bytes(&file)?;
/// let matrix = archive.array(0)?;
/// assert_eq!(matrix.header().shape(), [3, 2]);
/// assert_eq!(matrix.into_vec::<u8>()?, [1, 2, 3, 4, 5, 6]);
///
/// let elements: &[u8] = archive.view("matrix")?; // bytes may lie at any address
/// assert!(file.as_ptr_range().contains(&elements.as_ptr()));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// The checksum of a member is checked at its end, so that the last read reports damage; a view does
/// not check it. [`verify`](Self::verify) reads everything:
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter};
///
/// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
/// archive.add_slice("x", &[7_u8, 8, 9])?;
/// let mut file = archive.finish()?.into_inner();
/// NpzReader::from_bytes(&file)?.verify()?;
///
/// let data = NpzReader::from_bytes(&file)?.data_range(0)?;
/// file[data.end as usize - 1] ^= 1;
/// let error = NpzReader::from_bytes(&file)?.verify().unwrap_err();
/// assert_eq!(error.member(), Some("x"));
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct NpzReader<R> {
    pub(super) input: Input<R>,
    pub(super) index: Arc<Index>,
    pub(super) limits: Limits,
    threads: usize,
    /// The function that inflates independent blocks; `None` if streaming is as fast.
    inflate: Option<InflateBlocks<R>>,
}

impl NpzReader<ArchiveFile> {
    /// Opens an archive and reads its central directory.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, ReadOptions::new())
    }

    /// [`open`](Self::open) with options: limits, [threads](Self::set_threads).
    pub fn open_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let (path, options) = (path.as_ref(), options.into());
        let mut archive = ArchiveFile::open(path)
            .and_then(|file| Self::with_fill(file, ArchiveFile::fill, options.limits, Some(path)))
            .map_err(|error| error.with_path(path))?;
        archive.set_threads(options.threads);
        Ok(archive)
    }
}

impl<R: Read + Seek> NpzReader<R> {
    /// Reads the central directory of an archive in any stream that can seek.
    pub fn new(reader: R) -> Result<Self> {
        Self::new_with(reader, ReadOptions::new())
    }

    /// [`new`](Self::new) with options: limits. Threads need [`set_threads`](Self::set_threads), because
    /// they clone `R`.
    pub fn new_with(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        Self::with_fill(reader, |reader, buf| buf.read_from(reader), options.into().limits, None)
    }

    /// The function by which a single thread inflates blocks; `None` if streaming is as fast.
    #[cfg(feature = "libdeflate")]
    const INFLATE_ALONE: Option<InflateBlocks<R>> = Some(super::super::codec::inflate::inflate_in_turn);
    #[cfg(not(feature = "libdeflate"))]
    const INFLATE_ALONE: Option<InflateBlocks<R>> = None;

    fn with_fill(mut reader: R, fill: FillFrom<R>, limits: Limits, path: Option<&Path>) -> Result<Self> {
        let directory = directory::open(&mut reader, &limits)?;
        let index = Arc::new(Index::new(directory, path));
        Ok(Self { input: Input::new(reader, fill), index, limits, threads: 1, inflate: Self::INFLATE_ALONE })
    }

    /// Returns the number of members, arrays or not.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.index.len() == 0
    }

    /// Returns the names of the members in the order of the archive, without `.npy` at their ends.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.index.names()
    }

    /// Returns the name of a member, without `.npy` at its end.
    pub fn name(&self, index: usize) -> Option<&str> {
        self.index.name(index)
    }

    /// Returns the full name of a member, with `.npy` if it is an array.
    pub fn full_name(&self, index: usize) -> Option<&str> {
        self.index.full_name(index)
    }

    /// Returns whether a member is an array by its name, which then ends in `.npy`.
    ///
    /// The attributes that macOS keeps of a file, such as `__MACOSX/._x.npy`, are no array.
    pub fn is_array(&self, index: usize) -> bool {
        self.full_name(index) != self.name(index) && !self.is_of_macos(index)
    }

    /// Returns whether a member has attributes that macOS keeps of a file, by its name.
    pub fn is_of_macos(&self, index: usize) -> bool {
        let name = self.full_name(index).unwrap_or_default();
        let file = name.rsplit('/').next().unwrap_or_default();
        (name.starts_with("__MACOSX/") || name.contains("/__MACOSX/")) && file.starts_with("._")
    }

    /// Returns whether a member is encrypted, by the central directory. No array of it can be read.
    pub fn is_encrypted(&self, index: usize) -> bool {
        self.index.entry(index).is_some_and(|entry| entry.is_encrypted)
    }

    /// Returns the size of a member's content, by the central directory.
    ///
    /// Of an array, the header is included.
    pub fn size(&self, index: usize) -> Option<u64> {
        self.index.entry(index).map(|entry| entry.claim.size)
    }

    /// Returns the compressed size of a member, by the central directory.
    ///
    /// It equals [`size`](Self::size) if the member is not compressed.
    pub fn compressed_size(&self, index: usize) -> Option<u64> {
        self.index.entry(index).map(|entry| entry.claim.compressed)
    }

    /// Returns the number of a member's compression method: 0 is stored, 8 is deflate.
    ///
    /// The numbers are those of section 4.4.5 of PKWARE's APPNOTE.
    pub fn method(&self, index: usize) -> Option<u16> {
        self.index.entry(index).map(|entry| entry.method)
    }

    /// Returns whether a member has a comment or extra fields of other programs.
    ///
    /// Fields that hold sizes, padding, dates and owners do not count.
    pub fn has_extra(&self, index: usize) -> bool {
        self.index.has_extra(index)
    }

    /// Returns the bytes before and after the archive, and its comment.
    ///
    /// A copy of the members alone does not have them.
    pub fn surroundings(&self) -> &Surroundings {
        &self.index.surroundings
    }

    /// Returns the bytes of the archive that are a member's data.
    ///
    /// The data of a stored member, whose [`method`](Self::method) is 0, are its content: a whole `.npy`
    /// file, which can be mapped or read at any offset.
    pub fn data_range(&mut self, index: usize) -> Result<Range<u64>> {
        let Some(entry) = self.index.entry(index) else { return Err(self.no_member(index)) };
        let begin = begin_data(entry, &mut self.input).map_err(|error| self.locate(error, index))?;
        Ok(begin..begin + entry.claim.compressed)
    }

    /// Returns the reader of the archive.
    ///
    /// Its position has no effect: members are found by seeking.
    pub fn get_mut(&mut self) -> &mut R {
        self.input.reader_mut()
    }

    /// Returns the index of a member by [name](Self#names).
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.index.index_of(name)
    }

    /// Reads the one-dimensional array of a name.
    ///
    /// Fails if there is no such member, if it is damaged or not an array, and like
    /// [`load`](crate::load).
    pub fn by_name<T: NpyElement>(&mut self, name: &str) -> Result<Vec<T>> {
        let index = self.find(name)?;
        self.by_index(index)
    }

    /// Reads the one-dimensional array at an index.
    pub fn by_index<T: NpyElement>(&mut self, index: usize) -> Result<Vec<T>> {
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not of every lifetime")]
        self.in_member(index, |reader| reader.into_one_dimension())
    }

    /// Returns the limits.
    #[doc(hidden)]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The names and positions of the members, independent of the reader.
    #[doc(hidden)]
    pub fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index)
    }

    /// Reads the only element of an array without dimensions, as `np.savez` makes of a number.
    pub fn scalar<T: NpyElement>(&mut self, name: &str) -> Result<T> {
        let index = self.find(name)?;
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not of every lifetime")]
        self.in_member(index, |reader| reader.into_scalar())
    }

    /// Reads the header of an array, without its elements.
    ///
    /// Fails if the member is not an array; see [`is_array`](Self::is_array).
    pub fn header(&mut self, index: usize) -> Result<Header> {
        self.in_member(index, |reader| Ok(reader.header().clone()))
    }

    /// Returns a reader of an array, of any shape and dtype.
    ///
    /// Its errors do not name the member.
    pub fn array(&mut self, index: usize) -> Result<NpyReader<Member<'_, R>>> {
        let (limits, members) = (self.limits, Arc::clone(&self.index));
        self.member(index).and_then(|member| member.into_reader(limits)).map_err(|error| members.locate(error, index))
    }

    /// Reads the content of a member, array or not.
    ///
    /// Fails if it is longer than `most` bytes.
    pub fn bytes(&mut self, index: usize, most: u64) -> Result<Vec<u8>> {
        let mut read = || {
            check_most(self.size(index).unwrap_or_default(), most)?;
            let mut member = self.member(index)?;
            let bytes = read_at_most(&mut member, most)?;
            member.finish()?;
            Ok(bytes)
        };
        read().map_err(|error: Error| self.locate(error, index))
    }

    /// Reads every member to its end and checks its checksum. Fails with the first error.
    pub fn verify(&mut self) -> Result<()> {
        (0..self.len()).try_for_each(|index| self.verify_member(index))
    }

    /// Reads a member to its end and checks its checksum. For `npy-cli`.
    ///
    /// Fails if the member is damaged.
    #[doc(hidden)]
    pub fn verify_member(&mut self, index: usize) -> Result<()> {
        let mut check = || {
            let mut member = self.member(index)?;
            io::copy(&mut member, &mut io::sink()).map_err(cannot_read)?;
            member.finish()
        };
        check().map_err(|error| self.locate(error, index))
    }

    /// Returns the index of the member of a name, or an error that lists all names.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.index_of(name).ok_or_else(|| {
            // It has no index, but the archive may have a path.
            self.locate(no_member(&[name.to_owned()], self.names()), usize::MAX)
        })
    }

    pub(crate) fn no_member(&self, index: usize) -> Error {
        self.locate(no_index(index, self.len()), index)
    }

    /// Adds the member and the file to an error.
    #[doc(hidden)]
    pub fn locate(&self, error: Error, index: usize) -> Error {
        self.index.locate(error, index)
    }

    /// Opens the content of a member.
    pub(crate) fn member(&mut self, index: usize) -> Result<Member<'_, R>> {
        let Some(entry) = self.index.entry(index) else {
            return Err(self.no_member(index));
        };
        Member::<R>::check(entry, &self.limits)?;
        let begin = begin_data(entry, &mut self.input)?;
        let (threads, inflate) = (self.threads, self.inflate);
        let blockwise = inflate.and_then(|inflate| {
            let blocks = Blocks::of(entry)?;
            Some(Blockwise { blocks, begin, threads, inflate })
        });
        Ok(Member::new(entry, &mut self.input, &self.limits)?.with_blockwise(blockwise))
    }

    fn in_member<T>(&mut self, index: usize, read: impl FnOnce(NpyReader<Member<'_, R>>) -> Result<T>) -> Result<T> {
        self.array(index).and_then(read).map_err(|error| self.locate(error, index))
    }
}

impl<R: Read + Seek + Clone + Send> NpzReader<R> {
    /// Sets how many threads decompress a member; the default is 1.
    ///
    /// It speeds up members of several MiB that [`NpzWriter`](crate::npz::NpzWriter) has compressed, which
    /// stores the positions of their blocks. Elements must be the same bytes in memory as in the file.
    /// Everything is checked as with one thread. A member with wrong positions of blocks is read by one
    /// thread, or refused as damaged if they are found wrong too late. Each thread reads from a clone of
    /// `R`, which must have its own position in the stream. 0 threads count as 1. With the feature
    /// `libdeflate`, one thread uses these positions too.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
        self.inflate = if self.threads > 1 { Some(inflate_in_parallel) } else { Self::INFLATE_ALONE };
    }
}

/// Clones the reader without reading the central directory again, for another thread. The clone of
/// `R` must have its own position in the stream, as [`ArchiveFile`] and `Cursor` have and `&File`
/// has not.
impl<R: Clone> Clone for NpzReader<R> {
    fn clone(&self) -> Self {
        Self { input: self.input.clone(), index: Arc::clone(&self.index), ..*self }
    }
}

/// Checks the local header of a member, and positions the input at its data. Returns their offset.
fn begin_data<R: Read + Seek>(entry: &Entry, input: &mut Input<R>) -> Result<u64> {
    /// Bytes that are read after the local header: all of a small member.
    const USUAL_DATA: u64 = 4096;
    let mut count = entry.front_bytes(USUAL_DATA);
    loop {
        let header = input.read_at(entry.offset, count).map_err(cannot_read)?;
        count = entry.check_local_header(header)?;
        if count <= header.len() as u64 {
            input.skip_front(usize::try_from(count).unwrap_or_default());
            return Ok(entry.offset + count);
        }
    }
}

impl<R> fmt::Debug for NpzReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.index.names().collect();
        f.debug_struct("NpzReader").field("names", &names).finish_non_exhaustive()
    }
}

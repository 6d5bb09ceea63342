//! Reading of archives.

pub(crate) mod content;
pub(crate) mod extract;
pub(crate) mod file;
pub(crate) mod in_place;
pub(crate) mod index;
pub(crate) mod member;
pub(crate) mod stream;
#[cfg(feature = "dynamic")]
mod to_rust;

use std::fmt;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::codec::blocks::Blocks;
use super::codec::inflate::{InflateBlocks, inflate_in_parallel};
use super::codec::input::{FillFrom, Input};
use super::zip::central_directory;
use super::zip::problem::{archive, cannot_read};
use crate::element::NpyElement;
use crate::error::{ArchiveProblem, Error, ErrorKind, Result, listed};
use crate::format::header::Header;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::read::NpyReader;
use file::ArchiveFile;
use index::{Index, Surroundings};
use member::{Blockwise, Member};

/// Reads the arrays of an archive, by name or by index.
///
/// The name of an array is that of its member without `.npy`, as in NumPy. Only the central
/// directory is read before you ask for an array. Damage of one member does not affect the others.
///
/// ```
/// # use npy_core::npz::{NpzReader, NpzWriter};
/// # let mut file = std::io::Cursor::new(Vec::new());
/// # let mut archive = NpzWriter::new(&mut file);
/// # archive.add_slice("x", &[1_u8, 2, 3])?;
/// # archive.finish()?;
/// let mut archive = NpzReader::new(file)?;
/// for index in 0..archive.len() {
///     let header = archive.header(index)?;
///     println!("{} {} {:?}", archive.name(index).unwrap_or_default(), header.dtype(), header.shape()); // x |u1 [3]
/// }
/// assert_eq!(archive.by_name::<u8>("x")?, [1, 2, 3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct NpzReader<R> {
    input: Input<R>,
    index: Arc<Index>,
    limits: Limits,
    threads: usize,
    /// How blocks are decompressed for themselves, if that is faster: once more than one thread was
    /// asked for.
    inflate: Option<InflateBlocks<R>>,
}

impl NpzReader<ArchiveFile> {
    /// Opens an archive and reads its central directory.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// # let mut archive = NpzWriter::create(&path)?;
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.finish()?;
    /// let x: Vec<f64> = NpzReader::open(&path)?.by_name("x")?;
    /// assert_eq!(x, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or is not a zip archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, ReadOptions::new())
    }

    /// [`open`](Self::open) with [`ReadOptions`] or [`Limits`].
    ///
    /// The threads are those of [`set_threads`](Self::set_threads).
    ///
    /// ```
    /// # use npy_core::npz::NpzWriter;
    /// use npy_core::{ReadOptions, npz::NpzReader};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// # let mut archive = NpzWriter::create(&path)?;
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.finish()?;
    /// let mut archive = NpzReader::open_with(&path, ReadOptions::new().threads(2))?;
    /// assert_eq!(archive.by_name::<f64>("x")?, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
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
    /// Reads the central directory of an archive.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # let file = archive.finish()?;
    /// let mut archive = NpzReader::new(file)?; // a `File`, or any other stream that can seek
    /// assert_eq!(archive.by_name::<f64>("x")?, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if reading fails or `reader` is not a zip archive.
    pub fn new(reader: R) -> Result<Self> {
        Self::new_with(reader, ReadOptions::new())
    }

    /// [`new`](Self::new) with [`ReadOptions`] or [`Limits`].
    ///
    /// Threads need [`set_threads`](Self::set_threads), because they clone `R`.
    ///
    /// ```
    /// use npy_core::{Limits, npz::NpzReader};
    ///
    /// # let mut archive = npy_core::npz::NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[0.0_f64; 1000])?;
    /// # let upload = archive.finish()?;
    /// let mut archive = NpzReader::new_with(upload, Limits::new().data_bytes(1000))?;
    /// assert!(archive.by_name::<f64>("x").is_err()); // 8000 bytes
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`new`](Self::new).
    pub fn new_with(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        Self::with_fill(reader, |reader, buf| buf.read_from(reader), options.into().limits, None)
    }

    /// How a single thread decompresses blocks one by one; `None` where streaming is as fast.
    #[cfg(feature = "libdeflate")]
    const INFLATE_ALONE: Option<InflateBlocks<R>> = Some(super::codec::inflate::inflate_in_turn);
    #[cfg(not(feature = "libdeflate"))]
    const INFLATE_ALONE: Option<InflateBlocks<R>> = None;

    fn with_fill(mut reader: R, fill: FillFrom<R>, limits: Limits, path: Option<&Path>) -> Result<Self> {
        let directory = central_directory::read(&mut reader, &limits)?;
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

    /// Returns the names of the members, without `.npy` at their ends.
    ///
    /// They are in the order of the archive. Of several members of one name,
    /// [`by_name`](Self::by_name) finds the last, as NumPy does.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!(archive.names().collect::<Vec<_>>(), ["x", "notes.txt"]);
    /// assert_eq!((archive.name(0), archive.whole_name(0)), (Some("x"), Some("x.npy")));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.index.names()
    }

    /// Returns the name of a member, without `.npy` at its end.
    ///
    /// See [`names`](Self::names) for an example.
    pub fn name(&self, index: usize) -> Option<&str> {
        self.index.name(index)
    }

    /// Returns the full name of a member, with `.npy` if it is an array.
    ///
    /// See [`names`](Self::names) for an example.
    pub fn whole_name(&self, index: usize) -> Option<&str> {
        self.index.whole_name(index)
    }

    /// Returns whether a member is an array by its name, which then ends in `.npy`.
    ///
    /// The attributes that macOS keeps of a file, such as `__MACOSX/._x.npy`, are no array.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("__MACOSX/._x.npy", b"attributes")?;
    /// # let file = archive.finish()?.into_inner();
    /// let archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!((archive.is_array(0), archive.is_array(1)), (true, false));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn is_array(&self, index: usize) -> bool {
        // The name is the whole one without `.npy`.
        self.whole_name(index) != self.name(index) && !self.is_of_macos(index)
    }

    /// Returns whether a member has attributes that macOS keeps of a file, by its name.
    ///
    /// See [`is_array`](Self::is_array) for an example.
    pub fn is_of_macos(&self, index: usize) -> bool {
        let name = self.whole_name(index).unwrap_or_default();
        let file = name.rsplit('/').next().unwrap_or_default();
        (name.starts_with("__MACOSX/") || name.contains("/__MACOSX/")) && file.starts_with("._")
    }

    /// Returns the size of a member's content, by the central directory.
    ///
    /// Of an array, the header is included.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!(archive.size(0), Some(128 + 16)); // with the header
    /// assert_eq!(archive.compressed_size(0), Some(128 + 16)); // not compressed
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn size(&self, index: usize) -> Option<u64> {
        self.index.size(index)
    }

    /// Returns the compressed size of a member, by the central directory.
    ///
    /// It equals [`size`](Self::size) if the member is not compressed.
    ///
    /// See [`size`](Self::size) for an example.
    pub fn compressed_size(&self, index: usize) -> Option<u64> {
        self.index.compressed_size(index)
    }

    /// Returns the number of a member's compression method: 0 is stored, 8 is deflate.
    ///
    /// The numbers are those of section 4.4.5 of PKWARE's APPNOTE.
    ///
    /// See [`data_range`](Self::data_range) for an example.
    pub fn method(&self, index: usize) -> Option<u16> {
        self.index.entry(index).map(|entry| entry.method)
    }

    /// Returns whether a member has a comment or extra fields of other programs.
    ///
    /// Fields that hold sizes, padding, dates and owners do not count.
    ///
    /// See [`surroundings`](Self::surroundings) for an example.
    pub fn has_extra(&self, index: usize) -> bool {
        self.index.entry(index).is_some_and(|entry| entry.has_extra)
    }

    /// Returns what the archive has beside its members.
    ///
    /// A copy that is made of the members alone does not have it.
    ///
    /// ```
    /// # use std::io::{Cursor, Write};
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut file = Cursor::new(Vec::new());
    /// # file.write_all(b"About it")?;
    /// # let mut archive = NpzWriter::new(file);
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # let file = archive.finish()?.into_inner();
    /// let archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!(archive.surroundings().before, 8);
    /// assert!(archive.surroundings().comment.is_empty());
    /// assert!(!archive.has_extra(0));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn surroundings(&self) -> &Surroundings {
        self.index.surroundings()
    }

    /// Returns the bytes of the archive that are a member's data.
    ///
    /// Those of a stored member are its content: a whole `.npy` file, which can be mapped or read
    /// at any place.
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, or if its local header is damaged.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # let file = archive.finish()?.into_inner();
    /// let mut archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!(archive.method(0), Some(0));
    /// let range = archive.data_range(0)?;
    /// assert!(file[range.start as usize..].starts_with(b"\x93NUMPY"));
    /// assert_eq!(Some(range.end - range.start), archive.compressed_size(0));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn data_range(&mut self, index: usize) -> Result<Range<u64>> {
        let Some(entry) = self.index.entry(index) else { return Err(self.no_member(index)) };
        let begin = entry.seek_to_data(self.input.reader_mut()).map_err(|error| self.locate(error, index))?;
        Ok(begin..begin + entry.claim.compressed)
    }

    /// Returns the reader of the archive.
    ///
    /// Its position has no effect: members are found by seeking.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// archive.get_mut().set_position(7);
    /// assert_eq!(archive.by_name::<f64>("x")?, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn get_mut(&mut self) -> &mut R {
        self.input.reader_mut()
    }

    /// Returns the index of the member of a name.
    ///
    /// As in NumPy, a full name, `.npy` included, takes precedence over one without.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!(archive.index_of("x"), Some(0));
    /// assert_eq!(archive.index_of("x.npy"), Some(0));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.index.index_of(name)
    }

    /// Reads the one-dimensional array of a name.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let mut archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!(archive.by_name::<f64>("x")?, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, if it is damaged or not an array, and like
    /// [`load`](crate::load).
    pub fn by_name<T: NpyElement>(&mut self, name: &str) -> Result<Vec<T>> {
        let index = self.find(name)?;
        self.by_index(index)
    }

    /// Reads the one-dimensional array at an index.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let mut archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!(archive.by_index::<f64>(0)?, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name).
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

    /// Reads the only element of an array without dimensions.
    ///
    /// `np.savez` makes such an array of a number.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_scalar("rate", &0.01)?;
    /// # let file = archive.finish()?.into_inner();
    /// let rate: f64 = NpzReader::from_bytes(&file)?.scalar("rate")?; // np.savez(path, rate=0.01)
    /// assert_eq!(rate, 0.01);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`by_name`](Self::by_name), and if the array has dimensions.
    pub fn scalar<T: NpyElement>(&mut self, name: &str) -> Result<T> {
        let index = self.find(name)?;
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not of every lifetime")]
        self.in_member(index, |reader| reader.into_scalar())
    }

    /// Reads the header of an array, without its elements.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let mut archive = NpzReader::from_bytes(&file)?;
    /// assert_eq!(archive.header(0)?.dtype().to_string(), "<f8");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, or if it is damaged or not an array.
    pub fn header(&mut self, index: usize) -> Result<Header> {
        self.in_member(index, |reader| Ok(reader.header().clone()))
    }

    /// Returns a reader of an array, of any shape and dtype.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let mut archive = NpzReader::from_bytes(&file)?;
    /// let sum: f64 = archive.array(0)?.records::<f64>().sum::<Result<_, _>>()?;
    /// assert_eq!(sum, 3.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`header`](Self::header). Errors of the reader itself do not name the member.
    pub fn array(&mut self, index: usize) -> Result<NpyReader<Member<'_, R>>> {
        let (limits, members) = (self.limits, Arc::clone(&self.index));
        self.member(index).and_then(|member| member.into_reader(limits)).map_err(|error| members.locate(error, index))
    }

    /// Reads the content of a member, array or not.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let mut archive = NpzReader::from_bytes(&file)?;
    /// let notes = archive.find("notes.txt")?;
    /// assert_eq!(archive.bytes(notes, 1 << 20)?, b"hello");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, if it is damaged, or if its content is longer than `most`
    /// bytes.
    pub fn bytes(&mut self, index: usize, most: u64) -> Result<Vec<u8>> {
        let mut read = || {
            let too_long = |found| Error::from(ErrorKind::LimitExceeded { what: "bytes of a member", limit: most, found });
            if let Some(found) = self.size(index).filter(|size| *size > most) {
                return Err(too_long(found));
            }
            let mut member = self.member(index)?;
            let mut bytes = Vec::new();
            // A damaged one may have more than it claims.
            (&mut member).take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(cannot_read)?;
            if bytes.len() as u64 > most {
                return Err(too_long(bytes.len() as u64));
            }
            member.finish()?;
            Ok(bytes)
        };
        read().map_err(|error: Error| self.locate(error, index))
    }

    /// Reads every member to its end and checks its checksum.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1_u8, 2])?;
    /// # let mut file = archive.finish()?.into_inner();
    /// NpzReader::from_bytes(&file)?.verify()?;
    /// # let at = file.windows(2).position(|window| window == [1, 2]).unwrap_or_default();
    /// file[at] ^= 1;
    /// let error = NpzReader::from_bytes(&file)?.verify().unwrap_err();
    /// assert_eq!(error.member(), Some("x"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with the first error.
    pub fn verify(&mut self) -> Result<()> {
        (0..self.len()).try_for_each(|index| self.verify_member(index))
    }

    /// Reads a member to its end and checks its checksum. For `npy-cli`.
    ///
    /// # Errors
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
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// # archive.add_bytes("notes.txt", b"hello")?;
    /// # let file = archive.finish()?.into_inner();
    /// let archive = NpzReader::from_bytes(&file)?;
    /// let error = archive.find("y").unwrap_err();
    /// assert_eq!(error.to_string(), "missing array \"y\": the archive has x, notes.txt");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such member.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.index_of(name).ok_or_else(|| {
            let (available, omitted) = listed(self.names());
            // It has no place, but the archive may have a path.
            self.locate(ErrorKind::NoMember { names: vec![name.to_owned()], available, omitted }.into(), usize::MAX)
        })
    }

    pub(crate) fn no_member(&self, index: usize) -> Error {
        self.locate(archive(ArchiveProblem::NoIndex { index, members: self.len() }), index)
    }

    /// Adds the member and the file to an error.
    #[doc(hidden)]
    pub fn locate(&self, error: Error, index: usize) -> Error {
        self.index.locate(error, index)
    }

    /// The content of a member, from its beginning.
    pub(crate) fn member(&mut self, index: usize) -> Result<Member<'_, R>> {
        let Some(entry) = self.index.entry(index) else {
            return Err(self.no_member(index));
        };
        Member::<R>::check(entry, &self.limits)?;
        let begin = entry.begin_data(&mut self.input)?;
        let (threads, inflate) = (self.threads, self.inflate);
        let blockwise = inflate.and_then(|inflate| {
            let blocks = Blocks::parse(entry.blocks(), entry.claim)?;
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
    /// Only members of several MiB that [`NpzWriter`](super::NpzWriter) has compressed gain by it,
    /// because only it stores where their blocks begin, and only elements whose memory is that of
    /// the file. Everything is checked as with one thread. A member with false positions of blocks
    /// is read by one thread, or refused as damaged if that is found too late. Each thread reads
    /// from a clone of `R`, which must have its own position in the stream. 0 threads count as 1.
    /// With the feature `libdeflate`, one thread uses these positions too.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// # let items: Vec<f64> = (0..1 << 20).map(f64::from).collect();
    /// let mut archive = NpzWriter::create_compressed(&path)?;
    /// archive.add_slice("x", &items)?;
    /// archive.finish()?;
    ///
    /// let mut archive = NpzReader::open(&path)?;
    /// archive.set_threads(2);
    /// assert!(archive.by_name::<f64>("x")? == items);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
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

impl<R> fmt::Debug for NpzReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.index.names().collect();
        f.debug_struct("NpzReader").field("names", &names).finish_non_exhaustive()
    }
}

//! Growing files: creates them, appends to them and recovers them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::growth::{FILE_CHANGES, Growable, Growth, canonical, empty_rows, patch};
use super::output::{Changes, cannot_write};
use super::replace::Replacement;
use super::{NpyWriter, header_of, layout_of};
use crate::element;
use crate::element::{Codec, NpyElement};
use crate::error::{Error, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::limits::Limits;
use crate::options::SaveOptions;
use crate::sys::lock::{lock, open_locked};

impl<T: NpyElement> NpyWriter<T, File> {
    /// Creates a file that grows by elements of `T`, and is valid at every instant.
    ///
    /// NumPy and other processes can read it at any time, and so can you after a crash.
    ///
    /// The header counts the elements up to the last [`flush`](Self::flush), up to
    /// [`finish`](Self::finish), or up to the drop of the writer. Data reach the disk before the header
    /// counts them. So if the process is killed or the power is cut, the file is valid and holds at
    /// least the flushed elements. [`recover`] counts others that were written.
    ///
    /// An existing file is replaced by the empty array at once. The file is locked: a second writer of
    /// this library is an error. On Windows the lock is that no program can open the file to write; all
    /// can read it. Do not [`save`](crate::save) to the path while the writer is open, because that
    /// replaces the file.
    ///
    /// [`new`](NpyWriter::new) with a [`File`] is faster, and survives no power cut.
    ///
    /// # Errors
    ///
    /// Fails for `String` and `Option`, whose width or form is not known: put `#[npy(dtype = "U16")]` on
    /// the field, or give a header to [`create_like`](Self::create_like).
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        expect_fixed_width::<T>().map_err(|error| error.with_path(path))?;
        Self::create_like(path, &header_of(T::dtype(), &[0])?)
    }

    /// Creates a growing file with a given dtype, order and further dimensions.
    ///
    /// The outer axis grows, so that its length in `header` has no effect. A single axis is written in C
    /// order, as NumPy does. See [`create`](Self::create).
    ///
    /// Fails if the dtype does not fit `T`, and if rows have no elements.
    pub fn create_like(path: impl AsRef<Path>, header: &Header) -> Result<Self> {
        create_growing(path.as_ref(), header, growable::<T>, Self::grow_file)
    }

    /// Opens an existing file to append to it, in its dtype and order.
    ///
    /// NumPy, this library or any other program may have written it. New rows extend the outer axis.
    ///
    /// The header keeps its length. NumPy 1.24 and later, and this library, reserve space for more
    /// digits; an older file whose header has no space is an error. Bytes after the array, such as
    /// rows that a crash left uncounted, are truncated: call [`recover`] first to keep them.
    ///
    /// # Errors
    ///
    /// Fails if the file has another writer, is truncated, has no dimensions, or is followed by other
    /// arrays. Fails if its dtype does not fit `T`, or has fields for which `T` has no value.
    pub fn append(path: impl AsRef<Path>) -> Result<Self> {
        let grow = |header: &Header, length| Ok((growable::<T>(header, length)?, layout_of::<T>(header).element_count() as u64));
        open_to_append(path.as_ref(), grow, Self::grow_file)
    }

    /// [Appends](Self::append) to an existing file, or [creates](Self::create) a new one.
    ///
    /// It never replaces a file. If several processes call it at the same time, one succeeds, and the
    /// others fail while it writes. An empty file (0 bytes) is an error, as for `append`, and so are the
    /// types that [`create`](Self::create) names.
    pub fn create_or_append(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let is_absent = || std::fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let create = || {
            expect_fixed_width::<T>()?;
            let header = header_of(T::dtype(), &[0])?;
            create_if_absent(path, &growable::<T>(&header, header.to_bytes().len())?)
        };
        if is_absent() {
            create().map_err(|error: Error| error.with_path(path))?;
        }
        Self::append(path)
    }

    fn grow_file(file: File, header: &Header, growth: Growth) -> Result<Self> {
        Self::grow(file, header, FILE_CHANGES, growth)
    }
}

impl<T: NpyElement, W: Write + Seek> NpyWriter<T, W> {
    /// Begins a one-dimensional array of unknown length in a stream that can seek.
    ///
    /// The array begins at the current position. [`flush`](Self::flush) and [`finish`](Self::finish)
    /// write the number of elements into the header.
    ///
    /// With a [`File`] this is the fast way, and it survives no power cut: nothing is fsynced, where
    /// [`create`](NpyWriter::create) takes an `fsync` or two at the beginning and at each `flush`. The
    /// header never counts elements that were not written. Elements that were not flushed are lost if the
    /// process is killed; [`recover`] counts rows of them that were written. The file is not locked.
    ///
    /// A file that was opened for appending cannot seek. That is an error, but only of the first
    /// `flush`, when the array has been written. Use [`append`](NpyWriter::append) to add to a file.
    ///
    /// # Errors
    ///
    /// Fails if the width of the elements is unknown: of text without a fixed width, or of an `Option`,
    /// whose field is left out if no element has a value.
    pub fn new(writer: W) -> Result<Self> {
        expect_fixed_width::<T>()?;
        Self::new_like(writer, &header_of(T::dtype(), &[0])?)
    }

    /// [`new`](Self::new) with a given dtype, order and further dimensions.
    ///
    /// As in [`create_like`](NpyWriter::create_like), the outer axis grows.
    pub fn new_like(mut writer: W, header: &Header) -> Result<Self> {
        let header = &*canonical(header);
        let growable = growable::<T>(header, header.to_bytes().len())?;
        writer.write_all(&growable.bytes(0)?).map_err(cannot_write)?;
        Self::grow(writer, header, Changes { patch, sync: |_| Ok(()) }, Growth::new(growable, 0, None))
    }

    fn grow(writer: W, header: &Header, changes: Changes<W>, growth: Growth) -> Result<Self> {
        let mut grown = Self::with_header(writer, header)?;
        grown.writer.allow(changes);
        grown.stage.grow(growth);
        Ok(grown)
    }
}

/// Creates a growing file. `grow` plans it, given the header and its length in bytes.
pub(super) fn create_growing<W>(
    path: &Path,
    header: &Header,
    grow: impl FnOnce(&Header, usize) -> Result<Growable>,
    begin: impl FnOnce(File, &Header, Growth) -> Result<W>,
) -> Result<W> {
    let create = || {
        let header = &*canonical(header);
        let growable = grow(header, header.to_bytes().len())?;
        let file = create_empty(path, &growable)?;
        let growth = Growth::of_file(path, &file, growable, 0)?;
        begin(file, header, growth)
    };
    create().map_err(|error: Error| error.with_path(path))
}

/// Opens a file to append to it. `grow` plans the growth and counts the elements in the file.
///
/// The file is cut behind the array once `begin` has made a writer.
pub(super) fn open_to_append<W>(
    path: &Path,
    grow: impl FnOnce(&Header, usize) -> Result<(Growable, u64)>,
    begin: impl FnOnce(File, &Header, Growth) -> Result<W>,
) -> Result<W> {
    let open = || {
        let mut array = OpenArray::open(path)?;
        let (growable, start) = grow(&array.header, array.data_offset)?;
        array.expect_room(&growable, start)?;
        let cut = array.file.try_clone().map_err(cannot_write)?;
        let end = array.end();
        let growth = Growth::of_file(path, &array.file, growable, start)?;
        let writer = begin(array.file, &array.header, growth)?;
        // All checks have passed.
        cut.set_len(end).and_then(|()| (&cut).seek(SeekFrom::Start(end))).map_err(cannot_write)?;
        Ok(writer)
    };
    open().map_err(|error: Error| error.with_path(path))
}

/// The header of an array that grows by elements `T`, which may contain its last axes.
fn growable<T: NpyElement>(header: &Header, length: usize) -> Result<Growable> {
    let axes = element::inner_axes::<T>();
    if axes > 0 && !matches!(header.dtype(), DType::SubArray(_)) && header.shape().len() <= axes {
        return Err(element::wrong_shape::<T>(1, header.shape()));
    }
    let layout = layout_of::<T>(header);
    // Before anything is replaced or written.
    element::plan_to_write::<T>(layout.dtype())?;
    Growable::new(header, &layout, length)
}

/// Replaces the file by an empty array, durably, and locks it.
fn create_empty(path: &Path, growable: &Growable) -> Result<File> {
    let (mut file, mut replacement) = Replacement::begin(path)?;
    if !replacement.is_file() {
        return Err(Error::cannot_grow("expected a seekable file; `with_len` takes the number of elements instead"));
    }
    replacement.lock_target(lock)?;
    lock(&file)?;
    file.write_all(&growable.bytes(0)?).map_err(cannot_write)?;
    replacement.commit(SaveOptions::new().durable(true), || file.sync_all())?;
    Ok(file)
}

/// Creates the file with an empty array, durably, unless there is one.
fn create_if_absent(path: &Path, growable: &Growable) -> Result<()> {
    let (mut file, replacement) = Replacement::begin(path)?;
    file.write_all(&growable.bytes(0)?).map_err(cannot_write)?;
    // Another process may have created it meanwhile, and appended to it: that file stays.
    replacement.commit_new(|| file.sync_all()).map(|_| ())
}

/// The error of an array that is followed by another one, which would be overwritten.
#[cold]
fn followed_by_array(offset: u64) -> Error {
    Error::cannot_grow(format_args!("expected the end of the file at byte {offset}, found another array"))
}

/// Refuses elements whose width is unknown before the longest is seen.
pub(crate) fn expect_fixed_width<T: NpyElement>() -> Result<()> {
    if const { !T::Codec::GROWS } {
        let dtype = T::dtype();
        return Err(Error::cannot_grow(format_args!(
            "expected elements of a fixed width, found {dtype}; `#[npy(dtype = \"U16\")]` sets the width of text, and a value such as NaN \
             can stand for `None`"
        )));
    }
    Ok(())
}

/// The result of [`recover`].
///
/// See [`recover`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// The number of rows that the header counted before.
    pub before: u64,
    /// The number of rows that it counts now: all whole rows of the file.
    pub rows: u64,
    /// The number of bytes of an incomplete row that were truncated.
    pub cut: u64,
}

/// Restores a growing file: its header then counts all whole rows.
///
/// These are more than before if a crash left some uncounted, and fewer if the file is truncated.
/// Whatever follows the counted rows counts as rows, unless another array begins there.
///
/// After a crash of the process alone, every row is whole. After a power cut, rows after the last
/// [`flush`](NpyWriter::flush) may hold anything. [`append`](NpyWriter::append) without `recover`
/// truncates them.
///
/// # Errors
///
/// Fails if the file has a writer or no header; if the array has no dimensions or holds Python
/// objects, whose pickle has no rows; if rows have no elements, or no bytes and others follow; if the
/// header has no space, or another array begins after the rows. The file is then unchanged.
///
/// ```
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// npy_core::save(&path, &[1_u32, 2, 3])?;
/// // Cut in the last element.
/// std::fs::OpenOptions::new().write(true).open(&path)?.set_len(128 + 11)?;
/// let recovered = npy_core::append::recover(&path)?;
/// assert_eq!((recovered.before, recovered.rows, recovered.cut), (3, 2, 3));
/// assert_eq!(npy_core::load::<u32>(&path)?, [1, 2]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn recover(path: impl AsRef<Path>) -> Result<Recovered> {
    let path = path.as_ref();
    let recover = || {
        let mut array = OpenArray::open(path)?;
        let growable = Growable::new(&array.header, &array.header, array.data_offset)?;
        let end = array.end();
        expect_no_array_after(&mut array.file, end)?;
        let bytes = array.length.saturating_sub(array.data_offset as u64);
        let row_bytes = growable.row_bytes;
        let before = growable.rows(array.header.element_count() as u64);
        let rows = match bytes.checked_div(row_bytes) {
            Some(rows) => rows,
            // The header alone counts rows without bytes.
            None if bytes == 0 => before,
            None => return Err(empty_rows()),
        };
        let cut = bytes - rows.saturating_mul(row_bytes).min(bytes);
        let header = if rows == before { None } else { Some(growable.bytes(rows)?) };
        array.mend(header.as_deref(), cut)?;
        Ok(Recovered { before, rows, cut })
    };
    recover().map_err(|error: Error| error.with_path(path))
}

/// A file opened for writing, with its header.
struct OpenArray {
    file: File,
    header: Header,
    data_offset: usize,
    length: u64,
}

impl OpenArray {
    fn open(path: &Path) -> Result<Self> {
        let mut file = open_locked(path)?;
        let length = file.metadata().map_err(|error| Error::io("cannot open the file", error))?.len();
        let (header, data_offset) = Header::read_with_offset(&mut file, &Limits::new())?;
        Ok(Self { file, header, data_offset, length })
    }

    /// Writes a header of the same length, then cuts bytes off the end. If either fails, the file
    /// stays as it is.
    fn mend(&mut self, header: Option<&[u8]>, cut: u64) -> Result<()> {
        let Self { file, data_offset, length, .. } = self;
        let mut before = vec![0; *data_offset];
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut before));
        read.map_err(|error| Error::io("cannot read the file", error))?;
        let file = &*file;
        let put = |header: &[u8]| {
            let mut file = file;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(header)?;
            file.sync_data()
        };
        let change = || {
            header.map_or(Ok(()), put)?;
            if cut > 0 { file.set_len(*length - cut) } else { Ok(()) }
        };
        if let Err(error) = change() {
            if header.is_some() {
                // As much of it as was overwritten.
                let _ = put(&before);
            }
            return Err(cannot_write(error));
        }
        if cut > 0 { file.sync_data().map_err(cannot_write) } else { Ok(()) }
    }

    /// Where the array ends in the file.
    fn end(&self) -> u64 {
        self.data_offset as u64 + self.header.data_bytes()
    }

    /// Refuses an array of `elements` elements that is not whole, is not the last one of the file,
    /// or whose header has no space for more rows.
    fn expect_room(&mut self, growable: &Growable, elements: u64) -> Result<()> {
        // Whether the header has space, and can be written.
        growable.bytes(growable.rows(elements).saturating_add(1))?;
        if self.length < self.end() {
            let (offset, expected) = (self.data_offset as u64, self.header.data_bytes());
            let found = self.length.saturating_sub(offset);
            return Err(Error::truncated("the array", offset, expected, found));
        }
        let end = self.end();
        expect_one_array(&mut self.file, end)
    }
}

/// Refuses files in which another array begins after the counted rows: it would become rows.
fn expect_no_array_after(file: &mut File, end: u64) -> Result<()> {
    const PIECE: usize = 1 << 16;
    let failed = |error| Error::io("cannot read the file", error);
    file.seek(SeekFrom::Start(end)).map_err(failed)?;
    let (mut piece, mut offset) = (Vec::new(), end);
    loop {
        let read = (&*file).take(PIECE as u64).read_to_end(&mut piece).map_err(failed)?;
        // With a version, as bytes of rows may be anything.
        let found = piece.windows(8).position(|bytes| matches!(bytes, [b'\x93', b'N', b'U', b'M', b'P', b'Y', 1..=3, 0]));
        if let Some(found) = found {
            return Err(followed_by_array(offset + found as u64));
        }
        if read == 0 {
            return Ok(());
        }
        // The beginning of a magic may be the end of a piece.
        let kept = piece.len().min(7);
        offset += (piece.len() - kept) as u64;
        piece.drain(..piece.len() - kept);
    }
}

/// Refuses files in which another array follows at once, which would be truncated.
fn expect_one_array(file: &mut File, end: u64) -> Result<()> {
    let mut magic = [0; 6];
    let read = file.seek(SeekFrom::Start(end)).and_then(|_| file.read(&mut magic));
    let read = read.map_err(|error| Error::io("cannot read the file", error))?;
    if magic[..read] == *b"\x93NUMPY" {
        return Err(followed_by_array(end));
    }
    Ok(())
}

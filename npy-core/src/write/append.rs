//! Growing files: creates them, appends to them and recovers them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::growth::{Growable, GrowingFile, Growth, patch, patch_file, sync_file};
use super::output::cannot_write;
use super::replace::Replacement;
use super::{NpyWriter, header_of, layout_of};
use crate::element;
use crate::element::NpyElement;
use crate::error::{Conflict, Error, ErrorKind, GrowthProblem, Part, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::limits::Limits;
use crate::options::SaveOptions;
use crate::sys::lock::{is_same, lock};

impl<T: NpyElement> NpyWriter<T, File> {
    /// Begins a one-dimensional file of any number of elements, which can be read at any time: by NumPy, by other processes, after a crash.
    ///
    /// The header says how many elements there are up to the last [`flush`](Self::flush), [`finish`](Self::finish), or until the writer is dropped.
    /// Data are brought to the disk before the header counts them, so that whenever the process is killed or the power is cut, the file is a valid one that
    /// holds the first of the elements that were pushed, at least those that were flushed. [`recover`] counts others that came through.
    ///
    /// What stood under `path` is replaced by the empty array at once. The file is locked: a second writer of this library is an error, but not on Windows,
    /// where a lock would keep readers out. Do not [`save`](crate::save) to the path meanwhile: that puts another file in the place of this one.
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("readings.npy");
    /// let mut readings = NpyWriter::<f64, _>::create(&path)?;
    /// readings.push(&0.5)?;
    /// readings.flush()?;
    /// assert_eq!(npy_core::load::<f64>(&path)?, [0.5]); // while it goes on
    /// readings.write_slice(&[1.5, 2.5])?;
    /// readings.finish()?;
    /// assert_eq!(npy_core::load::<f64>(&path)?, [0.5, 1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// For text without a fixed width see [`create_like`](Self::create_like). Where no power cut need be survived, [`new`](NpyWriter::new) with a
    /// [`File`] takes no time for the disk.
    ///
    /// # Errors
    ///
    /// When the file cannot be made, or is none that can be gone back in.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        expect_fixed_width::<T>()?;
        Self::create_like(path, &header_of(T::dtype(), &[0])?)
    }

    /// [`create`](Self::create) with a dtype, an order and more dimensions: the rows of the outer axis are counted, whose length in `header` does not
    /// matter. In C order that is the first axis, in Fortran order the last.
    ///
    /// ```
    /// # use npy_core::{Header, NpyElement, NpyWriter, Order};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("frames.npy");
    /// let header = Header::new(u8::dtype(), Order::C, &[0, 2, 3])?;
    /// let mut frames = NpyWriter::create_like(&path, &header)?;
    /// frames.write_slice(&[1_u8, 2, 3, 4, 5, 6])?;
    /// frames.finish()?;
    /// assert_eq!(Header::read(std::fs::File::open(&path)?)?.shape(), [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`create`](Self::create), and when the dtype does not fit `T`, or rows have no elements.
    pub fn create_like(path: impl AsRef<Path>, header: &Header) -> Result<Self> {
        let path = path.as_ref();
        let create = || {
            let length = header.to_bytes().len();
            let growable = growable::<T>(header, length)?;
            // Nobody may be adding to what is replaced.
            let existing =
                OpenOptions::new().write(true).open(path).ok().filter(|file| file.metadata().is_ok_and(|file| file.is_file()));
            existing.as_ref().map_or(Ok(()), lock)?;
            let (mut file, replacement) = Replacement::begin(path)?;
            if !replacement.is_file() {
                return Err(ErrorKind::CannotGrow { problem: GrowthProblem::NotSeekable }.into());
            }
            lock(&file)?;
            file.write_all(&growable.bytes(0)?).map_err(cannot_write)?;
            replacement.commit(SaveOptions::new().durable(true), || file.sync_all())?;
            if cfg!(windows) {
                // That of the temporary file, which would keep readers out.
                let _ = file.unlock();
            }
            Self::growing(path, file, header, growable, 0)
        };
        create().map_err(|error: Error| error.with_path(path))
    }

    /// Goes on with a file that NumPy, this library or another program wrote, in its dtype and order.
    ///
    /// The header keeps its length. NumPy 1.24 and later leave room in it for more digits, and so does this library; an older file whose header has no
    /// room left is an error. What stands behind the array, such as what a crash left uncounted, is cut off: call [`recover`] before to keep it. Another array
    /// there is an error. Rows come behind the others along the outer axis, as in [`create_like`](Self::create_like).
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("readings.npy");
    /// npy_core::save(&path, &[0.5_f64])?;
    /// let mut readings = NpyWriter::<f64, _>::append(&path)?;
    /// readings.push(&1.5)?;
    /// readings.finish()?;
    /// assert_eq!(npy_core::load::<f64>(&path)?, [0.5, 1.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or is being added to already, when its dtype does not fit `T`, when it ends before its array does, has no dimensions, or
    /// other arrays behind it.
    pub fn append(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let append = || {
            let OpenArray { mut file, header, data_offset, length } = OpenArray::open(path)?;
            let growable = growable::<T>(&header, data_offset)?;
            let layout = layout_of::<T>(&header);
            // Whether there is room, and the header one that can be written.
            let rows = growable.rows(layout.element_count() as u64);
            growable.bytes(rows.saturating_add(1))?;
            let end = data_offset as u64 + header.data_bytes();
            if length < end {
                let (offset, expected, found) =
                    (data_offset as u64, header.data_bytes(), length.saturating_sub(data_offset as u64));
                return Err(ErrorKind::Truncated { part: Part::Data, offset, expected, found }.into());
            }
            expect_one_array(&mut file, end)?;
            let cut = file.try_clone().map_err(cannot_write)?;
            let writer = Self::growing(path, file, &header, growable, layout.element_count() as u64)?;
            // Now that nothing speaks against it.
            cut.set_len(end).and_then(|()| (&cut).seek(SeekFrom::Start(end))).map_err(cannot_write)?;
            Ok(writer)
        };
        append().map_err(|error: Error| error.with_path(path))
    }

    /// Goes on with the file if there is one, as [`append`](Self::append) does, and begins one if not, as [`create`](Self::create) does.
    ///
    /// Never replaces a file: of several processes that begin one at the same time, one succeeds, and the others fail while it writes. An
    /// empty file (0 bytes) is an error, as for `append`.
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("readings.npy");
    /// for value in [0.5, 1.5] {
    ///     let mut readings = NpyWriter::<f64, _>::create_or_append(&path)?;
    ///     readings.push(&value)?;
    ///     readings.finish()?;
    /// }
    /// assert_eq!(npy_core::load::<f64>(&path)?, [0.5, 1.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`append`](Self::append) if there is a file, and like [`create`](Self::create) if not.
    pub fn create_or_append(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let is_absent = || std::fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let create = || {
            expect_fixed_width::<T>()?;
            let header = header_of(T::dtype(), &[0])?;
            let growable = growable::<T>(&header, header.to_bytes().len())?;
            let (mut file, replacement) = Replacement::begin(path)?;
            file.write_all(&growable.bytes(0)?).map_err(cannot_write)?;
            // Another process may have created it meanwhile, and added to it: that file stays.
            replacement.commit_new(|| file.sync_all())
        };
        if is_absent() {
            create().map_err(|error: Error| error.with_path(path))?;
        }
        Self::append(path)
    }

    fn growing(path: &Path, file: File, header: &Header, growable: Growable, start: u64) -> Result<Self> {
        let rows = growable.rows(start).saturating_mul(growable.row_bytes());
        let place = (growable.header_bytes() as u64).saturating_add(rows);
        let growing = GrowingFile::new(&file, path, place).map_err(cannot_write)?;
        Self::grow(file, header, growable, start, (patch_file, sync_file), Some(growing))
    }
}

impl<T: NpyElement, W: Write + Seek> NpyWriter<T, W> {
    /// Begins a one-dimensional array of any number of elements in a stream that can be gone back in, where it stands; the number is put into the header
    /// by [`flush`](Self::flush) and [`finish`](Self::finish).
    ///
    /// With a [`File`] this is the fast way where no power cut need be survived: nothing is brought to the disk, where [`create`](NpyWriter::create)
    /// takes an `fsync` or two at the beginning and at each `flush`. The header never counts what was not written before. What was not flushed is lost
    /// if the process is killed; [`recover`] counts rows of it that were written. Dropping the writer counts every whole row, unless writing has failed.
    /// Nothing locks the file.
    ///
    /// A file that was opened for appending writes at its end only, and cannot be gone back in: that is an error, but it comes with the first `flush`,
    /// when the array is there already. To add to a file use [`append`](NpyWriter::append).
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// let mut file = std::io::Cursor::new(Vec::new());
    /// let mut writer = NpyWriter::new(&mut file)?;
    /// writer.write_slice(&[1_u8, 2, 3])?;
    /// writer.finish()?;
    /// assert_eq!(npy_core::read::<u8>(&file.get_ref()[..])?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When writing fails, or the width of the elements is not known: text without a fixed width, or an `Option`, whose field is left out where none has a
    /// value.
    pub fn new(writer: W) -> Result<Self> {
        expect_fixed_width::<T>()?;
        Self::new_like(writer, &header_of(T::dtype(), &[0])?)
    }

    /// [`new`](Self::new) with a dtype, an order and more dimensions, as [`create_like`](NpyWriter::create_like) has them.
    ///
    /// ```
    /// # use npy_core::{Header, NpyElement, NpyWriter, Order};
    /// let header = Header::new(f32::dtype(), Order::C, &[0, 3])?; // rows of three
    /// let mut writer = NpyWriter::new_like(std::io::Cursor::new(Vec::new()), &header)?;
    /// writer.write_slice(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let file = writer.finish()?.into_inner();
    /// assert_eq!(Header::read(&file[..])?.shape(), [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When writing fails, when the dtype does not fit `T`, or rows have no elements.
    pub fn new_like(mut writer: W, header: &Header) -> Result<Self> {
        let growable = growable::<T>(header, header.to_bytes().len())?;
        writer.write_all(&growable.bytes(0)?).map_err(cannot_write)?;
        Self::grow(writer, header, growable, 0, (patch, |_| Ok(())), None)
    }

    fn grow(
        writer: W,
        header: &Header,
        growable: Growable,
        start: u64,
        (patch, sync): Changes<W>,
        file: Option<GrowingFile>,
    ) -> Result<Self> {
        let committed = growable.rows(start);
        let mut writer = Self::with_header(writer, header)?;
        // The header is there.
        writer.stage = Vec::new();
        writer.handed = (growable.header_bytes() as u64).saturating_add(start.saturating_mul(writer.itemsize as u64));
        writer.expected = growable.most_rows().saturating_mul(growable.row_elements()).saturating_sub(start);
        writer.growth = Some(Growth { growable, patch, sync, start, committed, file });
        Ok(writer)
    }
}

/// How a header is put over another one, and data are brought to the disk: see [`Growth`].
type Changes<W> = (fn(&mut W, u64, &[u8]) -> io::Result<()>, fn(&mut W) -> io::Result<()>);

/// The header of an array that grows by elements `T`, which may have its last axes in them.
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

/// Refuses elements whose width is that of the longest, which nobody knows before.
pub(crate) fn expect_fixed_width<T: NpyElement>() -> Result<()> {
    if const { T::VARIES } {
        let problem = GrowthProblem::VariableWidth { dtype: T::dtype().to_string() };
        return Err(ErrorKind::CannotGrow { problem }.into());
    }
    Ok(())
}

/// What [`recover`] has found and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// The rows that the header said.
    pub before: u64,
    /// The rows that it says now: all whole ones that the file has.
    pub rows: u64,
    /// Bytes of a row that was not whole, which were cut off.
    pub cut: u64,
}

/// Makes the header of a file say how many whole rows the file has: more than it said, if a crash left some uncounted; fewer, if the file is cut short.
///
/// After a crash of the process alone every row that came through is whole. After a power cut, rows behind the last
/// [`flush`](NpyWriter::flush) may hold anything; [`append`](NpyWriter::append) without this cuts them off.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("readings.npy");
/// npy_core::save(&path, &[1_u32, 2, 3])?;
/// // Cut in the last element.
/// std::fs::OpenOptions::new().write(true).open(&path)?.set_len(128 + 11)?;
/// let recovered = npy_core::append::recover(&path)?;
/// assert_eq!((recovered.before, recovered.rows, recovered.cut), (3, 2, 3));
/// assert_eq!(npy_core::load::<u32>(&path)?, [1, 2]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// When the file cannot be opened or is being added to, has no header, when its array has no dimensions or no elements in a row, its header no room, or other arrays
/// stand behind it.
pub fn recover(path: impl AsRef<Path>) -> Result<Recovered> {
    let path = path.as_ref();
    let recover = || {
        let OpenArray { mut file, header, data_offset, length } = OpenArray::open(path)?;
        let growable = Growable::new(&header, &header, data_offset)?;
        let end = data_offset as u64 + header.data_bytes();
        if length > end {
            expect_one_array(&mut file, end)?;
        }
        let bytes = length.saturating_sub(data_offset as u64);
        let row_bytes = growable.row_bytes();
        let before = growable.rows(header.element_count() as u64);
        // Rows without bytes are as many as the header says.
        let rows = bytes.checked_div(row_bytes).unwrap_or(before);
        let cut = bytes - rows.saturating_mul(row_bytes).min(bytes);
        let text = growable.bytes(rows)?;
        let mend = || {
            file.set_len(length - cut)?;
            file.sync_data()?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&text)?;
            file.sync_data()
        };
        if rows != before || cut > 0 {
            let mut mend = mend;
            mend().map_err(cannot_write)?;
        }
        Ok(Recovered { before, rows, cut })
    };
    recover().map_err(|error: Error| error.with_path(path))
}

/// A file that was opened to be changed, with its header.
struct OpenArray {
    file: File,
    header: Header,
    data_offset: usize,
    length: u64,
}

impl OpenArray {
    fn open(path: &Path) -> Result<Self> {
        let open = OpenOptions::new().read(true).write(true).open(path);
        let mut file = open.map_err(|error| Error::io("cannot open the file", error))?;
        lock(&file)?;
        if !is_same(&file, path) {
            return Err(ErrorKind::Conflict { conflict: Conflict::Replaced }.into());
        }
        let length = file.metadata().map_err(|error| Error::io("cannot open the file", error))?.len();
        let (header, data_offset) = Header::read_with_offset(&mut file, &Limits::new())?;
        Ok(Self { file, header, data_offset, length })
    }
}

/// Refuses files that go on with another array, which would be cut off.
fn expect_one_array(file: &mut File, end: u64) -> Result<()> {
    let mut magic = [0; 6];
    let read = file.seek(SeekFrom::Start(end)).and_then(|_| file.read(&mut magic));
    let read = read.map_err(|error| Error::io("cannot read the file", error))?;
    if magic[..read] == *b"\x93NUMPY" {
        return Err(ErrorKind::CannotGrow { problem: GrowthProblem::FollowedByArray { offset: end } }.into());
    }
    Ok(())
}

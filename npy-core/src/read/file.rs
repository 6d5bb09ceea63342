//! Opens and loads files by their path.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::mem::MaybeUninit;
use std::path::Path;

use super::reader::NpyReader;
use super::source::{AsFile, Source};
use crate::element::NpyElement;
use crate::error::{Error, Result};
use crate::format::header::Header;
use crate::memory::{ReadBuf, read_head};
use crate::options::ReadOptions;

/// Reads a one-dimensional file into a vector.
///
/// The last axes of arrays of more dimensions are read as arrays `[T; N]`: a file of shape (5, 3) in C order has 5
/// elements `[f32; 3]`. For dimensions known only at run time see `npy_ndarray`, or [`NpyReader`].
///
/// # Errors
///
/// Fails if the file cannot be read, is not an `.npy` file, has another dtype than `T`, or does not
/// have one dimension.
///
/// ```
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// npy_core::save(&path, &[1.5_f32, 2.5])?;
/// let samples: Vec<f32> = npy_core::load(&path)?;
/// assert_eq!(samples, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn load<T: NpyElement>(path: impl AsRef<Path>) -> Result<Vec<T>> {
    load_with(path, ReadOptions::new())
}

/// [`load`] with options: limits, threads.
#[allow(clippy::redundant_closure_for_method_calls, reason = "the method alone has one lifetime, not every")]
pub fn load_with<T: NpyElement>(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Vec<T>> {
    with_file(path.as_ref(), options.into(), |reader| reader.into_one_dimension())
}

/// Reads a one-dimensional file into an existing vector and reuses its memory.
///
/// Use it in loops over many files. The previous elements are dropped; after an error the vector is
/// empty.
///
/// ```
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let mut samples = vec![0.5_f32];
/// npy_core::save(&path, &[1.5_f32, 2.5])?;
/// npy_core::load_into(&path, &mut samples)?;
/// assert_eq!(samples, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn load_into<T: NpyElement>(path: impl AsRef<Path>, items: &mut Vec<T>) -> Result<()> {
    items.clear();
    with_file(path.as_ref(), ReadOptions::new(), |mut reader| {
        reader.state.expect_dimensions::<T>(1)?;
        reader.read_to_vec(items)
    })
}

impl NpyReader<BufReader<File>> {
    /// Opens a file and reads its header.
    ///
    /// Fails if the file cannot be read or is not an `.npy` file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, ReadOptions::new())
    }

    /// [`open`](Self::open) with options: limits, threads.
    pub fn open_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let path = path.as_ref();
        let reader = File::open(path).map_err(cannot_open).and_then(|file| Self::of_file(file, options.into(), true));
        reader.map(|reader| reader.with_path(path)).map_err(|error| error.with_path(path))
    }

    /// Reads the header of an open file, as fast as [`open`](Self::open).
    ///
    /// The array begins at the current position of the file. Use it for a file that was opened relative
    /// to a directory, or that has no name. Errors name no path.
    pub fn from_file(file: File) -> Result<Self> {
        Self::from_file_with(file, ReadOptions::new())
    }

    /// [`from_file`](Self::from_file) with options: limits, threads.
    pub fn from_file_with(mut file: File, options: impl Into<ReadOptions>) -> Result<Self> {
        // A pipe has no position.
        let is_at_begin = file.stream_position().is_ok_and(|position| position == 0);
        Self::of_file(file, options.into(), is_at_begin)
    }

    /// Only where the array begins with the file do its offsets count from there.
    fn of_file(file: File, options: ReadOptions, is_at_begin: bool) -> Result<Self> {
        let as_file = AsFile { get: BufReader::get_ref, seek: |reader, to| reader.seek(SeekFrom::Start(to)).map(|_| ()) };
        let source = Source {
            fill: fill_from_file,
            length: if is_at_begin { length_of_file } else { |_, _| None },
            bytes: |_| &[],
            consume: |_, _| (),
            finish: |_| Ok(()),
            is_owned: true,
            file: is_at_begin.then_some(as_file),
        };
        let mut reader = BufReader::new(file);
        let (header, data_offset) = Header::read_buffered(&mut reader, &options.limits)?;
        Ok(Self::behind_header(reader, source, header, data_offset).with_threads(options.threads))
    }
}

/// The number of bytes that are read first, to the stack. Small files take three system calls and
/// no memory but that of the result.
const HEAD_BYTES: usize = 8 << 10;

/// A file whose beginning is in memory.
#[derive(Debug)]
#[expect(unnameable_types, reason = "callers are generic over the stream")]
pub struct HeadedFile<'a> {
    /// The rest of the beginning.
    head: &'a [u8],
    /// Positioned after the beginning.
    file: File,
}

/// Opens a file for the duration of `read`.
///
/// Faster than [`NpyReader::open`], above all for small files, whose elements are read to the stack with the header.
///
/// Fails like [`NpyReader::open`], and if `read` fails.
///
/// ```
/// use npy_core::ReadOptions;
/// use npy_core::adapter::with_file;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// npy_core::save(&path, &[1_u8, 2])?;
/// let (shape, items) = with_file(&path, ReadOptions::new(), |reader| {
///     Ok((reader.header().shape().to_vec(), reader.into_vec::<u8>()?))
/// })?;
/// assert_eq!((shape, items), (vec![2], vec![1, 2]));
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn with_file<A>(
    path: impl AsRef<Path>,
    options: impl Into<ReadOptions>,
    read: impl FnOnce(NpyReader<HeadedFile<'_>>) -> Result<A>,
) -> Result<A> {
    let (path, options) = (path.as_ref(), options.into());
    let load = || {
        let file = File::open(path).map_err(cannot_open)?;
        let mut memory = [const { MaybeUninit::uninit() }; HEAD_BYTES];
        let head = read_head(&file, &mut memory).map_err(|error| Error::io("cannot read the header", error))?;
        read(HeadedFile { head, file }.into_reader(options)?)
    };
    load().map_err(|error| error.with_path(path))
}

#[cold]
fn cannot_open(error: io::Error) -> Error {
    Error::io("cannot open the file", error)
}

impl HeadedFile<'_> {
    fn into_reader(mut self, options: ReadOptions) -> Result<NpyReader<Self>> {
        let source = Source {
            fill: Self::fill,
            length: |opened, _| length_of(&opened.file),
            bytes: |opened| opened.head,
            consume: |opened, count| opened.head = opened.head.get(count..).unwrap_or_default(),
            finish: |_| Ok(()),
            is_owned: true,
            file: Some(AsFile {
                get: |opened| &opened.file,
                seek: |opened, to| {
                    opened.head = &[];
                    opened.file.seek(SeekFrom::Start(to)).map(|_| ())
                },
            }),
        };
        let (header, data_offset) = match Header::parse_front(self.head, &options.limits)? {
            Some((header, data_offset)) => {
                self.head = self.head.get(data_offset..).unwrap_or_default();
                (header, data_offset)
            }
            None => Header::read_with_offset(&mut self, &options.limits)?,
        };
        Ok(NpyReader::behind_header(self, source, header, data_offset).with_threads(options.threads))
    }

    fn fill(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        let taken = buf.copy_from(self.head);
        self.head = self.head.get(taken..).unwrap_or_default();
        if taken > 0 {
            return Ok(());
        }
        #[cfg(unix)]
        return buf.read_from_file(&self.file);
        #[cfg(not(unix))]
        return buf.read_from(&mut self.file);
    }
}

impl Read for HeadedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.head.is_empty() { self.file.read(buffer) } else { self.head.read(buffer) }
    }
}

pub(crate) fn fill_from_file(reader: &mut BufReader<File>, buf: &mut ReadBuf<'_>) -> io::Result<()> {
    let buffered = buf.copy_from(reader.buffer());
    reader.consume(buffered);
    if buffered > 0 {
        return Ok(());
    }
    #[cfg(unix)]
    return buf.read_from_file(reader.get_ref());
    #[cfg(not(unix))]
    return buf.read_from(reader);
}

pub(crate) fn length_of_file(reader: &BufReader<File>, _offset: u64) -> Option<u64> {
    length_of(reader.get_ref())
}

fn length_of(file: &File) -> Option<u64> {
    let metadata = file.metadata().ok()?;
    metadata.is_file().then_some(metadata.len())
}

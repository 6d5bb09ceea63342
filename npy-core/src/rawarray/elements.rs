//! Elements of an `.ra` file, read and written by the reader and the writer of `.npy` files.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use super::lz4;
use crate::element::NpyElement;
use crate::error::{Error, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::format::rawarray::RaHeader;
use crate::format::trust::{Checked, read_once};
use crate::limits::Limits;
use crate::memory::ReadBuf;
use crate::options::{Order, ReadOptions};
use crate::read::NpyReader;
use crate::read::file::{fill_from_file, length_of_file};
use crate::read::source::Source;
use crate::write::NpyWriter;

/// Opens a file to read its elements as values of a Rust type, as [`NpyReader`] does but for regions.
///
/// Of the options, only the limits apply.
///
/// Fails if the file cannot be read, is not an `.ra` file, or has elements of another type.
///
/// ```
/// use npy_core::{Limits, rawarray};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// rawarray::save(&path, &[1_u16, 2, 3])?;
/// let mut reader = rawarray::open::<u16>(&path, Limits::new())?;
/// assert_eq!(reader.records::<u16>().nth(1).unwrap()?, 2);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn open<T: NpyElement>(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<NpyReader<RaData<BufReader<File>>>> {
    let (path, limits) = (path.as_ref(), options.into().limits);
    Content::open(path, &limits).and_then(Content::into_elements::<T>).map_err(|error| error.with_path(path))
}

/// [`open`] for a stream.
///
/// Fails if reading fails, no `.ra` file begins there, or its elements are of another type.
///
/// See [`writer`] for an example.
pub fn reader<T: NpyElement, R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<NpyReader<RaData<R>>> {
    Content::read(reader, &options.into().limits).and_then(Content::into_elements::<T>)
}

/// Begins an `.ra` file of a dtype and a shape, whose elements are then written with the first axis fastest.
///
/// Fails if RawArray has no such dtype or shape, or if `T` is not written as the dtype.
///
/// ```
/// use npy_core::{Limits, NpyElement, rawarray};
///
/// let mut file = Vec::new();
/// let mut writer = rawarray::writer(&mut file, u8::dtype(), &[2, 2])?;
/// writer.write_slice(&[1_u8, 2])?;
/// writer.write_slice(&[3, 4])?;
/// writer.finish()?;
/// let reader = rawarray::reader::<u8, _>(&file[..], Limits::new())?;
/// assert_eq!(reader.header().shape(), [2, 2]);
/// assert_eq!(reader.into_vec::<u8>()?, [1, 2, 3, 4]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn writer<T: NpyElement, W: Write>(writer: W, dtype: DType, shape: &[usize]) -> Result<NpyWriter<T, W>> {
    let header = RaHeader::try_from(&Header::new(dtype, Order::Fortran, shape)?)?;
    let mut writer = NpyWriter::with_header(writer, header.to_npy())?;
    writer.begin_with(header.to_bytes());
    Ok(writer)
}

/// A file whose header was read, and its data decompressed if they are compressed.
pub(super) struct Content<R> {
    header: RaHeader,
    reader: NpyReader<RaData<R>>,
    /// The compressed data, as in the file.
    block: Option<Vec<u8>>,
}

/// A whole file.
pub(super) struct Parts {
    pub(super) header: RaHeader,
    /// The bytes of the elements.
    pub(super) bytes: Vec<u8>,
    /// The compressed data, as in the file.
    pub(super) block: Option<Vec<u8>>,
    /// The bytes after the data.
    pub(super) metadata: Vec<u8>,
}

/// The stream behind a header, decompressed if the data are compressed.
///
/// See [`open`], which returns a reader of it, for an example.
pub struct RaData<R> {
    reader: R,
    /// The data, if they were compressed, and how much of them was taken.
    decompressed: Option<(Vec<u8>, usize)>,
}

impl Content<BufReader<File>> {
    pub(super) fn open(path: &Path, limits: &Limits) -> Result<Self> {
        let opened = File::open(path).map_err(|error| Error::io("cannot open the file", error))?;
        let fill = |body: &mut RaData<_>, buf: &mut ReadBuf<'_>| {
            if body.fill(buf) { Ok(()) } else { fill_from_file(&mut body.reader, buf) }
        };
        let length = |body: &RaData<_>, offset| body.length(offset).or_else(|| length_of_file(&body.reader, offset));
        Self::begin(BufReader::new(opened), Source { fill, length, ..source() }, limits)
    }
}

impl<R: Read> Content<R> {
    pub(super) fn read(reader: R, limits: &Limits) -> Result<Self> {
        Self::begin(reader, source(), limits)
    }

    fn begin(mut reader: R, source: Source<RaData<R>>, limits: &Limits) -> Result<Self> {
        let header = RaHeader::read_with(&mut reader, *limits)?;
        let data_offset = header.data_offset();
        let elements = header.to_npy().clone();
        let body = RaData { reader, decompressed: None };
        let mut reader = NpyReader::behind_header(body, source, elements, data_offset);
        let block = if header.is_compressed() { Some(decompress(&header, &mut reader)?) } else { None };
        Ok(Self { header, reader, block })
    }

    /// Converts to a reader of elements of `T`.
    fn into_elements<T: NpyElement>(mut self) -> Result<NpyReader<RaData<R>>> {
        self.reader.state.header = self.header.seen_as(T::dtype())?;
        Ok(self.reader)
    }

    /// All of the file, up to its end.
    pub(super) fn into_parts(mut self, limits: &Limits) -> Result<Parts> {
        let bytes = match self.reader.stream.reader.decompressed.take() {
            Some((bytes, _)) => bytes,
            None => {
                let left = self.reader.remaining();
                self.reader.elements().read_bytes(left)?
            }
        };
        let metadata = read_metadata(self.reader.into_inner().reader, limits.metadata_bytes)?;
        Ok(Parts { header: self.header, bytes, block: self.block, metadata })
    }
}

/// Reads up to the end. The memory grows with the bytes that are there.
fn read_metadata(reader: impl Read, limit: u64) -> Result<Vec<u8>> {
    let mut metadata = Vec::new();
    let read = Checked(reader).take(limit.saturating_add(1)).read_to_end(&mut metadata);
    read.map_err(|error| Error::io("cannot read the metadata", error))?;
    let found = metadata.len() as u64;
    if found > limit {
        return Err(Error::limit_exceeded("bytes of metadata", limit, found));
    }
    Ok(metadata)
}

/// Reads the compressed data, lets the reader continue with the decompressed bytes, and returns the block.
fn decompress<R: Read>(header: &RaHeader, reader: &mut NpyReader<RaData<R>>) -> Result<Vec<u8>> {
    let length = usize::try_from(header.data_bytes()).unwrap_or(usize::MAX);
    reader.state.header = Header::new(u8::dtype(), Order::C, &[length])?;
    let left = reader.remaining();
    let block = reader.elements().read_bytes(left)?;
    let bytes = lz4::decompress(&block, header.to_npy().data_bytes(), reader.state.data_offset)?;
    reader.stream.reader.decompressed = Some((bytes, 0));
    reader.state.header = header.to_npy().clone();
    reader.state.position = 0;
    Ok(block)
}

/// How to get the bytes of a stream.
fn source<R: Read>() -> Source<RaData<R>> {
    Source {
        fill: |body, buf| if body.fill(buf) { Ok(()) } else { buf.read_from(&mut body.reader) },
        length: |body, offset| body.length(offset),
        bytes: |body| body.decompressed.as_ref().map_or(&[], |(bytes, taken)| &bytes[*taken..]),
        consume: |body, count| {
            if let Some((_, taken)) = &mut body.decompressed {
                *taken += count;
            }
        },
        finish: |_| Ok(()),
        is_owned: false,
        file: None,
    }
}

impl<R> RaData<R> {
    /// Fills a buffer with decompressed bytes. Returns `false` if the data are not compressed.
    fn fill(&mut self, buf: &mut ReadBuf<'_>) -> bool {
        let Some((bytes, taken)) = &mut self.decompressed else { return false };
        *taken += buf.copy_from(&bytes[*taken..]);
        true
    }

    /// How many bytes there are up to the end of what was decompressed, of which the rest begins at
    /// `offset`.
    fn length(&self, offset: u64) -> Option<u64> {
        let (bytes, taken) = self.decompressed.as_ref()?;
        Some(offset + (bytes.len() - taken) as u64)
    }
}

/// Required by the type of the reader, which reads through `fill` instead.
impl<R: Read> Read for RaData<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.decompressed {
            None => read_once(&mut self.reader, buffer),
            Some((bytes, taken)) => {
                let count = (&bytes[*taken..]).read(buffer)?;
                *taken += count;
                Ok(count)
            }
        }
    }
}

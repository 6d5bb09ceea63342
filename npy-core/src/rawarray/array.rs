//! An `.ra` file in memory.

use std::fmt;
use std::io::{Read, Write};
use std::path::Path;

use super::elements::{Content, Parts};
#[cfg(feature = "lz4")]
use super::lz4;
use crate::dynamic::DynValues;
use crate::element::NpyElement;
use crate::error::{Error, Result};
use crate::format::dtype::DType;
use crate::format::rawarray::RaHeader;
use crate::limits::Limits;
use crate::options::{ReadOptions, SaveOptions};
use crate::read::NpyReader;
use crate::write::output::{cannot_write, total_length, write_parts};
use crate::write::replace::replace_file;

/// An `.ra` file in memory: header, elements and trailing metadata.
///
/// A file that was read is written byte for byte, compressed data and metadata included.
///
/// ```
/// use npy_core::DynValues;
/// use npy_core::rawarray::RaArray;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let samples = RaArray::try_from(DynValues::from_slice(&[0.5_f64, 1.5])?)?;
/// samples.with_metadata(b"from the north".to_vec()).save(&path)?;
///
/// let samples = RaArray::load(&path)?;
/// assert_eq!(samples.metadata(), b"from the north");
/// assert_eq!(samples.to_vec::<f64>()?, [0.5, 1.5]);
/// samples.into_values().save(&path)?; // as `.npy`, without the metadata, for which it has no place
///
/// // The format has no bools: the reader has to know the type.
/// let mut file = Vec::new();
/// RaArray::try_from(DynValues::from_slice(&[true, false])?)?.write(&mut file)?;
/// let flags = RaArray::read(&file[..])?;
/// assert_eq!(flags.values().dtype().to_string(), "|V1");
/// assert_eq!(flags.to_vec::<bool>()?, [true, false]);
/// let flags = flags.with_dtype("|b1".parse()?)?;
/// assert_eq!(flags.values().dtype().to_string(), "|b1");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RaArray {
    header: RaHeader,
    values: DynValues,
    /// The compressed data, if they are to be written so.
    block: Option<Vec<u8>>,
    metadata: Vec<u8>,
}

impl RaArray {
    /// Loads a file, up to its end.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, Limits::new())
    }

    /// [`load`](Self::load) with options: limits.
    pub fn load_with(path: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Self> {
        let limits = options.into().limits;
        let path = path.as_ref();
        let load = || Self::from_parts(Content::open(path, &limits)?.into_parts(&limits)?);
        load().map_err(|error| error.with_path(path))
    }

    /// Reads a stream up to its end; the metadata follow the elements.
    pub fn read(reader: impl Read) -> Result<Self> {
        Self::read_with(reader, Limits::new())
    }

    /// [`read`](Self::read) with options: limits.
    pub fn read_with(reader: impl Read, options: impl Into<ReadOptions>) -> Result<Self> {
        let limits = options.into().limits;
        Self::from_parts(Content::read(reader, &limits)?.into_parts(&limits)?)
    }

    fn from_parts(parts: Parts) -> Result<Self> {
        let Parts { header, bytes, block, metadata } = parts;
        let values = DynValues::with_header(header.to_npy().clone(), bytes)?;
        Ok(Self { header, values, block, metadata })
    }

    /// Saves the file atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, SaveOptions::new())
    }

    /// [`save`](Self::save) with options: durable, in place.
    pub fn save_with(&self, path: impl AsRef<Path>, options: impl Into<SaveOptions>) -> Result<()> {
        let bytes = total_length(&[&self.header.to_bytes(), self.data(), &self.metadata]);
        replace_file(path, options, |file| {
            file.reserve(bytes);
            self.write(file)
        })
    }

    /// Writes the file to a stream.
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        let written =
            write_parts(&mut writer, &[&self.header.to_bytes(), self.data(), &self.metadata]).and_then(|()| writer.flush());
        written.map_err(cannot_write)
    }

    /// The data between header and metadata.
    fn data(&self) -> &[u8] {
        self.block.as_deref().unwrap_or(self.values.bytes())
    }

    /// Returns the header of the file.
    pub fn header(&self) -> &RaHeader {
        &self.header
    }

    /// Returns the elements, with their dtype, order and shape.
    pub fn values(&self) -> &DynValues {
        &self.values
    }

    /// Returns the elements by value, to save as an `.npy` file for example.
    pub fn into_values(self) -> DynValues {
        self.values
    }

    /// Returns the metadata after the elements.
    pub fn metadata(&self) -> &[u8] {
        &self.metadata
    }

    /// Sets the metadata.
    #[must_use]
    pub fn with_metadata(self, metadata: impl Into<Vec<u8>>) -> Self {
        Self { metadata: metadata.into(), ..self }
    }

    /// Sets the dtype of user-defined elements, which the file does not name.
    ///
    /// It takes the byte order of the file. Fails if the elements are not user-defined, or if their size
    /// is not that of the dtype.
    pub fn with_dtype(self, dtype: DType) -> Result<Self> {
        let header = self.header.with_dtype(dtype)?;
        let values = DynValues::with_header(header.to_npy().clone(), self.values.into_bytes())?;
        Ok(Self { header, values, ..self })
    }

    /// Decodes the elements, the first dimension fastest.
    ///
    /// User-defined elements are decoded as the type, a struct of `#[derive(NpyRecord)]` for example, if
    /// they have its size.
    pub fn to_vec<T: NpyElement>(&self) -> Result<Vec<T>> {
        NpyReader::from_parts(self.values.bytes(), self.header.seen_as(T::dtype())?).into_vec()
    }

    /// Compresses the data by LZ4. Compressed data stay as they are.
    ///
    /// # Errors
    ///
    /// Fails if the elements have more bytes than LZ4 compresses at once, 2,113,929,216, or if memory
    /// cannot be allocated.
    #[cfg(feature = "lz4")]
    pub fn compressed(self) -> Result<Self> {
        if self.block.is_some() {
            return Ok(self);
        }
        let block = lz4::compress(self.values.bytes())?;
        let header = self.header.with_compressed_bytes(Some(block.len() as u64));
        Ok(Self { header, block: Some(block), ..self })
    }

    /// Decompresses the data, for programs that know no LZ4.
    #[must_use]
    pub fn decompressed(self) -> Self {
        Self { header: self.header.with_compressed_bytes(None), block: None, ..self }
    }
}

/// The file for an array, without metadata. An array in C order is transposed, so that each element
/// keeps its index.
impl TryFrom<DynValues> for RaArray {
    type Error = Error;

    /// Fails for records of both byte orders, and when there is no memory to transpose.
    fn try_from(values: DynValues) -> Result<Self> {
        let header = RaHeader::try_from(values.header())?;
        let values = values.into_order(header.to_npy().order())?;
        Ok(Self { header, values, block: None, metadata: Vec::new() })
    }
}

/// The array of the file, without its metadata.
impl From<RaArray> for DynValues {
    fn from(array: RaArray) -> Self {
        array.values
    }
}

impl fmt::Debug for RaArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { header, metadata, .. } = self;
        f.debug_struct("RaArray").field("header", header).field("metadata_bytes", &metadata.len()).finish_non_exhaustive()
    }
}

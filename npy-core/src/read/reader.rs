//! A reader of one array: its constructors, its header, and its elements as a whole.

use std::fmt;
use std::io::Read;
use std::path::Path;

use super::elements::{Elements, State};
use super::source::{Source, Stream};
use crate::element::NpyElement;
use crate::error::{Error, Result};
use crate::format::header::Header;
use crate::limits::Limits;
use crate::options::ReadOptions;

/// Reads an array: the header at once, and the elements on request.
///
/// [`open`](NpyReader::open) reads a file, [`new`](Self::new) any stream and
/// [`from_bytes`](NpyReader::from_bytes) memory. [`header`](Self::header) tells what is in it, and
/// [`into_vec`](Self::into_vec) reads it:
///
/// ```
/// use npy_core::NpyReader;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// npy_core::save(&path, &[[1.5_f32, 2.5], [3.5, 4.5], [5.5, 6.5]])?;
///
/// let reader = NpyReader::open(&path)?;
/// assert_eq!(reader.header().dtype().to_string(), "<f4");
/// assert_eq!(reader.header().shape(), [3, 2]);
/// assert_eq!(reader.into_vec::<f32>()?, [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Elements come in the order of the file, which [`Header::order`] returns. In C order the last axis
/// varies fastest, in Fortran order the first. They are numbers, text or records: of shape (5, 3) there
/// are 15 `f32`. Only [`load`](crate::load), [`into_scalar`](Self::into_scalar) and the writers take the
/// last axes as arrays `[f32; 3]`. To read a file of any dtype, see `DynValues` (feature `dynamic`), and
/// `next_rows` for some rows of it at a time.
///
/// # Files larger than memory
///
/// Each method continues where the one before stopped, and [`remaining`](Self::remaining) counts
/// the rest. [`read_into`](Self::read_into) fills a slice, [`chunks`](Self::chunks) returns one
/// vector after another, [`for_each_chunk`](Self::for_each_chunk) reuses one buffer, and
/// [`records`](Self::records) returns single elements:
///
/// ```
/// use npy_core::NpyReader;
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[1_i16, 2, 3, 4, 5, 6, 7, 8, 9])?;
///
/// let mut reader = NpyReader::new(&file[..])?;
/// let mut first = [0_i16; 2];
/// reader.read_into(&mut first)?;
/// assert_eq!(first, [1, 2]);
///
/// for chunk in reader.chunks::<i16>(3).take(2) {
///     println!("{:?}", chunk?); // [3, 4, 5], then [6, 7, 8]
/// }
/// for element in reader.records::<i16>() {
///     assert_eq!(element?, 9);
/// }
/// assert_eq!(reader.remaining(), 0);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Rows and regions
///
/// A row is all that has the same index on the outer axis: the first axis in C order, the **last**
/// in Fortran order. A row of a one-dimensional array is an element. The rest of a large file is not
/// read:
///
/// ```
/// use npy_core::NpyReader;
/// use npy_core::region::AxisRange;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// npy_core::save(&path, &[[0_i32, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])?;
///
/// let mut reader = NpyReader::open(&path)?;
/// assert_eq!(reader.read_at::<i32>(1..2)?, [10, 11, 12, 13]);
/// reader.seek_to(2)?;
/// assert_eq!(reader.remaining(), 4);
///
/// // In Python: array[1:3, ::2]
/// let region = [AxisRange::from(1..3), AxisRange::from(..).step_by(2)];
/// assert_eq!(reader.read_region::<i32>(&region)?, [10, 12, 20, 22]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Records
///
/// Elements are structs that derive [`NpyRecord`](crate::NpyRecord), or single fields of them:
///
/// ```
/// use npy_core::{Header, NpyReader, Order};
///
/// // Made by Python: np.zeros(3, [("time", "f8"), ("place", [("x", "f4"), ("y", "f4")])])
/// let header = Header::new("[('time', '<f8'), ('place', [('x', '<f4'), ('y', '<f4')])]".parse()?, Order::C, &[3])?;
/// let mut file = header.to_bytes();
/// file.resize(file.len() + 3 * 16, 0);
///
/// let (time, x) = NpyReader::from_bytes(&file)?.into_columns::<(f64, f32)>(["time", "place.x"])?;
/// assert_eq!((time, x), (vec![0.0; 3], vec![0.0; 3]));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// Nothing is converted but the byte order. The error of another dtype names both sides, and of a
/// record each field that does not fit. Errors of a reader from [`open`](NpyReader::open) name the
/// path. A call that is refused, because of another dtype or too few rows, has read nothing. After an
/// error while reading no more can be read. [`Error`](crate::Error) shows how to tell them apart.
///
/// ```
/// use npy_core::{ErrorKind, NpyReader};
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[1.5_f32, 2.5])?;
///
/// let error = NpyReader::new(&file[..])?.into_vec::<f64>().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Mismatch);
/// assert!(error.to_string().starts_with("cannot read f64: expected dtype <f8, found <f4; `f32` reads it"));
///
/// let error = NpyReader::new(&file[..132])?.into_vec::<f32>().unwrap_err();
/// assert!(error.kind() == ErrorKind::Truncated);
/// assert_eq!(error.to_string(), "truncated file: the array needs 8 bytes at offset 128, found 4");
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct NpyReader<R> {
    pub(crate) stream: Stream<R>,
    pub(crate) state: State,
}

impl<R> NpyReader<R> {
    /// A reader positioned after the header.
    #[inline]
    pub(crate) fn behind_header(reader: R, source: Source<R>, header: Header, data_offset: usize) -> Self {
        let state = State { header, data_offset: data_offset as u64, position: 0, failed: false, threads: 1, path: None };
        Self { stream: Stream { reader, source }, state }
    }

    /// The same, read by several threads.
    #[inline]
    pub(crate) fn with_threads(mut self, threads: usize) -> Self {
        self.state.threads = threads;
        self
    }

    /// A reader whose errors name the file.
    pub(crate) fn with_path(mut self, path: &Path) -> Self {
        self.state.path = Some(path.into());
        self
    }

    /// Returns the elements, which are read the same way from a stream of any type.
    ///
    /// See [`Elements`](crate::adapter::Elements) for an example.
    #[inline]
    pub fn elements(&mut self) -> Elements<'_> {
        Elements { state: &mut self.state, input: &mut self.stream }
    }

    /// The source itself, for methods of its type.
    #[cfg(feature = "npz")]
    pub(crate) fn source_mut(&mut self) -> &mut R {
        &mut self.stream.reader
    }
}

impl<'a> NpyReader<&'a [u8]> {
    /// Reads the header of an array in memory: read, mapped or embedded.
    ///
    /// Elements are decoded from `bytes` directly, which is faster than [`new`](Self::new).
    /// [`view`](crate::view()) borrows them without decoding.
    ///
    /// Fails if `bytes` do not begin with an `.npy` file.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        Self::from_bytes_with(bytes, Limits::new())
    }

    /// [`from_bytes`](Self::from_bytes) with options: limits.
    pub fn from_bytes_with(bytes: &'a [u8], options: impl Into<ReadOptions>) -> Result<Self> {
        Self::with_source(bytes, Source::of_bytes(), &options.into().limits)
    }

    /// A reader of elements without a header, described by `header`.
    #[cfg(feature = "dynamic")]
    pub(crate) fn from_parts(bytes: &'a [u8], header: Header) -> Self {
        Self::behind_header(bytes, Source::of_bytes(), header, 0)
    }
}

impl<R: Read> NpyReader<R> {
    /// Reads the header of the array at the current position of a stream.
    ///
    /// Fails if reading fails or no `.npy` file begins there.
    pub fn new(reader: R) -> Result<Self> {
        Self::new_with(reader, Limits::new())
    }

    /// [`new`](Self::new) with options: limits.
    pub fn new_with(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        Self::with_source(reader, Source::of_stream(), &options.into().limits)
    }

    pub(crate) fn with_source(mut reader: R, source: Source<R>, limits: &Limits) -> Result<Self> {
        let (header, data_offset) = Header::read_with_offset(&mut reader, limits)?;
        Ok(Self::behind_header(reader, source, header, data_offset))
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.state.header
    }

    /// Returns the offset of the data, counted from the beginning of the header.
    ///
    /// It is a multiple of 64 in files by NumPy 1.14 and later.
    pub fn data_offset(&self) -> u64 {
        self.state.data_offset
    }

    /// Returns the number of remaining elements.
    ///
    /// After an error while reading, none of them can be read.
    pub fn remaining(&self) -> usize {
        self.state.remaining()
    }

    /// Reads all remaining elements in the order of the file, of any shape.
    ///
    /// # Errors
    ///
    /// Fails if the dtype differs from that of `T`, and lists every difference; if the file is
    /// truncated, an element is not a value of `T`, or reading fails.
    pub fn into_vec<T: NpyElement>(mut self) -> Result<Vec<T>> {
        self.elements().read_all()
    }

    /// Reads all remaining elements into an existing vector and reuses its memory.
    ///
    /// Use it in loops over many files. The previous elements are dropped; after an error the vector is
    /// empty.
    pub fn read_to_vec<T: NpyElement>(&mut self, items: &mut Vec<T>) -> Result<()> {
        self.elements().read_to_vec(items)
    }

    /// Reads as many elements as `items` holds, and overwrites them.
    ///
    /// Fails if fewer elements [remain](Self::remaining).
    pub fn read_into<T: NpyElement>(&mut self, items: &mut [T]) -> Result<()> {
        self.elements().read_into(items)
    }

    /// Reads the only element of an array without dimensions, such as `np.save(path, 0.5)` writes.
    ///
    /// Fails if the array has dimensions beyond those of `T`: an array of shape (M, N) in C order is one
    /// element `[[T; N]; M]`.
    pub fn into_scalar<T: NpyElement>(mut self) -> Result<T> {
        let mut items = self.elements().read_dimensions(0)?;
        items.pop().ok_or_else(|| Error::wrong_count(1, 0))
    }

    /// Returns the stream, positioned after the last element that was read.
    ///
    /// Whatever follows the array can be read from it.
    pub fn into_inner(self) -> R {
        self.stream.reader
    }

    /// For `load` and similar functions, and for `npy-ndarray`.
    #[doc(hidden)]
    pub fn into_one_dimension<T: NpyElement>(mut self) -> Result<Vec<T>> {
        self.elements().read_dimensions(1)
    }

    /// The array as elements `T`, which may contain its last axes, with `expected` other
    /// dimensions.
    pub(crate) fn with_dimensions<T: NpyElement>(mut self, expected: usize) -> Result<Self> {
        self.state.expect_dimensions::<T>(expected)?;
        Ok(self)
    }
}

impl<R> fmt::Debug for NpyReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpyReader")
            .field("header", &self.state.header)
            .field("position", &self.state.position)
            .finish_non_exhaustive()
    }
}

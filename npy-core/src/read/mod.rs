//! Reading: the header, then elements into vectors.

// First, so that `NpyReader::open` stands first on its page.
pub(crate) mod file;

pub(crate) mod chunks;
pub(crate) mod columns;
pub(crate) mod decode;
pub(crate) mod elements;
pub(crate) mod order;
pub(crate) mod region;
pub(crate) mod rows;
pub(crate) mod source;
pub(crate) mod stage;
pub(crate) mod stream;

use std::fmt;
use std::io::Read;
use std::path::Path;

use crate::element::NpyElement;
use crate::error::{Error, ErrorKind, Result};
use crate::format::header::Header;
use crate::limits::Limits;
use crate::options::ReadOptions;
use elements::{Elements, State};
use source::{Source, Stream};

/// Reads an array: the header at once, and the elements on request.
///
/// All elements are read at once, in parts, or one after another. They come in the order of the
/// file, which [`Header::order`] returns.
///
/// ```
/// use npy_core::NpyReader;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("big.npy");
/// # npy_core::save(&path, &[1_i32, 2, 3, 4, 5])?;
/// let mut reader = NpyReader::open(&path)?;
/// assert_eq!(reader.header().shape(), [5]);
///
/// let mut first = [0_i32; 2];
/// reader.read_into(&mut first)?;
/// assert_eq!(first, [1, 2]);
/// assert_eq!(reader.into_vec::<i32>()?, [3, 4, 5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct NpyReader<R> {
    pub(crate) stream: Stream<R>,
    pub(crate) state: State,
}

impl<R> NpyReader<R> {
    /// A reader that stands behind the header.
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

    /// The elements, which are read the same way from a stream of any type.
    #[doc(hidden)]
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
    /// # Errors
    ///
    /// Fails if `bytes` do not begin with an `.npy` file.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// let mut file = Vec::new();
    /// npy_core::write(&mut file, &["Ada".to_owned(), "Grace".to_owned()])?;
    /// let names: Vec<String> = NpyReader::from_bytes(&file)?.into_vec()?;
    /// assert_eq!(names, ["Ada", "Grace"]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        Self::from_bytes_with(bytes, Limits::new())
    }

    /// [`from_bytes`](Self::from_bytes) with options.
    ///
    /// # Errors
    ///
    /// Fails like [`from_bytes`](Self::from_bytes).
    ///
    /// ```
    /// use npy_core::{Limits, NpyReader};
    ///
    /// let mut upload = Vec::new();
    /// npy_core::write(&mut upload, &[0_u8; 1000])?;
    /// assert!(NpyReader::from_bytes_with(&upload, Limits::new().data_bytes(100)).is_err());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
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
    /// # Errors
    ///
    /// Fails if reading fails or no `.npy` file begins there.
    ///
    /// ```
    /// use npy_core::NpyReader;
    ///
    /// let mut stream = Vec::new(); // a socket, say
    /// npy_core::write(&mut stream, &[1.5_f64, 2.5])?;
    /// let reader = NpyReader::new(&stream[..])?;
    /// assert_eq!(reader.header().shape(), [2]);
    /// assert_eq!(reader.into_vec::<f64>()?, [1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn new(reader: R) -> Result<Self> {
        Self::new_with(reader, Limits::new())
    }

    /// [`new`](Self::new) with options.
    ///
    /// ```
    /// use npy_core::{Limits, NpyReader};
    ///
    /// # let mut upload = Vec::new();
    /// # npy_core::write(&mut upload, &[0.0_f64; 1000])?;
    /// let reader = NpyReader::new_with(&upload[..], Limits::new().data_bytes(1000));
    /// assert!(reader.is_err() || reader?.into_vec::<f64>().is_err()); // 8000 bytes
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`new`](Self::new).
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

    /// Returns the position of the data, counted from the beginning of the header.
    ///
    /// ```
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("values.npy");
    /// # npy_core::save(&path, &[1.5_f64, 2.5])?;
    /// let reader = npy_core::NpyReader::open(&path)?;
    /// assert_eq!(reader.data_offset() % 64, 0); // as NumPy aligns it
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn data_offset(&self) -> u64 {
        self.state.data_offset
    }

    /// Returns the number of remaining elements.
    ///
    /// After an error no more can be read.
    pub fn remaining(&self) -> usize {
        self.state.remaining()
    }

    /// Returns the stream, positioned behind the last element that was read.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// let mut stream = Vec::new();
    /// npy_core::write(&mut stream, &[1_u8, 2])?;
    /// stream.extend(b"the rest");
    ///
    /// let mut reader = NpyReader::new(&stream[..])?;
    /// let mut items = [0_u8; 2];
    /// reader.read_into(&mut items)?;
    /// assert_eq!(reader.into_inner(), b"the rest");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn into_inner(self) -> R {
        self.stream.reader
    }

    /// Reads all remaining elements in the order of the file, of any shape.
    ///
    /// # Errors
    ///
    /// Fails if the dtype differs from that of `T`, and lists every difference; if the file is
    /// truncated, an element is not a value of `T`, or reading fails.
    ///
    /// ```
    /// # use npy_core::{Header, NpyReader, Order};
    /// # let header = Header::new("|u1".parse()?, Order::C, &[2, 2])?;
    /// # let mut file = header.to_bytes();
    /// # file.extend([1, 2, 3, 4]);
    /// let reader = NpyReader::new(&file[..])?;
    /// assert_eq!(reader.header().shape(), [2, 2]);
    /// assert_eq!(reader.into_vec::<u8>()?, [1, 2, 3, 4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn into_vec<T: NpyElement>(mut self) -> Result<Vec<T>> {
        self.elements().read_all()
    }

    /// Reads all remaining elements into an existing vector and reuses its memory.
    ///
    /// The previous elements are dropped. Use it in loops over many files.
    ///
    /// # Errors
    ///
    /// Fails like [`into_vec`](Self::into_vec); the vector is empty then.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// # let mut files = [Vec::new(), Vec::new()];
    /// # npy_core::write(&mut files[0], &[1.0_f32, 2.0, 3.0])?;
    /// # npy_core::write(&mut files[1], &[4.0_f32])?;
    /// let mut samples: Vec<f32> = Vec::new();
    /// for file in &files {
    ///     NpyReader::from_bytes(file)?.read_to_vec(&mut samples)?;
    ///     println!("{} samples, the first is {}", samples.len(), samples[0]);
    /// }
    /// assert_eq!(samples, [4.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn read_to_vec<T: NpyElement>(&mut self, items: &mut Vec<T>) -> Result<()> {
        self.elements().read_to_vec(items)
    }

    /// Reads as many elements as `items` holds, and overwrites them.
    ///
    /// # Errors
    ///
    /// Fails like [`into_vec`](Self::into_vec), and if fewer elements remain.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// # let mut file = Vec::new();
    /// # npy_core::write(&mut file, &[1_u16, 2, 3])?;
    /// let mut reader = NpyReader::new(&file[..])?;
    /// let mut first = [0_u16; 2];
    /// reader.read_into(&mut first)?;
    /// assert_eq!((first, reader.remaining()), ([1, 2], 1));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn read_into<T: NpyElement>(&mut self, items: &mut [T]) -> Result<()> {
        self.elements().read_into(items)
    }

    /// Reads the only element of an array without dimensions.
    ///
    /// `np.save(path, 0.5)` writes such an array.
    ///
    /// An array of elements `[T; N]` in C order is also an element `[[T; N]; M]`.
    ///
    /// # Errors
    ///
    /// Fails if the array has dimensions, and like [`into_vec`](Self::into_vec).
    ///
    /// ```
    /// # use npy_core::{Header, NpyElement, NpyReader, NpyWriter, Order};
    /// # let mut file = Vec::new();
    /// # let mut writer = NpyWriter::with_header(&mut file, &Header::new(f64::dtype(), Order::C, &[])?)?;
    /// # writer.push(&0.5)?;
    /// # writer.finish()?;
    /// let rate: f64 = NpyReader::new(&file[..])?.into_scalar()?;
    /// assert_eq!(rate, 0.5);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn into_scalar<T: NpyElement>(mut self) -> Result<T> {
        let mut items = self.elements().read_dimensions(0)?;
        items.pop().ok_or_else(|| ErrorKind::WrongCount { expected: 1, found: 0 }.into())
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

/// The error with the name of the file, if there is one.
#[cold]
pub(crate) fn in_file(path: Option<&Path>, error: Error) -> Error {
    match path {
        Some(path) => error.with_path(path),
        None => error,
    }
}

//! Reading: the header, then elements into vectors.

pub(crate) mod chunks;
pub(crate) mod columns;
pub(crate) mod decode;
pub(crate) mod file;
pub(crate) mod order;
pub(crate) mod region;
pub(crate) mod rows;
pub(crate) mod source;
pub(crate) mod stage;
pub(crate) mod stream;

use std::fmt;
use std::io::Read;
use std::path::Path;

use crate::element::{self, Difference, NpyElement};
use crate::error::{Error, ErrorKind, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::limits::Limits;
#[cfg(unix)]
use crate::memory::threads::{FilePart, LEAST_BYTES};
use crate::memory::{Bulk, FIRST_BYTES};
use crate::options::{Order, ReadOptions};
use source::Source;

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
    pub(crate) reader: R,
    pub(crate) source: Source<R>,
    pub(crate) header: Header,
    pub(crate) data_offset: u64,
    /// The index of the next element.
    pub(crate) position: usize,
    /// Whether reading has failed, so that the position of the stream is unknown.
    pub(crate) failed: bool,
    /// How many threads may read from a file.
    pub(crate) threads: usize,
    /// The file, for errors, if it was opened by path and no one else names it.
    pub(crate) path: Option<Box<Path>>,
}

impl<R> NpyReader<R> {
    /// A reader that stands behind the header.
    #[inline]
    pub(crate) fn behind_header(reader: R, source: Source<R>, header: Header, data_offset: usize) -> Self {
        Self { reader, source, header, data_offset: data_offset as u64, position: 0, failed: false, threads: 1, path: None }
    }

    /// The same, read by several threads.
    #[inline]
    pub(crate) fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// A reader whose errors name the file.
    pub(crate) fn with_path(self, path: &Path) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    fn locate(&self, error: Error) -> Error {
        in_file(self.path.as_deref(), error)
    }

    /// How to read the elements as values of `T`.
    pub(crate) fn plan<T: NpyElement>(&self) -> Result<T::Plan> {
        element::plan::<T>(self.header.dtype()).map_err(|error| self.locate(error))
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
        &self.header
    }

    /// Reinterprets the elements as another dtype of the same itemsize.
    #[doc(hidden)]
    pub fn with_dtype(mut self, dtype: DType) -> Result<Self> {
        if dtype.itemsize() == self.header.dtype().itemsize() {
            self.header = self.header.with_dtype(dtype);
            return Ok(self);
        }
        let (expected, found) = (self.header.dtype().itemsize() as u64, dtype.itemsize() as u64);
        Err(ErrorKind::WrongLength { expected, found }.into())
    }

    /// Returns the number of remaining elements.
    ///
    /// After an error no more can be read.
    pub fn remaining(&self) -> usize {
        self.header.element_count() - self.position
    }

    /// The source itself, for methods of its type.
    #[cfg(feature = "npz")]
    pub(crate) fn source_mut(&mut self) -> &mut R {
        &mut self.reader
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
        self.reader
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
        self.read_all()
    }

    /// [`into_vec`](Self::into_vec) by reference. Moving the reader takes measurable time with
    /// small files.
    pub(crate) fn read_all<T: NpyElement>(&mut self) -> Result<Vec<T>> {
        let plan = self.plan::<T>()?;
        let count = self.remaining();
        self.read_vec(&plan, count)
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
        items.clear();
        let plan = self.plan::<T>()?;
        let count = self.remaining();
        let result = self.read_over(&plan, items, count);
        if result.is_err() {
            items.clear();
        }
        result
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
        self.try_read_into(items).map_err(|error| self.locate(error))
    }

    fn try_read_into<T: NpyElement>(&mut self, items: &mut [T]) -> Result<()> {
        let plan = element::plan::<T>(self.header.dtype())?;
        if items.len() > self.remaining() {
            return Err(ErrorKind::WrongCount { expected: items.len() as u64, found: self.remaining() as u64 }.into());
        }
        let count = items.len();
        self.begin()?;
        match element::bulk::<T>(&plan, self.header.dtype().itemsize()) {
            Some((bulk, difference)) => {
                self.fill_slice(bulk, items, difference == Difference::ByteOrder)?;
            }
            None => self.decode_slice(&plan, items)?,
        }
        self.position += count;
        self.end()
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
    pub fn into_scalar<T: NpyElement>(self) -> Result<T> {
        let mut items = self.into_dimensions(0)?;
        items.pop().ok_or_else(|| ErrorKind::WrongCount { expected: 1, found: 0 }.into())
    }

    /// For `load` and similar functions, and for `npy-ndarray`.
    #[doc(hidden)]
    pub fn into_one_dimension<T: NpyElement>(self) -> Result<Vec<T>> {
        self.into_dimensions(1)
    }

    /// Reads an array of `expected` dimensions, not counting those of the elements.
    fn into_dimensions<T: NpyElement>(mut self, expected: usize) -> Result<Vec<T>> {
        self.expect_dimensions::<T>(expected)?;
        self.read_all()
    }

    /// The array as elements `T`, which may contain its last axes, with `expected` other
    /// dimensions.
    pub(crate) fn with_dimensions<T: NpyElement>(mut self, expected: usize) -> Result<Self> {
        self.expect_dimensions::<T>(expected)?;
        Ok(self)
    }

    /// [`with_dimensions`](Self::with_dimensions) by reference.
    pub(crate) fn expect_dimensions<T: NpyElement>(&mut self, expected: usize) -> Result<()> {
        let axes = element::inner_axes::<T>();
        // A file may have sub-arrays as elements, though NumPy reads none such.
        let is_sub_array = matches!(self.header.dtype(), DType::SubArray(_));
        if axes > 0 && !is_sub_array && self.header.shape().len() != expected + axes {
            return Err(element::wrong_shape::<T>(expected, self.header.shape()));
        }
        if axes > 0
            && let Some(header) = self.header.with_inner_axes(axes)
        {
            self.header = header;
        }
        if axes > 0 && self.header.order() == Order::Fortran && self.header.shape().len() == expected + axes {
            return Err(ErrorKind::FortranRows { shape: self.header.shape().to_vec() }.into());
        }
        self.check_dimensions(expected)
    }

    /// Refuses arrays of more or fewer dimensions.
    pub(crate) fn check_dimensions(&self, expected: usize) -> Result<()> {
        match self.header.shape() {
            shape if shape.len() == expected => Ok(()),
            shape => Err(ErrorKind::WrongDimensions { expected, shape: shape.to_vec() }.into()),
        }
    }

    /// The offset of the next element in the file.
    pub(crate) fn offset(&self) -> u64 {
        // Smaller than the size of the data, which was checked.
        self.data_offset + self.position as u64 * self.header.dtype().itemsize() as u64
    }

    /// Whether the input is known to hold `count` more elements, so that all can be allocated at
    /// once.
    pub(crate) fn is_there<T>(&self, count: usize) -> bool {
        self.has_bytes(count.saturating_mul(self.header.dtype().itemsize()), count.saturating_mul(size_of::<T>()))
    }

    /// Whether the input is known to hold `needed` more bytes, which become `result` bytes of
    /// memory.
    fn has_bytes(&self, needed: usize, result: usize) -> bool {
        // So much is taken on credit, of the file and of the result.
        (needed <= FIRST_BYTES && result <= FIRST_BYTES)
            || (self.source.length)(&self.reader, self.offset())
                .is_some_and(|length| length.saturating_sub(self.offset()) >= needed as u64)
    }

    /// Reads `count` of the remaining elements.
    pub(crate) fn read_vec<T: NpyElement>(&mut self, plan: &T::Plan, count: usize) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.read_over(plan, &mut items, count)?;
        Ok(items)
    }

    /// Reads `count` of the remaining elements into an existing vector.
    fn read_over<T: NpyElement>(&mut self, plan: &T::Plan, items: &mut Vec<T>, count: usize) -> Result<()> {
        self.try_read_over(plan, items, count).map_err(|error| self.locate(error))
    }

    fn try_read_over<T: NpyElement>(&mut self, plan: &T::Plan, items: &mut Vec<T>, count: usize) -> Result<()> {
        self.begin()?;
        match element::bulk::<T>(plan, self.header.dtype().itemsize()) {
            Some((bulk, difference)) => self.refill(bulk, items, count, difference == Difference::ByteOrder)?,
            None => self.decode_over(plan, items, count)?,
        }
        self.position += count;
        self.end()
    }

    /// Reads `count` elements whose memory is the file's bytes into an existing vector.
    fn refill<T>(&mut self, bulk: Bulk<T>, items: &mut Vec<T>, count: usize, swap: bool) -> Result<()> {
        let length = count.saturating_mul(size_of::<T>());
        if let Some(bytes) = (self.source.bytes)(&self.reader).get(..length)
            && bulk.copy(items, swap, bytes)?
        {
            (self.source.consume)(&mut self.reader, length);
            return Ok(());
        }
        // The memory is the file's bytes, whatever an element of the file is.
        let is_there = self.has_bytes(length, length);
        let offset = self.offset();
        #[cfg(unix)]
        if is_there && let Some(part) = self.part_for_threads(length) {
            let end = part.end;
            bulk.refill_by_threads(items, count, swap, part)?;
            return self.go_on_at(end);
        }
        let Self { reader, source, .. } = self;
        bulk.refill(items, count, swap, is_there, offset, &mut |buf| (source.fill)(reader, buf))
    }

    /// Reads elements whose memory is the file's bytes, over others.
    fn fill_slice<T>(&mut self, bulk: Bulk<T>, items: &mut [T], swap: bool) -> Result<()> {
        let offset = self.offset();
        #[cfg(unix)]
        if let Some(part) = self.part_for_threads(size_of_val(items))
            && self.is_there::<T>(items.len())
        {
            let end = part.end;
            bulk.fill_slice_by_threads(items, swap, part)?;
            return self.go_on_at(end);
        }
        let Self { reader, source, .. } = self;
        bulk.fill_slice(items, swap, offset, &mut |buf| (source.fill)(reader, buf))
    }

    /// The next `bytes` bytes, if several threads are to read them.
    #[cfg(unix)]
    pub(crate) fn part_for_threads(&self, bytes: usize) -> Option<FilePart<'_>> {
        let file = self.source.file.as_ref().filter(|_| self.threads > 1 && bytes >= LEAST_BYTES)?;
        let offset = self.offset();
        Some(FilePart { file: (file.get)(&self.reader), offset, end: offset.checked_add(bytes as u64)?, threads: self.threads })
    }

    /// Moves the stream to where other threads have read to.
    #[cfg(unix)]
    pub(crate) fn go_on_at(&mut self, offset: u64) -> Result<()> {
        match &self.source.file {
            Some(file) => (file.seek)(&mut self.reader, offset).map_err(|error| Error::io("cannot seek in the array", error)),
            None => Ok(()),
        }
    }

    /// The bytes of the next elements, of which there must be as many.
    pub(crate) fn read_bytes(&mut self, count: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.begin()?;
        self.refill(Bulk::<u8>::new(), &mut bytes, count * self.header.dtype().itemsize(), false)
            .and_then(|()| {
                self.position += count;
                self.end()
            })
            .map_err(|error| self.locate(error))?;
        Ok(bytes)
    }

    /// Records that reading has begun, and refuses it after a failure.
    pub(crate) fn begin(&mut self) -> Result<()> {
        if self.failed {
            return Err(ErrorKind::FailedBefore { action: "cannot read the array", cause: None }.into());
        }
        self.failed = true;
        Ok(())
    }

    /// Records that reading has succeeded so far.
    pub(crate) fn end(&mut self) -> Result<()> {
        if self.remaining() == 0 {
            (self.source.finish)(&mut self.reader)?;
        }
        self.failed = false;
        Ok(())
    }
}

impl<R> fmt::Debug for NpyReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpyReader").field("header", &self.header).field("position", &self.position).finish_non_exhaustive()
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

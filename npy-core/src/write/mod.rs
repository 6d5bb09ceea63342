//! Writes slices and single elements to files and streams.

pub(crate) mod append;
pub(crate) mod growth;
pub(crate) mod order;
pub(crate) mod output;
pub(crate) mod replace;
pub(crate) mod small;

use std::borrow::Cow;
use std::fmt;
use std::io::Write;
use std::marker::PhantomData;
use std::path::Path;
use std::thread;

use crate::element::{self, Difference, NpyElement};
use crate::error::{Error, ErrorKind, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::format::shape::is_same_in_both;
use crate::memory::{STAGE_BYTES, reserve_exact};
use crate::options::{Order, SaveOptions};
use crate::transpose::bytes::reverse_bytes;
use growth::Growth;
use output::{SMALL_BYTES, Stream, cannot_write, write_parts};
use replace::replace_file_with;
use small::write_small;

/// Assembled rows are written in pieces that end at multiples of this: the page cache uses large
/// pages for them. Other pieces took 1.4 to 6 times as long on ext4. A slice of this size is not
/// copied.
pub(crate) const PIECE: usize = 4 << 20;

/// Encoded elements and small slices are written in pieces that end at multiples of this, while
/// they are in the second-level cache. With 4 MiB, saving records took 1.07 (ext4) to 1.17 (tmpfs)
/// times as long where that cache has 1 MiB.
const STAGED_PIECE: usize = 512 << 10;

/// How much is zeroed before elements are encoded there, while it is in the first-level cache.
/// Saving records took 1.1 times as long with 256 KiB.
const ZEROED_BYTES: usize = 4 << 10;

/// Saves a slice as a one-dimensional file, byte for byte as `np.save` does.
///
/// A slice of arrays `[T; N]` becomes a file of one more dimension.
///
/// Atomic: a save either replaces the whole file or leaves the old one untouched. The data go to a
/// temporary file in the same directory, which is then renamed.
///
/// # Errors
///
/// Fails if the file cannot be written, or if an element cannot be expressed in the dtype.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("names.npy");
/// npy_core::save(&path, &["Ada".to_owned(), "Grace".to_owned()])?;
/// let names: Vec<String> = npy_core::load(&path)?; // in Python: array(['Ada', 'Grace'], dtype='<U5')
/// assert_eq!(names[1], "Grace");
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn save<T: NpyElement>(path: impl AsRef<Path>, items: &[T]) -> Result<()> {
    save_with(path, items, SaveOptions::new())
}

/// [`save`] with [`SaveOptions`].
///
/// # Errors
///
/// Fails like [`save`].
///
/// ```
/// use npy_core::SaveOptions;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// npy_core::save_with(&path, &[1.5_f32, 2.5], SaveOptions::new().durable(true))?;
/// assert_eq!(npy_core::load::<f32>(&path)?, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn save_with<T: NpyElement>(path: impl AsRef<Path>, items: &[T], options: impl Into<SaveOptions>) -> Result<()> {
    let options = options.into();
    // 0 where the dtype depends on the items.
    let bytes = (items.len() as u64).saturating_mul(T::dtype().itemsize() as u64);
    replace_file_with(path.as_ref(), options, bytes, |file| match options.order {
        Some(Order::Fortran) => write_transposed(file, items),
        _ => write(file, items),
    })
}

/// [`write`](write()) in Fortran order. Takes the memory of two more arrays if the elements have
/// axes.
fn write_transposed<T: NpyElement>(mut writer: impl Write, items: &[T]) -> Result<()> {
    let mut file = Vec::new();
    write(&mut file, items)?;
    let (header, data_offset) = Header::parse(&file)?;
    if is_same_in_both(header.shape()) || header.dtype().itemsize() == 0 {
        return writer.write_all(&file).and_then(|()| writer.flush()).map_err(cannot_write);
    }
    let bytes = reverse_bytes(file.split_off(data_offset), header.shape(), header.dtype().itemsize())?;
    let header = Header::new(header.dtype().clone(), Order::Fortran, header.shape())?;
    header.write(&mut writer)?;
    writer.write_all(&bytes).and_then(|()| writer.flush()).map_err(cannot_write)
}

/// Saves a slice in the dtype of another file, such as the one it came from.
///
/// Each field keeps the dtype, byte order, title and position that it has in `original`. [`save`]
/// writes those of the Rust type instead, so that a `String` read from `S6` becomes `<U…`, as wide
/// as the longest. Fields that the struct does not have are left out, and the others are then
/// packed.
///
/// The shape of `original` has no effect: the file has one dimension. For other shapes use
/// [`NpyWriter::create_like`] with the dtype of `original`.
///
/// ```
/// # use npy_core::{Header, NpyElement, Order};
/// use npy_core::{NpyReader, save_like};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("codes.npy");
/// # let mut codes = npy_core::NpyWriter::create_like(&path, &Header::new("|S6".parse()?, Order::C, &[0])?)?;
/// # codes.push(&"GRF".to_owned())?;
/// # codes.finish()?;
/// let reader = NpyReader::open(&path)?; // dtype('S6')
/// let header = reader.header().clone();
/// let mut codes: Vec<String> = reader.into_vec()?;
/// codes.push("BFO".to_owned());
/// save_like(&path, &codes, &header)?;
/// assert_eq!(NpyReader::open(&path)?.header().dtype().to_string(), "|S6");
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails like [`save`], if `original` lacks a field or has one of another kind, and if an element
/// does not fit its dtype: the error names the record and the field.
pub fn save_like<T: NpyElement>(path: impl AsRef<Path>, items: &[T], original: &Header) -> Result<()> {
    let path = path.as_ref();
    let own = dtype_of(items.iter());
    let dtype = original.dtype().restricted_to(&own);
    let header = match &own {
        // NumPy has no arrays of arrays.
        DType::SubArray(array) => Header::new(dtype, Order::C, &[&[items.len()][..], &array.flattened().1].concat()),
        _ => Header::new(dtype, Order::C, &[items.len()]),
    };
    let header = header.map_err(|error| error.with_path(path))?;
    replace_file_with(path, SaveOptions::new(), header.data_bytes(), |file| {
        let mut writer = NpyWriter::with_header(file, &header)?;
        writer.write_slice(items)?;
        writer.finish()?;
        Ok(())
    })
}

/// Writes a slice to a stream as a one-dimensional array, as `np.save` does.
///
/// # Errors
///
/// Fails if writing fails, or if an element cannot be expressed in the dtype.
///
/// ```
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[1_u8, 2, 3])?;
/// assert_eq!(file.len(), 128 + 3);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn write<T: NpyElement>(mut writer: impl Write, items: &[T]) -> Result<()> {
    let dtype = dtype_of(items.iter());
    if write_small(&mut writer, &dtype, Order::C, &[items.len()], items)? {
        return Ok(());
    }
    let header = header_of(dtype, &[items.len()])?;
    let mut writer = NpyWriter::with_header(writer, &header)?;
    writer.write_slice(items)?;
    writer.finish()?;
    Ok(())
}

/// The header of elements in C order. NumPy has no arrays of arrays: those of elements `[T; N]`
/// have one dimension more.
pub(crate) fn header_of(dtype: DType, shape: &[usize]) -> Result<Header> {
    match dtype {
        DType::SubArray(array) => {
            let (base, axes) = array.flattened();
            Header::new(base.clone(), Order::C, &[shape, &axes].concat())
        }
        dtype => Header::new(dtype, Order::C, shape),
    }
}

/// Returns a dtype that holds all of `items`.
///
/// It is that of the type, except for text and raw bytes of any width.
pub fn dtype_of<'a, T: NpyElement + 'a>(items: impl Iterator<Item = &'a T> + Clone) -> DType {
    if const { T::VARIES } { T::dtype_of(items) } else { T::dtype() }
}

/// Writes an array, one element or slice after another.
///
/// | length | constructors | after a kill | after a power cut | a [`flush`](Self::flush) takes |
/// |---|---|---|---|---|
/// | known | [`with_len`](Self::with_len), [`with_header`](Self::with_header): any stream | torn | torn | a `write` |
/// | unknown | [`new`](Self::new): a stream that can seek | flushed rows | uncertain | two `write`s |
/// | unknown | [`create`](NpyWriter::create), [`append`](NpyWriter::append): a file | flushed rows | flushed rows | two `fsync`s |
///
/// It buffers small writes: a file needs no `BufWriter`.
///
/// ```
/// use npy_core::NpyWriter;
///
/// let mut file = Vec::new();
/// let mut writer = NpyWriter::with_len(&mut file, 4)?;
/// writer.push(&0.5_f64)?;
/// writer.write_slice(&[1.5, 2.5, 3.5])?;
/// writer.finish()?;
/// assert_eq!(npy_core::read::<f64>(&file[..])?, [0.5, 1.5, 2.5, 3.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Drop
///
/// Dropping a writer finishes it, unless writing has failed. An array that grows
/// ([`new`](Self::new), [`create`](NpyWriter::create), [`append`](NpyWriter::append)) keeps every
/// whole row that was accepted, even after elements were refused and in a panic. An array of known
/// length gets the buffered elements, but not after an error or in a panic. A drop cannot report an
/// error, so call [`finish`](Self::finish).
#[must_use = "errors of writing the end of the array are seen only by `finish`"]
pub struct NpyWriter<T: NpyElement, W: Write> {
    pub(crate) writer: Stream<W>,
    pub(crate) plan: T::Plan,
    pub(crate) itemsize: usize,
    pub(crate) expected: u64,
    /// Elements accepted so far.
    pub(crate) count: u64,
    /// Bytes written to the stream, the header included.
    pub(crate) handed: u64,
    /// Bytes not written yet; at first the header, so that a small array takes one system call.
    pub(crate) stage: Vec<u8>,
    /// State of an array of unknown length.
    pub(crate) growth: Option<Growth<W>>,
    state: State,
    element: PhantomData<fn(&T)>,
}

/// The outcome of the last call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It succeeded.
    Good,
    /// Its elements were refused, and nothing of them was written.
    Refused,
    /// Elements are being encoded behind this many bytes of the stage; remains if their iterator
    /// panics.
    Encoding(usize),
    /// Writing has failed, so that the content of the stream is unknown; or the stream was
    /// returned.
    Over,
}

impl<T: NpyElement, W: Write> NpyWriter<T, W> {
    /// Begins a one-dimensional array of `len` elements, in any stream.
    ///
    /// The header is complete from the start; nothing is rewritten later.
    ///
    /// The dtype is `T::dtype()`. For text without a fixed width (`String`) use
    /// [`with_header`](Self::with_header).
    ///
    /// # Errors
    ///
    /// Fails if the array would exceed the address space.
    ///
    /// ```
    /// use npy_core::NpyWriter;
    ///
    /// let mut writer = NpyWriter::with_len(Vec::new(), 3)?;
    /// for square in [1_u32, 4, 9] {
    ///     writer.push(&square)?;
    /// }
    /// let file = writer.finish()?;
    /// assert_eq!(npy_core::read::<u32>(&file[..])?, [1, 4, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn with_len(writer: W, len: usize) -> Result<Self> {
        Self::with_header(writer, &header_of(T::dtype(), &[len])?)
    }

    /// Begins an array of any shape, order and dtype.
    ///
    /// Write the elements in the order of the header.
    ///
    /// # Errors
    ///
    /// Fails if the dtype does not fit `T`, and lists every difference.
    ///
    /// ```
    /// # use npy_core::{Header, NpyWriter, Order};
    /// let mut file = Vec::new();
    /// let header = Header::new(">u2".parse()?, Order::Fortran, &[2, 3])?;
    /// let mut writer = NpyWriter::with_header(&mut file, &header)?;
    /// writer.write_slice(&[1_u16, 4, 2, 5, 3, 6])?; // in Python: array([[1, 2, 3], [4, 5, 6]], dtype='>u2')
    /// writer.finish()?;
    /// assert_eq!(file[128..132], [0, 1, 0, 4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn with_header(writer: W, header: &Header) -> Result<Self> {
        Self::with_header_as(writer, header, &layout_of::<T>(header))
    }

    /// Writes `header`, and elements as those of `layout`, which has the same bytes.
    #[doc(hidden)]
    pub fn with_header_as(writer: W, header: &Header, layout: &Header) -> Result<Self> {
        // A small array is assembled in one buffer.
        let room = usize::try_from(layout.data_bytes()).ok().filter(|bytes| *bytes <= SMALL_BYTES).unwrap_or_default();
        Ok(Self {
            plan: element::plan_to_write::<T>(layout.dtype())?,
            itemsize: layout.dtype().itemsize(),
            expected: layout.element_count() as u64,
            count: 0,
            handed: 0,
            stage: header.to_bytes_with_room(room),
            growth: None,
            state: State::Good,
            writer: Stream::new(writer),
            element: PhantomData,
        })
    }

    /// Begins an array of unknown length, whose header the caller writes.
    #[cfg(feature = "npz")]
    pub(crate) fn open_ended(writer: W, header: &Header) -> Result<Self> {
        let mut writer = Self::with_header(writer, header)?;
        writer.stage.clear();
        writer.expected = u64::MAX;
        Ok(writer)
    }

    /// Ends an [`open_ended`](Self::open_ended) array and returns the number of its elements.
    #[cfg(feature = "npz")]
    pub(crate) fn finish_open(mut self) -> Result<u64> {
        self.admit(0)?;
        self.hand_on()?;
        self.state = State::Over;
        Ok(self.count)
    }

    /// Writes the next element.
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// let mut writer = NpyWriter::with_len(Vec::new(), 3)?;
    /// for square in [1_u32, 4, 9] {
    ///     writer.push(&square)?;
    /// }
    /// assert_eq!(npy_core::read::<u32>(&writer.finish()?[..])?, [1, 4, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the array is full, if the element cannot be expressed in the dtype, or if writing
    /// fails.
    #[inline]
    pub fn push(&mut self, item: &T) -> Result<()> {
        let items = std::slice::from_ref(item);
        // Most calls copy a few bytes, for which there is space.
        if let Some((bulk, Difference::None)) = element::bulk::<T>(&self.plan, self.itemsize)
            && let Some(bytes) = bulk.bytes_of(items)
            && self.stage.capacity() - self.stage.len() >= bytes.len()
            && self.stage.len() < self.piece()
            && self.count < self.expected
            && self.state == State::Good
        {
            self.stage.extend_from_slice(bytes);
            self.count += 1;
            return Ok(());
        }
        self.write_slice(items)
    }

    /// Writes the next elements.
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// let mut writer = NpyWriter::with_len(Vec::new(), 3)?;
    /// writer.write_slice(&[1_u32, 4])?;
    /// writer.write_slice(&[9])?;
    /// assert_eq!(npy_core::read::<u32>(&writer.finish()?[..])?, [1, 4, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`push`](Self::push).
    pub fn write_slice(&mut self, items: &[T]) -> Result<()> {
        let result = self.write_items(items);
        self.note_result(result)
    }

    fn write_items(&mut self, items: &[T]) -> Result<()> {
        let Some((bulk, difference)) = element::bulk::<T>(&self.plan, self.itemsize) else { return self.extend(items) };
        let Some(bytes) = bulk.bytes_of(items) else { return self.extend(items) };
        if difference == Difference::None {
            self.admit(items.len())?;
            let is_last = self.count + items.len() as u64 == self.expected;
            // Small parts are assembled to pieces; a whole array, or a large part, is not copied.
            if bytes.len() >= PIECE || (is_last && bytes.len() >= SMALL_BYTES && self.stage.len() + bytes.len() > STAGE_BYTES) {
                let written = write_parts(&mut self.writer, &[&self.stage, bytes]);
                self.note(written, self.stage.len() + bytes.len())?;
                self.stage.clear();
            } else {
                self.make_room(bytes.len())?;
                self.stage.extend_from_slice(bytes);
            }
            self.count += items.len() as u64;
            return Ok(());
        }
        self.admit(items.len())?;
        let per_stage = (STAGE_BYTES / self.itemsize.max(1)).max(1);
        for (items, bytes) in items.chunks(per_stage).zip(bytes.chunks(per_stage * self.itemsize.max(1))) {
            let begin = self.make_room(bytes.len())?;
            self.stage.extend_from_slice(bytes);
            bulk.swap(&mut self.stage[begin..]);
            self.count += items.len() as u64;
        }
        Ok(())
    }

    /// Writes the elements of an iterator over references, as of a strided array.
    ///
    /// # Errors
    ///
    /// Fails like [`push`](Self::push).
    ///
    /// ```
    /// use std::collections::BTreeSet;
    ///
    /// use npy_core::NpyWriter;
    ///
    /// let ids = BTreeSet::from([7_u16, 3, 5]);
    /// let mut writer = NpyWriter::with_len(Vec::new(), ids.len())?;
    /// writer.extend(&ids)?;
    /// assert_eq!(npy_core::read::<u16>(&writer.finish()?[..])?, [3, 5, 7]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn extend<'a>(&mut self, items: impl IntoIterator<Item = &'a T>) -> Result<()>
    where
        T: 'a,
    {
        let result = self.encode_items(items);
        self.note_result(result)
    }

    fn encode_items<'a>(&mut self, items: impl IntoIterator<Item = &'a T>) -> Result<()>
    where
        T: 'a,
    {
        self.admit(0)?;
        let at_once = (ZEROED_BYTES / self.itemsize.max(1)).max(1);
        let mut items = items.into_iter().peekable();
        while items.peek().is_some() {
            let room = usize::try_from(self.expected - self.count).unwrap_or(usize::MAX);
            if room == 0 {
                return Err(self.overfull(1));
            }
            // The upper bound of the iterator, which need not be right.
            let step = at_once.min(room).min(items.size_hint().1.unwrap_or(at_once).max(1));
            // Zeros, so that padding is written as zeros.
            let begin = self.make_room(step * self.itemsize)?;
            self.stage.resize(begin + step * self.itemsize, 0);
            let part = items.by_ref().take(step);
            // Until it succeeds: if the iterator panics, the stage holds nothing that was pushed.
            self.state = State::Encoding(begin);
            let encoded = element::encode_all(&self.plan, self.itemsize, part, &mut self.stage[begin..], self.count);
            let count = encoded.as_ref().map_or(0, |count| *count);
            self.stage.truncate(begin + count * self.itemsize);
            self.state = State::Good;
            self.count += count as u64;
            encoded?;
        }
        Ok(())
    }

    /// Writes the buffered elements, and commits an array that grows.
    ///
    /// To commit, the data are written to the disk first, then the header that counts them.
    /// Whatever happens afterwards, the file holds at least these rows. An incomplete row is
    /// counted later.
    ///
    /// On a disk that takes some milliseconds, as `fsync` does. Commit as often as you can afford
    /// to lose the rows since the last commit, not after every element.
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("readings.npy");
    /// let mut readings = NpyWriter::<f64, _>::create(&path)?;
    /// readings.push(&0.5)?;
    /// readings.flush()?;
    /// assert_eq!(npy_core::load::<f64>(&path)?, [0.5]); // it is there, although the writer goes on
    /// readings.finish()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if writing fails.
    pub fn flush(&mut self) -> Result<()> {
        self.commit().map_err(|error| self.locate(error))
    }

    fn commit(&mut self) -> Result<()> {
        self.admit(0)?;
        self.hand_on()?;
        let result = match &mut self.growth {
            Some(growth) => growth.commit(&mut self.writer, self.count, self.itemsize),
            None => self.writer.flush().map_err(cannot_write),
        };
        // What did not reach the disk now is not counted later.
        self.state = if result.is_ok() { State::Good } else { State::Over };
        result
    }

    /// Writes the buffered elements and returns the stream.
    ///
    /// An array that grows is [committed](Self::flush).
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// let mut writer = NpyWriter::with_len(Vec::new(), 2)?;
    /// writer.push(&1_u8)?;
    /// assert!(writer.finish().is_err()); // two were announced
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if fewer elements were written than the header says, if the last row is incomplete, or
    /// if writing fails.
    pub fn finish(mut self) -> Result<W> {
        self.end().map_err(|error| self.locate(error))
    }

    fn end(&mut self) -> Result<W> {
        self.admit(0)?;
        let incomplete = match &self.growth {
            Some(growth) if growth.missing(self.count) > 0 => Some(growth.growable.incomplete(growth.start + self.count)),
            None if self.count < self.expected => Some(ErrorKind::WrongCount { expected: self.expected, found: self.count }.into()),
            _ => None,
        };
        if let Some(error) = incomplete {
            self.state = State::Refused;
            return Err(error);
        }
        self.commit()?;
        self.state = State::Over;
        self.writer.take().map_err(cannot_write)
    }

    /// Prevents a drop from writing more: the owner of the elements has failed.
    #[cfg(feature = "npz")]
    pub(crate) fn abandon(&mut self) {
        self.state = State::Over;
    }

    /// Records the outcome of a call that ends with this result.
    pub(crate) fn note_result(&mut self, result: Result<()>) -> Result<()> {
        self.state = match (self.state, &result) {
            (state @ (State::Over | State::Encoding(_)), _) => state,
            (_, Ok(())) => State::Good,
            (_, Err(_)) => State::Refused,
        };
        result.map_err(|error| self.locate(error))
    }

    /// Adds the path to an error, if it is known.
    #[cold]
    fn locate(&self, error: Error) -> Error {
        match self.growth.as_ref().and_then(|growth| growth.file.as_ref()) {
            Some(file) => error.with_path(file.path()),
            None => error,
        }
    }

    /// Refuses elements that the header cannot count, and all elements after a failure.
    pub(crate) fn admit(&self, count: usize) -> Result<()> {
        if matches!(self.state, State::Over | State::Encoding(_)) {
            return Err(ErrorKind::FailedBefore { action: "cannot write the array", cause: None }.into());
        }
        if count as u64 > self.expected - self.count { Err(self.overfull(count)) } else { Ok(()) }
    }

    #[cold]
    fn overfull(&self, count: usize) -> Error {
        if let Some(growth) = &self.growth {
            return growth.growable.full();
        }
        ErrorKind::WrongCount { expected: self.expected, found: self.count + count as u64 }.into()
    }

    /// Reserves `bytes` more in the stage, and returns their position.
    pub(crate) fn make_room(&mut self, bytes: usize) -> Result<usize> {
        let piece = self.piece();
        if self.stage.len() >= piece {
            self.hand_on_pieces(piece)?;
        }
        if self.stage.capacity() - self.stage.len() < bytes {
            let left = self.expected.saturating_sub(self.count).saturating_mul(self.itemsize as u64);
            // All that it ever needs, if it is going to be filled.
            if self.growth.is_none() && self.expected < u64::MAX && left >= STAGED_PIECE as u64 {
                reserve_exact(&mut self.stage, STAGED_PIECE + bytes)?;
            }
            self.stage.try_reserve(bytes).map_err(|_| ErrorKind::Allocation { bytes })?;
        }
        Ok(self.stage.len())
    }

    /// The size of a piece. A file that grows does not hold pushed elements back for long.
    fn piece(&self) -> usize {
        if self.growth.is_some() { STAGE_BYTES } else { STAGED_PIECE }
    }

    /// Writes the stage up to the last multiple of a piece.
    fn hand_on_pieces(&mut self, piece: usize) -> Result<()> {
        let length = self.stage.len();
        let behind = (self.handed + length as u64) % piece as u64;
        // Less than a piece.
        let end = length - usize::try_from(behind).unwrap_or_default().min(length);
        let written = self.writer.write_all(&self.stage[..end]);
        self.note(written, end)?;
        self.stage.drain(..end);
        Ok(())
    }

    fn hand_on(&mut self) -> Result<()> {
        let written = self.writer.write_all(&self.stage);
        let length = self.stage.len();
        self.note(written, length)?;
        self.stage.clear();
        Ok(())
    }

    /// Records that bytes were written, or that the content of the stream is unknown.
    pub(crate) fn note(&mut self, written: std::io::Result<()>, bytes: usize) -> Result<()> {
        match written {
            Ok(()) => {
                self.handed += bytes as u64;
                if let Some(file) = self.growth.as_mut().and_then(|growth| growth.file.as_mut()) {
                    file.note(self.handed);
                }
            }
            Err(error) => {
                self.state = State::Over;
                return Err(cannot_write(error));
            }
        }
        Ok(())
    }
}

impl<T: NpyElement, W: Write> Drop for NpyWriter<T, W> {
    fn drop(&mut self) {
        let is_kept = match self.state {
            State::Good => self.growth.is_some() || !thread::panicking(),
            // Rows of a growing array that were accepted before are whole.
            State::Refused => self.growth.is_some(),
            State::Encoding(begin) => {
                self.stage.truncate(begin);
                self.state = State::Refused;
                self.growth.is_some()
            }
            State::Over => false,
        };
        if is_kept {
            // No one can be told of the error.
            let _ = self.flush();
        }
    }
}

impl<T: NpyElement, W: Write> fmt::Debug for NpyWriter<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpyWriter").field("expected", &self.expected).field("count", &self.count).finish_non_exhaustive()
    }
}

impl<W: Write> Growth<W> {
    /// Writes the number of rows into the header, once they are safe. `count` elements were added.
    fn commit(&mut self, writer: &mut Stream<W>, count: u64, itemsize: usize) -> Result<()> {
        let elements = self.start + count;
        let rows = self.growable.rows(elements);
        writer.flush().map_err(cannot_write)?;
        if rows != self.committed {
            let header = self.growable.bytes(rows)?;
            let back = header.len() as u64 + elements * itemsize as u64;
            let put = |writer: &mut W| {
                (self.sync)(writer)?;
                (self.patch)(writer, back, &header)?;
                writer.flush()?;
                (self.sync)(writer)
            };
            writer.call(put).map_err(cannot_write)?;
            self.committed = rows;
        }
        self.file.as_ref().map_or(Ok(()), |file| file.expect_in_place().map_err(cannot_write))
    }

    /// The number of elements that the last row lacks.
    fn missing(&self, count: u64) -> u64 {
        let row = self.growable.row_elements();
        (self.start + count).next_multiple_of(row) - self.start - count
    }
}

/// The array as elements `T`, which contain its last axes if they are arrays.
pub(crate) fn layout_of<T: NpyElement>(header: &Header) -> Cow<'_, Header> {
    let axes = element::inner_axes::<T>();
    let inner = if axes > 0 { header.with_inner_axes(axes) } else { None };
    inner.map_or(Cow::Borrowed(header), Cow::Owned)
}

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

/// Rows that are put together go to the file in pieces that end at multiples of this: the page cache takes them in by large pages then. Pieces
/// that do not were measured to take 1.4 to 6 times as long on ext4. A slice of so many bytes is not copied to be put together with others.
pub(crate) const PIECE: usize = 4 << 20;

/// What is encoded, and small slices, go there in pieces that end at multiples of this, which are in the second-level cache when they are written.
/// Saving records took 1.07 (ext4) to 1.17 times (tmpfs) as long with 4 MiB where that cache has 1 MiB.
const STAGED_PIECE: usize = 512 << 10;

/// What is zeroed at a time before elements are encoded there: so little that it is in the first-level cache when it is written again. Saving
/// records took 1.1 times as long with 256 KiB.
const ZEROED_BYTES: usize = 4 << 10;

/// Saves a slice as a one-dimensional file, byte for byte as `np.save` would. A slice of arrays `[T; N]` has one dimension more.
///
/// Either the whole new file stands under `path` afterwards or what stood there before: the data go to a temporary file in the same
/// directory, which is then renamed.
///
/// # Errors
///
/// When the file cannot be written, or an element cannot be expressed in the dtype.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("names.npy");
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
/// Like [`save`].
///
/// ```
/// use npy_core::SaveOptions;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("samples.npy");
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

/// [`write`](write()) in Fortran order: takes the memory of two more arrays where the elements have axes of their own.
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

/// [`save`] in the dtype of another file, such as the one that the elements came from.
///
/// Each field keeps the dtype, byte order, title and place that it has in `original`; `save` writes those of the Rust type, so that a `String` read
/// from `S6` becomes `<U…`, as wide as the longest. Fields that the struct does not have are left out; the others are then packed. The shape
/// of `original` does not matter: the file has one dimension. For another shape use [`NpyWriter::create_like`] with the `original`'s dtype.
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
/// Fails like [`save`], if `original` lacks a field or has one of another kind, and if an element does not fit its dtype: the error names
/// the record and the field.
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

/// Writes a slice to a stream as a one-dimensional array, byte for byte as `np.save` would.
///
/// # Errors
///
/// When writing fails, or an element cannot be expressed in the dtype.
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

/// The header of elements in C order. NumPy has no arrays of arrays: those of elements `[T; N]` have one dimension more.
pub(crate) fn header_of(dtype: DType, shape: &[usize]) -> Result<Header> {
    match dtype {
        DType::SubArray(array) => {
            let (base, axes) = array.flattened();
            Header::new(base.clone(), Order::C, &[shape, &axes].concat())
        }
        dtype => Header::new(dtype, Order::C, shape),
    }
}

/// The dtype that holds all of `items`: that of the type, but for text and raw bytes of any width.
pub fn dtype_of<'a, T: NpyElement + 'a>(items: impl Iterator<Item = &'a T> + Clone) -> DType {
    if const { T::VARIES } { T::dtype_of(items) } else { T::dtype() }
}

/// Writes an array, one element after another, or slices of them.
///
/// | the number of elements | | when the process is killed | when the power is cut | a [`flush`](Self::flush) takes |
/// |---|---|---|---|---|
/// | is known | [`with_len`](Self::with_len), [`with_header`](Self::with_header): any stream | the file is torn | the file is torn | a `write` |
/// | is not | [`new`](Self::new): a stream that can be gone back in | what was flushed is there | nothing is certain | two `write`s |
/// | is not | [`create`](NpyWriter::create), [`append`](NpyWriter::append): a file | what was flushed is there | what was flushed is there | two `fsync`s |
///
/// It buffers small writes itself: a file needs no `BufWriter`.
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
/// A writer that is dropped is finished, unless writing has failed. An array that grows ([`new`](Self::new), [`create`](NpyWriter::create),
/// [`append`](NpyWriter::append)) keeps every whole row that was accepted, also after elements were refused and in a panic; an array whose length is
/// known gets the elements that are still buffered, but not after an error or in a panic. A drop cannot report an error, so call
/// [`finish`](Self::finish).
#[must_use = "errors of writing the end of the array are seen only by `finish`"]
pub struct NpyWriter<T: NpyElement, W: Write> {
    pub(crate) writer: Stream<W>,
    pub(crate) plan: T::Plan,
    pub(crate) itemsize: usize,
    pub(crate) expected: u64,
    /// Elements taken so far.
    pub(crate) count: u64,
    /// Bytes that were handed on, the header included.
    pub(crate) handed: u64,
    /// What was not handed on yet; at first the header, so that a small array takes one system call.
    pub(crate) stage: Vec<u8>,
    /// Of an array whose length is known only at the end.
    pub(crate) growth: Option<Growth<W>>,
    state: State,
    element: PhantomData<fn(&T)>,
}

/// What the last call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It went well.
    Good,
    /// Its elements were refused, and nothing of them was written.
    Refused,
    /// Elements are being encoded behind this many bytes of the stage. It stays so if their iterator panics.
    Encoding(usize),
    /// Writing has failed, so that what the stream holds is not known; or the stream was given back.
    Over,
}

impl<T: NpyElement, W: Write> NpyWriter<T, W> {
    /// Begins a one-dimensional array of `len` elements. Takes any stream: nothing is changed afterwards.
    ///
    /// The dtype is `T::dtype()`. For text without a fixed width (`String`) use [`with_header`](Self::with_header).
    ///
    /// # Errors
    ///
    /// When the array would be larger than the address space.
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

    /// Begins an array of any shape, order and dtype. The elements are then written in the order that the header says.
    ///
    /// # Errors
    ///
    /// When the dtype does not fit `T`; the error lists every difference.
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

    /// Writes `header`, and elements as those of the array that `layout` describes, which has the same bytes.
    #[doc(hidden)]
    pub fn with_header_as(writer: W, header: &Header, layout: &Header) -> Result<Self> {
        // A small array is put together in one piece of memory.
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

    /// Begins an array of any number of elements, whose header is written by others.
    #[cfg(feature = "npz")]
    pub(crate) fn open_ended(writer: W, header: &Header) -> Result<Self> {
        let mut writer = Self::with_header(writer, header)?;
        writer.stage.clear();
        writer.expected = u64::MAX;
        Ok(writer)
    }

    /// Ends one that was [`open_ended`](Self::open_ended); tells how many elements were written.
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
    /// When the array is full, when the element cannot be expressed in the dtype, or when writing fails.
    #[inline]
    pub fn push(&mut self, item: &T) -> Result<()> {
        let items = std::slice::from_ref(item);
        // What most calls are: a few bytes that are copied, for which there is room.
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
    /// Like [`push`](Self::push).
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
            // What comes in parts is put together to pieces; a whole array, or a large part, is not copied.
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

    /// Writes the elements of an iterator over references, such as that of a strided array.
    ///
    /// # Errors
    ///
    /// Like [`push`](Self::push).
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
            // How many the iterator says it has at most; it need not be right.
            let step = at_once.min(room).min(items.size_hint().1.unwrap_or(at_once).max(1));
            // Zeros, so that padding is written as zeros.
            let begin = self.make_room(step * self.itemsize)?;
            self.stage.resize(begin + step * self.itemsize, 0);
            let part = items.by_ref().take(step);
            // Until it went well: if the iterator panics, what is in the stage is nothing that was pushed.
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

    /// Hands on what was written so far, and of an array that grows (see [`create`](NpyWriter::create)) commits it: the data are brought to the
    /// disk, then the header that counts them, then that. Whatever happens afterwards, the file holds at least these rows. A row that is not whole
    /// yet is counted later.
    ///
    /// On a disk that takes some milliseconds, as `fsync` does: commit as often as you can bear to lose what came since, and not after every element.
    ///
    /// ```
    /// # use npy_core::NpyWriter;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("readings.npy");
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
    /// When writing fails.
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
        // What did not come to the disk now is not counted later.
        self.state = if result.is_ok() { State::Good } else { State::Over };
        result
    }

    /// Writes what is left to write, and gives the stream back. An array that grows is [committed](Self::flush).
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
    /// When fewer elements were written than the header says, when the last row is not whole, or writing fails.
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

    /// Has a drop write nothing more: what the elements were for has failed.
    #[cfg(feature = "npz")]
    pub(crate) fn abandon(&mut self) {
        self.state = State::Over;
    }

    /// Notes what the call came to that ends with this result.
    pub(crate) fn note_result(&mut self, result: Result<()>) -> Result<()> {
        self.state = match (self.state, &result) {
            (state @ (State::Over | State::Encoding(_)), _) => state,
            (_, Ok(())) => State::Good,
            (_, Err(_)) => State::Refused,
        };
        result.map_err(|error| self.locate(error))
    }

    /// Names the file in an error, if it is known where it is.
    #[cold]
    fn locate(&self, error: Error) -> Error {
        match self.growth.as_ref().and_then(|growth| growth.file.as_ref()) {
            Some(file) => error.with_path(file.path()),
            None => error,
        }
    }

    /// Refuses elements for which the header has no room, and all after a failure.
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

    /// Sees that the stage has room for `bytes` more; tells where they go.
    pub(crate) fn make_room(&mut self, bytes: usize) -> Result<usize> {
        let piece = self.piece();
        if self.stage.len() >= piece {
            self.hand_on_pieces(piece)?;
        }
        if self.stage.capacity() - self.stage.len() < bytes {
            let left = self.expected.saturating_sub(self.count).saturating_mul(self.itemsize as u64);
            // All that it will ever need, if it is known that it is going to be full.
            if self.growth.is_none() && self.expected < u64::MAX && left >= STAGED_PIECE as u64 {
                reserve_exact(&mut self.stage, STAGED_PIECE + bytes)?;
            }
            self.stage.try_reserve(bytes).map_err(|_| ErrorKind::Allocation { bytes })?;
        }
        Ok(self.stage.len())
    }

    /// How much is handed on at a time. What is pushed to a file that grows is not kept back for long.
    fn piece(&self) -> usize {
        if self.growth.is_some() { STAGE_BYTES } else { STAGED_PIECE }
    }

    /// Hands on what is in the stage up to the last multiple of a piece.
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

    /// Notes that so many bytes were handed on, or that the stream holds nobody knows what.
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
            // Rows of a growing array that were taken before are whole.
            State::Refused => self.growth.is_some(),
            State::Encoding(begin) => {
                self.stage.truncate(begin);
                self.state = State::Refused;
                self.growth.is_some()
            }
            State::Over => false,
        };
        if is_kept {
            // Nobody is there to be told.
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
    /// Puts the number of rows into the header, once they are where they are safe. `count` elements were added.
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

    /// How many elements are missing in the last row.
    fn missing(&self, count: u64) -> u64 {
        let row = self.growable.row_elements();
        (self.start + count).next_multiple_of(row) - self.start - count
    }
}

/// The array as the elements `T` see it: those that are arrays have the last axes in them.
pub(crate) fn layout_of<T: NpyElement>(header: &Header) -> Cow<'_, Header> {
    let axes = element::inner_axes::<T>();
    let inner = if axes > 0 { header.with_inner_axes(axes) } else { None };
    inner.map_or(Cow::Borrowed(header), Cow::Owned)
}

//! Elements of an array, read in the same way from a stream of any type.

use std::path::Path;

use super::source::Input;
use crate::element::{self, Codec, Difference, NpyElement, PlanOf};
use crate::error::{Error, ErrorKind, Result, rust_type, tuple};
use crate::format::dtype::DType;
use crate::format::header::Header;
#[cfg(any(unix, windows))]
use crate::memory::threads::{FilePart, LEAST_BYTES};
use crate::memory::{Bulk, FIRST_BYTES, Request};
use crate::options::Order;

/// The header of a reader's array, and the position in it.
pub(crate) struct State {
    pub(crate) header: Header,
    pub(crate) data_offset: u64,
    /// The index of the next element.
    pub(crate) position: usize,
    /// Whether reading has failed, so that the position of the stream is unknown.
    pub(crate) failed: bool,
    /// How many threads may read from a file.
    pub(crate) threads: usize,
    /// The path for errors, unless a caller adds it.
    pub(crate) path: Option<Box<Path>>,
}

impl State {
    pub(crate) fn remaining(&self) -> usize {
        self.header.element_count() - self.position
    }

    /// The offset of the next element in the file.
    pub(crate) fn offset(&self) -> u64 {
        // Smaller than the size of the data, which was checked.
        self.data_offset + self.position as u64 * self.header.dtype().itemsize() as u64
    }

    pub(crate) fn locate(&self, error: Error) -> Error {
        in_file(self.path.as_deref(), error)
    }

    /// How to read the elements as values of `T`.
    pub(crate) fn plan<T: NpyElement>(&self) -> Result<PlanOf<T>> {
        element::plan::<T>(self.header.dtype()).map_err(|error| self.locate(error))
    }

    /// Records that reading has begun, and refuses it after a failure.
    pub(crate) fn begin(&mut self) -> Result<()> {
        if self.failed {
            return Err(self.locate(Error::failed_before("cannot read the array", None)));
        }
        self.failed = true;
        Ok(())
    }

    /// Has elements `T`, which may contain the last axes of the array, with `expected` other
    /// dimensions.
    pub(crate) fn expect_dimensions<T: NpyElement>(&mut self, expected: usize) -> Result<()> {
        self.expect_axes(&T::dtype(), rust_type::<T>, expected)
    }

    fn expect_axes(&mut self, dtype: &DType, rust_type: fn() -> String, expected: usize) -> Result<()> {
        let axes = element::axes_of(dtype);
        // A file may have sub-arrays as elements, though NumPy reads none such.
        let is_sub_array = matches!(self.header.dtype(), DType::SubArray(_));
        if axes > 0 && !is_sub_array && self.header.shape().len() != expected + axes {
            return Err(element::wrong_shape_of(&rust_type(), dtype, expected, self.header.shape()));
        }
        if axes > 0
            && let Some(header) = self.header.with_inner_axes(axes)
        {
            self.header = header;
        }
        if axes > 0 && self.header.order() == Order::Fortran && self.header.shape().len() == expected + axes {
            return Err(Error::new(
                ErrorKind::WrongShape,
                format!(
                    "cannot read rows as `[T; N]`: expected C order, found Fortran order with shape {}; read it as an `ndarray` array, \
                     or save `np.ascontiguousarray(array)`",
                    tuple(self.header.shape())
                ),
            ));
        }
        self.check_dimensions(expected)
    }

    /// Refuses arrays of more or fewer dimensions.
    pub(crate) fn check_dimensions(&self, expected: usize) -> Result<()> {
        match self.header.shape() {
            shape if shape.len() == expected => Ok(()),
            shape => Err(Error::wrong_dimensions(expected, shape, Some("`NpyReader::into_vec`, `DynValues` or `ndarray::ArrayD`"))),
        }
    }
}

/// The remaining elements of a reader, whose stream is of any type.
///
/// Code that takes it is compiled once, and not for each type of stream.
///
/// ```
/// use npy_core::adapter::Elements;
/// use npy_core::{NpyReader, Order};
///
/// fn read_floats(mut elements: Elements<'_>) -> npy_core::Result<(Vec<usize>, Vec<f32>)> {
///     Ok((elements.header().shape().to_vec(), elements.read_vec_in(Order::Fortran)?))
/// }
///
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[[1.0_f32, 2.0], [3.0, 4.0]])?;
/// let matrix = read_floats(NpyReader::new(&file[..])?.elements())?;
/// assert_eq!(matrix, (vec![2, 2], vec![1.0, 3.0, 2.0, 4.0]));
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct Elements<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) input: &'a mut dyn Input,
}

impl Elements<'_> {
    /// Returns the header of the array.
    pub fn header(&self) -> &Header {
        &self.state.header
    }

    /// Reinterprets the elements as another dtype of the same itemsize.
    ///
    /// See [`ElementBytes`](crate::adapter::ElementBytes), which writes such elements, for an example.
    ///
    /// Fails if the itemsize differs.
    #[cfg(feature = "dynamic")]
    pub fn set_dtype(&mut self, dtype: DType) -> Result<()> {
        let header = &mut self.state.header;
        let (expected, found) = (header.dtype().itemsize() as u64, dtype.itemsize() as u64);
        if expected == found {
            *header = header.with_dtype(dtype);
            return Ok(());
        }
        Err(Error::wrong_length(expected, found))
    }

    /// Reads all remaining elements.
    pub(crate) fn read_all<T: NpyElement>(&mut self) -> Result<Vec<T>> {
        let plan = self.state.plan::<T>()?;
        let count = self.state.remaining();
        self.read_vec(&plan, count)
    }

    /// Reads an array of `expected` dimensions, not counting the axes of the elements.
    pub(crate) fn read_dimensions<T: NpyElement>(&mut self, expected: usize) -> Result<Vec<T>> {
        self.state.expect_dimensions::<T>(expected).map_err(|error| self.state.locate(error))?;
        self.read_all()
    }

    /// Reads all remaining elements into an existing vector, which is empty after an error.
    pub(crate) fn read_to_vec<T: NpyElement>(&mut self, items: &mut Vec<T>) -> Result<()> {
        items.clear();
        let plan = self.state.plan::<T>()?;
        let count = self.state.remaining();
        let result = self.read_over(&plan, items, count);
        if result.is_err() {
            items.clear();
        }
        result
    }

    /// Reads as many elements as `items` holds, and overwrites them.
    pub(crate) fn read_into<T: NpyElement>(&mut self, items: &mut [T]) -> Result<()> {
        self.try_read_into(items).map_err(|error| self.state.locate(error))
    }

    fn try_read_into<T: NpyElement>(&mut self, items: &mut [T]) -> Result<()> {
        let plan = element::plan::<T>(self.state.header.dtype())?;
        let (count, remaining) = (items.len(), self.state.remaining());
        if count > remaining {
            return Err(Error::wrong_count(count as u64, remaining as u64));
        }
        self.state.begin()?;
        if const { T::Codec::BULK.is_some() }
            && let Some((bulk, difference)) = element::bulk::<T>(&plan, self.itemsize())
        {
            self.fill_slice(bulk, items, difference == Difference::ByteOrder)?;
        } else {
            self.decode_slice(&plan, items)?;
        }
        self.end(count)
    }

    pub(crate) fn itemsize(&self) -> usize {
        self.state.header.dtype().itemsize()
    }

    /// Whether the input is known to hold `count` more elements, so that all can be allocated at
    /// once.
    pub(crate) fn is_there<T>(&self, count: usize) -> bool {
        self.has_bytes(count.saturating_mul(self.itemsize()), count.saturating_mul(size_of::<T>()))
    }

    /// Whether the input is known to hold `needed` more bytes, which become `result` bytes of
    /// memory.
    pub(crate) fn has_bytes(&self, needed: usize, result: usize) -> bool {
        let offset = self.state.offset();
        // So much is taken on credit, of the file and of the result.
        (needed <= FIRST_BYTES && result <= FIRST_BYTES)
            || self.input.length(offset).is_some_and(|length| length.saturating_sub(offset) >= needed as u64)
    }

    /// Reads `count` of the remaining elements.
    pub(crate) fn read_vec<T: NpyElement>(&mut self, plan: &PlanOf<T>, count: usize) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.read_over(plan, &mut items, count)?;
        Ok(items)
    }

    /// Reads `count` of the remaining elements into an existing vector.
    fn read_over<T: NpyElement>(&mut self, plan: &PlanOf<T>, items: &mut Vec<T>, count: usize) -> Result<()> {
        self.try_read_over(plan, items, count).map_err(|error| self.state.locate(error))
    }

    fn try_read_over<T: NpyElement>(&mut self, plan: &PlanOf<T>, items: &mut Vec<T>, count: usize) -> Result<()> {
        self.state.begin()?;
        // Types without the proof need no code for it.
        if const { T::Codec::BULK.is_some() }
            && let Some((bulk, difference)) = element::bulk::<T>(plan, self.itemsize())
        {
            self.refill(bulk, items, count, difference == Difference::ByteOrder)?;
        } else {
            self.decode_vec(plan, items, count)?;
        }
        self.end(count)
    }

    /// Reads `count` elements whose memory is the file's bytes into an existing vector.
    fn refill<T>(&mut self, bulk: Bulk<T>, items: &mut Vec<T>, count: usize, swap: bool) -> Result<()> {
        let length = count.saturating_mul(size_of::<T>());
        if let Some(bytes) = self.input.bytes().get(..length)
            && bulk.copy(items, swap, bytes)?
        {
            self.input.consume(length);
            return Ok(());
        }
        // The memory is the file's bytes, whatever an element of the file is.
        let is_there = self.has_bytes(length, length);
        let offset = self.state.offset();
        #[cfg(any(unix, windows))]
        if is_there && let Some(part) = self.part_for_threads(length) {
            let end = part.end;
            bulk.refill_by_threads(items, count, swap, part)?;
            return self.resume_at(end);
        }
        bulk.refill(items, Request { count, swap, is_there, offset }, &mut |buf| self.input.fill(buf))
    }

    /// Reads elements whose memory is the file's bytes, over others.
    fn fill_slice<T>(&mut self, bulk: Bulk<T>, items: &mut [T], swap: bool) -> Result<()> {
        let offset = self.state.offset();
        #[cfg(any(unix, windows))]
        if let Some(part) = self.part_for_threads(size_of_val(items))
            && self.is_there::<T>(items.len())
        {
            let end = part.end;
            bulk.fill_slice_by_threads(items, swap, part)?;
            return self.resume_at(end);
        }
        bulk.fill_slice(items, swap, offset, &mut |buf| self.input.fill(buf))
    }

    /// The next `bytes` bytes, if several threads are to read them.
    #[cfg(any(unix, windows))]
    pub(crate) fn part_for_threads(&self, bytes: usize) -> Option<FilePart<'_>> {
        let threads = self.state.threads;
        let file = self.input.file().filter(|_| threads > 1 && bytes >= LEAST_BYTES)?;
        let offset = self.state.offset();
        Some(FilePart { file, offset, end: offset.checked_add(bytes as u64)?, threads })
    }

    /// Moves the stream to where other threads have read to.
    #[cfg(any(unix, windows))]
    pub(crate) fn resume_at(&mut self, offset: u64) -> Result<()> {
        self.input.seek(offset).map_err(|error| Error::io("cannot seek in the array", error))
    }

    /// The bytes of the next `count` elements, all of which must remain.
    #[cfg(feature = "dynamic")]
    pub(crate) fn read_bytes(&mut self, count: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.state.begin()?;
        self.refill(Bulk::<u8>::new(), &mut bytes, count * self.itemsize(), false)
            .and_then(|()| self.end(count))
            .map_err(|error| self.state.locate(error))?;
        Ok(bytes)
    }

    /// Records that `count` more elements were read.
    pub(crate) fn end(&mut self, count: usize) -> Result<()> {
        self.state.position += count;
        if self.state.remaining() == 0 {
            self.input.finish()?;
        }
        self.state.failed = false;
        Ok(())
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

//! Transposes while reading: a file in one order into memory in the other.

use std::io::Read;

use super::NpyReader;
use crate::element;
#[cfg(unix)]
use crate::element::Difference;
use crate::element::NpyElement;
use crate::error::{ErrorKind, Result};
use crate::format::inline::Lengths;
#[cfg(unix)]
use crate::memory::threads::{FilePart, LEAST_BYTES};
use crate::options::Order;
#[cfg(unix)]
use crate::transpose::panels::LEAST_BYTES_OF_PANELS;
use crate::transpose::reverse_axes;

impl<R: Read> NpyReader<R> {
    /// Reads all elements of the array in an order, for `npy-ndarray`.
    ///
    /// Large files are transposed while they are in the cache. Others are transposed afterwards, in
    /// a second array.
    #[doc(hidden)]
    pub fn into_vec_in<T: NpyElement>(mut self, order: Order) -> Result<Vec<T>> {
        let Some(shape) = self.shape_to_reverse(order) else { return self.read_all() };
        let plan = self.plan::<T>()?;
        #[cfg(unix)]
        if let Some((bulk, difference)) = element::bulk::<T>(&plan, self.header.dtype().itemsize())
            && let Some(part) = self.part_for_panels::<T>()
            && let Some(items) = bulk.read_reversed(&shape, difference == Difference::ByteOrder, part)
        {
            return self.go_behind().map(|()| items);
        }
        let count = self.remaining();
        let items = self.read_vec(&plan, count)?;
        reversed(items, &plan, self.header.dtype().itemsize(), &shape)
    }

    /// [`into_vec_in`](Self::into_vec_in) into existing elements, of which there must be as many.
    #[doc(hidden)]
    pub fn read_into_in<T: NpyElement>(&mut self, items: &mut [T], order: Order) -> Result<()> {
        let count = self.remaining();
        if items.len() != count {
            return Err(ErrorKind::WrongCount { expected: items.len() as u64, found: count as u64 }.into());
        }
        let Some(shape) = self.shape_to_reverse(order) else { return self.read_into(items) };
        let plan = self.plan::<T>()?;
        #[cfg(unix)]
        if let Some((bulk, difference)) = element::bulk::<T>(&plan, self.header.dtype().itemsize())
            && let Some(part) = self.part_for_panels::<T>()
            && bulk.fill_reversed(items, &shape, difference == Difference::ByteOrder, part)
        {
            return self.go_behind();
        }
        let read = self.read_vec(&plan, count)?;
        let read = reversed(read, &plan, self.header.dtype().itemsize(), &shape)?;
        items.iter_mut().zip(read).for_each(|(item, read)| *item = read);
        Ok(())
    }

    /// The lengths of the axes in the order in which the last varies fastest, without those that
    /// make no difference; `None` if the elements stand in that order.
    fn shape_to_reverse(&self, order: Order) -> Option<Lengths> {
        if self.header.order() == order {
            return None;
        }
        let lengths = self.header.shape().iter().copied().filter(|&length| length != 1);
        let shape: Lengths = if self.header.order() == Order::Fortran { lengths.rev().collect() } else { lengths.collect() };
        (shape.len() > 1).then_some(shape)
    }

    /// All of the array, if it is in a file and so large that moving elements from the cache is
    /// faster.
    #[cfg(unix)]
    fn part_for_panels<T>(&self) -> Option<FilePart<'_>> {
        let bytes = self.header.data_bytes();
        if self.failed || self.position > 0 || bytes < LEAST_BYTES_OF_PANELS as u64 {
            return None;
        }
        let file = self.source.file.as_ref()?;
        if !self.is_there::<T>(self.remaining()) {
            return None;
        }
        let threads = if bytes < LEAST_BYTES as u64 { 1 } else { self.threads };
        let offset = self.offset();
        Some(FilePart { file: (file.get)(&self.reader), offset, end: offset.checked_add(bytes)?, threads })
    }

    /// Moves the stream behind the array.
    #[cfg(unix)]
    fn go_behind(&mut self) -> Result<()> {
        self.begin()?;
        self.position = self.header.element_count();
        self.go_on_at(self.offset())?;
        self.end()
    }
}

/// Elements of which the last axis varies fastest, so that the first one does.
fn reversed<T: NpyElement>(items: Vec<T>, plan: &T::Plan, itemsize: usize, shape: &[usize]) -> Result<Vec<T>> {
    match element::bulk::<T>(plan, itemsize) {
        Some((bulk, _)) => bulk.reverse_axes(items, shape),
        None => reverse_axes(items, shape),
    }
}

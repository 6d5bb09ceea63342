//! Transposes while reading: a file in one order into memory in the other.

use super::elements::Elements;
use crate::element;
#[cfg(any(unix, windows))]
use crate::element::Codec;
#[cfg(any(unix, windows))]
use crate::element::Difference;
use crate::element::{NpyElement, PlanOf};
use crate::error::{Error, Result};
use crate::format::inline::Lengths;
#[cfg(any(unix, windows))]
use crate::memory::threads::{FilePart, LEAST_BYTES};
use crate::options::Order;
#[cfg(any(unix, windows))]
use crate::transpose::panels::LEAST_BYTES_OF_PANELS;
use crate::transpose::reverse_axes;

impl Elements<'_> {
    /// Reads all elements of the array in an order.
    ///
    /// See [`Elements`] for an example.
    ///
    /// Large files are transposed while they are in the cache. Others are transposed afterwards, in
    /// a second array.
    pub fn read_vec_in<T: NpyElement>(&mut self, order: Order) -> Result<Vec<T>> {
        let Some(shape) = self.shape_to_reverse(order) else { return self.read_all() };
        let plan = self.state.plan::<T>()?;
        #[cfg(any(unix, windows))]
        if const { T::Codec::BULK.is_some() }
            && let Some((bulk, difference)) = element::bulk::<T>(&plan, self.itemsize())
            && let Some(part) = self.part_for_panels::<T>()
            && let Some(items) = bulk.read_reversed(&shape, difference == Difference::ByteOrder, part)
        {
            return self.go_behind().map(|()| items);
        }
        // On Windows, reading at an offset moves the file.
        #[cfg(windows)]
        self.resume_at(self.state.offset())?;
        let count = self.state.remaining();
        let items = self.read_vec(&plan, count)?;
        reversed(items, &plan, self.itemsize(), &shape)
    }

    /// [`read_vec_in`](Self::read_vec_in), into a slice of exactly as many elements.
    pub fn read_slice_in<T: NpyElement>(&mut self, items: &mut [T], order: Order) -> Result<()> {
        let count = self.state.remaining();
        if items.len() != count {
            return Err(Error::wrong_count(items.len() as u64, count as u64));
        }
        let Some(shape) = self.shape_to_reverse(order) else { return self.read_into(items) };
        let plan = self.state.plan::<T>()?;
        #[cfg(any(unix, windows))]
        if const { T::Codec::BULK.is_some() }
            && let Some((bulk, difference)) = element::bulk::<T>(&plan, self.itemsize())
            && let Some(part) = self.part_for_panels::<T>()
            && bulk.fill_reversed(items, &shape, difference == Difference::ByteOrder, part)
        {
            return self.go_behind();
        }
        // On Windows, reading at an offset moves the file.
        #[cfg(windows)]
        self.resume_at(self.state.offset())?;
        let read = self.read_vec(&plan, count)?;
        let read = reversed(read, &plan, self.itemsize(), &shape)?;
        items.iter_mut().zip(read).for_each(|(item, read)| *item = read);
        Ok(())
    }

    /// The lengths of the axes other than 1, slowest first. `None` if the elements are in that order
    /// already.
    fn shape_to_reverse(&self, order: Order) -> Option<Lengths> {
        if self.state.header.order() == order {
            return None;
        }
        let lengths = self.state.header.shape().iter().copied().filter(|&length| length != 1);
        let shape: Lengths = if self.state.header.order() == Order::Fortran { lengths.rev().collect() } else { lengths.collect() };
        (shape.len() > 1).then_some(shape)
    }

    /// All of the array, if it is in a file and so large that moving elements from the cache is
    /// faster.
    #[cfg(any(unix, windows))]
    fn part_for_panels<T>(&self) -> Option<FilePart<'_>> {
        let bytes = self.state.header.data_bytes();
        if self.state.failed || self.state.position > 0 || bytes < LEAST_BYTES_OF_PANELS as u64 {
            return None;
        }
        let file = self.input.file()?;
        if !self.is_there::<T>(self.state.remaining()) {
            return None;
        }
        let threads = if bytes < LEAST_BYTES as u64 { 1 } else { self.state.threads };
        let offset = self.state.offset();
        Some(FilePart { file, offset, end: offset.checked_add(bytes)?, threads })
    }

    /// Moves the stream past the array.
    #[cfg(any(unix, windows))]
    fn go_behind(&mut self) -> Result<()> {
        let count = self.state.remaining();
        self.state.begin()?;
        let offset = self.state.offset().saturating_add(self.state.header.data_bytes());
        self.resume_at(offset)?;
        self.end(count)
    }
}

/// Reverses the axes of elements whose last axis varies fastest.
fn reversed<T: NpyElement>(items: Vec<T>, plan: &PlanOf<T>, itemsize: usize, shape: &[usize]) -> Result<Vec<T>> {
    match element::bulk::<T>(plan, itemsize) {
        Some((bulk, _)) => bulk.reverse_axes(items, shape),
        None => reverse_axes(items, shape),
    }
}

//! Decodes elements from a cache-sized buffer, also by several threads.

#[cfg(any(unix, windows))]
use crate::element;
#[cfg(any(unix, windows))]
use crate::element::{NpyElement, PlanOf};
use crate::error::Error;
#[cfg(any(unix, windows))]
use crate::error::Result;
use crate::memory::STAGE_BYTES;
#[cfg(any(unix, windows))]
use crate::memory::slots::{Sends, Sent, Slots};
#[cfg(any(unix, windows))]
use crate::memory::threads::{Divide, FilePart, by_threads};

/// The size of the stage for an array of `bytes` bytes. Small arrays have a smaller one, because
/// result and stage together may be more than the allocator keeps, so that each load faults its pages
/// in again.
pub(crate) fn stage_bytes(bytes: usize) -> usize {
    const LEAST: usize = 32 * 1024;
    (bytes / 4).clamp(LEAST, STAGE_BYTES).next_power_of_two()
}

/// The number of elements to read next, from `offset` of the file on. They end
/// where the last one reaches a multiple of the stage's size, so that hardly a page is read twice.
pub(crate) fn elements_per_stage(stage: usize, offset: u64, itemsize: usize) -> usize {
    // Less than the stage.
    let past = usize::try_from(offset % stage as u64).unwrap_or_default();
    (stage - past).div_ceil(itemsize.max(1))
}

/// Makes an error about one read an error about all elements.
#[cold]
pub(crate) fn with_totals(error: Error, offset: u64, expected: u64, done: u64) -> Error {
    match error.missing_bytes().and(error.offset()) {
        Some(end) => Error::truncated("the array", offset, expected, done + end.saturating_sub(offset)),
        None => error,
    }
}

/// The memory that threads decode into. A trait object, so that the code that runs the threads is
/// compiled once.
#[cfg(any(unix, windows))]
pub(crate) trait Decode<'a>: Send {
    /// Splits off the first `count` elements.
    fn divide(self: Box<Self>, count: usize) -> (BoxedDecode<'a>, BoxedDecode<'a>);

    /// Decodes the next `count` elements of `itemsize` bytes. The first has the index `first` in the
    /// array.
    fn decode(&mut self, bytes: &[u8], itemsize: usize, count: usize, first: u64) -> Result<()>;

    /// Keeps the elements, when all were decoded.
    fn keep(self: Box<Self>);
}

#[cfg(any(unix, windows))]
pub(crate) type BoxedDecode<'a> = Box<dyn Decode<'a> + 'a>;

#[cfg(any(unix, windows))]
impl Divide for BoxedDecode<'_> {
    fn divide(self, count: usize) -> (Self, Self) {
        Decode::divide(self, count)
    }
}

/// Decodes `count` elements of `itemsize` > 0 bytes by several threads. `first` is the index of the
/// first.
///
/// Of several errors, it returns the one with the lowest index.
#[cfg(any(unix, windows))]
pub(crate) fn decode_by_threads(
    whole: BoxedDecode<'_>,
    count: usize,
    itemsize: usize,
    first: u64,
    part: FilePart<'_>,
) -> Result<()> {
    let read = |chunk: &mut BoxedDecode<'_>, begin: usize, length: usize, stage: &mut Vec<u8>| {
        let end = begin.saturating_add(length);
        let mut done = begin;
        while done < end {
            let place = (done as u64).saturating_mul(itemsize as u64);
            let step = elements_per_stage(STAGE_BYTES, part.offset.saturating_add(place), itemsize).min(end - done);
            let bytes = part.read(place, step.saturating_mul(itemsize), stage)?;
            chunk.decode(bytes, itemsize, step, first.saturating_add(done as u64))?;
            done += step;
        }
        Ok(())
    };
    by_threads(whole, count, itemsize, part, read)?.into_iter().for_each(Decode::keep);
    Ok(())
}

/// Elements that appear where there were none.
#[cfg(any(unix, windows))]
pub(crate) struct NewElements<'a, T: NpyElement> {
    slots: Sent<Slots<'a, T>>,
    plan: PlanOf<T>,
}

#[cfg(any(unix, windows))]
impl<'a, T: NpyElement> NewElements<'a, T> {
    pub(crate) fn new(sends: Sends<T>, slots: Slots<'a, T>, plan: &PlanOf<T>) -> Self {
        Self { slots: Sent::of_slots(sends, slots), plan: *plan }
    }
}

#[cfg(any(unix, windows))]
impl<'a, T: NpyElement + 'a> Decode<'a> for NewElements<'a, T> {
    fn divide(self: Box<Self>, count: usize) -> (BoxedDecode<'a>, BoxedDecode<'a>) {
        let Self { slots, plan } = *self;
        let (slots, rest) = slots.split(count);
        (Box::new(Self { slots, plan }), Box::new(Self { slots: rest, plan }))
    }

    fn decode(&mut self, bytes: &[u8], itemsize: usize, count: usize, first: u64) -> Result<()> {
        element::decode_slots(&self.plan, itemsize, bytes, count, self.slots.get(), first)
    }

    fn keep(self: Box<Self>) {
        self.slots.keep();
    }
}

/// Elements over which others are decoded.
#[cfg(any(unix, windows))]
pub(crate) struct OldElements<'a, T: NpyElement> {
    rest: Sent<&'a mut [T]>,
    plan: PlanOf<T>,
}

#[cfg(any(unix, windows))]
impl<'a, T: NpyElement> OldElements<'a, T> {
    pub(crate) fn new(sends: Sends<T>, items: &'a mut [T], plan: &PlanOf<T>) -> Self {
        Self { rest: Sent::of_slice(sends, items), plan: *plan }
    }
}

#[cfg(any(unix, windows))]
impl<'a, T: NpyElement + 'a> Decode<'a> for OldElements<'a, T> {
    fn divide(self: Box<Self>, count: usize) -> (BoxedDecode<'a>, BoxedDecode<'a>) {
        let Self { rest, plan } = *self;
        let (items, rest) = rest.split(count);
        (Box::new(Self { rest: items, plan }), Box::new(Self { rest, plan }))
    }

    fn decode(&mut self, bytes: &[u8], itemsize: usize, count: usize, first: u64) -> Result<()> {
        let items = self.rest.take_front(count);
        element::decode_over(&self.plan, itemsize, bytes, items, first)
    }

    fn keep(self: Box<Self>) {}
}

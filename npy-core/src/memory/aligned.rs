//! Memory aligned for huge pages and for copies.

use std::alloc::{Layout, alloc, dealloc};
use std::fmt;
use std::mem::{self, MaybeUninit};
use std::num::NonZero;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

#[cfg(unix)]
use super::threads::FilePart;
use super::{Bulk, Fill, truncated_or_io};
use crate::error::{ErrorKind, Result};
use crate::sys::huge_pages::advise_huge_pages;

/// Where large memory begins: at a huge page, so that none of it lies in small ones.
const HUGE_PAGE: usize = 2 << 20;

/// Where smaller memory begins: at a line of the cache. Whole pages would be taken from the system and given back each time.
const CACHE_LINE: usize = 64;

/// From so many bytes on huge pages are asked for.
const LARGE: usize = 4 << 20;

/// Elements in memory that begins at a multiple of 64 bytes, and from 4 MiB on at one of 2 MiB: what [`load_aligned`] gives.
///
/// It is a slice otherwise. A `Vec` of numbers begins wherever the allocator likes, often 16 bytes behind a line of the cache, and the system copies more
/// slowly to there.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// # npy_core::save(&path, &[1.5_f32, 2.5])?;
/// let samples: npy_core::AlignedBuffer<f32> = npy_core::load_aligned(&path)?;
/// assert_eq!(*samples, [1.5, 2.5]);
/// assert_eq!(samples.as_ptr().addr() % 64, 0);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// [`load_aligned`]: crate::load_aligned
pub struct AlignedBuffer<T> {
    /// The first of `count` elements, all of them initialised.
    begin: NonNull<T>,
    count: usize,
    /// What was allocated; `None` where there are no bytes.
    layout: Option<Layout>,
}

// SAFETY: the buffer owns its elements, as a `Vec` does.
unsafe impl<T: Send> Send for AlignedBuffer<T> {}

// SAFETY: shared, it gives nothing but shared elements, as a `Vec` does.
unsafe impl<T: Sync> Sync for AlignedBuffer<T> {}

impl<T> AlignedBuffer<T> {
    /// Room for `capacity` elements, of which there are none yet.
    fn with_capacity(capacity: usize) -> Result<Self> {
        let bytes = capacity.saturating_mul(size_of::<T>());
        let too_large = || ErrorKind::Allocation { bytes };
        if bytes == 0 {
            let nowhere = NonZero::new(CACHE_LINE.max(align_of::<T>())).unwrap_or(NonZero::<usize>::MIN);
            return Ok(Self { begin: NonNull::without_provenance(nowhere), count: 0, layout: None });
        }
        let align = if bytes < LARGE { CACHE_LINE } else { HUGE_PAGE }.max(align_of::<T>());
        let layout = Layout::from_size_align(bytes, align).map_err(|_| too_large())?;
        // SAFETY: the layout has bytes.
        let begin = NonNull::new(unsafe { alloc(layout) }).ok_or_else(too_large)?;
        let mut buffer = Self { begin: begin.cast(), count: 0, layout: Some(layout) };
        advise_huge_pages(buffer.spare());
        Ok(buffer)
    }

    /// The memory that was allocated. Nothing is stored in it yet.
    fn spare(&mut self) -> &mut [MaybeUninit<u8>] {
        let bytes = self.layout.map_or(0, |layout| layout.size());
        // SAFETY: so much was allocated there, or it is nothing; it is borrowed mutably as the buffer is; `MaybeUninit<u8>` needs no
        // initialisation and no alignment.
        unsafe { std::slice::from_raw_parts_mut(self.begin.as_ptr().cast(), bytes) }
    }

    /// The elements of a vector, moved.
    pub(crate) fn from_vec(mut items: Vec<T>) -> Result<Self> {
        let mut buffer = Self::with_capacity(items.len())?;
        // SAFETY: there is room for as many in other memory, at their alignment.
        unsafe { ptr::copy_nonoverlapping(items.as_ptr(), buffer.begin.as_ptr(), items.len()) };
        buffer.count = items.len();
        // SAFETY: they belong to the buffer now, and the vector forgets them.
        unsafe { items.set_len(0) };
        Ok(buffer)
    }
}

impl<T> Bulk<T> {
    /// Reads `count` elements, which the input is known to hold, to new memory. `offset` is where they begin in the file.
    pub(crate) fn read_aligned(self, count: usize, swap: bool, offset: u64, fill: &mut Fill<'_>) -> Result<AlignedBuffer<T>> {
        let mut buffer = AlignedBuffer::with_capacity(count)?;
        let memory = buffer.spare();
        let expected = memory.len();
        self.fill_memory(memory, swap, false, fill)
            .map_err(|(error, filled)| truncated_or_io(error, offset, expected as u64, filled as u64))?;
        // SAFETY: it succeeded, so that the bytes of `count` elements are initialised, and valid: `self` proves that any pattern is one,
        // but for bools, of which only 0 and 1 were stored.
        buffer.count = count;
        Ok(buffer)
    }

    /// The same, by several threads.
    #[cfg(unix)]
    pub(crate) fn read_aligned_by_threads(self, count: usize, swap: bool, part: FilePart<'_>) -> Result<AlignedBuffer<T>> {
        let mut buffer = AlignedBuffer::with_capacity(count)?;
        self.fill_by_threads(buffer.spare(), swap, false, part)?;
        // All elements are initialised, and valid, as above.
        buffer.count = count;
        Ok(buffer)
    }
}

impl<T> Drop for AlignedBuffer<T> {
    fn drop(&mut self) {
        let items = ptr::slice_from_raw_parts_mut(self.begin.as_ptr(), mem::take(&mut self.count));
        // SAFETY: so many elements are initialised there, and nobody uses them again.
        unsafe { ptr::drop_in_place(items) };
        if let Some(layout) = self.layout {
            // SAFETY: it was allocated with this layout, and is not used again.
            unsafe { dealloc(self.begin.as_ptr().cast(), layout) };
        }
    }
}

impl<T> Deref for AlignedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: so many elements are initialised there, and borrowed as the buffer is. Without bytes, it is an aligned place.
        unsafe { std::slice::from_raw_parts(self.begin.as_ptr(), self.count) }
    }
}

impl<T> DerefMut for AlignedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.begin.as_ptr(), self.count) }
    }
}

impl<T> AsRef<[T]> for AlignedBuffer<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T> AsMut<[T]> for AlignedBuffer<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: fmt::Debug> fmt::Debug for AlignedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: PartialEq> PartialEq for AlignedBuffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for AlignedBuffer<T> {}

impl<'a, T> IntoIterator for &'a AlignedBuffer<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut AlignedBuffer<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn elements_are_moved_and_dropped_once() {
        let counted = Rc::new(());
        let mut buffer = AlignedBuffer::from_vec(vec![Rc::clone(&counted); 1000]).unwrap();
        assert_eq!((buffer.len(), Rc::strong_count(&counted)), (1000, 1001));
        assert_eq!(buffer.as_ptr().addr() % CACHE_LINE, 0);
        buffer[3] = Rc::new(());
        assert_eq!(Rc::strong_count(&counted), 1000);
        drop(buffer);
        assert_eq!(Rc::strong_count(&counted), 1);
    }

    #[test]
    fn there_may_be_no_elements_or_no_bytes_and_not_too_many() {
        let empty = AlignedBuffer::<f64>::from_vec(Vec::new()).unwrap();
        assert!(empty.is_empty() && empty.as_ptr().addr().is_multiple_of(CACHE_LINE));
        assert_eq!(AlignedBuffer::from_vec(vec![(); 7]).unwrap().len(), 7);
        assert!(AlignedBuffer::<f64>::with_capacity(usize::MAX).is_err());
        assert!(AlignedBuffer::<u8>::with_capacity(usize::MAX / 2 + 1).is_err());
    }

    #[test]
    fn large_memory_begins_at_a_huge_page() {
        let buffer = AlignedBuffer::<u64>::with_capacity(LARGE / 8).unwrap();
        assert_eq!(buffer.begin.as_ptr().addr() % HUGE_PAGE, 0);
    }
}

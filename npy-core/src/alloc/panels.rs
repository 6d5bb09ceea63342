//! Files in C order ⇄ Fortran order: the axes are reversed while the elements are on their way from the file.
#![cfg(unix)]

use std::io;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::parallel::run_by;
use super::{Bulk, FilePart, reserve_exact, spare_bytes};

/// Arrays of fewer bytes stay in the cache anyway.
pub(crate) const LEAST_BYTES_OF_PANELS: usize = 1 << 20;

/// Memory of a panel: it stays in the second-level cache between being read and being moved.
const PANEL_BYTES: usize = 1 << 20;

/// What is written together of each line of the result, in bytes: some lines of the cache.
const WRITTEN_BYTES: usize = 512;

/// Parts of lines that are so short are read together with what is between them.
const LEAST_BYTES_OF_READS: usize = 2048;

/// Larger elements fill lines of the cache wherever they are moved to.
const MOST_BYTES_OF_ELEMENT: usize = 4096;

/// A line of the cache.
const CACHE_LINE: usize = 64;

impl<T> Bulk<T> {
    /// Reads an array whose last axis varies fastest, and whose lengths are `shape`, so that the first axis varies fastest. The file is
    /// known to hold it. `None` if anything went wrong: reading it in another way will tell what.
    pub(crate) fn read_reversed(self, shape: &[usize], swap: bool, part: FilePart<'_>) -> Option<Vec<T>> {
        let grid = Grid::new::<T>(shape)?;
        let mut items: Vec<T> = Vec::new();
        reserve_exact(&mut items, grid.count).ok()?;
        // SAFETY: there is capacity for `count` elements, and the vector is not used before `move_panels` has come back.
        let is_done = unsafe { self.move_panels(&grid, items.as_mut_ptr(), swap, part) };
        if !is_done {
            return None;
        }
        // SAFETY: all `count` elements were written: reversing the axes maps the positions one to one.
        unsafe { items.set_len(grid.count) };
        Some(items)
    }

    /// [`read_reversed`](Self::read_reversed) over other elements, of which there must be as many. Tells whether it succeeded; if not,
    /// some are overwritten.
    pub(crate) fn fill_reversed(self, items: &mut [T], shape: &[usize], swap: bool, part: FilePart<'_>) -> bool {
        match Grid::new::<T>(shape) {
            // SAFETY: there are `count` elements, borrowed mutably. They have no destructor that would have to run: they are bytes.
            Some(grid) if grid.count == items.len() => unsafe { self.move_panels(&grid, items.as_mut_ptr(), swap, part) },
            _ => false,
        }
    }

    /// Writes all elements to `target`; tells whether that succeeded.
    ///
    /// # Safety
    ///
    /// At `target` there must be room for as many elements as the grid has, which nothing else reads or writes meanwhile.
    unsafe fn move_panels(self, grid: &Grid<'_>, target: *mut T, swap: bool, part: FilePart<'_>) -> bool {
        let target = Target(target);
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || {
            let mut panel: Vec<T> = Vec::new();
            if panel.try_reserve_exact(grid.lines * grid.stride).is_err() {
                has_failed.store(true, Ordering::Relaxed);
            }
            while !has_failed.load(Ordering::Relaxed)
                && let Some(place) = grid.panel(next.fetch_add(1, Ordering::Relaxed))
            {
                if self.read_panel(&mut panel, grid, &place, swap, part).is_err() {
                    has_failed.store(true, Ordering::Relaxed);
                    return;
                }
                // SAFETY: the panel holds the elements of this place, which no other thread has: each number is given out once. The
                // rest is the caller's promise.
                unsafe { move_panel(panel.as_ptr(), grid, &place, target.begin()) };
            }
        };
        run_by(part.threads.min(grid.panels()), &work);
        !has_failed.into_inner()
    }

    /// Reads the elements of a panel into the memory of a vector, which has room for them.
    fn read_panel(
        self,
        panel: &mut Vec<T>,
        grid: &Grid<'_>,
        place: &Panel,
        swap: bool,
        part: FilePart<'_>,
    ) -> Result<(), (io::Error, usize)> {
        let size = size_of::<T>();
        let memory = spare_bytes(panel, grid.lines * grid.stride);
        // All lines together where nothing lies between them, or one after another.
        if grid.stride == grid.per_first {
            let memory = &mut memory[..place.lines * grid.per_first * size];
            return self.read_at(memory, place.line * grid.per_first * size, swap, part);
        }
        for (line, memory) in (place.line..place.line + place.lines).zip(memory.chunks_mut(grid.stride * size)) {
            let begin = (line * grid.per_first + place.begin) * size;
            self.read_at(&mut memory[..place.length * size], begin, swap, part)?;
        }
        Ok(())
    }

    /// Reads whole elements from a place of the file, counted in bytes from where the array begins.
    fn read_at(
        self,
        memory: &mut [MaybeUninit<u8>],
        begin: usize,
        swap: bool,
        part: FilePart<'_>,
    ) -> Result<(), (io::Error, usize)> {
        let mut place = part.offset.saturating_add(begin as u64);
        self.fill_memory(memory, swap, false, &mut |spare| {
            let before = spare.filled;
            spare.read_from_file_at(part.file, place)?;
            place = place.saturating_add((spare.filled - before) as u64);
            Ok(())
        })
    }
}

/// How an array is divided. A line is what one index of the first axis has; a panel is a part of some neighbouring lines.
struct Grid<'a> {
    /// How many lines there are.
    first: usize,
    middle: &'a [usize],
    last: usize,
    /// Elements of a line.
    per_first: usize,
    /// Elements of the result that one index of the last axis has.
    per_last: usize,
    count: usize,
    /// How many lines a panel has, but perhaps the last ones.
    lines: usize,
    /// How many elements of each line it has.
    length: usize,
    /// How far apart its lines lie in memory: not at the same place of different pages, so that they do not displace each other in the
    /// cache.
    stride: usize,
}

/// A panel's lines, and its elements of each line.
struct Panel {
    line: usize,
    lines: usize,
    begin: usize,
    length: usize,
}

impl<'a> Grid<'a> {
    /// `None` where there is nothing to reverse. The shape has no axes of length 1.
    fn new<T>(shape: &'a [usize]) -> Option<Self> {
        let size = size_of::<T>();
        if size > MOST_BYTES_OF_ELEMENT {
            return None;
        }
        let [first, middle @ .., last] = shape else { return None };
        let (first, last) = (*first, *last);
        // Checked, because the positions below are right only if it is the product.
        let count = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length))?;
        count.checked_mul(size).filter(|bytes| *bytes > 0)?;
        let (per_first, per_last) = (count / first, count / last);
        let lines = (WRITTEN_BYTES / size).clamp(16, 256).min(first);
        let length = (PANEL_BYTES / size / lines).clamp(1, per_first);
        let is_whole = length == per_first && length * size < LEAST_BYTES_OF_READS;
        let stride = if is_whole { length } else { length.checked_add(CACHE_LINE.div_ceil(size))? };
        Some(Self { first, middle, last, per_first, per_last, count, lines, length, stride })
    }

    fn panels(&self) -> usize {
        self.first.div_ceil(self.lines).saturating_mul(self.per_first.div_ceil(self.length))
    }

    /// The panel of that number: those beside each other in the result follow one another.
    fn panel(&self, number: usize) -> Option<Panel> {
        let blocks = self.first.div_ceil(self.lines);
        let (line, begin) = ((number % blocks) * self.lines, (number / blocks).checked_mul(self.length)?);
        let length = self.per_first.checked_sub(begin).filter(|left| *left > 0)?.min(self.length);
        Some(Panel { line, lines: self.lines.min(self.first - line), begin, length })
    }

    /// Where the elements of an index of the middle axes begin in what one index of the last axis has.
    fn place_of_middle(&self, mut index: usize) -> usize {
        let mut place = 0;
        for &length in self.middle.iter().rev() {
            place = place * length + index % length;
            index /= length;
        }
        place * self.first
    }
}

/// Where the elements are written.
struct Target<T>(*mut T);

// SAFETY: what threads write there are bytes that make values whoever makes them, as `Bulk` proves; none reads any; and each writes to
// places of its own.
unsafe impl<T> Sync for Target<T> {}

impl<T> Target<T> {
    fn begin(&self) -> *mut T {
        self.0
    }
}

/// Moves the elements of a panel to their places.
///
/// # Safety
///
/// At `panel` there must be the panel's lines, so far apart as the grid says. At `target` there must be room for as many elements as the
/// grid has. Nothing else may read or write the places of this panel's elements.
unsafe fn move_panel<T>(panel: *const T, grid: &Grid<'_>, place: &Panel, target: *mut T) {
    let mut done = 0;
    while done < place.length {
        let (middle, begin) = ((place.begin + done) / grid.last, (place.begin + done) % grid.last);
        let step = (grid.last - begin).min(place.length - done);
        let to = grid.place_of_middle(middle) + place.line;
        for i in 0..step {
            let to = (begin + i) * grid.per_last + to;
            for line in 0..place.lines {
                let from = line * grid.stride + done + i;
                // SAFETY: `line` and `done + i` are less than the panel's lines and its length, so that the element is in it.
                let old_place = unsafe { panel.add(from) };
                // SAFETY: this is the position of that element with all axes reversed, less than `count`.
                let new_place = unsafe { target.add(to + line) };
                // SAFETY: each element of the panel is moved once, to a place of its own in other memory, as bytes that may be copied.
                unsafe { std::ptr::copy_nonoverlapping(old_place, new_place, 1) };
            }
        }
        done += step;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::alloc::reverse_axes;

    #[test]
    fn panels_reverse_the_axes_of_arrays_of_any_shape() {
        let long = 70_000;
        let shapes: [&[usize]; 12] = [
            &[2, 3],
            &[3, long],
            &[long, 3],
            &[301, 307],
            &[64, 4096],
            &[2, 3, 5],
            &[5, 7, 1000],
            &[1000, 7, 5],
            &[3, 2000, 3],
            &[3, 5, 7, 11],
            &[2, 2, 2, 2, 2],
            &[257, 2, 129],
        ];
        for shape in shapes {
            let count = shape.iter().product();
            let items: Vec<u32> = (0..count).map(|i: usize| u32::try_from(i).unwrap()).collect();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(b"before").unwrap();
            let bytes: Vec<u8> = items.iter().flat_map(|item| item.to_ne_bytes()).collect();
            file.write_all(&bytes).unwrap();
            let expected = reverse_axes(items.clone(), shape).unwrap();
            for threads in [1, 2, 5] {
                let part = FilePart { file: &file, offset: 6, end: 6 + count as u64 * 4, threads };
                assert!(Bulk::<u32>::new().read_reversed(shape, false, part).unwrap() == expected, "{shape:?}");
                let mut items = items.clone();
                assert!(Bulk::<u32>::new().fill_reversed(&mut items, shape, false, part));
                assert!(items == expected, "{shape:?}");
                let swapped: Vec<u32> = expected.iter().map(|item| item.swap_bytes()).collect();
                assert!(Bulk::<u32>::new().read_reversed(shape, true, part).unwrap() == swapped, "{shape:?}");
                let cut = FilePart { offset: 7, ..part };
                assert!(Bulk::<u32>::new().read_reversed(shape, false, cut).is_none());
                assert!(!Bulk::<u32>::new().fill_reversed(&mut items[1..], shape, false, part));
            }
        }
    }
}

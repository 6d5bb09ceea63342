//! Transposition between a file in one order and memory in the other, panel by panel.
#![cfg(any(unix, windows))]

use std::io;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::grid::{Grid, Panel};
use super::tile::CACHE_LINE;
use crate::memory::threads::{FilePart, run_by};
use crate::memory::{Bulk, BulkLayout, reserve_exact, spare_bytes};

/// Arrays of fewer bytes stay in the cache anyway.
pub(crate) const LEAST_BYTES_OF_PANELS: usize = 1 << 20;

/// Whole lines shorter than this lie in memory as in the file.
const LEAST_BYTES_OF_READS: usize = 2048;

/// Larger elements fill cache lines in any order.
const MOST_BYTES_OF_ELEMENT: usize = 4096;

impl<T> Bulk<T> {
    /// Reads an array of this shape, whose last axis varies fastest, and reverses its axes. The file is
    /// known to hold it. Returns `None` on an error: reading in file order reports it.
    pub(crate) fn read_reversed(self, shape: &[usize], swap: bool, part: FilePart<'_>) -> Option<Vec<T>> {
        let mut grid = grid_of(size_of::<T>(), shape)?;
        let mut items: Vec<T> = Vec::new();
        reserve_exact(&mut items, grid.count).ok()?;
        let source = Source { layout: self.layout(), swap, part };
        // SAFETY: there is capacity for `count` elements, and the vector is not used before
        // `move_panels` has come back. By `self` what is read makes valid `T`s.
        let is_done = unsafe { source.move_panels(&mut grid, items.as_mut_ptr().cast()) };
        if !is_done {
            return None;
        }
        // SAFETY: all `count` elements were written: reversing the axes maps the positions one to
        // one.
        unsafe { items.set_len(grid.count) };
        Some(items)
    }

    /// [`read_reversed`](Self::read_reversed) into as many existing elements. Returns whether it succeeded;
    /// otherwise some are overwritten.
    pub(crate) fn fill_reversed(self, items: &mut [T], shape: &[usize], swap: bool, part: FilePart<'_>) -> bool {
        let Some(mut grid) = grid_of(size_of::<T>(), shape).filter(|grid| grid.count == items.len()) else { return false };
        let source = Source { layout: self.layout(), swap, part };
        // SAFETY: there are `count` elements, borrowed mutably. They have no destructor that would
        // have to run: they are bytes, and by `self` what is read makes valid `T`s.
        unsafe { source.move_panels(&mut grid, items.as_mut_ptr().cast()) }
    }
}

/// Elements in a file.
#[derive(Clone, Copy)]
struct Source<'a> {
    layout: BulkLayout,
    /// Whether the file has the other byte order.
    swap: bool,
    part: FilePart<'a>,
}

impl Source<'_> {
    /// Reads all elements to `target`, panel by panel. Returns whether it succeeded.
    ///
    /// # Safety
    ///
    /// At `target` there must be space for as many elements as the grid has, which nothing else reads
    /// or writes meanwhile. `layout` must be that of their type, with the grid's `size`, and what it
    /// stores from any bytes of the file must be valid elements.
    unsafe fn move_panels(self, grid: &mut Grid<'_>, target: *mut u8) -> bool {
        grid.align_to(target);
        let (grid, size) = (&*grid, grid.size);
        let target = Target(target);
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || {
            let mut panel: Vec<u8> = Vec::new();
            // More than a cache holds of lines at the same place of different pages, which displace
            // each other: they are put further apart.
            let is_dense = grid.length == grid.per_first && grid.length * size < LEAST_BYTES_OF_READS;
            let stride = if is_dense { grid.length } else { grid.length + CACHE_LINE.div_ceil(size) };
            let bytes = grid.lines.checked_mul(stride).and_then(|count| count.checked_mul(size));
            let Some(bytes) = bytes.filter(|bytes| reserve_exact(&mut panel, *bytes).is_ok()) else {
                has_failed.store(true, Ordering::Relaxed);
                return;
            };
            while !has_failed.load(Ordering::Relaxed)
                && let Some(place) = grid.panel(next.fetch_add(1, Ordering::Relaxed))
            {
                let memory = spare_bytes(&mut panel, bytes);
                if self.read_panel(memory, stride, grid, &place).is_err() {
                    has_failed.store(true, Ordering::Relaxed);
                    return;
                }
                // SAFETY: the panel has memory for `lines` lines, `stride` elements apart, and holds the
                // elements of this place, read from the file byte by byte. No other thread has it: each
                // number is given out once. The rest is the caller's promise.
                unsafe { grid.move_panel(panel.as_ptr(), stride, &place, target.begin()) };
            }
        };
        run_by(self.part.threads.min(grid.panels()), &work);
        !has_failed.into_inner()
    }

    /// Reads the elements of a panel into memory, its lines `stride` elements apart.
    fn read_panel(
        self,
        memory: &mut [MaybeUninit<u8>],
        stride: usize,
        grid: &Grid<'_>,
        place: &Panel,
    ) -> Result<(), (io::Error, usize)> {
        let size = grid.size;
        let begin = (place.line * grid.per_first + place.begin) * size;
        // All lines together where nothing lies between them, or one after another.
        if stride == grid.per_first && place.length == grid.per_first {
            return self.read_at(&mut memory[..place.lines * stride * size], begin);
        }
        // Miri lacks `preadv`.
        #[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
        if place.length == grid.per_first && !self.layout.is_touched(self.swap) {
            let lines: Vec<_> =
                memory.chunks_mut(stride * size).take(place.lines).map(|line| &mut line[..place.length * size]).collect();
            return read_lines_at(lines, self.part, begin).map_err(|error| (error, 0));
        }
        for (line, memory) in memory.chunks_mut(stride * size).take(place.lines).enumerate() {
            self.read_at(&mut memory[..place.length * size], begin + line * grid.per_first * size)?;
        }
        Ok(())
    }

    /// Reads whole elements at a byte offset of the array.
    fn read_at(self, memory: &mut [MaybeUninit<u8>], begin: usize) -> Result<(), (io::Error, usize)> {
        self.layout.fill_memory(memory, self.swap, false, &mut self.part.reader_at(begin as u64))
    }
}

/// Creates the grid for elements of a file, whose bytes are all initialised.
fn grid_of(size: usize, shape: &[usize]) -> Option<Grid<'_>> {
    if size > MOST_BYTES_OF_ELEMENT { None } else { Grid::new(size, shape, true) }
}

/// Reads adjacent bytes of a file into separate lines, with as few calls as possible.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
fn read_lines_at(lines: Vec<&mut [MaybeUninit<u8>]>, part: FilePart<'_>, begin: usize) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    /// Linux takes as many.
    const MOST: usize = 1024;
    let mut vectors: Vec<_> =
        lines.into_iter().map(|line| libc::iovec { iov_base: line.as_mut_ptr().cast(), iov_len: line.len() }).collect();
    let mut rest = vectors.as_mut_slice();
    let mut place = part.offset.saturating_add(begin as u64);
    while !rest.is_empty() {
        let offset = libc::off64_t::try_from(place).map_err(io::Error::other)?;
        let count = libc::c_int::try_from(rest.len().min(MOST)).map_err(io::Error::other)?;
        // SAFETY: the descriptor is open as long as the file lives. There are `count` vectors, each
        // with memory that was borrowed mutably for as long as this function runs, and at most as
        // many bytes as they say are stored there.
        let read = unsafe { libc::preadv64(part.file.as_raw_fd(), rest.as_ptr(), count, offset) };
        // -1, the only negative result, means that the cause is in `errno`.
        let Ok(mut read) = usize::try_from(read) else {
            let error = io::Error::last_os_error();
            if error.kind() == io::ErrorKind::Interrupted {
                continue;
            }
            return Err(error);
        };
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        place = place.saturating_add(read as u64);
        while let Some(vector) = rest.first_mut() {
            if read < vector.iov_len {
                vector.iov_base = vector.iov_base.wrapping_byte_add(read);
                vector.iov_len -= read;
                break;
            }
            read -= vector.iov_len;
            rest = &mut rest[1..];
        }
    }
    Ok(())
}

/// Where the elements are written.
struct Target(*mut u8);

// SAFETY: threads store only bytes that make valid values, as `move_panels` demands; none reads any;
// and each writes to separate places.
unsafe impl Sync for Target {}

impl Target {
    fn begin(&self) -> *mut u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::super::reverse_axes;
    use super::*;
    use crate::some::some;

    #[test]
    fn panels_reverse_the_axes_of_arrays_of_any_shape() {
        let long = 70_000;
        let shapes: [&[usize]; 17] = [
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
            &[1023, 1025],
            &[3, 301, 307],
            &[2, 5, 70_001],
            &[4, 200_000],
            // The distance between lines in memory is the length of one in the file.
            &[200, 8208],
        ];
        for shape in shapes {
            let count = shape.iter().product();
            // Miri takes minutes for each of the others.
            if cfg!(miri) && count > 2000 {
                continue;
            }
            let items: Vec<u32> = (0..count).map(|i: usize| u32::try_from(i).unwrap()).collect();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(b"before").unwrap();
            let bytes: Vec<u8> = items.iter().flat_map(|item| item.to_ne_bytes()).collect();
            file.write_all(&bytes).unwrap();
            let expected = reverse_axes(items.clone(), shape).unwrap();
            for threads in some([2, 5, 1], 3) {
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

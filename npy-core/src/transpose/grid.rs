//! The division of a transposition into panels: their elements and destinations.

use std::mem::MaybeUninit;
use std::ptr;

use super::tile;
use super::tile::{CACHE_LINE, TILE_BYTES, TileMemory, store, transpose};

/// The largest panel, except for elements so large that a few take more. Miri gets small arrays, and has
/// to see several panels too.
const PANEL_BYTES: usize = if cfg!(miri) { 2048 } else { 4 << 20 };

/// The approximate size of a panel of short lines.
const LEAST_BYTES_OF_PANEL: usize = if cfg!(miri) { 512 } else { 512 << 10 };

/// The bytes of each row of the result that are written together: some cache lines.
const WRITTEN_BYTES: usize = 512;

/// Results from this size on do not stay in the cache, and are written by non-temporal stores.
const LEAST_BYTES_OF_STREAMS: usize = 8 << 20;

/// The division of an array. A line has the elements of one index of the first axis. A panel is a part
/// of some neighbouring lines.
pub(super) struct Grid<'a> {
    /// Bytes of an element, more than 0.
    pub(super) size: usize,
    /// The number of lines.
    first: usize,
    middle: &'a [usize],
    last: usize,
    /// Elements of a line.
    pub(super) per_first: usize,
    /// Elements of the result for one index of the last axis.
    per_last: usize,
    pub(super) count: usize,
    /// Lines of a panel, other than the first and the last panel.
    pub(super) lines: usize,
    /// Lines that are moved together.
    tile_lines: usize,
    /// Lines before the first whole panel, by which panels are aligned to cache lines of the result.
    skew: usize,
    /// Elements of each line in a panel.
    pub(super) length: usize,
    are_bytes: bool,
    is_streamed: bool,
}

/// A panel's lines, and its elements of each line.
pub(super) struct Panel {
    pub(super) line: usize,
    pub(super) lines: usize,
    pub(super) begin: usize,
    pub(super) length: usize,
}

impl<'a> Grid<'a> {
    /// Creates the grid; `None` if there is nothing to reverse. The shape has no axes of length 1. If
    /// `are_bytes`, all bytes of an element are initialised when it is moved, and none belong to pointers.
    pub(super) fn new(size: usize, shape: &'a [usize], are_bytes: bool) -> Option<Self> {
        let [first, middle @ .., last] = shape else { return None };
        let (first, last) = (*first, *last);
        // Checked, because the positions below are right only if it is the product.
        let count = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length))?;
        let bytes = count.checked_mul(size).filter(|bytes| *bytes > 0)?;
        let (per_first, per_last) = (count / first, count / last);
        // As many short lines as fit into a tile.
        let tile_lines = (WRITTEN_BYTES / size).max(16).max(TILE_BYTES / size / per_first).min(first);
        let mut length = (PANEL_BYTES / size / tile_lines).clamp(1, per_first);
        let tiles = (LEAST_BYTES_OF_PANEL / size / tile_lines / length).max(1);
        let lines = tile_lines.saturating_mul(tiles).min(first);
        if lines == first && length > last {
            // Few lines, whose parts are joined: see `move_groups`.
            length -= length % last;
        }
        let is_streamed = are_bytes && tile::CAN_STREAM && bytes >= LEAST_BYTES_OF_STREAMS;
        Some(Self {
            size,
            first,
            middle,
            last,
            per_first,
            per_last,
            count,
            lines,
            tile_lines,
            skew: 0,
            length,
            are_bytes,
            is_streamed,
        })
    }

    /// Aligns panels to the cache lines of a result at this address, if that is the same line in all of
    /// its parts. Without it, loading a square array takes 1.2 times as long.
    pub(super) fn align_to(&mut self, target: *const u8) {
        let size = self.size;
        let past = target.addr() % CACHE_LINE;
        let left = (CACHE_LINE - past) % CACHE_LINE;
        let parts = if self.middle.is_empty() { self.per_last } else { self.first };
        if CACHE_LINE.is_multiple_of(size) && left.is_multiple_of(size) && (parts * size).is_multiple_of(CACHE_LINE) {
            let skew = left / size;
            self.skew = if skew < self.first { skew } else { 0 };
        }
    }

    /// Returns the number of panels that lie side by side in the result.
    fn blocks(&self) -> usize {
        usize::from(self.skew > 0) + (self.first - self.skew).div_ceil(self.lines)
    }

    #[cfg(any(unix, windows))]
    pub(super) fn panels(&self) -> usize {
        self.blocks().saturating_mul(self.per_first.div_ceil(self.length))
    }

    /// Returns a panel by its number. Panels that lie side by side in the result have successive numbers.
    pub(super) fn panel(&self, number: usize) -> Option<Panel> {
        let (block, begin) = (number % self.blocks(), (number / self.blocks()).checked_mul(self.length)?);
        let length = self.per_first.checked_sub(begin).filter(|left| *left > 0)?.min(self.length);
        let (line, lines) = match (self.skew, block) {
            (0, block) => (block * self.lines, self.lines),
            (skew, 0) => (0, skew),
            (skew, block) => (skew + (block - 1) * self.lines, self.lines),
        };
        Some(Panel { line, lines: lines.min(self.first - line), begin, length })
    }

    /// Returns the position of the first element of an index of the middle axes among the elements of one
    /// index of the last axis.
    fn place_of_middle(&self, mut index: usize) -> usize {
        let mut place = 0;
        for &length in self.middle.iter().rev() {
            place = place * length + index % length;
            index /= length;
        }
        place * self.first
    }

    /// Moves all elements from one array to another.
    ///
    /// # Safety
    ///
    /// At `source` there must be as many elements as the grid has, and at `target` space for as many,
    /// in other memory that nothing else uses. What `are_bytes` says must be true.
    pub(super) unsafe fn move_all(&mut self, source: *const u8, target: *mut u8) {
        self.align_to(target);
        for place in (0..).map_while(|number| self.panel(number)) {
            // SAFETY: this is the position of the first element of the panel's first line, less
            // than `count`.
            let panel = unsafe { source.add((place.line * self.per_first + place.begin) * self.size) };
            // SAFETY: the lines lie `per_first` elements apart. The rest is the caller's promise.
            unsafe { self.move_panel(panel, self.per_first, &place, target) };
        }
    }

    /// Moves the elements of a panel to their places in the result.
    ///
    /// # Safety
    ///
    /// At `panel` there must be the panel's elements of its first line, `size` bytes each, and
    /// those of the next ones each `stride` elements further. At `target` there must be space for as
    /// many elements as the grid has, in other memory. Nothing else may read or write the places of
    /// this panel's elements. What `are_bytes` says must be true.
    pub(super) unsafe fn move_panel(&self, panel: *const u8, stride: usize, place: &Panel, target: *mut u8) {
        if self.size > CACHE_LINE {
            // SAFETY: the caller's promise, and so are the next.
            unsafe { self.move_each(panel, stride, place, target) };
        } else if let ([_], true) = (self.middle, place.lines == self.first && self.first * self.size < CACHE_LINE) {
            // SAFETY: as above.
            unsafe { self.move_groups(panel, stride, place, target) };
        } else {
            for begin in (0..place.lines).step_by(self.tile_lines) {
                let lines = self.tile_lines.min(place.lines - begin);
                let part = Panel { line: place.line + begin, lines, ..*place };
                // SAFETY: this is where one of the panel's lines begins.
                let panel = unsafe { panel.add(begin * stride * self.size) };
                // SAFETY: a part of the panel. The rest is as above.
                unsafe { self.move_rows(panel, stride, &part, target) };
            }
        }
        if self.is_streamed {
            tile::end_of_streams();
        }
    }

    /// [`move_panel`](Self::move_panel) through tiles. A row has the elements of all lines at one position,
    /// which lie side by side in the result.
    ///
    /// # Safety
    ///
    /// That of [`move_panel`](Self::move_panel); elements have at most 64 bytes, and there are at
    /// most `tile_lines` lines.
    unsafe fn move_rows(&self, panel: *const u8, stride: usize, place: &Panel, target: *mut u8) {
        let mut memory = TileMemory::new();
        let tile = memory.begin();
        // At least one, because that many lines fit into the tile.
        let most = TILE_BYTES / self.size / place.lines;
        let (mut middle, mut last) = (place.begin / self.last, place.begin % self.last);
        let mut to = self.place_of_middle(middle) + place.line;
        for begin in (0..place.length).step_by(most) {
            let rows = most.min(place.length - begin);
            // SAFETY: each line of the panel has more elements than this place.
            let line = |line: usize| unsafe { panel.add((line * stride + begin) * self.size) };
            // SAFETY: the lines have `rows` elements from there on, and the tile has space for as
            // many of each. The rest is the caller's promise.
            unsafe { transpose(self.size, &line, (place.lines, rows), tile, place.lines, self.are_bytes) };
            if place.lines == self.per_last {
                // SAFETY: the position of the first element with all axes reversed. There are no
                // middle axes, and those of the next rows follow it, all less than `count`.
                let to = unsafe { target.add(last * self.per_last * self.size) };
                // SAFETY: both places have that many bytes, and nothing else uses those of the
                // target.
                unsafe { store(tile, to, rows * place.lines * self.size, self.is_streamed) };
                last += rows;
                continue;
            }
            for row in 0..rows {
                // SAFETY: `row` is one of the tile's.
                let from = unsafe { tile.add(row * place.lines * self.size) };
                // SAFETY: this is the position of its first element with all axes reversed; those
                // of the others follow it. All are less than `count`.
                let to_row = unsafe { target.add((last * self.per_last + to) * self.size) };
                // SAFETY: both places have that many bytes, and nothing else uses those of the
                // target.
                unsafe { store(from, to_row, place.lines * self.size, self.is_streamed) };
                last += 1;
                if last == self.last {
                    (middle, last) = (middle + 1, 0);
                    to = self.place_of_middle(middle) + place.line;
                }
            }
        }
    }

    /// [`move_panel`](Self::move_panel) for three axes and rows shorter than a cache line. Joins
    /// rows of neighbouring places of the middle axis, which are adjacent in the result. Without it,
    /// loading a picture of three channels takes 4.8 times as long.
    ///
    /// # Safety
    ///
    /// That of [`move_panel`](Self::move_panel); elements have at most 64 bytes, there is one
    /// middle axis, and the panel has all lines.
    unsafe fn move_groups(&self, panel: *const u8, stride: usize, place: &Panel, target: *mut u8) {
        let mut memory = TileMemory::new();
        let tile = memory.begin();
        let most_in_group = (WRITTEN_BYTES / self.size / self.first).max(1);
        let end = place.begin + place.length;
        let mut begin = place.begin;
        while begin < end {
            // Whole indices of the middle axis, or the panel's part of one.
            let (middle, last_begin) = (begin / self.last, begin % self.last);
            let whole = if last_begin == 0 { (end - begin) / self.last } else { 0 };
            let group = whole.clamp(1, most_in_group);
            let last_end = if whole > 0 { self.last } else { self.last.min(last_begin + end - begin) };
            let width = group * self.first;
            // At least one: the first of these is no more than a line of the cache, or else all are
            // 512 bytes.
            let most = TILE_BYTES / self.size / width;
            for last in (last_begin..last_end).step_by(most) {
                let rows = most.min(last_end - last);
                let line = |index: usize| {
                    let (line, middle) = (index % self.first, middle + index / self.first);
                    // SAFETY: each line of the panel has these indices of the middle axis, from
                    // this place on.
                    unsafe { panel.add((line * stride + middle * self.last + last - place.begin) * self.size) }
                };
                // SAFETY: there are `rows` elements from there on, and the tile has space for as
                // many of each. The rest is the caller's promise.
                unsafe { transpose(self.size, &line, (width, rows), tile, width, self.are_bytes) };
                for row in 0..rows {
                    // SAFETY: `row` is one of the tile's.
                    let from = unsafe { tile.add(row * width * self.size) };
                    // SAFETY: the position of its first element with all axes reversed; those of
                    // the others follow it, because the middle axis is the second one of the
                    // result. All are less than `count`.
                    let to = unsafe { target.add(((last + row) * self.per_last + middle * self.first) * self.size) };
                    // SAFETY: both places have that many bytes, and nothing else uses those of the
                    // target.
                    unsafe { store(from, to, width * self.size, self.is_streamed) };
                }
            }
            begin += if whole > 0 { group * self.last } else { last_end - last_begin };
        }
    }

    /// [`move_panel`](Self::move_panel) for elements larger than a cache line.
    ///
    /// # Safety
    ///
    /// That of [`move_panel`](Self::move_panel).
    unsafe fn move_each(&self, panel: *const u8, stride: usize, place: &Panel, target: *mut u8) {
        for row in 0..place.length {
            let (middle, last) = ((place.begin + row) / self.last, (place.begin + row) % self.last);
            let to = last * self.per_last + self.place_of_middle(middle) + place.line;
            for line in 0..place.lines {
                // SAFETY: `line` and `row` are less than the panel's lines and its length, so that
                // the element is in it.
                let from = unsafe { panel.add((line * stride + row) * self.size) };
                // SAFETY: this is the position of that element with all axes reversed, less than
                // `count`.
                let to = unsafe { target.add((to + line) * self.size) };
                // SAFETY: each element of the panel is moved once, to a place of its own in other
                // memory, and its bytes stay what they are.
                unsafe { ptr::copy_nonoverlapping(from.cast::<MaybeUninit<u8>>(), to.cast(), self.size) };
            }
        }
    }
}

//! Transposition of one tile in the first-level cache.

use std::mem::MaybeUninit;
use std::ptr;

/// The size of a cache line.
pub(super) const CACHE_LINE: usize = 64;

/// The size of a tile, which stays in the first-level cache together with its source.
pub(super) const TILE_BYTES: usize = 16 << 10;

/// The buffer in which a tile is assembled.
#[repr(C, align(64))]
pub(super) struct TileMemory([MaybeUninit<u8>; TILE_BYTES]);

impl TileMemory {
    pub(super) const fn new() -> Self {
        Self([MaybeUninit::uninit(); TILE_BYTES])
    }

    pub(super) const fn begin(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// Copies elements of `size` bytes so that those of the same index lie beside each other: element
/// `row` of line `line` comes to `row * distance + line` of the target. `line` returns where the
/// elements of a line begin.
///
/// The size is a number, not a type: the code is compiled once, and the kernels of common sizes are
/// chosen for each tile.
///
/// # Safety
///
/// `size` must not be 0. Each of the first `lines` lines must have `rows` elements. At `target`
/// there must be space, other memory than that of the lines, for all places, and `distance` must not
/// be less than `lines`. If `are_bytes`, all bytes of the elements must be initialised, and none
/// belong to pointers.
pub(super) unsafe fn transpose(
    size: usize,
    line: &dyn Fn(usize) -> *const u8,
    (lines, rows): (usize, usize),
    target: *mut u8,
    distance: usize,
    are_bytes: bool,
) {
    // The lines and rows that blocks cover.
    let (mut block_lines, mut block_rows) = (0, 0);
    if are_bytes {
        // SAFETY: the caller's promise.
        (block_lines, block_rows) = unsafe { blocks::transpose_blocks(size, line, (lines, rows), target, distance) };
    }
    let parts = [((block_lines, lines), (0, block_rows)), ((0, lines), (block_rows, rows))];
    for (lines, rows) in parts {
        match size {
            // SAFETY: the caller's promise; these are parts of it, and so are the next.
            1 => unsafe { transpose_each(1, line, lines, rows, target, distance) },
            // SAFETY: as above.
            2 => unsafe { transpose_each(2, line, lines, rows, target, distance) },
            // SAFETY: as above.
            4 => unsafe { transpose_each(4, line, lines, rows, target, distance) },
            // SAFETY: as above.
            8 => unsafe { transpose_each(8, line, lines, rows, target, distance) },
            // SAFETY: as above.
            16 => unsafe { transpose_each(16, line, lines, rows, target, distance) },
            // SAFETY: as above.
            size => unsafe { transpose_each(size, line, lines, rows, target, distance) },
        }
    }
}

/// [`transpose`] one element after another, for lines and rows from some index to before another
/// one. Inlined, so that a constant size makes each copy one of registers.
///
/// # Safety
///
/// That of [`transpose`], where the lines and rows are those before the ends here.
#[inline(always)]
unsafe fn transpose_each(
    size: usize,
    line: &dyn Fn(usize) -> *const u8,
    (line_begin, line_end): (usize, usize),
    (row_begin, row_end): (usize, usize),
    target: *mut u8,
    distance: usize,
) {
    // Each line of the cache is read once, because those of neighbouring lines may displace each
    // other.
    let step = (CACHE_LINE / size.max(1)).max(1);
    for begin in (row_begin..row_end).step_by(step) {
        let end = (begin + step).min(row_end);
        for index in line_begin..line_end {
            let source = line(index);
            for row in begin..end {
                // SAFETY: this line has more than `row` elements.
                let from = unsafe { source.add(row * size) };
                // SAFETY: the target includes this place.
                let to = unsafe { target.add((row * distance + index) * size) };
                // SAFETY: one element from and to other memory. Bytes that are not initialised
                // stay so, and those of pointers stay pointers.
                unsafe { ptr::copy_nonoverlapping(from.cast::<MaybeUninit<u8>>(), to.cast(), size) };
            }
        }
    }
}

/// Whether [`store`] has non-temporal stores.
pub(super) const CAN_STREAM: bool = cfg!(all(target_arch = "x86_64", target_feature = "sse2"));

/// Copies bytes that are not needed soon. If `streamed`, whole cache lines are written by non-temporal
/// stores, which take half of the time for arrays larger than the cache. Call [`end_of_streams`] after all
/// of them.
///
/// # Safety
///
/// Both places must have `bytes` bytes and must not overlap. If they are `streamed`, they must be
/// initialised, and not belong to pointers.
pub(super) unsafe fn store(from: *const u8, to: *mut u8, bytes: usize, streamed: bool) {
    let mut done = 0;
    if streamed && CAN_STREAM {
        let head = to.align_offset(CACHE_LINE).min(bytes);
        // SAFETY: `head` is at most `bytes`.
        unsafe { copy_few(from, to, head) };
        let lines = (bytes - head) / CACHE_LINE;
        // SAFETY: `head` bytes and these lines are at most `bytes`, and `head` leads to where a
        // line of the cache begins.
        unsafe { blocks::stream_lines(from.wrapping_add(head), to.wrapping_add(head), lines) };
        done = head + lines * CACHE_LINE;
    }
    // SAFETY: `done` is at most `bytes`.
    unsafe { copy_few(from.wrapping_add(done), to.wrapping_add(done), bytes - done) };
}

/// Copies bytes, often none.
///
/// # Safety
///
/// Both places must have `bytes` bytes and must not overlap.
unsafe fn copy_few(from: *const u8, to: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the caller's promise. Bytes that are not initialised stay so.
        unsafe { ptr::copy_nonoverlapping(from.cast::<MaybeUninit<u8>>(), to.cast(), bytes) };
    }
}

/// Prefetches elements into the cache.
pub(super) fn prefetch(items: &[u8]) {
    let begin = items.as_ptr();
    // From the beginning of the first cache line, so that the last one is among them.
    let past = begin.addr() % CACHE_LINE;
    for offset in (0..items.len() + past).step_by(CACHE_LINE) {
        blocks::prefetch(begin.wrapping_sub(past).wrapping_add(offset));
    }
}

/// Orders this thread's non-temporal stores before its next operations.
pub(super) fn end_of_streams() {
    blocks::end_of_streams();
}

/// Blocks in registers of 16 bytes, which every x86-64 processor has.
///
/// Without these blocks, loading an array transposed takes 1.1 to 1.8 times as long, 1.8 for bytes.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod blocks {
    use std::arch::x86_64::{
        __m128i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm_sfence, _mm_storeu_si128, _mm_stream_si128, _mm_unpackhi_epi8,
        _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32,
        _mm_unpacklo_epi64,
    };

    use crate::transpose::tile::CACHE_LINE;

    const REGISTER: usize = 16;

    /// Moves whole blocks. Returns the number of lines and of rows that they cover.
    ///
    /// # Safety
    ///
    /// That of [`transpose`](super::transpose) with `are_bytes`.
    pub(super) unsafe fn transpose_blocks(
        size: usize,
        line: &dyn Fn(usize) -> *const u8,
        count: (usize, usize),
        target: *mut u8,
        distance: usize,
    ) -> (usize, usize) {
        match size {
            // SAFETY: the caller's promise. Elements have this size, and every processor for which
            // this is compiled has SSE2; so it is for the others.
            1 => unsafe { of_width::<1, 16>(line, count, target, distance) },
            // SAFETY: as above.
            2 => unsafe { of_width::<2, 8>(line, count, target, distance) },
            // SAFETY: as above.
            4 => unsafe { of_width::<4, 4>(line, count, target, distance) },
            // SAFETY: as above.
            8 => unsafe { of_width::<8, 2>(line, count, target, distance) },
            _ => (0, 0),
        }
    }

    /// [`transpose_blocks`] for elements of `WIDTH` bytes, of which `EDGE` fit a register.
    ///
    /// # Safety
    ///
    /// That of [`transpose_blocks`], and elements must have `WIDTH` bytes.
    #[target_feature(enable = "sse2")]
    unsafe fn of_width<const WIDTH: usize, const EDGE: usize>(
        line: &dyn Fn(usize) -> *const u8,
        (lines, rows): (usize, usize),
        target: *mut u8,
        distance: usize,
    ) -> (usize, usize) {
        const { assert!(WIDTH * EDGE == REGISTER) };
        let (lines, rows) = (lines / EDGE * EDGE, rows / EDGE * EDGE);
        for first in (0..lines).step_by(EDGE) {
            let sources: [*const u8; EDGE] = std::array::from_fn(|i| line(first + i));
            for row in (0..rows).step_by(EDGE) {
                // SAFETY: each line has `row + EDGE` elements, so 16 initialised bytes are there;
                // no alignment is needed.
                let block: [__m128i; EDGE] =
                    std::array::from_fn(|i| unsafe { _mm_loadu_si128(sources[i].wrapping_add(row * WIDTH).cast()) });
                let block = transposed::<WIDTH, EDGE>(block);
                for (i, register) in block.into_iter().enumerate() {
                    // SAFETY: the places from `first` of row `row + i` on to before `first + EDGE`
                    // are in the target.
                    unsafe { _mm_storeu_si128(target.wrapping_add(((row + i) * distance + first) * WIDTH).cast(), register) };
                }
            }
        }
        (lines, rows)
    }

    /// Rows of elements as columns. Interleaving the first half of the rows with the second rotates
    /// the bits of an element's position; when it has been done as many times as a row's number has
    /// bits, row and column have changed places.
    #[target_feature(enable = "sse2")]
    fn transposed<const WIDTH: usize, const EDGE: usize>(mut block: [__m128i; EDGE]) -> [__m128i; EDGE] {
        for _ in 0..EDGE.trailing_zeros() {
            let before = block;
            for i in 0..EDGE / 2 {
                (block[2 * i], block[2 * i + 1]) = interleaved::<WIDTH>(before[i], before[i + EDGE / 2]);
            }
        }
        block
    }

    /// Interleaves the elements of two registers.
    #[target_feature(enable = "sse2")]
    fn interleaved<const WIDTH: usize>(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        match WIDTH {
            1 => (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)),
            2 => (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)),
            4 => (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)),
            _ => (_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)),
        }
    }

    /// Writes lines of the cache without reading them.
    ///
    /// # Safety
    ///
    /// Both places must have `lines` lines and must not overlap. Those at `from` must be
    /// initialised, and `to` must be at the beginning of a cache line.
    pub(super) unsafe fn stream_lines(from: *const u8, to: *mut u8, lines: usize) {
        for offset in (0..lines * CACHE_LINE).step_by(REGISTER) {
            // SAFETY: 16 initialised bytes of these lines.
            let register = unsafe { _mm_loadu_si128(from.wrapping_add(offset).cast()) };
            // SAFETY: 16 bytes of these lines, aligned to 16 because `to` is to 64.
            unsafe { _mm_stream_si128(to.wrapping_add(offset).cast(), register) };
        }
    }

    pub(super) fn prefetch(place: *const u8) {
        // SAFETY: every processor of this kind has the instruction, which is a hint and may be
        // given for any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }

    pub(super) fn end_of_streams() {
        // SAFETY: every processor of this kind has the instruction, which touches no memory.
        unsafe { _mm_sfence() };
    }
}

/// Other processors move one element after another.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
mod blocks {
    pub(super) unsafe fn transpose_blocks(
        _size: usize,
        _line: &dyn Fn(usize) -> *const u8,
        _count: (usize, usize),
        _target: *mut u8,
        _distance: usize,
    ) -> (usize, usize) {
        (0, 0)
    }

    pub(super) unsafe fn stream_lines(_from: *const u8, _to: *mut u8, _lines: usize) {}

    pub(super) fn prefetch(_place: *const u8) {}

    pub(super) fn end_of_streams() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks give the same as one element after another.
    fn agrees<const N: usize>() {
        for (lines, rows) in [(1, 1), (2, 3), (3, 2), (16, 16), (17, 33), (40, 5), (5, 40), (64, 64), (31, 100)] {
            let stride = rows + 3;
            let items: Vec<[u8; N]> =
                (0..lines * stride).map(|i| std::array::from_fn(|k| u8::try_from((i * N + k) % 251).unwrap())).collect();
            let distance = lines + 1;
            let line = |index: usize| items[index * stride..].as_ptr().cast();
            let mut blocks = vec![[255; N]; rows * distance];
            // SAFETY: each line has `rows` elements, and the target `rows` times `distance`; they
            // are bytes.
            unsafe { transpose(N, &line, (lines, rows), blocks.as_mut_ptr().cast(), distance, true) };
            let mut each = vec![[255; N]; rows * distance];
            // SAFETY: as above.
            unsafe { transpose(N, &line, (lines, rows), each.as_mut_ptr().cast(), distance, false) };
            for (place, item) in each.iter().enumerate() {
                let (row, line) = (place / distance, place % distance);
                let expected = if line < lines { items[line * stride + row] } else { [255; N] };
                assert_eq!(*item, expected, "{lines} × {rows}");
            }
            assert!(blocks == each, "{lines} × {rows} of {N} bytes");
        }
    }

    #[test]
    fn blocks_are_transposed_as_single_elements_are() {
        agrees::<1>();
        agrees::<2>();
        agrees::<3>();
        agrees::<4>();
        agrees::<8>();
        agrees::<12>();
        agrees::<16>();
    }

    #[test]
    fn bytes_are_stored_at_any_place() {
        let bytes: Vec<u8> = (0..1000_u32).map(|i| u8::try_from(i % 251).unwrap()).collect();
        for (begin, end) in [(0, 0), (0, 1), (0, 64), (3, 63), (5, 700), (64, 640), (1, 999)] {
            for streamed in [false, true] {
                let mut target = vec![255; 1000];
                // SAFETY: both are within 1000 bytes, which are initialised.
                unsafe { store(bytes.as_ptr(), target[begin..].as_mut_ptr(), end - begin, streamed) };
                end_of_streams();
                assert_eq!(target[begin..end], bytes[..end - begin]);
                assert!(target[..begin].iter().chain(&target[end..]).all(|byte| *byte == 255));
            }
        }
    }
}

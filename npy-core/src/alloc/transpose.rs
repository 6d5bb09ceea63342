//! C order ⇄ Fortran order: the axes of an array in memory reversed.

use super::reserve_exact;
use crate::error::Result;

/// Elements along each edge of the blocks that are moved at a time. 64 lines of 64 bytes stay in the first-level cache.
const BLOCK: usize = 64;

/// Moves the elements of an array whose last axis varies fastest, and whose lengths are `shape`, so that the first axis varies fastest.
///
/// For a file in Fortran order, `shape` is the logical shape reversed, and the result is in C order; for one in C order, `shape` is the
/// logical shape, and the result is in Fortran order. Blocks are moved, not rows, so that each line of the cache is used whole.
///
/// # Errors
///
/// When there is no memory for the result.
pub fn reverse_axes<T>(mut items: Vec<T>, shape: &[usize]) -> Result<Vec<T>> {
    let axes: Vec<usize> = shape.iter().copied().filter(|&length| length != 1).collect();
    // Checked, because the positions below are right only if it is the product; 0 stands for one that is too large.
    let count = axes.iter().try_fold(1_usize, |count, &length| count.checked_mul(length)).unwrap_or(0);
    let ([first, middle @ .., last], true) = (axes.as_slice(), count > 0 && count == items.len()) else { return Ok(items) };

    let mut moved: Vec<T> = Vec::new();
    reserve_exact(&mut moved, count)?;
    // Distances between neighbours along the first and the last axis, in the old and in the new array: the last axis is contiguous in
    // the old one, the first in the new one.
    let (old_first, new_last) = (count / first, count / last);
    let (source, target) = (items.as_ptr(), moved.as_mut_ptr());
    // SAFETY: from here on `target` owns the elements; if the loops below panicked, which they cannot, they would leak.
    unsafe { items.set_len(0) };
    let mut index = vec![0; middle.len()];
    loop {
        let (old, new) = offsets(&index, middle, *first, *last);
        for first_block in (0..*first).step_by(BLOCK) {
            for last_block in (0..*last).step_by(BLOCK) {
                for j in last_block..(last_block + BLOCK).min(*last) {
                    for i in first_block..(first_block + BLOCK).min(*first) {
                        let (from, to) = (old + i * old_first + j, new + j * new_last + i);
                        // SAFETY: `from` is the position of the element (i, index, j) in an array of `count` elements, so it lies in
                        // `items`, whose memory is still there.
                        let old_place = unsafe { source.add(from) };
                        // SAFETY: `to` is the position of the same element with all axes reversed, less than `count`, for which
                        // there is capacity.
                        let new_place = unsafe { target.add(to) };
                        // SAFETY: each combination of indices comes once, so each element is moved once, to a place of its own in
                        // other memory.
                        unsafe { std::ptr::copy_nonoverlapping(old_place, new_place, 1) };
                    }
                }
            }
        }
        if !advance(&mut index, middle) {
            break;
        }
    }
    // SAFETY: all `count` positions were written: reversing the axes maps the positions one to one.
    unsafe { moved.set_len(count) };
    Ok(moved)
}

/// Where the block of the middle axes' `index` begins in the old and in the new array.
fn offsets(index: &[usize], middle: &[usize], first: usize, last: usize) -> (usize, usize) {
    let old = index.iter().zip(middle).fold(0, |offset, (i, length)| offset * length + i) * last;
    let new = index.iter().zip(middle).rev().fold(0, |offset, (i, length)| offset * length + i) * first;
    (old, new)
}

/// Counts `index` up; `false` after the last.
fn advance(index: &mut [usize], lengths: &[usize]) -> bool {
    for (i, length) in index.iter_mut().zip(lengths).rev() {
        *i += 1;
        if *i < *length {
            return true;
        }
        *i = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverses_the_axes_of_arrays_of_any_shape() {
        for shape in [&[][..], &[5], &[2, 3], &[3, 1, 2], &[2, 3, 4], &[65, 130], &[2, 70, 3], &[2, 3, 4, 5], &[0, 3], &[1, 1]] {
            let count = shape.iter().product();
            let items: Vec<String> = (0..count).map(|i: usize| i.to_string()).collect();
            let moved = reverse_axes(items.clone(), shape).unwrap();
            assert_eq!(moved.len(), count);
            for (position, item) in items.iter().enumerate() {
                let mut rest = position;
                let index: Vec<usize> = shape.iter().rev().map(|length| (rest % length, rest /= length).0).collect();
                // `index` has the last axis first, which is the slowest in the result.
                let to = index.iter().zip(shape.iter().rev()).fold(0, |to, (i, length)| to * length + i);
                assert_eq!(&moved[to], item, "{shape:?}");
            }
        }
    }
}

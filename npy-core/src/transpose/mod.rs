//! Blocked transposition: copies between C and Fortran order one cache-sized tile at a time.
#![allow(unsafe_code)]

pub(crate) mod bytes;
mod grid;
pub(crate) mod lines;
pub(crate) mod padded;
pub(crate) mod panels;
mod tile;

use crate::error::Result;
use crate::memory::{Bulk, reserve_exact};
use grid::Grid;

/// The bytes of the elements of one line after another.
pub(crate) type Lines<'l, 'a> = dyn FnMut() -> Option<&'a [u8]> + 'l;

impl<T> Bulk<T> {
    /// [`reverse_axes`] for elements whose memory is the bytes of a file. Moves several of them at
    /// a time.
    pub(crate) fn reverse_axes(self, items: Vec<T>, shape: &[usize]) -> Result<Vec<T>> {
        reverse(items, shape, !self.has_padding())
    }
}

/// Transposes an array of the given shape from C to Fortran order.
///
/// For a file in Fortran order, `shape` is the logical shape reversed, and the result is in C
/// order; for one in C order, `shape` is the logical shape, and the result is in Fortran order.
/// Blocks are moved, not rows, so that each line of the cache is used whole.
pub(crate) fn reverse_axes<T>(items: Vec<T>, shape: &[usize]) -> Result<Vec<T>> {
    reverse(items, shape, false)
}

/// `are_bytes` must be true only if `Bulk` proves that all bytes of the elements are initialised,
/// and that none belong to pointers.
fn reverse<T>(mut items: Vec<T>, shape: &[usize], are_bytes: bool) -> Result<Vec<T>> {
    let axes: Vec<usize> = shape.iter().copied().filter(|&length| length != 1).collect();
    let Some(mut grid) = Grid::new(size_of::<T>(), &axes, are_bytes).filter(|grid| grid.count == items.len()) else {
        return Ok(items);
    };
    let mut moved: Vec<T> = Vec::new();
    reserve_exact(&mut moved, grid.count)?;
    // SAFETY: from here on `target` owns the elements; if moving them panicked, which it cannot,
    // they would leak.
    unsafe { items.set_len(0) };
    // SAFETY: the memory of `items` is still there and holds `count` elements, and `moved` has
    // capacity for as many. What `are_bytes` says is the caller's promise.
    unsafe { grid.move_all(items.as_ptr().cast(), moved.as_mut_ptr().cast()) };
    // SAFETY: all `count` positions were written: reversing the axes maps the positions one to one.
    unsafe { moved.set_len(grid.count) };
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverses_the_axes_of_arrays_of_any_shape() {
        for shape in
            [&[][..], &[5], &[2, 3], &[3, 1, 2], &[2, 3, 4], &[65, 130], &[2, 70, 3], &[2, 3, 4, 5], &[0, 3], &[1, 1], &[3, 50, 70]]
        {
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
            let bytes: Vec<u16> = (0..count).map(|i: usize| u16::try_from(i).unwrap()).collect();
            let expected: Vec<u16> = moved.iter().map(|item| item.parse().unwrap()).collect();
            assert_eq!(Bulk::<u16>::new().reverse_axes(bytes, shape).unwrap(), expected, "{shape:?}");
        }
    }
}

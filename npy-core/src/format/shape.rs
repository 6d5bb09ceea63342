//! Shapes, the only place where lengths are multiplied, always checked.

use crate::error::{Error, ErrorKind, Result};

/// NumPy 2's `NPY_MAXDIMS`.
pub(crate) const MOST_DIMENSIONS: usize = 64;

/// How many elements an array of this shape has.
///
/// The product of the lengths other than 0, times the itemsize, must fit an `isize`, as `ndarray`
/// and NumPy demand: an axis of length 0 does not excuse the others.
#[inline]
pub(crate) fn element_count(shape: &[usize], itemsize: usize) -> Result<usize> {
    if shape.len() > MOST_DIMENSIONS {
        return Err(too_many_dimensions(shape.len()));
    }
    checked_count(shape, itemsize).ok_or_else(|| Error::shape_overflow(shape, itemsize))
}

fn checked_count(lengths: &[usize], itemsize: usize) -> Option<usize> {
    // Of the lengths other than 0, and of all.
    let (mut product, mut count) = (Some(1_usize), 1_usize);
    for &length in lengths {
        product = product.and_then(|product| product.checked_mul(length.max(1)));
        // Where it wraps, the other one is `None`.
        count = count.wrapping_mul(length);
    }
    let bytes = product.and_then(|product| product.checked_mul(itemsize.max(1)))?;
    isize::try_from(bytes).is_ok().then_some(count)
}

#[cold]
pub(crate) fn too_many_dimensions(found: usize) -> Error {
    Error::new(ErrorKind::TooLarge, format!("too many dimensions: expected at most {MOST_DIMENSIONS}, found {found}"))
}

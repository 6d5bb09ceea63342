//! Strided elements: of a field of records, of sub-arrays, of a matrix in Fortran order.

use npy_core::Result;

use crate::error::batch_too_large;

/// The offset of the elements of a column, and the lengths and strides of its axes, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Axes {
    pub(crate) offset: usize,
    dims: Vec<(usize, usize)>,
}

/// The same elements with as few axes as possible.
pub(crate) struct Runs {
    pub(crate) offset: usize,
    pub(crate) dims: Vec<(usize, usize)>,
    /// The number of contiguous elements.
    pub(crate) run: usize,
    /// The number of elements in all.
    pub(crate) count: usize,
}

impl Axes {
    pub(crate) fn rows(offset: usize, rows: usize, stride: usize) -> Self {
        Self { offset, dims: vec![(rows, stride)] }
    }

    /// The items of a list in each element.
    pub(crate) fn items(&self, length: usize, stride: usize) -> Self {
        let mut dims = self.dims.clone();
        dims.push((length, stride));
        Self { offset: self.offset, dims }
    }

    /// A part of each element.
    pub(crate) fn at(&self, offset: usize) -> Self {
        Self { offset: self.offset.saturating_add(offset), dims: self.dims.clone() }
    }

    pub(crate) fn row_count(&self) -> usize {
        self.dims.first().map_or(1, |(rows, _)| *rows)
    }

    /// The number of elements.
    pub(crate) fn count(&self) -> Result<usize> {
        if self.dims.iter().any(|(length, _)| *length == 0) {
            return Ok(0);
        }
        let count = self.dims.iter().try_fold(1_usize, |count, (length, _)| count.checked_mul(*length));
        let too_large = || batch_too_large("", self.row_count());
        // Arrow computes with the bits and bytes of as many elements.
        count.filter(|count| *count <= isize::MAX as usize / 32).ok_or_else(too_large)
    }

    /// Joins axes that are contiguous for elements of `width` bytes.
    pub(crate) fn runs(&self, width: usize) -> Result<Runs> {
        let count = self.count()?;
        let mut dims: Vec<(usize, usize)> = Vec::with_capacity(self.dims.len());
        for &(length, stride) in self.dims.iter().filter(|(length, _)| *length != 1) {
            match dims.last_mut() {
                Some(outer) if stride.checked_mul(length) == Some(outer.1) => *outer = (outer.0.saturating_mul(length), stride),
                _ => dims.push((length, stride)),
            }
        }
        let run = match dims.last() {
            _ if count == 0 => 1,
            Some(&(length, stride)) if stride == width => {
                dims.pop();
                length
            }
            _ => 1,
        };
        Ok(Runs { offset: self.offset, dims, run, count })
    }
}

impl Runs {
    pub(crate) fn is_contiguous(&self) -> bool {
        self.dims.is_empty()
    }

    /// Calls `each` with the offset of each run, in C order.
    pub(crate) fn for_each<E>(&self, mut each: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        fn walk<E>(dims: &[(usize, usize)], offset: usize, each: &mut impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
            match dims {
                [] => each(offset),
                [(length, stride)] => (0..*length).try_for_each(|index| each(offset + index * stride)),
                [(length, stride), inner @ ..] => (0..*length).try_for_each(|index| walk(inner, offset + index * stride, each)),
            }
        }
        if self.count == 0 { Ok(()) } else { walk(&self.dims, self.offset, &mut each) }
    }

    /// Calls `each` with the offset of each element of `width` bytes, in C order.
    pub(crate) fn for_each_element<E>(&self, width: usize, mut each: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        self.for_each(|offset| (0..self.run).try_for_each(|index| each(offset + index * width)))
    }
}

//! Strided elements: of a field of records, of sub-arrays, of a matrix in Fortran order.

use npy_core::Result;

use crate::error::batch_too_large;

/// The offset of the elements of a column, and the lengths and strides of its axes, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Axes<'a> {
    pub(crate) offset: usize,
    dims: Vec<(usize, usize)>,
    /// The indices of rows, if the first axis is not all of them.
    taken: Option<&'a [usize]>,
}

/// The same elements with as few axes as possible.
pub(crate) struct Runs<'a> {
    pub(crate) offset: usize,
    /// The indices of rows and their stride, around the other axes.
    pub(crate) taken: Option<(&'a [usize], usize)>,
    pub(crate) dims: Vec<(usize, usize)>,
    /// The number of contiguous elements.
    pub(crate) run: usize,
    /// The number of elements in all.
    pub(crate) count: usize,
}

impl<'a> Axes<'a> {
    pub(crate) fn rows(offset: usize, rows: usize, stride: usize) -> Self {
        Self { offset, dims: vec![(rows, stride)], taken: None }
    }

    /// The rows at some indices.
    pub(crate) fn taken(offset: usize, indices: &'a [usize], stride: usize) -> Self {
        Self { taken: Some(indices), ..Self::rows(offset, indices.len(), stride) }
    }

    /// The items of a list in each element.
    pub(crate) fn items(&self, length: usize, stride: usize) -> Self {
        let mut dims = self.dims.clone();
        dims.push((length, stride));
        Self { dims, ..*self }
    }

    /// A part of each element.
    pub(crate) fn at(&self, offset: usize) -> Self {
        Self { offset: self.offset.saturating_add(offset), ..self.clone() }
    }

    pub(crate) fn row_count(&self) -> usize {
        self.dims.first().map_or(1, |(rows, _)| *rows)
    }

    /// The row of an element.
    pub(crate) fn row_of(&self, index: usize) -> usize {
        let per_row = self.count().unwrap_or(0) / self.row_count().max(1);
        let row = index.checked_div(per_row).unwrap_or(0);
        self.taken.map_or(row, |indices| indices.get(row).copied().unwrap_or_default())
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
    pub(crate) fn runs(&self, width: usize) -> Result<Runs<'a>> {
        let count = self.count()?;
        let (taken, inner) = match (self.taken, self.dims.split_first()) {
            (Some(indices), Some(((_, stride), inner))) => (Some((indices, *stride)), inner),
            _ => (None, &self.dims[..]),
        };
        let mut dims: Vec<(usize, usize)> = Vec::with_capacity(inner.len());
        for &(length, stride) in inner.iter().filter(|(length, _)| *length != 1) {
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
        Ok(Runs { offset: self.offset, taken, dims, run, count })
    }
}

impl Runs<'_> {
    pub(crate) fn is_contiguous(&self) -> bool {
        self.dims.is_empty() && self.taken.is_none()
    }

    /// Calls `each` with the offset of each run, in C order.
    #[inline(always)]
    pub(crate) fn for_each<E>(&self, mut each: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        fn walk<E>(dims: &[(usize, usize)], offset: usize, each: &mut impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
            match dims {
                [] => each(offset),
                [(length, stride), inner @ ..] => (0..*length).try_for_each(|index| walk(inner, offset + index * stride, each)),
            }
        }
        match (self.taken, &self.dims[..]) {
            _ if self.count == 0 => Ok(()),
            (Some((indices, stride)), []) => indices.iter().try_for_each(|index| each(self.offset + index * stride)),
            (Some((indices, stride)), dims) => {
                indices.iter().try_for_each(|index| walk(dims, self.offset + index * stride, &mut each))
            }
            (None, [(length, stride)]) => (0..*length).try_for_each(|index| each(self.offset + index * stride)),
            (None, dims) => walk(dims, self.offset, &mut each),
        }
    }

    /// Calls `each` with the offset of each element of `width` bytes, in C order.
    #[inline(always)]
    pub(crate) fn for_each_element<E>(&self, width: usize, mut each: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        if self.run == 1 {
            return self.for_each(each);
        }
        self.for_each(|offset| (0..self.run).try_for_each(|index| each(offset + index * width)))
    }
}

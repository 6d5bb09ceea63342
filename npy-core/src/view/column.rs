//! Zero-copy views of one field of records.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;

use super::{NpyView, place_of, require_native};
use crate::element::plan::{Planner, find_field};
use crate::element::{self, Codec};
use crate::error::{Result, rust_type};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::limits::Limits;
use crate::options::ReadOptions;

/// One field of all records of a file in memory, without a copy.
///
/// In Python: `np.load(path, mmap_mode='r')['time']`. [`view_column`] returns it, as does `column` of
/// `NpyMap` and `NpyMapMut` (feature `mmap`).
///
/// Each value is copied when it is read, from any address, so that packed records are fine. Nothing
/// else of a record is read. The values come in the order of the file, of any number of dimensions.
/// `column.iter().collect()` makes a vector of them; [`load_columns`](crate::load_columns) does so
/// for a file that is not in memory.
///
/// ```
/// use npy_core::{Header, Order, view_column};
///
/// // Made by Python: np.zeros(2, [("id", "u1"), ("time", "f8")]), with times
/// let header = Header::new("[('id', '|u1'), ('time', '<f8')]".parse()?, Order::C, &[2])?;
/// let mut file = header.to_bytes();
/// for time in [0.5_f64, 1.5] {
///     file.push(7);
///     file.extend(time.to_le_bytes());
/// }
///
/// let times = view_column::<f64>(&file, "time")?;
/// assert_eq!(times.iter().sum::<f64>() / times.len() as f64, 1.0);
/// assert_eq!((times.get(1), times.get(2)), (Some(1.5), None));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct NpyColumn<'a, T> {
    /// From the first record's value to the end of the last record's value. For each index below
    /// `len`, the `size_of::<T>()` bytes from `index * stride` on are among them, and are a valid
    /// value in the native layout of `T`.
    bytes: &'a [u8],
    /// The size of a record in bytes.
    stride: usize,
    len: usize,
    values: PhantomData<&'a [T]>,
}

/// Borrows one field of all records of a file in memory: read, mapped or embedded.
///
/// A dot names a field of a nested record, such as `"origin.depth"`. No element is read, unless
/// some patterns of bytes are invalid, as for bools and enums: then all values of the field are
/// checked, every time.
///
/// See [`NpyColumn`] for an example.
///
/// # Errors
///
/// Fails if `bytes` do not begin with a complete `.npy` file or exceed a limit; if any field holds
/// Python objects; if the elements are not records or have no such field; if the dtype of the field
/// differs from that of `T` in anything, byte order included; or if a bool is neither 0 nor 1, or
/// an enum has no variant of a value.
pub fn view_column<'a, T: NpyView + Copy>(bytes: &'a [u8], name: &str) -> Result<NpyColumn<'a, T>> {
    view_column_with(bytes, name, Limits::new())
}

/// [`view_column`] with options: limits.
pub fn view_column_with<'a, T: NpyView + Copy>(
    bytes: &'a [u8],
    name: &str,
    options: impl Into<ReadOptions>,
) -> Result<NpyColumn<'a, T>> {
    let (header, begin) = Header::parse_with(bytes, options.into().limits)?;
    NpyColumn::new(&header, &bytes[begin..], begin, name)
}

impl<'a, T: NpyView + Copy> NpyColumn<'a, T> {
    /// The named field of an array whose data are `data`, at `offset` in the file.
    pub(super) fn new(header: &Header, data: &'a [u8], offset: usize, name: &str) -> Result<Self> {
        let field = offset_of::<T>(name, header.dtype())?;
        let (stride, len) = (header.dtype().itemsize(), header.element_count());
        let records = &data[place_of(header, data, offset, &(0..len))?];
        let bytes = bytes_of::<T>(records, field, stride, len)?;
        let column = Self { bytes, stride, len, values: PhantomData };
        column.check(name)?;
        Ok(column)
    }

    /// Refuses bytes that are not a value, if there can be some.
    fn check(&self, name: &str) -> Result<()> {
        let size = size_of::<T>();
        if !T::HAS_INVALID || size == 0 {
            return Ok(());
        }
        // The last record ends with this field here.
        for (index, record) in self.bytes.chunks(self.stride.max(1)).enumerate() {
            let check = record.get(..size).ok_or_else(element::outside).and_then(T::check);
            check.map_err(|error| error.in_path(name.to_owned()).in_element(index as u64))?;
        }
        Ok(())
    }

    /// Returns the number of values: one for each record.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no records.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the value of the record at `index`, if it exists.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        // SAFETY: there are more than `index` records.
        (index < self.len).then(|| unsafe { self.value(index) })
    }

    /// Returns an iterator over the values.
    #[inline]
    pub fn iter(&self) -> NpyColumnIter<'a, T> {
        NpyColumnIter { column: *self, range: 0..self.len }
    }

    /// The value of the record at `index`.
    ///
    /// # Safety
    ///
    /// There are more than `index` records.
    #[inline(always)]
    unsafe fn value(&self, index: usize) -> T {
        // SAFETY: the product is an offset in `bytes`, as there are more records, so that it does
        // not overflow either.
        let bytes = unsafe { self.bytes.as_ptr().add(index * self.stride) };
        // SAFETY: as many bytes as `T` has follow in `bytes`, and are a value. It is `Copy`, and
        // nothing is asked of the address.
        unsafe { bytes.cast::<T>().read_unaligned() }
    }
}

impl<T: NpyView + Copy + fmt::Debug> fmt::Debug for NpyColumn<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<'a, T: NpyView + Copy> IntoIterator for NpyColumn<'a, T> {
    type Item = T;
    type IntoIter = NpyColumnIter<'a, T>;

    #[inline]
    fn into_iter(self) -> NpyColumnIter<'a, T> {
        self.iter()
    }
}

impl<'a, T: NpyView + Copy> IntoIterator for &NpyColumn<'a, T> {
    type Item = T;
    type IntoIter = NpyColumnIter<'a, T>;

    #[inline]
    fn into_iter(self) -> NpyColumnIter<'a, T> {
        self.iter()
    }
}

/// An iterator over the values of an [`NpyColumn`].
///
/// See [`NpyColumn`] for an example.
#[derive(Clone)]
pub struct NpyColumnIter<'a, T> {
    column: NpyColumn<'a, T>,
    /// The remaining indices, all below `column.len`.
    range: Range<usize>,
}

impl<T: NpyView + Copy> Iterator for NpyColumnIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        // SAFETY: all that are left are less than `len`.
        self.range.next().map(|index| unsafe { self.column.value(index) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<T> {
        // SAFETY: as in `next`.
        self.range.nth(n).map(|index| unsafe { self.column.value(index) })
    }

    #[inline]
    fn count(self) -> usize {
        self.range.len()
    }

    #[inline]
    fn last(mut self) -> Option<T> {
        self.next_back()
    }

    #[inline]
    fn fold<A, F: FnMut(A, T) -> A>(self, initial: A, mut step: F) -> A {
        let Self { column, range } = self;
        // SAFETY: as in `next`.
        range.fold(initial, |folded, index| step(folded, unsafe { column.value(index) }))
    }
}

impl<T: NpyView + Copy> DoubleEndedIterator for NpyColumnIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        // SAFETY: as in `next`.
        self.range.next_back().map(|index| unsafe { self.column.value(index) })
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<T> {
        // SAFETY: as in `next`.
        self.range.nth_back(n).map(|index| unsafe { self.column.value(index) })
    }

    #[inline]
    fn rfold<A, F: FnMut(A, T) -> A>(self, initial: A, mut step: F) -> A {
        let Self { column, range } = self;
        // SAFETY: as in `next`.
        range.rfold(initial, |folded, index| step(folded, unsafe { column.value(index) }))
    }
}

impl<T: NpyView + Copy> ExactSizeIterator for NpyColumnIter<'_, T> {}

impl<T: NpyView + Copy> FusedIterator for NpyColumnIter<'_, T> {}

impl<T: NpyView + Copy + fmt::Debug> fmt::Debug for NpyColumnIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// Returns the offset of the named field in each record. Its bytes are `T`s.
fn offset_of<T: NpyView>(name: &str, dtype: &DType) -> Result<usize> {
    if dtype.has_object() {
        return Err(crate::error::Error::object_array());
    }
    let mut planner = Planner::new();
    let found = find_field(name, dtype, &mut planner).and_then(|(offset, field)| {
        Some((offset, field, planner.in_column(name, |planner| T::Codec::plan(field.dtype(), planner))?))
    });
    let Some((offset, field, plan)) = found else { return Err(planner.into_error(&rust_type::<T>())) };
    require_native::<T>(field.dtype(), &plan, name)?;
    Ok(offset)
}

/// Returns the bytes from the first record's field to the end of the last record's field.
fn bytes_of<T>(records: &[u8], offset: usize, stride: usize, len: usize) -> Result<&[u8]> {
    let Some(last) = len.checked_sub(1) else { return Ok(&[]) };
    let end = last.checked_mul(stride).and_then(|begin| begin.checked_add(offset)?.checked_add(size_of::<T>()));
    // The field of a header's dtype lies in its record.
    end.and_then(|end| records.get(offset..end)).ok_or_else(|| element::outside().in_element(last as u64))
}

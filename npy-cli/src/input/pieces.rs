//! The elements of an array in C or in Fortran order, piece by piece, whatever order the file has.

use std::ops::Range;

use npy_core::region::AxisRange;
use npy_core::{DType, DynValues, Header, Order};

use super::array::{Array, spooled};
use crate::failure::Result;
use crate::signals;

/// The bytes of a piece, unless an element has more.
const PIECE: usize = 1 << 20;

/// The bytes that are transposed at once. They are in memory in both orders: with the output, 64 MiB.
/// A transposition reads the file once for each such block at worst.
const BLOCK: usize = 24 << 20;

/// Takes each piece, an array of one dimension.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(DynValues) -> Result<()>;

/// Calls `sink` with all elements in this order, which are read from the beginning.
pub(crate) fn for_each(array: &mut dyn Array, order: Order, sink: Sink<'_>) -> Result<()> {
    let shape = array.header().shape().to_vec();
    let outer = if order == Order::C { shape.first() } else { shape.last() };
    for_each_of_rows(array, order, 0..outer.copied().unwrap_or(1), sink)
}

/// Calls `sink` with the elements of some rows in this order. A row is an index of the slowest axis.
///
/// Rows are read one after another: those before must have been read already, unless the array is
/// transposed. It must be one that can go back then, if this is not the only call.
pub(crate) fn for_each_of_rows(array: &mut dyn Array, order: Order, rows: Range<usize>, sink: Sink<'_>) -> Result<()> {
    let header = array.header();
    let (dtype, shape) = (header.dtype().clone(), header.shape().to_vec());
    // From the slowest axis to the fastest one.
    let axes: Vec<usize> = match order {
        Order::C => (0..shape.len()).collect(),
        Order::Fortran => (0..shape.len()).rev().collect(),
    };
    if !is_transposed(header, order) {
        let all = axes.first().map_or(1, |&axis| shape[axis]);
        // Not more than the number of elements, which was checked.
        let mut left = header.element_count().checked_div(all).unwrap_or(0) * rows.len();
        // Elements without bytes are all read at once; a short header can claim any number of them.
        let count = if dtype.itemsize() == 0 { usize::MAX } else { elements_of_piece(&dtype) };
        while left > 0 {
            signals::check()?;
            let Some(values) = array.next_elements(count.min(left))? else { break };
            left = left.saturating_sub(values.shape().iter().product());
            sink(values)?;
        }
        return Ok(());
    }
    if header.element_count() == 0 {
        return Ok(());
    }
    let mut ranges: Vec<Range<usize>> = shape.iter().map(|&length| 0..length).collect();
    if let Some(&outer) = axes.first() {
        ranges[outer] = rows;
    }
    let bytes = ranges.iter().fold(dtype.itemsize(), |bytes, range| bytes.saturating_mul(range.len()));
    if bytes > BLOCK && !array.can_go_back() {
        // Each block has parts of all the array.
        return transpose(&mut *spooled(array)?, order, &mut ranges, &axes, sink);
    }
    transpose(array, order, &mut ranges, &axes, sink)
}

/// Calls `sink` with the elements of a region in C order. The array must be one that can go back, if this is not the only call.
pub(crate) fn for_each_of_region(array: &mut dyn Array, ranges: &[Range<usize>], sink: Sink<'_>) -> Result<()> {
    let axes: Vec<usize> = (0..ranges.len()).collect();
    if ranges.iter().any(Range::is_empty) || array.header().dtype().itemsize() == 0 {
        return Ok(());
    }
    transpose(array, Order::C, &mut ranges.to_vec(), &axes, sink)
}

/// Reads the rest of an array, of which nothing is kept.
pub(crate) fn read_to_end(array: &mut dyn Array) -> Result<()> {
    let count = elements_of_piece(array.header().dtype());
    while array.header().data_bytes() > 0 && array.next_elements(count)?.is_some() {}
    Ok(())
}

/// Whether reading in this order transposes the elements.
pub(crate) fn is_transposed(header: &Header, order: Order) -> bool {
    header.order() != order && !Order::are_same(header.shape()) && header.dtype().itemsize() > 0
}

/// Reads blocks along the slowest of these axes.
fn transpose(
    array: &mut dyn Array,
    order: Order,
    ranges: &mut [Range<usize>],
    slowest_first: &[usize],
    sink: Sink<'_>,
) -> Result<()> {
    let itemsize = array.header().dtype().itemsize();
    for_each_block(ranges, slowest_first, (itemsize, BLOCK), &mut |ranges| {
        let region: Vec<AxisRange> = ranges.iter().map(|range| AxisRange::from(range.clone())).collect();
        split(array.read_region(&region)?.into_order(order)?, sink)
    })
}

/// Calls `visit` with the blocks of a region, along the slowest of these axes: each has at most so many bytes, of elements of this
/// size, or is one index of all axes.
pub(crate) fn for_each_block(
    ranges: &mut [Range<usize>],
    slowest_first: &[usize],
    (itemsize, most): (usize, usize),
    visit: &mut dyn FnMut(&[Range<usize>]) -> Result<()>,
) -> Result<()> {
    let Some((&axis, inner)) = slowest_first.split_first() else { return visit(ranges) };
    let whole = ranges[axis].clone();
    let bytes = inner.iter().fold(itemsize, |bytes, &axis| bytes.saturating_mul(ranges[axis].len()));
    let is_row_too_large = bytes > most && !inner.is_empty();
    let step = if is_row_too_large { 1 } else { (most / bytes.max(1)).max(1) };
    for begin in whole.clone().step_by(step) {
        signals::check()?;
        ranges[axis] = begin..begin.saturating_add(step).min(whole.end);
        if is_row_too_large {
            for_each_block(ranges, inner, (itemsize, most), visit)?;
        } else {
            visit(ranges)?;
        }
    }
    ranges[axis] = whole;
    Ok(())
}

/// Calls `sink` with the elements as they follow each other in memory.
fn split(values: DynValues, sink: Sink<'_>) -> Result<()> {
    let dtype = values.dtype().clone();
    let (most, count) = (elements_of_piece(&dtype), values.header().element_count());
    let values = DynValues::new(dtype, Order::C, &[count], values.into_bytes())?;
    if count <= most {
        return sink(values);
    }
    let mut pieces = values.reader();
    while let Some(piece) = pieces.next_elements(most)? {
        sink(piece)?;
    }
    Ok(())
}

/// The number of elements in about a mebibyte.
pub(crate) fn elements_of_piece(dtype: &DType) -> usize {
    (PIECE / dtype.itemsize().max(1)).max(1)
}

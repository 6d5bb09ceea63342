//! Arrays piece by piece, as bytes in C order and in bounded memory.

use std::ops::Range;

use npy_core::Order;
use npy_core::region::AxisRange;

use crate::failure::Result;
use crate::input::Array;
use crate::signals;

/// About how many bytes are read at once.
pub(crate) const PIECE_BYTES: usize = 4 << 20;

/// The number of rows: the length of the first axis, or 1 without axes.
pub(crate) fn rows_of(array: &dyn Array) -> usize {
    array.header().shape().first().copied().unwrap_or(1)
}

/// How many elements of this size fit a piece; at least one.
pub(crate) fn per_piece(bytes: usize) -> usize {
    (PIECE_BYTES / bytes.max(1)).max(1)
}

/// Calls `each` with the bytes of some rows of the first axis in C order, piece by piece.
///
/// The rows of a C array must be the next ones.
pub(crate) fn for_each_piece(array: &mut dyn Array, rows: Range<usize>, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let header = array.header().clone();
    let itemsize = header.dtype().itemsize();
    // Both products are at most the number of elements, which was checked.
    let per_row = header.element_count().checked_div(rows_of(array)).unwrap_or(0);
    if header.order() == Order::C || header.shape().len() < 2 {
        let mut left = rows.len() * per_row;
        while left > 0 {
            signals::check()?;
            let Some(values) = array.next_elements(per_piece(itemsize).min(left))? else { break };
            left -= values.shape().iter().product::<usize>().min(left);
            each(values.bytes())?;
        }
        return Ok(());
    }
    let step = per_piece(itemsize.saturating_mul(per_row));
    let mut begin = rows.start;
    while begin < rows.end {
        signals::check()?;
        let end = begin.saturating_add(step).min(rows.end);
        let mut region: Vec<AxisRange> = vec![(..).into(); header.shape().len()];
        region[0] = (begin..end).into();
        each(array.read_region(&region)?.into_order(Order::C)?.bytes())?;
        begin = end;
    }
    Ok(())
}

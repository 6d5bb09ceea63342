//! Arrays as text for other programs: CSV and JSON, streamed.
//!
//! A dtype is planned once: for each cell its offset and the function that appends its text. The rows are then written by a
//! loop that decides nothing.

mod cell;
pub(crate) mod csv;
pub(crate) mod json;

use npy_core::{DType, DynValues, Order};

use crate::failure::{Failure, Result};

/// The most columns of an element, and the most cells without a byte: a short header can claim any number of either.
const MOST_COLUMNS: usize = 1 << 20;

/// The values in C order, in which both formats have them.
fn in_c_order(values: &DynValues) -> Result<std::borrow::Cow<'_, DynValues>> {
    Ok(match values.order() {
        Order::C => std::borrow::Cow::Borrowed(values),
        Order::Fortran => std::borrow::Cow::Owned(values.clone().into_order(Order::C)?),
    })
}

/// Calls `work` with the bytes of each element.
fn for_each_element<'a>(values: &'a DynValues, mut work: impl FnMut(&'a [u8])) {
    match values.dtype().itemsize() {
        0 => (0..values.header().element_count()).for_each(|_| work(&[])),
        size => values.bytes().chunks_exact(size).for_each(work),
    }
}

/// The number of cells of an element. Fails where they cost no bytes and there are too many.
fn count_cells(dtype: &DType) -> Result<usize> {
    let count = match dtype {
        DType::Scalar(_) => Some(1),
        DType::SubArray(array) => {
            let inner = count_cells(array.base())?;
            array.shape().iter().try_fold(inner, |count, &length| count.checked_mul(length))
        }
        DType::Record(record) => {
            record.fields().iter().try_fold(0_usize, |count, field| count.checked_add(count_cells(field.dtype()).ok()?))
        }
    };
    // As many as there are bytes are as large as the file.
    let most = MOST_COLUMNS.max(dtype.itemsize());
    count.filter(|count| *count <= most).ok_or_else(|| too_many_columns("columns"))
}

fn too_many_columns(what: &str) -> Failure {
    Failure::Nameless(format!("too many {what}: expected at most {MOST_COLUMNS}"))
}

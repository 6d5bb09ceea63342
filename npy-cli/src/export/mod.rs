//! Arrays as text for other programs: CSV and JSON, streamed.
//!
//! A dtype is planned once: for each cell its offset and the function that appends its text. The rows are then written by a
//! loop that decides nothing.

mod cell;
pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod objects;

use std::borrow::Cow;

use npy_core::{DynValues, Order};

use crate::failure::Result;

/// The values in C order, in which both formats have them.
fn in_c_order(values: &DynValues) -> Result<Cow<'_, DynValues>> {
    Ok(match values.order() {
        Order::C => Cow::Borrowed(values),
        Order::Fortran => Cow::Owned(values.clone().into_order(Order::C)?),
    })
}

/// Calls `work` with the bytes of each element.
pub(crate) fn for_each_element<'a>(values: &'a DynValues, mut work: impl FnMut(&'a [u8]) -> Result<()>) -> Result<()> {
    match values.dtype().itemsize() {
        0 => (0..values.header().element_count()).try_for_each(|_| work(&[])),
        size => values.bytes().chunks_exact(size).try_for_each(work),
    }
}

/// The length of Latin-1 as UTF-8.
fn latin1_len(bytes: &[u8]) -> usize {
    bytes.len() + bytes.iter().filter(|byte| !byte.is_ascii()).count()
}

//! Printing of arrays of which only the printed elements are in memory.

use std::borrow::Cow;

use super::Printed;
use super::options::PrintOptions;
use crate::dynamic::DynValues;

pub use super::layout::printed_edges;

/// Formats an array of this shape. `values` holds all elements, or only those of [`printed_edges`].
pub fn printed<'a>(values: &'a DynValues, shape: &[usize], options: &PrintOptions) -> Printed<'a> {
    Printed { values: Cow::Borrowed(values), shape: shape.to_vec(), options: options.clone() }
}

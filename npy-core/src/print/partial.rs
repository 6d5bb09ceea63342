//! Printing of arrays of which only the printed elements are in memory, and of single values.

use std::borrow::Cow;

use super::Printed;
use super::options::PrintOptions;
use crate::dynamic::DynValues;

pub use super::float::{push_f32, push_f64};
pub use super::layout::printed_edges;
pub use super::scalar::push_scalar;

/// Formats an array of this shape. `values` holds all elements, or only those of [`printed_edges`].
pub fn printed<'a>(values: &'a DynValues, shape: &[usize], options: &PrintOptions) -> Printed<'a> {
    Printed { values: Cow::Borrowed(values), shape: shape.to_vec(), options: options.clone() }
}

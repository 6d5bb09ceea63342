//! Printing of arrays of which only the printed elements are in memory, and of single values.

use std::borrow::Cow;
use std::fmt;

use super::options::PrintOptions;
use super::{Format, Frame, Place, Printed, Scope, Selection, write_array};
use crate::dynamic::DynValues;
use crate::format::dtype::Scalar;

pub use super::float::{push_f32, push_f64};
pub use super::layout::printed_edges;
pub use super::scalar::push_scalar;

/// Formats an array of this shape. `values` holds all elements, or only those of [`printed_edges`].
pub fn printed<'a>(values: &'a DynValues, shape: &[usize], options: &PrintOptions) -> Printed<'a> {
    Printed { values: Cow::Borrowed(values), shape: shape.to_vec(), options: options.clone() }
}

/// Writes an array of text or bytes, whose form does not depend on other elements: `next` gives the next of the printed ones.
///
/// # Errors
///
/// Fails if `out` does.
pub fn print_one_by_one(
    scalar: Scalar,
    shape: &[usize],
    options: &PrintOptions,
    next: &mut dyn FnMut() -> Vec<u8>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let dtype = scalar.into();
    let format = Format::new(&dtype, &[], Scope::new(&dtype, 0, options, Place::Array));
    write_array(&Selection::new(shape, options), Frame::plain(options), &mut |text| format.write(&next(), text), out)
}

//! Printing of arrays of which only the printed elements are in memory, and of single values.

use std::borrow::Cow;
use std::fmt;

use super::array::Printed;
use super::format::{Format, Place, Scope};
use super::layout::{Elements, Frame, Selection, write_array};
use super::options::PrintOptions;
use super::stream::Text;
use crate::dynamic::DynValues;
use crate::format::dtype::Scalar;

pub use super::float::{push_f32, push_f64};
pub use super::layout::printed_edges;
pub use super::scalar::push_scalar;

/// Formats an array of this shape. `values` holds all elements, or only those of [`printed_edges`].
pub fn printed<'a>(values: &'a DynValues, shape: &[usize], options: &PrintOptions) -> Printed<'a> {
    Printed { values: Cow::Borrowed(values), shape: shape.to_vec(), options: options.clone() }
}

/// Writes an array of text or bytes, whose form does not depend on other elements: `next` gives the next of the printed ones, or
/// `None` if it cannot be read.
///
/// Fails if `out` does, if an element cannot be read, or if there is no memory.
pub fn print_one_by_one(
    scalar: Scalar,
    shape: &[usize],
    options: &PrintOptions,
    next: &mut dyn FnMut() -> Option<Vec<u8>>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let dtype = scalar.into();
    let format = Format::new(&dtype, &[], Scope::new(&dtype, 0, options, Place::Array));
    let mut elements = OneByOne { format, next, element: Vec::new() };
    write_array(&Selection::new(shape, options), Frame::plain(options), &mut elements, out)
}

/// Elements of which one is in memory.
struct OneByOne<'a> {
    format: Format<'a>,
    next: &'a mut dyn FnMut() -> Option<Vec<u8>>,
    element: Vec<u8>,
}

impl Elements for OneByOne<'_> {
    fn advance(&mut self) -> fmt::Result {
        self.element = Vec::new();
        self.element = (self.next)().ok_or(fmt::Error)?;
        Ok(())
    }

    fn write(&self, out: &mut Text<'_>) {
        self.format.write(&self.element, out);
    }
}

//! Slices of elements as text.

use std::borrow::Cow;
use std::fmt;

use super::array::Printed;
use super::layout::Selection;
use super::options::PrintOptions;
use crate::dynamic::DynValues;
use crate::element::NpyElement;
use crate::options::Order;

/// Formats a slice of elements, records included, as NumPy prints the array of them.
///
/// If an element cannot be stored as its dtype, the text is the error.
///
/// ```
/// use npy_core::print::{PrintOptions, display};
///
/// assert_eq!(display(&[1.5, 0.25]).to_string(), "[1.5  0.25]");
/// assert_eq!(display(&[[true, false], [false, false]]).to_string(), "[[ True False]\n [False False]]");
///
/// let options = PrintOptions::new().precision(2);
/// assert_eq!(display(&[2.0 / 3.0]).with(&options).to_string(), "[0.67]");
/// ```
pub fn display<T: NpyElement>(items: &[T]) -> Display<'_, T> {
    Display { items, options: PrintOptions::new() }
}

/// The text of a slice of elements, formatted when it is displayed.
///
/// See [`display`] for an example.
#[derive(Clone, Debug)]
pub struct Display<'a, T> {
    items: &'a [T],
    options: PrintOptions,
}

impl<T> Display<'_, T> {
    /// Sets the options.
    #[must_use]
    pub fn with(mut self, options: &PrintOptions) -> Self {
        self.options = options.clone();
        self
    }
}

impl<T: NpyElement> fmt::Display for Display<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.items.len();
        // The axes of an item that is an array.
        let inner = match DynValues::from_slice::<T>(self.items.get(..1).unwrap_or_default()) {
            Ok(first) => first.shape().get(1..).unwrap_or_default().to_vec(),
            Err(error) => return write!(f, "<{error}>"),
        };
        let shape = [&[count], inner.as_slice()].concat();
        let selection = Selection::new(&shape, &self.options);
        let printed: Vec<&T> = selection.positions(0, count).filter_map(|index| self.items.get(index)).collect();
        match DynValues::encode(Order::C, &[printed.len()], printed.into_iter()) {
            Ok(values) => Printed { values: Cow::Owned(values), shape, options: self.options.clone() }.fmt(f),
            // The whole slice, for an error that tells the element's place in it.
            Err(error) => write!(f, "<{}>", DynValues::from_slice(self.items).err().unwrap_or(error)),
        }
    }
}

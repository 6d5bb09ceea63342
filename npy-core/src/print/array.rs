//! Arrays as text.

use std::borrow::Cow;
use std::fmt;

use super::format::{Context, Format, MOST_EMPTY_PARTS, Scope};
use super::layout::{ByIndex, Frame, Selection, write_array};
use super::options::PrintOptions;
use super::scalar::write_scalar;
use super::stream::{Text, item};
use crate::dynamic::DynValues;

/// The text of an array, formatted when it is displayed.
///
/// See [`PrintOptions`] for an example.
#[derive(Clone, Debug)]
pub struct Printed<'a> {
    /// All elements of the array, or only those that are printed.
    pub(super) values: Cow<'a, DynValues>,
    pub(super) shape: Vec<usize>,
    pub(super) options: PrintOptions,
}

impl DynValues {
    /// Formats the array as NumPy prints it, with options.
    ///
    /// See [`PrintOptions`].
    pub fn display_with(&self, options: impl Into<PrintOptions>) -> Printed<'_> {
        Printed { values: Cow::Borrowed(self), shape: self.shape().to_vec(), options: options.into() }
    }
}

/// As NumPy's `print` writes the array, with the default options.
///
/// ```
/// use npy_core::DynValues;
///
/// let values = DynValues::from_slice(&["to be".to_owned(), "it's".to_owned()])?;
/// assert_eq!(values.to_string(), r#"['to be' "it's"]"#);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl fmt::Display for DynValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display_with(PrintOptions::new()).fmt(f)
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dtype, options) = (self.values.dtype(), &self.options);
        if self.shape.is_empty() {
            return write_scalar(dtype, self.values.bytes(), options, f);
        }
        write_elements(&self.values, &self.shape, options, Frame::plain(options), f)
    }
}

/// Writes an array of this shape. `values` holds all elements, or only those that are printed.
pub(crate) fn write_elements(
    values: &DynValues,
    shape: &[usize],
    options: &PrintOptions,
    frame: Frame,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let dtype = values.dtype();
    let selection = Selection::new(shape, options);
    // A header of a few bytes can claim any number of elements without a byte.
    if dtype.itemsize() == 0 && selection.count() > MOST_EMPTY_PARTS {
        return out.write_str("[...]");
    }
    let mut elements = Vec::new();
    elements.try_reserve_exact(if values.shape().contains(&0) { 0 } else { selection.count() }).map_err(|_| fmt::Error)?;
    // `DType::itemsize` took 4 % of the time to print floats, when it was called for each of them.
    let (bytes, itemsize) = (values.bytes(), dtype.itemsize());
    selection.visit(values.shape(), values.order(), |index| elements.push(item(bytes, index, itemsize)));
    let format = Format::new(dtype, &elements, Scope::new(dtype, elements.len(), options, Context::of_array(shape)));
    let write = |index: usize, out: &mut Text<'_>| format.write(elements.get(index).copied().unwrap_or_default(), out);
    write_array(&selection, frame, &mut ByIndex::new(write), out)
}

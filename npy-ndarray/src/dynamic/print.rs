//! Arrays of any dtype as text, exactly as NumPy prints them.

use std::fmt;

use npy_core::adapter::ElementBytes;
use npy_core::print::PrintOptions;

use super::array::DynArray;
use super::write::{header, stored_as};

impl DynArray {
    /// Returns the text of the array, as NumPy prints it with options.
    pub fn display_with(&self, options: impl Into<PrintOptions>) -> PrintedArray<'_> {
        PrintedArray { array: self, options: options.into() }
    }
}

/// Writes the array as NumPy's `print` does, with the default options.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::DynArray;
///
/// assert_eq!(DynArray::from(array![0.1, 100.0]).to_string(), "[  0.1 100. ]");
/// ```
impl fmt::Display for DynArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display_with(PrintOptions::new()).fmt(f)
    }
}

/// The text of a [`DynArray`], formatted when it is displayed.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::{DynArray, npy_core::print::PrintOptions};
///
/// let array = DynArray::from(array![[0.5, 100.0], [1.25, -3.0]]);
/// let printed = array.display_with(&PrintOptions::new().precision(1));
/// assert_eq!(printed.to_string(), "[[  0.5 100. ]\n [  1.2  -3. ]]");
/// ```
#[derive(Clone, Debug)]
pub struct PrintedArray<'a> {
    array: &'a DynArray,
    options: PrintOptions,
}

impl fmt::Display for PrintedArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { array, options } = self;
        each!(
            array,
            numbers => match ElementBytes::new(numbers.items(), &stored_as(numbers.dtype())) {
                Some(items) => {
                    let header = header(numbers, numbers.dtype()).map_err(|_| fmt::Error)?;
                    items.display_with(&header, options).map_err(|_| fmt::Error)?.fmt(f)
                }
                None => array.to_values().map_err(|_| fmt::Error)?.display_with(options).fmt(f),
            },
            values => values.display_with(options).fmt(f),
            objects => objects.display_with(options).fmt(f),
        )
    }
}

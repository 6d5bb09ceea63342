//! Arrays as text, exactly as NumPy's `print` writes them, and arrays of records as tables.
//!
//! [`DynValues`] is printed by its `Display`, and so are arrays of objects and records that have
//! such fields (`object::ObjectArray`). [`display`] prints a slice of elements or records;
//! [`DynValues::display_with`] takes [`PrintOptions`]; [`DynValues::table`] lays out records in
//! columns.
//!
//! ```
//! use npy_core::{DynValues, Order};
//!
//! let dtype = "[('x', '<f4'), ('at', '|i1', (2,))]".parse()?;
//! let bytes = [&0.1_f32.to_le_bytes()[..], &[1, 2], &1.5_f32.to_le_bytes(), &[253, 10]].concat();
//! let values = DynValues::new(dtype, Order::C, &[2], bytes)?;
//! assert_eq!(values.to_string(), "[(0.1, [ 1,  2]) (1.5, [-3, 10])]");
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! The rules are those of NumPy 2.3 and later. Tests compare with it byte for byte: widths and
//! digits per array, exponents, lines and blank lines, records and their sub-arrays, summaries of
//! long arrays, scalars.
//!
//! # What is not as in NumPy
//!
//! - What NumPy cannot print has a text here: datetimes without a unit are their number; code units
//!   of text that are not characters are U+FFFD, and so are lone surrogates in text that stands
//!   alone.
//! - `float8_e5m2` and `complex32`, which NumPy has no dtype for, are printed by the rules of half
//!   precision. `bfloat16` is raw bytes, as it is to NumPy.
//! - A `long double` is treated as the 80 bits that x86-64 stores. The file does not tell, and
//!   NumPy assumes the format of its own machine.
//! - A `timedelta64` without a unit in non-native byte order (`>m8`) is aligned by its numbers.
//!   NumPy 2.4 uses the width of their byte-swapped values.
//! - The flag that `align=True` sets in a dtype is not kept: `'aligned': True` is missing where
//!   NumPy prints the dtype of a pickled array.
//! - An `OrderedDict` is printed as Python 3.12 and later do.
//! - NumPy takes lists in a sub-array of objects for more axes, and fails where their lengths
//!   differ. These are printed here.
//! - Which characters of text are escaped depends on the Unicode version of the Python; here it is
//!   15.1.
//! - Elements and fields without a byte, of which a short header can claim any number, are left out
//!   where more than 100,000 would be printed.

mod big;
mod binary;
mod digits;
mod float;
mod format;
mod layout;
mod options;
pub(crate) mod partial;
mod region;
#[cfg(feature = "object")]
mod repr;
mod scalar;
mod stream;
pub(crate) mod table;
mod text;
mod time;

use std::borrow::Cow;
use std::fmt;
use std::vec;

use scalar::write_scalar;

use crate::dynamic::DynValues;
use crate::element::NpyElement;
use crate::options::Order;
pub(crate) use format::{Format, MOST_EMPTY_PARTS, Place, Scope};
#[cfg(feature = "object")]
pub(crate) use layout::edges_of;
pub(crate) use layout::{Elements, Frame, Selection, write_array};
#[cfg(feature = "object")]
pub(crate) use repr::{array_repr, assemble_repr, elements_text, repr_of_dtype};
#[cfg(feature = "object")]
pub(crate) use scalar::scalar_text;
pub(crate) use stream::Text;
#[cfg(feature = "object")]
pub(crate) use stream::append;

pub use options::{FloatMode, PrintOptions, Sign};
pub use table::Table;

/// The text of an array, formatted when it is displayed.
///
/// See [`PrintOptions`] for an example.
#[derive(Clone, Debug)]
pub struct Printed<'a> {
    values: Cow<'a, DynValues>,
    /// Of the array of which `values` are all elements, or all that are printed.
    shape: Vec<usize>,
    options: PrintOptions,
}

impl DynValues {
    /// Formats the array as NumPy prints it, with options.
    ///
    /// See [`PrintOptions`].
    pub fn display_with(&self, options: impl Into<PrintOptions>) -> Printed<'_> {
        Printed { values: Cow::Borrowed(self), shape: self.shape().to_vec(), options: options.into() }
    }

    /// Formats an array of records as a table: a line of field names, then a line for each record.
    ///
    /// ```
    /// use npy_core::{DynValues, Order};
    ///
    /// let dtype = "[('id', '|u1'), ('pose', [('x', '|i1'), ('y', '|i1')])]".parse()?;
    /// let values = DynValues::new(dtype, Order::C, &[2], vec![7, 1, 255, 10, 100, 2])?;
    /// assert_eq!(values.table().to_string(), "   id  pose.x  pose.y
    /// 0   7       1      -1
    /// 1  10     100       2");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn table(&self) -> Table<'_> {
        Table::new(self)
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
        write_elements(&self.values, &self.shape, options, (Frame::plain(options), Place::Array), f)
    }
}

/// Writes the elements of an array of this shape, of which `values` holds all elements, or all that
/// are printed.
fn write_elements(
    values: &DynValues,
    shape: &[usize],
    options: &PrintOptions,
    (frame, place): (Frame, Place),
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let dtype = values.dtype();
    let selection = Selection::new(shape, options);
    // A header of a few bytes can claim any number of elements without a byte.
    if dtype.itemsize() == 0 && selection.count() > MOST_EMPTY_PARTS {
        return out.write_str("[...]");
    }
    let elements = selected(values, &selection)?;
    let format = Format::new(dtype, &elements, Scope::new(dtype, elements.len(), options, place));
    write_array(&selection, frame, &mut InMemory { format, elements: elements.into_iter(), element: &[] }, out)
}

/// Elements that are in memory.
struct InMemory<'a> {
    format: Format<'a>,
    elements: vec::IntoIter<&'a [u8]>,
    element: &'a [u8],
}

impl Elements for InMemory<'_> {
    fn advance(&mut self) -> fmt::Result {
        self.element = self.elements.next().unwrap_or_default();
        Ok(())
    }

    fn write(&self, out: &mut Text<'_>) {
        self.format.write(self.element, out);
    }
}

/// Formats a slice of elements, records included, as NumPy prints the array of them.
///
/// Where an element cannot be stored as its dtype, the text says so instead.
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
        // How many axes and elements are in an item: an array of them is printed by its elements.
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

/// The bytes of the selected elements, the last axis fastest. Fails if there is no memory.
fn selected<'a>(values: &'a DynValues, selection: &Selection) -> Result<Vec<&'a [u8]>, fmt::Error> {
    let lengths = values.shape();
    let mut strides = vec![0; lengths.len()];
    let mut stride = values.dtype().itemsize();
    let mut place = |axis: usize| {
        strides[axis] = stride;
        stride = stride.saturating_mul(lengths[axis]);
    };
    match values.order() {
        Order::C => (0..lengths.len()).rev().for_each(&mut place),
        Order::Fortran => (0..lengths.len()).for_each(&mut place),
    }
    let mut elements = Vec::new();
    if !lengths.contains(&0) {
        elements.try_reserve_exact(selection.count()).map_err(|_| fmt::Error)?;
        collect(values, selection, &strides, 0, &mut elements);
    }
    Ok(elements)
}

fn collect<'a>(values: &'a DynValues, selection: &Selection, strides: &[usize], begin: usize, elements: &mut Vec<&'a [u8]>) {
    let axis = values.shape().len() - strides.len();
    let size = values.dtype().itemsize();
    let element = |begin: usize| values.bytes().get(begin..begin.saturating_add(size)).unwrap_or_default();
    match strides {
        [] => elements.push(element(begin)),
        [stride] => {
            elements.extend(selection.positions(axis, values.shape()[axis]).map(|position| element(begin + position * stride)));
        }
        [stride, inner @ ..] => {
            for position in selection.positions(axis, values.shape()[axis]) {
                collect(values, selection, inner, begin + position * stride, elements);
            }
        }
    }
}

/// Appends `count` blanks.
fn pad(count: usize, out: &mut String) {
    push_repeated("                                                                ", count, out);
}

/// Appends `count` characters of an ASCII text that repeats one.
fn push_repeated(text: &str, mut count: usize, out: &mut String) {
    while count > 0 {
        let part = text.get(..count).unwrap_or(text);
        out.push_str(part);
        count -= part.len();
    }
}

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
//! # Differences from NumPy
//!
//! - Values that NumPy cannot print have a text here: datetimes without a unit are their number; code units
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
//! - Elements and fields of zero bytes, of which a short header can claim any number, are omitted if
//!   they are more than 100,000.
//!
//! [`DynValues`]: crate::DynValues
//! [`DynValues::display_with`]: crate::DynValues::display_with
//! [`DynValues::table`]: crate::DynValues::table

pub(crate) mod array;
mod big;
mod binary;
mod decimal;
mod digits;
mod float;
pub(crate) mod format;
pub(crate) mod layout;
mod options;
mod partial;
mod region;
pub(crate) mod scalar;
mod slice;
pub(crate) mod stream;
pub(crate) mod table;
pub mod terminal;
mod text;
mod time;

pub use array::Printed;
pub use float::{push_f32, push_f64};
pub use options::{FloatMode, PrintOptions, Sign};
pub use partial::print_streamed;
pub use scalar::push_scalar;
pub use slice::{Display, display};
pub use table::{Table, TableCells, table_cells};

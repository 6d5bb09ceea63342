//! Prints arrays with only the printed elements in memory.

use std::borrow::Cow;
use std::fmt;

use super::array::Printed;
use super::format::{Context, Format, Scope};
use super::layout::{Elements, Frame, Selection, write_array};
use super::options::PrintOptions;
use super::stream::Text;
use crate::dynamic::DynValues;
use crate::error::Result;
use crate::format::dtype::Scalar;
use crate::format::header::Header;
use crate::options::Order;
use crate::write::bytes::ElementBytes;

impl DynValues {
    /// Formats an array of this shape. `self` holds all of its elements, or only the printed ones.
    ///
    /// Those are the elements at both ends of each axis, as [`PrintOptions::edges`] counts them.
    ///
    /// ```
    /// use npy_core::DynValues;
    /// use npy_core::print::PrintOptions;
    ///
    /// let options = PrintOptions::new();
    /// assert_eq!(options.edges(&[5000]), [Some(3)]);
    /// let edges = DynValues::from_slice(&[0, 1, 2, 4997, 4998, 4999])?;
    /// assert_eq!(edges.display_edges(&[5000], options).to_string(), "[   0    1    2 ... 4997 4998 4999]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn display_edges(&self, shape: &[usize], options: impl Into<PrintOptions>) -> Printed<'_> {
        Printed { values: Cow::Borrowed(self), shape: shape.to_vec(), options: options.into() }
    }
}

impl ElementBytes<'_> {
    /// Formats the elements, whose shape and order in memory are those of `header`, as NumPy prints them.
    ///
    /// Only the printed elements are copied. Fails if the header has another number of elements or itemsize.
    ///
    /// ```
    /// use npy_core::adapter::ElementBytes;
    /// use npy_core::print::PrintOptions;
    /// use npy_core::{Header, NpyElement, Order};
    ///
    /// let header = Header::new(u8::dtype(), Order::Fortran, &[2, 2])?;
    /// let bytes = ElementBytes::new(&[1_u8, 2, 3, 4], header.dtype()).unwrap();
    /// assert_eq!(bytes.display_with(&header, PrintOptions::new())?.to_string(), "[[1 3]\n [2 4]]");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn display_with(self, header: &Header, options: impl Into<PrintOptions>) -> Result<Printed<'static>> {
        self.check(header)?;
        let options = options.into();
        let selection = Selection::new(header.shape(), &options);
        let edges = Header::new(header.dtype().clone(), Order::C, &selection.lengths())?;
        let mut indices = Vec::new();
        selection.visit(header.shape(), header.order(), |index| indices.push(index));
        let values = DynValues::with_header(edges, self.pick(&indices))?;
        Ok(Printed { values: Cow::Owned(values), shape: header.shape().to_vec(), options })
    }
}

/// Prints an array of text or bytes with one element at a time in memory.
///
/// `next` returns the next of the printed elements, or `None` if it cannot be read. The others do not change its form.
///
/// Fails if `out` does, if an element cannot be read, or if there is no memory.
///
/// ```
/// use npy_core::DType;
/// use npy_core::print::{PrintOptions, print_streamed};
///
/// let DType::Scalar(scalar) = "|S2".parse()? else { unreachable!() };
/// let mut words = [*b"to", *b"be"].into_iter();
/// let mut text = String::new();
/// print_streamed(scalar, &[2], &PrintOptions::new(), &mut || words.next().map(Vec::from), &mut text).unwrap();
/// assert_eq!(text, "[b'to' b'be']");
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn print_streamed(
    scalar: Scalar,
    shape: &[usize],
    options: &PrintOptions,
    next: &mut dyn FnMut() -> Option<Vec<u8>>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let dtype = scalar.into();
    let format = Format::new(&dtype, &[], Scope::new(&dtype, 0, options, Context::Array));
    let mut elements = Streamed { format, next, element: Vec::new() };
    write_array(&Selection::new(shape, options), Frame::plain(options), &mut elements, out)
}

/// Elements with one at a time in memory.
struct Streamed<'a> {
    format: Format<'a>,
    next: &'a mut dyn FnMut() -> Option<Vec<u8>>,
    element: Vec<u8>,
}

impl Elements for Streamed<'_> {
    fn advance(&mut self) -> fmt::Result {
        self.element = Vec::new();
        self.element = (self.next)().ok_or(fmt::Error)?;
        Ok(())
    }

    fn write(&self, out: &mut Text<'_>) {
        self.format.write(&self.element, out);
    }
}

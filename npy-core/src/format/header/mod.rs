//! The header, which is everything before the data of a file (NEP 1; `numpy.lib.format`).

mod encode;
mod lenient;
pub(crate) mod parse;

use std::fmt;
use std::io::Write;

use super::dtype::{self, DType, MOST_BYTES};
use super::inline::Lengths;
use super::shape::element_count;
use crate::error::describe::{Tuple, counted};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::{Order, Version};

use lenient::Leniencies;
pub use lenient::Leniency;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The size of the magic string and the version, with which every file begins.
const MAGIC_BYTES: usize = 8;

/// Whether the escapes of Python may stand for characters that latin-1 lacks. NumPy writes version
/// 3.0 instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    Never,
    Allowed,
}

impl Version {
    const ALL: [Self; 3] = [Self::V1, Self::V2, Self::V3];

    /// Bytes before the header: magic string, version and the header's length.
    fn prefix_bytes(self) -> usize {
        MAGIC_BYTES + if self == Self::V1 { 2 } else { 4 }
    }

    fn longest_header(self) -> usize {
        if self == Self::V1 { usize::from(u16::MAX) } else { u32::MAX as usize }
    }
}

/// The header of an array: dtype, order and shape.
///
/// ```
/// use npy_core::{Header, NpyElement, Order};
///
/// let header = Header::new(f64::dtype(), Order::C, &[2, 3])?;
/// assert_eq!((header.element_count(), header.data_bytes()), (6, 48));
///
/// let bytes = header.to_bytes();
/// assert_eq!(bytes.len(), 128); // so that the data begin at a multiple of 64
/// assert!(bytes[10..].starts_with(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"));
///
/// let (parsed, data_offset) = Header::parse(&bytes)?;
/// assert_eq!(parsed, header);
/// assert_eq!(data_offset, 128);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// A file is a header and the bytes of its elements, so that one can be made by hand:
///
/// ```
/// use npy_core::{Header, Order};
///
/// let mut file = Vec::new();
/// Header::new(">i2".parse()?, Order::Fortran, &[2, 2])?.write(&mut file)?;
/// file.extend([0, 1, 0, 2, 0, 3, 0, 4]);
///
/// let mut stream = &file[..];
/// let header = Header::read(&mut stream)?;
/// assert_eq!((header.dtype().to_string().as_str(), header.order()), (">i2", Order::Fortran));
/// assert_eq!(stream.len() as u64, header.data_bytes());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    dtype: DType,
    order: Order,
    shape: Lengths,
    count: usize,
    version: Version,
    leniencies: Leniencies,
}

impl Header {
    /// Creates a header, in the oldest version that can hold it, as NumPy does.
    ///
    /// `shape` is the logical shape in both orders. NumPy says [`Order::C`] for every array that is
    /// contiguous in both (0-d, 1-d, empty, one row or column). Names beyond Latin-1 need
    /// [`Version::V3`].
    ///
    /// # Errors
    ///
    /// Fails if the array would exceed the address space or have more than 64 dimensions, or if the
    /// dtype is larger than 2³¹ − 1 bytes or a sub-array: NumPy has those as fields only.
    pub fn new(dtype: DType, order: Order, shape: &[usize]) -> Result<Self> {
        let mut header = Self::with_minimal_version(dtype, order, shape.into())?;
        if matches!(header.dtype, DType::SubArray(_)) {
            return Err(unstorable(
                "expected a scalar or a record, found a sub-array; add its dimensions to the shape, or make it a field of a record",
            ));
        }
        // A scalar and at most 64 lengths are ASCII, and always fit the first version.
        if !matches!(header.dtype, DType::Scalar(_)) {
            header.version = header.encode(0, Escapes::Never)?.0;
        }
        Ok(header)
    }

    /// Parses the dict of a header, such as `{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}`.
    ///
    /// As lenient as [`parse`](Self::parse). Positions of errors count from the beginning of the text.
    ///
    /// See [`to_bytes_as`](Self::to_bytes_as) for an example.
    pub fn from_dict(dict: &str) -> Result<Self> {
        let (dtype, order, shape) = Self::values_of_literal(dict.as_bytes(), (Version::V3, 0), &Limits::new())?;
        Self::new(dtype, order, &shape)
    }

    /// Sets the version, as `np.lib.format.write_array(..., version=...)` does.
    ///
    /// Fails if that version cannot hold it: it is too long, or Latin-1 cannot express a name.
    pub fn with_version(self, version: Version) -> Result<Self> {
        self.in_version(version, Escapes::Never)
    }

    /// [`with_version`](Self::with_version), maybe with escapes for characters that the version
    /// lacks.
    pub(crate) fn in_version(mut self, version: Version, escapes: Escapes) -> Result<Self> {
        self.version = version;
        self.in_own_version(self.encode(0, escapes)?)?;
        Ok(self)
    }

    /// Fails if the header was encoded in another version than its own.
    fn in_own_version(&self, (needed, bytes): (Version, Vec<u8>)) -> Result<Vec<u8>> {
        let version = self.version;
        if needed != version {
            return Err(unstorable(format!("format version {version} cannot encode the header; version {needed} can")));
        }
        Ok(bytes)
    }

    fn with_minimal_version(dtype: DType, order: Order, shape: Lengths) -> Result<Self> {
        check_storable(dtype.itemsize())?;
        let count = element_count(&shape, dtype.itemsize())?;
        Ok(Self { dtype, order, shape, count, version: Version::V1, leniencies: Leniencies::default() })
    }

    /// Writes the header, byte for byte as NumPy does.
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        writer.write_all(&self.to_bytes()).map_err(|error| Error::io("cannot write the header", error))
    }

    /// Returns the header as bytes, with its magic string and padding.
    ///
    /// Their number is a multiple of 64.
    ///
    /// They have the [`version`](Self::version) of the header. A name that was [read](Self::read)
    /// from a version in Latin-1, with an escape for another character, is written with that
    /// escape.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with_room(0)
    }

    /// Returns the header as bytes, with this text as its dict.
    ///
    /// The text is written as it is, followed by NumPy's space for growth and its padding. Use it to keep the spelling of another
    /// writer.
    ///
    /// # Errors
    ///
    /// Fails if the text is no header, if it contradicts this one, or if the [`version`](Self::version) cannot hold it.
    ///
    /// ```
    /// use npy_core::Header;
    ///
    /// let dict = "{'shape': (3,), 'fortran_order': False, 'descr': '<f8'}";
    /// let header = Header::from_dict(dict)?;
    /// let bytes = header.to_bytes_as(dict)?;
    /// assert_eq!(bytes.len(), 128);
    /// assert!(bytes[10..].starts_with(dict.as_bytes()));
    ///
    /// let error = header.with_shape(&[4])?.to_bytes_as(dict).unwrap_err();
    /// assert_eq!(error.to_string(), "contradictory header: expected shape (4,), found (3,)");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn to_bytes_as(&self, dict: &str) -> Result<Vec<u8>> {
        let (dtype, order, shape) = Self::values_of_literal(dict.as_bytes(), (Version::V3, 0), &Limits::new())?;
        if dtype != self.dtype {
            return Err(contradictory("dtype", self.dtype.descr(), dtype.descr()));
        }
        if order != self.order {
            return Err(contradictory("order", self.order, order));
        }
        if *shape != *self.shape {
            return Err(contradictory("shape", Tuple(&self.shape), Tuple(&shape)));
        }
        self.in_own_version(self.encode_dict(&format!("{dict}{:1$}", "", self.growth()), Escapes::Never)?)
    }

    /// The same array with its last axes in the elements: of shape (5, 3) as 5 elements of 3 each.
    ///
    /// `None` if it has no such axes or they are empty, if its elements are sub-arrays already, or if
    /// the parts of an element are not contiguous.
    pub(crate) fn with_inner_axes(&self, axes: usize) -> Option<Self> {
        let outer = self.shape.len().checked_sub(axes)?;
        if matches!(self.dtype, DType::SubArray(_)) || self.order != Order::C {
            return None;
        }
        let (shape, inner) = self.shape.split_at(outer);
        if inner.contains(&0) {
            // Of elements without bytes there may be any number.
            return None;
        }
        let dtype = DType::from(dtype::SubArray::new_unchecked(self.dtype.clone(), inner.to_vec()));
        let count = shape.iter().product();
        Some(Self { dtype, shape: shape.into(), count, ..*self })
    }

    /// The same array of another dtype, which has the same itemsize.
    #[cfg(feature = "dynamic")]
    pub(crate) fn with_dtype(&self, dtype: DType) -> Self {
        Self { dtype, ..self.clone() }
    }

    /// The same with another order.
    #[cfg(feature = "print")]
    pub(crate) fn in_order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Returns the header of an array of another shape, with the same dtype and order.
    ///
    /// Such as the header of a region.
    pub fn with_shape(&self, shape: &[usize]) -> Result<Self> {
        let mut header = self.reshaped(shape)?;
        // The text of the shape may be longer.
        if !matches!(header.dtype, DType::Scalar(_)) {
            header.version = header.encode(0, Escapes::Allowed)?.0;
        }
        Ok(header)
    }

    /// [`with_shape`](Self::with_shape) of a header that is not written.
    pub(crate) fn reshaped(&self, shape: &[usize]) -> Result<Self> {
        let count = element_count(shape, self.dtype.itemsize())?;
        let leniencies = Leniencies::default();
        Ok(Self { dtype: self.dtype.clone(), shape: shape.into(), count, leniencies, ..*self })
    }

    /// The same header but for the order.
    pub(crate) fn in_c_order(&self) -> Self {
        Self { order: Order::C, ..self.clone() }
    }

    /// Returns the dtype of the elements.
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the order of the elements in the file.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the lengths of the axes.
    ///
    /// An array without axes holds one element.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the version of the format, which [`to_bytes`](Self::to_bytes) writes.
    ///
    /// A header that was read has the version of its file. If NumPy's padding does not fit that, it
    /// has the next version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns how a header that was read differs from the form in which NumPy writes it.
    ///
    /// A header that was not read has none. See [`Leniency`] for an example.
    pub fn leniencies(&self) -> impl Iterator<Item = Leniency> {
        self.leniencies.iter()
    }

    /// Returns the number of elements: the product of the lengths of the axes, 1 without any.
    pub fn element_count(&self) -> usize {
        self.count
    }

    /// Returns the size of the elements in bytes.
    ///
    /// It is 0 for Python objects, whose pickle says so itself.
    pub fn data_bytes(&self) -> u64 {
        // Checked when the header was made.
        self.count as u64 * self.dtype.itemsize() as u64
    }
}

/// The error of a text that says something else than its header.
#[cold]
fn contradictory(what: &str, expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidHeader, format!("contradictory header: expected {what} {expected}, found {found}"))
}

/// Fails if an element has more bytes than NumPy allows.
#[inline]
fn check_storable(itemsize: usize) -> Result<()> {
    if itemsize > MOST_BYTES { Err(element_too_large(itemsize)) } else { Ok(()) }
}

#[cold]
fn element_too_large(itemsize: usize) -> Error {
    unstorable(format!("expected an itemsize of at most {}, found {itemsize}", counted(MOST_BYTES, "byte")))
}

/// The error of a dtype that a header or a pickle cannot express.
#[cold]
pub(crate) fn unstorable(problem: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Unstorable, format!("cannot store the dtype: {problem}"))
}

#[cfg(test)]
mod tests;

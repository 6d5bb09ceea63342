//! The dtype of an array as a plain value.

mod ascii;
mod canonical;
mod descr;
mod dict;
mod ml_type;
mod names;
mod numbers;
mod parse;
mod record;
mod repr;
mod scalar;
mod rust_type;
#[cfg(feature = "object")]
mod text;
#[cfg(feature = "dynamic")]
pub(crate) mod to_rust;
mod unprintable;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::inline::Lengths;
use crate::error::describe::counted;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

pub(crate) use canonical::Cursor;
pub(crate) use descr::{descr_room, excerpt_key, from_literal, write_descr, write_shape};
pub use ml_type::MlType;
pub use record::{Field, Record, Title};
#[cfg(feature = "object")]
pub(crate) use repr::{push_bytes_repr, push_repr, push_repr_of};
#[cfg(feature = "print")]
pub(crate) use repr::{push_escaped, quote_of};
pub(crate) use rust_type::rust_type;
pub use scalar::{ByteOrder, Class, Scalar, ScalarKind, TimeUnit};
#[cfg(feature = "object")]
#[doc(hidden)]
pub use text::dtype_argument;
#[cfg(feature = "object")]
pub(crate) use text::{dtype_str, is_implied, name_of_number, python_shape, short_repr};

/// The dtype of an array: the type of its elements and their layout in the file.
///
/// A plain value: inspect it, build it, compare it, parse it from any text that NumPy's `dtype`
/// takes, and print it in NumPy's own spelling.
///
/// ```
/// use npy_core::dtype::Record;
/// use npy_core::{DType, NpyElement};
///
/// let dtype: DType = "[('name', '<U8'), ('', '|V4'), ('pose', [('xyz', '<f8', (3,))])]".parse()?;
/// assert_eq!(dtype.itemsize(), 60);
///
/// let DType::Record(record) = &dtype else { unreachable!() };
/// let pose = record.field("pose").unwrap();
/// assert_eq!(pose.offset(), 36); // 8 characters of 4 bytes, then 4 bytes of padding
/// assert_eq!(pose.dtype().to_string(), "[('xyz', '<f8', (3,))]");
///
/// let xyz = DType::from(Record::packed([("xyz", f64::dtype().sub_array(&[3])?)])?);
/// assert_eq!(pose.dtype(), &xyz);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// [`leaves`](Self::leaves), [`columns`](Self::columns) and [`field`](Self::field) find what is in
/// nested records.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    /// A dtype without parts: numbers, text, times, raw bytes.
    Scalar(Scalar),
    /// A small array in each element. NumPy allows one as a field; as the dtype of a whole array
    /// only while reading.
    SubArray(SubArray),
    /// A structured dtype: fields with names.
    Record(Record),
}

/// A sub-array as (part of) an element: `('<f8', (2, 3))`.
///
/// ```
/// use npy_core::dtype::SubArray;
/// use npy_core::{DType, NpyElement};
///
/// let array = SubArray::new(f32::dtype(), vec![2, 3])?;
/// assert_eq!((array.base(), array.shape(), array.itemsize()), (&f32::dtype(), &[2, 3][..], 24));
/// assert_eq!(DType::from(array), <[[f32; 3]; 2]>::dtype());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SubArray(Box<SubArrayParts>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SubArrayParts {
    base: DType,
    shape: Lengths,
}

impl DType {
    /// Returns the size of an element in bytes, padding included; 0 for Python objects, whose
    /// pickle has no fixed size.
    #[inline]
    pub fn itemsize(&self) -> usize {
        match self {
            Self::Scalar(scalar) => scalar.itemsize(),
            Self::SubArray(array) => array.itemsize(),
            Self::Record(record) => record.itemsize,
        }
    }

    /// Returns whether the dtype contains Python objects, so that the data are a pickle
    /// (`dtype.hasobject`).
    pub fn has_object(&self) -> bool {
        match self {
            Self::Scalar(scalar) => scalar.kind() == ScalarKind::Object,
            Self::SubArray(array) => array.base().has_object(),
            Self::Record(record) => record.fields.iter().any(|field| field.dtype.has_object()),
        }
    }

    /// Sets the byte order of all numbers, text and times in the dtype, as `newbyteorder` does.
    #[must_use]
    pub fn with_byte_order(mut self, order: ByteOrder) -> Self {
        self.set_byte_order(order);
        self
    }

    fn set_byte_order(&mut self, order: ByteOrder) {
        match self {
            Self::Scalar(scalar) => scalar.set_byte_order(order),
            Self::SubArray(array) => array.0.base.set_byte_order(order),
            Self::Record(record) => record.fields.iter_mut().for_each(|field| field.dtype.set_byte_order(order)),
        }
    }

    /// Creates a sub-array of this dtype, for a field. Call it again for sub-arrays of sub-arrays.
    ///
    /// Fails if its size does not fit NumPy's 2³¹ − 1 bytes, or for more than 64 dimensions.
    pub fn sub_array(self, shape: &[usize]) -> Result<Self> {
        SubArray::new(self, shape.to_vec()).map(Self::from)
    }

    /// Returns the descr of a header, exactly as `numpy.lib.format.dtype_to_descr` does: a string in
    /// quotes, a list or a tuple.
    pub fn descr(&self) -> String {
        let mut text = Vec::new();
        write_descr(self, &mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// This dtype without the fields that `other` does not have, at every depth. A record that lost
    /// one has no padding.
    pub(crate) fn restricted_to(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Record(record), Self::Record(other)) => {
                let kept = record.fields.iter().filter_map(|field| {
                    let dtype = field.dtype.restricted_to(other.field(&field.name)?.dtype());
                    Some(Field { dtype, ..field.clone() })
                });
                let mut fields: Vec<Field> = kept.collect();
                let is_same = fields == record.fields;
                let mut itemsize = if is_same { record.itemsize } else { 0 };
                if !is_same {
                    for field in &mut fields {
                        field.offset = itemsize;
                        itemsize = field.end();
                    }
                }
                Self::Record(Record { fields, itemsize })
            }
            (Self::SubArray(array), Self::SubArray(other)) if array.shape() == other.shape() => {
                let base = array.base().restricted_to(other.base());
                Self::SubArray(SubArray::new_unchecked(base, array.shape().to_vec()))
            }
            _ => self.clone(),
        }
    }

    /// Returns the dtype below all sub-arrays, and the lengths of their axes, the outermost first.
    pub fn flattened(&self) -> (&Self, Vec<usize>) {
        match self {
            Self::SubArray(array) => array.flattened(),
            dtype => (dtype, Vec::new()),
        }
    }

    /// Returns the record that the elements are, or that their sub-arrays consist of.
    pub fn record(&self) -> Option<&Record> {
        match self.flattened().0 {
            Self::Record(record) => Some(record),
            _ => None,
        }
    }

    pub(crate) fn count_fields(&self) -> usize {
        match self {
            Self::Scalar(_) => 0,
            Self::SubArray(array) => array.base().count_fields(),
            Self::Record(record) => record.fields.iter().map(|field| 1 + field.dtype.count_fields()).sum(),
        }
    }

    /// Whether NumPy takes it for padding when the field has no name: plain raw bytes, also an
    /// array of them.
    fn is_plain_void(&self) -> bool {
        match self {
            Self::Scalar(scalar) => matches!(scalar.kind(), ScalarKind::Void { .. }),
            Self::SubArray(_) => true,
            Self::Record(_) => false,
        }
    }
}

impl From<Scalar> for DType {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl From<SubArray> for DType {
    fn from(array: SubArray) -> Self {
        Self::SubArray(array)
    }
}

/// NumPy's own spelling: `<f8` for a scalar, else the Python literal of a header.
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(f),
            other => f.write_str(&other.descr()),
        }
    }
}

/// Any text that NumPy's `dtype` takes, a header holds, or `str` and `repr` of a dtype print:
/// `<f8`, `float64`, `M8[ns]`, `i4,(2,3)f8`, `[('x', '<f4')]`, `('<f4', (3,))`,
/// `dtype([('x', 'u1'), ('y', '<f8')], align=True)`.
///
/// A dict gives fields their offsets. Fields that overlap or are out of order are an error, because
/// NumPy cannot save them.
///
/// ```
/// use npy_core::DType;
///
/// // `print(dtype)` in Python.
/// let dtype: DType = "{'names': ['id', 'x'], 'formats': ['u1', '<f8'], 'offsets': [0, 8], 'itemsize': 24}".parse()?;
/// assert_eq!(dtype.to_string(), "[('id', '|u1'), ('', '|V7'), ('x', '<f8'), ('', '|V8')]");
/// # Ok::<(), npy_core::Error>(())
/// ```
impl FromStr for DType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let start = text.trim_start();
        let is_call = ["dtype(", "np.dtype(", "numpy.dtype("].iter().any(|call| start.starts_with(call));
        match start.as_bytes().first() {
            Some(b'[' | b'{' | b'(' | b'\'' | b'"') => dict::from_text(text, &Limits::new()),
            _ if is_call => dict::from_text(text, &Limits::new()),
            _ => Ok(parse::dtype_string(text)?),
        }
    }
}

impl SubArray {
    /// Creates a sub-array of `base`.
    ///
    /// Fails if its size does not fit NumPy's 2³¹ − 1 bytes, or for no or more than 64 dimensions.
    pub fn new(base: DType, shape: Vec<usize>) -> Result<Self> {
        Ok(Self::checked(base, shape.into())?)
    }

    fn checked(base: DType, shape: Lengths) -> Result<Self, Invalid> {
        // Also on the way to an axis of length 0, which excuses nothing.
        let bytes =
            shape.iter().try_fold(base.itemsize(), |bytes, &length| bytes.checked_mul(length).filter(|_| length <= MOST_BYTES));
        let problem = if shape.is_empty() || shape.len() > crate::format::shape::MOST_DIMENSIONS {
            format!("expected 1 to 64 dimensions, found {}", shape.len())
        } else if bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
            too_large()
        } else {
            return Ok(Self(Box::new(SubArrayParts { base, shape })));
        };
        Err(invalid(&DType::SubArray(Self(Box::new(SubArrayParts { base, shape }))).to_string(), problem))
    }

    /// The dtype below all sub-arrays, and their axes from the outermost to the innermost.
    pub(crate) fn flattened(&self) -> (&DType, Vec<usize>) {
        let (mut base, mut axes) = (self.base(), self.shape().to_vec());
        while let DType::SubArray(array) = base {
            axes.extend_from_slice(array.shape());
            base = array.base();
        }
        (base, axes)
    }

    /// Without checking the size: [`Header::new`](crate::Header::new) does that for every dtype.
    pub(crate) fn new_unchecked(base: DType, shape: Vec<usize>) -> Self {
        Self(Box::new(SubArrayParts { base, shape: shape.into() }))
    }

    /// Returns the dtype of the sub-array's elements.
    pub fn base(&self) -> &DType {
        &self.0.base
    }

    /// Returns the lengths of the axes, the outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// Returns the size in bytes.
    pub fn itemsize(&self) -> usize {
        self.shape().iter().fold(self.base().itemsize(), |bytes, &length| bytes.saturating_mul(length))
    }
}

/// NumPy keeps the size of a dtype in a C int.
pub(crate) const MOST_BYTES: usize = i32::MAX as usize;

/// A text or a value that is not a dtype, and what is wrong with it. Its position is added by
/// callers who know it.
#[derive(Debug)]
pub(crate) struct Invalid(Box<(String, Cow<'static, str>)>);

impl Invalid {
    #[cold]
    pub(crate) fn new(text: String, problem: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new((text, problem.into())))
    }

    /// The error of a text or a value that begins at this byte.
    #[cold]
    fn at(self, offset: usize) -> Error {
        let (text, problem) = *self.0;
        Error::new(ErrorKind::InvalidDType, format!("invalid dtype {text} at byte {offset}: {problem}")).at_byte(offset as u64)
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        let (text, problem) = *invalid.0;
        Self::new(ErrorKind::InvalidDType, format!("invalid dtype {text}: {problem}"))
    }
}

#[cold]
fn invalid(text: &str, problem: impl Into<Cow<'static, str>>) -> Invalid {
    Invalid::new(format!("{text:?}"), problem)
}

#[cold]
fn too_large() -> String {
    format!("expected an itemsize of at most {}", counted(MOST_BYTES, "byte"))
}

#[cfg(test)]
mod tests;

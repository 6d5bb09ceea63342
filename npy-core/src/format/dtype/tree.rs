//! Dtypes, sub-arrays, records and their fields, which contain each other.

use super::super::inline::{Lengths, Name, ShortName};
use super::super::shape::MOST_DIMENSIONS;
use super::invalid::{Invalid, MOST_BYTES, invalid, too_large};
use super::names::repeated;
use super::scalar::{ByteOrder, Scalar, ScalarKind};
use crate::error::Result;

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

    /// Removes the fields that `other` does not have, at every depth. A record that loses one has no padding.
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

    /// Returns whether NumPy takes a field without a name for padding: raw bytes, and any sub-array.
    pub(super) fn is_plain_void(&self) -> bool {
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

impl SubArray {
    /// Creates a sub-array of `base`.
    ///
    /// Fails if its size does not fit NumPy's 2³¹ − 1 bytes, or for no or more than 64 dimensions.
    pub fn new(base: DType, shape: Vec<usize>) -> Result<Self> {
        Ok(Self::checked(base, shape.into())?)
    }

    pub(super) fn checked(base: DType, shape: Lengths) -> Result<Self, Invalid> {
        // Also on the way to an axis of length 0, which excuses nothing.
        let bytes =
            shape.iter().try_fold(base.itemsize(), |bytes, &length| bytes.checked_mul(length).filter(|_| length <= MOST_BYTES));
        let problem = if shape.is_empty() || shape.len() > MOST_DIMENSIONS {
            format!("expected 1 to 64 dimensions, found {}", shape.len())
        } else if bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
            too_large()
        } else {
            return Ok(Self(Box::new(SubArrayParts { base, shape })));
        };
        Err(invalid(&DType::SubArray(Self(Box::new(SubArrayParts { base, shape }))).to_string(), problem))
    }

    /// Returns the dtype below all sub-arrays, and their axes from the outermost to the innermost.
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

/// A structured dtype: named fields at ascending offsets, without overlap.
///
/// Bytes between the fields and after the last are padding.
///
/// ```
/// use npy_core::dtype::{Field, Record};
/// use npy_core::{DType, NpyElement};
///
/// let record = Record::packed([("id", u8::dtype()), ("value", f64::dtype())])?;
/// assert_eq!(record.itemsize(), 9);
///
/// let fields = vec![Field::new("id", 0, u8::dtype()), Field::new("value", 8, f64::dtype()).with_title("in K")];
/// let record = Record::new(fields, 16)?;
/// assert_eq!(record.fields()[1].offset(), 8); // padding is not among the fields
/// assert_eq!(DType::from(record).to_string(), "[('id', '|u1'), ('', '|V7'), (('in K', 'value'), '<f8')]");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    pub(super) fields: Vec<Field>,
    pub(super) itemsize: usize,
}

/// A field of a [`Record`].
///
/// See [`Record`] for an example.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    pub(super) name: Name,
    pub(super) extras: Option<Box<Extras>>,
    pub(super) offset: usize,
    pub(super) dtype: DType,
}

/// The rare attributes of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Extras {
    /// The Python literal of a name with a lone surrogate. `name` has its escape instead.
    pub(super) name_literal: Option<String>,
    pub(super) title: Option<Title>,
}

/// The title of a field: a second name, which NumPy allows to be any Python object.
///
/// See [`Record`] for an example.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Title {
    /// A text.
    Text(String),
    /// Anything else that a header can hold (a number, bytes, a tuple), in Python's spelling.
    Literal(String),
}

/// Describes a field that begins before the end of the previous one.
#[cold]
pub(super) fn overlap(expected: usize, found: usize) -> String {
    format!("expected an offset of at least {expected}, found {found}; NumPy cannot save overlapping or out-of-order fields")
}

/// Describes a record that is too short for its fields, or not a multiple of its alignment.
#[cold]
pub(super) fn invalid_itemsize(minimum: usize, alignment: usize) -> String {
    let multiple = if alignment == 1 { String::new() } else { format!(", a multiple of {alignment}") };
    format!("expected an itemsize of at least {minimum}{multiple}")
}

impl Title {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Literal(_) => None,
        }
    }
}

impl Record {
    /// Creates a record without padding: each field begins where the one before it ends, as in
    /// `np.dtype([...])`.
    ///
    /// Fails if two fields share a name, or if the size does not fit NumPy's 2³¹ − 1 bytes.
    pub fn packed<N: Into<String>>(fields: impl IntoIterator<Item = (N, DType)>) -> Result<Self> {
        Ok(Self::packed_checked(fields)?)
    }

    pub(super) fn packed_checked<N: Into<String>>(fields: impl IntoIterator<Item = (N, DType)>) -> Result<Self, Invalid> {
        let mut itemsize = 0;
        let place = |(name, dtype): (N, DType)| {
            let field = Field::new(name, itemsize, dtype);
            itemsize = field.end();
            field
        };
        let fields = fields.into_iter().map(place).collect();
        Self::checked(fields, itemsize)
    }

    /// Creates a record whose fields have given offsets. Gaps between and after them are padding.
    ///
    /// # Errors
    ///
    /// Fails if two fields share a name or a title, or if the size is more than 2³¹ − 1 bytes. NumPy
    /// cannot store fields that overlap or do not come in the order of their offsets: these fail, too.
    pub fn new(fields: Vec<Field>, itemsize: usize) -> Result<Self> {
        Ok(Self::checked(fields, itemsize)?)
    }

    pub(super) fn checked(fields: Vec<Field>, itemsize: usize) -> Result<Self, Invalid> {
        let mut end = 0;
        for field in &fields {
            if field.offset < end {
                return Err(invalid(&field.name, overlap(end, field.offset)));
            }
            end = field.end();
        }
        if itemsize < end {
            return Err(Invalid::new(itemsize.to_string(), invalid_itemsize(end, 1)));
        }
        if itemsize > MOST_BYTES {
            return Err(Invalid::new(itemsize.to_string(), too_large()));
        }
        if let Some(name) = repeated(&fields, |field| &field.name) {
            return Err(invalid(name, "duplicate field name"));
        }
        // NumPy keeps names and titles in one dict. Titles that are not text cannot equal a name.
        let titles: Vec<Name> = fields.iter().filter_map(Field::title).filter_map(Title::text).map(Name::from).collect();
        let all: Vec<&Name> =
            if titles.is_empty() { Vec::new() } else { fields.iter().map(|field| &field.name).chain(&titles).collect() };
        if let Some(title) = repeated(&all, |name| name) {
            return Err(invalid(title, "duplicate title"));
        }
        Ok(Self { fields, itemsize })
    }

    /// For the derive, which has checked the names. [`Header::new`](crate::Header::new) checks the
    /// size.
    pub(crate) fn new_unchecked(fields: Vec<Field>, itemsize: usize) -> Self {
        Self { fields, itemsize }
    }

    pub(crate) fn into_fields(self) -> Vec<Field> {
        self.fields
    }

    /// Returns the fields, in the order of their offsets. Padding is not among them.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.as_bytes() == name.as_bytes())
    }

    /// Returns the size of a record in bytes, padding included.
    pub fn itemsize(&self) -> usize {
        self.itemsize
    }
}

impl Field {
    /// Creates a field at an offset from the beginning of the record.
    pub fn new(name: impl Into<String>, offset: usize, dtype: DType) -> Self {
        Self::with_name(name.into().as_str().into(), offset, dtype)
    }

    fn with_name(name: Name, offset: usize, dtype: DType) -> Self {
        Self { name, extras: None, offset, dtype }
    }

    /// A field for [`fill`](Self::fill).
    pub(super) const BLANK: Self =
        Self { name: Name::EMPTY, extras: None, offset: 0, dtype: DType::Scalar(Scalar::new(ScalarKind::Bool, ByteOrder::NATIVE)) };

    /// Makes the blank field a number, in place. Assembling it elsewhere and then moving it causes
    /// a store-forwarding stall.
    #[inline(always)]
    pub(super) fn fill(&mut self, name: ShortName, offset: usize, scalar: &Scalar) {
        self.name.set_short(name);
        self.offset = offset;
        self.set_scalar(scalar);
    }

    /// Replaces the dtype, if it is a scalar.
    #[inline(always)]
    pub(super) fn set_scalar(&mut self, scalar: &Scalar) {
        if let DType::Scalar(own) = &mut self.dtype {
            *own = *scalar;
        }
    }

    pub(super) fn with_extras(self, extras: Extras) -> Self {
        Self { extras: Some(Box::new(extras)), ..self }
    }

    /// Returns the Python literal of a name with a lone surrogate.
    pub(super) fn name_literal(&self) -> Option<&str> {
        self.extras.as_ref()?.name_literal.as_deref()
    }

    /// Sets the title.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.titled(Title::Text(title.into()))
    }

    pub(super) fn titled(mut self, title: Title) -> Self {
        self.extras.get_or_insert_default().title = Some(title);
        self
    }

    /// Returns the name. A lone surrogate, which Rust text cannot hold, appears as the six
    /// characters of its escape, such as `\ud800`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the title, if there is one.
    pub fn title(&self) -> Option<&Title> {
        self.extras.as_ref()?.title.as_ref()
    }

    /// Returns the offset of the field from the beginning of the record, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the dtype of the field.
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Moves the field by a number of bytes.
    pub(crate) fn moved_by(mut self, bytes: usize) -> Self {
        self.offset = self.offset.saturating_add(bytes);
        self
    }

    pub(super) fn end(&self) -> usize {
        self.offset.saturating_add(self.dtype.itemsize())
    }
}

impl From<Record> for DType {
    fn from(record: Record) -> Self {
        Self::Record(record)
    }
}

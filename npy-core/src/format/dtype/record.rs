//! Structured dtypes: records and their fields.

use super::names::repeated;
use super::{ByteOrder, DType, Invalid, MOST_BYTES, Scalar, ScalarKind, invalid, too_large};
use crate::error::Result;
use crate::format::inline::{Name, ShortName};

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

/// What few fields have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Extras {
    /// How Python writes the name, if it holds a lone surrogate: `name` has its escape instead.
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

/// What is wrong with a field that begins before the end of the previous one.
#[cold]
pub(super) fn overlap(expected: usize, found: usize) -> String {
    format!("expected an offset of at least {expected}, found {found}; NumPy cannot save overlapping or out-of-order fields")
}

/// What is wrong with a record that is too short for its fields, or not a multiple of its alignment.
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

    /// What [`fill`](Self::fill) makes a field of.
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

    /// Makes its dtype, which is a scalar, another one.
    #[inline(always)]
    pub(super) fn set_scalar(&mut self, scalar: &Scalar) {
        if let DType::Scalar(own) = &mut self.dtype {
            *own = *scalar;
        }
    }

    pub(super) fn extras_mut(&mut self) -> &mut Extras {
        self.extras.get_or_insert_default()
    }

    /// How Python writes the name, if it is not text.
    pub(super) fn name_literal(&self) -> Option<&str> {
        self.extras.as_ref()?.name_literal.as_deref()
    }

    /// Sets the title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.extras_mut().title = Some(Title::Text(title.into()));
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

    /// The field of a record that has `bytes` more before it.
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

//! Spellings of dtypes: the descr of a header, and the style that `str` and `repr` share with it.

use std::fmt;

use super::repr::push_repr;
use super::scalar::Scalar;
use super::tree::{DType, Field, Record, SubArray, Title};
use crate::error::tuple;

/// The spelling of scalars, and of records with gaps between their fields.
pub(super) struct Style {
    /// Appends the code of a scalar, without quotes.
    pub(super) push_code: fn(Scalar, &mut Vec<u8>),
    /// Appends a record with gaps. `None` writes each gap as a field without a name.
    pub(super) push_padded: Option<fn(&Record, &mut Vec<u8>)>,
}

/// The style of a header.
const DESCR: Style = Style { push_code: Scalar::push, push_padded: None };

/// Estimates how many bytes [`write_descr`] appends.
pub(crate) fn descr_room(dtype: &DType) -> usize {
    match dtype {
        DType::Record(record) => record.fields().len().saturating_mul("('abcdefgh', '<f8'), ".len()),
        _ => 64,
    }
}

/// Appends the literal that `numpy.lib.format.dtype_to_descr` returns, in UTF-8.
pub(crate) fn write_descr(dtype: &DType, out: &mut Vec<u8>) {
    DESCR.push(dtype, out);
}

impl Style {
    pub(super) fn push(&self, dtype: &DType, out: &mut Vec<u8>) {
        match dtype {
            DType::Scalar(scalar) => {
                out.push(b'\'');
                (self.push_code)(*scalar, out);
                out.push(b'\'');
            }
            DType::SubArray(array) => {
                out.push(b'(');
                self.push_sub_array(array, out);
                out.push(b')');
            }
            DType::Record(record) => match self.push_padded {
                Some(push_padded) if !is_packed(record) => push_padded(record, out),
                _ => self.push_record(record, out),
            },
        }
    }

    fn push_sub_array(&self, array: &SubArray, out: &mut Vec<u8>) {
        self.push(array.base(), out);
        out.extend_from_slice(b", ");
        out.extend_from_slice(tuple(array.shape()).as_bytes());
    }

    /// Appends a record as a list of its fields and gaps.
    fn push_record(&self, record: &Record, out: &mut Vec<u8>) {
        let mut end = 0;
        out.push(b'[');
        for field in record.fields() {
            push_gap(end, field.offset(), out);
            out.push(b'(');
            push_names(field, out);
            out.extend_from_slice(b", ");
            match field.dtype() {
                DType::SubArray(array) => self.push_sub_array(array, out),
                dtype => self.push(dtype, out),
            }
            out.extend_from_slice(b"), ");
            end = field.end();
        }
        push_gap(end, record.itemsize(), out);
        if out.ends_with(b", ") {
            out.truncate(out.len() - 2);
        }
        out.push(b']');
    }
}

/// Appends the bytes between two fields as a field without a name.
#[inline]
fn push_gap(begin: usize, end: usize, out: &mut Vec<u8>) {
    if begin < end {
        out.extend_from_slice(format!("('', '|V{}'), ", end - begin).as_bytes());
    }
}

/// Returns whether a record has no gaps.
fn is_packed(record: &Record) -> bool {
    let end = record.fields().iter().try_fold(0, |end, field| (field.offset() == end).then(|| field.end()));
    end == Some(record.itemsize())
}

/// Appends the name of a field, or the tuple of its title and its name.
fn push_names(field: &Field, out: &mut Vec<u8>) {
    let name = field.name.as_bytes();
    if field.extras.is_none() && name.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'\'' | b'\\')) {
        out.push(b'\'');
        out.extend_from_slice(name);
        out.push(b'\'');
        return;
    }
    let name = name_literal(field);
    let text = match field.title() {
        Some(title) => format!("({}, {name})", title_literal(title)),
        None => name,
    };
    out.extend_from_slice(text.as_bytes());
}

/// Returns the name of a field as a Python literal.
pub(super) fn name_literal(field: &Field) -> String {
    field.name_literal().map_or_else(|| quoted(field.name()), str::to_owned)
}

/// Returns the title of a field as a Python literal.
pub(super) fn title_literal(title: &Title) -> String {
    match title {
        Title::Text(text) => quoted(text),
        Title::Literal(literal) => literal.clone(),
    }
}

fn quoted(text: &str) -> String {
    let mut literal = String::new();
    push_repr(text, &mut literal);
    literal
}

impl DType {
    /// Returns the descr of a header, exactly as `numpy.lib.format.dtype_to_descr` does: a string in
    /// quotes, a list or a tuple.
    pub fn descr(&self) -> String {
        let mut text = Vec::new();
        write_descr(self, &mut text);
        String::from_utf8(text).unwrap_or_default()
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

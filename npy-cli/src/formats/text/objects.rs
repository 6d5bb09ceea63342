//! Python objects as text.
//!
//! Dates and times are ISO 8601; a timedelta is a number of microseconds. Decimal numbers are the text of their digits. Any other
//! object is the text of Python's `repr`.

use std::borrow::Cow;

use npy_core::object::{ObjectArray, PyObject};

use crate::failure::Result;

/// Takes the text that is complete, and clears it.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&mut String) -> Result<()>;

/// The bytes of text that are collected.
pub(crate) const PIECE: usize = 1 << 16;

/// An object as text, of dates and times ISO 8601.
pub(crate) fn text_of(object: &PyObject) -> Cow<'_, str> {
    match object {
        PyObject::Str(text) | PyObject::Decimal(text) => Cow::Borrowed(text),
        PyObject::Date(_) | PyObject::Time(_) | PyObject::DateTime(_) | PyObject::Uuid(_) | PyObject::Fraction(_) => {
            // An array without axes is printed as Python's `str`.
            let text = ObjectArray::new(&[], vec![object.clone()]).map(|array| array.to_string()).unwrap_or_default();
            Cow::Owned(if matches!(object, PyObject::DateTime(_)) { text.replacen(' ', "T", 1) } else { text })
        }
        other => Cow::Owned(other.to_string()),
    }
}

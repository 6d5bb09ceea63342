//! Deserialization of a [`PyObject`] itself.

use std::cell::Cell;
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::super::value::PyObject;

/// The name by which [`PyObject`] asks for an object as it is.
pub(super) const NAME: &str = "$npy_core::object::PyObject";

thread_local! {
    /// The object on its way to the visitor: serde's data has no place for a date or a tuple.
    static HANDED_OVER: Cell<Option<PyObject>> = const { Cell::new(None) };
}

/// Gives an object as it is to the visitor of [`PyObject`].
pub(super) fn hand_over<'de, V: Visitor<'de>, E: serde::de::Error>(object: &PyObject, visitor: V) -> Result<V::Value, E> {
    HANDED_OVER.set(Some(object.clone()));
    let value = visitor.visit_unit();
    HANDED_OVER.set(None);
    value
}

/// Takes any object. [`from_object`](super::super::from_object) and
/// [`ObjectArray::deserialize`](super::super::ObjectArray::deserialize) give it as it is, so it is
/// the type of a field that may hold anything.
///
/// From another format it is the nearest Python object: a sequence is a list, a map a dict.
///
/// ```
/// use npy_core::object::{ObjectArray, PyDate, PyObject};
///
/// let date = PyDate::new(2024, 2, 29).expect("a day of a leap year");
/// let pair = PyObject::Tuple(vec![PyObject::from(1), PyObject::Date(date)]);
/// let array = ObjectArray::from(vec![pair.clone()]);
/// assert_eq!(array.deserialize::<(u8, PyObject)>()?[0].1.to_string(), "datetime.date(2024, 2, 29)");
/// assert_eq!(array.deserialize::<PyObject>()?, [pair]);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<'de> Deserialize<'de> for PyObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, ObjectVisitor)
    }
}

struct ObjectVisitor;

macro_rules! visit_values {
    ($($function:ident($value:ident: $type:ty) => $object:expr;)*) => {$(
        fn $function<E: serde::de::Error>(self, $value: $type) -> Result<PyObject, E> {
            Ok($object)
        }
    )*};
}

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = PyObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a Python object")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<PyObject, E> {
        Ok(HANDED_OVER.take().unwrap_or(PyObject::None))
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<PyObject, E> {
        Ok(PyObject::None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<PyObject, D::Error> {
        PyObject::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<PyObject, D::Error> {
        deserializer.deserialize_any(self)
    }

    visit_values! {
        visit_bool(value: bool) => PyObject::from(value);
        visit_i64(value: i64) => PyObject::from(value);
        visit_i128(value: i128) => PyObject::from(value);
        visit_u64(value: u64) => PyObject::from(value);
        visit_f64(value: f64) => PyObject::from(value);
        visit_str(value: &str) => PyObject::from(value);
        visit_string(value: String) => PyObject::from(value);
        visit_bytes(value: &[u8]) => PyObject::from(value);
        visit_byte_buf(value: Vec<u8>) => PyObject::from(value);
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<PyObject, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(PyObject::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<PyObject, A::Error> {
        let mut dict = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            dict.push(entry);
        }
        Ok(PyObject::Dict(dict))
    }
}

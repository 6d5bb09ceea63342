//! Objects as any type that implements `serde::Deserialize`.

use std::fmt;

use serde::Deserializer;
use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, IntoDeserializer, Visitor};

use super::array::ObjectArray;
use super::convert::{self, FromPyObject};
use super::value::PyObject;
use crate::dtype::{DType, Field, ScalarKind};
use crate::error::{Result, ValueError, ValueProblem};

/// An object as a value of any type that implements `Deserialize`.
///
/// Structs and maps come from dictionaries, sequences and tuples from lists, tuples, sets and arrays of one dimension, enums without data
/// from texts, others from dictionaries of one entry; `None` is that of an `Option`. Numbers of NumPy are numbers. An integer is also a
/// float where it is exact; nothing else is converted.
///
/// # Errors
///
/// When the object is no value of the type.
///
/// ```
/// use npy_core::object::{self, PyObject};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Debug, PartialEq)]
/// struct Station {
///     name: String,
///     height: Option<f64>,
/// }
///
/// let entries = [("name", PyObject::from("GRF")), ("height", PyObject::None)];
/// let object = PyObject::Dict(entries.map(|(key, value)| (PyObject::from(key), value)).into());
/// let station: Station = object::from_object(&object)?;
/// assert_eq!(station, Station { name: "GRF".to_owned(), height: None });
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn from_object<T: DeserializeOwned>(object: &PyObject) -> Result<T> {
    T::deserialize(Element::of(object)).map_err(|problem| problem.0.in_element(0))
}

impl ObjectArray {
    /// The objects as values of any type that implements `Deserialize`, in the order C; of an array of records also structs, by the names
    /// of the fields. See [`from_object`].
    ///
    /// # Errors
    ///
    /// When an object is no value of the type: the error says which.
    ///
    /// ```
    /// use npy_core::object::{ObjectArray, PyObject};
    ///
    /// let array = ObjectArray::from(vec![PyObject::List(vec![PyObject::from(1), PyObject::from(2)])]);
    /// assert_eq!(array.deserialize::<(u8, f32)>()?, [(1, 2.0)]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let deserialize = |(index, item): (usize, &PyObject)| {
            let element = Element { object: item, dtype: Some(self.dtype()) };
            T::deserialize(element).map_err(|problem| problem.0.in_element(index as u64))
        };
        self.items().iter().enumerate().map(deserialize).collect()
    }
}

/// What serde says, on its way to becoming an error of this crate.
#[derive(Debug)]
struct Problem(ValueError);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(ValueProblem::Unrepresentable { problem: message.to_string() }.into())
    }
}

/// An object, and its dtype if it is an element of an array: the items of a tuple that is a record have the names of the fields.
///
/// It is gone into as deep as the type and the object are, which reading bounds.
#[derive(Clone, Copy)]
struct Element<'de> {
    object: &'de PyObject,
    dtype: Option<&'de DType>,
}

impl<'de> Element<'de> {
    fn of(object: &'de PyObject) -> Self {
        Self { object, dtype: None }
    }

    /// The fields, if it is a record: each with its name.
    fn fields(self) -> Option<impl ExactSizeIterator<Item = (&'de str, Self)>> {
        let (PyObject::Tuple(items), Some(DType::Record(record))) = (self.object, self.dtype) else { return None };
        let field = |(field, object): (&'de Field, &'de PyObject)| (field.name(), Element { object, dtype: Some(field.dtype()) });
        Some(record.fields().iter().zip(items).map(field))
    }
}

impl<'de> IntoDeserializer<'de, Problem> for Element<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Element<'de> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if let Some(fields) = self.fields() {
            return map(visitor, fields);
        }
        match self.object {
            PyObject::None => visitor.visit_unit(),
            PyObject::Bool(value) => visitor.visit_bool(*value),
            PyObject::Int(value) => match (value.to_i64(), value.to_i128()) {
                (Some(value), _) => visitor.visit_i64(value),
                (None, Some(value)) => match u64::try_from(value) {
                    Ok(value) => visitor.visit_u64(value),
                    Err(_) => visitor.visit_i128(value),
                },
                // Larger than any integer of serde's: its digits.
                (None, None) => visitor.visit_string(value.to_string()),
            },
            PyObject::Float(value) => visitor.visit_f64(*value),
            PyObject::Str(text) | PyObject::Decimal(text) => visitor.visit_borrowed_str(text),
            PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => visitor.visit_borrowed_bytes(bytes),
            PyObject::List(items) | PyObject::Tuple(items) | PyObject::Set(items) | PyObject::FrozenSet(items) => {
                sequence(visitor, items.iter().map(Element::of))
            }
            PyObject::Objects(array) if array.shape().len() == 1 => {
                let dtype = Some(array.dtype());
                sequence(visitor, array.items().iter().map(|object| Element { object, dtype }))
            }
            PyObject::Array(array) if array.shape().len() == 1 => match convert::scalars(array) {
                Some(items) => sequence(visitor, items.into_iter().map(Scalar)),
                None => Err(unsuitable(self.object)),
            },
            PyObject::Dict(entries) | PyObject::OrderedDict(entries) => {
                map(visitor, entries.iter().map(|(key, value)| (Element::of(key), Element::of(value))))
            }
            PyObject::Scalar(scalar) => visit_scalar(self.object, scalar.dtype(), visitor),
            PyObject::Uuid(_) => {
                // As Python's `str` of it.
                let text = self.object.to_string();
                visitor.visit_str(text.trim_start_matches("UUID('").trim_end_matches("')"))
            }
            other => Err(unsuitable(other)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.fields() {
            Some(fields) => sequence(visitor, fields.map(|(_, element)| element)),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.object {
            PyObject::None => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_f64(f64::from_object(self.object).map_err(Problem)?)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_f32(f32::from_object(self.object).map_err(Problem)?)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match self.object {
            PyObject::Str(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            PyObject::Scalar(_) => {
                let text = String::from_object(self.object).map_err(Problem)?;
                visitor.visit_enum(text.into_deserializer())
            }
            PyObject::Dict(entries) | PyObject::OrderedDict(entries) if entries.len() == 1 => {
                let map = MapDeserializer::new(entries.iter().map(|(key, value)| (Element::of(key), Element::of(value))));
                visitor.visit_enum(MapAccessDeserializer::new(map))
            }
            other => {
                let rust_type = format!("{name} ({})", variants.join(", "));
                Err(Problem(ValueProblem::ObjectType { found: other.type_name().to_owned(), rust_type }.into()))
            }
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit unit_struct map struct identifier ignored_any
    }
}

fn sequence<'de, V, T>(visitor: V, items: impl ExactSizeIterator<Item = T>) -> Result<V::Value, Problem>
where
    V: Visitor<'de>,
    T: IntoDeserializer<'de, Problem>,
{
    let mut items = SeqDeserializer::new(items);
    let value = visitor.visit_seq(&mut items)?;
    items.end()?;
    Ok(value)
}

fn map<'de, V, K>(visitor: V, entries: impl Iterator<Item = (K, Element<'de>)>) -> Result<V::Value, Problem>
where
    V: Visitor<'de>,
    K: IntoDeserializer<'de, Problem>,
{
    let mut map = MapDeserializer::new(entries);
    let value = visitor.visit_map(&mut map)?;
    map.end()?;
    Ok(value)
}

fn unsuitable(object: &PyObject) -> Problem {
    de::Error::custom(format_args!("the object is {}, which is no data of serde's", object.type_name()))
}

/// A number or a text of NumPy.
fn visit_scalar<'de, V: Visitor<'de>>(object: &PyObject, dtype: &DType, visitor: V) -> Result<V::Value, Problem> {
    let DType::Scalar(scalar) = dtype else { return Err(unsuitable(object)) };
    match scalar.kind() {
        ScalarKind::Bool => visitor.visit_bool(bool::from_object(object).map_err(Problem)?),
        ScalarKind::UInt64 => visitor.visit_u64(u64::from_object(object).map_err(Problem)?),
        ScalarKind::Unicode { .. } => visitor.visit_string(String::from_object(object).map_err(Problem)?),
        ScalarKind::Bytes { .. } => visitor.visit_byte_buf(Vec::<u8>::from_object(object).map_err(Problem)?),
        ScalarKind::Float16 | ScalarKind::Float32 | ScalarKind::Float64 => {
            visitor.visit_f64(f64::from_object(object).map_err(Problem)?)
        }
        _ => match i64::from_object(object) {
            Ok(value) => visitor.visit_i64(value),
            Err(_) => Err(unsuitable(object)),
        },
    }
}

/// A scalar of its own, made of an element of an array.
struct Scalar(PyObject);

impl IntoDeserializer<'_, Problem> for Scalar {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Scalar {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match &self.0 {
            PyObject::Scalar(scalar) => visit_scalar(&self.0, scalar.dtype(), visitor),
            other => Err(unsuitable(other)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

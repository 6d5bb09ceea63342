//! Deserialization of objects into any type that implements `serde::Deserialize`.

mod object;
mod times;

use std::{fmt, slice};

use serde::Deserializer;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::value::array::ObjectArray;
use super::value::convert::FromPyObject;
use super::value::{PyObject, convert};
use crate::dynamic::DynValues;
use crate::error::describe::name_in_message;
use crate::error::{Result, ValueError, first_names};
use crate::format::calendar::iso_8601;
use crate::format::dtype::{Class, DType, Field};
use crate::format::scalar::Value;

/// Deserializes an object into any type that implements `Deserialize`.
///
/// | Python object | serde data |
/// |---|---|
/// | `None` | a unit, and `None` of an `Option` |
/// | `bool`, `int`, `float`, and NumPy's | these; an integer is also a float where it is exact |
/// | `int` beyond 128 bits | its digits, a string |
/// | `str`, `np.str_`, `Decimal`, `Fraction` (`1/3`), `UUID` | a string |
/// | `bytes`, `bytearray`, `np.bytes_` | bytes |
/// | `complex`, NumPy's of 8 and 16 bytes | a sequence of two floats |
/// | `date`, `time`, `datetime`, `timezone` | a string in ISO 8601, as `isoformat` prints it |
/// | `timedelta` | a string, a duration in ISO 8601 such as `P1DT2H` |
/// | `np.datetime64` | a string in ISO 8601; for an integer type its count of units since 1970; NaT is `None` of an `Option` |
/// | `np.timedelta64` | its count of units, an integer; NaT is `None` of an `Option` |
/// | `list`, `tuple`, `set`, `frozenset` | a sequence, a tuple |
/// | arrays | sequences in sequences, one for each axis; inner axes of an empty one are left out |
/// | `dict`, `OrderedDict` | a map, a struct; one of one entry also an enum with data |
/// | elements of an array of records with objects | a struct by the names of the fields, a tuple |
/// | `str` | an enum without data |
/// | any object | a [`PyObject`] |
///
/// Values that no field asks for are ignored.
///
/// # Errors
///
/// When the object is not a value of the type: the error says where in it.
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
    T::deserialize(Element::of(object, None)).map_err(|problem| problem.0.in_object())
}

impl ObjectArray {
    /// Deserializes the objects into any type that implements `Deserialize`, in C order. Records
    /// become structs by the names of their fields. See [`from_object`].
    ///
    /// # Errors
    ///
    /// When an object is not a value of the type: the error says which.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        let deserialize = |(index, item): (usize, &PyObject)| {
            T::deserialize(Element::of(item, Some(self.dtype()))).map_err(|problem| problem.0.in_element(index as u64))
        };
        self.items().iter().enumerate().map(deserialize).collect()
    }
}

/// An error of serde, which becomes one of this crate.
#[derive(Debug)]
struct Problem(ValueError);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(ValueError::new(message.to_string()))
    }

    fn invalid_type(unexpected: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        match unexpected {
            // serde's name for `None` of Python is "unit value".
            de::Unexpected::Unit => Self::custom(format_args!("invalid type: None, expected {expected}; read it as an `Option`")),
            other => Self::custom(format_args!("invalid type: {other}, expected {expected}")),
        }
    }
}

/// An object, or several of an array along its axes.
///
/// The items of a tuple that is a record have the names of the fields of its dtype. Recursion is as deep as the type and the object,
/// which reading bounds.
#[derive(Clone, Copy)]
struct Element<'a> {
    objects: &'a [PyObject],
    shape: &'a [usize],
    dtype: Option<&'a DType>,
}

impl<'a> Element<'a> {
    fn of(object: &'a PyObject, dtype: Option<&'a DType>) -> Self {
        Self { objects: slice::from_ref(object), shape: &[], dtype }
    }

    /// The object, unless there are axes.
    fn object(self) -> Option<&'a PyObject> {
        match (self.shape, self.objects) {
            ([], [object]) => Some(object.plain()),
            _ => None,
        }
    }

    /// The parts along the first axis, no more than there are objects, whatever the shape of an empty array claims.
    fn parts(self) -> impl ExactSizeIterator<Item = Self> {
        let shape = self.shape.get(1..).unwrap_or_default();
        let length = shape.iter().fold(1_usize, |count, length| count.saturating_mul(*length)).max(1);
        self.objects.chunks_exact(length).map(move |objects| Self { objects, shape, ..self })
    }

    /// The fields of a record by their names.
    fn fields(self) -> Option<impl ExactSizeIterator<Item = (&'a str, Self)>> {
        let (Some(PyObject::Tuple(items)), Some(DType::Record(record))) = (self.object(), self.dtype) else { return None };
        let field = |(field, item): (&'a Field, &'a PyObject)| (field.name(), Self::of(item, Some(field.dtype())));
        Some(record.fields().iter().zip(items).map(field))
    }
}

impl IntoDeserializer<'_, Problem> for Element<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Integers may also be the count of units of a time.
macro_rules! deserialize_integers {
    ($($function:ident)*) => {$(
        fn $function<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
            match self.object().and_then(steps) {
                Some(steps) => visitor.visit_i64(steps?),
                None => self.deserialize_any(visitor),
            }
        }
    )*};
}

/// Floats may also be integers, where they are exact.
macro_rules! deserialize_floats {
    ($($function:ident $visit:ident $type:ty;)*) => {$(
        fn $function<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
            match self.object() {
                Some(object @ (PyObject::Int(_) | PyObject::Float(_) | PyObject::Scalar(_))) => {
                    visitor.$visit(<$type>::from_object(object).map_err(Problem)?)
                }
                _ => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Element<'_> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if let Some(fields) = self.fields() {
            return map(visitor, fields.map(|(name, element)| (Key::Field(name), element)));
        }
        let Some(object) = self.object() else { return sequence(visitor, self.parts()) };
        match object {
            PyObject::None => visitor.visit_unit(),
            PyObject::Bool(value) => visitor.visit_bool(*value),
            PyObject::Int(value) => match value.to_i128() {
                Some(value) => visit_integer(value, visitor),
                // Beyond the integers of serde: its digits.
                None => visitor.visit_string(value.to_string()),
            },
            PyObject::Float(value) => visitor.visit_f64(*value),
            PyObject::Complex { re, im } => pair(visitor, *re, *im),
            PyObject::Str(text) | PyObject::Decimal(text) => visitor.visit_str(text),
            PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => visitor.visit_bytes(bytes),
            PyObject::List(items) | PyObject::Tuple(items) | PyObject::Set(items) | PyObject::FrozenSet(items) => {
                sequence(visitor, items.iter().map(|item| Element::of(item, None)))
            }
            PyObject::Objects(array) => {
                Element { objects: array.items(), shape: array.shape(), dtype: Some(array.dtype()) }.deserialize_any(visitor)
            }
            PyObject::Array(array) => match convert::scalars(array) {
                Some(items) => Element { objects: &items, shape: array.shape(), dtype: None }.deserialize_any(visitor),
                None => Err(unsuitable(object)),
            },
            PyObject::Dict(entries) | PyObject::OrderedDict(entries) => map(visitor, entries_of(entries)),
            PyObject::Scalar(scalar) => visit_scalar(object, scalar, visitor),
            other => match times::text(other) {
                Some(text) => visitor.visit_string(text),
                None => Err(unsuitable(other)),
            },
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
        match self.object() {
            Some(PyObject::None) => visitor.visit_none(),
            Some(object) if steps(object).is_some_and(|steps| steps.is_err()) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Problem> {
        match (name, self.shape, self.objects) {
            // As it is, with its class.
            (object::NAME, [], [object]) => object::hand_over(object, visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match self.object() {
            Some(PyObject::Str(text)) => visitor.visit_enum(text.as_str().into_deserializer()),
            Some(object @ PyObject::Scalar(_)) => {
                let text = String::from_object(object).map_err(Problem)?;
                visitor.visit_enum(text.into_deserializer())
            }
            Some(PyObject::Dict(entries) | PyObject::OrderedDict(entries)) if entries.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(Entries::new(entries_of(entries))))
            }
            other => {
                let (found, variants) = (other.map_or("numpy.ndarray", PyObject::type_name), first_names(variants));
                Err(de::Error::custom(format_args!("expected a variant of {name} ({variants}), found {found}")))
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_unit()
    }

    deserialize_integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    deserialize_floats! {
        deserialize_f32 visit_f32 f32;
        deserialize_f64 visit_f64 f64;
    }

    serde::forward_to_deserialize_any! {
        bool char str string bytes byte_buf unit unit_struct map struct identifier
    }
}

/// The steps of a `datetime64` or a `timedelta64`, an error for NaT; `None` for other objects.
fn steps(object: &PyObject) -> Option<Result<i64, Problem>> {
    match object {
        PyObject::Scalar(scalar) => match convert::value(scalar)? {
            Value::Time(steps) => Some(steps.ok_or_else(|| Problem(ValueError::not_a_time()))),
            _ => None,
        },
        _ => None,
    }
}

fn sequence<'de, V, T>(visitor: V, items: impl ExactSizeIterator<Item = T>) -> Result<V::Value, Problem>
where
    V: Visitor<'de>,
    T: IntoDeserializer<'de, Problem>,
{
    let length = items.len();
    let mut items = Items { items, index: 0 };
    let value = visitor.visit_seq(&mut items)?;
    match items.items.len() {
        0 => Ok(value),
        _ => Err(de::Error::invalid_length(length, &format!("a sequence of length {}", items.index).as_str())),
    }
}

/// The items of a sequence; an error says in which it is.
struct Items<I> {
    items: I,
    index: usize,
}

impl<'de, T: IntoDeserializer<'de, Problem>, I: ExactSizeIterator<Item = T>> SeqAccess<'de> for Items<I> {
    type Error = Problem;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Problem> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index = index.saturating_add(1);
        seed.deserialize(item.into_deserializer()).map(Some).map_err(|problem| Problem(problem.0.at_index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

fn pair<'de, V: Visitor<'de>>(visitor: V, re: f64, im: f64) -> Result<V::Value, Problem> {
    sequence(visitor, [re, im].into_iter())
}

fn map<'de, 'a, V: Visitor<'de>>(visitor: V, entries: impl Iterator<Item = (Key<'a>, Element<'a>)>) -> Result<V::Value, Problem> {
    visitor.visit_map(Entries::new(entries))
}

fn entries_of(entries: &[(PyObject, PyObject)]) -> impl Iterator<Item = (Key<'_>, Element<'_>)> {
    entries.iter().map(|(key, value)| (Key::Object(key), Element::of(value, None)))
}

/// The key of a value.
#[derive(Clone, Copy)]
enum Key<'a> {
    Field(&'a str),
    Object(&'a PyObject),
}

impl Key<'_> {
    /// The key in the path of an error.
    fn name(self) -> String {
        match self {
            Self::Field(name) => name_in_message(name),
            Self::Object(PyObject::Str(text)) => name_in_message(text),
            Self::Object(PyObject::Int(value)) if value.to_i64().is_some() => value.to_string(),
            Self::Object(other) => format!("({})", other.type_name()),
        }
    }
}

/// The entries of a map; an error says in which it is.
struct Entries<'a, I> {
    entries: I,
    value: Option<(Key<'a>, Element<'a>)>,
}

impl<I> Entries<'_, I> {
    fn new(entries: I) -> Self {
        Self { entries, value: None }
    }
}

impl<'de, 'a, I: Iterator<Item = (Key<'a>, Element<'a>)>> MapAccess<'de> for Entries<'a, I> {
    type Error = Problem;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Problem> {
        self.value = self.entries.next();
        match self.value {
            None => Ok(None),
            Some((Key::Field(name), _)) => seed.deserialize(name.into_deserializer()).map(Some),
            Some((Key::Object(key), _)) => seed.deserialize(Element::of(key, None)).map(Some),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Problem> {
        let Some((key, value)) = self.value.take() else { return Err(de::Error::custom("expected a key before its value")) };
        seed.deserialize(value).map_err(|problem| Problem(problem.0.in_path(key.name())))
    }
}

fn unsuitable(object: &PyObject) -> Problem {
    de::Error::custom(format_args!("expected data that serde knows, found {}", object.type_name()))
}

/// An integer as the narrowest type of serde that holds it.
fn visit_integer<'de, V: Visitor<'de>>(value: i128, visitor: V) -> Result<V::Value, Problem> {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => visitor.visit_i64(value),
        (_, Ok(value)) => visitor.visit_u64(value),
        _ => visitor.visit_i128(value),
    }
}

/// A number, a text or a time of NumPy.
fn visit_scalar<'de, V: Visitor<'de>>(object: &PyObject, value: &DynValues, visitor: V) -> Result<V::Value, Problem> {
    let DType::Scalar(scalar) = value.dtype() else { return Err(unsuitable(object)) };
    match (convert::value(value), scalar.class()) {
        (Some(Value::Bool(value)), _) => visitor.visit_bool(value),
        (Some(Value::Integer(value)), _) => visit_integer(value, visitor),
        (Some(Value::Float(value)), _) => visitor.visit_f64(value),
        (Some(Value::Complex(re, im)), _) => pair(visitor, re, im),
        (Some(Value::Time(_)), class) => match (steps(object), scalar.time_unit()) {
            (Some(steps), Some((unit, count))) if class == Class::Datetime => {
                visitor.visit_string(iso_8601(unit, i128::from(steps?) * i128::from(count)))
            }
            // Months and years have no fixed length.
            (Some(steps), _) => visitor.visit_i64(steps?),
            _ => Err(unsuitable(object)),
        },
        (Some(Value::Bytes(bytes)), Class::Bytes) => visitor.visit_bytes(bytes),
        (Some(Value::Text(_)), _) => visitor.visit_string(String::from_object(object).map_err(Problem)?),
        _ => Err(unsuitable(object)),
    }
}

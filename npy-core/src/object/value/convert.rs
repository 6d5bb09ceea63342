//! Objects as values of Rust types.

use super::PyObject;
use super::array::ObjectArray;
use super::encode::c_order;
use super::int::PyInt;
use super::time::{PyDate, PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
use crate::dynamic::DynValues;
use crate::element::NpyElement;
use crate::error::describe::name_in_message;
use crate::error::{Error, ValueError};
use crate::format::dtype::{Class, DType};
use crate::format::scalar::Value;

/// A Rust type that Python objects can be converted to, by
/// [`ObjectArray::to_vec`](super::super::ObjectArray::to_vec).
///
/// | Rust type | Python objects |
/// |---|---|
/// | `String` | `str`, also NumPy's |
/// | `bool` | `bool`, also NumPy's |
/// | integers, [`PyInt`] | `int`, also NumPy's of any size, if the value fits |
/// | `f64`, `f32` | `float` and NumPy's, `int` if the value is exact; `f32` only what it holds exactly |
/// | `Vec<u8>` | `bytes`, `bytearray` |
/// | `Option<T>` | `None`, and the objects that `T` takes |
/// | `Vec<T>` | `list`, `tuple`, and one-dimensional arrays of NumPy |
/// | [`PyDate`], [`PyTime`], [`PyDateTime`], [`PyTimeDelta`], [`PyTimeZone`] | those of the module `datetime` |
/// | [`ObjectArray`] | arrays of objects |
/// | [`DynValues`] | other arrays of NumPy, and its scalars |
/// | [`PyObject`] | all |
///
/// For structs, maps and enums there is `deserialize` with the feature `serde`.
///
/// ```
/// use npy_core::object::{ObjectArray, PyObject};
///
/// let array = ObjectArray::from(vec![PyObject::from(1.5), PyObject::None]);
/// assert_eq!(array.to_vec::<Option<f64>>()?, [Some(1.5), None]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    note = "see the table of `FromPyObject`; with the feature `serde`, `ObjectArray::deserialize` takes any `Deserialize` type"
)]
pub trait FromPyObject: Sized {
    /// Converts an object.
    #[doc(hidden)]
    fn from_object(object: &PyObject) -> Result<Self, ValueError>;

    /// Converts the items of an object: of a list, or `bytes` for `u8`.
    #[doc(hidden)]
    fn items(object: &PyObject) -> Result<Vec<Self>, ValueError> {
        sequence(object)
    }
}

impl ObjectArray {
    /// Converts the objects to values of a Rust type, in C order.
    ///
    /// Fails if an object is not a value of that type. The error names its element.
    pub fn to_vec<T: FromPyObject>(&self) -> Result<Vec<T>, Error> {
        let convert = |(index, item): (usize, &PyObject)| T::from_object(item).map_err(|error| error.in_element(index as u64));
        self.items().iter().enumerate().map(convert).collect()
    }
}

impl FromPyObject for PyObject {
    fn from_object(object: &PyObject) -> Result<Self, ValueError> {
        Ok(object.clone())
    }
}

impl FromPyObject for String {
    fn from_object(object: &PyObject) -> Result<Self, ValueError> {
        match object {
            PyObject::Str(text) => Ok(text.clone()),
            PyObject::Scalar(scalar) if matches!(value(scalar), Some(Value::Text(_))) => element(scalar, "String"),
            other => Err(mismatch(other, "String")),
        }
    }
}

impl FromPyObject for bool {
    fn from_object(object: &PyObject) -> Result<Self, ValueError> {
        match object {
            PyObject::Bool(value) => Ok(*value),
            PyObject::Scalar(scalar) => element(scalar, "bool"),
            other => Err(mismatch(other, "bool")),
        }
    }
}

impl FromPyObject for PyInt {
    fn from_object(object: &PyObject) -> Result<Self, ValueError> {
        integer(object).ok_or_else(|| mismatch(object, "an integer"))
    }
}

impl<T: FromPyObject> FromPyObject for Option<T> {
    fn from_object(object: &PyObject) -> Result<Self, ValueError> {
        match object {
            PyObject::None => Ok(None),
            other => T::from_object(other).map(Some),
        }
    }
}

impl<T: FromPyObject> FromPyObject for Vec<T> {
    fn from_object(object: &PyObject) -> Result<Self, ValueError> {
        T::items(object)
    }
}

/// The types that an object holds.
macro_rules! from_variant {
    ($($type:ident: $variant:pat => $value:expr;)*) => {$(
        impl FromPyObject for $type {
            fn from_object(object: &PyObject) -> Result<Self, ValueError> {
                match object.plain() {
                    $variant => Ok($value),
                    other => Err(mismatch(other, stringify!($type))),
                }
            }
        }
    )*};
}

from_variant! {
    PyDate: PyObject::Date(date) => *date;
    PyTime: PyObject::Time(time) => PyTime::clone(time);
    PyDateTime: PyObject::DateTime(moment) => PyDateTime::clone(moment);
    PyTimeDelta: PyObject::TimeDelta(delta) => *delta;
    PyTimeZone: PyObject::TimeZone(zone) => PyTimeZone::clone(zone);
    ObjectArray: PyObject::Objects(array) => ObjectArray::clone(array);
    DynValues: PyObject::Array(values) | PyObject::Scalar(values) => DynValues::clone(values);
}

/// The bytes of an object.
fn bytes(object: &PyObject) -> Result<Vec<u8>, ValueError> {
    match object.plain() {
        PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => Ok(bytes.clone()),
        PyObject::List(_) | PyObject::Tuple(_) | PyObject::Array(_) => sequence(object),
        PyObject::Scalar(scalar) => match (scalar.dtype(), value(scalar)) {
            (DType::Scalar(dtype), Some(Value::Bytes(bytes))) if dtype.class() == Class::Bytes => Ok(bytes.to_vec()),
            _ => Err(mismatch(object, "Vec<u8>")),
        },
        other => Err(mismatch(other, "Vec<u8>")),
    }
}

fn sequence<T: FromPyObject>(object: &PyObject) -> Result<Vec<T>, ValueError> {
    let convert = |(index, item): (usize, &PyObject)| T::from_object(item).map_err(|error| error.at_index(index));
    match object.plain() {
        PyObject::List(items) | PyObject::Tuple(items) => items.iter().enumerate().map(convert).collect(),
        PyObject::Objects(array) if array.shape().len() == 1 => array.items().iter().enumerate().map(convert).collect(),
        PyObject::Array(array) if array.shape().len() == 1 => {
            let items = scalars(array).ok_or_else(|| mismatch(object, "Vec"))?;
            items.iter().enumerate().map(convert).collect()
        }
        other => Err(mismatch(other, "Vec")),
    }
}

/// The elements of an array in C order, as scalars.
pub(crate) fn scalars(array: &DynValues) -> Option<Vec<PyObject>> {
    let header = array.header().reshaped(&[]).ok()?;
    let itemsize = array.dtype().itemsize();
    // Elements of zero bytes are unbounded.
    if itemsize == 0 {
        return None;
    }
    let at = |index: usize| array.bytes().get(index.checked_mul(itemsize)?..)?.get(..itemsize);
    let scalar = |bytes: &[u8]| Some(PyObject::Scalar(Box::new(DynValues::with_header(header.clone(), bytes.to_vec()).ok()?)));
    c_order(array).map(|index| scalar(at(index)?)).collect()
}

/// The value of a NumPy scalar; `None` for a long double, which `f64` does not hold.
pub(crate) fn value(scalar: &DynValues) -> Option<Value<'_>> {
    let DType::Scalar(dtype) = scalar.dtype() else { return None };
    let float = dtype.part().unwrap_or(*dtype);
    let is_held = float.class() != Class::Float || float.itemsize() <= size_of::<f64>();
    dtype.value(scalar.bytes()).filter(|_| is_held)
}

macro_rules! from_integer {
    ($($type:ident)*) => {$(
        from_integer! { [$type] }
    )*};
    ([$type:ident] $($items:item)?) => {
        impl FromPyObject for $type {
            fn from_object(object: &PyObject) -> Result<Self, ValueError> {
                let value = integer(object).ok_or_else(|| match object {
                    PyObject::Float(_) => ValueError::inexact(object, stringify!($type)),
                    other => mismatch(other, stringify!($type)),
                })?;
                let fits = value.to_i128().and_then(|value| Self::try_from(value).ok());
                fits.ok_or_else(|| ValueError::out_of_range(object, stringify!($type)))
            }

            $($items)?
        }
    };
}

from_integer! { i8 i16 i32 i64 i128 isize u16 u32 u64 u128 usize }
from_integer! {
    [u8] fn items(object: &PyObject) -> Result<Vec<Self>, ValueError> {
        bytes(object)
    }
}

impl FromPyObject for f64 {
    fn from_object(object: &PyObject) -> Result<Self, ValueError> {
        if let Some(integer) = integer(object) {
            let value = integer.to_f64().filter(|value| is_exactly(*value, &integer));
            return value.ok_or_else(|| ValueError::inexact(object, "f64"));
        }
        match object {
            PyObject::Float(value) => Ok(*value),
            PyObject::Scalar(scalar) => match value(scalar) {
                Some(Value::Float(value)) => Ok(value),
                _ => Err(mismatch(object, "f64")),
            },
            other => Err(mismatch(other, "f64")),
        }
    }
}

impl FromPyObject for f32 {
    fn from_object(object: &PyObject) -> Result<Self, ValueError> {
        let wide = f64::from_object(object)?;
        #[expect(clippy::cast_possible_truncation, reason = "compared right after")]
        let narrow = wide as Self;
        if f64::from(narrow).to_bits() == wide.to_bits() || wide.is_nan() {
            Ok(narrow)
        } else {
            Err(ValueError::inexact(object, "f32"))
        }
    }
}

/// Returns whether a float equals an integer.
fn is_exactly(value: f64, integer: &PyInt) -> bool {
    format!("{value:.0}") == integer.to_string()
}

/// Converts an integer of Python or of NumPy, but not a bool.
fn integer(object: &PyObject) -> Option<PyInt> {
    match object {
        PyObject::Int(value) => Some(value.clone()),
        PyObject::Scalar(scalar) => match self::value(scalar) {
            Some(Value::Integer(value)) => Some(PyInt::from(value)),
            _ => None,
        },
        _ => None,
    }
}

/// The element of a scalar.
fn element<T: NpyElement>(scalar: &DynValues, rust_type: &str) -> Result<T, ValueError> {
    let element = scalar.to_vec::<T>().ok().and_then(|mut items| items.pop());
    element.ok_or_else(|| wrong_type(&format!("a NumPy scalar of {}", scalar.dtype()), rust_type))
}

fn mismatch(object: &PyObject, rust_type: &str) -> ValueError {
    let found = match object {
        PyObject::Scalar(scalar) => format!("a NumPy scalar of {}", scalar.dtype()),
        PyObject::Opaque(opaque) => format!("{}.{}", name_in_message(&opaque.module), name_in_message(&opaque.name)),
        other => other.type_name().to_owned(),
    };
    wrong_type(&found, rust_type)
}

/// The error of an object of another type than the Rust type takes.
fn wrong_type(found: &str, rust_type: &str) -> ValueError {
    let hint = if found == "None" { "read it as an `Option`" } else { "`PyObject` takes any object" };
    ValueError::new(format!("expected {rust_type}, found {found}; {hint}"))
}

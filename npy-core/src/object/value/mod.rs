//! Python objects as Rust values.

pub(crate) mod array;
pub(crate) mod convert;
pub(crate) mod decimal;
pub(crate) mod encode;
pub(crate) mod int;
pub(crate) mod iso;
pub(crate) mod parts;
pub(crate) mod subclass;
pub(crate) mod surrogates;
pub(crate) mod time;

use crate::dynamic::DynValues;
use crate::format::dtype::DType;
use array::ObjectArray;
use int::PyInt;
use subclass::{ArrayClass, Subclass};
use surrogates::SurrogateStr;
use time::{PyDate, PyDateTime, PyTime, PyTimeDelta, PyTimeZone};

/// A Python object: a value, or a container of others.
///
/// Its `Display` is Python's `repr`.
///
/// ```
/// use npy_core::object::PyObject;
///
/// let object = PyObject::Tuple(vec![PyObject::from(1), PyObject::from("it's"), PyObject::None]);
/// assert_eq!(object.to_string(), r#"(1, "it's", None)"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PyObject {
    /// `None`
    None,
    /// `bool`
    Bool(bool),
    /// `int`, of any size.
    Int(PyInt),
    /// `float`
    Float(f64),
    /// `complex`
    Complex {
        /// The real part.
        re: f64,
        /// The imaginary part.
        im: f64,
    },
    /// `str`, and with [`Encoding::Ascii`](super::Encoding::Ascii) or
    /// [`Latin1`](super::Encoding::Latin1) that of Python 2.
    Str(String),
    /// A `str` with lone surrogates, which a `String` cannot hold.
    SurrogateStr(SurrogateStr),
    /// `bytes`
    Bytes(Vec<u8>),
    /// `bytearray`
    ByteArray(Vec<u8>),
    /// `list`
    List(Vec<Self>),
    /// `tuple`; also an element of an array of records.
    Tuple(Vec<Self>),
    /// `dict`, in the order of the pickle.
    Dict(Vec<(Self, Self)>),
    /// `collections.OrderedDict`
    OrderedDict(Vec<(Self, Self)>),
    /// `set`, in the order of the pickle.
    Set(Vec<Self>),
    /// `frozenset`, in the order of the pickle.
    FrozenSet(Vec<Self>),
    /// `range`, and Python 2's `xrange`: start, stop and step.
    Range(Box<[PyInt; 3]>),
    /// `slice`: start, stop and step.
    Slice(Box<[Self; 3]>),
    /// `datetime.date`
    Date(PyDate),
    /// `datetime.time`
    Time(Box<PyTime>),
    /// `datetime.datetime`
    DateTime(Box<PyDateTime>),
    /// `datetime.timedelta`
    TimeDelta(PyTimeDelta),
    /// `datetime.timezone`
    TimeZone(Box<PyTimeZone>),
    /// `decimal.Decimal`, in the spelling of its `str`.
    Decimal(String),
    /// `fractions.Fraction`: numerator and denominator, which are read in lowest terms if they fit an
    /// `i128`, and as the pickle has them otherwise.
    Fraction(Box<[PyInt; 2]>),
    /// `uuid.UUID`, the most significant byte first.
    Uuid([u8; 16]),
    /// `numpy.dtype`
    DType(Box<DType>),
    /// A scalar of NumPy, such as `np.float32(1.5)` or `np.datetime64(…)`: an array without
    /// dimensions.
    Scalar(Box<DynValues>),
    /// An array of NumPy.
    Array(Box<DynValues>),
    /// An array of objects.
    Objects(Box<ObjectArray>),
    /// An array or a scalar of one of NumPy's own subclasses, such as a masked array.
    Subclass(Box<Subclass>),
    /// An object of an unknown class.
    Opaque(Box<Opaque>),
}

/// An object of an unknown class, or an unknown class or function itself.
///
/// Only [`UnknownGlobals::Opaque`](super::UnknownGlobals::Opaque) makes them. They cannot be
/// written.
///
/// See [`ObjectOptions`](super::ObjectOptions) for an example.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Opaque {
    /// The Python module.
    pub module: String,
    /// The class or function in the module.
    pub name: String,
    /// The arguments of the constructor; `None` for the class or function itself.
    pub arguments: Option<Vec<PyObject>>,
    /// The argument of `__setstate__`, or the attributes.
    pub state: Option<PyObject>,
    /// The items to append to the object.
    pub items: Vec<PyObject>,
    /// The keys and values to set in the object.
    pub entries: Vec<(PyObject, PyObject)>,
}

impl Opaque {
    pub(crate) fn named(module: &str, name: &str, arguments: Option<Vec<PyObject>>) -> Self {
        let (module, name) = (module.to_owned(), name.to_owned());
        Self { module, name, arguments, state: None, items: Vec::new(), entries: Vec::new() }
    }
}

impl PyObject {
    /// Returns the name of the Python type, such as `str`, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Complex { .. } => "complex",
            Self::Str(_) => "str",
            Self::SurrogateStr(_) => "str with a lone surrogate",
            Self::Bytes(_) => "bytes",
            Self::ByteArray(_) => "bytearray",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::OrderedDict(_) => "OrderedDict",
            Self::Set(_) => "set",
            Self::FrozenSet(_) => "frozenset",
            Self::Range(_) => "range",
            Self::Slice(_) => "slice",
            Self::Date(_) => "datetime.date",
            Self::Time(_) => "datetime.time",
            Self::DateTime(_) => "datetime.datetime",
            Self::TimeDelta(_) => "datetime.timedelta",
            Self::TimeZone(_) => "datetime.timezone",
            Self::Decimal(_) => "Decimal",
            Self::Fraction(_) => "Fraction",
            Self::Uuid(_) => "UUID",
            Self::DType(_) => "numpy.dtype",
            Self::Scalar(_) => "NumPy scalar",
            Self::Array(_) | Self::Objects(_) => "numpy.ndarray",
            Self::Subclass(object) => match object.class {
                ArrayClass::Matrix => "numpy.matrix",
                ArrayClass::RecArray => "numpy.recarray",
                ArrayClass::Record => "numpy.record",
                ArrayClass::Masked { is_void: true, .. } => "numpy.ma.core.mvoid",
                ArrayClass::Masked { .. } => "numpy.ma.MaskedArray",
                ArrayClass::MaskedElement | ArrayClass::MaskedConstant => "numpy.ma.masked",
            },
            Self::Opaque(_) => "object of an unknown class",
        }
    }
}

macro_rules! from_value {
    ($($type:ty => |$value:ident| $object:expr;)*) => {$(
        impl From<$type> for PyObject {
            fn from($value: $type) -> Self {
                $object
            }
        }
    )*};
}

from_value! {
    bool => |value| Self::Bool(value);
    i32 => |value| Self::Int(PyInt::from(value));
    u32 => |value| Self::Int(PyInt::from(value));
    i64 => |value| Self::Int(PyInt::from(value));
    u64 => |value| Self::Int(PyInt::from(value));
    i128 => |value| Self::Int(PyInt::from(value));
    PyInt => |value| Self::Int(value);
    f64 => |value| Self::Float(value);
    &str => |value| Self::Str(value.to_owned());
    String => |value| Self::Str(value);
    &[u8] => |value| Self::Bytes(value.to_vec());
    Vec<u8> => |value| Self::Bytes(value);
    ObjectArray => |value| Self::Objects(Box::new(value));
    DynValues => |value| Self::Array(Box::new(value));
}

/// `None` is Python's `None`.
impl<T: Into<Self>> From<Option<T>> for PyObject {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}

//! The kind that the objects of a column share, and the dtype that holds them.

use std::borrow::Cow;

use npy_core::DType;
use npy_core::dtype::{ByteOrder, Scalar, ScalarKind, TimeUnit};
use npy_core::object::{FromPyObject, Opaque, PyInt, PyObject};
use npy_core::scalar::Class;

use crate::values::fields;

/// The options of a user.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wish<'a> {
    pub(crate) dtype: Option<&'a DType>,
    pub(crate) is_lossy: bool,
    /// Whether the target has nulls for `None`, so that any value may stand there.
    pub(crate) has_nulls: bool,
}

/// A kind of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Bool,
    Int,
    Float,
    Complex,
    Text,
    Bytes,
    Date,
    DateTime,
    Span,
    /// A scalar of NumPy that Python has no type for.
    Numpy(Scalar),
    /// A value that text formats have, but no dtype: the name of its type.
    TextOnly(&'static str),
}

impl Kind {
    /// The kind of an object; `None` for `None`, for containers, and for objects of unknown classes.
    pub(super) fn of(object: &PyObject) -> Option<Self> {
        Some(match object {
            PyObject::Bool(_) => Self::Bool,
            PyObject::Int(_) => Self::Int,
            PyObject::Float(_) => Self::Float,
            PyObject::Complex { .. } => Self::Complex,
            PyObject::Str(_) => Self::Text,
            PyObject::Bytes(_) | PyObject::ByteArray(_) => Self::Bytes,
            PyObject::Date(_) => Self::Date,
            PyObject::DateTime(moment) if moment.time().zone().is_some() => Self::TextOnly("datetime with a time zone"),
            PyObject::DateTime(_) => Self::DateTime,
            PyObject::TimeDelta(_) => Self::Span,
            PyObject::Time(_) | PyObject::Decimal(_) | PyObject::Fraction(_) | PyObject::Uuid(_) => {
                Self::TextOnly(object.type_name())
            }
            PyObject::Scalar(values) => Self::of_scalar(fields::scalar_of(values.dtype())?),
            _ => return None,
        })
    }

    fn of_scalar(scalar: Scalar) -> Self {
        match scalar.class() {
            _ if matches!(scalar.kind(), ScalarKind::Ml(_) | ScalarKind::Float8E5M2) => Self::Numpy(scalar),
            Class::Bool => Self::Bool,
            Class::Signed | Class::Unsigned => Self::Int,
            Class::Float if is_float(scalar) => Self::Float,
            Class::Unicode => Self::Text,
            Class::Bytes => Self::Bytes,
            _ => Self::Numpy(scalar),
        }
    }

    /// The kind that holds the values of both.
    fn joined(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Self::Int | Self::Float, Self::Int | Self::Float) => Some(Self::Float),
            (Self::Int | Self::Float | Self::Complex, Self::Int | Self::Float | Self::Complex) => Some(Self::Complex),
            (Self::Date | Self::DateTime, Self::Date | Self::DateTime) => Some(Self::DateTime),
            _ => None,
        }
    }
}

/// Why a column has no kind, or no dtype: the position of an object, and a message.
pub(super) type Problem = (usize, String);

/// The common properties of the objects of a column.
#[derive(Debug, Default)]
pub(super) struct Column {
    pub(super) kind: Option<Kind>,
    /// The position of the first `None`.
    pub(super) first_none: Option<usize>,
    /// The dtype of NumPy's scalars, if all are of the same one.
    scalar: Option<Scalar>,
    is_mixed: bool,
    lowest: i128,
    highest: i128,
    /// The position of an integer that neither of the dtypes of 64 bits holds.
    too_large: Option<usize>,
    /// Of texts in characters, of bytes in bytes.
    longest: usize,
}

impl Column {
    /// Looks at all objects. Fails at the first of another kind.
    pub(super) fn of(items: &[&PyObject]) -> Result<Self, Problem> {
        let mut column = Self::default();
        let mut first = 0;
        for (position, item) in items.iter().enumerate() {
            if is_missing(item) {
                column.first_none.get_or_insert(position);
                continue;
            }
            let kind = Kind::of(item).ok_or_else(|| {
                let found = type_of(item);
                (position, format!("expected a value of a plain type, found {found}{}", advice(&found)))
            })?;
            let joined = column.kind.map_or(Some(kind), |known| known.joined(kind));
            let Some(joined) = joined else {
                let expected = items.get(first).map_or("None".to_owned(), |item| type_of(item));
                return Err((position, format!("expected {expected} as in element {first}, found {}", type_of(item))));
            };
            if column.kind.is_none() {
                first = position;
            }
            column.add(item, position, column.kind.is_none());
            column.kind = Some(joined);
        }
        Ok(column)
    }

    fn add(&mut self, item: &PyObject, position: usize, is_first: bool) {
        let scalar = if let PyObject::Scalar(values) = item { fields::scalar_of(values.dtype()) } else { None };
        self.is_mixed |= !is_first && scalar != self.scalar;
        self.scalar = scalar;
        match item {
            PyObject::Str(text) => self.longest = self.longest.max(text.chars().count()),
            PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => self.longest = self.longest.max(bytes.len()),
            PyObject::Scalar(values) => match scalar.map(Scalar::kind) {
                Some(ScalarKind::Unicode { length } | ScalarKind::Bytes { length }) => self.longest = self.longest.max(length),
                _ => self.add_integer(PyInt::from_object(&PyObject::Scalar(values.clone())).ok(), position),
            },
            PyObject::Int(value) => self.add_integer(Some(value.clone()), position),
            _ => {}
        }
    }

    fn add_integer(&mut self, value: Option<PyInt>, position: usize) {
        let Some(value) = value else { return };
        match value.to_i128().filter(|value| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value)) {
            Some(value) => (self.lowest, self.highest) = (self.lowest.min(value), self.highest.max(value)),
            None => _ = self.too_large.get_or_insert(position),
        }
    }

    /// The dtype that holds the values. Where some are `None`, `wanted` tells whether they can be NaN.
    pub(super) fn dtype(&self, wanted: Option<Scalar>, wish: Wish<'_>) -> Result<Scalar, Problem> {
        let Some(kind) = self.kind else {
            if wish.has_nulls {
                return Ok(new(ScalarKind::Float64));
            }
            let hint = "--dtype f8 makes it NaN, and another dtype of numbers or times as well";
            let position = self.first_none.unwrap_or(0);
            return wanted
                .filter(|wanted| has_none(*wanted))
                .or((self.first_none.is_none()).then(|| new(ScalarKind::Float64)))
                .ok_or_else(|| (position, format!("expected a value that has a dtype, found None; {hint}")));
        };
        let scalar = self.scalar_of_kind(kind)?;
        let Some(position) = self.first_none.filter(|_| !has_none(scalar) && !wish.has_nulls) else { return Ok(scalar) };
        match (scalar.kind(), wanted) {
            (ScalarKind::Unicode { .. } | ScalarKind::Bytes { .. }, _) if wish.is_lossy => Ok(scalar),
            (ScalarKind::Unicode { .. } | ScalarKind::Bytes { .. }, _) => {
                Err((position, format!("expected a value that {scalar} holds, found a missing one; --lossy makes it empty")))
            }
            (_, Some(wanted)) if has_none(wanted) && matches!(kind, Kind::Bool | Kind::Int) => Ok(new(ScalarKind::Float64)),
            _ => Err((position, format!("expected a value that {scalar} holds, found a missing one; --dtype f8 makes it NaN"))),
        }
    }

    fn scalar_of_kind(&self, kind: Kind) -> Result<Scalar, Problem> {
        let is_flexible = matches!(kind, Kind::Text | Kind::Bytes);
        if let Some(scalar) = self.scalar.filter(|_| !self.is_mixed && !is_flexible) {
            return Ok(scalar);
        }
        Ok(new(match kind {
            Kind::Bool => ScalarKind::Bool,
            Kind::Int => match (self.too_large, i64::try_from(self.highest)) {
                (Some(position), _) => {
                    return Err((
                        position,
                        "expected an integer of 64 bits, found a larger one; CSV and JSON keep all digits".to_owned(),
                    ));
                }
                (None, Ok(_)) => ScalarKind::Int64,
                (None, Err(_)) if self.lowest >= 0 => ScalarKind::UInt64,
                (None, Err(_)) => {
                    let message = "expected integers that one dtype holds, found negative ones beside some beyond <i8";
                    return Err((0, format!("{message}; CSV and JSON keep all digits")));
                }
            },
            Kind::Float => ScalarKind::Float64,
            Kind::Complex => ScalarKind::Complex128,
            Kind::Text => ScalarKind::Unicode { length: self.longest.max(1) },
            Kind::Bytes => ScalarKind::Bytes { length: self.longest.max(1) },
            Kind::Date => ScalarKind::Datetime { unit: TimeUnit::Day, count: 1 },
            Kind::DateTime => ScalarKind::Datetime { unit: TimeUnit::Microsecond, count: 1 },
            Kind::Span => ScalarKind::Timedelta { unit: TimeUnit::Microsecond, count: 1 },
            Kind::Numpy(scalar) if !self.is_mixed => return Ok(scalar),
            Kind::Numpy(scalar) => return Err((0, format!("expected values of one kind, found {scalar} among others"))),
            Kind::TextOnly(name) => {
                return Err((0, format!("expected a value that a dtype holds, found {name}; CSV and JSON have its text")));
            }
        }))
    }
}

/// The object as one that the dtype of the column holds. Losses are errors.
pub(super) fn normal(scalar: Scalar, object: &PyObject, is_lossy: bool) -> Result<Cow<'_, PyObject>, String> {
    let failed = |_| format!("expected a value that {scalar} holds exactly, found {object}");
    if let PyObject::Scalar(values) = object
        && fields::scalar_of(values.dtype()) == Some(scalar)
    {
        return Ok(Cow::Borrowed(object));
    }
    let padded = |is_padded: bool, value: PyObject| {
        if is_padded && !is_lossy {
            return Err("expected no NUL at the end, which NumPy's dtype does not keep; allow it with --lossy".to_owned());
        }
        Ok(Cow::Owned(value))
    };
    Ok(match (scalar.kind(), object) {
        (ScalarKind::Float16 | ScalarKind::Float32 | ScalarKind::Float64, PyObject::None) => Cow::Owned(PyObject::Float(f64::NAN)),
        (ScalarKind::Float64, PyObject::Bool(value)) => Cow::Owned(PyObject::Float(f64::from(u8::from(*value)))),
        (ScalarKind::Float64, object) => Cow::Owned(PyObject::Float(f64::from_object(object).map_err(failed)?)),
        (ScalarKind::Complex64 | ScalarKind::Complex128, PyObject::None) => Cow::Owned(PyObject::Complex { re: f64::NAN, im: 0.0 }),
        (ScalarKind::Complex128, PyObject::Int(_) | PyObject::Scalar(_)) => {
            Cow::Owned(PyObject::Float(f64::from_object(object).map_err(failed)?))
        }
        (ScalarKind::Unicode { .. }, PyObject::None) => Cow::Owned(PyObject::Str(String::new())),
        (ScalarKind::Unicode { .. }, PyObject::Str(text)) if !text.ends_with('\0') => Cow::Borrowed(object),
        (ScalarKind::Unicode { .. }, object) => {
            let text = String::from_object(object).map_err(failed)?;
            return padded(text.ends_with('\0'), PyObject::Str(text));
        }
        (ScalarKind::Bytes { .. }, PyObject::None) => Cow::Owned(PyObject::Bytes(Vec::new())),
        (ScalarKind::Bytes { .. }, object) => {
            let bytes = Vec::<u8>::from_object(object).map_err(failed)?;
            return padded(bytes.ends_with(b"\0"), PyObject::Bytes(bytes));
        }
        (ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. }, object) if is_missing(object) => Cow::Owned(PyObject::None),
        // Where it is null, by way of a format that has nulls.
        (ScalarKind::Bool, PyObject::None) => Cow::Owned(PyObject::Bool(false)),
        (_, PyObject::None) => Cow::Owned(PyObject::from(0)),
        (ScalarKind::Bool, PyObject::Scalar(_)) => Cow::Owned(PyObject::Bool(bool::from_object(object).map_err(failed)?)),
        (_, PyObject::Scalar(_)) => Cow::Owned(PyObject::Int(PyInt::from_object(object).map_err(failed)?)),
        _ => Cow::Borrowed(object),
    })
}

/// Whether it is `None`, or NaT without a unit.
pub(super) fn is_missing(object: &PyObject) -> bool {
    match object {
        PyObject::None => true,
        PyObject::Scalar(values) => {
            let unit = fields::scalar_of(values.dtype()).and_then(Scalar::time_unit);
            unit.is_some_and(|(unit, _)| unit == TimeUnit::Generic) && values.to_string() == "NaT"
        }
        _ => false,
    }
}

/// Whether NaN stands for `None` among these, as pandas has it: where values are, and none of them is a number.
pub(super) fn has_nan_for_none(items: &[&PyObject]) -> bool {
    let mut has_nan = false;
    let mut has_value = false;
    for item in items.iter().filter(|item| !is_missing(item)) {
        match Kind::of(item) {
            Some(Kind::Float) if is_nan(item) => has_nan = true,
            Some(Kind::Int | Kind::Float | Kind::Complex | Kind::Numpy(_)) | None => return false,
            Some(_) => has_value = true,
        }
    }
    has_nan && has_value
}

pub(super) fn is_nan(object: &PyObject) -> bool {
    match object {
        PyObject::Float(value) => value.is_nan(),
        PyObject::Scalar(_) => f64::from_object(object).is_ok_and(f64::is_nan),
        _ => false,
    }
}

/// Whether a reader of CSV takes some of these for text.
pub(super) fn are_text_in_csv(items: &[&PyObject]) -> bool {
    let mut has_missing = false;
    let mut has_bool = false;
    for item in items {
        match Kind::of(item) {
            _ if is_missing(item) => has_missing = true,
            Some(Kind::Bool) => has_bool = true,
            // Their text is that of a number.
            Some(Kind::TextOnly(_)) if matches!(item, PyObject::Decimal(_)) => {}
            Some(Kind::Text | Kind::Bytes | Kind::TextOnly(_)) | None => return true,
            Some(_) => {}
        }
    }
    has_bool && has_missing
}

/// Whether the dtype has a value for `None`: NaN or NaT.
fn has_none(scalar: Scalar) -> bool {
    scalar.time_unit().is_some() || is_float(scalar.part().unwrap_or(scalar)) && scalar.kind() != ScalarKind::Complex32
}

/// Whether it is a float of NumPy that an `f64` holds.
fn is_float(scalar: Scalar) -> bool {
    matches!(scalar.kind(), ScalarKind::Float16 | ScalarKind::Float32 | ScalarKind::Float64)
}

/// What to do about objects of these classes; empty where there is no advice.
pub(crate) fn advice(classes: &str) -> &'static str {
    if classes.contains("pandas.") {
        "; in Python, to_numpy() makes an array of it, and to_records() one with its columns"
    } else {
        ""
    }
}

/// Whether it is a reference to an object around it.
pub(super) fn is_cycle(opaque: &Opaque) -> bool {
    opaque.module.is_empty()
}

/// The type of an object, for messages.
pub(crate) fn type_of(object: &PyObject) -> String {
    match object {
        PyObject::Scalar(values) => format!("a NumPy scalar of {}", values.dtype()),
        PyObject::Opaque(opaque) if is_cycle(opaque) => "a cyclic reference".to_owned(),
        PyObject::Opaque(opaque) => format!("{}.{}", opaque.module, opaque.name),
        other => other.type_name().to_owned(),
    }
}

fn new(kind: ScalarKind) -> Scalar {
    Scalar::new(kind, ByteOrder::NATIVE)
}

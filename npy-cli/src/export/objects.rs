//! Python objects as JSON and as cells of CSV.
//!
//! `None` is `null` in JSON and an empty cell in CSV. Dates and times are ISO 8601; a timedelta is a number of microseconds.
//! Decimal numbers, and integers beyond 64 bits, are the text of their digits. Any other object is the text of Python's `repr`.

use std::borrow::Cow;

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::object::{ObjectArray, PyObject, PyTimeDelta, encode_object, sub_items};
use npy_core::{DType, DynValues};

use super::cell::{Flavor, Push, push_of};
use super::json::{Json, Layout, Writer};
use crate::failure::{Failure, Result};
use crate::objects::without_missing;
use crate::values::columns::{self, Column};
use crate::values::quantity;

/// What is done with text whenever some is complete.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&mut String) -> Result<()>;

/// How much text is collected.
pub(super) const PIECE: usize = 1 << 16;

/// Writes an array as JSON.
pub(crate) fn json(array: &ObjectArray, layout: Layout, sink: Sink<'_>) -> Result<()> {
    let present = without_missing(array);
    let array = present.as_ref().unwrap_or(array);
    let (dtype, items) = (array.dtype(), array.items());
    let mut text = String::new();
    let Some((&rows, inner)) = array.shape().split_first() else {
        push_list(&[], &mut items.iter(), dtype, &mut text);
        text.push('\n');
        return sink(&mut text);
    };
    let is_whole = layout == Layout::Whole;
    let between = match layout {
        Layout::Lines => "\n",
        Layout::Whole if inner.is_empty() && !matches!(dtype, DType::Record(_)) => ",",
        Layout::Whole => ",\n",
    };
    let mut items = items.iter();
    text.push_str(if is_whole { "[" } else { "" });
    for row in 0..rows {
        text.push_str(if row > 0 { between } else { "" });
        push_list(inner, &mut items, dtype, &mut text);
        if text.len() > PIECE {
            sink(&mut text)?;
        }
    }
    text.push_str(if is_whole {
        "]\n"
    } else if rows > 0 {
        "\n"
    } else {
        ""
    });
    sink(&mut text)
}

/// Fails where JSON has no type for an object.
pub(crate) fn expect_json(array: &ObjectArray) -> Result<()> {
    for (position, item) in array.items().iter().enumerate() {
        if let Some(found) = unknown_to_json(item) {
            let index = quantity::unraveled(position as u64, array.shape());
            let element = if let [index] = index[..] { index.to_string() } else { quantity::shape(&index) };
            return Err(Failure::Nameless(format!(
                "element {element}: expected a value that JSON has, found {found}; --lossy writes its text"
            )));
        }
    }
    Ok(())
}

/// The type of the first object that JSON has no type for.
fn unknown_to_json(object: &PyObject) -> Option<String> {
    match object.plain() {
        PyObject::Dict(entries) | PyObject::OrderedDict(entries) => entries.iter().find_map(|(key, value)| match key {
            PyObject::Str(_) => unknown_to_json(value),
            key => Some(format!("a dict with a key of type {}", key.type_name())),
        }),
        PyObject::Opaque(opaque) => Some(format!("{}.{}", opaque.module, opaque.name)),
        PyObject::None
        | PyObject::Bool(_)
        | PyObject::Int(_)
        | PyObject::Float(_)
        | PyObject::Complex { .. }
        | PyObject::Str(_)
        | PyObject::Bytes(_)
        | PyObject::ByteArray(_)
        | PyObject::List(_)
        | PyObject::Tuple(_)
        | PyObject::Date(_)
        | PyObject::Time(_)
        | PyObject::DateTime(_)
        | PyObject::TimeDelta(_)
        | PyObject::Decimal(_)
        | PyObject::Fraction(_)
        | PyObject::Uuid(_)
        | PyObject::Scalar(_)
        | PyObject::Array(_)
        | PyObject::Objects(_) => object.plain().children().into_iter().find_map(unknown_to_json),
        other => Some(other.type_name().to_owned()),
    }
}

/// Appends the next items as lists in lists.
fn push_list(shape: &[usize], items: &mut dyn Iterator<Item = &PyObject>, dtype: &DType, out: &mut String) {
    match shape.split_first() {
        None => push(items.next().unwrap_or(&PyObject::None), dtype, out),
        Some((length, inner)) => separated(['[', ']'], 0..*length, out, |_, out| push_list(inner, items, dtype, out)),
    }
}

/// Appends an object as JSON.
fn push(object: &PyObject, dtype: &DType, out: &mut String) {
    let any = object_dtype();
    match (object.plain(), dtype) {
        (PyObject::Tuple(items), DType::Record(record)) => {
            separated(['{', '}'], record.fields().iter().zip(items), out, |(field, item), out| {
                Json::text(field.name(), out);
                out.push(':');
                push(item, field.dtype(), out);
            });
        }
        // A field that is not an object: the value of its dtype, such as a time.
        (object, dtype) if !dtype.has_object() && push_as(dtype, object, out).is_some() => {}
        (PyObject::None, _) => out.push_str("null"),
        (PyObject::Bool(value), _) => out.push_str(if *value { "true" } else { "false" }),
        // JSON has no limit, but its readers have.
        (PyObject::Int(value), _) => {
            match value.to_i128().filter(|value| i64::try_from(*value).is_ok() || u64::try_from(*value).is_ok()) {
                Some(value) => out.push_str(&value.to_string()),
                None => Json::text(&value.to_string(), out),
            }
        }
        (PyObject::Float(value), _) => push_float(*value, out),
        (PyObject::Complex { re, im }, _) => separated(['[', ']'], [re, im], out, |part, out| push_float(*part, out)),
        (PyObject::Bytes(bytes) | PyObject::ByteArray(bytes), _) => {
            Json::bytes(bytes, out);
        }
        (PyObject::TimeDelta(delta), _) => out.push_str(&microseconds(*delta).to_string()),
        (PyObject::List(items) | PyObject::Tuple(items), _) => {
            separated(['[', ']'], items, out, |item, out| push(item, &any, out));
        }
        (PyObject::Dict(entries) | PyObject::OrderedDict(entries), _)
            if entries.iter().all(|(key, _)| matches!(key, PyObject::Str(_))) =>
        {
            separated(['{', '}'], entries, out, |(key, value), out| {
                Json::text(&text_of(key), out);
                out.push(':');
                push(value, &any, out);
            });
        }
        (PyObject::Scalar(values) | PyObject::Array(values), _) => {
            let before = out.len();
            if push_values(values, out).is_err() {
                out.truncate(before);
                Json::text(&object.to_string(), out);
            }
        }
        (PyObject::Objects(array), _) => push_list(array.shape(), &mut array.items().iter(), array.dtype(), out),
        (other, _) => Json::text(&text_of(other), out),
    }
}

/// Appends a value of a dtype without objects; `None` if the object is not one.
fn push_as(dtype: &DType, object: &PyObject, out: &mut String) -> Option<()> {
    let mut bytes = Vec::new();
    encode_object(dtype, object, &mut bytes)?;
    let values = DynValues::new(dtype.clone(), npy_core::Order::C, &[], bytes).ok()?;
    push_values(&values, out).ok()
}

/// Appends items with commas between them.
fn separated<T>(
    [open, close]: [char; 2],
    items: impl IntoIterator<Item = T>,
    out: &mut String,
    mut push: impl FnMut(T, &mut String),
) {
    out.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        push(item, out);
    }
    out.push(close);
}

fn push_float(value: f64, out: &mut String) {
    out.push_str(&super::json::number(value).to_string());
}

/// Appends an array in one line.
fn push_values(values: &DynValues, out: &mut String) -> Result<()> {
    let mut text = String::new();
    let mut writer = Writer::new(values.dtype(), values.shape(), Layout::Whole)?;
    writer.rows(values, &mut text)?;
    writer.end(&mut text);
    // Line feeds in texts are escaped.
    out.extend(text.chars().filter(|character| *character != '\n'));
    Ok(())
}

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

fn microseconds(delta: PyTimeDelta) -> i128 {
    let seconds = i128::from(delta.days()) * 86_400 + i128::from(delta.seconds());
    seconds * 1_000_000 + i128::from(delta.microseconds())
}

/// `|O`, whose items tell what they are.
fn object_dtype() -> DType {
    Scalar::new(ScalarKind::Object, ByteOrder::NATIVE).into()
}

/// Appends the text of a cell.
type Text<'a> = &'a dyn Fn(&mut String);

/// The cells of an element in CSV.
pub(super) enum Cells {
    Object,
    /// Without objects.
    Values(DType, Vec<(Column, Push)>),
    Record(Vec<Self>),
    /// The number of axes that are taken apart, and the cells of an item.
    List(usize, Box<Self>),
}

impl Cells {
    pub(super) fn new<F: Flavor>(dtype: &DType) -> Result<Self> {
        Ok(match dtype {
            dtype if !dtype.has_object() => {
                let columns = columns::of(dtype)?.into_iter().map(|column| (push_of::<F>(column.scalar), column));
                Self::Values(dtype.clone(), columns.map(|(push, column)| (column, push)).collect())
            }
            DType::Scalar(_) => Self::Object,
            DType::Record(record) => {
                Self::Record(record.fields().iter().map(|field| Self::new::<F>(field.dtype())).collect::<Result<_>>()?)
            }
            DType::SubArray(array) => {
                let axes = if matches!(array.base(), DType::SubArray(_)) { 1 } else { array.shape().len() };
                Self::List(axes, Box::new(Self::new::<F>(array.base())?))
            }
        })
    }

    /// Calls `each` with a function that appends the next cell. An object that is not of the dtype is one cell.
    pub(super) fn for_each<F: Flavor>(&self, object: &PyObject, each: &mut dyn FnMut(Text<'_>)) {
        match (self, object) {
            (Self::Values(dtype, columns), object) => {
                let mut bytes = Vec::new();
                if encode_object(dtype, object, &mut bytes).is_none() {
                    return each(&|out| cell::<F>(object, out));
                }
                for (column, push) in columns {
                    for item in column.bytes(&bytes).chunks_exact(column.scalar.itemsize().max(1)).take(column.count) {
                        each(&|out| push(column.scalar, item, out));
                    }
                }
            }
            (Self::Record(fields), PyObject::Tuple(parts)) => {
                for (field, part) in fields.iter().zip(parts) {
                    field.for_each::<F>(part, each);
                }
            }
            (Self::List(axes, item), object) => {
                let mut parts = Vec::new();
                sub_items(object, *axes, &mut parts);
                for part in parts {
                    item.for_each::<F>(part, each);
                }
            }
            (_, object) => each(&|out| cell::<F>(object, out)),
        }
    }
}

/// Appends an object as the text of a cell.
fn cell<F: Flavor>(object: &PyObject, out: &mut String) {
    match object {
        PyObject::None => out.push_str(F::NOTHING),
        PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => F::bytes(bytes, out),
        PyObject::TimeDelta(delta) => out.push_str(&microseconds(*delta).to_string()),
        PyObject::Scalar(values) => match values.dtype() {
            DType::Scalar(scalar) => push_of::<F>(*scalar)(*scalar, values.bytes(), out),
            DType::Record(_) | DType::SubArray(_) => F::text(&object.to_string(), out),
        },
        other => F::text(&text_of(other), out),
    }
}

/// Fails where bytes are not UTF-8, which a reader of CSV cannot tell from Latin-1.
pub(crate) fn expect_utf8(array: &ObjectArray) -> Result<()> {
    match array.items().iter().find_map(not_utf8) {
        None => Ok(()),
        Some(bytes) => {
            let found = bytes.escape_ascii();
            Err(Failure::Nameless(format!("expected UTF-8, found the bytes \"{found}\"; write them as Latin-1 with --lossy")))
        }
    }
}

fn not_utf8(object: &PyObject) -> Option<&[u8]> {
    match object {
        PyObject::Bytes(bytes) | PyObject::ByteArray(bytes) => Some(&bytes[..]).filter(|bytes| std::str::from_utf8(bytes).is_err()),
        PyObject::Tuple(parts) => parts.iter().find_map(not_utf8),
        _ => None,
    }
}

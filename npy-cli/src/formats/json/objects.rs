//! Python objects as JSON: `None` is `null`, and integers beyond 64 bits are the text of their digits.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::object::{ObjectArray, PyObject, encode_object};
use npy_core::{DType, DynValues};

use super::write::{Json, Layout, Writer, number};
use crate::failure::{Failure, Result};
use crate::formats::text::cell::Flavor;
use crate::formats::text::objects::{PIECE, Sink, text_of};
use crate::objects::without_missing;
use crate::values::quantity;

/// Writes an array as JSON.
pub(crate) fn write(array: &ObjectArray, layout: Layout, sink: Sink<'_>) -> Result<()> {
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
            let element = quantity::index(&quantity::unraveled(position as u64, array.shape()));
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
        (PyObject::TimeDelta(delta), _) => out.push_str(&delta.total_microseconds().to_string()),
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
    out.push_str(&number(value).to_string());
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

/// `|O`, whose items tell what they are.
fn object_dtype() -> DType {
    Scalar::new(ScalarKind::Object, ByteOrder::NATIVE).into()
}

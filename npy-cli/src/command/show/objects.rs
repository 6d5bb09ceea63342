//! Arrays of Python objects, which are in memory as a whole.

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::object::{ObjectArray, PyObject};
use npy_core::{DType, DynValues};
use serde_json::Value;

use super::{Arguments, print, stream, table};
use crate::escape;
use crate::export::json::{Layout, Writer};
use crate::failure::{Failure, Result};
use crate::objects;
use crate::output::{self, Screen};
use crate::select::{Chosen, Selection};

/// Shows a selection of objects, of which nothing is run.
pub(super) fn show(arguments: &Arguments, selection: &Selection, array: &ObjectArray, screen: &mut Screen) -> Result<()> {
    let options = arguments.print_options(screen);
    let chosen = selection.of_objects(array)?;
    if let Chosen::Objects(objects) = &chosen
        && let Some(classes) = objects::unknown_classes(objects).filter(|_| !arguments.opaque)
    {
        let note = format!("{}: {classes}, shown by name; --opaque leaves this note out", escape::path(&arguments.file));
        output::warn(&note);
    }
    match chosen {
        _ if arguments.csv => Err(Failure::Nameless(
            "unsupported dtype for --csv: Python objects; use --json, or show a field without them".to_owned(),
        )),
        Chosen::Objects(objects) if arguments.json => write_json(&objects, screen),
        Chosen::Objects(objects) if arguments.table => write_table(arguments, selection, &objects, screen),
        Chosen::Objects(objects) => print::write(&objects.display_with(&options), screen),
        Chosen::Values(values) if arguments.json => {
            let mut text = String::new();
            let mut writer = Writer::new(values.dtype(), values.shape(), Layout::Whole)?;
            writer.rows(&values, &mut text)?;
            writer.end(&mut text);
            stream::write_json(&mut text, screen)
        }
        Chosen::Values(values) if arguments.table => table::show_all(arguments, selection, &values, screen),
        Chosen::Values(values) => print::write_values(&values, values.shape(), selection.is_scalar(), &options, screen),
    }
}

fn write_table(arguments: &Arguments, selection: &Selection, objects: &ObjectArray, screen: &mut Screen) -> Result<()> {
    table::check_dtype(objects.dtype())?;
    let DType::Record(record) = objects.dtype() else { return Ok(()) };
    let rows = table::Rows::new(arguments, objects.shape());
    let mut columns = Vec::new();
    for (place, field) in record.fields().iter().enumerate() {
        let cell = |position: usize| match objects.items().get(position) {
            Some(PyObject::Tuple(items)) => items.get(place).map_or_else(String::new, text_of),
            _ => String::new(),
        };
        let cells: Vec<String> = rows.positions().map(cell).collect();
        columns.push(table::Column::new(field.name(), &cells, false, &rows));
    }
    table::write(&rows.labels(selection), columns, arguments, screen)
}

/// An object in a cell: text without quotes.
fn text_of(object: &PyObject) -> String {
    match object {
        PyObject::Str(text) => text.clone(),
        other => other.to_string(),
    }
}

fn write_json(objects: &ObjectArray, screen: &mut Screen) -> Result<()> {
    let mut text = String::new();
    push_list(objects.shape(), &mut objects.items().iter(), objects.dtype(), &mut text);
    text.push('\n');
    stream::write_json(&mut text, screen)
}

/// Appends the next items as lists in lists.
fn push_list(shape: &[usize], items: &mut dyn Iterator<Item = &PyObject>, dtype: &DType, out: &mut String) {
    match shape.split_first() {
        None => push(items.next().unwrap_or(&PyObject::None), dtype, out),
        Some((length, inner)) => separated(['[', ']'], 0..*length, out, |_, out| push_list(inner, items, dtype, out)),
    }
}

/// Appends an object as JSON: what JSON has no type for is the text that Python's `repr` has.
fn push(object: &PyObject, dtype: &DType, out: &mut String) {
    let any = object_dtype();
    match (object, dtype) {
        (PyObject::Tuple(items), DType::Record(record)) => {
            separated(['{', '}'], record.fields().iter().zip(items), out, |(field, item), out| {
                push_text(field.name(), out);
                out.push(':');
                push(item, field.dtype(), out);
            });
        }
        (PyObject::None, _) => out.push_str("null"),
        (PyObject::Bool(value), _) => out.push_str(if *value { "true" } else { "false" }),
        // JSON has no limit, but its readers have.
        (PyObject::Int(value), _) => match value.to_i64() {
            Some(value) => out.push_str(&value.to_string()),
            None => push_text(&value.to_string(), out),
        },
        (PyObject::Float(value), _) => push_float(*value, out),
        (PyObject::Complex { re, im }, _) => separated(['[', ']'], [re, im], out, |part, out| push_float(*part, out)),
        (PyObject::Str(text), _) => push_text(text, out),
        (PyObject::Bytes(bytes) | PyObject::ByteArray(bytes), _) => {
            push_text(&bytes.iter().copied().map(char::from).collect::<String>(), out);
        }
        (PyObject::List(items) | PyObject::Tuple(items), _) => {
            separated(['[', ']'], items, out, |item, out| push(item, &any, out));
        }
        (PyObject::Dict(entries) | PyObject::OrderedDict(entries), _)
            if entries.iter().all(|(key, _)| matches!(key, PyObject::Str(_))) =>
        {
            separated(['{', '}'], entries, out, |(key, value), out| {
                push_text(&text_of(key), out);
                out.push(':');
                push(value, &any, out);
            });
        }
        (PyObject::Scalar(values) | PyObject::Array(values), _) => {
            let before = out.len();
            if push_values(values, out).is_err() {
                out.truncate(before);
                push_text(&object.to_string(), out);
            }
        }
        (PyObject::Objects(array), _) => push_list(array.shape(), &mut array.items().iter(), array.dtype(), out),
        (other, _) => push_text(&other.to_string(), out),
    }
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

fn push_text(text: &str, out: &mut String) {
    out.push_str(&Value::from(text).to_string());
}

fn push_float(value: f64, out: &mut String) {
    match value {
        value if value.is_nan() => out.push_str("\"NaN\""),
        value if value.is_infinite() => out.push_str(if value > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" }),
        value => out.push_str(&Value::from(value).to_string()),
    }
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

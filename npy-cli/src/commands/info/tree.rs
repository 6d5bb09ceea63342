//! Python objects as a tree of keys, so that a user finds the path of an array.

use std::io::Write;

use npy_core::dtype::Record;
use npy_core::object::{ObjectArray, PyObject, record_item};
use serde_json::{Value, json};

use super::dtype::short_dtype;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats::json::write::number;
use crate::input::{Input, object_options};
use crate::objects::{is_intact, type_of};
use crate::output::{Screen, Style, without_nulls};
use crate::select::{entries_of, items_of, key_text};
use crate::values::quantity;

/// The most bytes of a pickle that is read for it.
const MOST_BYTES: u64 = 256 << 20;
/// The most lines, those of one list, and the deepest.
const MOST_LINES: usize = 200;
const MOST_ITEMS: usize = 10;
const MOST_DEPTH: usize = 6;
/// The most characters of a name.
const MOST_NAME: usize = 200;
/// The most characters of a text, and of a name that others are aligned with.
const MOST_CHARACTERS: usize = 40;

/// The lines of a tree, or why there is none.
#[derive(Default)]
pub(super) struct Tree {
    lines: Vec<Line>,
    is_cut: bool,
    /// Why an intact pickle is not read.
    unread: Option<String>,
    /// Of the pickle.
    pub(super) damage: Option<String>,
}

struct Line {
    depth: usize,
    /// As a slice takes it: `Vcorr` or `['a.b']`.
    name: String,
    /// All names that lead there.
    path: String,
    about: String,
    json: Value,
}

/// Where an object is: the number of names that lead there, and the path.
#[derive(Clone, Copy)]
struct At<'a> {
    depth: usize,
    path: &'a str,
}

impl Tree {
    /// Of the only array of an input, if it has Python objects.
    pub(super) fn of(input: &mut Input) -> Result<Option<Self>> {
        let Ok(member) = input.only_member() else { return Ok(None) };
        if input.is_stream() || !input.header(member).is_ok_and(|header| header.dtype().has_object()) {
            return Ok(None);
        }
        if let Some(bytes) = input.available(member)?.filter(|bytes| *bytes > MOST_BYTES) {
            let [most, found] = [MOST_BYTES, bytes].map(quantity::bytes);
            let unread = Some(format!("expected a pickle of at most {most}, found {found}; npy show FILE ['key'] reads it"));
            return Ok(Some(Self { unread, ..Self::default() }));
        }
        match input.with_array(|array| Ok(array.into_objects(object_options()))) {
            Ok(read) => Ok(Some(Self::of_objects(&read))),
            Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => Err(failure),
            Err(failure) => Ok(Some(Self { damage: Some(failure.to_string()), ..Self::default() })),
        }
    }

    /// Of the objects of an array, or of the failure to read them.
    pub(super) fn of_objects(read: &npy_core::Result<ObjectArray>) -> Self {
        let mut tree = Self::default();
        match read {
            Ok(array) => {
                let root = At { depth: 0, path: "" };
                match (array.shape(), array.dtype().record(), array.items()) {
                    ([], None, [only]) => tree.add_below(only, root),
                    _ => tree.add_array(array, root),
                }
            }
            Err(error) => {
                let message = error.message().to_owned();
                *(if is_intact(error) { &mut tree.unread } else { &mut tree.damage }) = Some(message);
            }
        }
        tree
    }

    fn add_below(&mut self, object: &PyObject, at: At<'_>) {
        if at.depth == MOST_DEPTH {
            self.is_cut |= is_container(object);
            return;
        }
        let object = object.plain();
        if let Some(entries) = entries_of(object) {
            for (key, value) in entries.iter().take(MOST_LINES + 1) {
                self.add(name_of(key), value, at);
            }
        } else if let PyObject::Objects(array) = object {
            self.add_array(array, at);
        } else if let Some(items) = items_of(object) {
            self.add_items(items, &[items.len()], at);
        }
    }

    /// Adds the elements of an array, or the fields of one record.
    fn add_array(&mut self, array: &ObjectArray, at: At<'_>) {
        match (array.dtype().record(), array.shape(), array.items()) {
            (None, shape, items) => self.add_items(items, shape, at),
            (Some(record), [], [only]) => self.add_fields(record, only, at),
            (Some(record), shape, records) => {
                let has_container = |item: &PyObject| objects_of(record, item).any(|(_, part)| is_container(part));
                if !records.iter().any(has_container) {
                    return;
                }
                for (place, item) in records.iter().take(MOST_ITEMS).enumerate() {
                    let (name, dtype) = (index_name(place, shape), array.dtype());
                    let json = json!({"type": "record", "dtype": dtype.to_string(), "shape": []});
                    if let Some(path) = self.push(name, short_dtype(dtype), json, at) {
                        self.add_fields(record, item, At { depth: at.depth + 1, path: &path });
                    }
                }
                self.add_rest(records.len(), at);
            }
        }
    }

    /// Adds the fields of a record that are objects, or have some.
    fn add_fields(&mut self, record: &Record, item: &PyObject, at: At<'_>) {
        for (place, part) in objects_of(record, item) {
            let Some(field) = record.fields().get(place) else { continue };
            let name = name_of(&PyObject::from(field.name()));
            match field.dtype().record() {
                Some(inner) if at.depth < MOST_DEPTH => {
                    let json = json!({"type": "record", "dtype": field.dtype().to_string(), "shape": []});
                    if let Some(path) = self.push(name, short_dtype(field.dtype()), json, at) {
                        self.add_fields(inner, part, At { depth: at.depth + 1, path: &path });
                    }
                }
                Some(_) => self.is_cut = true,
                None => self.add(name, part, at),
            }
        }
    }

    /// Adds items, if there are containers among them.
    fn add_items(&mut self, items: &[PyObject], shape: &[usize], at: At<'_>) {
        if !items.iter().any(is_container) {
            return;
        }
        for (place, item) in items.iter().take(MOST_ITEMS).enumerate() {
            self.add(index_name(place, shape), item, at);
        }
        self.add_rest(items.len(), at);
    }

    fn add_rest(&mut self, count: usize, at: At<'_>) {
        if let Some(more) = count.checked_sub(MOST_ITEMS).filter(|more| *more > 0) {
            self.push(format!("… {} more", quantity::count(more as u64)), String::new(), Value::Null, at);
        }
    }

    fn add(&mut self, name: String, object: &PyObject, at: At<'_>) {
        if let Some(path) = self.push(name, about(object), to_json(object), at) {
            self.add_below(object, At { depth: at.depth + 1, path: &path });
        }
    }

    /// Adds a line, unless there are very many. Returns its path.
    fn push(&mut self, mut name: String, about: String, json: Value, at: At<'_>) -> Option<String> {
        if self.lines.len() == MOST_LINES {
            self.is_cut = true;
            return None;
        }
        let dot = if name.starts_with('[') || at.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{name}", at.path);
        if let Some((end, _)) = name.char_indices().nth(MOST_NAME) {
            name.truncate(end);
            name.push('…');
        }
        self.lines.push(Line { depth: at.depth, name, path: path.clone(), about, json });
        Some(path)
    }

    /// Writes the tree below the properties of the array.
    pub(super) fn write(&self, screen: &mut Screen) -> Result<()> {
        if let Some(unread) = &self.unread {
            let name = screen.paint(Style::Name, &format!("{:<9}", "objects"));
            writeln!(screen, "  {name} not read: {}", screen.paint(Style::Bad, &escape::line(unread)))?;
        }
        let indent = |line: &Line| 4 + 2 * line.depth;
        let width = |line: &Line| indent(line) + line.name.chars().count();
        let widest = self.lines.iter().map(width).max().unwrap_or(0).min(MOST_CHARACTERS);
        for line in &self.lines {
            let padding = " ".repeat(widest.saturating_sub(width(line)));
            let name = screen.paint(Style::Name, &escape::line(&line.name));
            let about = screen.paint(Style::DType, &escape::line(&line.about));
            let text = format!("{}{name}{padding}  {about}", " ".repeat(indent(line)));
            writeln!(screen, "{}", text.trim_end())?;
        }
        if self.is_cut {
            writeln!(screen, "    …")?;
        }
        Ok(())
    }

    /// The objects of the lines, with their paths, and what there is to say of the others.
    pub(super) fn to_json(&self) -> Value {
        let is_object = |line: &&Line| !line.json.is_null();
        let lines: Vec<Value> = self
            .lines
            .iter()
            .filter(is_object)
            .map(|line| {
                let mut json = line.json.clone();
                json["path"] = json!(line.path);
                json
            })
            .collect();
        let is_cut = self.is_cut || lines.len() < self.lines.len();
        json!({
            "tree": (!lines.is_empty()).then_some(lines),
            "tree_cut": is_cut.then_some(true),
            "tree_problem": self.unread,
        })
    }
}

/// The index of an element in brackets.
fn index_name(place: usize, shape: &[usize]) -> String {
    let index: Vec<String> = quantity::unraveled(place as u64, shape).iter().map(usize::to_string).collect();
    format!("[{}]", index.join(", "))
}

/// The fields of a record with objects in them, by their numbers.
fn objects_of<'o>(record: &'o Record, item: &'o PyObject) -> impl Iterator<Item = (usize, &'o PyObject)> {
    let fields = record.fields().iter().enumerate().filter(|(_, field)| field.dtype().has_object());
    fields.filter_map(|(place, _)| Some((place, record_item(item, place)?)))
}

/// A key as a slice takes it.
fn name_of(key: &PyObject) -> String {
    let text = key_text(key);
    match key {
        PyObject::Int(key) => format!("[{key}]"),
        PyObject::Str(_)
            if text.starts_with(|first: char| first.is_alphabetic() || first == '_')
                && text.chars().all(|character| character.is_alphanumeric() || character == '_') =>
        {
            text.into_owned()
        }
        _ => format!("[{}]", PyObject::Str(text.into_owned())),
    }
}

fn is_container(object: &PyObject) -> bool {
    matches!(object.plain(), PyObject::Array(_) | PyObject::Objects(_) | PyObject::Opaque(_) | PyObject::Subclass(_))
        || matches!(object, PyObject::Dict(_) | PyObject::OrderedDict(_) | PyObject::List(_) | PyObject::Tuple(_))
}

/// The type of an object: of an array the dtype and the shape, of a plain value the value as well.
fn about(object: &PyObject) -> String {
    let counted = |count: usize, noun| format!("{} of {}", type_of(object), quantity::counted(count as u64, noun));
    match object.plain() {
        PyObject::Array(values) => format!("{} {}", short_dtype(values.dtype()), quantity::shape(values.shape())),
        PyObject::Objects(array) => format!("{} {}", short_dtype(array.dtype()), quantity::shape(array.shape())),
        PyObject::Dict(entries) | PyObject::OrderedDict(entries) => counted(entries.len(), "key"),
        PyObject::List(items) | PyObject::Tuple(items) => counted(items.len(), "item"),
        PyObject::Bool(value) => format!("bool {}", if *value { "True" } else { "False" }),
        PyObject::Float(value) => format!("float {}", PyObject::Float(*value)),
        PyObject::Int(value) => value.to_i128().map_or_else(|| "int".to_owned(), |value| format!("int {value}")),
        PyObject::Str(text) if text.chars().nth(MOST_CHARACTERS).is_none() => format!("str {object}"),
        PyObject::Str(text) => format!("str of {}", quantity::counted(text.len() as u64, "byte")),
        _ => type_of(object),
    }
}

/// The same for programs.
fn to_json(object: &PyObject) -> Value {
    let plain = object.plain();
    let (dtype, shape) = match plain {
        PyObject::Array(values) | PyObject::Scalar(values) => (Some(values.dtype()), Some(values.shape())),
        PyObject::Objects(array) => (Some(array.dtype()), Some(array.shape())),
        _ => (None, None),
    };
    let length = match plain {
        PyObject::Dict(entries) | PyObject::OrderedDict(entries) => Some(entries.len()),
        PyObject::List(items) | PyObject::Tuple(items) => Some(items.len()),
        PyObject::Str(text) => Some(text.chars().count()),
        _ => None,
    };
    let value = match plain {
        PyObject::Bool(value) => json!(value),
        PyObject::Float(value) => number(*value),
        PyObject::Int(value) => value.to_i64().map_or(Value::Null, Value::from),
        PyObject::Str(text) if text.chars().nth(MOST_CHARACTERS).is_none() => json!(text),
        _ => Value::Null,
    };
    let name = match plain {
        PyObject::Opaque(_) => type_of(plain),
        _ => plain.type_name().to_owned(),
    };
    without_nulls(json!({
        "type": name,
        "dtype": dtype.map(ToString::to_string),
        "shape": shape,
        "length": length,
        "value": value,
    }))
}

//! Python objects as a tree of keys, so that a user finds the path of an array.

use std::io::Write;

use npy_core::object::PyObject;

use super::short_dtype;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats::Opened;
use crate::input::{Input, object_options};
use crate::objects::type_of;
use crate::output::{Screen, Style};
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

/// The lines of a tree.
#[derive(Default)]
pub(super) struct Tree {
    lines: Vec<Line>,
    is_cut: bool,
    problem: Option<String>,
}

struct Line {
    depth: usize,
    /// As a slice takes it: `Vcorr` or `['a.b']`.
    name: String,
    about: String,
}

impl Tree {
    /// Of the only array of an input, if it has Python objects. A pickle that cannot be read is told instead.
    pub(super) fn of(opened: &mut Opened) -> Result<Self> {
        let mut tree = Self::default();
        let Opened::Numpy(input) = opened else { return Ok(tree) };
        if input.is_stream() || !is_small(input) {
            return Ok(tree);
        }
        match input.with_array(|array| Ok(array.into_objects(object_options())?)) {
            Ok(array) => {
                let is_alone = array.shape().is_empty() && array.dtype().record().is_none();
                let only = array.items().first().filter(|_| is_alone).cloned();
                tree.add_below(&only.unwrap_or_else(|| array.into()), 0);
            }
            Err(failure @ (Failure::BrokenPipe | Failure::Interrupted)) => return Err(failure),
            Err(failure) => tree.problem = Some(failure.to_string()),
        }
        Ok(tree)
    }

    fn add_below(&mut self, object: &PyObject, depth: usize) {
        if depth == MOST_DEPTH {
            self.is_cut |= is_container(object);
            return;
        }
        let object = object.plain();
        if let Some(entries) = entries_of(object) {
            for (key, value) in entries.iter().take(MOST_LINES + 1) {
                self.add(name_of(key), value, depth);
            }
            return;
        }
        let items = match object {
            PyObject::Objects(array) if array.shape().len() == 1 && array.dtype().record().is_none() => array.items(),
            object => items_of(object).unwrap_or_default(),
        };
        if !items.iter().any(is_container) {
            return;
        }
        for (place, item) in items.iter().take(MOST_ITEMS).enumerate() {
            self.add(format!("[{place}]"), item, depth);
        }
        if items.len() > MOST_ITEMS {
            self.push(format!("… {} more", quantity::count((items.len() - MOST_ITEMS) as u64)), String::new(), depth);
        }
    }

    fn add(&mut self, name: String, object: &PyObject, depth: usize) {
        if self.push(name, about(object), depth) {
            self.add_below(object, depth + 1);
        }
    }

    /// Adds a line, unless there are very many.
    fn push(&mut self, mut name: String, about: String, depth: usize) -> bool {
        let has_room = self.lines.len() < MOST_LINES;
        self.is_cut |= !has_room;
        if has_room {
            if let Some((end, _)) = name.char_indices().nth(MOST_NAME) {
                name.truncate(end);
                name.push('…');
            }
            self.lines.push(Line { depth, name, about });
        }
        has_room
    }

    /// Writes the tree below the properties of the array.
    pub(super) fn write(&self, screen: &mut Screen) -> Result<()> {
        if let Some(problem) = &self.problem {
            let name = screen.paint(Style::Name, &format!("{:<9}", "objects"));
            let problem = screen.paint(Style::Bad, &escape::line(problem));
            writeln!(screen, "  {name} {problem}")?;
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
}

/// Whether it is one array of Python objects whose pickle is read in a moment.
fn is_small(input: &mut Input) -> bool {
    let Ok(member) = input.only_member() else { return false };
    let bytes = input.available(member).ok().flatten();
    bytes.is_some_and(|bytes| bytes <= MOST_BYTES) && input.header(member).is_ok_and(|header| header.dtype().has_object())
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

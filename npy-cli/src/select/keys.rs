//! The keys of Python objects: of a dict, and the attributes of an object of an unknown class.

use std::borrow::Cow;

use npy_core::object::{ArrayClass, Opaque, PyObject};

use crate::objects::type_of;
use crate::values::{nearest, quantity};

/// The most characters of a key in a message.
const MOST_CHARACTERS: usize = 60;

/// A key, or the name of an attribute, and its value.
pub(crate) type Entry<'o> = (Cow<'o, PyObject>, Cow<'o, PyObject>);

/// The keys and the attributes of an object, or `None` if it has neither.
pub(crate) fn entries_of(object: &PyObject) -> Option<Vec<Entry<'_>>> {
    match object {
        PyObject::Dict(entries) | PyObject::OrderedDict(entries) => Some(borrowed(entries)),
        PyObject::Opaque(opaque) => {
            let mut entries = borrowed(&opaque.entries);
            entries.extend(attributes(opaque));
            (!entries.is_empty()).then_some(entries)
        }
        PyObject::Subclass(subclass) => match &subclass.class {
            ArrayClass::Masked { mask, .. } => Some(vec![
                (Cow::Owned("data".into()), Cow::Borrowed(&subclass.base)),
                (Cow::Owned("mask".into()), Cow::Owned(mask.clone().into())),
            ]),
            _ => None,
        },
        _ => None,
    }
}

fn borrowed(entries: &[(PyObject, PyObject)]) -> Vec<Entry<'_>> {
    entries.iter().map(|(key, value)| (Cow::Borrowed(key), Cow::Borrowed(value))).collect()
}

/// The attributes of an object, as the default `__setstate__` sets them: of a dict, or of a dict and that of its slots.
fn attributes(opaque: &Opaque) -> Vec<Entry<'_>> {
    match &opaque.state {
        Some(PyObject::Dict(entries)) => borrowed(entries),
        Some(PyObject::Tuple(parts)) if parts.iter().all(|part| matches!(part, PyObject::None | PyObject::Dict(_))) => {
            parts.iter().flat_map(|part| if let PyObject::Dict(entries) = part { borrowed(entries) } else { Vec::new() }).collect()
        }
        Some(state) => vec![(Cow::Owned("__state__".into()), Cow::Borrowed(state))],
        None => Vec::new(),
    }
}

/// The items of a list, a tuple, or an object of an unknown class that is one.
pub(crate) fn items_of(object: &PyObject) -> Option<&[PyObject]> {
    match object {
        PyObject::List(items) | PyObject::Tuple(items) => Some(items),
        PyObject::Opaque(opaque) if !opaque.items.is_empty() => Some(&opaque.items),
        // Of a named tuple.
        PyObject::Opaque(opaque) if opaque.state.is_none() => opaque.arguments.as_deref().filter(|items| !items.is_empty()),
        _ => None,
    }
}

/// The text that selects a key: the key itself if it is text, and what Python prints of any other.
pub(crate) fn key_text(key: &PyObject) -> Cow<'_, str> {
    if let PyObject::Str(text) = key { Cow::Borrowed(text) } else { Cow::Owned(key.to_string()) }
}

/// The place of a key among others. An attribute may have an underscore more, as that of a property of Python has.
pub(super) fn find(entries: &[Entry<'_>], name: &str) -> Option<usize> {
    let is_text = |place: &usize| matches!(entries.get(*place), Some((key, _)) if matches!(**key, PyObject::Str(_)));
    let named =
        |wanted: &dyn Fn(&str) -> bool| entries.iter().position(|(key, _)| matches!(&**key, PyObject::Str(text) if wanted(text)));
    named(&|text| text == name)
        .or_else(|| {
            (0..entries.len())
                .filter(|place| !is_text(place))
                .find(|place| entries.get(*place).is_some_and(|(key, _)| key_text(key) == name))
        })
        .or_else(|| named(&|text| text.strip_prefix('_') == Some(name)))
}

/// The value of a key or an attribute.
pub(crate) fn value_of<'o>(object: &'o PyObject, name: &str) -> Option<Cow<'o, PyObject>> {
    let mut entries = entries_of(object)?;
    let place = find(&entries, name)?;
    Some(entries.swap_remove(place).1)
}

/// The first key of a path, and the rest behind its dot or colon.
pub(super) fn split<'p>(entries: &[Entry<'_>], path: &'p str) -> Result<(usize, &'p str), &'p str> {
    let ends = path.match_indices(['.', ':']).map(|(end, _)| end).collect::<Vec<_>>();
    for end in std::iter::once(path.len()).chain(ends.iter().rev().copied()) {
        if let Some(place) = path.get(..end).and_then(|name| find(entries, name)) {
            return Ok((place, path.get(end + 1..).unwrap_or_default()));
        }
    }
    Err(path.get(..ends.first().copied().unwrap_or(path.len())).unwrap_or(path))
}

fn text_key(key: &PyObject) -> bool {
    matches!(key, PyObject::Str(_))
}

/// The message about a key that an object does not have.
pub(super) fn missing(object: &PyObject, entries: &[Entry<'_>], key: &PyObject) -> String {
    let name = &*key_text(key);
    let shown = if text_key(key) { format!("{name:?}") } else { name.to_owned() };
    let noun = if matches!(object, PyObject::Dict(_) | PyObject::OrderedDict(_)) { "key" } else { "attribute" };
    if entries.is_empty() {
        return format!("no {noun} {shown}: the {} is empty", type_of(object));
    }
    let names = quantity::listed(entries.iter().map(|(key, _)| {
        let text = key_text(key);
        let short: String = text.chars().take(MOST_CHARACTERS).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        if text_key(key) { format!("{short:?}{more}") } else { short + more }
    }));
    let known: Vec<Cow<'_, str>> = entries.iter().filter(|(key, _)| text_key(key)).map(|(key, _)| key_text(key)).collect();
    format!("no {noun} {shown}: expected one of {names}{}", nearest::hint(name, known.iter().map(|name| &**name)))
}

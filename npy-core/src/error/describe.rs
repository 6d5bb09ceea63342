//! Parts of the messages of errors.

use std::fmt;

use super::error::Error;
use super::foreign::ForeignFormat;
use super::kind::ErrorKind;

/// A count and what it counts, in the singular for 1.
pub(crate) fn counted(count: impl fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    match (count.as_str(), noun.strip_suffix('y')) {
        ("1", _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// A limit and what it limits, whose plural is given: `1 byte of a member`.
pub(crate) fn limited(limit: u64, what: &str) -> String {
    let (nouns, rest) = what.split_at(what.find(' ').unwrap_or(what.len()));
    let noun = nouns.strip_suffix('s').filter(|_| limit == 1).unwrap_or(nouns);
    format!("{limit} {noun}{rest}")
}

/// Describes the expected format or magic string, and the start of the input.
pub(crate) fn describe_magic(expected: &str, found: &[u8]) -> String {
    if found.is_empty() {
        return "the input is empty".to_owned();
    }
    format!("expected {expected}, found {}", describe_start(found))
}

/// How an input starts, and which format starts like that.
#[doc(hidden)]
pub fn describe_start(found: &[u8]) -> String {
    if found.is_empty() {
        return "an empty input".to_owned();
    }
    format!("\"{}\"{}", found.get(..8).unwrap_or(found).escape_ascii(), describe_format(found))
}

/// The format that starts like that, if it is known, and what reads it.
fn describe_format(found: &[u8]) -> String {
    match found {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => ", an .npz archive; open it with `NpzReader` (feature `npz`)".to_owned(),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => ", an .npy file; read it with `load`".to_owned(),
        _ if found.starts_with(b"rawarray") => ", an .ra file; read it with `rawarray` (feature `rawarray`)".to_owned(),
        _ => ForeignFormat::of(found).map_or_else(String::new, |format| match format.advice() {
            None => format!(", {format}"),
            Some(advice) => format!(", {format}; {advice}"),
        }),
    }
}

/// The first names, as many as a message lists, and the number of the others.
pub(crate) fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> (Vec<String>, usize) {
    const SHOWN: usize = 12;
    let mut names = names.into_iter();
    let first = names.by_ref().take(SHOWN).map(|name| name_in_message(name.as_ref())).collect();
    (first, names.count())
}

/// Creates the error of a field that a record does not have. The record is the path to it, or the
/// dtype of what has no fields.
///
/// See [`Error::new`] for an example.
#[cold]
pub fn no_field<T: AsRef<str>>(name: &str, record: &str, available: impl IntoIterator<Item = T>) -> Error {
    let (available, omitted) = listed(available);
    let found = match record {
        "" if available.is_empty() => "the records have no fields".to_owned(),
        dtype if available.is_empty() => format!("{dtype} has no fields"),
        "" => format!("the records have {}", list(&available, omitted)),
        record => format!("{record:?} has {}", list(&available, omitted)),
    };
    Error::new(ErrorKind::NotFound, format!("unknown field {name:?}: {found}"))
}

/// The beginning of a text, as much of it as a message shows.
pub(crate) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The beginning of a name, with control characters escaped.
pub(crate) fn name_in_message(name: &str) -> String {
    excerpt(name).chars().map(|char| if char.is_control() { char.escape_debug().to_string() } else { char.to_string() }).collect()
}

/// Lists the first names, and the number of the others. See [`Error::new`](super::Error::new) for an example.
#[doc(hidden)]
pub fn first_names<T: AsRef<str>>(names: &[T]) -> String {
    let (first, omitted) = listed(names);
    list(&first, omitted)
}

/// Lists names, and the number of the others.
pub(crate) fn list(names: &[String], omitted: usize) -> String {
    let more = if omitted > 0 { format!(" and {omitted} more") } else { String::new() };
    names.join(", ") + &more
}

/// Returns the name of a Rust type without its modules.
///
/// ```
/// assert_eq!(npy_core::error::rust_type::<Vec<std::string::String>>(), "Vec<String>");
/// ```
pub fn rust_type<T>() -> String {
    without_modules(std::any::type_name::<T>())
}

fn without_modules(path: &str) -> String {
    let mut name = String::new();
    for part in path.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
        name.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    name
}

/// A shape as Python writes it.
pub fn tuple(shape: &[usize]) -> String {
    Tuple(shape).to_string()
}

/// A shape with the letters n, m, … where any length fits.
pub fn axes(shape: &[Option<usize>]) -> String {
    let mut letters = ('n'..='z').cycle();
    let name = |length: &Option<usize>| match length {
        Some(length) => length.to_string(),
        None => letters.next().unwrap_or('n').to_string(),
    };
    let lengths: Vec<_> = shape.iter().map(name).collect();
    Tuple(&lengths).to_string()
}

/// Lengths as Python writes them, without an allocation.
pub(crate) struct Tuple<'a, T>(pub(crate) &'a [T]);

impl<T: fmt::Display> fmt::Display for Tuple<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (axis, length) in self.0.iter().enumerate() {
            if axis > 0 {
                f.write_str(", ")?;
            }
            length.fmt(f)?;
        }
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, limited, no_field};

    #[test]
    fn missing_fields_tell_which_there_are() {
        for (record, available, expected) in [
            ("", &["y", "z"][..], "unknown field \"x\": the records have y, z"),
            ("origin", &["y"], "unknown field \"x\": \"origin\" has y"),
            ("<f8", &[], "unknown field \"x\": <f8 has no fields"),
            ("", &[], "unknown field \"x\": the records have no fields"),
        ] {
            assert_eq!(no_field("x", record, available).to_string(), expected);
        }
    }

    #[test]
    fn one_is_singular() {
        for (count, noun, expected) in [
            (0, "byte", "0 bytes"),
            (1, "byte", "1 byte"),
            (2, "more byte", "2 more bytes"),
            (1, "entry", "1 entry"),
            (3, "entry", "3 entries"),
        ] {
            assert_eq!(counted(count, noun), expected);
        }
        for (limit, what, expected) in [
            (1, "bytes of a member", "1 byte of a member"),
            (2, "levels of objects", "2 levels of objects"),
            (1, "fields", "1 field"),
        ] {
            assert_eq!(limited(limit, what), expected);
        }
    }
}

//! Parts of the messages of errors.

use std::fmt;

use super::foreign::ForeignFormat;

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
pub(super) fn limited(limit: u64, what: &str) -> String {
    let (nouns, rest) = what.split_at(what.find(' ').unwrap_or(what.len()));
    let noun = nouns.strip_suffix('s').filter(|_| limit == 1).unwrap_or(nouns);
    format!("{limit} {noun}{rest}")
}

/// The magic string that was expected, and how the input starts instead.
pub(super) fn describe_magic(expected: &str, found: &[u8]) -> String {
    if found.is_empty() {
        return "the input is empty".to_owned();
    }
    format!("expected \"{expected}\", found {}", describe_start(found))
}

/// How an input starts, and which format starts like that.
pub(super) fn describe_start(found: &[u8]) -> String {
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

pub(super) fn describe_keys(missing: &[&'static str], duplicate: &[String], unknown: &[String]) -> String {
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("missing {}", first_names(missing)));
    }
    if !duplicate.is_empty() {
        parts.push(format!("duplicate {}", first_names(duplicate)));
    }
    if !unknown.is_empty() {
        parts.push(format!("unknown {}", first_names(unknown)));
    }
    parts.join("; ")
}

pub(super) fn describe_cause(cause: Option<&str>) -> String {
    cause.map_or_else(String::new, |cause| format!(": {cause}"))
}

#[cfg(feature = "npz")]
pub(super) fn describe_missing(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    format!("array{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}

#[cfg(feature = "npz")]
pub(super) fn describe_others(available: &[String], omitted: usize) -> String {
    if available.is_empty() { "the archive is empty".to_owned() } else { format!("the archive has {}", list(available, omitted)) }
}

/// The names that a message lists, and how many more there are: there may be very many.
#[doc(hidden)]
pub fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> (Vec<String>, usize) {
    const SHOWN: usize = 12;
    let mut names = names.into_iter();
    let first = names.by_ref().take(SHOWN).map(|name| name.as_ref().to_owned()).collect();
    (first, names.count())
}

/// The beginning of a text, as much of it as a message shows.
pub(crate) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// As many names as a message lists, and how many more there are.
pub(crate) fn first_names<T: AsRef<str>>(names: &[T]) -> String {
    let (first, omitted) = listed(names);
    list(&first, omitted)
}

/// The first names, and how many more there are.
pub(super) fn list(names: &[String], omitted: usize) -> String {
    let more = if omitted > 0 { format!(" and {omitted} more") } else { String::new() };
    names.join(", ") + &more
}

pub(super) fn describe_no_field(record: &str, available: &[String], omitted: usize) -> String {
    match (record, available) {
        (dtype, []) => format!("{dtype} has no fields"),
        ("", available) => format!("the records have {}", list(available, omitted)),
        (record, available) => format!("{record:?} has {}", list(available, omitted)),
    }
}

pub(super) fn describe_viewed(path: &str) -> String {
    if path.is_empty() { "the array".to_owned() } else { format!("the field {path}") }
}

#[cfg(feature = "dynamic")]
pub(super) fn describe_no_numbers(from: &str) -> &'static str {
    let code = from.trim_start_matches(['<', '>']);
    match from {
        "|O" => "; `objects_as` converts Python objects",
        _ if code.starts_with("M8") || code.starts_with("m8") => "; `DynArray::Datetime` and `Timedelta` hold times as integers",
        record if record.starts_with('[') => "; select one of its fields",
        _ => "",
    }
}

pub(super) fn describe_offset(offset: Option<usize>) -> String {
    offset.map_or_else(String::new, |offset| format!(" at byte {offset}"))
}

/// A shape as Python writes it.
pub(super) fn tuple(shape: &[usize]) -> String {
    let lengths: Vec<_> = shape.iter().map(usize::to_string).collect();
    join_tuple(&lengths)
}

/// A shape with the letters n, m, … where any length fits.
pub(super) fn describe_axes(shape: &[Option<usize>]) -> String {
    let mut letters = ('n'..='z').cycle();
    let name = |length: &Option<usize>| match length {
        Some(length) => length.to_string(),
        None => letters.next().unwrap_or('n').to_string(),
    };
    let lengths: Vec<_> = shape.iter().map(name).collect();
    join_tuple(&lengths)
}

fn join_tuple(lengths: &[String]) -> String {
    match lengths {
        [only] => format!("({only},)"),
        lengths => format!("({})", lengths.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, limited};

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

//! Parts of the messages of errors.

pub(super) fn describe_magic(found: &[u8]) -> String {
    match hint(found) {
        "" if !found.is_empty() => format!("{}, and an .npy file starts with \"\\x93NUMPY\"", describe_start(found)),
        _ => describe_start(found),
    }
}

/// How an input begins, and what begins so.
pub(super) fn describe_start(found: &[u8]) -> String {
    if found.is_empty() {
        return "the input is empty".to_owned();
    }
    format!("it starts with \"{}\"{}", found.escape_ascii(), hint(found))
}

/// What begins so, if it is known.
fn hint(found: &[u8]) -> &'static str {
    match found {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => ", which is a zip archive (.npz)",
        [0x80, 2..=5, ..] => ", which is a Python pickle",
        [0x1f, 0x8b, ..] => ", which is gzip: decompress it first",
        [0x89, b'H', b'D', b'F', ..] => ", which is HDF5",
        b"rawarray" => ", which is a RawArray file (.ra): read it with `rawarray` (feature `rawarray`)",
        [0xc2, 0x93, b'N', ..] | [0xef, 0xbf, 0xbd, b'N', ..] | [b'?', b'N', b'U', ..] => {
            ", which is an .npy file that was damaged by a conversion of text"
        }
        _ => "",
    }
}

pub(super) fn describe_keys(missing: &[&'static str], duplicate: &[String], unknown: &[String]) -> String {
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("{} missing", missing.join(", ")));
    }
    if !duplicate.is_empty() {
        parts.push(format!("{} there twice", duplicate.join(", ")));
    }
    if !unknown.is_empty() {
        parts.push(format!("{} unknown", unknown.join(", ")));
    }
    parts.join("; ")
}

pub(super) fn describe_missing(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    format!("array{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}

pub(super) fn describe_others(available: &[String], omitted: usize) -> String {
    if available.is_empty() { "; it has none".to_owned() } else { format!("; it has {}", list(available, omitted)) }
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

pub(super) fn describe_viewed(path: &str, file: &str) -> String {
    if path.is_empty() { format!("an array of {file}") } else { format!("the field {path}, which is {file},") }
}

pub(super) fn describe_no_numbers(from: &str) -> &'static str {
    let code = from.trim_start_matches(['<', '>']);
    match from {
        "|O" => "; `objects_as` converts Python objects",
        _ if code.starts_with("M8") || code.starts_with("m8") => "; `DynArray::Datetime` and `Timedelta` hold the steps of times",
        record if record.starts_with('[') => "; take one of its fields",
        _ => "",
    }
}

pub(super) fn describe_offset(offset: Option<usize>) -> String {
    offset.map_or_else(String::new, |offset| format!(" at byte {offset}"))
}

pub(super) fn dimensions(count: usize) -> String {
    format!("{count} dimension{}", if count == 1 { "" } else { "s" })
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

//! Text as Python's `repr` writes it.

use std::fmt::Write as _;

use super::unprintable::UNPRINTABLE;

/// Appends `repr(text)`.
pub(crate) fn push_repr(text: &str, out: &mut String) {
    // With both quotes, and unless something is escaped.
    out.reserve(text.len().saturating_add(2));
    push_repr_of(text.chars().map(u32::from), out);
}

/// Appends `repr` of the text with these code points. Lone surrogates are escaped, as Python does;
/// codes beyond the last code point too.
pub(crate) fn push_repr_of(codes: impl Iterator<Item = u32> + Clone, out: &mut String) {
    let quote = quote_of(&codes);
    out.push(quote);
    push_escaped(codes, Some(quote), out);
    out.push(quote);
}

/// The quote around the text with these code points.
pub(crate) fn quote_of(codes: &(impl Iterator<Item = u32> + Clone)) -> char {
    let has = |quote: char| codes.clone().any(|code| code == u32::from(quote));
    if has('\'') && !has('"') { '"' } else { '\'' }
}

/// Appends the text with these code points with the escapes of `repr`, and of the quote if there is
/// one.
pub(crate) fn push_escaped(codes: impl Iterator<Item = u32>, quote: Option<char>, out: &mut String) {
    for code in codes {
        let Some(character) = char::from_u32(code) else {
            // A surrogate, or no character at all. Writing to a `String` cannot fail.
            let _ = if code <= 0xffff { write!(out, "\\u{code:04x}") } else { write!(out, "\\U{code:08x}") };
            continue;
        };
        match character {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ if Some(character) == quote => {
                out.push('\\');
                out.push(character);
            }
            ' '..='~' => out.push(character),
            _ if is_printable(character) => out.push(character),
            _ => {
                let _ = match u32::from(character) {
                    code @ ..=0xff => write!(out, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
}

/// Appends `repr(bytes)`.
pub(crate) fn push_bytes_repr(bytes: &[u8], out: &mut String) {
    let quote = quote_of_bytes(bytes);
    out.extend(['b', quote]);
    push_escaped_bytes(bytes, Some(quote), out);
    out.push(quote);
}

/// The quote around `repr(bytes)`.
pub(crate) fn quote_of_bytes(bytes: &[u8]) -> char {
    if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' }
}

/// Appends bytes with the escapes of `repr`, and of the quote if there is one.
pub(crate) fn push_escaped_bytes(bytes: &[u8], quote: Option<char>, out: &mut String) {
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            _ if Some(char::from(byte)) == quote => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
}

/// Python's `str.isprintable` for a character other than printable ASCII.
fn is_printable(character: char) -> bool {
    let code = u32::from(character);
    let after = UNPRINTABLE.partition_point(|&(first, _)| first <= code);
    let in_range = after.checked_sub(1).and_then(|i| UNPRINTABLE.get(i)).is_some_and(|&(_, last)| code <= last);
    code >= 0x80 && !in_range
}

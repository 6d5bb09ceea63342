//! Text as Python's `repr` writes it.

use std::fmt::Write as _;

use super::unprintable::UNPRINTABLE;

/// Appends `repr(text)`.
pub(super) fn push_repr(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ if character == quote => {
                out.push('\\');
                out.push(quote);
            }
            ' '..='~' => out.push(character),
            _ if is_printable(character) => out.push(character),
            _ => {
                // Writing to a `String` cannot fail.
                let _ = match u32::from(character) {
                    code @ ..=0xff => write!(out, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(quote);
}

/// Python's `str.isprintable` for a character other than printable ASCII.
fn is_printable(character: char) -> bool {
    let code = u32::from(character);
    let after = UNPRINTABLE.partition_point(|&(first, _)| first <= code);
    let in_range = after.checked_sub(1).and_then(|i| UNPRINTABLE.get(i)).is_some_and(|&(_, last)| code <= last);
    code >= 0x80 && !in_range
}

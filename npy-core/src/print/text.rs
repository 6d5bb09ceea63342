//! Bytes and text in Python's notation.

use std::fmt::Write as _;

use super::stream::Text;
use crate::format::dtype::{Scalar, push_escaped, push_escaped_bytes, quote_of, quote_of_bytes};

/// The number of bytes or characters in one write.
const PART: usize = 1 << 12;

/// Writes `repr` of bytes of dtype `S`, without trailing NULs.
pub(super) fn write_bytes(scalar: Scalar, bytes: &[u8], out: &mut Text<'_>) {
    let bytes = scalar.without_padding(bytes);
    let quote = quote_of_bytes(bytes);
    out.small().extend(['b', quote]);
    write_escaped_bytes(scalar, bytes, Some(quote), out);
    out.small().push(quote);
}

/// Writes bytes of dtype `S` with the escapes of Python's `repr`, and of the quote if there is one.
pub(super) fn write_escaped_bytes(scalar: Scalar, bytes: &[u8], quote: Option<char>, out: &mut Text<'_>) {
    for part in scalar.without_padding(bytes).chunks(PART) {
        push_escaped_bytes(part, quote, out.room(4 * part.len()));
    }
}

/// Writes `repr` of raw bytes, which NumPy writes in upper-case digits.
pub(super) fn write_void(bytes: &[u8], out: &mut Text<'_>) {
    out.small().push_str("b'");
    for part in bytes.chunks(PART) {
        let room = out.room(4 * part.len());
        for byte in part {
            // Writing to a `String` cannot fail.
            let _ = write!(room, "\\x{byte:02X}");
        }
    }
    out.small().push('\'');
}

/// Writes `repr` of text in UCS-4, without trailing NULs.
pub(super) fn write_unicode(scalar: Scalar, bytes: &[u8], out: &mut Text<'_>) {
    let quote = quote_of(&scalar.units(bytes));
    out.small().push(quote);
    write_escaped_text(scalar, bytes, Some(quote), out);
    out.small().push(quote);
}

/// Writes text in UCS-4 with the escapes of Python's `repr`, and of the quote if there is one.
pub(super) fn write_escaped_text(scalar: Scalar, bytes: &[u8], quote: Option<char>, out: &mut Text<'_>) {
    let mut units = scalar.units(bytes);
    while units.len() > 0 {
        let part = units.len().min(PART);
        // At most `\U0010ffff`.
        push_escaped(units.by_ref().take(part), quote, out.room(10 * part));
    }
}

/// Writes the text itself, with U+FFFD for units that are not characters.
pub(super) fn write_characters(scalar: Scalar, bytes: &[u8], out: &mut Text<'_>) {
    let mut units = scalar.units(bytes);
    while units.len() > 0 {
        let part = units.len().min(PART);
        let characters = units.by_ref().take(part).map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
        out.room(4 * part).extend(characters);
    }
}

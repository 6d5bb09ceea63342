//! Bytes and text in Python's notation.

use std::fmt::Write as _;

use super::stream::Text;
#[cfg(feature = "object")]
use crate::format::dtype::push_repr_of;
use crate::format::dtype::{ByteOrder, push_escaped, quote_of};

/// Bytes that are written at once.
const PART: usize = 1 << 12;

/// Writes `repr` of bytes, without the NULs at their end.
pub(super) fn write_bytes(bytes: &[u8], out: &mut Text<'_>) {
    let bytes = without_padding(bytes);
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    out.small().extend(['b', quote]);
    write_escaped_bytes(bytes, Some(quote), out);
    out.small().push(quote);
}

/// Writes bytes of dtype `S` with the escapes of Python's `repr`, and of the quote if there is one.
pub(super) fn write_escaped_bytes(bytes: &[u8], quote: Option<char>, out: &mut Text<'_>) {
    for part in without_padding(bytes).chunks(PART) {
        let room = out.room(4 * part.len());
        for &byte in part {
            match byte {
                b'\\' => room.push_str("\\\\"),
                b'\t' => room.push_str("\\t"),
                b'\n' => room.push_str("\\n"),
                b'\r' => room.push_str("\\r"),
                _ if Some(char::from(byte)) == quote => room.extend(['\\', char::from(byte)]),
                b' '..=b'~' => room.push(char::from(byte)),
                _ => {
                    // Writing to a `String` cannot fail.
                    let _ = write!(room, "\\x{byte:02x}");
                }
            }
        }
    }
}

/// The bytes of an element of dtype `S`, without the NULs at their end.
fn without_padding(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes.get(..length).unwrap_or(bytes)
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

/// Appends `repr` of text in UCS-4, without the NULs at its end.
#[cfg(feature = "object")]
pub(crate) fn push_unicode(bytes: &[u8], order: ByteOrder, out: &mut String) {
    push_repr_of(codes(text_of(bytes), order), out);
}

/// Writes `repr` of text in UCS-4, without the NULs at its end.
pub(super) fn write_unicode(bytes: &[u8], order: ByteOrder, out: &mut Text<'_>) {
    let quote = quote_of(&codes(text_of(bytes), order));
    out.small().push(quote);
    write_escaped_text(bytes, order, Some(quote), out);
    out.small().push(quote);
}

/// Writes text in UCS-4 with the escapes of Python's `repr`, and of the quote if there is one.
pub(super) fn write_escaped_text(bytes: &[u8], order: ByteOrder, quote: Option<char>, out: &mut Text<'_>) {
    for part in text_of(bytes).chunks(PART) {
        // At most `\U0010ffff` of 4 bytes.
        push_escaped(codes(part, order), quote, out.room(10 * part.len() / 4));
    }
}

/// Writes the text itself, with U+FFFD for what is not a character.
pub(super) fn write_characters(bytes: &[u8], order: ByteOrder, out: &mut Text<'_>) {
    for part in text_of(bytes).chunks(PART) {
        let characters = codes(part, order).map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        out.room(part.len()).extend(characters);
    }
}

/// The bytes of an element of dtype `U`, without the NULs at their end.
fn text_of(bytes: &[u8]) -> &[u8] {
    let (units, _) = bytes.as_chunks::<4>();
    let length = units.iter().rposition(|unit| *unit != [0; 4]).map_or(0, |last| last + 1);
    units.get(..length).unwrap_or_default().as_flattened()
}

/// The code units of these bytes.
fn codes(bytes: &[u8], order: ByteOrder) -> impl Iterator<Item = u32> + Clone + '_ {
    bytes.as_chunks::<4>().0.iter().map(move |unit| match order {
        ByteOrder::Little => u32::from_le_bytes(*unit),
        ByteOrder::Big => u32::from_be_bytes(*unit),
    })
}

//! Bytes and text in Python's notation.

use std::fmt::Write as _;

use crate::format::dtype::{ByteOrder, push_repr_of};

/// Appends `repr` of bytes, without the NULs at their end.
pub(super) fn push_bytes(bytes: &[u8], out: &mut String) {
    let bytes = without_padding(bytes);
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    out.push('b');
    out.push(char::from(quote));
    push_escaped(bytes, Some(quote), out);
    out.push(char::from(quote));
}

/// Appends bytes with the escapes of Python's `repr`, and of the quote if there is one.
pub(super) fn push_escaped(bytes: &[u8], quote: Option<u8>, out: &mut String) {
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            _ if Some(byte) == quote => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
}

/// The bytes of an element of dtype `S`, without the NULs at their end.
pub(super) fn without_padding(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes.get(..length).unwrap_or(bytes)
}

/// Appends `repr` of raw bytes, which NumPy writes in upper-case digits.
pub(super) fn push_void(bytes: &[u8], out: &mut String) {
    out.push_str("b'");
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "\\x{byte:02X}");
    }
    out.push('\'');
}

/// Appends `repr` of text in UCS-4, without the NULs at its end.
pub(crate) fn push_unicode(bytes: &[u8], order: ByteOrder, out: &mut String) {
    let codes = codes(bytes, order);
    push_repr_of(codes.iter().copied(), out);
}

/// The text itself, with U+FFFD for what is not a character.
pub(super) fn unicode(bytes: &[u8], order: ByteOrder) -> String {
    codes(bytes, order).into_iter().map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The code units of an element of dtype `U`, without the NULs at their end.
pub(super) fn codes(bytes: &[u8], order: ByteOrder) -> Vec<u32> {
    let (units, _) = bytes.as_chunks::<4>();
    let decode = |unit: &[u8; 4]| match order {
        ByteOrder::Little => u32::from_le_bytes(*unit),
        ByteOrder::Big => u32::from_be_bytes(*unit),
    };
    let mut codes: Vec<u32> = units.iter().map(decode).collect();
    codes.truncate(codes.iter().rposition(|&code| code != 0).map_or(0, |last| last + 1));
    codes
}

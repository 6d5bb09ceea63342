//! Parsing of numbers and texts in the notation of pickles.

use crate::error;

/// Decodes a text of protocol 0: latin-1 with the escapes `\u` and `\U`. Returns UTF-8 with encoded surrogates, or `None` if an
/// escape is not a code point.
pub(crate) fn unescape_text(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let digits = match (byte, after.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            // An escaped backslash begins no escape.
            (b'\\', Some(&other)) => {
                text.push(b'\\');
                push_code(u32::from(other), &mut text)?;
                rest = after.get(1..)?;
                continue;
            }
            _ => {
                push_code(u32::from(byte), &mut text)?;
                continue;
            }
        };
        let end = digits + 1;
        push_code(number(after.get(1..end)?, 16)?, &mut text)?;
        rest = after.get(end..)?;
    }
    Some(text)
}

fn push_code(code: u32, text: &mut Vec<u8>) -> Option<()> {
    match (char::from_u32(code), code) {
        (Some(character), _) => text.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
        (None, 0xd800..=0xdfff) => {
            let bits = |shift: u32| u8::try_from(code >> shift & 0x3f).unwrap_or_default();
            text.extend([0xed, 0x80 | bits(6), 0x80 | bits(0)]);
        }
        (None, _) => return None,
    }
    Some(())
}

/// Decodes a `str` of Python 2 from its `repr`. Returns `None` without quotes, or if an escape is invalid.
pub(crate) fn unquote(bytes: &[u8]) -> Option<Vec<u8>> {
    let quote = *bytes.first().filter(|quote| matches!(quote, b'\'' | b'"'))?;
    let inner = bytes.get(1..bytes.len().checked_sub(1)?).filter(|_| bytes.last() == Some(&quote))?;
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            text.push(byte);
            continue;
        }
        let (&escape, after) = after.split_first()?;
        rest = after;
        text.push(match escape {
            b'\\' | b'\'' | b'"' => escape,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'x' => {
                let digits = after.get(..2)?;
                rest = after.get(2..)?;
                u8::try_from(number(digits, 16)?).ok()?
            }
            b'0'..=b'7' => {
                let more = after.iter().take(2).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
                let value = number(after.get(..more)?, 8)? | u32::from(escape - b'0') << (3 * more);
                rest = after.get(more..)?;
                u8::try_from(value).ok()?
            }
            _ => return None,
        });
    }
    Some(text)
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    digits.iter().try_fold(0_u32, |value, &digit| value.checked_mul(radix)?.checked_add(char::from(digit).to_digit(radix)?))
}

/// Parses an integer in decimal digits, with or without Python 2's `L`. Returns `None` if it is
/// invalid or does not fit.
pub(crate) fn integer(bytes: &[u8]) -> Option<i64> {
    digits(bytes)?.parse().ok()
}

/// The digits of an integer with an optional sign.
pub(crate) fn digits(bytes: &[u8]) -> Option<&str> {
    let text = str::from_utf8(bytes).ok()?.trim_ascii();
    Some(text.strip_suffix('L').unwrap_or(text))
}

/// Returns whether Python refuses the digits or reads them as octal: a leading zero, or an `L` in `INT`.
pub(crate) fn is_not_decimal(bytes: &[u8], is_long: bool) -> bool {
    let Some(text) = digits(bytes) else { return false };
    let number = text.trim_start_matches(['+', '-']);
    let most = if is_long { 0 } else { 7 };
    let has_leading_zero = number.len() > 1 && number.starts_with('0');
    has_leading_zero && !number.parse::<u64>().is_ok_and(|value| value <= most)
        || !is_long && bytes.trim_ascii_end().ends_with(b"L")
}

/// Decodes an integer in two's complement of at most 8 bytes, little-endian.
pub(crate) fn small_integer(bytes: &[u8]) -> Option<i64> {
    if bytes.len() > 8 {
        return None;
    }
    let is_negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
    let mut value = [if is_negative { 0xff } else { 0 }; 8];
    value.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    Some(i64::from_le_bytes(value))
}

/// Parses a float as Python's `repr` writes it. Refuses digits that overflow to infinity.
pub(crate) fn float(bytes: &[u8]) -> Option<f64> {
    let number: f64 = str::from_utf8(bytes).ok()?.parse().ok()?;
    (number.is_finite() || !bytes.iter().any(u8::is_ascii_digit)).then_some(number)
}

/// Returns the beginning of a text, for a message.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    // Longer ones are not shown in full.
    error::excerpt(&String::from_utf8_lossy(bytes.get(..1024).unwrap_or(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_python_3_are_unescaped() {
        for (text, expected) in [
            (&b"a\xe9\\n"[..], Some("a\u{e9}\\n".as_bytes())),
            (b"\\u00e9\\u20ac\\U0001f600", Some("\u{e9}\u{20ac}\u{1f600}".as_bytes())),
            (b"\\\\u0041\\\\\\u0041\\", Some(b"\\\\u0041\\\\A\\")),
            (b"\\u00e", None),
            (b"\\ud83d\\udE00", Some(b"\xed\xa0\xbd\xed\xb8\x80")),
            (b"\\U00110000", None),
            (b"\\u00eg", None),
        ] {
            assert_eq!(unescape_text(text).as_deref(), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn texts_of_python_2_are_unquoted() {
        for (text, expected) in [
            (&b"''"[..], Some(&b""[..])),
            (b"\"it's\"", Some(b"it's")),
            (br#"'\\\'\"\n\r\t\a\b\v\f'"#, Some(b"\\'\"\n\r\t\x07\x08\x0b\x0c")),
            (br"'\x00\xfFg'", Some(b"\0\xffg")),
            (br"'\0\7\12\1234\377'", Some(b"\0\x07\n\x534\xff")),
            (br"'\08'", Some(b"\x008")),
            (br"'\400'", None),
            (br"'\x1'", None),
            (br"'\xg1'", None),
            (br"'\q'", None),
            (br"'\'", None),
            (b"'", None),
            (b"'a\"", None),
            (b"a", None),
            (b"", None),
        ] {
            assert_eq!(unquote(text).as_deref(), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn numbers_are_read_as_python_writes_them() {
        assert_eq!([&b"12"[..], b" -7L ", b"0L"].map(integer), [Some(12), Some(-7), Some(0)]);
        assert_eq!([&b""[..], b"L", b"1LL", b"9223372036854775808", b"\xff"].map(integer), [None; 5]);
        assert_eq!([&b"1.5"[..], b"-inf", b"1e-400"].map(float), [Some(1.5), Some(f64::NEG_INFINITY), Some(0.0)]);
        assert_eq!([&b""[..], b"1.5x", b"\xff", b" 1.5", b"1e400"].map(float), [None; 5]);
        assert_eq!([&b""[..], b"\x7f", b"\x80", b"\xff\x00"].map(small_integer), [Some(0), Some(127), Some(-128), Some(255)]);
        assert_eq!([&[0xff; 8][..], &[0; 9]].map(small_integer), [Some(-1), None]);
    }

    #[test]
    fn excerpts_are_short() {
        assert_eq!(excerpt(&[b'a'; 60]), "a".repeat(60));
        assert_eq!(excerpt(&[b'a'; 61]), "a".repeat(60) + "\u{2026}");
        assert_eq!(excerpt("\u{e9}".repeat(60).as_bytes()), "\u{e9}".repeat(60));
        assert_eq!(excerpt("\u{e9}".repeat(61).as_bytes()), "\u{e9}".repeat(60) + "\u{2026}");
    }
}

//! Text of files on a terminal: control characters are escaped, so that no file can send them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes control characters but line feeds, and characters that change the direction of text.
///
/// Texts of several lines are printed, so line feeds remain; see [`line`] for names and messages.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    escape(text, |character| character != '\n' && is_unsafe(character))
}

/// Escapes control characters, line feeds too, and characters that change the direction of text.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escape(text, is_unsafe)
}

/// Escapes in JSON what a terminal obeys, by JSON's own escapes: it can only be in strings. Line feeds between values remain.
pub(crate) fn json(json: &str) -> Cow<'_, str> {
    if !json.contains(|character| character != '\n' && is_unsafe(character)) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if character != '\n' && is_unsafe(character) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Whether a character is a control character, or changes the direction of the text around it.
fn is_unsafe(character: char) -> bool {
    // The embeddings, overrides and isolates of Unicode's bidirectional algorithm (UAX 9), and the line separators.
    character.is_control() || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, is_unsafe: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            character if !is_unsafe(character) => escaped.push(character),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            // As Python's `repr` writes them.
            character if u32::from(character) <= 0xff => {
                let _ = write!(escaped, "\\x{:02x}", u32::from(character));
            }
            character => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(character));
            }
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_a_terminal_obeys() {
        assert_eq!(line("\x1b[2J\r\n\t\u{9b}A\u{202e}é"), "\\x1b[2J\\r\\n\\t\\x9bA\\u202eé");
        assert_eq!(text("a\nb\x07"), "a\nb\\x07");
        assert_eq!(json("\"\u{9b}\u{202e}\""), "\"\\u009b\\u202e\"");
        assert!(matches!(line("plain"), Cow::Borrowed(_)));
        assert_eq!(json("[\"\u{9b}\",\n\"\u{202e}\"]"), "[\"\\u009b\",\n\"\\u202e\"]");
    }
}

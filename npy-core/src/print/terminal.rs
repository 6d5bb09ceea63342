//! Text of files on a terminal: characters that it would obey or hide are escaped, so that no file can send them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes all but line feeds that a terminal obeys or hides.
///
/// Texts of several lines are printed, so line feeds remain; see [`line()`] for names and messages.
///
/// ```
/// use npy_core::print::terminal;
///
/// assert_eq!(terminal::text("one\r\ntwo"), "one\\r\ntwo");
/// ```
pub fn text(text: &str) -> Cow<'_, str> {
    escape(text, |character| character != '\n' && is_unsafe(character), push_python)
}

/// Escapes all that a terminal obeys or hides, line feeds too.
///
/// ```
/// use npy_core::print::terminal;
///
/// assert_eq!(terminal::line("pick\u{1b}[2Js\n"), "pick\\x1b[2Js\\n");
/// ```
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, is_unsafe, push_python)
}

/// Escapes in JSON what a terminal obeys or hides, by JSON's own escapes: only texts have such characters.
///
/// ```
/// use npy_core::print::terminal;
///
/// assert_eq!(terminal::json("[\"\u{202e}\"]"), "[\"\\u202e\"]");
/// ```
pub fn json(json: &str) -> Cow<'_, str> {
    escape(json, |character| character != '\n' && is_unsafe(character), push_json)
}

/// Whether a terminal obeys a character, or does not show it: controls (the category Cc of Unicode), line separators, and format
/// characters (Cf), which join letters, turn the direction of text around them, or hide text in a name.
///
/// ```
/// use npy_core::print::terminal;
///
/// assert!(terminal::is_unsafe('\u{1b}') && !terminal::is_unsafe('\u{e9}'));
/// ```
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{890}'..='\u{891}'
                | '\u{8e2}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{110bd}'
                | '\u{110cd}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

fn escape(text: &str, is_unsafe: impl Fn(char) -> bool, push: fn(&mut String, char)) -> Cow<'_, str> {
    if !text.contains(&is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_unsafe(character) {
            push(&mut escaped, character);
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Appends a character as Python's `repr` writes it.
fn push_python(out: &mut String, character: char) {
    let _ = match character {
        '\n' => write!(out, "\\n"),
        '\r' => write!(out, "\\r"),
        '\t' => write!(out, "\\t"),
        character => match u32::from(character) {
            code @ ..=0xff => write!(out, "\\x{code:02x}"),
            code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
            code => write!(out, "\\U{code:08x}"),
        },
    };
}

/// Appends a character as JSON writes it: one beyond the first 65,536 as two surrogates.
fn push_json(out: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_a_terminal_obeys() {
        assert_eq!(line("\x1b[2J\r\n\t\u{9b}A\u{202e}é"), "\\x1b[2J\\r\\n\\t\\x9bA\\u202eé");
        assert_eq!(text("a\nb\x07"), "a\nb\\x07");
        assert!(matches!(line("plain"), Cow::Borrowed(_)));
        assert_eq!(json("[\"\u{9b}\",\n\"\u{202e}\"]"), "[\"\\u009b\",\n\"\\u202e\"]");
        assert_eq!(line("\u{e0041}"), "\\U000e0041");
        assert_eq!(json("\"\u{e0041}\""), "\"\\udb40\\udc41\"");
    }

    #[test]
    fn invisible_characters_are_unsafe_and_letters_are_not() {
        let unsafe_ones = "\u{61c}\u{200b}\u{200c}\u{200d}\u{200e}\u{2060}\u{feff}\u{ad}\u{180e}\u{e0001}\u{e0020}\u{e007f}\u{2066}\u{2029}\x7f\u{85}";
        assert_eq!(unsafe_ones.chars().find(|character| !is_unsafe(*character)), None);
        let letters = "aé中ا\u{301}👩\u{fe0f}\u{a0}\u{3000}\u{fffd}\u{e000}";
        assert_eq!(letters.chars().find(|character| is_unsafe(*character)), None);
    }
}

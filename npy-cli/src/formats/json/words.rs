//! JSON as Python and Windows write it: the bare words `NaN`, `Infinity` and `-Infinity`, which no standard has, become strings, and a
//! mark of the byte order at the beginning is dropped.

use std::io::{self, BufReader, Read};

use crate::formats::text::{MARK, expect_memory};

const WORDS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Reads JSON with quotes around these words.
pub(super) struct Words<R> {
    text: R,
    /// The bytes of the mark so far; `None` after another byte.
    mark: Option<usize>,
    state: State,
    /// A word as far as it was read; a minus may be that of a number.
    word: Vec<u8>,
    /// The text so far, with quotes.
    ready: Vec<u8>,
    taken: usize,
    /// The bytes of the string or the number.
    length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outside,
    Word,
    String,
    /// After a backslash in a string.
    Escape,
}

impl<R: Read> Words<R> {
    pub(super) fn new(text: R) -> Self {
        Self { text, mark: Some(0), state: State::Outside, word: Vec::new(), ready: Vec::new(), taken: 0, length: 0 }
    }

    fn step(&mut self, byte: u8) {
        if let Some(count) = self.mark {
            if MARK.get(count) == Some(&byte) {
                self.mark = Some(count + 1);
                return;
            }
            self.mark = None;
            if count < MARK.len() {
                self.ready.extend_from_slice(&MARK[..count]);
            }
        }
        if self.state == State::Word {
            if byte.is_ascii_alphabetic() && self.word.len() < 10 {
                self.word.push(byte);
                return;
            }
            self.end_word();
        }
        self.state = match (self.state, byte) {
            (State::String, b'\\') => State::Escape,
            (State::String, b'"') => State::Outside,
            (State::String | State::Escape, _) | (_, b'"') => State::String,
            (_, b'N' | b'I' | b'-') => {
                self.word.push(byte);
                self.state = State::Word;
                return;
            }
            _ => State::Outside,
        };
        self.ready.push(byte);
    }

    /// Fails where there is no memory for as long a string or number again: the parser doubles its own, and aborts if there is none.
    fn expect_memory(&mut self, byte: u8) -> io::Result<()> {
        const FIRST: usize = 1 << 16;
        let goes_on = matches!(self.state, State::String | State::Escape) || byte.is_ascii_digit();
        self.length = if goes_on { self.length + 1 } else { 0 };
        if self.length < FIRST || !self.length.is_power_of_two() {
            return Ok(());
        }
        // The text that is parsed, and the one that is stored.
        expect_memory(self.length.saturating_mul(2))
    }

    fn end_word(&mut self) {
        let quote: &[u8] = if WORDS.contains(&self.word.as_slice()) { b"\"" } else { b"" };
        self.ready.extend_from_slice(quote);
        self.ready.append(&mut self.word);
        self.ready.extend_from_slice(quote);
        self.state = State::Outside;
    }
}

impl<R: Read> Read for Words<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            self.taken = 0;
            self.ready.clear();
            let count = self.text.read(buffer)?;
            if count == 0 && self.word.is_empty() {
                return Ok(0);
            }
            if count == 0 {
                self.end_word();
            }
            for byte in buffer.get(..count).unwrap_or_default() {
                self.step(*byte);
                self.expect_memory(*byte)?;
            }
        }
        let count = self.ready.get(self.taken..).unwrap_or_default().read(buffer)?;
        self.taken += count;
        Ok(count)
    }
}

/// The number of quotes that are added in a line before a column.
pub(super) fn quotes_before(text: impl Read, line: usize, column: usize) -> usize {
    let mut words = Words::new(io::empty());
    let (mut at_line, mut at, mut quotes) = (1, 0, 0);
    for byte in BufReader::new(text).bytes().map_while(Result::ok) {
        words.step(byte);
        let ready = std::mem::take(&mut words.ready);
        // Only a word with quotes comes as a whole behind one.
        let closing = if ready.len() > 2 && ready[0] == b'"' { ready[1..].iter().position(|byte| *byte == b'"') } else { None };
        for (index, byte) in ready.iter().enumerate() {
            if at_line > line || at_line == line && at >= column {
                return quotes;
            }
            at += 1;
            quotes += usize::from(at_line == line && closing.is_some_and(|closing| index == 0 || index == closing + 1));
            if *byte == b'\n' {
                (at_line, at) = (at_line + 1, 0);
            }
        }
    }
    quotes
}

/// The letters around a column of a text without its mark, and the column where they begin.
pub(super) fn word_at(text: impl Read, line: usize, column: usize) -> (usize, String) {
    const MOST: usize = 30;
    let (mut at_line, mut at, mut begin, mut word, mut skipped) = (1, 0, 1, String::new(), 0);
    for byte in BufReader::new(text).bytes().map_while(Result::ok) {
        if at_line == 1 && at == 0 && MARK.get(skipped) == Some(&byte) {
            skipped += 1;
            continue;
        }
        at += 1;
        let is_letter = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if at_line == line && at > column && (!is_letter || word.len() > MOST) {
            break;
        }
        if at_line == line && at == column && !is_letter {
            return (column, String::new());
        }
        if is_letter {
            word.push(char::from(byte));
        } else {
            (begin, word) = (at + 1, String::new());
        }
        if byte == b'\n' {
            (at_line, at, begin) = (at_line + 1, 0, 1);
        }
        if at_line > line {
            return (column, String::new());
        }
    }
    (begin, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a byte at a time as well, so that each place is one between two pieces.
    fn read(text: &str) -> String {
        let mut whole = String::new();
        Words::new(text.as_bytes()).read_to_string(&mut whole).unwrap();
        let mut bytes = Vec::new();
        let (mut words, mut byte) = (Words::new(text.as_bytes()), [0]);
        while words.read(&mut byte).unwrap() == 1 {
            bytes.push(byte[0]);
        }
        assert_eq!(whole.as_bytes(), bytes);
        whole
    }

    #[test]
    fn bare_words_become_strings() {
        for (text, expected) in [
            ("[NaN, -Infinity,Infinity]", r#"["NaN", "-Infinity","Infinity"]"#),
            (r#"{"a": NaN}"#, r#"{"a": "NaN"}"#),
            ("NaN", r#""NaN""#),
            ("-Infinity", r#""-Infinity""#),
            (r#"["NaN \" NaN", -1, -0.5e-3, 1e-5, null, true]"#, r#"["NaN \" NaN", -1, -0.5e-3, 1e-5, null, true]"#),
            (r#"["\\", NaN]"#, r#"["\\", "NaN"]"#),
            ("[-", "[-"),
            ("[--1]", "[--1]"),
            ("[Nine, NaNs, -Infinitys, NNaN]", "[Nine, NaNs, -Infinitys, NNaN]"),
            ("\u{feff}[NaN]", "[\"NaN\"]"),
            ("[\"\u{feff}\"]", "[\"\u{feff}\"]"),
            ("\u{fefe}", "\u{fefe}"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}

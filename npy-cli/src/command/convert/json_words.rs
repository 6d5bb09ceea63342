//! JSON as Python writes it: the bare words `NaN`, `Infinity` and `-Infinity`, which no standard has, become strings.

use std::io::{self, Read};

const WORDS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Reads JSON with quotes around these words.
pub(super) struct Words<R> {
    text: R,
    state: State,
    /// A word as far as it was read; a minus may be that of a number.
    word: Vec<u8>,
    /// What was read, with quotes.
    ready: Vec<u8>,
    taken: usize,
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
        Self { text, state: State::Outside, word: Vec::new(), ready: Vec::new(), taken: 0 }
    }

    fn step(&mut self, byte: u8) {
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
            buffer.get(..count).unwrap_or_default().iter().for_each(|byte| self.step(*byte));
        }
        let count = self.ready.get(self.taken..).unwrap_or_default().read(buffer)?;
        self.taken += count;
        Ok(count)
    }
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
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}

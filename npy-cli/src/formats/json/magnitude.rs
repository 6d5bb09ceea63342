//! JSON whose numbers all fit into an `f64`, for the survey: `serde_json` refuses others as soon as it meets them. The values are
//! read by their digits later.

use std::io::{self, Read};

/// More digits than any integer of 64 bits has, and far fewer than those of the largest `f64`.
const MOST_DIGITS: usize = 40;

/// Reads a JSON text, with exponents of 0 and with spaces in place of all but the first digits of long integers. Every byte stays in
/// its place, and every number stays a float or an integer.
pub(super) struct Small<R> {
    inner: R,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Between,
    Text,
    Escape,
    /// Before the point, after as many digits.
    Integer(usize),
    /// The rest of a number that is replaced.
    Rest,
    Fraction,
    Exponent,
}

impl<R> Small<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, state: State::Between }
    }
}

impl State {
    /// Steps over a byte, and returns what replaces it.
    fn step(&mut self, byte: u8) -> u8 {
        let is_of_number = matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let (next, replaced) = match (*self, byte) {
            (Self::Text, b'\\') => (Self::Escape, byte),
            (Self::Text, b'"') => (Self::Between, byte),
            (Self::Text | Self::Escape, _) | (_, b'"') => (Self::Text, byte),
            (_, _) if !is_of_number => (Self::Between, byte),
            (Self::Rest | Self::Integer(MOST_DIGITS), _) => (Self::Rest, b' '),
            (Self::Integer(count), b'0'..=b'9') => (Self::Integer(count + 1), byte),
            (Self::Between, b'0'..=b'9') => (Self::Integer(1), byte),
            (Self::Exponent, b'0'..=b'9') => (Self::Exponent, b'0'),
            (_, b'e' | b'E') => (Self::Exponent, byte),
            (Self::Integer(_), b'.') => (Self::Fraction, byte),
            (state, _) => (state, byte),
        };
        *self = next;
        replaced
    }
}

impl<R: Read> Read for Small<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        buffer.iter_mut().take(count).for_each(|byte| *byte = self.state.step(*byte));
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_small_and_keep_their_kind() {
        let long = "1".repeat(50);
        let kept = format!("{}{}", "1".repeat(MOST_DIGITS), " ".repeat(10));
        for (text, expected) in [
            ("[1e400,-2.5E-999, 3]", "[1e000,-2.5E-000, 3]".to_owned()),
            (r#"{"1e4\"00":"1e5","b":1e5}"#, r#"{"1e4\"00":"1e5","b":1e0}"#.to_owned()),
            (r#""\\"1e5"#, r#""\\"1e0"#.to_owned()),
            ("0.125,12345678901234567890", "0.125,12345678901234567890".to_owned()),
            (&format!("[-{long}, {long}.5e7,7]"), format!("[-{kept}, {kept}    ,7]")),
            ("true 1e+5e6 null", "true 1e+0e0 null".to_owned()),
        ] {
            let mut small = Vec::new();
            Small::new(text.as_bytes()).read_to_end(&mut small).unwrap();
            assert_eq!(String::from_utf8(small).unwrap(), expected, "{text}");
        }
    }
}

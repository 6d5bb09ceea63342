//! Strings: prefixes, quotes and escapes.

use std::borrow::Cow;

use super::{NOT_UTF8, NUL_BYTE, Parser, Result, Value, unexpected};

const UNTERMINATED: &str = "unterminated string";
const INVALID_ESCAPE: &str = "invalid escape sequence";

impl<'a> Parser<'a> {
    /// Parses one or more adjacent strings, which Python joins.
    pub(super) fn strings(&mut self) -> Result<Value<'a>> {
        let start = self.position;
        let mut value = self.string()?;
        loop {
            let end = self.position;
            self.skip_blank()?;
            let at = self.position;
            let prefix = self.rest().iter().take_while(|byte| byte.is_ascii_alphabetic()).take(3).count();
            if !matches!(self.text.get(at + prefix), Some(b'\'' | b'"')) {
                self.position = end;
                return Ok(value);
            }
            match (&mut value, self.string()?) {
                (Value::Text(text), Value::Text(more)) => text.to_mut().push_str(&more),
                (Value::SurrogateText(text), Value::Text(more)) => text.push_str(&more),
                (Value::SurrogateText(text), Value::SurrogateText(more)) => text.push_str(&more),
                (Value::Text(text), Value::SurrogateText(more)) => value = Value::SurrogateText(format!("{text}{more}")),
                (Value::Bytes(bytes), Value::Bytes(more)) => bytes.extend(more),
                _ => return Err(self.error(start, "expected text or bytes, found both")),
            }
        }
    }

    fn string(&mut self) -> Result<Value<'a>> {
        let start = self.position;
        let (mut raw, mut bytes) = (false, false);
        loop {
            match self.peek() {
                Some(b'r' | b'R') if !raw => raw = true,
                Some(b'b' | b'B') if !bytes => bytes = true,
                // Python 2 wrote `u'…'`, which excludes other prefixes.
                Some(b'u' | b'U') if self.position == start => {
                    self.position += 1;
                    match self.peek() {
                        Some(b'\'' | b'"') => break,
                        _ => return Err(self.unexpected("a quote")),
                    }
                }
                Some(b'\'' | b'"') => break,
                _ => return Err(self.error(start, "unknown string prefix")),
            }
            self.position += 1;
        }
        let quote = self.text[self.position];
        let triple = self.rest().starts_with(&[quote; 3]);
        self.position += if triple { 3 } else { 1 };
        let body = self.position;

        // Most strings are plain ASCII without a backslash, and are borrowed.
        let plain = |byte: &u8| *byte != quote && *byte != b'\\' && (b' '..=b'~').contains(byte);
        let length = self.rest().iter().position(|byte| !plain(byte)).unwrap_or(self.rest().len());
        self.position += length;
        if !triple && !bytes && self.peek() == Some(quote) {
            self.position += 1;
            let text = std::str::from_utf8(&self.text[body..body + length]).unwrap_or_default();
            return Ok(Value::Text(Cow::Borrowed(text)));
        }

        let mut content = Content { bytes, surrogates: false, text: self.text[body..self.position].to_vec() };
        loop {
            let at = self.position;
            let Some(byte) = self.peek() else {
                return Err(self.error(start, UNTERMINATED));
            };
            self.position += 1;
            match byte {
                0 => return Err(self.error(at, NUL_BYTE)),
                _ if byte == quote && !triple => break,
                _ if byte == quote && self.text[at..].starts_with(&[quote; 3]) => {
                    self.position += 2;
                    break;
                }
                b'\n' | b'\r' if !triple => return Err(self.error(at, UNTERMINATED)),
                b'\\' => self.escape(raw, &mut content)?,
                0x80.. if bytes => {
                    return Err(self.error(at, unexpected("ASCII in a byte string", &format!("the byte {byte:#04x}"))));
                }
                0x80.. if self.dialect.latin1 => content.push(u32::from(byte)).map_err(|problem| self.error(at, problem))?,
                _ => content.text.push(byte),
            }
        }
        if bytes {
            return Ok(Value::Bytes(content.text));
        }
        match String::from_utf8(content.text) {
            Ok(text) if content.surrogates => Ok(Value::SurrogateText(text)),
            Ok(text) => Ok(Value::Text(Cow::Owned(text))),
            Err(_) => Err(self.error(start, NOT_UTF8)),
        }
    }

    /// Parses an escape after its backslash. An unknown escape is kept.
    fn escape(&mut self, raw: bool, content: &mut Content) -> Result<()> {
        let at = self.position - 1;
        let Some(byte) = self.peek() else {
            return Err(self.error(at, UNTERMINATED));
        };
        if raw {
            // In a raw string, an escaped quote does not end the string, and both characters are kept. A
            // second backslash escapes nothing.
            content.text.push(b'\\');
            if matches!(byte, b'\'' | b'"' | b'\\') {
                self.position += 1;
                content.text.push(byte);
            }
            return Ok(());
        }
        self.position += 1;
        let code = match byte {
            b'\n' => return Ok(()),
            b'\\' | b'\'' | b'"' => u32::from(byte),
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => 0x0a,
            b'r' => 0x0d,
            b't' => 0x09,
            b'v' => 0x0b,
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.position += 1;
                }
                code
            }
            b'x' => self.hex(at, 2)?,
            b'u' if !content.bytes => self.hex(at, 4)?,
            b'U' if !content.bytes => self.hex(at, 8)?,
            b'N' if !content.bytes => {
                return Err(self.error(at, INVALID_ESCAPE));
            }
            _ => {
                self.position -= 1;
                content.text.push(b'\\');
                return Ok(());
            }
        };
        content.push(code).map_err(|problem| self.error(at, problem))
    }

    fn hex(&mut self, at: usize, digits: usize) -> Result<u32> {
        let mut code = 0_u32;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(self.error(at, INVALID_ESCAPE));
            };
            code = code << 4 | digit;
            self.position += 1;
        }
        Ok(code)
    }
}

/// The content of a string: UTF-8, or bytes.
struct Content {
    bytes: bool,
    surrogates: bool,
    text: Vec<u8>,
}

impl Content {
    fn push(&mut self, code: u32) -> std::result::Result<(), &'static str> {
        if self.bytes {
            // As in Python, octal escapes above 0o377 are modulo 256.
            self.text.push(code.to_le_bytes()[0]);
            return Ok(());
        }
        if (0xd800..=0xdfff).contains(&code) {
            self.surrogates = true;
            self.text.extend_from_slice(format!("\\u{code:04x}").as_bytes());
            return Ok(());
        }
        let character = char::from_u32(code).ok_or(INVALID_ESCAPE)?;
        self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }
}

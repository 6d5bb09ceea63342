//! Text of files on a terminal: characters that it would obey or hide are escaped, so that no file can send them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::mem;

pub(crate) use npy_core::print::terminal::{is_unsafe, json, line, text};

/// A message in one line. Text that it quotes, as `{:?}` does, has the escapes of Python: `\x1b`, not `\u{1b}`.
pub(crate) fn message(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find('\\') {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let code = behind.strip_prefix("\\u{").and_then(|code| code.split_once('}'));
        let character = code.and_then(|(digits, rest)| Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, rest)));
        if let Some((character, behind)) = character {
            // A letter is one that would join the character before it.
            out.push(character);
            rest = behind;
        } else {
            // A backslash before another one escapes it.
            let length = if behind.starts_with("\\\\") { 2 } else { 1 };
            out.push_str(&behind[..length]);
            rest = &behind[length..];
        }
    }
    out.push_str(rest);
    line(&out).into_owned()
}

/// A path as text. Bytes that are not UTF-8 are escaped, as in `caf\xe9.npy`, so that names which differ look different.
pub(crate) fn path(path: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, str> {
    let path = path.as_ref();
    if let Some(text) = path.to_str() {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in path.as_encoded_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    Cow::Owned(text)
}

/// The characters that a terminal gets unescaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Line feeds, tabs, and colors where they are wanted.
    Lines { colors: bool },
    /// Line feeds; all else is escaped as in JSON.
    Json,
}

/// The last writer before a terminal: it lets nothing pass that [`is_unsafe`], and no bytes that are not UTF-8.
pub(crate) struct Safe<W> {
    out: W,
    kept: Kept,
    /// The beginning of a character, whose end comes with the next bytes.
    rest: Vec<u8>,
}

impl<W: Write> Safe<W> {
    pub(crate) fn new(out: W, kept: Kept) -> Self {
        Self { out, kept, rest: Vec::new() }
    }

    /// Writes the escaped text. Bytes that end within a character are kept, unless `is_end`.
    fn pass(&mut self, bytes: &[u8], is_end: bool) -> io::Result<()> {
        let mut escaped = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.push(&mut escaped, chunk.valid());
            let is_cut =
                chunks.peek().is_none() && std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
            if is_cut && !is_end {
                self.rest = chunk.invalid().to_vec();
            } else {
                for byte in chunk.invalid() {
                    let _ = write!(escaped, "\\x{byte:02x}");
                }
            }
        }
        self.out.write_all(escaped.as_bytes())
    }

    fn push(&self, escaped: &mut String, mut text: &str) {
        let (colors, escape): (bool, fn(&str) -> Cow<'_, str>) = match self.kept {
            Kept::Lines { colors } => (colors, line),
            Kept::Json => (false, json),
        };
        while let Some(at) = text.find(is_unsafe) {
            let (before, behind) = text.split_at(at);
            escaped.push_str(before);
            let color = if colors { color_of(behind) } else { "" };
            let Some(character) = behind.chars().next() else { return };
            text = if color.is_empty() { &behind[character.len_utf8()..] } else { &behind[color.len()..] };
            match character {
                _ if !color.is_empty() => escaped.push_str(color),
                '\n' => escaped.push(character),
                '\t' if self.kept != Kept::Json => escaped.push(character),
                character => escaped.push_str(&escape(character.encode_utf8(&mut [0; 4]))),
            }
        }
        escaped.push_str(text);
    }
}

/// The sequence at the beginning of a text that sets colors, and nothing else; empty if there is none.
fn color_of(text: &str) -> &str {
    let Some(parameters) = text.strip_prefix("\x1b[") else { return "" };
    let length = parameters.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if parameters.as_bytes().get(length) == Some(&b'm') { &text[..length + 3] } else { "" }
}

impl<W: Write> Write for Safe<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.pass(buffer, false)?;
        } else {
            let mut bytes = mem::take(&mut self.rest);
            bytes.extend_from_slice(buffer);
            self.pass(&bytes, false)?;
        }
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = mem::take(&mut self.rest);
        self.pass(&rest, true)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of a writer that was given these parts.
    fn through(kept: Kept, parts: &[&[u8]]) -> String {
        let mut out = Safe::new(Vec::new(), kept);
        for part in parts {
            out.write_all(part).unwrap();
        }
        out.flush().unwrap();
        String::from_utf8(out.out).unwrap()
    }

    #[test]
    fn writer_escapes_whatever_the_parts_are() {
        let text = "a\té\u{9b}中\x1b[31m\u{200b}\x1b[2J\u{e0041}\n".as_bytes();
        let [lines, colors] = [false, true].map(|colors| Kept::Lines { colors });
        let expected = "a\té\\x9b中\\x1b[31m\\u200b\\x1b[2J\\U000e0041\n";
        for end in 0..text.len() {
            assert_eq!(through(lines, &[&text[..end], &text[end..]]), expected);
        }
        assert_eq!(through(colors, &[text]), expected.replace("\\x1b[31m", "\x1b[31m"));
        assert_eq!(through(Kept::Json, &[b"\"\t\x1b[0m\"\n"]), "\"\\u0009\\u001b[0m\"\n");
        assert_eq!(through(lines, &[b"\x9b\xffA", b"\xe4\xb8"]), "\\x9b\\xffA\\xe4\\xb8");
    }

    #[test]
    fn messages_have_the_escapes_of_python() {
        let name = "a\x1b\u{9b}\u{202e}\u{e0041}\\u{1b}\"\n";
        assert_eq!(message(&format!("no {name:?}")), r#"no "a\x1b\x9b\u202e\U000e0041\\u{1b}\"\n""#);
        assert_eq!(message("C:\\u{zz}\\u{1\x1b\\"), "C:\\u{zz}\\u{1\\x1b\\");
    }

    #[test]
    fn paths_that_are_not_utf8_are_told_apart() {
        assert_eq!(path("a\\b.npy"), "a\\b.npy");
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt as _;
            assert_eq!(path(OsStr::from_bytes(b"caf\xe9\\x.npy")), "caf\\xe9\\\\x.npy");
        }
    }
}

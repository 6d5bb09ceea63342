//! A buffer of text: keeps short text, and counts long text or passes it on.

use std::fmt;

/// The most bytes of text that are kept.
pub(super) const MOST_KEPT: usize = 1 << 16;

/// The capacity reserved for a number, a time or a bracket.
const SMALL: usize = 1 << 10;

/// A buffer for the text of an element, after other text.
///
/// Its memory is bounded, and a failed allocation is an error.
pub(crate) struct Text<'a> {
    kept: String,
    /// The start of the text in `kept`.
    begin: usize,
    most: usize,
    /// The sink of text that is not kept; `None` if it is only counted.
    out: Option<&'a mut dyn fmt::Write>,
    passed: Passed,
    result: fmt::Result,
}

/// Properties of text that was not kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passed {
    pub(super) characters: usize,
    pub(super) has_lines: bool,
}

impl<'a> Text<'a> {
    /// Creates a buffer that counts text of more than about `most` bytes.
    pub(super) fn keeping(before: String, most: usize) -> Self {
        let begin = before.len();
        Self { kept: before, begin, most, out: None, passed: Passed::default(), result: Ok(()) }
    }

    /// Creates a buffer that passes text on.
    pub(super) fn passed_to(out: &'a mut dyn fmt::Write) -> Self {
        Self { out: Some(out), ..Self::keeping(String::new(), MOST_KEPT) }
    }

    /// Creates a buffer that keeps all text.
    pub(crate) fn whole(before: String) -> Self {
        Self::keeping(before, usize::MAX)
    }

    /// Returns the kept text, with the text before it.
    ///
    /// Fails if an allocation or the sink failed.
    pub(crate) fn into_kept(self) -> Result<String, fmt::Error> {
        self.result.map(|()| self.kept)
    }

    /// [`into_kept`](Self::into_kept), with the properties of counted text.
    pub(super) fn into_counted(self) -> Result<(String, Passed), fmt::Error> {
        let passed = self.passed;
        self.into_kept().map(|kept| (kept, passed))
    }

    /// Passes the kept text on.
    pub(super) fn finish(mut self) -> fmt::Result {
        self.pass();
        self.result
    }

    /// Reserves memory for some bytes, and returns the buffer to append them to.
    #[inline]
    pub(crate) fn room(&mut self, bytes: usize) -> &mut String {
        if self.kept.len() - self.begin > self.most {
            self.pass();
        }
        if self.kept.try_reserve(bytes).is_err() {
            // The text is lost, and further text reuses its memory.
            self.result = Err(fmt::Error);
            self.kept.clear();
            self.begin = 0;
        }
        &mut self.kept
    }

    /// Reserves memory for a number, a time or a bracket.
    #[inline]
    pub(super) fn small(&mut self) -> &mut String {
        self.room(SMALL)
    }

    /// Appends a text of any length.
    #[inline]
    pub(crate) fn push_str(&mut self, text: &str) {
        if text.len() > MOST_KEPT {
            return self.push_long(text);
        }
        self.room(text.len()).push_str(text);
    }

    #[inline(never)]
    fn push_long(&mut self, mut text: &str) {
        while !text.is_empty() {
            let end = text.len().min(MOST_KEPT);
            let end = (0..=end).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
            let (part, rest) = text.split_at(end);
            self.room(part.len()).push_str(part);
            text = rest;
        }
    }

    fn pass(&mut self) {
        let text = self.kept.get(self.begin..).unwrap_or_default();
        match &mut self.out {
            Some(out) if self.result.is_ok() => self.result = out.write_str(text),
            Some(_) => {}
            None => {
                self.passed.characters += text.chars().count();
                self.passed.has_lines |= text.contains(is_line_end);
            }
        }
        self.kept.truncate(self.begin);
    }
}

/// Never fails: [`Text::finish`] returns the error of an allocation.
impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// Returns whether Python's `str.splitlines` ends a line at a character.
pub(super) fn is_line_end(character: char) -> bool {
    matches!(character, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Appends `count` blanks.
#[inline]
pub(super) fn pad(count: usize, out: &mut String) {
    push_repeated("                                                                ", count, out);
}

/// Appends `count` characters of an ASCII text of equal ones.
pub(super) fn push_repeated(text: &str, mut count: usize, out: &mut String) {
    while count > 0 {
        let part = text.get(..count).unwrap_or(text);
        out.push_str(part);
        count -= part.len();
    }
}

/// A range of the bytes of an element; empty if it exceeds them.
#[inline]
pub(crate) fn part(bytes: &[u8], offset: usize, size: usize) -> &[u8] {
    bytes.get(offset..).and_then(|rest| rest.get(..size)).unwrap_or_default()
}

/// The item at an index among items of one size.
#[inline]
pub(crate) fn item(bytes: &[u8], index: usize, size: usize) -> &[u8] {
    part(bytes, index.saturating_mul(size), size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_counted_or_passed_on() {
        let text = "é\u{2028}x".repeat(MOST_KEPT);
        let mut counted = Text::keeping("before".to_owned(), MOST_KEPT);
        counted.push_str(&text);
        let (kept, passed) = counted.into_counted().unwrap();
        assert!(kept.starts_with("before") && kept.len() < 3 * MOST_KEPT && passed.has_lines);
        assert_eq!(passed.characters + kept["before".len()..].chars().count(), text.chars().count());
        let mut out = String::new();
        let mut passed = Text::passed_to(&mut out);
        passed.push_str(&text);
        passed.finish().unwrap();
        assert!(out == text);
        let mut whole = Text::whole(String::new());
        whole.push_str(&text);
        assert!(whole.into_kept().unwrap() == text);
    }

    #[test]
    fn failed_allocation_is_an_error() {
        let mut text = Text::whole(String::new());
        text.push_str("abc");
        text.room(usize::MAX >> 1).push('d');
        assert!(text.into_kept().is_err());
    }
}

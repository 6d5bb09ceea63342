//! The text of an element on its way: kept while it is short; counted or passed on where it is long.

use std::fmt;

/// The most bytes of text that are kept.
pub(super) const MOST_KEPT: usize = 1 << 16;

/// The capacity reserved for a number, a time or a bracket.
const SMALL: usize = 1 << 10;

/// Text that is written after another one.
///
/// Its memory is bounded, or taken in a way that can fail: nothing is aborted where it ends.
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
    /// Text that is counted where it is long.
    pub(super) fn counted(before: String) -> Self {
        let begin = before.len();
        Self { kept: before, begin, most: MOST_KEPT, out: None, passed: Passed::default(), result: Ok(()) }
    }

    /// Text that is passed on where it is long, and at its end.
    pub(super) fn passed_to(out: &'a mut dyn fmt::Write) -> Self {
        Self { out: Some(out), ..Self::counted(String::new()) }
    }

    /// Text that is kept as a whole.
    pub(crate) fn whole(before: String) -> Self {
        Self { most: usize::MAX, ..Self::counted(before) }
    }

    /// Returns the kept text, after the text that it was appended to.
    ///
    /// Fails if there was no memory, or if the sink failed.
    pub(crate) fn into_kept(self) -> Result<String, fmt::Error> {
        self.result.map(|()| self.kept)
    }

    /// [`into_kept`](Self::into_kept) with the properties of text that was only counted.
    pub(super) fn into_counted(self) -> Result<(String, Passed), fmt::Error> {
        let passed = self.passed;
        self.into_kept().map(|kept| (kept, passed))
    }

    /// Passes the kept text on.
    pub(super) fn finish(mut self) -> fmt::Result {
        self.pass();
        self.result
    }

    /// Reserves memory for as many bytes, to be appended.
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

/// Never fails: [`Text::finish`] says whether the memory ended.
impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// Where Python's `str.splitlines` ends a line.
pub(super) fn is_line_end(character: char) -> bool {
    matches!(character, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Appends `count` blanks.
#[inline]
pub(super) fn pad(count: usize, out: &mut String) {
    push_repeated("                                                                ", count, out);
}

/// Appends `count` characters of an ASCII text that repeats one.
pub(super) fn push_repeated(text: &str, mut count: usize, out: &mut String) {
    while count > 0 {
        let part = text.get(..count).unwrap_or(text);
        out.push_str(part);
        count -= part.len();
    }
}

/// Some bytes of an element; none if they are beyond its end.
#[inline]
pub(crate) fn part(bytes: &[u8], offset: usize, size: usize) -> &[u8] {
    bytes.get(offset..).and_then(|rest| rest.get(..size)).unwrap_or_default()
}

/// The item at this index among items of one size.
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
        let mut counted = Text::counted("before".to_owned());
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
    fn memory_that_ends_is_an_error() {
        let mut text = Text::whole(String::new());
        text.push_str("abc");
        text.room(usize::MAX >> 1).push('d');
        assert!(text.into_kept().is_err());
    }
}

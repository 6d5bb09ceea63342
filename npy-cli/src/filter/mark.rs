//! A problem in an expression, and the lines that show where it is.

use unicode_width::UnicodeWidthStr;

use crate::escape;
use crate::failure::Failure;

/// What is wrong at a place in an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    /// In bytes.
    pub(super) at: usize,
    pub(super) message: String,
}

pub(super) type Checked<T> = Result<T, Problem>;

impl Problem {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    /// The failure of the command, with the place in the expression below it.
    pub(super) fn in_expression(self, text: &str) -> Failure {
        let failure = Failure::Nameless(format!("invalid expression: {}", self.message));
        Failure::Marked { failure: Box::new(failure), mark: marked(text, self.at) }
    }
}

/// The most bytes of an expression that are shown before and behind a place.
const AROUND: usize = 60;

/// The expression, or the part of it around a place, and a caret under the place.
fn marked(text: &str, at: usize) -> String {
    let boundary = |place: usize| (0..=place.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
    let at = boundary(at);
    let (begin, end) = (boundary(at.saturating_sub(AROUND)), boundary(at.saturating_add(AROUND)));
    let dots = |is_cut: bool| if is_cut { "…" } else { "" };
    let before = format!("{}{}", dots(begin > 0), escape::line(text.get(begin..at).unwrap_or_default()));
    let behind = format!("{}{}", escape::line(text.get(at..end).unwrap_or_default()), dots(end < text.len()));
    format!("  {before}{behind}\n  {}^", " ".repeat(before.width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_under_the_place() {
        assert_eq!(marked("x > 3", 2), "  x > 3\n    ^");
        assert_eq!(marked("x >", 3), "  x >\n     ^");
        assert_eq!(marked("名 > 3", 4), "  名 > 3\n     ^", "wide characters");
        assert_eq!(marked("\0 > 3", 2), "  \\x00 > 3\n       ^");
        let long = format!("{}x{}", "é".repeat(100), "é".repeat(100));
        let around = "é".repeat(30);
        assert_eq!(marked(&long, 200), format!("  …{around}x{}…\n  {}^", "é".repeat(29), " ".repeat(31)));
    }
}

//! What is wrong with the Python literal of a header.

/// Why a header, or the text of a dtype, is not a Python literal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LiteralProblem {
    /// Another token is expected.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What would be valid.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// The text is not UTF-8.
    #[error("invalid UTF-8")]
    NotUtf8,
    /// A NUL byte stands in a string or a comment.
    #[error("invalid NUL byte")]
    NulByte,
    /// The closing quote of a string is missing.
    #[error("unterminated string")]
    UnterminatedString,
    /// The letters before a quote are not a string prefix of Python.
    #[error("unknown string prefix")]
    UnknownPrefix,
    /// A backslash begins an escape sequence that Python rejects.
    #[error("invalid escape sequence")]
    InvalidEscape,
    /// A decimal integer begins with a zero.
    #[error("leading zero in an integer")]
    LeadingZero,
    /// A number has more digits than Python reads.
    #[error("number too long: expected at most {limit} digits, found {found}")]
    TooManyDigits {
        /// The limit.
        limit: usize,
        /// How many there are.
        found: usize,
    },
}

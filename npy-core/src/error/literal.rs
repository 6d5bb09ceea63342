//! What is wrong with the Python literal of a header.

use std::fmt;

use super::describe::counted;

/// Why a header, or the text of a dtype, is not a Python literal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiteralProblem {
    /// Another token is expected.
    Unexpected {
        /// What would be valid.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// The text is not UTF-8.
    NotUtf8,
    /// A NUL byte stands in a string or a comment.
    NulByte,
    /// The closing quote of a string is missing.
    UnterminatedString,
    /// The letters before a quote are not a string prefix of Python.
    UnknownPrefix,
    /// A backslash begins an escape sequence that Python rejects.
    InvalidEscape,
    /// A decimal integer begins with a zero.
    LeadingZero,
    /// A number has more digits than Python reads.
    TooManyDigits {
        /// The limit.
        limit: usize,
        /// How many there are.
        found: usize,
    },
}

impl fmt::Display for LiteralProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::NotUtf8 => f.write_str("invalid UTF-8"),
            Self::NulByte => f.write_str("invalid NUL byte"),
            Self::UnterminatedString => f.write_str("unterminated string"),
            Self::UnknownPrefix => f.write_str("unknown string prefix"),
            Self::InvalidEscape => f.write_str("invalid escape sequence"),
            Self::LeadingZero => f.write_str("leading zero in an integer"),
            Self::TooManyDigits { limit, found } => {
                write!(f, "number too long: expected at most {limit}, found {found}", limit = counted(limit, "digit"))
            }
        }
    }
}

impl std::error::Error for LiteralProblem {}

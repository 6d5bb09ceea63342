//! What is wrong with dtypes.

use std::fmt;

use super::describe::counted;

use super::LiteralProblem;
use crate::options::Version;

/// Why a text or a value is not a dtype.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DTypeProblem {
    /// The text is not a Python literal.
    Literal(LiteralProblem),
    /// No scalar type of NumPy has this code or name.
    UnknownTypeCode,
    /// A `datetime64` or `timedelta64` has a unit that NumPy lacks.
    UnknownTimeUnit,
    /// The divisor of a time unit leaves no whole number of a finer unit.
    InvalidDivisor,
    /// The byte order before a shape differs from that of the type code.
    InconsistentByteOrders,
    /// A value of another type or form is expected.
    Unexpected {
        /// What would be valid.
        expected: &'static str,
    },
    /// A title is unhashable in Python: a list, a dict or a set.
    UnhashableTitle,
    /// A list of a dict has fewer items than there are names.
    WrongCount {
        /// How many names there are.
        expected: usize,
        /// How many items there are.
        found: usize,
    },
    /// The shape of a sub-array is not a tuple of lengths.
    InvalidShape {
        /// The largest length.
        limit: usize,
    },
    /// A sub-array has no dimensions, or more than NumPy allows.
    InvalidDimensions {
        /// How many there are.
        found: usize,
    },
    /// An element has more bytes than NumPy allows.
    TooLarge {
        /// NumPy's limit.
        limit: usize,
    },
    /// Brackets nest deeper in the text than Python allows.
    NestedTooDeep {
        /// The limit.
        limit: usize,
    },
    /// The dtype has more fields than the [`Limits`](crate::Limits) allow.
    TooManyFields {
        /// The limit.
        limit: u64,
        /// How many there are.
        found: u64,
    },
    /// A field begins before the end of the previous one.
    Overlap {
        /// Where the previous field ends.
        expected: usize,
        /// Where this one begins.
        found: usize,
    },
    /// The offset of a field is negative, or more than NumPy allows.
    InvalidOffset {
        /// The largest offset.
        limit: usize,
        /// The offset, as it is written.
        found: String,
    },
    /// A field of an aligned record begins between two multiples of its alignment.
    UnalignedOffset {
        /// The alignment of the field.
        alignment: usize,
        /// Its offset.
        found: usize,
    },
    /// A record is too short for its fields, or is not a multiple of its alignment.
    InvalidItemsize {
        /// Where the last field ends.
        minimum: usize,
        /// The alignment of the record; 1 if it is not aligned.
        alignment: usize,
    },
    /// Two fields have this name.
    DuplicateName,
    /// A title equals a field name or another title.
    DuplicateTitle,
}

impl fmt::Display for DTypeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(problem) => problem.fmt(f),
            Self::UnknownTypeCode => f.write_str("unknown type code"),
            Self::UnknownTimeUnit => f.write_str("unknown time unit"),
            Self::InvalidDivisor => f.write_str("expected a divisor that divides a finer time unit evenly"),
            Self::InconsistentByteOrders => f.write_str("inconsistent byte orders"),
            Self::Unexpected { expected } => write!(f, "expected {expected}"),
            Self::UnhashableTitle => f.write_str("unhashable title"),
            Self::WrongCount { expected, found } => {
                write!(f, "expected {expected}, one for each name, found {found}", expected = counted(expected, "item"))
            }
            Self::InvalidShape { limit } => write!(f, "expected a shape of lengths from 0 to {limit}"),
            Self::InvalidDimensions { found } => write!(f, "expected 1 to 64 dimensions, found {found}"),
            Self::TooLarge { limit } => write!(f, "expected an itemsize of at most {limit}", limit = counted(limit, "byte")),
            Self::NestedTooDeep { limit } => write!(f, "nesting exceeds the limit of {limit}"),
            Self::TooManyFields { limit, found } => {
                write!(f, "expected at most {limit}, found {found}", limit = counted(limit, "field"))
            }
            Self::Overlap { expected, found } => write!(
                f,
                "expected an offset of at least {expected}, found {found}; NumPy cannot save overlapping or out-of-order fields"
            ),
            Self::InvalidOffset { limit, found } => write!(f, "expected an offset from 0 to {limit}, found {found}"),
            Self::UnalignedOffset { alignment, found } => {
                write!(f, "expected an offset that is a multiple of {alignment}, found {found}")
            }
            Self::InvalidItemsize { minimum, alignment } => {
                write!(f, "expected an itemsize of at least {minimum}{}", describe_alignment(*alignment))
            }
            Self::DuplicateName => f.write_str("duplicate field name"),
            Self::DuplicateTitle => f.write_str("duplicate title"),
        }
    }
}

impl std::error::Error for DTypeProblem {}

fn describe_alignment(alignment: usize) -> String {
    if alignment == 1 { String::new() } else { format!(", a multiple of {alignment}") }
}

/// Why a dtype cannot be stored in a header or a pickle that NumPy can read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorageProblem {
    /// The elements are sub-arrays, which NumPy has as fields only.
    SubArray,
    /// An element has more bytes than NumPy allows.
    TooLarge {
        /// NumPy's limit.
        limit: usize,
        /// The itemsize.
        found: usize,
    },
    /// The header is too long for this format version, or has a name that it cannot encode.
    Version {
        /// The version that was asked for.
        version: Version,
        /// The oldest one that can encode the header.
        needed: Version,
    },
    /// The header is longer than any format version allows.
    HeaderTooLong,
    /// The title of a field is not a text, which a pickle cannot express here.
    Title {
        /// The name of the field.
        field: String,
    },
}

impl fmt::Display for StorageProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SubArray => f.write_str(
                "expected a scalar or a record, found a sub-array; add its dimensions to the shape, or make it a field of a record",
            ),
            Self::TooLarge { limit, found } => {
                write!(f, "expected an itemsize of at most {limit}, found {found}", limit = counted(limit, "byte"))
            }
            Self::Version { version, needed } => {
                write!(f, "format version {version} cannot encode the header; version {needed} can")
            }
            Self::HeaderTooLong => f.write_str("expected a header of at most 4 GiB"),
            Self::Title { field } => write!(f, "expected a text as the title of field {field:?}"),
        }
    }
}

impl std::error::Error for StorageProblem {}

//! What is wrong with dtypes.

use super::LiteralProblem;
use crate::options::Version;

/// Why a text or a value is not a dtype.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DTypeProblem {
    /// The text is not a Python literal.
    #[error("{0}")]
    Literal(LiteralProblem),
    /// No scalar type of NumPy has this code or name.
    #[error("unknown type code")]
    UnknownTypeCode,
    /// A `datetime64` or `timedelta64` has a unit that NumPy lacks.
    #[error("unknown time unit")]
    UnknownTimeUnit,
    /// The divisor of a time unit leaves no whole number of a finer unit.
    #[error("expected a divisor that divides a finer time unit evenly")]
    InvalidDivisor,
    /// The byte order before a shape differs from that of the type code.
    #[error("inconsistent byte orders")]
    InconsistentByteOrders,
    /// A value of another type or form is expected.
    #[error("expected {expected}")]
    Unexpected {
        /// What would be valid.
        expected: &'static str,
    },
    /// A title is unhashable in Python: a list, a dict or a set.
    #[error("unhashable title")]
    UnhashableTitle,
    /// A list of a dict has fewer items than there are names.
    #[error("expected {expected} items, one for each name, found {found}")]
    WrongCount {
        /// How many names there are.
        expected: usize,
        /// How many items there are.
        found: usize,
    },
    /// The shape of a sub-array is not a tuple of lengths.
    #[error("expected a shape of lengths from 0 to {limit}")]
    InvalidShape {
        /// The largest length.
        limit: usize,
    },
    /// A sub-array has no dimensions, or more than NumPy allows.
    #[error("expected 1 to 64 dimensions, found {found}")]
    InvalidDimensions {
        /// How many there are.
        found: usize,
    },
    /// An element has more bytes than NumPy allows.
    #[error("expected an itemsize of at most {limit} bytes")]
    TooLarge {
        /// NumPy's limit.
        limit: usize,
    },
    /// Brackets nest deeper in the text than Python allows.
    #[error("nesting exceeds the limit of {limit}")]
    NestedTooDeep {
        /// The limit.
        limit: usize,
    },
    /// The dtype has more fields than the [`Limits`](crate::Limits) allow.
    #[error("expected at most {limit} fields, found {found}")]
    TooManyFields {
        /// The limit.
        limit: u64,
        /// How many there are.
        found: u64,
    },
    /// A field begins before the end of the previous one.
    #[error("expected an offset of at least {expected}, found {found}; NumPy cannot save overlapping or out-of-order fields")]
    Overlap {
        /// Where the previous field ends.
        expected: usize,
        /// Where this one begins.
        found: usize,
    },
    /// The offset of a field is negative, or more than NumPy allows.
    #[error("expected an offset from 0 to {limit}, found {found}")]
    InvalidOffset {
        /// The largest offset.
        limit: usize,
        /// The offset, as it is written.
        found: String,
    },
    /// A field of an aligned record begins between two multiples of its alignment.
    #[error("expected an offset that is a multiple of {alignment}, found {found}")]
    UnalignedOffset {
        /// The alignment of the field.
        alignment: usize,
        /// Its offset.
        found: usize,
    },
    /// A record is too short for its fields, or is not a multiple of its alignment.
    #[error("expected an itemsize of at least {minimum}{}", describe_alignment(*.alignment))]
    InvalidItemsize {
        /// Where the last field ends.
        minimum: usize,
        /// The alignment of the record; 1 if it is not aligned.
        alignment: usize,
    },
    /// Two fields have this name.
    #[error("duplicate field name")]
    DuplicateName,
    /// A title equals a field name or another title.
    #[error("duplicate title")]
    DuplicateTitle,
}

fn describe_alignment(alignment: usize) -> String {
    if alignment == 1 { String::new() } else { format!(", a multiple of {alignment}") }
}

/// Why a dtype cannot be stored in a header or a pickle that NumPy can read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StorageProblem {
    /// The elements are sub-arrays, which NumPy has as fields only.
    #[error("expected a scalar or a record, found a sub-array; add its dimensions to the shape, or make it a field of a record")]
    SubArray,
    /// An element has more bytes than NumPy allows.
    #[error("expected an itemsize of at most {limit} bytes, found {found}")]
    TooLarge {
        /// NumPy's limit.
        limit: usize,
        /// The itemsize.
        found: usize,
    },
    /// The header is too long for this format version, or has a name that it cannot encode.
    #[error("format version {version} cannot encode the header; version {needed} can")]
    Version {
        /// The version that was asked for.
        version: Version,
        /// The oldest one that can encode the header.
        needed: Version,
    },
    /// The header is longer than any format version allows.
    #[error("expected a header of at most 4 GiB")]
    HeaderTooLong,
    /// The title of a field is not a text, which a pickle cannot express here.
    #[error("expected a text as the title of field {field:?}")]
    Title {
        /// The name of the field.
        field: String,
    },
}

//! What is wrong with RawArray files.

use std::fmt;

use super::describe::{counted, describe_magic};

/// What is wrong with a RawArray file (`.ra`), or why there is none of an array. Offsets are
/// counted from the beginning of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RawArrayProblem {
    /// The input does not start with `rawarray`.
    NotRawArray {
        /// The first bytes of the input, at most 8.
        found: Vec<u8>,
    },
    /// A flag that no implementation gives a meaning that could be read.
    UnknownFlags {
        /// Where the flags stand.
        offset: u64,
        /// All flags of the file.
        found: u64,
    },
    /// A type code above 5.
    UnknownKind {
        /// Where the type code stands.
        offset: u64,
        /// The type code.
        found: u64,
    },
    /// An element of that type has no such number of bytes.
    UnknownWidth {
        /// Where the number stands.
        offset: u64,
        /// The type code.
        kind: u64,
        /// The number of bytes.
        found: u64,
        /// The numbers of bytes that such elements have.
        known: &'static [u16],
    },
    /// More dimensions than an array can have.
    TooManyDimensions {
        /// Where the number stands.
        offset: u64,
        /// The number.
        found: u64,
    },
    /// Dimensions whose product is more than an array can have.
    Overflow {
        /// Where the dimensions begin.
        offset: u64,
        /// The dimensions.
        dims: Vec<u64>,
        /// Bytes an element.
        element_bytes: u64,
    },
    /// The size of the data is not what the dimensions and the type need.
    WrongSize {
        /// Where the size stands.
        offset: u64,
        /// The bytes that dimensions and type need.
        expected: u64,
        /// The size.
        found: u64,
    },
    /// The size of compressed data cannot be that of what the dimensions and the type need.
    WrongCompressedSize {
        /// Where the size stands.
        offset: u64,
        /// The bytes that dimensions and type need.
        expected: u64,
        /// The size.
        found: u64,
    },
    /// The data are compressed, and this build does not decompress them.
    MissingFeature,
    /// The data are compressed, so no part of the file holds the elements.
    NotMappable,
    /// The compressed data cannot be decompressed.
    Damaged {
        /// Where the compressed data begin, or the part that is damaged.
        offset: u64,
    },
    /// The compressed data are those of more or fewer bytes than the dimensions and the type need.
    WrongLength {
        /// Where the compressed data begin.
        offset: u64,
        /// The bytes that dimensions and type need.
        expected: u64,
        /// How many they are when they are decompressed.
        found: u64,
    },
    /// The array is larger than what LZ4 compresses at once.
    TooLargeToCompress {
        /// How many LZ4 compresses.
        limit: u64,
        /// The bytes of the array.
        found: u64,
    },
    /// One file has one byte order, and the dtype two.
    MixedByteOrders {
        /// The dtype.
        dtype: String,
    },
    /// A dtype was named for elements that are not user-defined, or have another number of
    /// bytes.
    NotThatDType {
        /// The dtype that was named.
        dtype: String,
        /// The type code.
        kind: u64,
        /// Bytes an element.
        element_bytes: u64,
    },
}

impl fmt::Display for RawArrayProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRawArray { found } => write!(f, "not an .ra file: {}", describe_raw_array_magic(found)),
            Self::UnknownFlags { offset, found } => {
                write!(f, "unknown flags at byte {offset}: expected 0x1 (big-endian) and 0x2 (LZ4) at most, found {found:#x}")
            }
            Self::UnknownKind { offset, found } => {
                write!(f, "unknown type code at byte {offset}: expected 0 (user-defined) to 5 (brain float), found {found}")
            }
            Self::UnknownWidth { offset, kind, found, known } => write!(
                f,
                "invalid element size at byte {offset}: expected {} for type code {kind}, found {found}",
                counted(describe_widths(known), "byte")
            ),
            Self::TooManyDimensions { offset, found } => {
                write!(f, "too many dimensions at byte {offset}: expected at most 64, found {found}")
            }
            Self::Overflow { offset, dims, element_bytes } => write!(
                f,
                "array too large at byte {offset}: dimensions {dims:?} with {element_bytes} per element overflow the address space",
                element_bytes = counted(element_bytes, "byte"),
            ),
            Self::WrongSize { offset, expected, found } => {
                write!(
                    f,
                    "invalid data size at byte {offset}: expected {expected}, found {found}",
                    expected = counted(expected, "byte")
                )
            }
            Self::WrongCompressedSize { offset, expected, found } => {
                write!(
                    f,
                    "invalid compressed size at byte {offset}: {found} cannot decompress to {expected}",
                    found = counted(found, "byte")
                )
            }
            Self::MissingFeature => f.write_str("unsupported LZ4 compression: feature `lz4` is disabled"),
            Self::NotMappable => f.write_str("cannot map compressed data; `RaArray::load` reads them"),
            Self::Damaged { offset } => write!(f, "invalid compressed data at byte {offset}"),
            Self::WrongLength { offset, expected, found } => {
                write!(
                    f,
                    "wrong length of the decompressed data at byte {offset}: expected {expected}, found {found}",
                    expected = counted(expected, "byte")
                )
            }
            Self::TooLargeToCompress { limit, found } => {
                write!(f, "array too large for LZ4: expected at most {limit}, found {found}", limit = counted(limit, "byte"))
            }
            Self::MixedByteOrders { dtype } => write!(
                f,
                "unsupported dtype {dtype}: expected one byte order, found both; convert it with \
         `array.astype(array.dtype.newbyteorder('<'))`"
            ),
            Self::NotThatDType { dtype, kind, element_bytes } => write!(
                f,
                "cannot read the elements as {dtype}: expected user-defined ones (type code 0) of its size, found type code {kind} with \
         {element_bytes}",
                element_bytes = counted(element_bytes, "byte")
            ),
        }
    }
}

impl std::error::Error for RawArrayProblem {}

fn describe_raw_array_magic(found: &[u8]) -> String {
    match found {
        [b'y', b'a', b'r', b'r', b'a', b'w', ..] => {
            "expected \"rawarray\", found \"yarrawar\"; the header is in big-endian order".to_owned()
        }
        [0x93, b'N', b'U', b'M', ..] => "expected \"rawarray\", found an .npy file; read it with `load`".to_owned(),
        _ => describe_magic("rawarray", found),
    }
}

/// `1, 2 or 4`.
fn describe_widths(known: &[u16]) -> String {
    let known: Vec<_> = known.iter().map(u16::to_string).collect();
    match known.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

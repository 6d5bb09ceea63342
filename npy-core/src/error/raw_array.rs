//! What is wrong with RawArray files.

use super::describe_magic;

/// What is wrong with a RawArray file (`.ra`), or why there is none of an array. Offsets are counted from the beginning of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RawArrayProblem {
    /// The input does not start with `rawarray`.
    #[error("not an .ra file: {}", describe_raw_array_magic(.found))]
    NotRawArray {
        /// The first bytes of the input, at most 8.
        found: Vec<u8>,
    },
    /// A flag that no implementation gives a meaning that could be read.
    #[error("the flags at byte {offset} are {found:#x}, of which only 0x1 (big-endian) and 0x2 (LZ4) are known")]
    UnknownFlags {
        /// Where the flags stand.
        offset: u64,
        /// All flags of the file.
        found: u64,
    },
    /// A type code above 5.
    #[error("the type code at byte {offset} is {found}, where 0 (user-defined) to 5 (brain float) are known")]
    UnknownKind {
        /// Where the type code stands.
        offset: u64,
        /// The type code.
        found: u64,
    },
    /// An element of that type has no such number of bytes.
    #[error("an element of type code {kind} has {found} bytes at byte {offset} of the file; {} are known", describe_widths(.known))]
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
    #[error("the number of dimensions at byte {offset} is {found}, where NumPy's limit is 64")]
    TooManyDimensions {
        /// Where the number stands.
        offset: u64,
        /// The number.
        found: u64,
    },
    /// Dimensions whose product is more than an array can have.
    #[error("the dimensions {dims:?} at byte {offset} with {element_bytes} bytes an element are larger than any array can be")]
    Overflow {
        /// Where the dimensions begin.
        offset: u64,
        /// The dimensions.
        dims: Vec<u64>,
        /// Bytes an element.
        element_bytes: u64,
    },
    /// The size of the data is not what the dimensions and the type need.
    #[error("the size of the data at byte {offset} is {found}, where dimensions and type need {expected} bytes")]
    WrongSize {
        /// Where the size stands.
        offset: u64,
        /// The bytes that dimensions and type need.
        expected: u64,
        /// The size.
        found: u64,
    },
    /// The size of compressed data cannot be that of what the dimensions and the type need.
    #[error("the size of the compressed data at byte {offset} is {found}, and LZ4 makes no {expected} bytes of so many")]
    WrongCompressedSize {
        /// Where the size stands.
        offset: u64,
        /// The bytes that dimensions and type need.
        expected: u64,
        /// The size.
        found: u64,
    },
    /// The data are compressed, and this build does not decompress them.
    #[error("the data are compressed by LZ4, which is read with the feature `lz4`")]
    MissingFeature,
    /// The data are compressed, so no part of the file holds the elements.
    #[error("cannot map compressed data; `RaArray::load` reads them")]
    NotMappable,
    /// The compressed data cannot be decompressed.
    #[error("the compressed data at byte {offset} are damaged")]
    Damaged {
        /// Where the compressed data begin, or the part that is damaged.
        offset: u64,
    },
    /// The compressed data are those of more or fewer bytes than the dimensions and the type need.
    #[error(
        "the compressed data at byte {offset} have a length of {found} when decompressed, where dimensions and type need {expected}"
    )]
    WrongLength {
        /// Where the compressed data begin.
        offset: u64,
        /// The bytes that dimensions and type need.
        expected: u64,
        /// How many they are when they are decompressed.
        found: u64,
    },
    /// The array is larger than what LZ4 compresses at once.
    #[error("{found} bytes are more than LZ4 compresses at once, {limit}")]
    TooLargeToCompress {
        /// How many LZ4 compresses.
        limit: u64,
        /// The bytes of the array.
        found: u64,
    },
    /// One file has one byte order, and the dtype two.
    #[error(
        "the dtype {dtype} has both byte orders, and an .ra file has one; in Python, save it in one: \
         `array.astype(array.dtype.newbyteorder('<'))`"
    )]
    MixedByteOrders {
        /// The dtype.
        dtype: String,
    },
    /// A dtype was named for elements that are no user-defined ones, or have another number of bytes.
    #[error(
        "the elements cannot be {dtype}: they are of type code {kind} with {element_bytes} bytes, and only user-defined ones (0) of as many bytes can"
    )]
    NotThatDType {
        /// The dtype that was named.
        dtype: String,
        /// The type code.
        kind: u64,
        /// Bytes an element.
        element_bytes: u64,
    },
}

fn describe_raw_array_magic(found: &[u8]) -> String {
    match found {
        b"yarrawar" => "it starts with \"yarrawar\": the header was written with its numbers in big-endian order".to_owned(),
        [0x93, b'N', b'U', b'M', ..] => "it is an .npy file".to_owned(),
        _ => describe_magic(found).replace("an .npy file starts with \"\\x93NUMPY\"", "an .ra file starts with \"rawarray\""),
    }
}

fn describe_widths(known: &[u16]) -> String {
    let known: Vec<_> = known.iter().map(u16::to_string).collect();
    known.join(", ")
}

//! What can go wrong, as data, and its messages.

use std::fmt;

#[cfg(feature = "npz")]
use super::archive::ArchiveProblem;
use super::conflict::Conflict;
#[cfg(feature = "dynamic")]
use super::describe::describe_no_numbers;
use super::describe::{
    counted, describe_axes, describe_cause, describe_keys, describe_magic, describe_no_field, describe_offset, describe_start,
    describe_viewed, limited, tuple,
};
#[cfg(feature = "npz")]
use super::describe::{describe_missing, describe_others, list};
use super::dtype::{DTypeProblem, StorageProblem};
use super::growth::GrowthProblem;
use super::literal::LiteralProblem;
use super::mismatch::{Mismatch, describe_mismatches};
#[cfg(feature = "object")]
use super::pickle::PickleProblem;
#[cfg(feature = "rawarray")]
use super::raw_array::RawArrayProblem;
use super::region::RegionProblem;
use super::shard::ShardProblem;
#[cfg(feature = "npz")]
use super::sparse::SparseProblem;
use super::value::{ValueProblem, describe_too_long, describe_way_out};
#[cfg(feature = "zarr")]
use super::zarr::ZarrProblem;
use crate::options::Order;

/// What went wrong. Each kind carries what was found, what was expected and where.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or the given stream failed.
    Io {
        /// What was being done.
        action: &'static str,
        /// What the system said.
        error: std::io::Error,
    },

    /// A durable save replaced the file, but could not fsync its directory. A power cut may undo
    /// it.
    NotDurable {
        /// What the system said.
        error: std::io::Error,
    },

    /// Another writer keeps the file from being changed, or has changed it.
    Conflict {
        /// What the other writer does, or did.
        conflict: Conflict,
    },

    /// An earlier call failed or panicked, so that the position in the stream is unknown.
    FailedBefore {
        /// What was to be done.
        action: &'static str,
        /// The message of the earlier error, where it is known.
        cause: Option<Box<str>>,
    },

    /// A custom [`Read`](std::io::Read) or [`Write`](std::io::Write) reports more bytes than it was
    /// given.
    InvalidCount {
        /// Which of the two: `reader` or `writer`.
        stream: &'static str,
        /// How many it was given.
        expected: usize,
        /// How many it reports.
        found: usize,
    },

    /// The path leads to a pipe, a socket or a device.
    NotRegularFile,

    /// The input does not start with `\x93NUMPY`.
    NotNpy {
        /// The first bytes of the input, at most 512.
        found: Vec<u8>,
    },

    /// The input begins with the magic bytes of no format this library reads.
    UnknownFormat {
        /// The first bytes of the input, at most 512.
        found: Vec<u8>,
    },

    /// Reading the input needs a feature of this library that is off.
    MissingFeature {
        /// What the input is.
        what: &'static str,
        /// The feature that reads it.
        feature: &'static str,
    },

    /// A format version other than 1.0, 2.0 and 3.0 (NEP 1 defines no others).
    UnsupportedVersion {
        /// Byte 6 of the file.
        major: u8,
        /// Byte 7 of the file.
        minor: u8,
    },

    /// The input is truncated.
    Truncated {
        /// Which part of the file is cut short.
        part: Part,
        /// Where in the file (or in the stream, counted from its magic string) that part begins.
        offset: u64,
        /// How many bytes it needs.
        expected: u64,
        /// How many bytes there are.
        found: u64,
    },

    /// The header is not a Python literal.
    HeaderSyntax {
        /// Where in the file.
        offset: usize,
        /// What is wrong there.
        problem: LiteralProblem,
    },

    /// The header has missing, duplicate or unknown keys.
    HeaderKeys {
        /// Missing keys.
        missing: Vec<&'static str>,
        /// Duplicate keys.
        duplicate: Vec<String>,
        /// Unknown keys.
        unknown: Vec<String>,
    },

    /// A key of the header has an invalid value.
    HeaderValue {
        /// The key.
        key: &'static str,
        /// Where in the file.
        offset: usize,
        /// The value, as the header has it.
        found: String,
        /// What would be valid.
        expected: &'static str,
    },

    /// A text or a literal is not a dtype.
    InvalidDType {
        /// The part that is wrong.
        text: String,
        /// Why it is wrong.
        problem: DTypeProblem,
        /// Where in the file or the text, if it came from one.
        offset: Option<usize>,
    },

    /// The dtype cannot be expressed in a header that NumPy can read.
    UnstorableDType {
        /// Why.
        problem: StorageProblem,
    },

    /// The size of the array overflows the address space.
    ShapeOverflow {
        /// The lengths of the axes.
        shape: Vec<usize>,
        /// Bytes per element.
        itemsize: usize,
    },

    /// One of the [`Limits`](crate::Limits) was exceeded.
    LimitExceeded {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// What the file asks for.
        found: u64,
    },

    /// The array has more dimensions than NumPy allows.
    TooManyDimensions {
        /// How many it has.
        found: usize,
    },

    /// Brackets nest deeper in the header than the limit.
    NestedTooDeep {
        /// The limit: [`Limits::nesting_depth`](crate::Limits::nesting_depth), at most 200.
        limit: usize,
    },

    /// The array has another number of dimensions than the call needs.
    WrongDimensions {
        /// How many dimensions the call needs.
        expected: usize,
        /// The lengths of the axes in the file.
        shape: Vec<usize>,
        /// What takes any number of dimensions instead.
        takes_any: Option<&'static str>,
    },

    /// The array does not have the axes that elements `[T; N]` take from it.
    WrongElementShape {
        /// The Rust type of the elements.
        rust_type: String,
        /// The lengths of the axes that the type needs; `None` where any length fits.
        expected: Vec<Option<usize>>,
        /// The lengths of the axes in the file.
        found: Vec<usize>,
    },

    /// The array has another shape than the buffer it is read into.
    WrongShape {
        /// The lengths of the axes of the buffer.
        expected: Vec<usize>,
        /// The lengths of the axes in the file.
        found: Vec<usize>,
    },

    /// Nothing can be appended to the array.
    CannotGrow {
        /// Why.
        problem: GrowthProblem,
    },

    /// The array is in Fortran order, so the elements `[T; N]` are not contiguous in the file.
    FortranRows {
        /// The lengths of the axes in the file.
        shape: Vec<usize>,
    },

    /// The dtype of the file does not fit the Rust type. All mismatches are listed.
    Mismatch {
        /// The requested Rust type.
        rust_type: String,
        /// Every place where file and type differ.
        mismatches: Vec<Mismatch>,
    },

    /// The array holds Python objects, stored as a pickle.
    ObjectArray,

    /// Python objects cannot be converted to this type.
    #[cfg(feature = "object")]
    ObjectsInstead {
        /// The requested Rust type.
        rust_type: String,
    },

    /// The array does not hold Python objects.
    #[cfg(feature = "object")]
    NotObjects {
        /// Its dtype.
        dtype: String,
    },

    /// The pickle of the Python objects is invalid, or uses what a reader must not.
    #[cfg(feature = "object")]
    Pickle {
        /// Where in the file (or in the stream, counted from its magic string) the opcode stands.
        offset: u64,
        /// What is wrong there.
        problem: PickleProblem,
    },

    /// A text is not an integer.
    #[cfg(feature = "object")]
    InvalidInteger {
        /// The beginning of the text.
        text: String,
    },

    /// An element is not a value of the Rust type, or its value does not fit the dtype.
    InvalidValue {
        /// The element, counted in the order of the data.
        index: u64,
        /// The field in it, such as `origin.name[2]`; empty for an array without fields.
        path: String,
        /// What is wrong with it.
        problem: ValueProblem,
    },

    /// A Python object is not a value of the Rust type.
    #[cfg(feature = "object")]
    InvalidObject {
        /// Where in the object, such as `origin.name[2]`; empty if it is the object itself.
        path: String,
        /// What is wrong there.
        problem: ValueProblem,
    },

    /// A text is longer than its fixed width.
    TextTooLong {
        /// Its length, in characters for `U`, else in bytes.
        length: usize,
        /// The dtype of that width.
        dtype: String,
    },

    /// The number of elements differs from the expected one.
    WrongCount {
        /// How many are needed.
        expected: u64,
        /// How many are there.
        found: u64,
    },

    /// Writing ended within a row, or within a column in Fortran order.
    IncompleteRow {
        /// The lengths of the axes, as far as rows are complete.
        shape: Vec<usize>,
        /// The order of the array.
        order: Order,
        /// The row, or the column, counted from 0.
        row: u64,
        /// How many elements it needs.
        expected: u64,
        /// How many there are.
        found: u64,
    },

    /// The rule does not allow the cast.
    #[cfg(feature = "dynamic")]
    CannotCast {
        /// The dtype of the array.
        from: String,
        /// The requested dtype.
        to: String,
        /// The rule, as NumPy names it.
        casting: &'static str,
    },

    /// A record has no field of that name, or an array has no fields.
    NoField {
        /// The requested name.
        name: String,
        /// Where the fields are that there are: the names of the records around them; or the dtype
        /// of what has no fields.
        record: String,
        /// The first of their names; none if there is no record.
        available: Vec<String>,
        /// How many more there are.
        omitted: usize,
    },

    /// The elements are not numbers.
    #[cfg(feature = "dynamic")]
    NoNumbers {
        /// The dtype of the array.
        from: String,
        /// The requested dtype.
        to: String,
    },

    /// The data have more or fewer bytes than the dtype and the shape need.
    WrongLength {
        /// How many are needed.
        expected: u64,
        /// How many there are.
        found: u64,
    },

    /// The region is not a part of the array.
    InvalidRegion {
        /// The axis, counted from 0.
        axis: usize,
        /// What is wrong with its range.
        problem: RegionProblem,
    },

    /// The data are misaligned for the type, so they cannot be viewed in place.
    Misaligned {
        /// The alignment the type needs.
        alignment: usize,
        /// How far the data are from it.
        misalignment: usize,
    },

    /// The layout of the data differs from that of the type, so they cannot be viewed in place.
    NotViewable {
        /// The requested field, such as `origin.depth`; empty for the whole array.
        path: String,
        /// The dtype of the file, or of that field.
        file: String,
        /// The Rust type.
        rust_type: String,
        /// The dtype whose bytes equal the Rust type's memory.
        rust: String,
    },

    /// The archive or a member of it is invalid or unsupported.
    #[cfg(feature = "npz")]
    Archive {
        /// What is wrong with it.
        problem: ArchiveProblem,
    },

    /// The crate `zip` failed: the archive is invalid, or the member cannot be decrypted or
    /// decompressed.
    #[cfg(feature = "zip")]
    Zip {
        /// What was being done.
        action: &'static str,
        /// The error of `zip`.
        error: zip::result::ZipError,
    },

    /// The archive has no members of these names.
    #[cfg(feature = "npz")]
    NoMember {
        /// The requested names.
        names: Vec<String>,
        /// The first names that there are.
        available: Vec<String>,
        /// How many more there are.
        omitted: usize,
    },

    /// The archive has unknown members, and the struct says `deny_unknown_fields`.
    #[cfg(feature = "npz")]
    UnknownMembers {
        /// The first of their names.
        names: Vec<String>,
        /// How many more there are.
        omitted: usize,
    },

    /// The arrays are not a sparse matrix.
    #[cfg(feature = "npz")]
    InvalidSparse {
        /// What is wrong.
        problem: SparseProblem,
    },

    /// A RawArray file (`.ra`) is invalid or unsupported, or cannot hold an array.
    #[cfg(feature = "rawarray")]
    RawArray {
        /// What is wrong with it.
        problem: RawArrayProblem,
    },

    /// The files of shards do not belong together.
    Shards {
        /// What is wrong with them.
        problem: ShardProblem,
    },

    /// The files cannot be described as one Zarr array.
    #[cfg(feature = "zarr")]
    Zarr {
        /// What is wrong with them.
        problem: ZarrProblem,
    },

    /// The result cannot be allocated.
    Allocation {
        /// The size of the allocation.
        bytes: usize,
    },
}

impl fmt::Display for ErrorKind {
    #[allow(clippy::too_many_lines, reason = "one arm for each variant")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, .. } => action.fmt(f),
            Self::NotDurable { .. } => f.write_str("the file is saved but not durable: cannot fsync its directory"),
            Self::Conflict { conflict } => conflict.fmt(f),
            Self::FailedBefore { action, cause } => {
                write!(f, "{action}: an earlier call failed{}", describe_cause(cause.as_deref()))
            }
            Self::InvalidCount { stream, expected, found } => {
                write!(f, "invalid byte count from the {stream}: expected at most {expected}, found {found}")
            }
            Self::NotRegularFile => f.write_str("expected a regular file, found a pipe or a device"),
            Self::NotNpy { found } => write!(f, "not an .npy file: {}", describe_magic("\\x93NUMPY", found)),
            Self::UnknownFormat { found } => write!(
                f,
                "unknown file format: expected an .npy file, an .npz archive or an .ra file, found {}",
                describe_start(found)
            ),
            Self::MissingFeature { what, feature } => write!(f, "cannot read {what}: feature `{feature}` is disabled"),
            Self::UnsupportedVersion { major, minor } => {
                write!(f, "unsupported format version {major}.{minor}: expected 1.0, 2.0 or 3.0")
            }
            Self::Truncated { part, offset, expected, found } => {
                write!(
                    f,
                    "truncated file: {part} needs {expected} at offset {offset}, found {found}",
                    expected = counted(expected, "byte")
                )
            }
            Self::HeaderSyntax { offset, problem } => write!(f, "invalid header at byte {offset}: {problem}"),
            Self::HeaderKeys { missing, duplicate, unknown } => write!(
                f,
                "invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'; {}",
                describe_keys(missing, duplicate, unknown)
            ),
            Self::HeaderValue { key, offset, found, expected } => {
                write!(f, "invalid {key} at byte {offset}: expected {expected}, found {found}")
            }
            Self::InvalidDType { text, problem, offset } => {
                write!(f, "invalid dtype {text}{}: {problem}", describe_offset(*offset))
            }
            Self::UnstorableDType { problem } => write!(f, "cannot store the dtype: {problem}"),
            Self::ShapeOverflow { shape, itemsize } => {
                write!(
                    f,
                    "array too large: shape {} with {itemsize} per element overflows the address space",
                    tuple(shape),
                    itemsize = counted(itemsize, "byte")
                )
            }
            Self::LimitExceeded { what, limit, found } => write!(
                f,
                "limit exceeded: expected at most {limit}, found {found}; raise it with `Limits` if the file is trusted",
                limit = limited(*limit, what)
            ),
            Self::TooManyDimensions { found } => write!(f, "too many dimensions: expected at most 64, found {found}"),
            Self::NestedTooDeep { limit } => write!(f, "header nesting exceeds the limit of {limit}"),
            Self::WrongDimensions { expected, shape, takes_any } => write!(
                f,
                "wrong number of dimensions: expected {expected}, found {} with shape {}{}",
                shape.len(),
                tuple(shape),
                takes_any.map_or_else(String::new, |reader| format!("; {reader} takes any"))
            ),
            Self::WrongElementShape { rust_type, expected, found } => {
                write!(f, "wrong shape for {rust_type}: expected {}, found {}", describe_axes(expected), tuple(found))
            }
            Self::WrongShape { expected, found } => write!(f, "wrong shape: expected {}, found {}", tuple(expected), tuple(found)),
            Self::CannotGrow { problem } => write!(f, "cannot grow the array: {problem}"),
            Self::FortranRows { shape } => write!(
                f,
                "cannot read rows as `[T; N]`: expected C order, found Fortran order with shape {}; read it as an `ndarray` array, or save \
         `np.ascontiguousarray(array)`",
                tuple(shape)
            ),
            Self::Mismatch { rust_type, mismatches } => f.write_str(&describe_mismatches(rust_type, mismatches)),
            Self::ObjectArray => f.write_str(
                "unsupported dtype 'O': the elements are pickled Python objects; read them with `npy_core::object::load`, \
         or as a `DynArray` with `ReadOptions::objects` (feature `object`), or save a plain dtype, such as `array.astype('U')`",
            ),
            #[cfg(feature = "object")]
            Self::ObjectsInstead { rust_type } => write!(
                f,
                "cannot convert Python objects to {rust_type}; `objects_as` takes more types, `deserialize` all (feature `serde`)"
            ),
            #[cfg(feature = "object")]
            Self::NotObjects { dtype } => {
                write!(f, "expected an array of Python objects, found dtype {dtype}; `load` or `DynValues::load` reads it")
            }
            #[cfg(feature = "object")]
            Self::Pickle { offset, problem } => write!(f, "unsupported pickle at byte {offset}: {problem}"),
            #[cfg(feature = "object")]
            Self::InvalidInteger { text } => {
                write!(f, "invalid integer {text:?}: expected an optional sign and at most 4300 decimal digits")
            }
            Self::InvalidValue { index, path, problem } => write!(
                f,
                "element {index}{}: {problem}{}",
                if path.is_empty() { String::new() } else { format!(", {path}") },
                describe_way_out(path, problem)
            ),
            #[cfg(feature = "object")]
            Self::InvalidObject { path, problem } => write!(f, "{}{}{problem}", path, if path.is_empty() { "" } else { ": " }),
            Self::TextTooLong { length, dtype } => f.write_str(&describe_too_long(*length, dtype)),
            Self::WrongCount { expected, found } => write!(f, "wrong number of elements: expected {expected}, found {found}"),
            Self::IncompleteRow { shape, order, row, expected, found } => write!(
                f,
                "incomplete {} {row} of an array of shape {}: expected {expected}, found {found}",
                if *order == Order::Fortran { "column" } else { "row" },
                tuple(shape),
                expected = counted(expected, "element")
            ),
            #[cfg(feature = "dynamic")]
            Self::CannotCast { from, to, casting } => write!(
                f,
                "cannot cast {from} to {to} according to the rule '{casting}'; `Casting::Checked` casts what fits, `Casting::Unsafe` all"
            ),
            Self::NoField { name, record, available, omitted } => {
                write!(f, "unknown field {name:?}: {}", describe_no_field(record, available, *omitted))
            }
            #[cfg(feature = "dynamic")]
            Self::NoNumbers { from, to } => write!(f, "cannot cast {from} to {to}: expected numbers{}", describe_no_numbers(from)),
            Self::WrongLength { expected, found } => write!(f, "wrong number of bytes: expected {expected}, found {found}"),
            Self::InvalidRegion { axis, problem } => write!(f, "invalid region along axis {axis}: {problem}"),
            Self::Misaligned { alignment, misalignment } => write!(
                f,
                "misaligned data: expected an address that is a multiple of {alignment}, found remainder {misalignment}; read a copy \
         (`view_or_read` in an archive), or write the member with `WriteOptions::aligned`"
            ),
            Self::NotViewable { path, file, rust_type, rust } => write!(
                f,
                "cannot view {} as {rust_type}: expected dtype {rust}, found {file}; read a copy{}",
                describe_viewed(path),
                if path.is_empty() { "" } else { " with `load_columns`" }
            ),
            #[cfg(feature = "npz")]
            Self::Archive { problem } => problem.fmt(f),
            #[cfg(feature = "zip")]
            Self::Zip { action, .. } => action.fmt(f),
            #[cfg(feature = "npz")]
            Self::NoMember { names, available, omitted } => {
                write!(f, "missing {}: {}", describe_missing(names), describe_others(available, *omitted))
            }
            #[cfg(feature = "npz")]
            Self::UnknownMembers { names, omitted } => {
                write!(f, "unknown members: expected those of the struct, found {}", list(names, *omitted))
            }
            #[cfg(feature = "npz")]
            Self::InvalidSparse { problem } => write!(f, "invalid sparse matrix: {problem}"),
            #[cfg(feature = "rawarray")]
            Self::RawArray { problem } => problem.fmt(f),
            Self::Shards { problem } => problem.fmt(f),
            #[cfg(feature = "zarr")]
            Self::Zarr { problem } => problem.fmt(f),
            Self::Allocation { bytes } => write!(f, "cannot allocate {bytes}", bytes = counted(bytes, "byte")),
        }
    }
}

impl std::error::Error for ErrorKind {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } | Self::NotDurable { error } => Some(error),
            #[cfg(feature = "zip")]
            Self::Zip { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// A part of an `.npy` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The magic string and the version: 8 bytes.
    Magic,
    /// The length of the header: 2 bytes in version 1.0, else 4.
    HeaderLength,
    /// The header.
    Header,
    /// The elements.
    Data,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Magic => "the magic string",
            Self::HeaderLength => "the header length",
            Self::Header => "the header",
            Self::Data => "the array",
        })
    }
}

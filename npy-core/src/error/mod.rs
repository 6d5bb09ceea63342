//! The one error type of the workspace.

mod archive;
mod conflict;
mod describe;
mod dtype;
mod growth;
mod io;
mod literal;
#[cfg(test)]
mod messages;
mod mismatch;
mod pickle;
mod raw_array;
mod region;
mod shard;
mod sparse;
mod value;

use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::options::Order;
pub use archive::ArchiveProblem;
pub use conflict::Conflict;
use describe::{
    describe_axes, describe_cause, describe_keys, describe_magic, describe_missing, describe_no_field, describe_no_numbers,
    describe_offset, describe_others, describe_start, describe_viewed, list, tuple,
};
pub use dtype::{DTypeProblem, StorageProblem};
pub use growth::GrowthProblem;
pub use literal::LiteralProblem;
use mismatch::describe_mismatches;
pub use mismatch::{Mismatch, MismatchKind};
pub use pickle::{ArrayProblem, PickleProblem};
pub use raw_array::RawArrayProblem;
pub use region::RegionProblem;
pub use shard::ShardProblem;
pub use sparse::SparseProblem;
#[doc(hidden)]
pub use value::ValueError;
pub use value::ValueProblem;
use value::{describe_too_long, describe_way_out};

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong: an [`ErrorKind`], and the file where the call took a path.
///
/// `{}` prints this error without its [`source`](StdError::source), so that a reporter prints each
/// message of the chain once. `{:#}` and `{:?}` append the messages of all sources.
///
/// ```
/// use npy_core::ErrorKind;
///
/// let error = npy_core::read::<f64>(&b"PK\x03\x04...."[..]).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::NotNpy { .. }));
/// println!("{error}"); // not an .npy file: expected "\x93NUMPY", found "PK\x03\x04....", a zip archive (.npz)
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    path: Option<PathBuf>,
    member: Option<String>,
}

impl Error {
    /// What went wrong, as data to match on.
    ///
    /// ```
    /// # use npy_core::ErrorKind;
    /// let error = npy_core::load::<f64>("no/such/file.npy").unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Io { .. }));
    /// ```
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What went wrong, by value.
    ///
    /// ```
    /// # use npy_core::ErrorKind;
    /// let error = npy_core::load::<f64>("no/such/file.npy").unwrap_err();
    /// if let ErrorKind::Io { error, .. } = error.into_kind() {
    ///     assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    /// }
    /// ```
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// The file that was being read or written, where the call took a path.
    ///
    /// ```
    /// let error = npy_core::load::<f64>("no/such/file.npy").unwrap_err();
    /// assert_eq!(error.path(), Some("no/such/file.npy".as_ref()));
    /// ```
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Adds the path of the file, unless the error has one.
    ///
    /// ```
    /// # use npy_core::{Error, ErrorKind};
    /// let error = Error::from(ErrorKind::ObjectArray).with_path("upload.npy");
    /// assert!(error.to_string().starts_with("upload.npy: "));
    /// ```
    #[must_use]
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.0.path.get_or_insert_with(|| path.into());
        self
    }

    /// The name of the archive member in which the error happened, if any.
    ///
    /// ```
    /// # use npy_core::{Error, ErrorKind};
    /// let error = Error::from(ErrorKind::ObjectArray).with_member("names");
    /// assert_eq!(error.member(), Some("names"));
    /// assert!(error.to_string().starts_with("member \"names\": "));
    /// ```
    pub fn member(&self) -> Option<&str> {
        self.0.member.as_deref()
    }

    /// Adds the name of the archive member, unless the error has one.
    #[must_use]
    pub fn with_member(mut self, name: impl Into<String>) -> Self {
        self.0.member.get_or_insert_with(|| name.into());
        self
    }

    /// Wraps an I/O error. An error of this crate that went through `io` comes back as it was.
    pub(crate) fn io(action: &'static str, error: std::io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(error) => ErrorKind::Io { action, error }.into(),
        }
    }
}

impl From<ErrorKind> for Error {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, path: None, member: None }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path() {
            write!(f, "{}: ", path.display())?;
        }
        if let Some(member) = self.member() {
            write!(f, "member {member:?}: ")?;
        }
        self.0.kind.fmt(f)?;
        let mut source = self.source().filter(|_| f.alternate());
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

/// The message with those of all sources, as a `main` that returns the error prints it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:#}")
    }
}

impl StdError for Error {
    /// The [`std::io::Error`] of [`ErrorKind::Io`], which is not part of the message.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.kind().source()
    }
}

/// What went wrong. Each kind carries what was found, what was expected and where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or the given stream failed.
    #[error("{action}")]
    Io {
        /// What was being done.
        action: &'static str,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },

    /// A durable save replaced the file, but could not fsync its directory. A power cut may undo
    /// it.
    #[error("the file is saved but not durable: cannot fsync its directory")]
    NotDurable {
        /// What the system said.
        #[source]
        error: std::io::Error,
    },

    /// Another writer keeps the file from being changed, or has changed it.
    #[error("{conflict}")]
    Conflict {
        /// What the other writer does, or did.
        conflict: Conflict,
    },

    /// An earlier call failed or panicked, so that the position in the stream is unknown.
    #[error("{action}: an earlier call failed{}", describe_cause(.cause.as_deref()))]
    FailedBefore {
        /// What was to be done.
        action: &'static str,
        /// The message of the earlier error, where it is known.
        cause: Option<Box<str>>,
    },

    /// A custom [`Read`](std::io::Read) or [`Write`](std::io::Write) reports more bytes than it was
    /// given.
    #[error("invalid byte count from the {stream}: expected at most {expected}, found {found}")]
    InvalidCount {
        /// Which of the two: `reader` or `writer`.
        stream: &'static str,
        /// How many it was given.
        expected: usize,
        /// How many it reports.
        found: usize,
    },

    /// The path leads to a pipe, a socket or a device.
    #[error("expected a regular file, found a pipe or a device")]
    NotRegularFile,

    /// The input does not start with `\x93NUMPY`.
    #[error("not an .npy file: {}", describe_magic("\\x93NUMPY", .found))]
    NotNpy {
        /// The first bytes of the input, at most 8.
        found: Vec<u8>,
    },

    /// The input begins with the magic bytes of no format this library reads.
    #[error("unknown file format: expected an .npy file, an .npz archive or an .ra file, found {}", describe_start(.found))]
    UnknownFormat {
        /// The first bytes of the input, at most 8.
        found: Vec<u8>,
    },

    /// Reading the input needs a feature of this library that is off.
    #[error("cannot read {what}: feature `{feature}` is disabled")]
    MissingFeature {
        /// What the input is.
        what: &'static str,
        /// The feature that reads it.
        feature: &'static str,
    },

    /// A format version other than 1.0, 2.0 and 3.0 (NEP 1 defines no others).
    #[error("unsupported format version {major}.{minor}: expected 1.0, 2.0 or 3.0")]
    UnsupportedVersion {
        /// Byte 6 of the file.
        major: u8,
        /// Byte 7 of the file.
        minor: u8,
    },

    /// The input is truncated.
    #[error("truncated file: {part} needs {expected} bytes at offset {offset}, found {found}")]
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
    #[error("invalid header at byte {offset}: {problem}")]
    HeaderSyntax {
        /// Where in the file.
        offset: usize,
        /// What is wrong there.
        problem: LiteralProblem,
    },

    /// The header has missing, duplicate or unknown keys.
    #[error("invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'; {}", describe_keys(.missing, .duplicate, .unknown))]
    HeaderKeys {
        /// Missing keys.
        missing: Vec<&'static str>,
        /// Duplicate keys.
        duplicate: Vec<String>,
        /// Unknown keys.
        unknown: Vec<String>,
    },

    /// A key of the header has an invalid value.
    #[error("invalid {key} at byte {offset}: expected {expected}, found {found}")]
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
    #[error("invalid dtype {text}{}: {problem}", describe_offset(*.offset))]
    InvalidDType {
        /// The part that is wrong.
        text: String,
        /// Why it is wrong.
        problem: DTypeProblem,
        /// Where in the file or the text, if it came from one.
        offset: Option<usize>,
    },

    /// The dtype cannot be expressed in a header that NumPy can read.
    #[error("cannot store the dtype: {problem}")]
    UnstorableDType {
        /// Why.
        problem: StorageProblem,
    },

    /// The size of the array overflows the address space.
    #[error("array too large: shape {} with {itemsize} bytes per element overflows the address space", tuple(.shape))]
    ShapeOverflow {
        /// The lengths of the axes.
        shape: Vec<usize>,
        /// Bytes per element.
        itemsize: usize,
    },

    /// One of the [`Limits`](crate::Limits) was exceeded.
    #[error("limit exceeded: expected at most {limit} {what}, found {found}; raise it with `Limits` if the file is trusted")]
    LimitExceeded {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// What the file asks for.
        found: u64,
    },

    /// The array has more dimensions than NumPy allows.
    #[error("too many dimensions: expected at most 64, found {found}")]
    TooManyDimensions {
        /// How many it has.
        found: usize,
    },

    /// Brackets nest deeper in the header than the limit.
    #[error("header nesting exceeds the limit of {limit}")]
    NestedTooDeep {
        /// The limit: [`Limits::nesting_depth`](crate::Limits::nesting_depth), at most 200.
        limit: usize,
    },

    /// The array has another number of dimensions than the call needs.
    #[error("wrong number of dimensions: expected {expected}, found {} with shape {}", .shape.len(), tuple(.shape))]
    WrongDimensions {
        /// How many dimensions the call needs.
        expected: usize,
        /// The lengths of the axes in the file.
        shape: Vec<usize>,
    },

    /// The array does not have the axes that elements `[T; N]` take from it.
    #[error("wrong shape for {rust_type}: expected {}, found {}", describe_axes(.expected), tuple(.found))]
    WrongElementShape {
        /// The Rust type of the elements.
        rust_type: String,
        /// The lengths of the axes that the type needs; `None` where any length fits.
        expected: Vec<Option<usize>>,
        /// The lengths of the axes in the file.
        found: Vec<usize>,
    },

    /// The array has another shape than the buffer it is read into.
    #[error("wrong shape: expected {}, found {}", tuple(.expected), tuple(.found))]
    WrongShape {
        /// The lengths of the axes of the buffer.
        expected: Vec<usize>,
        /// The lengths of the axes in the file.
        found: Vec<usize>,
    },

    /// Nothing can be appended to the array.
    #[error("cannot append: {problem}")]
    CannotGrow {
        /// Why.
        problem: GrowthProblem,
    },

    /// The array is in Fortran order, so the elements `[T; N]` are not contiguous in the file.
    #[error(
        "cannot read rows as `[T; N]`: expected C order, found Fortran order with shape {}; read it as an `ndarray` array, or save \
         `np.ascontiguousarray(array)`",
        tuple(.shape)
    )]
    FortranRows {
        /// The lengths of the axes in the file.
        shape: Vec<usize>,
    },

    /// The dtype of the file does not fit the Rust type. All mismatches are listed.
    #[error("{}", describe_mismatches(.rust_type, .mismatches))]
    Mismatch {
        /// The requested Rust type.
        rust_type: String,
        /// Every place where file and type differ.
        mismatches: Vec<Mismatch>,
    },

    /// The array holds Python objects, stored as a pickle.
    #[error(
        "unsupported dtype 'O': the elements are pickled Python objects; read them with `npy_core::object::load` or \
         `ReadOptions::objects` (feature `object`), or save a plain dtype, such as `array.astype('U')`"
    )]
    ObjectArray,

    /// Python objects cannot be converted to this type.
    #[error("cannot convert Python objects to {rust_type}; `objects_as` takes more types, `deserialize` all (feature `serde`)")]
    ObjectsInstead {
        /// The requested Rust type.
        rust_type: String,
    },

    /// The array does not hold Python objects.
    #[error("expected an array of Python objects, found dtype {dtype}; `load` or `DynValues::load` reads it")]
    NotObjects {
        /// Its dtype.
        dtype: String,
    },

    /// The pickle of the Python objects is invalid, or uses what a reader must not.
    #[error("unsupported pickle at byte {offset}: {problem}")]
    Pickle {
        /// Where in the file (or in the stream, counted from its magic string) the opcode stands.
        offset: u64,
        /// What is wrong there.
        problem: PickleProblem,
    },

    /// A text is not an integer.
    #[error("invalid integer {text:?}: expected an optional sign and at most 4300 decimal digits")]
    InvalidInteger {
        /// The beginning of the text.
        text: String,
    },

    /// An element is not a value of the Rust type, or its value does not fit the dtype.
    #[error("element {index}{}: {problem}{}", if .path.is_empty() { String::new() } else { format!(", {}", .path) }, describe_way_out(.path, .problem))]
    InvalidValue {
        /// The element, counted in the order of the data.
        index: u64,
        /// The field in it, such as `origin.name[2]`; empty for an array without fields.
        path: String,
        /// What is wrong with it.
        problem: ValueProblem,
    },

    /// A Python object is not a value of the Rust type.
    #[error("{}{}{problem}", .path, if .path.is_empty() { "" } else { ": " })]
    InvalidObject {
        /// Where in the object, such as `origin.name[2]`; empty if it is the object itself.
        path: String,
        /// What is wrong there.
        problem: ValueProblem,
    },

    /// A text is longer than its fixed width.
    #[error("{}", describe_too_long(*.length, .dtype))]
    TextTooLong {
        /// Its length, in characters for `U`, else in bytes.
        length: usize,
        /// The dtype of that width.
        dtype: String,
    },

    /// The number of elements differs from the expected one.
    #[error("wrong number of elements: expected {expected}, found {found}")]
    WrongCount {
        /// How many are needed.
        expected: u64,
        /// How many are there.
        found: u64,
    },

    /// Writing ended within a row, or within a column in Fortran order.
    #[error("incomplete {} {row} of an array of shape {}: expected {expected} elements, found {found}", if *.order == Order::Fortran { "column" } else { "row" }, tuple(.shape))]
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
    #[error(
        "cannot cast {from} to {to} according to the rule '{casting}'; `Casting::Checked` casts what fits, `Casting::Unsafe` all"
    )]
    CannotCast {
        /// The dtype of the array.
        from: String,
        /// The requested dtype.
        to: String,
        /// The rule, as NumPy names it.
        casting: &'static str,
    },

    /// A record has no field of that name, or an array has no fields.
    #[error("unknown field {name:?}: {}", describe_no_field(.record, .available, *.omitted))]
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
    #[error("cannot cast {from} to {to}: expected numbers{}", describe_no_numbers(.from))]
    NoNumbers {
        /// The dtype of the array.
        from: String,
        /// The requested dtype.
        to: String,
    },

    /// The data have more or fewer bytes than the dtype and the shape need.
    #[error("wrong number of bytes: expected {expected}, found {found}")]
    WrongLength {
        /// How many are needed.
        expected: u64,
        /// How many there are.
        found: u64,
    },

    /// The region is not a part of the array.
    #[error("invalid region along axis {axis}: {problem}")]
    InvalidRegion {
        /// The axis, counted from 0.
        axis: usize,
        /// What is wrong with its range.
        problem: RegionProblem,
    },

    /// The data are misaligned for the type, so they cannot be viewed in place.
    #[error(
        "misaligned data: expected an address that is a multiple of {alignment}, found remainder {misalignment}; read a copy \
         (`view_or_read` in an archive), or write the member with `WriteOptions::aligned`"
    )]
    Misaligned {
        /// The alignment the type needs.
        alignment: usize,
        /// How far the data are from it.
        misalignment: usize,
    },

    /// The layout of the data differs from that of the type, so they cannot be viewed in place.
    #[error(
        "cannot view {} as {rust_type}: expected dtype {rust}, found {file}; read a copy{}",
        describe_viewed(path),
        if path.is_empty() { "" } else { " with `load_columns`" }
    )]
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
    #[error("{problem}")]
    Archive {
        /// What is wrong with it.
        problem: ArchiveProblem,
    },

    /// The crate `zip` failed: the archive is invalid, or the member cannot be decrypted or
    /// decompressed.
    #[cfg(feature = "zip")]
    #[error("{action}")]
    Zip {
        /// What was being done.
        action: &'static str,
        /// The error of `zip`.
        #[source]
        error: zip::result::ZipError,
    },

    /// The archive has no members of these names.
    #[error("missing {}: {}", describe_missing(.names), describe_others(.available, *.omitted))]
    NoMember {
        /// The requested names.
        names: Vec<String>,
        /// The first names that there are.
        available: Vec<String>,
        /// How many more there are.
        omitted: usize,
    },

    /// The archive has unknown members, and the struct says `deny_unknown_fields`.
    #[error("unknown members: expected those of the struct, found {}", list(.names, *.omitted))]
    UnknownMembers {
        /// The first of their names.
        names: Vec<String>,
        /// How many more there are.
        omitted: usize,
    },

    /// The arrays are not a sparse matrix.
    #[error("invalid sparse matrix: {problem}")]
    InvalidSparse {
        /// What is wrong.
        problem: SparseProblem,
    },

    /// A RawArray file (`.ra`) is invalid or unsupported, or cannot hold an array.
    #[error("{problem}")]
    RawArray {
        /// What is wrong with it.
        problem: RawArrayProblem,
    },

    /// The files of shards do not belong together.
    #[error("{problem}")]
    Shards {
        /// What is wrong with them.
        problem: ShardProblem,
    },

    /// The result cannot be allocated.
    #[error("cannot allocate {bytes} bytes")]
    Allocation {
        /// The size of the allocation.
        bytes: usize,
    },
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

//! What is wrong with pickles.

use super::{DTypeProblem, StorageProblem, tuple};
#[cfg(feature = "object")]
use super::{Error, ErrorKind};

/// What is wrong with the pickle that an array of Python objects is stored as.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PickleProblem {
    /// The file ends within the pickle.
    #[error("truncated file: expected {expected} bytes, found {found}")]
    Truncated {
        /// How many bytes are needed there.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A byte is not an opcode of any protocol.
    #[error("unknown opcode {opcode:#04x}")]
    UnknownOpcode {
        /// The byte.
        opcode: u8,
    },
    /// An opcode refers to data outside of the file, which NumPy never writes.
    #[error("opcode {opcode} refers to data outside of the file")]
    RefusedOpcode {
        /// Its name in Python's `pickletools`.
        opcode: &'static str,
    },
    /// A protocol that no Python has yet.
    #[error("unknown protocol {protocol}: expected 0 to 5")]
    UnsupportedProtocol {
        /// The protocol.
        protocol: u8,
    },
    /// A name of Python code that neither NumPy's own files nor plain values need.
    #[error("unknown global {module}.{name}, which is never called; `UnknownGlobals::Opaque` keeps it as an opaque object")]
    UnknownGlobal {
        /// The Python module.
        module: String,
        /// The name in it.
        name: String,
    },
    /// Something is called that is neither a class nor a function.
    #[error("opcode {opcode}: expected a class or a function, found {found}")]
    NotCallable {
        /// The opcode.
        opcode: &'static str,
        /// What is called.
        found: &'static str,
    },
    /// The arguments or the state of an object are not what its constructor takes.
    #[error("invalid arguments of {constructor}: expected {expected}")]
    InvalidArguments {
        /// The constructor.
        constructor: &'static str,
        /// What it takes.
        expected: &'static str,
    },
    /// An opcode needs more values than there are on the stack.
    #[error("opcode {opcode}: stack underflow")]
    StackUnderflow {
        /// The opcode.
        opcode: &'static str,
    },
    /// An opcode needs a mark, which is missing.
    #[error("opcode {opcode}: missing mark")]
    NoMark {
        /// The opcode.
        opcode: &'static str,
    },
    /// An opcode is applied to a value of another type.
    #[error("opcode {opcode}: expected {expected}, found {found}")]
    WrongType {
        /// The opcode.
        opcode: &'static str,
        /// What it needs.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A value is fetched that was never stored.
    #[error("unknown memo index {index}")]
    NoMemo {
        /// The number it is fetched by.
        index: u64,
    },
    /// A text is not a number.
    #[error("invalid number {text:?}: expected at most 4300 digits")]
    InvalidNumber {
        /// The beginning of the text.
        text: String,
    },
    /// A negative length, or one that overflows.
    #[error("invalid length {length}")]
    InvalidLength {
        /// The length.
        length: i128,
    },
    /// A text of Python 3 is not UTF-8, or holds a lone surrogate.
    #[error("invalid UTF-8 or a lone surrogate at byte {position} of the text")]
    NotUtf8 {
        /// Where in the text.
        position: usize,
    },
    /// A text of protocol 0 has an invalid escape sequence.
    #[error("invalid escape sequence")]
    InvalidEscape,
    /// A `str` of Python 2 is not ASCII.
    #[error("invalid byte {byte:#04x} in a str of Python 2: expected ASCII; `ObjectOptions::encoding` sets another encoding")]
    NotAscii {
        /// The first such byte.
        byte: u8,
    },
    /// An object contains itself.
    #[error("cyclic reference: an object contains itself")]
    Cycle,
    /// One of the limits of `ObjectOptions` was exceeded.
    #[error("limit exceeded: expected at most {limit} {what}, found {found}; raise it with `ObjectOptions` if the file is trusted")]
    LimitExceeded {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// What the file asks for, or as much as had been seen of it.
        found: u64,
    },
    /// The pickle ends with more or fewer values than one.
    #[error("expected 1 value at the end of the pickle, found {values} values")]
    LeftOver {
        /// How many there are.
        values: usize,
    },
    /// A frame exceeds the pickle.
    #[error("a frame exceeds the pickle by {bytes} bytes")]
    FrameTooLong {
        /// How far.
        bytes: u64,
    },
    /// The pickle does not hold an array of objects.
    #[error("expected an array of objects, found {found}")]
    NotAnObjectArray {
        /// What it holds.
        found: String,
    },
    /// The list of an array is longer or shorter than its shape says.
    #[error("wrong number of objects for shape {}: expected {expected}, found {found}", tuple(.shape))]
    WrongCount {
        /// The pickled shape.
        shape: Vec<usize>,
        /// How many it needs.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A pickled dtype or array is invalid.
    #[error("invalid array: {problem}")]
    InvalidArray {
        /// Why.
        problem: ArrayProblem,
    },
}

/// Why a pickled dtype and its data are not an array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayProblem {
    /// The dtype is invalid.
    #[error("invalid dtype {text}: {problem}")]
    DType {
        /// The part that is wrong.
        text: String,
        /// Why it is wrong.
        problem: DTypeProblem,
    },
    /// NumPy cannot store an array of this dtype.
    #[error("{0}")]
    Storage(StorageProblem),
    /// The size of the array overflows the address space.
    #[error("array too large: shape {} with {itemsize} bytes per element overflows the address space", tuple(.shape))]
    Overflow {
        /// The lengths of the axes.
        shape: Vec<usize>,
        /// Bytes per element.
        itemsize: usize,
    },
    /// The array has more dimensions than NumPy allows.
    #[error("too many dimensions: expected at most 64, found {found}")]
    TooManyDimensions {
        /// How many it has.
        found: usize,
    },
    /// The data have more or fewer bytes than the dtype and the shape need.
    #[error("expected {expected} bytes of data, found {found}")]
    WrongLength {
        /// How many are needed.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The dtype of the elements is `object` or contains it, where raw bytes are given.
    #[error("expected data without pointers, found dtype 'O'")]
    Pointers,
    /// A `StringDType` stands without an array.
    #[error("StringDType outside of an array")]
    StringDType,
}

#[cfg(feature = "object")]
impl ArrayProblem {
    /// The problem that an error is about, or the error if it is about something else.
    pub(crate) fn of(error: Error) -> Result<Self, Error> {
        if error.path().is_some() || error.member().is_some() {
            return Err(error);
        }
        match error.into_kind() {
            ErrorKind::InvalidDType { text, problem, .. } => Ok(Self::DType { text, problem }),
            ErrorKind::UnstorableDType { problem } => Ok(Self::Storage(problem)),
            ErrorKind::ShapeOverflow { shape, itemsize } => Ok(Self::Overflow { shape, itemsize }),
            ErrorKind::TooManyDimensions { found } => Ok(Self::TooManyDimensions { found }),
            ErrorKind::WrongLength { expected, found } => Ok(Self::WrongLength { expected, found }),
            ErrorKind::ObjectArray => Ok(Self::Pointers),
            kind => Err(kind.into()),
        }
    }
}

//! What is wrong with pickles.

use std::fmt;

use super::describe::{counted, limited, tuple};
use super::{DTypeProblem, StorageProblem};
use super::{Error, ErrorKind};

/// What is wrong with the pickle that an array of Python objects is stored as.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PickleProblem {
    /// The file ends within the pickle.
    Truncated {
        /// How many bytes are needed there.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A byte is not an opcode of any protocol.
    UnknownOpcode {
        /// The byte.
        opcode: u8,
    },
    /// An opcode refers to data outside of the file, which NumPy never writes.
    RefusedOpcode {
        /// Its name in Python's `pickletools`.
        opcode: &'static str,
    },
    /// A protocol that no Python has yet.
    UnsupportedProtocol {
        /// The protocol.
        protocol: u8,
    },
    /// A name of Python code that neither NumPy's own files nor plain values need.
    UnknownGlobal {
        /// The Python module.
        module: String,
        /// The name in it.
        name: String,
    },
    /// Something is called that is neither a class nor a function.
    NotCallable {
        /// The opcode.
        opcode: &'static str,
        /// What is called.
        found: &'static str,
    },
    /// The arguments or the state of an object are not what its constructor takes.
    InvalidArguments {
        /// The constructor.
        constructor: &'static str,
        /// What it takes.
        expected: &'static str,
    },
    /// An opcode needs more values than there are on the stack.
    StackUnderflow {
        /// The opcode.
        opcode: &'static str,
    },
    /// An opcode needs a mark, which is missing.
    NoMark {
        /// The opcode.
        opcode: &'static str,
    },
    /// An opcode is applied to a value of another type.
    WrongType {
        /// The opcode.
        opcode: &'static str,
        /// What it needs.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A value is fetched that was never stored.
    NoMemo {
        /// The number it is fetched by.
        index: u64,
    },
    /// A text is not a number.
    InvalidNumber {
        /// The beginning of the text.
        text: String,
    },
    /// A negative length, or one that overflows.
    InvalidLength {
        /// The length.
        length: i128,
    },
    /// A text of Python 3 is not UTF-8, or holds a lone surrogate.
    NotUtf8 {
        /// Where in the text.
        position: usize,
    },
    /// A text of protocol 0 has an invalid escape sequence.
    InvalidEscape,
    /// A `str` of Python 2 is not ASCII.
    NotAscii {
        /// The first such byte.
        byte: u8,
    },
    /// An object contains itself.
    Cycle,
    /// One of the limits of `ObjectOptions` was exceeded.
    LimitExceeded {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// What the file asks for, or as much as had been seen of it.
        found: u64,
    },
    /// The pickle ends with more or fewer values than one.
    LeftOver {
        /// How many there are.
        values: usize,
    },
    /// A frame exceeds the pickle.
    FrameTooLong {
        /// How far.
        bytes: u64,
    },
    /// The pickle does not hold an array of objects.
    NotAnObjectArray {
        /// What it holds.
        found: String,
    },
    /// The list of an array is longer or shorter than its shape says.
    WrongCount {
        /// The pickled shape.
        shape: Vec<usize>,
        /// How many it needs.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A pickled dtype or array is invalid.
    InvalidArray {
        /// Why.
        problem: ArrayProblem,
    },
}

impl fmt::Display for PickleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { expected, found } => {
                write!(f, "truncated file: the pickle needs {expected}, found {found}", expected = counted(expected, "byte"))
            }
            Self::UnknownOpcode { opcode } => write!(f, "unknown opcode {opcode:#04x}"),
            Self::RefusedOpcode { opcode } => write!(f, "opcode {opcode} refers to data outside of the file"),
            Self::UnsupportedProtocol { protocol } => write!(f, "unknown protocol {protocol}: expected 0 to 5"),
            Self::UnknownGlobal { module, name } => write!(
                f,
                "unknown global {module}.{name}, which is never called; `UnknownGlobals::Opaque` keeps it as an opaque object"
            ),
            Self::NotCallable { opcode, found } => write!(f, "opcode {opcode}: expected a class or a function, found {found}"),
            Self::InvalidArguments { constructor, expected } => {
                write!(f, "invalid arguments of {constructor}: expected {expected}")
            }
            Self::StackUnderflow { opcode } => write!(f, "opcode {opcode}: stack underflow"),
            Self::NoMark { opcode } => write!(f, "opcode {opcode}: missing mark"),
            Self::WrongType { opcode, expected, found } => write!(f, "opcode {opcode}: expected {expected}, found {found}"),
            Self::NoMemo { index } => write!(f, "unknown memo index {index}"),
            Self::InvalidNumber { text } => write!(f, "invalid number {text:?}: expected at most 4300 digits"),
            Self::InvalidLength { length } => write!(f, "invalid length {length}"),
            Self::NotUtf8 { position } => write!(f, "invalid UTF-8 or a lone surrogate at byte {position} of the text"),
            Self::InvalidEscape => f.write_str("invalid escape sequence"),
            Self::NotAscii { byte } => write!(
                f,
                "invalid byte {byte:#04x} in a str of Python 2: expected ASCII; `ObjectOptions::encoding` sets another encoding"
            ),
            Self::Cycle => f.write_str("cyclic reference: an object contains itself"),
            Self::LimitExceeded { what, limit, found } => write!(
                f,
                "limit exceeded: expected at most {limit}, found {found}; raise it with `ObjectOptions` if the file is trusted",
                limit = limited(*limit, what)
            ),
            Self::LeftOver { values } => {
                write!(f, "expected 1 value at the end of the pickle, found {values}", values = counted(values, "value"))
            }
            Self::FrameTooLong { bytes } => write!(f, "a frame exceeds the pickle by {bytes}", bytes = counted(bytes, "byte")),
            Self::NotAnObjectArray { found } => write!(f, "expected an array of objects, found {found}"),
            Self::WrongCount { shape, expected, found } => {
                write!(f, "wrong number of objects for shape {}: expected {expected}, found {found}", tuple(shape))
            }
            Self::InvalidArray { problem } => write!(f, "invalid array: {problem}"),
        }
    }
}

impl std::error::Error for PickleProblem {}

/// Why a pickled dtype and its data are not an array.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArrayProblem {
    /// The dtype is invalid.
    DType {
        /// The part that is wrong.
        text: String,
        /// Why it is wrong.
        problem: DTypeProblem,
    },
    /// NumPy cannot store an array of this dtype.
    Storage(StorageProblem),
    /// The size of the array overflows the address space.
    Overflow {
        /// The lengths of the axes.
        shape: Vec<usize>,
        /// Bytes per element.
        itemsize: usize,
    },
    /// The array has more dimensions than NumPy allows.
    TooManyDimensions {
        /// How many it has.
        found: usize,
    },
    /// The data have more or fewer bytes than the dtype and the shape need.
    WrongLength {
        /// How many are needed.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The dtype of the elements is `object` or contains it, where raw bytes are given.
    Pointers,
    /// A `StringDType` stands without an array.
    StringDType,
}

impl fmt::Display for ArrayProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DType { text, problem } => write!(f, "invalid dtype {text}: {problem}"),
            Self::Storage(problem) => problem.fmt(f),
            Self::Overflow { shape, itemsize } => {
                write!(
                    f,
                    "array too large: shape {} with {itemsize} per element overflows the address space",
                    tuple(shape),
                    itemsize = counted(itemsize, "byte")
                )
            }
            Self::TooManyDimensions { found } => write!(f, "too many dimensions: expected at most 64, found {found}"),
            Self::WrongLength { expected, found } => {
                write!(f, "expected {expected} of data, found {found}", expected = counted(expected, "byte"))
            }
            Self::Pointers => f.write_str("expected data without pointers, found dtype 'O'"),
            Self::StringDType => f.write_str("StringDType outside of an array"),
        }
    }
}

impl std::error::Error for ArrayProblem {}

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

//! What is wrong with pickles.

/// What is wrong with the pickle that an array of Python objects is stored as.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PickleProblem {
    /// The file ends within the pickle.
    #[error("the file ends early: {expected} bytes are needed, and {found} are there")]
    Truncated {
        /// How many bytes are needed there.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A byte that is no opcode of any protocol.
    #[error("the byte {opcode:#04x} is no opcode")]
    UnknownOpcode {
        /// The byte.
        opcode: u8,
    },
    /// An opcode that asks for something outside of the file, which NumPy never writes.
    #[error("the opcode {opcode} refers to something outside of the file, and is refused")]
    RefusedOpcode {
        /// Its name in Python's `pickletools`.
        opcode: &'static str,
    },
    /// A protocol that no Python has yet.
    #[error("protocol {protocol} is unknown: 0 to 5 are read")]
    UnsupportedProtocol {
        /// The protocol.
        protocol: u8,
    },
    /// A name of Python code that is not on the list of what NumPy's own files and plain values need.
    #[error(
        "{module}.{name} is not on the list of what is read, and nothing is called; `UnknownGlobals::Opaque` keeps it as an opaque object"
    )]
    UnknownGlobal {
        /// The Python module.
        module: String,
        /// The name in it.
        name: String,
    },
    /// Something is to be called that is no class or function.
    #[error("{opcode} of {found}, which is no class or function")]
    NotCallable {
        /// The opcode.
        opcode: &'static str,
        /// What stands in its place.
        found: &'static str,
    },
    /// The arguments or the state of an object are not what its constructor takes.
    #[error("{constructor} is given something else than {expected}")]
    InvalidArguments {
        /// The constructor.
        constructor: &'static str,
        /// What it takes.
        expected: &'static str,
    },
    /// An opcode needs more values than there are on the stack.
    #[error("the opcode {opcode} needs more values than there are")]
    StackUnderflow {
        /// The opcode.
        opcode: &'static str,
    },
    /// An opcode needs a mark, and there is none.
    #[error("the opcode {opcode} needs a mark, and there is none")]
    NoMark {
        /// The opcode.
        opcode: &'static str,
    },
    /// An opcode is applied to a value of another type.
    #[error("the opcode {opcode} needs {expected}, and finds {found}")]
    WrongType {
        /// The opcode.
        opcode: &'static str,
        /// What it needs.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A value is fetched that was never stored.
    #[error("the memo has nothing under {index}")]
    NoMemo {
        /// The number it is fetched by.
        index: u64,
    },
    /// A number in the form of text that is none.
    #[error("{text:?} is no number of at most 4300 digits")]
    InvalidNumber {
        /// The beginning of the text.
        text: String,
    },
    /// A negative length, or one that no input can have.
    #[error("a length of {length} cannot be")]
    InvalidLength {
        /// The length.
        length: i128,
    },
    /// A text of Python 3 is not valid.
    #[error("the text is not UTF-8, or holds a lone surrogate, from its byte {position} on")]
    NotUtf8 {
        /// Where in the text.
        position: usize,
    },
    /// A text in the form of protocol 0 has escapes that are none.
    #[error("the text has an escape that is none")]
    InvalidEscape,
    /// A `str` of Python 2 is not ASCII.
    #[error(
        "a str of Python 2 holds the byte {byte:#04x}, which is not ASCII: say by `ObjectOptions::encoding` how it is to be read"
    )]
    NotAscii {
        /// The first such byte.
        byte: u8,
    },
    /// An object contains itself.
    #[error("an object contains itself, which has no value")]
    Cycle,
    /// One of the limits of `ObjectOptions` was exceeded.
    #[error("{what}: {found} is more than the limit of {limit}; if the file can be trusted, raise it with `ObjectOptions`")]
    LimitExceeded {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// What the file asks for, or as much as had been seen of it.
        found: u64,
    },
    /// Values are left over where the pickle ends.
    #[error("the pickle ends with {values} values where 1 is needed")]
    LeftOver {
        /// How many there are.
        values: usize,
    },
    /// A frame reaches beyond the end of the pickle.
    #[error("a frame reaches {bytes} bytes beyond the end of the pickle")]
    FrameTooLong {
        /// How far.
        bytes: u64,
    },
    /// The pickle holds something else than an array of objects.
    #[error("the pickle holds {found}, where an array of objects is needed")]
    NotAnObjectArray {
        /// What it holds.
        found: String,
    },
    /// The list of an array is longer or shorter than its shape says.
    #[error("the shape {shape:?} needs {expected} objects, and the list has {found}")]
    WrongCount {
        /// The pickled shape.
        shape: Vec<usize>,
        /// How many it needs.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A pickled dtype or array that cannot be.
    #[error("no valid array: {problem}")]
    InvalidArray {
        /// Why.
        problem: String,
    },
}

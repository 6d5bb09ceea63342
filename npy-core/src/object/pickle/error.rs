//! Errors of the pickle machine, before they have a file offset.

use std::borrow::Cow;
use std::fmt;

use crate::error::describe::{counted, limited, tuple};
use crate::error::{Error, ErrorKind};

pub(crate) type Result<T, E = PickleError> = std::result::Result<T, E>;

/// What is wrong with a pickle.
#[derive(Debug)]
pub(crate) struct Fault {
    kind: ErrorKind,
    message: Cow<'static, str>,
}

/// A fault, and where it is.
#[derive(Debug)]
pub(crate) struct PickleError(Box<Inner>);

#[derive(Debug)]
enum Inner {
    /// At a byte of the pickle.
    At(usize, Fault),
    /// In a node of the arena. Nodes do not know where they come from; that is found out when there
    /// is an error.
    InNode(u32, Fault),
    /// An error unrelated to the pickle.
    Other(Error),
}

/// Where a fault is.
pub(crate) enum Place {
    Offset(usize),
    Node(u32),
}

impl PickleError {
    #[cold]
    pub(crate) fn at(offset: usize, fault: Fault) -> Self {
        Self(Box::new(Inner::At(offset, fault)))
    }

    #[cold]
    pub(crate) fn in_node(node: u32, fault: Fault) -> Self {
        Self(Box::new(Inner::InNode(node, fault)))
    }

    /// The fault and its place, or an error that is complete.
    pub(crate) fn take(self) -> std::result::Result<(Place, Fault), Error> {
        match *self.0 {
            Inner::At(offset, fault) => Ok((Place::Offset(offset), fault)),
            Inner::InNode(node, fault) => Ok((Place::Node(node), fault)),
            Inner::Other(error) => Err(error),
        }
    }
}

impl From<Error> for PickleError {
    #[cold]
    fn from(error: Error) -> Self {
        Self(Box::new(Inner::Other(error)))
    }
}

impl Fault {
    #[cold]
    fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into() }
    }

    #[cold]
    pub(crate) fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidPickle, message)
    }

    /// The fault as an error at a byte of the file.
    pub(crate) fn at_byte(self, offset: u64) -> Error {
        Error::new(self.kind, format!("unsupported pickle at byte {offset}: {}", self.message)).at_byte(offset)
    }

    pub(crate) fn truncated(expected: u64, found: u64) -> Self {
        let expected = counted(expected, "byte");
        Self::new(ErrorKind::Truncated, format!("truncated file: the pickle needs {expected}, found {found}"))
    }

    /// One of the limits of `ObjectOptions` is exceeded.
    pub(crate) fn limit_exceeded(what: &str, limit: u64, found: u64) -> Self {
        let limit = limited(limit, what);
        let message = format!(
            "limit exceeded: expected at most {limit}, found {found}; raise it with `ObjectOptions` if the file is trusted"
        );
        Self::new(ErrorKind::LimitExceeded, message)
    }

    pub(crate) fn unknown_opcode(opcode: u8) -> Self {
        Self::invalid(format!("unknown opcode {opcode:#04x}"))
    }

    /// An opcode that refers to data outside of the file, which NumPy never writes.
    pub(crate) fn refused_opcode(opcode: &str) -> Self {
        Self::new(ErrorKind::Unsupported, format!("opcode {opcode} refers to data outside of the file"))
    }

    /// A protocol that no Python has yet.
    pub(crate) fn unknown_protocol(protocol: u8) -> Self {
        Self::new(ErrorKind::Unsupported, format!("unknown protocol {protocol}: expected 0 to 5"))
    }

    /// A `str` of Python 2 that is not ASCII.
    pub(crate) fn not_ascii(byte: u8) -> Self {
        let message = format!(
            "invalid byte {byte:#04x} in a str of Python 2: expected ASCII; `ObjectOptions::encoding` sets another encoding"
        );
        Self::new(ErrorKind::Unsupported, message)
    }

    /// An object that contains itself.
    pub(crate) fn cycle() -> Self {
        Self::new(ErrorKind::Unsupported, "cyclic reference: an object contains itself")
    }

    /// A name of Python code that neither NumPy's own files nor plain values need.
    pub(crate) fn unknown_global(module: &str, name: &str) -> Self {
        Self::invalid(format!(
            "unknown global {module}.{name}, which is never called; `UnknownGlobals::Opaque` keeps it as an opaque object"
        ))
    }

    /// A call of something that is neither a class nor a function.
    pub(crate) fn not_callable(opcode: &str, found: &str) -> Self {
        Self::invalid(format!("opcode {opcode}: expected a class or a function, found {found}"))
    }

    pub(crate) fn invalid_arguments(constructor: &str, expected: &str) -> Self {
        Self::invalid(format!("invalid arguments of {constructor}: expected {expected}"))
    }

    pub(crate) fn wrong_type(opcode: &str, expected: &str, found: &str) -> Self {
        Self::invalid(format!("opcode {opcode}: expected {expected}, found {found}"))
    }

    pub(crate) fn stack_underflow(opcode: &str) -> Self {
        Self::invalid(format!("opcode {opcode}: stack underflow"))
    }

    /// A text that is not a number, of which an excerpt is given.
    pub(crate) fn invalid_number(text: &str) -> Self {
        Self::invalid(format!("invalid number {text:?}: expected at most 4300 digits"))
    }

    /// A length that is negative, or overflows.
    pub(crate) fn invalid_length(length: impl fmt::Display) -> Self {
        Self::invalid(format!("invalid length {length}"))
    }

    pub(crate) fn frame_too_long(bytes: usize) -> Self {
        Self::invalid(format!("a frame exceeds the pickle by {}", counted(bytes, "byte")))
    }

    pub(crate) fn not_utf8(position: usize) -> Self {
        Self::invalid(format!("invalid UTF-8 or a lone surrogate at byte {position} of the text"))
    }

    pub(crate) fn invalid_escape() -> Self {
        Self::invalid("invalid escape sequence")
    }

    /// A list of an array that is longer or shorter than its shape.
    pub(crate) fn wrong_count(shape: &[usize], expected: u64, found: u64) -> Self {
        let shape = tuple(shape);
        Self::invalid(format!("wrong number of objects for shape {shape}: expected {expected}, found {found}"))
    }

    pub(crate) fn invalid_array(reason: impl fmt::Display) -> Self {
        Self::invalid(format!("invalid array: {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorKind, Fault};

    #[test]
    fn faults_say_what_is_wrong_and_where() {
        for (fault, kind, message) in [
            (Fault::truncated(1, 0), ErrorKind::Truncated, "truncated file: the pickle needs 1 byte, found 0"),
            (Fault::unknown_opcode(0xff), ErrorKind::InvalidPickle, "unknown opcode 0xff"),
            (Fault::refused_opcode("EXT1"), ErrorKind::Unsupported, "opcode EXT1 refers to data outside of the file"),
            (Fault::stack_underflow("APPEND"), ErrorKind::InvalidPickle, "opcode APPEND: stack underflow"),
            (Fault::invalid_length(-1), ErrorKind::InvalidPickle, "invalid length -1"),
            (Fault::frame_too_long(3), ErrorKind::InvalidPickle, "a frame exceeds the pickle by 3 bytes"),
            (
                Fault::limit_exceeded("levels of objects", 1, 2),
                ErrorKind::LimitExceeded,
                "limit exceeded: expected at most 1 level of objects, found 2; raise it with `ObjectOptions` if the file is trusted",
            ),
            (
                Fault::wrong_count(&[2, 3], 6, 5),
                ErrorKind::InvalidPickle,
                "wrong number of objects for shape (2, 3): expected 6, found 5",
            ),
        ] {
            let error = fault.at_byte(201);
            assert_eq!((error.kind(), error.offset()), (kind, Some(201)));
            assert_eq!(error.to_string(), format!("unsupported pickle at byte 201: {message}"));
        }
    }
}

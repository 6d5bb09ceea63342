//! Errors of the pickle machine, before they have a file offset.

use std::borrow::Cow;
use std::fmt;

use super::super::value::int;
use super::text;
use crate::error::describe::{counted, limited, name_in_message, tuple};
use crate::error::{Error, ErrorKind};

pub(crate) type Result<T, E = PickleError> = std::result::Result<T, E>;

/// A fault of a pickle, before its position is known.
#[derive(Debug)]
pub(crate) enum Fault {
    Unsupported(ErrorKind, Cow<'static, str>),
    Truncated { expected: u64, found: u64 },
    LimitExceeded { what: &'static str, limit: u64, found: u64 },
}

/// A fault and its position in the pickle, or an error unrelated to the pickle.
#[derive(Debug)]
pub(crate) struct PickleError(Box<Inner>);

#[derive(Debug)]
enum Inner {
    /// At a byte of the pickle.
    At(usize, Fault),
    /// In a node of the arena. A second run of the machine finds its position.
    InNode(u32, Fault),
    Other(Error),
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

    /// Gives an error of a visitor the node of the object, if it has no position.
    #[cold]
    pub(crate) fn of_visitor(self, node: u32) -> Self {
        match *self.0 {
            Inner::Other(error) if error.kind() == ErrorKind::InvalidPickle && error.offset().is_none() => {
                Self::in_node(node, Fault::Unsupported(error.kind(), error.message().to_owned().into()))
            }
            inner => Self(Box::new(inner)),
        }
    }

    /// Converts to the error of a file whose pickle begins at `begin`. `offset_of` finds the opcode of a node.
    #[cold]
    pub(crate) fn into_error(self, begin: u64, offset_of: impl FnOnce(u32) -> usize) -> Error {
        let (offset, fault) = match *self.0 {
            Inner::At(offset, fault) => (offset, fault),
            Inner::InNode(node, fault) => (offset_of(node), fault),
            Inner::Other(error) => return error,
        };
        fault.at_byte(begin.saturating_add(offset as u64))
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
        Self::Unsupported(kind, message.into())
    }

    #[cold]
    pub(crate) fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidPickle, message)
    }

    /// Converts to the error at a byte of the file.
    fn at_byte(self, offset: u64) -> Error {
        match self {
            Self::Unsupported(kind, message) => {
                Error::new(kind, format!("unsupported pickle at byte {offset}: {message}")).at_byte(offset)
            }
            Self::Truncated { expected, found } => Error::truncated("the pickle", offset, expected, found),
            Self::LimitExceeded { what, limit, found } => {
                let limit = limited(limit, what);
                let message = format!(
                    "limit exceeded: expected at most {limit}, found {found} at byte {offset}; raise it with `ObjectOptions` if the \
                     file is trusted"
                );
                Error::new(ErrorKind::LimitExceeded, message).at_byte(offset)
            }
        }
    }

    pub(crate) fn unknown_opcode(opcode: u8) -> Self {
        Self::invalid(format!("unknown opcode {opcode:#04x}"))
    }

    /// An opcode of external data, which NumPy never writes.
    pub(crate) fn refused_opcode(opcode: &str) -> Self {
        Self::new(ErrorKind::Unsupported, format!("opcode {opcode} refers to data outside of the file"))
    }

    /// A protocol later than 5.
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

    /// An unknown class or function.
    pub(crate) fn unknown_global(module: &str, name: &str) -> Self {
        let path = dotted(module, name);
        Self::invalid(format!(
            "unknown global {path}, which is never called; `UnknownGlobals::Opaque` keeps it as an opaque object"
        ))
    }

    /// A call of a plain value.
    pub(crate) fn not_callable(opcode: &str, found: &str) -> Self {
        Self::invalid(format!("opcode {opcode}: expected a class or a function, found {found}"))
    }

    /// A known function in the place of a class.
    pub(crate) fn not_a_class(opcode: &str, function: &str) -> Self {
        Self::invalid(format!("opcode {opcode}: expected a class, found the function {function}"))
    }

    /// A call of a known class or function that NumPy never pickles.
    pub(crate) fn unsupported_call((module, name): (&str, &str)) -> Self {
        Self::invalid(format!("unsupported call of {module}.{name}"))
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

    pub(crate) fn invalid_integer(text: &[u8]) -> Self {
        Self::invalid(int::describe_invalid(&text::excerpt(text)))
    }

    pub(crate) fn invalid_float(text: &[u8]) -> Self {
        Self::invalid(format!("invalid float {:?}: expected a decimal number, inf or nan", text::excerpt(text)))
    }

    pub(crate) fn invalid_memo_index(text: &[u8]) -> Self {
        Self::invalid(format!("invalid memo index {:?}: expected a non-negative integer", text::excerpt(text)))
    }

    /// A text of 4 GiB or more, whose length exceeds a node.
    pub(crate) fn text_too_long(length: usize) -> Self {
        Self::new(ErrorKind::Unsupported, format!("expected a text of less than 4 GiB, found {}", counted(length, "byte")))
    }

    /// A length that is negative or overflows.
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

    /// A list of objects whose length differs from the shape of its array.
    pub(crate) fn wrong_count(shape: &[usize], expected: u64, found: u64) -> Self {
        let shape = tuple(shape);
        Self::invalid(format!("wrong number of objects for shape {shape}: expected {expected}, found {found}"))
    }

    pub(crate) fn invalid_array(reason: impl fmt::Display) -> Self {
        Self::invalid(format!("invalid array: {reason}"))
    }
}

/// The path of a class or function, shortened and escaped for a message.
pub(crate) fn dotted(module: &str, name: &str) -> String {
    format!("{}.{}", name_in_message(module), name_in_message(name))
}

#[cfg(test)]
mod tests {
    use super::{ErrorKind, Fault};

    #[test]
    fn faults_say_what_is_wrong_and_where() {
        for (fault, kind, message) in [
            (Fault::unknown_opcode(0xff), ErrorKind::InvalidPickle, "unknown opcode 0xff"),
            (Fault::refused_opcode("EXT1"), ErrorKind::Unsupported, "opcode EXT1 refers to data outside of the file"),
            (Fault::stack_underflow("APPEND"), ErrorKind::InvalidPickle, "opcode APPEND: stack underflow"),
            (Fault::invalid_length(-1), ErrorKind::InvalidPickle, "invalid length -1"),
            (Fault::frame_too_long(3), ErrorKind::InvalidPickle, "a frame exceeds the pickle by 3 bytes"),
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
        let error = Fault::Truncated { expected: 5, found: 2 }.at_byte(201);
        assert_eq!((error.kind(), error.offset(), error.missing_bytes()), (ErrorKind::Truncated, Some(203), Some(3)));
        assert_eq!(error.to_string(), "truncated file: the pickle needs 5 bytes at offset 201, found 2");
        let error = Fault::LimitExceeded { what: "levels of objects", limit: 1, found: 2 }.at_byte(201);
        assert_eq!((error.kind(), error.offset()), (ErrorKind::LimitExceeded, Some(201)));
        let expected = "limit exceeded: expected at most 1 level of objects, found 2 at byte 201; raise it with `ObjectOptions` if the file is trusted";
        assert_eq!(error.to_string(), expected);
    }
}

//! Failures: one line for the user, and an exit code.

use std::fmt;
use std::io;

use npy_core::Error;

use crate::escape;

/// A result whose error is [`Failure`].
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a command ends.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong: the message, in the shape `what is wrong: expected X, found Y; hint`.
    Trouble(String),
    /// A [`Trouble`](Self::Trouble) without the name of its array, which [`about`](Self::about) adds.
    Nameless(String),
    /// A [`Trouble`](Self::Trouble) that names its member, but not its archive.
    OfMember(String),
    /// A failure, and lines below its message that show a place in an argument. Nothing in them is unsafe.
    Marked { failure: Box<Self>, mark: String },
    /// The system does not let the file be opened or read, which tells nothing about what is in it.
    Unread(String),
    /// The output cannot be written, whose name is still to be added by [`of_output`](Self::of_output).
    Unwritten(io::Error),
    /// The failure was printed already, for instance for each of several files.
    Reported,
    /// SIGINT or SIGTERM.
    Interrupted,
    /// The reader of the output is gone. No failure of the command.
    BrokenPipe,
}

impl Failure {
    /// A failure with this message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Trouble(message.into())
    }

    /// Makes an error of the system a failure to do this, as in `open the file`.
    pub(crate) fn cannot(what: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |error| Self::Nameless(format!("cannot {what}: {error}"))
    }

    /// No memory for as many bytes.
    pub(crate) fn allocation(bytes: usize) -> Self {
        Self::Nameless(Error::out_of_memory(bytes).to_string())
    }

    /// No memory for the text of elements.
    pub(crate) fn text_allocation() -> Self {
        Self::Nameless("cannot allocate the text of an element".to_owned())
    }

    /// Adds advice to the message.
    #[must_use]
    pub(crate) fn with_advice(self, advice: &str) -> Self {
        match self {
            Self::Trouble(message) => Self::Trouble(message + advice),
            Self::Nameless(message) => Self::Nameless(message + advice),
            Self::OfMember(message) => Self::OfMember(message + advice),
            Self::Unread(message) => Self::Unread(message + advice),
            other => other,
        }
    }

    /// Adds the name of the member to a message without a name.
    #[must_use]
    pub(crate) fn about_member(self, name: &str) -> Self {
        match self {
            Self::Nameless(message) => Self::OfMember(format!("member {name:?}: {message}")),
            Self::Marked { failure, mark } => Self::Marked { failure: Box::new(failure.about_member(name)), mark },
            other => other,
        }
    }

    /// Adds the names of the file and of the member, if there is one.
    #[must_use]
    pub(crate) fn about_array(self, file: &str, member: Option<&String>) -> Self {
        match member {
            Some(member) => self.about_member(member).about(file),
            None => self.about(file),
        }
    }

    /// Adds the name of the file to a message without one.
    #[must_use]
    pub(crate) fn about(self, name: &str) -> Self {
        match self {
            Self::Nameless(message) | Self::OfMember(message) => Self::Trouble(format!("{name}: {message}")),
            Self::Marked { failure, mark } => Self::Marked { failure: Box::new(failure.about(name)), mark },
            other => other,
        }
    }

    /// Adds the name of the output to a failed write.
    #[must_use]
    pub(crate) fn of_output(self, name: &str) -> Self {
        match self {
            Self::Unwritten(error) => Self::Trouble(format!("{name}: cannot write the file: {error}")),
            other => other,
        }
    }
}

/// The beginning of a message about a field; empty where elements have no fields.
pub(crate) fn about_field(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("field \"{path}\": ") }
}

/// The message in one line, and the mark below it, without control characters.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trouble(message) | Self::Nameless(message) | Self::OfMember(message) | Self::Unread(message) => {
                f.write_str(&escape::message(message))
            }
            Self::Marked { failure, mark } => write!(f, "{failure}\n{mark}"),
            Self::Unwritten(error) => write!(f, "cannot write the output: {error}"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Reported | Self::BrokenPipe => Ok(()),
        }
    }
}

/// Advice of the library, and the advice for users of the command.
const ADVICE: [(&str, &str); 8] = [
    ("`npy_core::npz::recover` keeps them", "`npy recover` keeps them"),
    ("`ObjectOptions::encoding` sets another encoding", "`npy show --encoding latin1` reads it"),
    ("; raise it with `ObjectOptions` if the file is trusted", ""),
    ("; read it with `load`", "; `npy convert` makes an archive of it"),
    ("; raise it with `Limits` if the file is trusted", ""),
    ("; pass a larger `most` if the archive is trusted", ""),
    (
        "read them with `npy_core::object::load`, or as a `DynArray` with `ReadOptions::objects` (feature `object`), or save a plain dtype, \
         such as `array.astype('U')`",
        "`npy show` prints them",
    ),
    ("convert it with `array.astype(array.dtype.newbyteorder('<'))`", "convert it with `npy convert --endian little`"),
];

fn message_of(error: &npy_core::Error) -> String {
    let message = ADVICE.iter().fold(format!("{error:#}"), |message, (library, command)| message.replace(library, command));
    match error.path() {
        Some(path) if path.to_str().is_none() => message.replacen(&*path.to_string_lossy(), &escape::path(path), 1),
        _ => message,
    }
}

/// With the messages of all sources. It is to be named unless it names a file.
impl From<npy_core::Error> for Failure {
    fn from(error: npy_core::Error) -> Self {
        match error.io_kind() {
            Some(io::ErrorKind::BrokenPipe) => Self::BrokenPipe,
            Some(cause)
                if error.path().is_some() && !matches!(cause, io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData) =>
            {
                Self::Unread(message_of(&error))
            }
            _ if error.path().is_some() => Self::Trouble(message_of(&error)),
            _ if error.member().is_some() => Self::OfMember(message_of(&error)),
            _ => Self::Nameless(message_of(&error)),
        }
    }
}

/// A failure of the output: standard output, unless [`Failure::of_output`] names another.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Unwritten(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use npy_core::npz::{NpzReader, NpzWriter};
    use npy_core::{DynValues, Limits};

    use super::Failure;

    /// The library's advice is code; if its text changes, so must the table.
    #[test]
    fn advice_is_for_users_of_the_command() {
        let message = |error: npy_core::Error| Failure::from(error).to_string();
        let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
        archive.add_slice("x", &[1_u8]).unwrap();
        let mut file = archive.finish().unwrap().into_inner();
        file.truncate(file.len() - 10);
        let truncated = message(NpzReader::from_bytes(&file).unwrap_err());
        assert!(truncated.ends_with("; `npy recover` keeps them"), "{truncated}");

        let mut array = Vec::new();
        npy_core::write(&mut array, &[1_u8; 100]).unwrap();
        let limit = message(DynValues::read_with(&array[..], Limits::new().data_bytes(10)).unwrap_err());
        assert!(limit.ends_with("bytes of data, found 100"), "{limit}");

        let objects = b"\x93NUMPY\x01\0\x46\0{'descr': '|O', 'fortran_order': False, 'shape': (1,), }             \n";
        let objects = message(DynValues::read(&objects[..]).unwrap_err());
        assert!(objects.ends_with("pickled Python objects; `npy show` prints them"), "{objects}");
    }
}

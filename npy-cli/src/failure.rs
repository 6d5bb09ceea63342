//! What ends a command: one line for the user, and an exit code.

use std::fmt;
use std::io;

use crate::escape;

/// A result whose error is [`Failure`].
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a command ends.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong: the message, in the shape `what is wrong: expected X, found Y; hint`.
    Trouble(String),
    /// The same, of an array whose name is still to be added by [`about`](Self::about).
    Nameless(String),
    /// What went wrong was printed already, for instance for each of several files.
    Reported,
    /// SIGINT or SIGTERM.
    Interrupted,
    /// Nobody reads the output any more. No failure of the command.
    BrokenPipe,
}

impl Failure {
    /// A failure with this message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Trouble(message.into())
    }

    /// The same failure, with the name of the file in front of a message without one.
    #[must_use]
    pub(crate) fn about(self, name: &str) -> Self {
        match self {
            Self::Nameless(message) => Self::Trouble(format!("{name}: {message}")),
            other => other,
        }
    }
}

/// The message in one line, without control characters.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trouble(message) | Self::Nameless(message) => f.write_str(&escape::line(message)),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Reported | Self::BrokenPipe => Ok(()),
        }
    }
}

/// With the messages of all sources. It is to be named unless it names a file.
impl From<npy_core::Error> for Failure {
    fn from(error: npy_core::Error) -> Self {
        match error.kind() {
            npy_core::ErrorKind::Io { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ if error.path().is_some() => Self::Trouble(format!("{error:#}")),
            _ => Self::Nameless(format!("{error:#}")),
        }
    }
}

/// A failure of standard output: other files are written with a message of their own.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Trouble(format!("cannot write the output: {error}")),
        }
    }
}

//! An error: kind, message, position, path and source.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};

use super::kind::ErrorKind;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong: an [`ErrorKind`], a message, and where it happened.
///
/// `{}` prints this error without its [`source`](StdError::source), so that a reporter prints each
/// message of the chain once. `{:#}` and `{:?}` append the messages of all sources.
///
/// ```
/// use npy_core::ErrorKind;
///
/// let error = npy_core::load::<f64>("no/such/file.npy").unwrap_err();
/// assert_eq!(error.path(), Some("no/such/file.npy".as_ref()));
/// match error.kind() {
///     ErrorKind::Mismatch => println!("another dtype"),
///     ErrorKind::WrongShape => println!("another number of dimensions"),
///     ErrorKind::Truncated => println!("incomplete"), // an empty file is `WrongFormat`
///     _ if error.is_not_found() => println!("no such file"),
///     _ => println!("{error:#}"),
/// }
/// ```
pub struct Error(pub(super) Box<Inner>);

pub(super) struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    pub(super) position: Position,
    source: Option<Box<dyn StdError + Send + Sync>>,
    path: Option<PathBuf>,
    member: Option<String>,
}

/// The position of an error in an array or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Unknown,
    /// A byte of the file.
    Byte(u64),
    /// The end of the input, and how many bytes are missing at least.
    End(u64, u64),
    /// An element and the field in it, whose path is empty for the element itself.
    Element(u64, String),
    /// A field of a value outside of an array.
    Field(String),
}

impl Error {
    /// Creates an error of a kind with a message: `what is wrong: expected X, found Y; hint`.
    ///
    /// ```
    /// use npy_core::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::WrongShape, "wrong shape: expected (2, 3), found (3, 2)").with_path("a.npy");
    /// assert_eq!(error.to_string(), "a.npy: wrong shape: expected (2, 3), found (3, 2)");
    /// ```
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        let (position, message) = (Position::Unknown, message.into());
        Self(Box::new(Inner { kind, message, position, source: None, path: None, member: None }))
    }

    /// Returns what went wrong, as a kind to match on.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the message without the path, the member, the element and the field.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Adds the cause, which [`source`](StdError::source) returns.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The file that was being read or written, where the call took a path.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Adds the path of the file, unless the error has one.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.0.path.get_or_insert_with(|| path.into());
        self
    }

    /// The name of the archive member in which the error happened, if any.
    pub fn member(&self) -> Option<&str> {
        self.0.member.as_deref()
    }

    /// Adds the name of the archive member, unless the error has one.
    #[must_use]
    pub fn with_member(mut self, name: impl Into<String>) -> Self {
        self.0.member.get_or_insert_with(|| name.into());
        self
    }

    /// Removes the path and the name of the member, for a caller that prints them itself.
    #[must_use]
    pub fn without_path(mut self) -> Self {
        (self.0.path, self.0.member) = (None, None);
        self
    }

    /// The byte of the file at which the error happened, if it is known: of a header, a dtype or a
    /// pickle; of a truncated file, its end.
    pub fn offset(&self) -> Option<u64> {
        if let Position::Byte(offset) | Position::End(offset, _) = self.0.position { Some(offset) } else { None }
    }

    /// How many more bytes the input needs, at least, if it is truncated and this is known.
    pub fn missing_bytes(&self) -> Option<u64> {
        if let Position::End(_, missing) = self.0.position { Some(missing) } else { None }
    }

    /// Sets the byte of the file at which the error happened. The message does not change.
    #[must_use]
    pub fn at_byte(mut self, offset: u64) -> Self {
        self.0.position = Position::Byte(offset);
        self
    }

    /// The element that is wrong, counted in the order of the data.
    pub fn element(&self) -> Option<u64> {
        if let Position::Element(index, _) = &self.0.position { Some(*index) } else { None }
    }

    /// The path of the field that is wrong, such as `origin.name[2]`; empty where the whole element
    /// is.
    pub fn field(&self) -> Option<&str> {
        if let Position::Element(_, path) | Position::Field(path) = &self.0.position { Some(path) } else { None }
    }

    /// Sets the element, and the path of the field in it. Both are printed before the message.
    #[must_use]
    pub fn at_element(mut self, index: u64, field: impl Into<String>) -> Self {
        self.0.position = Position::Element(index, field.into());
        self
    }

    /// Sets the path of the field, which is printed before the message.
    #[must_use]
    pub fn at_field(mut self, field: impl Into<String>) -> Self {
        self.0.position = Position::Field(field.into());
        self
    }

    /// Whether the system or the store does not find the file, or the array or the archive has no such
    /// field or member.
    pub fn is_not_found(&self) -> bool {
        self.0.kind == ErrorKind::NotFound || self.io_kind() == Some(std::io::ErrorKind::NotFound)
    }

    /// Whether the input ends too early.
    pub fn is_truncated(&self) -> bool {
        self.0.kind == ErrorKind::Truncated || self.io_kind() == Some(std::io::ErrorKind::UnexpectedEof)
    }

    /// The kind of the I/O error, if the system or the given stream failed.
    pub fn io_kind(&self) -> Option<std::io::ErrorKind> {
        self.source()?.downcast_ref::<std::io::Error>().map(std::io::Error::kind)
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
        match &self.0.position {
            Position::Element(index, path) if path.is_empty() => write!(f, "element {index}: ")?,
            Position::Element(index, path) => write!(f, "element {index}, {path}: ")?,
            Position::Field(path) if !path.is_empty() => write!(f, "{path}: ")?,
            _ => (),
        }
        f.write_str(&self.0.message)?;
        let mut source = self.source().filter(|_| f.alternate());
        let mut printed = Cow::Borrowed(&*self.0.message);
        while let Some(error) = source {
            let text = error.to_string();
            // Some libraries, such as Arrow, end their message with that of the source.
            if !printed.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            (printed, source) = (text.into(), error.source());
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
    /// The [`std::io::Error`] of [`ErrorKind::Io`], or the error of another library, which is not
    /// part of the message.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::Error;
    use crate::error::ValueError;

    #[test]
    fn errors_stay_small() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<ValueError>(), size_of::<usize>());
    }
}

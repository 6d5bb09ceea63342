//! What can go wrong between an array and a store.

use std::error::Error as StdError;
use std::fmt;
use std::ops::Range;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong: an [`ErrorKind`], the object, and the member of an archive.
///
/// `{}` prints this error, with what the store said. `{:#}` and `{:?}` append the messages of its
/// [`source`](StdError::source), if it has one.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_remote::object_store::memory::InMemory;
/// use npy_remote::{ErrorKind, RemoteNpy};
///
/// # #[tokio::main]
/// # async fn main() {
/// let error = RemoteNpy::open(Arc::new(InMemory::new()), "run/picks.npy").await.unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Store { .. }));
/// assert!(error.to_string().starts_with("run/picks.npy: cannot read bytes 0.."));
/// # }
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    path: Option<String>,
    /// `None` if the kind has it.
    member: Option<String>,
}

impl Error {
    /// Returns what went wrong, as data to match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the path of the object in its store.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// Returns the name of the archive member in which the error happened, if any.
    pub fn member(&self) -> Option<&str> {
        match self.kind() {
            ErrorKind::Npy(error) => error.member(),
            _ => self.0.member.as_deref(),
        }
    }

    /// Adds the path of the object, unless the error has one. That of a local file begins at the root.
    pub(crate) fn with_path(mut self, path: &object_store::path::Path, store: &dyn object_store::ObjectStore) -> Self {
        self.0.path.get_or_insert_with(|| {
            let store = store.to_string();
            let root = store.strip_prefix("LocalFileSystem(file://").and_then(|root| root.strip_suffix(')')).unwrap_or_default();
            format!("{root}{}{path}", if root.is_empty() || root.ends_with('/') { "" } else { "/" })
        });
        self
    }

    /// Adds the name of the archive member, unless the error has one.
    pub(crate) fn with_member(mut self, name: &str) -> Self {
        match self.0.kind {
            ErrorKind::Npy(error) => self.0.kind = ErrorKind::Npy(error.with_member(name)),
            _ => {
                self.0.member.get_or_insert_with(|| name.to_owned());
            }
        }
        self
    }
}

/// What went wrong. Each kind carries what was found, what was expected and where.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The array or the archive is invalid, or does not fit the call.
    Npy(npy_core::Error),

    /// The rows have no equivalent in Arrow.
    #[cfg(feature = "arrow")]
    Arrow(npy_arrow::Error),

    /// The store failed.
    Store {
        /// What was being done.
        action: &'static str,
        /// The bytes of the object that were requested, if any.
        range: Option<Range<u64>>,
        /// What the store said.
        error: object_store::Error,
    },

    /// The object is not the one that was opened: it was replaced in between.
    Replaced {
        /// What tells them apart: `e-tag`, `size` or `time of modification`.
        property: &'static str,
        /// That of the object that was opened.
        expected: String,
        /// That of the object now, if the store tells.
        found: Option<String>,
    },

    /// The store answered with other bytes than were requested.
    WrongRange {
        /// The bytes that were requested.
        expected: Range<u64>,
        /// The bytes that the store says it sends.
        found: Range<u64>,
    },

    /// The response of the store is shorter or longer than it says.
    WrongLength {
        /// The bytes that were requested.
        range: Range<u64>,
        /// How many came, or more.
        found: u64,
    },

    /// It takes too much to find the members of an archive: its directory is very long or damaged, or
    /// there is something else in the object.
    LongSearch {
        /// What is limited: `bytes` or `requests`.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// How many it takes, or more.
        found: u64,
    },

    /// The store of a URL needs a feature of this crate that is off.
    MissingFeature {
        /// The URL.
        url: String,
        /// The feature.
        feature: &'static str,
    },

    /// The text is not the URL of an object.
    InvalidUrl {
        /// The text.
        url: String,
        /// Why.
        error: Box<dyn StdError + Send + Sync>,
    },
}

impl From<ErrorKind> for Error {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, path: None, member: None }))
    }
}

impl From<npy_core::Error> for Error {
    fn from(error: npy_core::Error) -> Self {
        ErrorKind::Npy(error).into()
    }
}

impl From<npy_core::ErrorKind> for Error {
    fn from(kind: npy_core::ErrorKind) -> Self {
        npy_core::Error::from(kind).into()
    }
}

#[cfg(feature = "arrow")]
impl From<npy_arrow::Error> for Error {
    fn from(error: npy_arrow::Error) -> Self {
        ErrorKind::Arrow(error).into()
    }
}

#[cfg(feature = "arrow")]
impl From<npy_arrow::arrow_schema::ArrowError> for Error {
    fn from(error: npy_arrow::arrow_schema::ArrowError) -> Self {
        npy_arrow::Error::from(error).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path() {
            write!(f, "{path}: ")?;
        }
        if let Some(member) = &self.0.member {
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
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self.kind() {
            // Their messages are those of this error.
            ErrorKind::Npy(error) => error.source(),
            #[cfg(feature = "arrow")]
            ErrorKind::Arrow(error) => error.source(),
            // The errors of `object_store` print their sources.
            _ => None,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npy(error) => error.fmt(f),
            #[cfg(feature = "arrow")]
            Self::Arrow(error) => error.fmt(f),
            Self::Store { action, range, error } => {
                f.write_str(action)?;
                if let Some(range) = range {
                    write!(f, " bytes {}..{}", range.start, range.end)?;
                }
                match error {
                    // The path stands before.
                    object_store::Error::NotFound { .. } => f.write_str(": not found"),
                    error => write!(f, ": {error}"),
                }
            }
            Self::Replaced { property, expected, found } => {
                write!(f, "object replaced while it was read: expected {property} {expected}")?;
                match found {
                    Some(found) => write!(f, ", found {found}")?,
                    None => f.write_str(", found another")?,
                }
                f.write_str("; open it again")
            }
            Self::WrongRange { expected, found } => {
                write!(
                    f,
                    "wrong response: expected bytes {}..{}, found bytes {}..{}",
                    expected.start, expected.end, found.start, found.end
                )
            }
            Self::WrongLength { range, found } => {
                let (expected, least) = (range.end - range.start, if *found > range.end - range.start { "at least " } else { "" });
                write!(
                    f,
                    "wrong response for bytes {}..{}: expected a length of {expected}, found {least}{found}",
                    range.start, range.end
                )
            }
            Self::LongSearch { what, limit, found } => {
                write!(
                    f,
                    "cannot find the members: expected at most {limit} {what}, found at least {found}; copy the archive to a file"
                )
            }
            Self::MissingFeature { url, feature } => {
                write!(f, "cannot open {url:?}: feature `{feature}` of `npy-remote` is disabled")
            }
            Self::InvalidUrl { url, error } => write!(f, "invalid URL {url:?}: {error}"),
        }
    }
}

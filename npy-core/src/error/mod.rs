//! The one error type of the workspace.

#[cfg(feature = "npz")]
mod archive;
mod conflict;
pub(crate) mod describe;
mod dtype;
mod foreign;
mod growth;
mod io;
mod kind;
mod literal;
#[cfg(test)]
mod messages;
mod mismatch;
#[cfg(feature = "object")]
mod pickle;
#[cfg(feature = "rawarray")]
mod raw_array;
mod region;
mod shard;
#[cfg(feature = "npz")]
mod sparse;
mod value;
#[cfg(feature = "zarr")]
mod zarr;

use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};

#[cfg(feature = "npz")]
pub use archive::ArchiveProblem;
pub use conflict::Conflict;
pub(crate) use describe::excerpt;
#[cfg(all(feature = "object", feature = "serde"))]
pub(crate) use describe::first_names;
#[doc(hidden)]
pub use describe::listed;
pub use dtype::{DTypeProblem, StorageProblem};
pub use foreign::ForeignFormat;
pub use growth::GrowthProblem;
pub use kind::{ErrorKind, Part};
pub use literal::LiteralProblem;
pub use mismatch::{Mismatch, MismatchKind};
#[cfg(feature = "object")]
pub use pickle::{ArrayProblem, PickleProblem};
#[cfg(feature = "rawarray")]
pub use raw_array::RawArrayProblem;
pub use region::RegionProblem;
pub use shard::ShardProblem;
#[cfg(feature = "npz")]
pub use sparse::SparseProblem;
#[doc(hidden)]
pub use value::ValueError;
pub use value::ValueProblem;
#[cfg(feature = "zarr")]
pub use zarr::ZarrProblem;

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
/// let error = npy_core::load::<f64>("no/such/file.npy").unwrap_err();
/// assert_eq!(error.path(), Some("no/such/file.npy".as_ref()));
/// match error.kind() {
///     ErrorKind::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound => println!("no such file"),
///     ErrorKind::Mismatch { .. } => println!("another dtype"),
///     ErrorKind::WrongDimensions { .. } => println!("another number of dimensions"),
///     ErrorKind::Truncated { .. } => println!("incomplete"), // an empty file is NotNpy
///     _ => println!("{error:#}"),
/// }
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    path: Option<PathBuf>,
    member: Option<String>,
}

impl Error {
    /// What went wrong, as data to match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What went wrong, by value.
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
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

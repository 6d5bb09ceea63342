//! Conversions between [`Error`] and [`std::io::Error`].

use std::io;

#[cfg(feature = "npz")]
use super::ArchiveProblem;
#[cfg(feature = "rawarray")]
use super::RawArrayProblem;
use super::{Error, ErrorKind, ShardProblem};

/// An I/O error is taken over with its kind. An [`Error`] that was converted to an [`io::Error`]
/// comes back as it was.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::io("I/O error", error)
    }
}

/// Keeps the [`io::ErrorKind`] of an I/O error. Other errors become
/// [`InvalidData`](io::ErrorKind::InvalidData) where the file is at fault,
/// [`InvalidInput`](io::ErrorKind::InvalidInput) where the call is, or a more specific kind.
///
/// The [`Error`] itself is inside: [`io::Error::downcast`] and [`Error::from`] give it back.
///
/// ```
/// use std::io;
///
/// fn mean(path: &str) -> io::Result<f64> {
///     let samples: Vec<f64> = npy_core::load(path)?;
///     Ok(samples.iter().sum::<f64>() / samples.len() as f64)
/// }
///
/// assert_eq!(mean("no/such/file.npy").unwrap_err().kind(), io::ErrorKind::NotFound);
/// ```
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::new(kind_of(error.kind()), error)
    }
}

fn kind_of(kind: &ErrorKind) -> io::ErrorKind {
    match kind {
        ErrorKind::Io { error, .. } | ErrorKind::NotDurable { error } => error.kind(),
        ErrorKind::Truncated { .. } => io::ErrorKind::UnexpectedEof,
        ErrorKind::Allocation { .. } => io::ErrorKind::OutOfMemory,
        ErrorKind::UnsupportedVersion { .. } | ErrorKind::MissingFeature { .. } | ErrorKind::ObjectArray => {
            io::ErrorKind::Unsupported
        }
        #[cfg(feature = "npz")]
        ErrorKind::Archive { problem } => kind_of_archive(problem),
        #[cfg(feature = "rawarray")]
        ErrorKind::RawArray { problem } => kind_of_raw_array(problem),
        ErrorKind::Conflict { .. } => io::ErrorKind::ResourceBusy,
        ErrorKind::FailedBefore { .. } | ErrorKind::InvalidCount { .. } => io::ErrorKind::Other,
        ErrorKind::Shards { problem: ShardProblem::Missing { .. } } => io::ErrorKind::NotFound,
        // The dtype came from the caller, unless it has a place in a file.
        ErrorKind::InvalidDType { offset: None, .. }
        | ErrorKind::UnstorableDType { .. }
        | ErrorKind::WrongDimensions { .. }
        | ErrorKind::WrongElementShape { .. }
        | ErrorKind::WrongShape { .. }
        | ErrorKind::CannotGrow { .. }
        | ErrorKind::FortranRows { .. }
        | ErrorKind::TextTooLong { .. }
        | ErrorKind::IncompleteRow { .. }
        | ErrorKind::WrongCount { .. }
        | ErrorKind::NoField { .. }
        | ErrorKind::InvalidRegion { .. }
        | ErrorKind::Misaligned { .. }
        | ErrorKind::NotViewable { .. }
        | ErrorKind::NotRegularFile => io::ErrorKind::InvalidInput,
        #[cfg(feature = "npz")]
        ErrorKind::NoMember { .. } | ErrorKind::InvalidSparse { .. } => io::ErrorKind::InvalidInput,
        #[cfg(feature = "dynamic")]
        ErrorKind::CannotCast { .. } | ErrorKind::NoNumbers { .. } => io::ErrorKind::InvalidInput,
        #[cfg(feature = "object")]
        ErrorKind::ObjectsInstead { .. } | ErrorKind::NotObjects { .. } | ErrorKind::InvalidInteger { .. } => {
            io::ErrorKind::InvalidInput
        }
        _ => io::ErrorKind::InvalidData,
    }
}

#[cfg(feature = "npz")]
fn kind_of_archive(problem: &ArchiveProblem) -> io::ErrorKind {
    match problem {
        ArchiveProblem::MissingFeature { .. }
        | ArchiveProblem::UnknownMethod { .. }
        | ArchiveProblem::Encrypted
        | ArchiveProblem::SeveralDisks => io::ErrorKind::Unsupported,
        ArchiveProblem::NoEnd => io::ErrorKind::UnexpectedEof,
        ArchiveProblem::NotSeekable => io::ErrorKind::NotSeekable,
        ArchiveProblem::NoIndex { .. }
        | ArchiveProblem::InvalidName
        | ArchiveProblem::DuplicateName
        | ArchiveProblem::UnknownLength => io::ErrorKind::InvalidInput,
        _ => io::ErrorKind::InvalidData,
    }
}

#[cfg(feature = "rawarray")]
fn kind_of_raw_array(problem: &RawArrayProblem) -> io::ErrorKind {
    match problem {
        RawArrayProblem::MissingFeature => io::ErrorKind::Unsupported,
        RawArrayProblem::NotMappable
        | RawArrayProblem::NotThatDType { .. }
        | RawArrayProblem::MixedByteOrders { .. }
        | RawArrayProblem::TooLargeToCompress { .. } => io::ErrorKind::InvalidInput,
        _ => io::ErrorKind::InvalidData,
    }
}

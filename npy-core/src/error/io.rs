//! Conversions between [`Error`] and [`std::io::Error`].

use std::io;

use super::error::{Error, Position};
use super::kind::ErrorKind;

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
        Self::new(std_kind(&error), error)
    }
}

/// The closest [`io::ErrorKind`].
fn std_kind(error: &Error) -> io::ErrorKind {
    match error.kind() {
        ErrorKind::Io | ErrorKind::NotDurable => error.io_kind().unwrap_or(io::ErrorKind::Other),
        ErrorKind::Conflict => io::ErrorKind::ResourceBusy,
        ErrorKind::BrokenStream | ErrorKind::External => io::ErrorKind::Other,
        ErrorKind::Truncated => io::ErrorKind::UnexpectedEof,
        ErrorKind::Unsupported | ErrorKind::ObjectArray => io::ErrorKind::Unsupported,
        ErrorKind::OutOfMemory => io::ErrorKind::OutOfMemory,
        ErrorKind::NotFound => io::ErrorKind::NotFound,
        // The dtype came from the caller, unless it has a position in a file.
        ErrorKind::InvalidDType if error.offset().is_none() => io::ErrorKind::InvalidInput,
        // The value came from the caller, unless it has a position.
        ErrorKind::InvalidValue if error.0.position == Position::Unknown => io::ErrorKind::InvalidInput,
        ErrorKind::InvalidInput
        | ErrorKind::WrongShape
        | ErrorKind::NotViewable
        | ErrorKind::CannotGrow
        | ErrorKind::Unstorable => io::ErrorKind::InvalidInput,
        _ => io::ErrorKind::InvalidData,
    }
}

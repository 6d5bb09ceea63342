//! Errors of archives.

use std::io;

use crate::error::{ArchiveProblem, Error, ErrorKind};

#[cold]
pub(super) fn archive(problem: ArchiveProblem) -> Error {
    ErrorKind::Archive { problem }.into()
}

#[cold]
pub(super) fn cannot_read(error: io::Error) -> Error {
    Error::io("cannot read the archive", error)
}

/// An error on its way through `io`.
#[cold]
pub(super) fn wrapped(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cold]
pub(super) fn problem(problem: ArchiveProblem) -> io::Error {
    wrapped(archive(problem))
}

#[cold]
pub(super) fn damaged() -> io::Error {
    problem(ArchiveProblem::Damaged)
}

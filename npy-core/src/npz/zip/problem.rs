//! Errors of archives.

use std::io;

use crate::error::{ArchiveProblem, Error, ErrorKind};

#[cold]
pub(crate) fn archive(problem: ArchiveProblem) -> Error {
    ErrorKind::Archive { problem }.into()
}

#[cold]
pub(crate) fn cannot_read(error: io::Error) -> Error {
    Error::io("cannot read the archive", error)
}

#[cold]
pub(crate) fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write the archive", error)
}

#[cold]
pub(crate) fn problem(problem: ArchiveProblem) -> io::Error {
    archive(problem).into()
}

#[cold]
pub(crate) fn damaged() -> io::Error {
    problem(ArchiveProblem::Damaged)
}

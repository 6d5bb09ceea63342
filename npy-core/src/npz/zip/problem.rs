//! Errors of archives that several files raise.

use std::borrow::Cow;
use std::io;

use crate::error::describe::{counted, describe_magic, describe_start, list, listed};
use crate::error::{Error, ErrorKind};

/// Creates the error of an invalid archive or member.
#[cold]
pub(crate) fn archive(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidArchive, message)
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
pub(crate) fn damaged() -> io::Error {
    archive("invalid compressed data").into()
}

#[cold]
pub(crate) fn failed_before() -> io::Error {
    Error::new(ErrorKind::BrokenStream, "an earlier read failed").into()
}

#[cfg(any(feature = "lzma", feature = "zstd"))]
#[cold]
pub(crate) fn large_dictionary(limit: u64) -> io::Error {
    Error::new(ErrorKind::Unsupported, format!("dictionary too large: expected at most {} MiB", limit >> 20)).into()
}

/// Creates the error of a file that does not begin or end like an archive.
pub(crate) fn not_zip(found: &[u8]) -> Error {
    if found.starts_with(b"PK") {
        return Error::new(
            ErrorKind::Truncated,
            "truncated archive: expected the end of central directory at the end of the file, found none",
        );
    }
    Error::new(ErrorKind::WrongFormat, format!("not an .npz file: {}", describe_magic("a zip archive", found)))
}

/// Creates the error of a wrong signature between members.
pub(crate) fn no_member_at(offset: u64, found: &[u8]) -> Error {
    let found = describe_start(found);
    archive(format!("invalid archive: expected a member or the central directory at byte {offset}, found {found}"))
}

pub(crate) fn no_end() -> Error {
    Error::new(ErrorKind::Truncated, "truncated archive: expected a member or the central directory, found the end of the stream")
}

pub(crate) fn no_directory(offset: u64, bytes: u64) -> Error {
    let bytes = counted(bytes, "byte");
    archive(format!(
        "invalid archive: expected a central directory of {bytes} at offset {offset}; the file is damaged or truncated"
    ))
}

pub(crate) fn concatenated(offset: u64) -> Error {
    archive(format!("concatenated archives: expected one archive, found another at byte {offset}; split the file there"))
}

pub(crate) fn unlisted(offset: u64) -> Error {
    archive(format!("the member at byte {offset} is missing from the central directory"))
}

pub(crate) fn unrecoverable(offset: u64) -> Error {
    archive(format!(
        "cannot recover the archive: expected a member or the central directory at byte {offset}, found damage before more members"
    ))
}

pub(crate) fn overlap() -> Error {
    archive("the data overlap another member or the central directory")
}

pub(crate) fn encrypted() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "unsupported encryption: decrypt the member by another program, such as 7z, and read its file",
    )
}

pub(crate) fn unknown_size() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "cannot skip the member: its size follows its data; read its array, or the archive from a file",
    )
}

pub(crate) fn trailing(bytes: u64) -> Error {
    archive(format!("expected the end of the member after its array, found {}", counted(bytes, "more byte")))
}

pub(crate) fn unsafe_name() -> Error {
    archive("unsafe member name: expected a relative path without `..`, `\\`, `:`, NUL or the name of a Windows device")
}

pub(crate) fn no_index(index: usize, members: usize) -> Error {
    Error::new(ErrorKind::NotFound, format!("member index out of range: expected less than {members}, found {index}"))
}

/// Creates the error of missing members, with the names of others. See [`Error::new`] for an example.
#[doc(hidden)]
pub fn no_member<T: AsRef<str>>(names: &[String], available: impl IntoIterator<Item = T>) -> Error {
    let noun = if names.len() == 1 { "array" } else { "arrays" };
    let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    let (available, omitted) = listed(available);
    let others = match &available[..] {
        [] => "the archive is empty".to_owned(),
        available => format!("the archive has {}", list(available, omitted)),
    };
    Error::new(ErrorKind::NotFound, format!("missing {noun} {}: {others}", names.join(", ")))
}

/// Creates the error of an archive in a stream that cannot seek. See [`Error::new`] for an example.
#[doc(hidden)]
pub fn not_seekable() -> Error {
    Error::new(
        ErrorKind::InvalidInput,
        "cannot seek in the archive: expected a file, found a pipe or another stream; `NpzStream` reads members in order",
    )
}

/// Creates the error of content of a wrong size. See [`Error::new`] for an example.
#[doc(hidden)]
pub fn wrong_size(expected: u64, found: u64) -> Error {
    archive(format!("expected {} of content, found {found}", counted(expected, "byte")))
}

/// Creates the error of bytes after compressed data. See [`Error::new`] for an example.
#[doc(hidden)]
pub fn unused(bytes: u64) -> Error {
    archive(format!("expected the end of the compressed data, found {}", counted(bytes, "more byte")))
}

#[cfg(test)]
mod tests {
    use super::no_member;

    #[test]
    fn missing_members_are_listed_beside_the_first_twelve() {
        let names = |count: usize| (0..count).map(|i| format!("m{i}")).collect::<Vec<_>>();
        let error = |count| no_member(&["x".to_owned()], names(count)).to_string();
        assert_eq!(error(0), "missing array \"x\": the archive is empty");
        let twelve = "missing array \"x\": the archive has m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11";
        assert_eq!(error(12), twelve);
        assert_eq!(error(15), format!("{twelve} and 3 more"));
        assert_eq!(no_member(&names(2), ["a"]).to_string(), "missing arrays \"m0\", \"m1\": the archive has a");
    }
}

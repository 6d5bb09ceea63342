//! What is wrong with archives.

use std::fmt;

use super::describe::{counted, describe_start};

/// What is wrong with a zip archive, or a member of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveProblem {
    /// The file has no record of a zip archive at its end.
    NotZip {
        /// The first bytes of the input, at most 512.
        found: Vec<u8>,
    },
    /// The archive has no valid end: it is truncated or damaged, or appending was interrupted.
    Incomplete {
        /// How many whole members were found.
        members: u64,
        /// How many of them the last complete directory lists.
        listed: u64,
        /// Where in the file that directory ends; 0 if there is none.
        directory_end: u64,
    },
    /// An archive follows another one in the same file.
    Concatenated {
        /// Where in the file the second one begins.
        offset: u64,
    },
    /// Bytes that belong to no archive follow its end.
    NotAtEnd {
        /// Where the archive ends.
        end: u64,
        /// How many bytes follow.
        bytes: u64,
    },
    /// The file has a member that the central directory does not list.
    Unlisted {
        /// Where its local header begins.
        offset: u64,
    },
    /// The file is damaged where a member or the central directory should begin, and more members
    /// follow, which recovery would drop.
    Unrecoverable {
        /// Where the damage begins.
        offset: u64,
    },
    /// The input cannot seek: a pipe, a socket or a terminal.
    NotSeekable,
    /// The stream ends where a member or the central directory should begin.
    NoEnd,
    /// The archive is a part of one in several files.
    SeveralDisks,
    /// The central directory is not where the end of the archive says.
    NoDirectory {
        /// Where it should begin.
        offset: u64,
        /// How many bytes it should have.
        bytes: u64,
    },
    /// The central directory holds an invalid entry.
    NoEntry {
        /// Where in the file.
        offset: u64,
    },
    /// The central directory has more or fewer entries than the end of the archive says.
    WrongCount {
        /// What the end of the archive says.
        expected: u64,
        /// How many the central directory has.
        found: u64,
    },
    /// The local header of a member differs from the central directory.
    LocalHeader {
        /// Where in the file.
        offset: u64,
    },
    /// The data of a member overlap another one or the central directory.
    Overlap,
    /// The member is encrypted.
    Encrypted,
    /// The compression method needs a feature of this crate.
    MissingFeature {
        /// The method's number in APPNOTE 4.4.5.
        method: u16,
        /// The method's name.
        name: &'static str,
        /// The feature of `npy-core` and of `npy-ndarray`.
        feature: &'static str,
    },
    /// The compression method is unknown.
    UnknownMethod {
        /// The method's number in APPNOTE 4.4.5.
        method: u16,
    },
    /// There is no member of that index.
    NoIndex {
        /// The index, counted from 0.
        index: usize,
        /// How many members there are.
        members: usize,
    },
    /// The local header of a member is invalid.
    BrokenHeader,
    /// The previous member is damaged, so the position of the next one is unknown.
    LostPlace,
    /// The sizes of the member follow its data, and no array that would tell them was read.
    UnknownSize,
    /// A member of unknown length is written to a stream that cannot seek.
    UnknownLength,
    /// The member is compressed, so it cannot be viewed in place.
    NotStored,
    /// The compressed data of a member are invalid.
    Damaged,
    /// The content of the member is read again after an error.
    FailedBefore,
    /// Decompressing the member needs a larger dictionary than the limit.
    LargeDictionary {
        /// The limit in bytes.
        limit: u64,
    },
    /// The content of a member has more or fewer bytes than the central directory says.
    WrongSize {
        /// What the central directory says.
        expected: u64,
        /// How many there are, or one more than the limit.
        found: u64,
    },
    /// The data of a member have more or fewer bytes in the archive than the central directory
    /// says.
    WrongCompressedSize {
        /// What the central directory says.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Bytes follow the compressed data of a member.
    Unused {
        /// How many.
        bytes: u64,
    },
    /// Many bytes follow the array of a member.
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// The name is longer than 65,535 bytes, or contains NUL or the signature of a local header.
    InvalidName,
    /// The name could lead out of the directory that members are extracted to.
    UnsafeName,
    /// The archive has a member of this name.
    DuplicateName,
    /// The checksum of the content differs from the central directory.
    WrongChecksum {
        /// What the central directory says.
        expected: u32,
        /// What it is.
        found: u32,
    },
}

impl fmt::Display for ArchiveProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // It began as an archive.
            Self::NotZip { found } if found.starts_with(b"PK") => {
                f.write_str("truncated archive: expected the end of central directory at the end of the file, found none")
            }
            Self::NotZip { found } => write!(f, "not an .npz file: {}", describe_archive_magic(found)),
            Self::Incomplete { members, listed, .. } => write!(
                f,
                "truncated archive: expected the end of central directory at the end of the file, found {members} complete and {listed} listed \
         members; `npy_core::npz::recover` keeps them"
            ),
            Self::Concatenated { offset } => {
                write!(f, "concatenated archives: expected one archive, found another at byte {offset}; split the file there")
            }
            Self::NotAtEnd { end, bytes } => write!(
                f,
                "trailing data: expected the end of the file at byte {end}, found {bytes}; remove them to add members",
                bytes = counted(bytes, "more byte"),
            ),
            Self::Unlisted { offset } => write!(f, "the member at byte {offset} is missing from the central directory"),
            Self::Unrecoverable { offset } => write!(
                f,
                "cannot recover the archive: expected a member or the central directory at byte {offset}, found damage before more members"
            ),
            Self::NotSeekable => f.write_str(
                "cannot seek in the archive: expected a file, found a pipe or another stream; `NpzStream` reads members in order",
            ),
            Self::NoEnd => {
                f.write_str("truncated archive: expected a member or the central directory, found the end of the stream")
            }
            Self::SeveralDisks => f.write_str("unsupported archive: it is split into several parts"),
            Self::NoDirectory { offset, bytes } => write!(
                f,
                "invalid archive: expected a central directory of {bytes} at offset {offset}; the file is damaged or truncated",
                bytes = counted(bytes, "byte"),
            ),
            Self::NoEntry { offset } => write!(f, "invalid entry in the central directory at byte {offset}"),
            Self::WrongCount { expected, found } => {
                write!(f, "invalid central directory: expected {expected}, found {found}", expected = counted(expected, "entry"))
            }
            Self::LocalHeader { offset } => write!(f, "the local header at byte {offset} differs from the central directory"),
            Self::Overlap => f.write_str("the data overlap another member or the central directory"),
            Self::Encrypted => {
                f.write_str("unsupported encryption: decrypt the member by another program, such as 7z, and read its file")
            }
            Self::MissingFeature { method, name, feature } => {
                write!(f, "unsupported compression: {name} (method {method}) needs feature `{feature}`")
            }
            Self::UnknownMethod { method } => write!(
                f,
                "unknown compression method {method}: expected stored (0), deflate (8), bzip2 (12), LZMA (14) or Zstandard (93)"
            ),
            Self::NoIndex { index, members } => write!(f, "member index out of range: expected less than {members}, found {index}"),
            Self::BrokenHeader => f.write_str("invalid local header"),
            Self::LostPlace => f.write_str("unknown position: the previous member is damaged; read the archive from a file"),
            Self::UnknownSize => {
                f.write_str("cannot skip the member: its size follows its data; read its array, or the archive from a file")
            }
            Self::UnknownLength => f.write_str("unknown length: a stream that cannot seek needs it before the data"),
            Self::NotStored => f.write_str("cannot view a compressed member; read a copy (`view_or_read`)"),
            Self::Damaged => f.write_str("invalid compressed data"),
            Self::FailedBefore => f.write_str("an earlier read failed"),
            Self::LargeDictionary { limit } => write!(f, "dictionary too large: expected at most {} MiB", limit >> 20),
            Self::WrongSize { expected, found } => {
                write!(f, "expected {expected} of content, found {found}", expected = counted(expected, "byte"))
            }
            Self::WrongCompressedSize { expected, found } => {
                write!(f, "expected {expected} of data, found {found}", expected = counted(expected, "byte"))
            }
            Self::Unused { bytes } => {
                write!(f, "expected the end of the compressed data, found {bytes}", bytes = counted(bytes, "more byte"))
            }
            Self::Trailing { bytes } => {
                write!(f, "expected the end of the member after its array, found {bytes}", bytes = counted(bytes, "more byte"))
            }
            Self::InvalidName => f.write_str("invalid member name: expected at most 65535 bytes without NUL and \"PK\\x03\\x04\""),
            Self::UnsafeName => f.write_str(
                "unsafe member name: expected a relative path without `..`, `\\`, `:`, NUL or the name of a Windows device",
            ),
            Self::DuplicateName => f.write_str("duplicate member name; to replace a member, write a new archive"),
            Self::WrongChecksum { expected, found } => {
                write!(f, "wrong checksum: expected {expected:#010x}, found {found:#010x}; the data are damaged")
            }
        }
    }
}

impl std::error::Error for ArchiveProblem {}

fn describe_archive_magic(found: &[u8]) -> String {
    if found.starts_with(b"\x93NUM") {
        return "expected a zip archive, found an .npy file; read it with `load`".to_owned();
    }
    match found {
        [] => "the input is empty".to_owned(),
        found => format!("expected a zip archive, found {}", describe_start(found)),
    }
}

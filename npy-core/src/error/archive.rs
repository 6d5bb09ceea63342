//! What is wrong with archives.

use super::describe_start;

/// What is wrong with a zip archive, or a member of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveProblem {
    /// The file has no record of a zip archive at its end.
    #[error("not an .npz file: {}", describe_archive_magic(.found))]
    NotZip {
        /// The first bytes of the input, at most 8.
        found: Vec<u8>,
    },
    /// The archive has no valid end: it was cut short or damaged, or what added to it was interrupted.
    #[error(
        "truncated archive: expected the end of central directory at the end of the file, found {members} complete and {listed} listed \
         members; `npy_core::npz::recover` keeps them"
    )]
    Incomplete {
        /// How many whole members were found.
        members: u64,
        /// How many of them the last complete directory lists.
        listed: u64,
        /// Where in the file that directory ends; 0 if there is none.
        directory_end: u64,
    },
    /// An archive follows another one in the same file.
    #[error("concatenated archives: expected one archive, found another at byte {offset}; split the file there")]
    Concatenated {
        /// Where in the file the second one begins.
        offset: u64,
    },
    /// Bytes that belong to no archive follow its end.
    #[error("trailing data: expected the end of the file at byte {end}, found {bytes} more bytes; remove them to add members")]
    NotAtEnd {
        /// Where the archive ends.
        end: u64,
        /// How many bytes follow.
        bytes: u64,
    },
    /// The file has a member that the central directory does not list.
    #[error("the member at byte {offset} is missing from the central directory")]
    Unlisted {
        /// Where its local header begins.
        offset: u64,
    },
    /// The file is damaged where a member or a directory should begin, and more members follow, so that recovery would drop them.
    #[error(
        "cannot recover the archive: expected a member or the central directory at byte {offset}, found damage before more members"
    )]
    Unrecoverable {
        /// Where the damage begins.
        offset: u64,
    },
    /// The archive is to be read from its end, and the input cannot be seeked: a pipe, a socket or a terminal.
    #[error("cannot seek in the archive: expected a file, found a pipe or another stream; `NpzStream` reads members in order")]
    NotSeekable,
    /// The stream ends where a member or the directory should begin.
    #[error("truncated archive: expected a member or the central directory, found the end of the stream")]
    NoEnd,
    /// The archive is a part of one in several files.
    #[error("unsupported archive: it is split into several parts")]
    SeveralDisks,
    /// The directory does not lie where the archive's end says.
    #[error("invalid archive: expected a central directory of {bytes} bytes at offset {offset}; the file is damaged or truncated")]
    NoDirectory {
        /// Where it should begin.
        offset: u64,
        /// How many bytes it should have.
        bytes: u64,
    },
    /// The directory holds something that is no entry.
    #[error("invalid entry in the central directory at byte {offset}")]
    NoEntry {
        /// Where in the file.
        offset: u64,
    },
    /// The directory does not have as many entries as the archive's end says.
    #[error("invalid central directory: expected {expected} entries, found {found}")]
    WrongCount {
        /// How many were announced.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The header before the data of a member is not the one that the directory describes.
    #[error("the local header at byte {offset} differs from the central directory")]
    LocalHeader {
        /// Where in the file.
        offset: u64,
    },
    /// The data of a member reach into another one, or into the directory.
    #[error("the data overlap another member or the central directory")]
    Overlap,
    /// The member is encrypted.
    #[error("unsupported encryption")]
    Encrypted,
    /// The member is compressed by a method that is read only with a feature of this crate.
    #[error("unsupported compression: {name} (method {method}) needs feature `{feature}`")]
    MissingFeature {
        /// The method's number in APPNOTE 4.4.5.
        method: u16,
        /// The method's name.
        name: &'static str,
        /// The feature of `npy-core` and of `npy-ndarray`.
        feature: &'static str,
    },
    /// The member is compressed by a method that is not known here.
    #[error("unknown compression method {method}: expected stored (0), deflate (8), bzip2 (12), LZMA (14) or Zstandard (93)")]
    UnknownMethod {
        /// The method's number in APPNOTE 4.4.5.
        method: u16,
    },
    /// There is no member at that place.
    #[error("member index out of range: expected less than {members}, found {index}")]
    NoIndex {
        /// The place that was asked for, counted from 0.
        index: usize,
        /// How many members there are.
        members: usize,
    },
    /// The header before the data of a member cannot be read.
    #[error("invalid local header")]
    BrokenHeader,
    /// A member before this place was damaged, so that nobody knows where the next begins.
    #[error("unknown position: the previous member is damaged; read the archive from a file")]
    LostPlace,
    /// Nothing says where the member ends: its sizes stand behind its data, and no array that would tell was read.
    #[error("cannot skip the member: its size follows its data; read its array, or the archive from a file")]
    UnknownSize,
    /// A member whose length is not known before was to be written to a stream that cannot be gone back in.
    #[error("unknown length: a stream that cannot seek needs it before the data")]
    UnknownLength,
    /// The member is compressed, so that it cannot be viewed in place.
    #[error("cannot view a compressed member; read a copy (`view_or_read`)")]
    NotStored,
    /// The compressed data of a member cannot be decompressed.
    #[error("invalid compressed data")]
    Damaged,
    /// The content of the member is asked for again after an error.
    #[error("an earlier read failed")]
    FailedBefore,
    /// The compressed data of a member refer so far back that decompressing them takes more memory than is given to a decoder.
    #[error("dictionary too large: expected at most {} MiB", .limit >> 20)]
    LargeDictionary {
        /// How many bytes it may take.
        limit: u64,
    },
    /// The content of a member has more or fewer bytes than the directory says.
    #[error("expected {expected} bytes of content, found {found}")]
    WrongSize {
        /// How many were announced.
        expected: u64,
        /// How many there are, or one more than can be.
        found: u64,
    },
    /// The data of a member have more or fewer bytes in the archive than is said of them.
    #[error("expected {expected} bytes of data, found {found}")]
    WrongCompressedSize {
        /// How many were announced.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Bytes come after the end of a member's compressed data.
    #[error("expected the end of the compressed data, found {bytes} more bytes")]
    Unused {
        /// How many.
        bytes: u64,
    },
    /// The content of a member goes on long after its array.
    #[error("expected the end of the member after its array, found {bytes} more bytes")]
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// A name that a member cannot have: longer than 65,535 bytes, or with a NUL in it.
    #[error("invalid member name: expected at most 65535 bytes without NUL")]
    InvalidName,
    /// A name that leads out of the directory that members are extracted to.
    #[error("unsafe member name: expected a relative path without `..`, `\\`, `:`, NUL or the name of a Windows device")]
    UnsafeName,
    /// A name that a member has already.
    #[error("duplicate member name")]
    DuplicateName,
    /// The checksum of a member's content is another than the directory says.
    #[error("wrong checksum: expected {expected:#010x}, found {found:#010x}; the data are damaged")]
    WrongChecksum {
        /// How many were announced.
        expected: u32,
        /// What it is.
        found: u32,
    },
}

fn describe_archive_magic(found: &[u8]) -> String {
    if found.starts_with(b"\x93NUM") {
        return "expected a zip archive, found an .npy file".to_owned();
    }
    if found.starts_with(b"PK") {
        return "expected the end of central directory, found none; the file is truncated".to_owned();
    }
    match found {
        [] => "the input is empty".to_owned(),
        found => format!("expected a zip archive, found {}", describe_start(found)),
    }
}

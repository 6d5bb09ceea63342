//! What is wrong with archives.

use super::describe_magic;

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
        "incomplete archive: expected its end record at the end of the file; found {members} whole members, of which the last complete \
         directory lists {listed}; `npy_core::npz::recover` keeps them"
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
    #[error(
        "concatenated archives: expected one archive, found another that begins at byte {offset} of the file; split them there"
    )]
    Concatenated {
        /// Where in the file the second one begins.
        offset: u64,
    },
    /// Bytes that belong to no archive follow its end.
    #[error("expected the archive to end the file, found {bytes} bytes behind its end at byte {end}; remove them to add members")]
    NotAtEnd {
        /// Where the archive ends.
        end: u64,
        /// How many bytes follow.
        bytes: u64,
    },
    /// The file has a member that the central directory does not list.
    #[error("the member at byte {offset} of the file is not in the central directory")]
    Unlisted {
        /// Where its local header begins.
        offset: u64,
    },
    /// The file is damaged where a member or a directory should begin, and more members follow, so that recovery would drop them.
    #[error(
        "cannot recover the archive: expected a member or the central directory at byte {offset} of the file, and members follow"
    )]
    Unrecoverable {
        /// Where the damage begins.
        offset: u64,
    },
    /// The archive is to be read from its end, and the input cannot be seeked: a pipe, a socket or a terminal.
    #[error(
        "cannot seek in the archive: expected a file, found a pipe or another stream; `NpzStream` reads one member after another"
    )]
    NotSeekable,
    /// The stream ends where a member or the directory should begin.
    #[error("the archive ends where a member or its directory should begin: it is empty or incomplete")]
    NoEnd,
    /// The archive is a part of one in several files.
    #[error("the archive is one of several parts, which are not read")]
    SeveralDisks,
    /// The directory does not lie where the archive's end says.
    #[error("the archive's directory of {bytes} bytes at offset {offset} is not there: the file is damaged or incomplete")]
    NoDirectory {
        /// Where it should begin.
        offset: u64,
        /// How many bytes it should have.
        bytes: u64,
    },
    /// The directory holds something that is no entry.
    #[error("the archive's directory is damaged at byte {offset} of the file")]
    NoEntry {
        /// Where in the file.
        offset: u64,
    },
    /// The directory does not have as many entries as the archive's end says.
    #[error("the archive's directory has {found} entries, where {expected} were announced")]
    WrongCount {
        /// How many were announced.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The header before the data of a member is not the one that the directory describes.
    #[error("its header at byte {offset} of the file is not the one that the archive's directory describes")]
    LocalHeader {
        /// Where in the file.
        offset: u64,
    },
    /// The data of a member reach into another one, or into the directory.
    #[error("its data reach into another member or into the archive's directory")]
    Overlap,
    /// The member is encrypted.
    #[error("it is encrypted, and cannot be read")]
    Encrypted,
    /// The member is compressed by a method that is read only with a feature of this crate.
    #[error("it is compressed by {name} (method {method}), which is read with the feature `{feature}`")]
    MissingFeature {
        /// The method's number in APPNOTE 4.4.5.
        method: u16,
        /// The method's name.
        name: &'static str,
        /// The feature of `npy-core` and of `npy-ndarray`.
        feature: &'static str,
    },
    /// The member is compressed by a method that is not known here.
    #[error(
        "it is compressed by method {method}, which is not read; stored (0), deflate (8), bzip2 (12), LZMA (14) and Zstandard (93) are"
    )]
    UnknownMethod {
        /// The method's number in APPNOTE 4.4.5.
        method: u16,
    },
    /// There is no member at that place.
    #[error("there is no member {index}: the archive has {members}")]
    NoIndex {
        /// The place that was asked for, counted from 0.
        index: usize,
        /// How many members there are.
        members: usize,
    },
    /// The header before the data of a member cannot be read.
    #[error("the header before its data is damaged")]
    BrokenHeader,
    /// A member before this place was damaged, so that nobody knows where the next begins.
    #[error("where it begins is not known, because the member before it is damaged; read the archive from a file")]
    LostPlace,
    /// Nothing says where the member ends: its sizes stand behind its data, and no array that would tell was read.
    #[error("its size stands behind its data, so that it cannot be passed over; read its array, or the archive from a file")]
    UnknownSize,
    /// A member whose length is not known before was to be written to a stream that cannot be gone back in.
    #[error("its length must be known before, because the archive is written to a stream that cannot be gone back in")]
    UnknownLength,
    /// The member is compressed, so that it cannot be viewed in place.
    #[error("it is compressed, so it cannot be viewed in place; read a copy (`view_or_read`)")]
    NotStored,
    /// The compressed data of a member cannot be decompressed.
    #[error("its compressed data are damaged")]
    Damaged,
    /// The content of the member is asked for again after an error.
    #[error("reading it has already failed")]
    FailedBefore,
    /// The compressed data of a member refer so far back that decompressing them takes more memory than is given to a decoder.
    #[error("decompressing it takes a dictionary of more than {} MiB, which is not read", .limit >> 20)]
    LargeDictionary {
        /// How many bytes it may take.
        limit: u64,
    },
    /// The content of a member has more or fewer bytes than the directory says.
    #[error("its content has {found} bytes, where {expected} were announced")]
    WrongSize {
        /// How many were announced.
        expected: u64,
        /// How many there are, or one more than can be.
        found: u64,
    },
    /// The data of a member have more or fewer bytes in the archive than is said of them.
    #[error("its data have {found} bytes in the archive, where {expected} were announced")]
    WrongCompressedSize {
        /// How many were announced.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Bytes come after the end of a member's compressed data.
    #[error("{bytes} bytes come after the end of its compressed data")]
    Unused {
        /// How many.
        bytes: u64,
    },
    /// The content of a member goes on long after its array.
    #[error("{bytes} bytes come after its array, which are too many to be read for nothing")]
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// A name that a member cannot have: longer than 65,535 bytes, or with a NUL in it.
    #[error("a member cannot have this name: it is too long, or there is a NUL in it")]
    InvalidName,
    /// A name that leads out of the directory that members are extracted to.
    #[error(
        "it is not extracted, because its name is no path below a folder on every system: it begins with `/`, is a device of Windows, or \
         there is `..`, a backslash, a colon or a NUL in it"
    )]
    UnsafeName,
    /// A name that a member has already.
    #[error("the archive has a member of this name already")]
    DuplicateName,
    /// The checksum of a member's content is another than the directory says.
    #[error("its checksum is {found:#010x}, where {expected:#010x} was announced: the data are damaged")]
    WrongChecksum {
        /// What was announced.
        expected: u32,
        /// What it is.
        found: u32,
    },
}

fn describe_archive_magic(found: &[u8]) -> String {
    if found.starts_with(b"\x93NUM") {
        return "it is an .npy file".to_owned();
    }
    if found.starts_with(b"PK") {
        return "it starts like one, and its end is missing: it is incomplete".to_owned();
    }
    describe_magic(found).replace("an .npy file starts with \"\\x93NUMPY\"", "it has no directory of a zip archive")
}

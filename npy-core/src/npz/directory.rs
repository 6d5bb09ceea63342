//! The central directory of a zip archive: which members there are, and where (APPNOTE 4.3 and 4.4).

use std::io::{self, Read, Seek, SeekFrom};

use super::blocks::Blocks;
use super::decoder::DEFLATED;
use super::fields::{
    Claim, DESCRIPTOR, ENCRYPTED, END, END_MARK, END64, END64_LOCATOR, ENTRY, Fields, LOCAL, LOCAL_BYTES, decode_name, read_zip64,
};
use super::problem::{archive, cannot_read};
use crate::error::{ArchiveProblem, Error, ErrorKind, Result};
use crate::limits::Limits;

/// Bytes of the record at the end of an archive, without its comment.
const END_BYTES: usize = 22;
const END64_LOCATOR_BYTES: usize = 20;
const END64_BYTES: usize = 56;
/// The longest comment of an archive: so far before its end the record may begin.
const LONGEST_COMMENT: usize = u16::MAX as usize;

/// A member of the archive, as the directory has it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its whole name, `.npy` included.
    pub(super) name: String,
    pub(super) method: u16,
    pub(super) is_encrypted: bool,
    /// Whether LZMA data say themselves where they end.
    pub(super) has_end_mark: bool,
    pub(super) claim: Claim,
    /// Where in the file its local header begins.
    offset: u64,
    /// The name as it stands in the archive, to be compared with that in the local header.
    raw_name: Box<[u8]>,
    /// Bytes from there to the next member, or to the directory.
    room: u64,
    /// What the directory says of its blocks, which has not been looked at.
    pub(super) blocks: Box<[u8]>,
}

/// Where the directory is.
struct Place {
    entries: u64,
    begin: u64,
    bytes: u64,
    /// Bytes before the archive, such as those of a program that unpacks it: the offsets in the archive do not count them.
    prefix: u64,
    comment: Vec<u8>,
    /// Where the archive ends.
    end: u64,
}

/// What the directory of an archive says, and how.
pub(super) struct Directory {
    pub(super) entries: Vec<Entry>,
    /// The entries as they stand in the archive.
    pub(super) bytes: Vec<u8>,
    /// Bytes before the archive, which the offsets in it do not count.
    pub(super) prefix: u64,
    /// The archive's comment.
    pub(super) comment: Vec<u8>,
    /// Where the archive ends; the file may go on.
    pub(super) end: u64,
}

/// Reads the directory of the archive that `reader` holds.
pub(super) fn read<R: Read + Seek>(reader: &mut R, limits: &Limits) -> Result<Directory> {
    let length = reader.seek(SeekFrom::End(0)).map_err(cannot_read)?;
    read_before(reader, length, limits)
}

/// Reads the last directory there is, anywhere in the file: that of an archive to which members were being added when the process was killed.
pub(super) fn read_last<R: Read + Seek>(reader: &mut R, limits: &Limits) -> Result<Directory> {
    /// Bytes that are searched at a time.
    const WINDOW: u64 = 1 << 20;
    let length = reader.seek(SeekFrom::End(0)).map_err(cannot_read)?;
    let found = read_before(reader, length, limits);
    let is_missing = |error: &Error| matches!(error.kind(), ErrorKind::Archive { problem: ArchiveProblem::NotZip { found } } if found.starts_with(b"PK"));
    if !found.as_ref().is_err_and(is_missing) {
        return found;
    }
    // What looks like one may stand in the data, and each look costs some reading.
    let mut looks = 1000;
    let mut end = length;
    while end > END_BYTES as u64 && looks > 0 {
        let begin = end.saturating_sub(WINDOW);
        let window = read_at(reader, begin, end - begin)?;
        for at in (0..=window.len() - END_BYTES).rev().filter(|&at| window[at..].starts_with(END)).take(looks) {
            looks -= 1;
            let comment = Fields::new(&window[at + END_BYTES - 2..]).u16();
            let length = begin + (at + END_BYTES) as u64 + u64::from(comment);
            if let Ok(directory) = read_before(reader, length, limits) {
                return Ok(directory);
            }
        }
        // The record may lie across the border.
        end = if begin == 0 { 0 } else { begin + END_BYTES as u64 - 1 };
    }
    found
}

/// Reads the directory of the archive that ends where the file has so many bytes.
fn read_before<R: Read + Seek>(reader: &mut R, length: u64, limits: &Limits) -> Result<Directory> {
    let end = find_end(reader, length)?;
    if end.entries > limits.members {
        return Err(ErrorKind::LimitExceeded { what: "members", limit: limits.members, found: end.entries }.into());
    }
    let bytes = read_at(reader, end.begin, end.bytes)?;
    let mut entries = Vec::new();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let Some((entry, after)) = Entry::parse(rest, end.prefix) else {
            let offset = end.begin + (bytes.len() - rest.len()) as u64;
            return Err(archive(ArchiveProblem::NoEntry { offset }));
        };
        entries.push(entry);
        rest = after;
        if entries.len() as u64 > end.entries {
            break;
        }
    }
    if entries.len() as u64 != end.entries {
        return Err(archive(ArchiveProblem::WrongCount { expected: end.entries, found: entries.len() as u64 }));
    }
    note_room(&mut entries, end.begin);
    Ok(Directory { entries, bytes, prefix: end.prefix, comment: end.comment, end: end.end })
}

/// Finds the record at the end of the archive, and by it the directory, which lies in the file.
fn find_end<R: Read + Seek>(reader: &mut R, length: u64) -> Result<Place> {
    let tail_bytes = length.min((LONGEST_COMMENT + END_BYTES + END64_LOCATOR_BYTES) as u64);
    let tail_begin = length - tail_bytes;
    let tail = read_at(reader, tail_begin, tail_bytes)?;
    // From the back: in front of the record there may be anything, such as an archive that is a member. One whose comment ends where the file
    // ends comes first, because a comment may hold anything, too; others have something behind them that does not belong to the archive.
    let last = (tail.len() + 1).saturating_sub(END_BYTES);
    let mut ends = (0..last).rev().filter(|&at| tail[at..].starts_with(END));
    let is_at_end = |&at: &usize| Fields::new(&tail[at + END_BYTES - 2..]).u16() as usize == tail.len() - at - END_BYTES;
    let Some(at) = ends.clone().find(is_at_end).or_else(|| ends.next()) else {
        let begin = read_at(reader, 0, length.min(8))?;
        return Err(archive(ArchiveProblem::NotZip { found: begin }));
    };
    let mut fields = Fields::new(&tail[at + 4..]);
    let (disk, directory_disk, _, entries) = (fields.u16(), fields.u16(), fields.u16(), fields.u16());
    let (bytes, offset) = (fields.number::<4>(), fields.number::<4>());
    let record = tail_begin + at as u64;
    let (entries, bytes, offset, record) = match read_end64(reader, &tail[..at], record)? {
        Some(end64) => end64,
        None if (disk, directory_disk) != (0, 0) => return Err(archive(ArchiveProblem::SeveralDisks)),
        None => (u64::from(entries), bytes, offset, record),
    };
    // The directory ends where the record begins; what its offset lacks to that is before the archive.
    let begin = record.checked_sub(bytes).filter(|begin| offset <= *begin);
    let Some(begin) = begin else { return Err(archive(ArchiveProblem::NoDirectory { offset, bytes })) };
    let front = read_at(reader, 0, length.min(8))?;
    if begin != offset && front.starts_with(LOCAL) {
        // The file is an archive from its first byte on, and this is the end of one that is stored in it.
        return Err(archive(ArchiveProblem::NotZip { found: front }));
    }
    let comment_bytes = Fields::new(&tail[at + END_BYTES - 2..]).u16();
    let comment: Vec<u8> = tail[at + END_BYTES..].iter().copied().take(comment_bytes.into()).collect();
    let end = tail_begin + (at + END_BYTES + comment.len()) as u64;
    Ok(Place { entries, begin, bytes, prefix: begin - offset, comment, end })
}

/// The number of entries, the size and the offset of the directory by the zip64 record, and where that record is; `None` if there is none.
fn read_end64<R: Read + Seek>(reader: &mut R, before: &[u8], end: u64) -> Result<Option<(u64, u64, u64, u64)>> {
    let Some(locator) =
        before.len().checked_sub(END64_LOCATOR_BYTES).map(|at| &before[at..]).filter(|at| at.starts_with(END64_LOCATOR))
    else {
        return Ok(None);
    };
    let mut fields = Fields::new(&locator[8..]);
    let claimed = fields.number::<8>();
    // Just before the locator, as every writer puts it; its offset does not count what is before the archive.
    let at = end.saturating_sub((END64_LOCATOR_BYTES + END64_BYTES) as u64);
    let record = read_at(reader, at, END64_BYTES as u64)?;
    if !record.starts_with(END64) {
        return Err(archive(ArchiveProblem::NoDirectory { offset: claimed, bytes: END64_BYTES as u64 }));
    }
    let mut fields = Fields::new(&record[24..]);
    let (_, entries, bytes, offset) = (fields.number::<8>(), fields.number::<8>(), fields.number::<8>(), fields.number::<8>());
    Ok(Some((entries, bytes, offset, at)))
}

/// Bytes of which the file was found to have as many.
fn read_at<R: Read + Seek>(reader: &mut R, offset: u64, count: u64) -> Result<Vec<u8>> {
    reader.seek(SeekFrom::Start(offset)).map_err(cannot_read)?;
    let mut bytes = Vec::new();
    let room = usize::try_from(count).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(room).map_err(|_| ErrorKind::Allocation { bytes: room })?;
    reader.take(count).read_to_end(&mut bytes).map_err(cannot_read)?;
    if bytes.len() < room {
        return Err(cannot_read(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(bytes)
}

impl Entry {
    /// The entry at the beginning of `bytes`, and what comes after it.
    fn parse(bytes: &[u8], prefix: u64) -> Option<(Self, &[u8])> {
        let mut fields = Fields::new(bytes);
        let signature = fields.bytes(4);
        let _versions = fields.bytes(4);
        let (flags, method) = (fields.u16(), fields.u16());
        let _time = fields.bytes(4);
        let crc = fields.u32();
        let (mut compressed, mut size) = (fields.number::<4>(), fields.number::<4>());
        let (name_bytes, extra_bytes, comment_bytes) = (fields.u16(), fields.u16(), fields.u16());
        let _attributes = fields.bytes(8);
        let mut offset = fields.number::<4>();
        let name = fields.bytes(name_bytes.into());
        let extra = fields.bytes(extra_bytes.into());
        let _comment = fields.bytes(comment_bytes.into());
        if fields.is_short || signature != ENTRY {
            return None;
        }
        read_zip64(extra, [&mut size, &mut compressed, &mut offset])?;
        let entry = Self {
            name: decode_name(name, flags),
            method,
            is_encrypted: flags & ENCRYPTED != 0,
            has_end_mark: flags & END_MARK != 0,
            claim: Claim { crc, size, compressed },
            offset: offset.checked_add(prefix)?,
            raw_name: name.into(),
            room: 0,
            blocks: if method == DEFLATED { Blocks::find(extra).into() } else { Box::default() },
        };
        Some((entry, fields.rest))
    }

    /// The key of the member: its name without one `.npy` at its end.
    pub(super) fn key(&self) -> &str {
        self.name.strip_suffix(".npy").unwrap_or(&self.name)
    }

    /// Reads the member's local header, and leaves `reader` at its data, whose place it gives.
    pub(super) fn seek_to_data<R: Read + Seek>(&self, reader: &mut R) -> Result<u64> {
        /// Bytes of extra fields that are read with the header: NumPy writes 20, and those for alignment take up to 70 more.
        const USUAL_EXTRA: usize = 96;
        let other = || archive(ArchiveProblem::LocalHeader { offset: self.offset });
        let fixed = LOCAL_BYTES + self.raw_name.len();
        // No more than belongs to the member, so that it is there.
        let most = self.room.min((fixed + USUAL_EXTRA) as u64);
        let mut header = read_at(reader, self.offset, most)?;
        let extra_bytes = Fields::new(header.get(LOCAL_BYTES - 2..).unwrap_or_default()).u16();
        let needed = fixed + usize::from(extra_bytes);
        if self.room.checked_sub(self.claim.compressed).is_none_or(|room| room < needed as u64) {
            return Err(archive(ArchiveProblem::Overlap));
        }
        if header.len() < needed {
            header = read_at(reader, self.offset, needed as u64)?;
        }
        let mut fields = Fields::new(&header);
        let signature = fields.bytes(4);
        let _version = fields.bytes(2);
        let (flags, method) = (fields.u16(), fields.u16());
        let _time = fields.bytes(4);
        let crc = fields.u32();
        let (mut compressed, mut size) = (fields.number::<4>(), fields.number::<4>());
        let (name_bytes, _) = (fields.u16(), fields.u16());
        let name = fields.bytes(name_bytes.into());
        let extra = fields.bytes(extra_bytes.into());
        if fields.is_short || signature != LOCAL || method != self.method || *name != *self.raw_name {
            return Err(other());
        }
        read_zip64(extra, [&mut size, &mut compressed]).ok_or_else(other)?;
        // Those who read forward only believe it, so that it may not say anything else.
        if flags & DESCRIPTOR == 0 && (Claim { crc, size, compressed }) != self.claim {
            return Err(other());
        }
        reader.seek(SeekFrom::Start(self.offset + needed as u64)).map_err(cannot_read)
    }
}

/// Notes how much room each member has before the next one, or before the directory, which begins at `end`.
fn note_room(entries: &mut [Entry], end: u64) {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(entries[i].offset));
    let mut next = end;
    for i in order {
        let entry = &mut entries[i];
        entry.room = next.saturating_sub(entry.offset);
        next = next.min(entry.offset);
    }
}

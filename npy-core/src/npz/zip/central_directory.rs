//! The central directory, which lists the members of an archive (APPNOTE 4.3 and 4.4).

use std::io::SeekFrom;

use super::ReadSeek;
use super::entry::{Entry, USUAL_EXTRA};
use super::problem::{archive, cannot_read, no_directory, unlisted};
use super::records::{
    END, END_BYTES, END64, END64_BYTES, END64_LOCATOR, END64_LOCATOR_BYTES, ENTRY, ENTRY_BYTES, EndRecord, Fields, LOCAL,
    LOCAL_BYTES,
};
use super::window::{Window, read_at};
use crate::error::describe::counted;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// The longest comment of an archive, which follows its end record.
const LONGEST_COMMENT: usize = u16::MAX as usize;

/// Bytes at the end of a file that usually hold the end record, and often the directory too.
const USUAL_TAIL: usize = 4096;

/// The central directory of an archive.
pub(crate) struct Directory {
    pub(crate) entries: Vec<Entry>,
    /// The entries as stored in the archive.
    pub(crate) bytes: Vec<u8>,
    /// The number of bytes before the archive, which its offsets do not count.
    pub(crate) prefix: u64,
    /// The archive's comment.
    pub(crate) comment: Vec<u8>,
    /// The offset of the entries.
    pub(crate) begin: u64,
    /// The end of the archive, which other bytes may follow.
    pub(crate) end: u64,
    /// The number of bytes after it.
    pub(crate) after: u64,
}

/// The central directory of a file, if it has one.
pub(crate) enum Ending {
    /// It lists every member of the file.
    Complete(Directory),
    /// It omits members of the file.
    Incomplete,
    /// There is no end record.
    Missing,
}

/// Reads the central directory of the archive in a file of `length` bytes.
///
/// It has to be that of the whole file: no bytes before, between and after the members belong to an
/// archive. Directories left behind by an interrupted append or a damaged end are ignored, as are
/// those of archives that are members.
pub(crate) fn read(reader: &mut dyn ReadSeek, length: u64, limits: &Limits) -> Result<Ending> {
    let Some((location, tail)) = locate(reader, length)? else { return Ok(Ending::Missing) };
    let Location { entries, begin, bytes, prefix, comment, end, is_followed } = location;
    if is_followed {
        return Ok(Ending::Incomplete);
    }
    if entries > limits.members {
        return Err(Error::limit_exceeded("members", limits.members, entries));
    }
    let bytes = tail.read_at(reader, begin, bytes)?;
    let mut entries = parse_entries(&bytes, begin, entries, prefix)?;
    if !is_complete(reader, &mut entries, begin)? {
        return Ok(Ending::Incomplete);
    }
    Ok(Ending::Complete(Directory { entries, bytes, prefix, comment, begin, end, after: length.saturating_sub(end) }))
}

fn parse_entries(bytes: &[u8], begin: u64, count: u64, prefix: u64) -> Result<Vec<Entry>> {
    // The stated number, if the bytes can hold it.
    let most = usize::try_from(count).unwrap_or(usize::MAX).min(bytes.len() / ENTRY_BYTES);
    let mut entries = Vec::new();
    entries.try_reserve_exact(most).map_err(|_| Error::out_of_memory(most.saturating_mul(size_of::<Entry>())))?;
    let mut rest = bytes;
    while !rest.is_empty() && entries.len() as u64 <= count {
        let Some((entry, after)) = Entry::parse(rest, prefix) else {
            let offset = begin + (bytes.len() - rest.len()) as u64;
            return Err(archive(format!("invalid entry in the central directory at byte {offset}")));
        };
        entries.push(entry);
        rest = after;
    }
    if entries.len() as u64 != count {
        let expected = counted(count, "entry");
        return Err(archive(format!("invalid central directory: expected {expected}, found {}", entries.len())));
    }
    Ok(entries)
}

/// Records the space between each member and the next one, or the central directory, which begins
/// at `end`. Returns whether no local header lies before, between or after these members.
///
/// A member so small that it fits the usual extra fields of the previous one is missed here, but not
/// by [`expect_extensible`].
fn is_complete(reader: &mut dyn ReadSeek, entries: &mut [Entry], end: u64) -> Result<bool> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by_key(|&i| (entries[i].offset, i));
    let mut window = Window::new(reader, end);
    let start = order.first().map_or(end, |&i| entries[i].offset.min(end));
    if window.find_member(0, start)?.is_some() {
        return Ok(false);
    }
    let mut following = order.iter().skip(1).copied();
    for &i in &order {
        let next = following.next().map_or(end, |next| entries[next].offset);
        let entry = &mut entries[i];
        entry.room = next.saturating_sub(entry.offset);
        let least = (LOCAL_BYTES + entry.raw_name().len()) as u64;
        // The bytes after the data, and the extra fields of the local header. Members that reach
        // into the next one are refused when they are read.
        let Some(rest) = least.checked_add(entry.claim.compressed).and_then(|least| entry.room.checked_sub(least)) else {
            continue;
        };
        if rest > USUAL_EXTRA {
            let header = window.at(entry.offset, LOCAL_BYTES)?;
            let extra = Fields::new(header.get(LOCAL_BYTES - 2..).unwrap_or_default()).u16();
            if window.find_member(next - rest.saturating_sub(extra.into()), next)?.is_some() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Checks that members can be added: the file ends with the archive, each local header agrees with
/// the directory, and no local header hides after a member, in the directory or in the comment.
pub(crate) fn expect_extensible(reader: &mut dyn ReadSeek, directory: &Directory) -> Result<()> {
    let length = reader.seek(SeekFrom::End(0)).map_err(cannot_read)?;
    if length != directory.end {
        let (end, bytes) = (directory.end, counted(length - directory.end, "more byte"));
        return Err(archive(format!(
            "trailing data: expected the end of the file at byte {end}, found {bytes}; remove them to add members"
        )));
    }
    for entry in &directory.entries {
        let located = |error: Error| error.with_member(entry.key());
        let begin = entry.seek_to_data(reader).map_err(located)?;
        let (begin, end) = (begin.saturating_add(entry.claim.compressed), entry.offset.saturating_add(entry.room));
        if end.saturating_sub(begin) >= LOCAL_BYTES as u64 {
            expect_no_member(reader, begin, end)?;
        }
    }
    // There, it would lie between members.
    expect_no_member(reader, directory.begin, directory.end)
}

fn expect_no_member(reader: &mut dyn ReadSeek, begin: u64, end: u64) -> Result<()> {
    Window::new(reader, end).find_member(begin, end)?.map_or(Ok(()), |offset| Err(unlisted(offset)))
}

/// The location of the central directory.
struct Location {
    entries: u64,
    begin: u64,
    bytes: u64,
    /// The number of bytes before the archive, such as a self-extractor, which its offsets do not
    /// count.
    prefix: u64,
    comment: Vec<u8>,
    /// The end of the archive.
    end: u64,
    /// Whether parts of an archive come after it.
    is_followed: bool,
}

/// The last bytes of a file, which are read once.
struct Tail {
    begin: u64,
    bytes: Vec<u8>,
}

impl Tail {
    fn read(reader: &mut dyn ReadSeek, length: u64, most: usize) -> Result<Self> {
        let begin = length.saturating_sub(most as u64);
        Ok(Self { begin, bytes: read_at(reader, begin, length - begin)? })
    }

    /// Returns bytes of the file, which are read again only if they begin before the tail.
    fn read_at(&self, reader: &mut dyn ReadSeek, offset: u64, count: u64) -> Result<Vec<u8>> {
        let begin = offset.checked_sub(self.begin).and_then(|begin| usize::try_from(begin).ok());
        let rest = begin.and_then(|begin| self.bytes.get(begin..));
        match rest.and_then(|rest| rest.get(..usize::try_from(count).ok()?)) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => read_at(reader, offset, count),
        }
    }

    /// Finds the last end record whose comment ends the file, as every writer leaves it. `None` also
    /// if bytes before the tail may belong to it.
    fn find_last(&self) -> Option<usize> {
        let is_last = |&at: &usize| {
            EndRecord::parse(&self.bytes[at..]).is_some_and(|end| end.comment_bytes == self.bytes.len() - at - END_BYTES)
        };
        self.end_records().find(is_last).filter(|at| self.begin == 0 || *at >= END64_LOCATOR_BYTES)
    }

    /// The positions of end records, the last one first.
    fn end_records(&self) -> impl Iterator<Item = usize> {
        let last = (self.bytes.len() + 1).saturating_sub(END_BYTES);
        (0..last).rev().filter(|&at| self.bytes[at..].starts_with(END))
    }
}

/// Finds the end record of the archive, and by it the directory, which lies in the file.
fn locate(reader: &mut dyn ReadSeek, length: u64) -> Result<Option<(Location, Tail)>> {
    let mut tail = Tail::read(reader, length, USUAL_TAIL)?;
    let mut found = tail.find_last();
    if found.is_none() && tail.begin > 0 {
        tail = Tail::read(reader, length, LONGEST_COMMENT + END_BYTES + END64_LOCATOR_BYTES)?;
        found = tail.find_last();
    }
    // From the back, because a member before the end record may be an archive. A record whose
    // comment ends the file takes precedence, because a comment may hold an end record, too. Bytes
    // after any other belong to no archive.
    let Some(at) = found.or_else(|| tail.end_records().next()) else { return Ok(None) };
    let location = location_by(reader, length, &tail, at)?;
    Ok(Some((location, tail)))
}

/// Reads the location of the directory from the end record at `at` of the tail.
fn location_by(reader: &mut dyn ReadSeek, length: u64, tail: &Tail, at: usize) -> Result<Location> {
    let at_end = tail.begin + at as u64;
    let Some(end) = EndRecord::parse(&tail.bytes[at..]) else { return Err(no_directory(at_end, 0)) };
    let (EndRecord { is_split, entries, bytes, offset, comment_bytes }, record) = match read_zip64_record(reader, tail, at, end)? {
        Some((end, record)) => (end, record),
        None => (end, at_end),
    };
    if is_split {
        return Err(Error::new(ErrorKind::Unsupported, "unsupported archive: it is split into several parts"));
    }
    // The directory ends where the record begins. An offset that is too small by a number of bytes
    // does not count those before the archive.
    let begin = record.checked_sub(bytes).filter(|begin| offset <= *begin);
    let Some(begin) = begin else { return Err(no_directory(offset, bytes)) };
    let after = &tail.bytes[at + END_BYTES..];
    let (comment, after) = after.split_at(comment_bytes.min(after.len()));
    // A part of an archive, or the zeros that a power cut leaves of one: members were added after
    // this end.
    let is_followed = (!after.is_empty() && after.iter().all(|byte| *byte == 0))
        || (1..LOCAL.len()).any(|cut| after == &LOCAL[..cut])
        || after.windows(4).any(|window| [LOCAL, ENTRY, END, END64].iter().any(|signature| window == signature.as_slice()));
    let end = length - after.len() as u64;
    Ok(Location { entries, begin, bytes, prefix: begin - offset, comment: comment.to_vec(), end, is_followed })
}

/// Reads the zip64 record before the end record at `at` of the tail. Returns it with its position;
/// `None` if the end record has no locator of it.
fn read_zip64_record(reader: &mut dyn ReadSeek, tail: &Tail, at: usize, end: EndRecord) -> Result<Option<(EndRecord, u64)>> {
    let before = &tail.bytes[..at];
    let Some(locator) =
        before.len().checked_sub(END64_LOCATOR_BYTES).map(|at| &before[at..]).filter(|at| at.starts_with(END64_LOCATOR))
    else {
        return Ok(None);
    };
    // Every writer puts it before the locator. The locator's offset does not count the bytes before
    // the archive.
    let at = (tail.begin + at as u64).saturating_sub((END64_LOCATOR_BYTES + END64_BYTES) as u64);
    let record = tail.read_at(reader, at, END64_BYTES as u64)?;
    match end.with_zip64(&record) {
        Some(end) => Ok(Some((end, at))),
        None => Err(no_directory(Fields::new(&locator[8..]).number::<8>(), END64_BYTES as u64)),
    }
}

#[cfg(test)]
pub(crate) mod tests;

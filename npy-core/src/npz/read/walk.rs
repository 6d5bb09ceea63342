//! Finds the members of an archive without its central directory.
//!
//! The file is read forward, from one local header to the next by their sizes, so that the content
//! of a member is never mistaken for a part of the archive. A central directory counts only if it
//! lists exactly the members before it.

use std::io::{self, SeekFrom};

use super::super::zip::ReadSeek;
use super::super::zip::central_directory::Directory;
use super::super::zip::entry::Entry;
use super::super::zip::local_header::LocalHeader;
use super::super::zip::problem::{cannot_read, concatenated, unrecoverable};
use super::super::zip::records::{
    Claim, DESCRIPTOR_SIGNATURE, END, END_BYTES, END64, END64_BYTES, END64_LOCATOR, END64_LOCATOR_BYTES, ENTRY, ENTRY_BYTES,
    EndRecord, Fields, LOCAL, LOCAL_BYTES, STORED, holds_local_header,
};
use super::super::zip::window::Window;
use super::stream::NpzStream;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// How to treat streamed members, whose sizes follow their data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streamed {
    /// End the walk.
    Stop,
    /// Decode them to find their end.
    Decode,
}

/// A member found by its local header.
pub(crate) struct Found {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) name: Box<[u8]>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) claim: Claim,
}

/// The members and the central directory found by a walk through the file.
pub(crate) struct Walk {
    /// Every member, in the order of the file.
    pub(crate) found: Vec<Found>,
    /// The last directory that lists all members before it.
    pub(crate) last: Option<Directory>,
    /// The offsets of empty members that a damaged directory after them lists.
    mentioned: Vec<u64>,
    pub(crate) stop: Stop,
}

/// Where and why a walk ended.
pub(crate) enum Stop {
    /// At the end of the file, in an incomplete member, or before the rest of a damaged directory.
    End,
    /// At the directory of another archive, which begins here.
    OtherArchive { offset: u64 },
    /// At damage before more members.
    Damage { offset: u64 },
}

impl Stop {
    pub(crate) fn expect_end(&self) -> Result<()> {
        match *self {
            Self::End => Ok(()),
            Self::OtherArchive { offset } => Err(concatenated(offset)),
            Self::Damage { offset } => Err(unrecoverable(offset)),
        }
    }
}

impl Walk {
    /// The number of members that the last directory lists.
    pub(crate) fn listed(&self) -> usize {
        self.last.as_ref().map_or(0, |last| last.entries.len())
    }

    /// The number of complete members, and the end of the last one or of the directory that lists it.
    pub(crate) fn kept(&self) -> (usize, u64) {
        let listed = self.listed();
        // The header of a member that `zipfile` did not finish states no bytes, although its content
        // follows.
        let is_whole = |member: &&Found| member.claim != Claim::default() || self.mentioned.contains(&member.offset);
        let added = self.found[listed..].iter().take_while(is_whole).count();
        let end = match self.found[listed..][..added].last() {
            Some(member) => member.end,
            None => self.last.as_ref().map_or(0, |last| last.end),
        };
        (listed + added, end)
    }

    /// Records a directory. Returns its end if it lists all members so far, as the last one did.
    fn accept(&mut self, directory: Directory) -> Option<u64> {
        let is_next = self.last.as_ref().is_none_or(|last| last.prefix == directory.prefix);
        if is_next && lists(&directory, &self.found) {
            let end = directory.end;
            self.last = Some(directory);
            return Some(end);
        }
        if let Some(first) = self.first_of_other(&directory) {
            let offset = self.found.get(first).map_or(directory.begin, |member| member.offset);
            self.stop = Stop::OtherArchive { offset };
        }
        None
    }

    /// The first member of another archive, if this is its directory: it lists the last members only.
    fn first_of_other(&self, directory: &Directory) -> Option<usize> {
        let first = self.found.len().checked_sub(directory.entries.len())?;
        // Members within an incomplete member are its content.
        let is_after = first >= self.listed() && self.kept().0 == self.found.len();
        (is_after && lists(directory, &self.found[first..])).then_some(first)
    }
}

/// Returns whether a directory lists these members, and no others.
fn lists(directory: &Directory, found: &[Found]) -> bool {
    let is_listed = |entry: &Entry| {
        let Some(at) = entry.offset.checked_add(directory.prefix) else { return false };
        found.binary_search_by_key(&at, |member| member.offset).is_ok_and(|member| {
            let member = &found[member];
            *entry.raw_name() == *member.name && entry.method == member.method && entry.claim == member.claim
        })
    };
    directory.entries.len() == found.len() && directory.entries.iter().all(is_listed)
}

/// Reads the file forward from its first local header or end record. Each byte is read about once,
/// and data are skipped.
pub(crate) fn walk(reader: &mut dyn ReadSeek, length: u64, limits: &Limits, streamed: Streamed) -> Result<Walk> {
    let mut window = Window::new(reader, length);
    let mut walk = Walk { found: Vec::new(), last: None, mentioned: Vec::new(), stop: Stop::End };
    let mut decoding = Decoding { streamed, limits, budget: length };
    let Some(mut offset) = window.find_archive(length)? else { return Ok(walk) };
    loop {
        let signature = window.at(offset, 4)?;
        if signature == LOCAL {
            match read_member(&mut window, offset, &mut decoding)? {
                Step::Member(member) => {
                    offset = member.end;
                    walk.found.push(member);
                    let found = walk.found.len() as u64;
                    if found > limits.members {
                        return Err(Error::limit_exceeded("members", limits.members, found));
                    }
                    continue;
                }
                Step::Unfinished => return Ok(walk),
                Step::Cut if window.find_member(offset + LOCAL_BYTES as u64, length)?.is_none() => return Ok(walk),
                Step::Cut | Step::Unknown => {
                    walk.stop = Stop::Damage { offset };
                    return Ok(walk);
                }
            }
        }
        if (signature == ENTRY || signature == END64 || signature == END)
            && let Some(directory) = read_directory(&mut window, offset, limits)?
        {
            match walk.accept(directory) {
                Some(end) => {
                    offset = end;
                    continue;
                }
                None if !matches!(walk.stop, Stop::End) => return Ok(walk),
                None => {}
            }
        }
        walk.mentioned = mentioned(&mut window, offset, walk.last.as_ref().map_or(0, |last| last.prefix))?;
        // No member may follow a damaged directory or other bytes.
        if window.find_member(offset, length)?.is_some() && walk.kept().0 == walk.found.len() {
            walk.stop = Stop::Damage { offset };
        }
        return Ok(walk);
    }
}

/// The record at the position of a local header.
enum Step {
    Member(Found),
    /// The beginning of a member that was not finished.
    Unfinished,
    /// The beginning of a member that exceeds the file, or whose name reaches into the next one.
    Cut,
    /// A member whose end is unknown.
    Unknown,
}

/// How streamed members are decoded.
struct Decoding<'a> {
    streamed: Streamed,
    limits: &'a Limits,
    /// How many more bytes may be decoded in vain: members may claim arrays that reach over many others.
    budget: u64,
}

fn read_member(window: &mut Window<'_>, offset: u64, decoding: &mut Decoding<'_>) -> Result<Step> {
    let Some(mut header) = LocalHeader::parse(window.at(offset, LOCAL_BYTES)?) else { return Ok(Step::Unfinished) };
    let text = window.at(offset + LOCAL_BYTES as u64, header.text_bytes())?;
    if text.len() < header.text_bytes() {
        return Ok(Step::Unfinished);
    }
    let Some(name) = header.read_text(text).map(Box::<[u8]>::from) else { return Ok(Step::Unknown) };
    if holds_local_header(&name) {
        return Ok(Step::Cut);
    }
    let member = |claim, end| {
        let LocalHeader { flags, method, .. } = header;
        Step::Member(Found { offset, end, name, flags, method, claim })
    };
    let begin = offset + (LOCAL_BYTES + header.text_bytes()) as u64;
    if let Some(claim) = header.claim() {
        return Ok(match begin.checked_add(claim.compressed).filter(|end| *end <= window.length()) {
            Some(end) => member(claim, end),
            // `NpzWriter` states this size until a member is complete.
            None if claim.compressed == u64::MAX => Step::Unfinished,
            None => Step::Cut,
        });
    }
    if decoding.streamed == Streamed::Stop {
        return Ok(Step::Unfinished);
    }
    if decoding.budget > 0 {
        let reader = window.reader();
        reader.seek(SeekFrom::Start(offset)).map_err(cannot_read)?;
        match NpzStream::new_with(&mut *reader, *decoding.limits).measure() {
            Ok((claim, bytes)) => return Ok(member(claim, offset + bytes)),
            Err(error) if error.is_truncated() => return Ok(Step::Cut),
            Err(error) if concerns_archive(&error) || error.io_kind() == Some(io::ErrorKind::InvalidData) => {}
            Err(error) => return Err(error),
        }
        let read = reader.stream_position().map_err(cannot_read)?.saturating_sub(offset);
        decoding.budget = decoding.budget.saturating_sub(read);
    }
    if header.method == STORED
        && let Some((claim, end)) = find_descriptor(window, begin, &header)?
    {
        return Ok(member(claim, end));
    }
    Ok(Step::Unknown)
}

/// Finds the data descriptor of a stored member whose data begin at `begin`: the first one that
/// states their size and checksum. Returns it with its end.
///
/// Needed if the content is no array, or one whose header exceeds [`Limits`]. Each byte is read and
/// hashed about once, however many signatures the data hold.
fn find_descriptor(window: &mut Window<'_>, begin: u64, header: &LocalHeader) -> Result<Option<(Claim, u64)>> {
    /// Bytes of a descriptor with a signature and 64-bit sizes.
    const MOST: usize = 24;
    /// Small members are within the window.
    const LEAST_STEP: usize = 1 << 9;
    const MOST_STEP: usize = 1 << 16;
    let (mut crc, mut at, mut step) = (crc32fast::Hasher::new(), begin, LEAST_STEP);
    loop {
        let bytes = window.at(at, step)?;
        // A descriptor may cross the boundary.
        let searched = if bytes.len() < step { bytes.len() } else { step - MOST + 1 };
        let mut hashed = 0;
        for found in (0..searched).filter(|&found| bytes[found..].starts_with(DESCRIPTOR_SIGNATURE)) {
            let mut rest = &bytes[found..];
            let Ok(claim) = header.read_descriptor(&mut rest) else { return Ok(None) };
            let size = at + found as u64 - begin;
            if claim.size == size && claim.compressed == size {
                crc.update(&bytes[hashed..found]);
                hashed = found;
                if crc.clone().finalize() == claim.crc {
                    return Ok(Some((claim, at + (bytes.len() - rest.len()) as u64)));
                }
            }
        }
        if bytes.len() < step {
            return Ok(None);
        }
        crc.update(&bytes[hashed..searched]);
        at += searched as u64;
        step = (2 * step).min(MOST_STEP);
    }
}

/// Returns whether an error concerns the archive, and not only the system or a limit.
pub(crate) fn concerns_archive(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Io | ErrorKind::OutOfMemory | ErrorKind::LimitExceeded)
}

/// Returns the offsets of the empty members that the directory at `offset` lists, as far as it is
/// valid.
fn mentioned(window: &mut Window<'_>, mut offset: u64, prefix: u64) -> Result<Vec<u64>> {
    let mut offsets = Vec::new();
    while let Some((entry, bytes)) = read_entry(window, offset)? {
        offset += bytes.len() as u64;
        if entry.claim == Claim::default() {
            offsets.extend(entry.offset.checked_add(prefix));
        }
    }
    Ok(offsets)
}

/// Reads the entry at `offset`. Returns it with its bytes.
fn read_entry<'w>(window: &'w mut Window<'_>, offset: u64) -> Result<Option<(Entry, &'w [u8])>> {
    let mut lengths = Fields::new(window.at(offset, ENTRY_BYTES)?.get(28..34).unwrap_or_default());
    let more = [lengths.u16(), lengths.u16(), lengths.u16()].map(usize::from);
    let bytes = window.at(offset, ENTRY_BYTES + more.iter().sum::<usize>())?;
    Ok(Entry::parse(bytes, 0).filter(|(_, rest)| rest.is_empty()).map(|(entry, _)| (entry, bytes)))
}

/// Reads the directory that begins at `begin`; `None` if it is invalid. The offsets of its entries
/// stay relative to the archive.
fn read_directory(window: &mut Window<'_>, begin: u64, limits: &Limits) -> Result<Option<Directory>> {
    let (mut entries, mut bytes, mut offset) = (Vec::new(), Vec::new(), begin);
    while window.at(offset, 4)? == ENTRY {
        let Some((entry, its_bytes)) = read_entry(window, offset)? else { return Ok(None) };
        if entries.len() as u64 >= limits.members {
            return Ok(None);
        }
        bytes.extend_from_slice(its_bytes);
        offset += its_bytes.len() as u64;
        entries.push(entry);
    }
    let record = window.at(offset, END64_BYTES)?.to_vec();
    if record.starts_with(END64) {
        let size = Fields::new(&record[4..]).number::<8>().saturating_add(12);
        if size > window.length() {
            return Ok(None);
        }
        offset += size;
        if window.at(offset, 4)? != END64_LOCATOR {
            return Ok(None);
        }
        offset += END64_LOCATOR_BYTES as u64;
    }
    let end = EndRecord::parse(window.at(offset, END_BYTES)?);
    let end = if record.starts_with(END64) { end.and_then(|end| end.with_zip64(&record)) } else { end };
    let Some(end) = end else { return Ok(None) };
    let comment = window.at(offset + END_BYTES as u64, end.comment_bytes)?.to_vec();
    if comment.len() < end.comment_bytes || end.entries != entries.len() as u64 || end.bytes != bytes.len() as u64 {
        return Ok(None);
    }
    let Some(prefix) = begin.checked_sub(end.offset) else { return Ok(None) };
    let end = offset + (END_BYTES + comment.len()) as u64;
    Ok(Some(Directory { entries, bytes, prefix, comment, begin, end, after: window.length().saturating_sub(end) }))
}

#[cfg(test)]
mod tests;

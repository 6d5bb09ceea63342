//! Recovery of archives whose end is damaged or missing.
//!
//! The file is read forward, from one local header to the next by the sizes that they state, so
//! that the content of a member is never mistaken for a part of the archive. A central directory
//! counts only if it lists exactly the members before it.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::read::stream::NpzStream;
use super::write::append::open_locked;
use super::zip::ReadSeek;
use super::zip::central_directory;
use super::zip::central_directory::{Directory, END_BYTES, Entry, Window};
use super::zip::emit::{Local, push_end};
use super::zip::problem::{cannot_read, cannot_write, concatenated, unrecoverable};
use super::zip::records::{
    Claim, DESCRIPTOR, END, END64, END64_LOCATOR, ENTRY, Fields, LOCAL, LOCAL_BYTES, holds_local_header, read_zip64,
};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// The result of [`recover`].
///
/// See [`recover`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// The number of members that the archive has now.
    pub members: u64,
    /// The number of these that no central directory listed: it was damaged, or the members were
    /// added and not finished.
    pub added: u64,
    /// The number of bytes after the last whole member that were replaced: an incomplete member, a
    /// damaged central directory. The new central directory is not counted.
    pub dropped: u64,
}

/// Restores an archive whose end is damaged or missing, keeping whole members.
///
/// Opening such a file fails with [`ErrorKind::Truncated`], and so does
/// [`NpzWriter::append`](super::NpzWriter::append). Members are found by their local headers from
/// the first byte of the archive on, never inside other members. Members that the last complete
/// central directory does not list are kept as well, without checking their content: a killed
/// process leaves the same bytes as an archive that was truncated. What follows the last whole
/// member is dropped, and so is an empty member that no directory lists: it looks like one that was
/// begun. A whole archive is untouched.
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter, recover};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let mut archive = NpzWriter::create(&path)?;
/// archive.add_slice("day1", &[1.0_f64, 2.0])?;
/// archive.finish()?;
/// // Cut off the last byte.
/// let length = std::fs::metadata(&path)?.len();
/// std::fs::OpenOptions::new().write(true).open(&path)?.set_len(length - 1)?;
/// assert!(NpzReader::open(&path).is_err());
///
/// let recovered = recover(&path)?;
/// assert_eq!((recovered.members, recovered.added), (1, 1));
/// assert_eq!(NpzReader::open(&path)?.by_name::<f64>("day1")?, [1.0, 2.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the file cannot be opened, is locked by a writer or is not an archive, or if another
/// archive follows in the same file. Fails if [`NpzWriter::append`](super::NpzWriter::append) would
/// refuse what is whole. Fails if whole members follow a damaged part and would be
/// dropped, or if writing fails. The file is then unchanged, unless writing failed.
pub fn recover(path: impl AsRef<Path>) -> Result<Recovered> {
    let path = path.as_ref();
    restore(path).map_err(|error| error.with_path(path))
}

fn restore(path: &Path) -> Result<Recovered> {
    let mut file = open_locked(path)?;
    let limits = Limits::new();
    let error = match central_directory::read(&mut file, &limits) {
        Ok(directory) => {
            // One that describes other members than the file has is not replaced by a guess.
            central_directory::expect_proven(&mut file, &directory)?;
            central_directory::expect_no_header_behind_members(&mut file, &directory)?;
            return Ok(Recovered { members: directory.entries.len() as u64, added: 0, dropped: 0 });
        }
        Err(error) if says_of_archive(&error) => error,
        Err(error) => return Err(error),
    };
    let length = file.seek(SeekFrom::End(0)).map_err(cannot_read)?;
    let walk = walk(&mut file, length, &limits, Streamed::Decode)?;
    let (kept, end) = walk.kept();
    walk.stop.expect_end()?;
    if kept == 0 && walk.last.is_none() {
        return Err(error);
    }
    if let Some(empty) = walk.found.get(kept).filter(|_| kept + 1 < walk.found.len()) {
        // What follows may be members, or the content of this one.
        return Err(unrecoverable(empty.offset));
    }
    let Tail { begin: end, bytes, added } = walk.tail(kept, end, length);
    // What would be written must be an archive that opens. If not, the file is damaged in a way
    // that the walk has not seen.
    let mut restored = Restored { reader: &mut file, kept: end, tail: &bytes, position: 0 };
    let directory = central_directory::read(&mut restored, &limits).map_err(|_| unrecoverable(end))?;
    central_directory::expect_proven(&mut restored, &directory)?;
    central_directory::expect_no_header_behind_members(&mut restored, &directory)?;
    let mut write = || {
        file.seek(SeekFrom::Start(end))?;
        file.write_all(&bytes)?;
        file.set_len(end + bytes.len() as u64)?;
        file.sync_all()
    };
    write().map_err(cannot_write)?;
    Ok(Recovered { members: kept as u64, added: added as u64, dropped: length - end })
}

/// The file as recovery would leave it: its first bytes, and the new directory.
struct Restored<'a> {
    reader: &'a mut dyn ReadSeek,
    kept: u64,
    tail: &'a [u8],
    position: u64,
}

impl Read for Restored<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.position.checked_sub(self.kept) {
            Some(place) => {
                let rest = usize::try_from(place).ok().and_then(|place| self.tail.get(place..)).unwrap_or_default();
                (&*rest).read(buffer)?
            }
            None => {
                self.reader.seek(SeekFrom::Start(self.position))?;
                self.reader.take(self.kept - self.position).read(buffer)?
            }
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for Restored<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let sought = match position {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
            SeekFrom::End(distance) => (self.kept + self.tail.len() as u64).checked_add_signed(distance),
        };
        self.position = sought.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// The error for a file without a valid central directory: tells what was found instead.
pub(super) fn explain(reader: &mut dyn ReadSeek, length: u64, limits: &Limits) -> Result<Error> {
    let walk = walk(reader, length, limits, Streamed::Stop)?;
    if let Stop::OtherArchive { offset } = walk.stop {
        return Ok(concatenated(offset));
    }
    let (members, listed) = (walk.kept().0, walk.listed());
    Ok(Error::new(
        ErrorKind::Truncated,
        format!(
            "truncated archive: expected the end of central directory at the end of the file, found {members} complete and {listed} \
             listed members; `npy_core::npz::recover` keeps them"
        ),
    ))
}

/// How to treat streamed members, whose sizes follow their data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Streamed {
    /// End the walk.
    Stop,
    /// Decode them to find their end.
    Decode,
}

/// A member found by its local header.
struct Found {
    offset: u64,
    end: u64,
    name: Box<[u8]>,
    flags: u16,
    method: u16,
    claim: Claim,
}

/// What a walk through the file has found.
struct Walk {
    /// Every member, in the order of the file.
    found: Vec<Found>,
    /// The last directory that lists all members before it.
    last: Option<Directory>,
    /// Where the members begin that a damaged directory behind them lists.
    mentioned: Vec<u64>,
    stop: Stop,
}

/// Where and why a walk ended.
enum Stop {
    /// At the end of the file, in a member that is not whole, or where nothing but the rest of a
    /// damaged directory follows.
    End,
    /// At the directory of another archive, which begins here.
    OtherArchive { offset: u64 },
    /// At damage that more members follow.
    Damage { offset: u64 },
}

impl Stop {
    fn expect_end(&self) -> Result<()> {
        match *self {
            Self::End => Ok(()),
            Self::OtherArchive { offset } => Err(concatenated(offset)),
            Self::Damage { offset } => Err(unrecoverable(offset)),
        }
    }
}

/// A new directory and the end of an archive.
struct Tail {
    begin: u64,
    bytes: Vec<u8>,
    /// How many of the members the old directory does not list.
    added: usize,
}

impl Walk {
    /// The directory of the members that are kept, which end here in a file of this length.
    fn tail(self, kept: usize, end: u64, length: u64) -> Tail {
        let listed = self.listed();
        // The last directory lists all members and ends the file, and yet the archive does not open.
        let is_wrong = kept == listed && end == length;
        let begin = self.last.as_ref().filter(|_| is_wrong).map_or(end, |last| last.begin);
        let added = if is_wrong { kept } else { kept - listed };
        let (mut bytes, prefix, comment) = match self.last {
            Some(last) => (last.bytes, last.prefix, last.comment),
            // Offsets count from the first byte of the file, as `zipfile` writes them.
            None => (Vec::new(), 0, Vec::new()),
        };
        for member in &self.found[listed..kept] {
            member.to_local(prefix).push_entry(&mut bytes);
        }
        push_end(&mut bytes, kept as u64, begin - prefix, &comment);
        Tail { begin, bytes, added }
    }

    /// How many of the members the last directory lists.
    fn listed(&self) -> usize {
        self.last.as_ref().map_or(0, |last| last.entries.len())
    }

    /// How many members are whole, and where the last of them ends, or the directory that lists it.
    fn kept(&self) -> (usize, u64) {
        let listed = self.listed();
        // The header of a member that `zipfile` did not finish states no bytes; what follows it is
        // its content.
        let is_whole = |member: &&Found| !member.is_empty() || self.mentioned.contains(&member.offset);
        let added = self.found[listed..].iter().take_while(is_whole).count();
        let end = match self.found[listed..][..added].last() {
            Some(member) => member.end,
            None => self.last.as_ref().map_or(0, |last| last.end),
        };
        (listed + added, end)
    }

    /// Whether a directory at this place lists all members so far, as the last one did.
    fn is_continued_by(&self, directory: &Directory) -> bool {
        self.last.as_ref().is_none_or(|last| last.prefix == directory.prefix) && lists(directory, &self.found)
    }

    /// The first member of another archive, if this is the directory of one: it lists the last
    /// members only.
    fn first_of_other(&self, directory: &Directory) -> Option<usize> {
        let first = self.found.len().checked_sub(directory.entries.len())?;
        // What a member that was not finished holds counts as its content.
        let is_behind = first >= self.listed() && self.kept().0 == self.found.len();
        (is_behind && lists(directory, &self.found[first..])).then_some(first)
    }
}

/// Whether a directory lists these members, and no others.
fn lists(directory: &Directory, found: &[Found]) -> bool {
    let is_listed = |entry: &Entry| {
        let at = entry.offset.checked_add(directory.prefix);
        let member = at.and_then(|at| found.binary_search_by_key(&at, |member| member.offset).ok());
        member.is_some_and(|member| found[member].is_listed_as(entry, directory.prefix))
    };
    directory.entries.len() == found.len() && directory.entries.iter().all(is_listed)
}

impl Found {
    fn is_empty(&self) -> bool {
        self.claim == Claim { crc: 0, size: 0, compressed: 0 }
    }

    fn is_listed_as(&self, entry: &Entry, prefix: u64) -> bool {
        let is_at = entry.offset.checked_add(prefix) == Some(self.offset);
        is_at && *entry.raw_name() == *self.name && entry.method == self.method && entry.claim == self.claim
    }

    fn to_local(&self, prefix: u64) -> Local {
        let Claim { crc, size, compressed } = self.claim;
        let (name, offset) = (self.name.to_vec(), self.offset - prefix);
        let (padding, blocks) = (Vec::new(), Vec::new());
        Local { name, method: self.method, flags: self.flags, crc, compressed, size, offset, padding, blocks }
    }
}

/// Reads the file forward from its first local header or end record on. Each byte is read about
/// once; data are skipped.
fn walk(reader: &mut dyn ReadSeek, length: u64, limits: &Limits, streamed: Streamed) -> Result<Walk> {
    let mut window = Window::new(reader, length);
    let mut walk = Walk { found: Vec::new(), last: None, mentioned: Vec::new(), stop: Stop::End };
    let Some(mut place) = window.find_archive(length)? else { return Ok(walk) };
    loop {
        let signature = window.at(place, 4)?;
        if signature == LOCAL {
            match read_member(&mut window, place, length, limits, streamed)? {
                Step::Member(member) => {
                    place = member.end;
                    walk.found.push(member);
                    let found = walk.found.len() as u64;
                    if found > limits.members {
                        return Err(Error::limit_exceeded("members", limits.members, found));
                    }
                    continue;
                }
                Step::Unfinished => return Ok(walk),
                Step::Cut => {
                    if window.find_member(place + LOCAL_BYTES as u64, length)?.is_some() {
                        walk.stop = Stop::Damage { offset: place };
                    }
                    return Ok(walk);
                }
                Step::Unknown => {
                    walk.stop = Stop::Damage { offset: place };
                    return Ok(walk);
                }
            }
        }
        if (signature == ENTRY || signature == END64 || signature == END)
            && let Some(directory) = read_directory(&mut window, place, length, limits)?
        {
            if walk.is_continued_by(&directory) {
                place = directory.end;
                walk.last = Some(directory);
                continue;
            }
            if let Some(first) = walk.first_of_other(&directory) {
                let offset = walk.found.get(first).map_or(place, |member| member.offset);
                walk.stop = Stop::OtherArchive { offset };
                return Ok(walk);
            }
        }
        walk.mentioned = mentioned(&mut window, place, walk.last.as_ref().map_or(0, |last| last.prefix))?;
        // Beyond a damaged directory or other bytes no member may follow.
        if window.find_member(place, length)?.is_some() && walk.kept().0 == walk.found.len() {
            walk.stop = Stop::Damage { offset: place };
        }
        return Ok(walk);
    }
}

/// The record at the position of a local header.
enum Step {
    Member(Found),
    /// The beginning of a member that was not finished.
    Unfinished,
    /// The beginning of a member that states more bytes than there are, or whose name reaches into
    /// the next one.
    Cut,
    /// A member whose end is not known.
    Unknown,
}

fn read_member(window: &mut Window<'_>, offset: u64, length: u64, limits: &Limits, streamed: Streamed) -> Result<Step> {
    let mut fields = Fields::new(window.at(offset, LOCAL_BYTES)?);
    let _signature_and_version = fields.bytes(6);
    let (flags, method) = (fields.u16(), fields.u16());
    let _time = fields.bytes(4);
    let crc = fields.u32();
    let (mut compressed, mut size) = (fields.number::<4>(), fields.number::<4>());
    let (name_bytes, extra_bytes) = (usize::from(fields.u16()), usize::from(fields.u16()));
    let text = window.at(offset + LOCAL_BYTES as u64, name_bytes + extra_bytes)?;
    if text.len() < name_bytes + extra_bytes {
        return Ok(Step::Unfinished);
    }
    let (name, extra) = text.split_at(name_bytes);
    if holds_local_header(name) {
        return Ok(Step::Cut);
    }
    let name = name.into();
    if read_zip64(extra, [&mut size, &mut compressed]).is_none() {
        return Ok(Step::Unknown);
    }
    let begin = offset + (LOCAL_BYTES + name_bytes + extra_bytes) as u64;
    if flags & DESCRIPTOR == 0 {
        let claim = Claim { crc, size, compressed };
        return Ok(match begin.checked_add(compressed).filter(|end| *end <= length) {
            Some(end) => Step::Member(Found { offset, end, name, flags, method, claim }),
            // What this library states until a member is complete.
            None if compressed == u64::MAX => Step::Unfinished,
            None => Step::Cut,
        });
    }
    if streamed == Streamed::Stop {
        return Ok(Step::Unfinished);
    }
    let reader = window.reader();
    reader.seek(SeekFrom::Start(offset)).map_err(cannot_read)?;
    match NpzStream::new_with(reader, *limits).measure() {
        Ok((claim, bytes)) => Ok(Step::Member(Found { offset, end: offset + bytes, name, flags, method, claim })),
        Err(error) if error.is_truncated() => Ok(Step::Cut),
        Err(error) if says_of_archive(&error) || error.io_kind() == Some(io::ErrorKind::InvalidData) => Ok(Step::Unknown),
        Err(error) => Err(error),
    }
}

/// Whether an error tells something of the archive, and not only of the system or a limit.
fn says_of_archive(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Io | ErrorKind::OutOfMemory | ErrorKind::LimitExceeded)
}

/// Where the members begin that the directory at `place` lists, as far as it is whole. Only those
/// without content are asked for.
fn mentioned(window: &mut Window<'_>, mut place: u64, prefix: u64) -> Result<Vec<u64>> {
    let mut offsets = Vec::new();
    while let Some((entry, bytes)) = read_entry(window, place)? {
        place += bytes.len() as u64;
        if entry.claim == (Claim { crc: 0, size: 0, compressed: 0 }) {
            offsets.extend(entry.offset.checked_add(prefix));
        }
    }
    Ok(offsets)
}

/// The entry at `place`, and its bytes.
fn read_entry<'w>(window: &'w mut Window<'_>, place: u64) -> Result<Option<(Entry, &'w [u8])>> {
    /// Bytes of an entry before its name.
    const FIXED: usize = 46;
    let mut lengths = Fields::new(window.at(place, FIXED)?.get(28..34).unwrap_or_default());
    let more = [lengths.u16(), lengths.u16(), lengths.u16()].map(usize::from);
    let bytes = window.at(place, FIXED + more.iter().sum::<usize>())?;
    Ok(Entry::parse(bytes, 0).filter(|(_, rest)| rest.is_empty()).map(|(entry, _)| (entry, bytes)))
}

/// The directory that begins at `begin`, if it is whole. The offsets of its entries are those that
/// it states.
fn read_directory(window: &mut Window<'_>, begin: u64, length: u64, limits: &Limits) -> Result<Option<Directory>> {
    let (mut entries, mut bytes, mut place) = (Vec::new(), Vec::new(), begin);
    while window.at(place, 4)? == ENTRY {
        let Some((entry, its_bytes)) = read_entry(window, place)? else { return Ok(None) };
        if entries.len() as u64 >= limits.members {
            return Ok(None);
        }
        bytes.extend_from_slice(its_bytes);
        place += its_bytes.len() as u64;
        entries.push(entry);
    }
    let directory_bytes = place - begin;
    let mut wide = None;
    if window.at(place, 4)? == END64 {
        let mut fields = Fields::new(window.at(place, 56)?.get(4..).unwrap_or_default());
        let record = fields.number::<8>().saturating_add(12);
        let _versions_and_disks = fields.bytes(20);
        wide = Some((fields.number::<8>(), fields.number::<8>(), fields.number::<8>()));
        if fields.is_short || record > length {
            return Ok(None);
        }
        place += record;
        if window.at(place, 4)? != END64_LOCATOR {
            return Ok(None);
        }
        place += 20;
    }
    let record = window.at(place, END_BYTES)?;
    if record.len() < END_BYTES || !record.starts_with(END) {
        return Ok(None);
    }
    let mut fields = Fields::new(&record[10..]);
    let stated = (u64::from(fields.u16()), fields.number::<4>(), fields.number::<4>());
    let (count, size, offset) = wide.unwrap_or(stated);
    let comment_bytes = usize::from(fields.u16());
    let comment = window.at(place + END_BYTES as u64, comment_bytes)?.to_vec();
    if comment.len() < comment_bytes || count != entries.len() as u64 || size != directory_bytes {
        return Ok(None);
    }
    let Some(prefix) = begin.checked_sub(offset) else { return Ok(None) };
    let end = place + (END_BYTES + comment_bytes) as u64;
    Ok(Some(Directory { entries, bytes, prefix, comment, begin, end, after: length.saturating_sub(end) }))
}

#[cfg(test)]
mod tests;

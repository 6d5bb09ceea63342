//! The central directory, which lists the members of an archive (APPNOTE 4.3 and 4.4).

use std::io::{self, Read, Seek, SeekFrom};

use super::super::codec::blocks::{BLOCKS, Blocks};
use super::super::codec::decoder::DEFLATED;
use super::super::codec::input::Input;
use super::super::recover;
use super::ReadSeek;
use super::problem::{archive, cannot_read, no_directory, not_seekable, not_zip, overlap, unlisted};
use super::records::{
    Claim, DESCRIPTOR, ENCRYPTED, END, END_MARK, END64, END64_LOCATOR, ENTRY, Fields, LOCAL, LOCAL_BYTES, ZIP64, decode_name,
    has_other_field, read_zip64,
};
use crate::error::describe::counted;
use crate::error::{Error, ErrorKind, ForeignFormat, Result};
use crate::format::trust::Checked;
use crate::limits::Limits;

/// Bytes of an entry of the directory, without its name, extra fields and comment.
const ENTRY_BYTES: usize = 46;

/// Bytes of the record at the end of an archive, without its comment.
pub(crate) const END_BYTES: usize = 22;
const END64_LOCATOR_BYTES: usize = 20;
const END64_BYTES: usize = 56;
/// The longest comment of an archive, which may follow its end record.
const LONGEST_COMMENT: usize = u16::MAX as usize;

/// Extra fields that are made anew, or are as good as the date of a member: sizes of 64 bits, where
/// blocks begin, alignment; and times and owners on Unix.
const REMADE: [u16; 5] = [ZIP64, BLOCKS, 0xd935, 0x5455, 0x7875];

/// How many bytes at the end of a file usually hold the end record, and often the directory too.
const USUAL_TAIL: usize = 4096;

/// How many bytes of a file without an end record are searched for the first local header.
const SEARCHED_PREFIX: u64 = 1 << 20;

/// Bytes of extra fields that a local header usually has at most: NumPy writes 20, and those for
/// alignment take up to 70 more.
const USUAL_EXTRA: u64 = 96;

/// How many bytes behind a local header are read with it: all of a small member.
const USUAL_DATA: u64 = 4096;

/// A member of the archive, as the directory has it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its whole name, `.npy` included.
    pub(crate) name: Box<str>,
    pub(crate) method: u16,
    pub(crate) is_encrypted: bool,
    /// Whether LZMA data say themselves where they end.
    pub(crate) has_end_mark: bool,
    /// Whether it has a comment, or extra fields that a writer of arrays does not make anew.
    pub(crate) has_extra: bool,
    pub(crate) claim: Claim,
    /// Where in the file its local header begins.
    pub(crate) offset: u64,
    /// Bytes from there to the next member, or to the directory.
    room: u64,
    /// What few members have. An archive may have a hundred thousand, of which each takes memory.
    rare: Option<Box<Rare>>,
}

/// What few members have.
#[derive(Clone, Debug)]
struct Rare {
    /// The name as stored in the archive, where its bytes are not those of the name.
    raw_name: Option<Box<[u8]>>,
    /// What the directory says of its blocks, which has not been looked at.
    blocks: Box<[u8]>,
}

/// Where the directory is.
struct Place {
    entries: u64,
    begin: u64,
    bytes: u64,
    /// Bytes before the archive, such as those of a program that unpacks it: the offsets in the
    /// archive do not count them.
    prefix: u64,
    comment: Vec<u8>,
    /// Where the archive ends.
    end: u64,
    /// Whether parts of an archive come behind it.
    is_followed: bool,
}

/// What the directory of an archive says, and how.
pub(crate) struct Directory {
    pub(crate) entries: Vec<Entry>,
    /// The entries as stored in the archive.
    pub(crate) bytes: Vec<u8>,
    /// Bytes before the archive, which the offsets in it do not count.
    pub(crate) prefix: u64,
    /// The archive's comment.
    pub(crate) comment: Vec<u8>,
    /// Where the entries begin.
    pub(crate) begin: u64,
    /// The end of the archive, which other bytes may follow.
    pub(crate) end: u64,
    /// The number of these.
    pub(crate) after: u64,
}

/// Reads the central directory of the archive that `reader` holds.
///
/// It is that of the whole file: whatever lies before, between and behind the members belongs to no
/// archive. Directories left behind by an interrupted append or a damaged end are ignored, as are
/// those of archives that are members.
pub(crate) fn read(reader: &mut dyn ReadSeek, limits: &Limits) -> Result<Directory> {
    let length = reader.seek(SeekFrom::End(0)).map_err(|error| match error.kind() {
        io::ErrorKind::NotSeekable => not_seekable(),
        _ => cannot_read(error),
    })?;
    match read_end(reader, length, limits)? {
        Ending::Whole(directory) => Ok(directory),
        Ending::Doubtful => Err(recover::explain(reader, length, limits)?),
        Ending::Missing => {
            let found = read_at(reader, 0, length.min(ForeignFormat::FRONT_BYTES as u64))?;
            // An unfinished archive, perhaps behind a prefix.
            let is_archive =
                !found.starts_with(b"\x93NUM") && Window::new(reader, length).find_archive(length.min(SEARCHED_PREFIX))?.is_some();
            Err(if is_archive { recover::explain(reader, length, limits)? } else { not_zip(&found) })
        }
    }
}

/// What the end of a file says.
enum Ending {
    /// This is the directory of the file.
    Whole(Directory),
    /// There is one that leaves out members which the file has.
    Doubtful,
    /// There is none.
    Missing,
}

fn read_end(reader: &mut dyn ReadSeek, length: u64, limits: &Limits) -> Result<Ending> {
    let Some((end, tail)) = find_end(reader, length)? else { return Ok(Ending::Missing) };
    if end.is_followed {
        return Ok(Ending::Doubtful);
    }
    if end.entries > limits.members {
        return Err(Error::limit_exceeded("members", limits.members, end.entries));
    }
    let bytes = tail.read_at(reader, end.begin, end.bytes)?;
    let entries = parse_entries(&bytes, &end)?;
    let after = length.saturating_sub(end.end);
    let mut directory =
        Directory { entries, bytes, prefix: end.prefix, comment: end.comment, begin: end.begin, end: end.end, after };
    let is_complete = is_complete(reader, &mut directory.entries, end.begin)?;
    Ok(if is_complete { Ending::Whole(directory) } else { Ending::Doubtful })
}

fn parse_entries(bytes: &[u8], end: &Place) -> Result<Vec<Entry>> {
    // As many as there can be, of those that there are said to be.
    let most = usize::try_from(end.entries).unwrap_or(usize::MAX).min(bytes.len() / ENTRY_BYTES);
    let mut entries = Vec::new();
    entries.try_reserve_exact(most).map_err(|_| Error::out_of_memory(most.saturating_mul(size_of::<Entry>())))?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some((entry, after)) = Entry::parse(rest, end.prefix) else {
            let offset = end.begin + (bytes.len() - rest.len()) as u64;
            return Err(archive(format!("invalid entry in the central directory at byte {offset}")));
        };
        entries.push(entry);
        rest = after;
        if entries.len() as u64 > end.entries {
            break;
        }
    }
    if entries.len() as u64 != end.entries {
        let expected = counted(end.entries, "entry");
        return Err(archive(format!("invalid central directory: expected {expected}, found {}", entries.len())));
    }
    Ok(entries)
}

/// Records the space between each member and the next one, or the central directory, which begins
/// at `end`. Returns whether the file has only these members: no local header lies before, between
/// or behind them.
///
/// A member so small that it fits the usual extra fields of the one before is not seen:
/// [`expect_proven`] sees it.
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
        // What lies behind the data, but for the extra fields of the local header. Members that
        // reach into the next one are refused when they are read.
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

/// Checks that the file ends with the archive, and that each local header is the one that the
/// directory describes, with no member hidden behind it: before members are added.
pub(crate) fn expect_proven(reader: &mut dyn ReadSeek, directory: &Directory) -> Result<()> {
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
        if end.saturating_sub(begin) >= LOCAL_BYTES as u64
            && let Some(offset) = Window::new(reader, length).find_member(begin, end)?
        {
            return Err(unlisted(offset));
        }
    }
    Ok(())
}

/// Checks that neither the entries nor the comment hold a local header, before members are added
/// behind them: it would then lie between members, as one that the directory does not list.
pub(crate) fn expect_no_header_behind_members(reader: &mut dyn ReadSeek, directory: &Directory) -> Result<()> {
    match Window::new(reader, directory.end).find_member(directory.begin, directory.end)? {
        Some(offset) => Err(unlisted(offset)),
        None => Ok(()),
    }
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

    /// Bytes of the file, read again only if they begin before the tail.
    fn read_at(&self, reader: &mut dyn ReadSeek, offset: u64, count: u64) -> Result<Vec<u8>> {
        let begin = offset.checked_sub(self.begin).and_then(|begin| usize::try_from(begin).ok());
        let rest = begin.and_then(|begin| self.bytes.get(begin..));
        match rest.and_then(|rest| rest.get(..usize::try_from(count).ok()?)) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => read_at(reader, offset, count),
        }
    }

    /// Where the last end record begins whose comment ends where the file ends, as every writer
    /// leaves it. `None` also if bytes that may belong to it lie before the tail.
    fn find_last(&self) -> Option<usize> {
        let is_last = |&at: &usize| {
            let comment = Fields::new(&self.bytes[at + END_BYTES - 2..]).u16();
            usize::from(comment) == self.bytes.len() - at - END_BYTES
        };
        self.end_records().find(is_last).filter(|at| self.begin == 0 || *at >= END64_LOCATOR_BYTES)
    }

    /// Where end records begin, from the back.
    fn end_records(&self) -> impl Iterator<Item = usize> {
        let last = (self.bytes.len() + 1).saturating_sub(END_BYTES);
        (0..last).rev().filter(|&at| self.bytes[at..].starts_with(END))
    }
}

/// Finds the record at the end of the archive, and by it the directory, which lies in the file.
fn find_end(reader: &mut dyn ReadSeek, length: u64) -> Result<Option<(Place, Tail)>> {
    let mut tail = Tail::read(reader, length, USUAL_TAIL)?;
    let mut found = tail.find_last();
    if found.is_none() && tail.begin > 0 {
        tail = Tail::read(reader, length, LONGEST_COMMENT + END_BYTES + END64_LOCATOR_BYTES)?;
        found = tail.find_last();
    }
    // From the back: in front of the record there may be anything, such as an archive that is a
    // member. One whose comment ends where the file ends comes first, because a comment may hold
    // anything, too; others have something behind them that does not belong to the archive.
    let Some(at) = found.or_else(|| tail.end_records().next()) else { return Ok(None) };
    let place = place_of(reader, length, &tail, at)?;
    Ok(Some((place, tail)))
}

/// Reads from the end record at `at` in the tail where the directory is.
fn place_of(reader: &mut dyn ReadSeek, length: u64, tail: &Tail, at: usize) -> Result<Place> {
    let (record, after) = (tail.begin + at as u64, &tail.bytes[at + END_BYTES..]);
    let mut fields = Fields::new(&tail.bytes[at + 4..]);
    let (disk, directory_disk, _, entries) = (fields.u16(), fields.u16(), fields.u16(), fields.u16());
    let (bytes, offset) = (fields.number::<4>(), fields.number::<4>());
    let (entries, bytes, offset, record) = match read_end64(reader, tail, at)? {
        Some(end64) => end64,
        None if (disk, directory_disk) != (0, 0) => {
            return Err(Error::new(ErrorKind::Unsupported, "unsupported archive: it is split into several parts"));
        }
        None => (u64::from(entries), bytes, offset, record),
    };
    // The directory ends where the record begins; what its offset lacks to that is before the
    // archive.
    let begin = record.checked_sub(bytes).filter(|begin| offset <= *begin);
    let Some(begin) = begin else { return Err(no_directory(offset, bytes)) };
    let comment_bytes = Fields::new(&tail.bytes[at + END_BYTES - 2..]).u16();
    let comment: Vec<u8> = after.iter().copied().take(comment_bytes.into()).collect();
    let behind = &after[comment.len()..];
    // A part of an archive, or what a power cut leaves of one: this end is one that members were
    // added behind.
    let is_followed = (!behind.is_empty() && behind.iter().all(|byte| *byte == 0))
        || (1..LOCAL.len()).any(|cut| behind == &LOCAL[..cut])
        || behind.windows(4).any(|window| [LOCAL, ENTRY, END, END64].iter().any(|signature| window == signature.as_slice()));
    let end = length - behind.len() as u64;
    Ok(Place { entries, begin, bytes, prefix: begin - offset, comment, end, is_followed })
}

/// Reads the number of entries, the size and the offset of the central directory from the zip64
/// record, and the position of that record. Returns `None` if there is no such record.
fn read_end64(reader: &mut dyn ReadSeek, tail: &Tail, end: usize) -> Result<Option<(u64, u64, u64, u64)>> {
    let before = &tail.bytes[..end];
    let Some(locator) =
        before.len().checked_sub(END64_LOCATOR_BYTES).map(|at| &before[at..]).filter(|at| at.starts_with(END64_LOCATOR))
    else {
        return Ok(None);
    };
    let mut fields = Fields::new(&locator[8..]);
    let claimed = fields.number::<8>();
    // Just before the locator, as every writer puts it; its offset does not count what is before
    // the archive.
    let at = (tail.begin + end as u64).saturating_sub((END64_LOCATOR_BYTES + END64_BYTES) as u64);
    let record = tail.read_at(reader, at, END64_BYTES as u64)?;
    if !record.starts_with(END64) {
        return Err(no_directory(claimed, END64_BYTES as u64));
    }
    let mut fields = Fields::new(&record[24..]);
    let (_, entries, bytes, offset) = (fields.number::<8>(), fields.number::<8>(), fields.number::<8>(), fields.number::<8>());
    Ok(Some((entries, bytes, offset, at)))
}

/// Reads bytes that the file was found to have.
pub(crate) fn read_at(reader: &mut dyn ReadSeek, offset: u64, count: u64) -> Result<Vec<u8>> {
    reader.seek(SeekFrom::Start(offset)).map_err(cannot_read)?;
    let mut bytes = Vec::new();
    let room = usize::try_from(count).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(room).map_err(|_| Error::out_of_memory(room))?;
    Checked(reader).take(count).read_to_end(&mut bytes).map_err(cannot_read)?;
    if bytes.len() < room {
        return Err(cannot_read(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(bytes)
}

/// A part of a file that is read forward, a window at a time, and skipped where nothing is asked
/// for.
pub(crate) struct Window<'a> {
    reader: &'a mut dyn ReadSeek,
    /// Where the part ends.
    length: u64,
    begin: u64,
    bytes: Vec<u8>,
}

impl<'a> Window<'a> {
    pub(crate) fn new(reader: &'a mut dyn ReadSeek, length: u64) -> Self {
        Self { reader, length, begin: 0, bytes: Vec::new() }
    }

    /// The reader, wherever it stands.
    pub(crate) fn reader(&mut self) -> &mut dyn ReadSeek {
        self.reader
    }

    /// `count` bytes at `offset`, or as many as there are.
    pub(crate) fn at(&mut self, offset: u64, count: usize) -> Result<&[u8]> {
        /// Bytes that are read at a time.
        const LEAST: u64 = 4096;
        let count = (count as u64).min(self.length.saturating_sub(offset));
        let end = self.begin + self.bytes.len() as u64;
        if offset < self.begin || offset + count > end {
            self.bytes = read_at(self.reader, offset, count.max(LEAST).min(self.length.saturating_sub(offset)))?;
            self.begin = offset;
        }
        // Within the window.
        let begin = usize::try_from(offset - self.begin).unwrap_or_default();
        Ok(&self.bytes[begin..][..usize::try_from(count).unwrap_or_default()])
    }

    /// Where the first local header begins from `begin` to `end`.
    pub(crate) fn find_member(&mut self, begin: u64, end: u64) -> Result<Option<u64>> {
        self.find(begin, end, is_local_header)
    }

    /// Where an archive begins before `end`: with a local header, or with the end record of one
    /// without members.
    pub(crate) fn find_archive(&mut self, end: u64) -> Result<Option<u64>> {
        self.find(0, end, |bytes| is_local_header(bytes) || (bytes.starts_with(END) && bytes.get(4..12) == Some(&[0; 8])))
    }

    fn find(&mut self, mut begin: u64, end: u64, is_one: fn(&[u8]) -> bool) -> Result<Option<u64>> {
        const STEP: u64 = 1 << 16;
        let end = end.min(self.length);
        while end > begin {
            let count = (end - begin).min(STEP);
            let bytes = self.at(begin, usize::try_from(count).unwrap_or_default())?;
            if let Some(at) = (0..bytes.len()).find(|&at| bytes[at] == b'P' && is_one(&bytes[at..])) {
                return Ok(Some(begin + at as u64));
            }
            // A header may lie across the border.
            begin += if begin + count < end { count - LOCAL_BYTES as u64 + 1 } else { count };
        }
        Ok(None)
    }
}

/// Whether a local header begins here, and not just its signature among other bytes.
fn is_local_header(bytes: &[u8]) -> bool {
    /// The latest version of the format, 6.3.
    const VERSION: u16 = 63;
    /// The method with the largest number, encryption by AES.
    const METHOD: u16 = 99;
    let mut fields = Fields::new(bytes);
    let signature = fields.bytes(4);
    let (version, _flags, method) = (fields.u16(), fields.u16(), fields.u16());
    let _rest = fields.bytes(LOCAL_BYTES - 10);
    !fields.is_short && signature == LOCAL && version <= VERSION && method <= METHOD
}

impl Entry {
    /// The entry at the beginning of `bytes`, and what comes after it.
    pub(crate) fn parse(bytes: &[u8], prefix: u64) -> Option<(Self, &[u8])> {
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
        let comment = fields.bytes(comment_bytes.into());
        if fields.is_short || signature != ENTRY {
            return None;
        }
        read_zip64(extra, [&mut size, &mut compressed, &mut offset])?;
        let blocks: Box<[u8]> = if method == DEFLATED { Blocks::find(extra).into() } else { Box::default() };
        let decoded = decode_name(name, flags);
        let raw_name = (decoded.as_bytes() != name).then(|| name.into());
        let rare = (raw_name.is_some() || !blocks.is_empty()).then(|| Box::new(Rare { raw_name, blocks }));
        let entry = Self {
            name: decoded.into(),
            method,
            is_encrypted: flags & ENCRYPTED != 0,
            has_end_mark: flags & END_MARK != 0,
            has_extra: !comment.is_empty() || has_other_field(extra, &REMADE),
            claim: Claim { crc, size, compressed },
            offset: offset.checked_add(prefix)?,
            room: 0,
            rare,
        };
        Some((entry, fields.rest))
    }

    /// The key of the member: its name without one `.npy` at its end.
    pub(crate) fn key(&self) -> &str {
        self.name.strip_suffix(".npy").unwrap_or(&self.name)
    }

    /// The name as stored in the archive.
    pub(crate) fn raw_name(&self) -> &[u8] {
        let raw = self.rare.as_ref().and_then(|rare| rare.raw_name.as_deref());
        raw.unwrap_or(self.name.as_bytes())
    }

    /// What the directory says of its blocks, which has not been looked at.
    pub(crate) fn blocks(&self) -> &[u8] {
        self.rare.as_ref().map_or(&[], |rare| &rare.blocks)
    }

    /// Reads the member's local header, and leaves `reader` at its data, whose place it gives.
    pub(crate) fn seek_to_data(&self, reader: &mut dyn ReadSeek) -> Result<u64> {
        let mut header = read_at(reader, self.offset, self.front(USUAL_EXTRA))?;
        let bytes = self.local_bytes(&header)?;
        if header.len() < bytes {
            header = read_at(reader, self.offset, bytes as u64)?;
        }
        self.check_local(&header[..bytes])?;
        reader.seek(SeekFrom::Start(self.offset + bytes as u64)).map_err(cannot_read)
    }

    /// [`seek_to_data`](Self::seek_to_data) of an input, which keeps what was read of the data.
    pub(crate) fn begin_data<R: Read + Seek>(&self, input: &mut Input<R>) -> Result<u64> {
        let front = self.front(USUAL_DATA);
        let mut header = input.read_at(self.offset, front).map_err(cannot_read)?;
        let bytes = self.local_bytes(header)?;
        if header.len() < bytes {
            header = input.read_at(self.offset, bytes as u64).map_err(cannot_read)?;
        }
        self.check_local(&header[..bytes])?;
        input.skip_front(bytes);
        Ok(self.offset + bytes as u64)
    }

    /// How many bytes to read of the local header and what follows it. No more than belongs to the
    /// member, so that they are there.
    fn front(&self, behind: u64) -> u64 {
        self.room.min((LOCAL_BYTES + self.raw_name().len()) as u64 + behind)
    }

    /// The length of the local header that begins with these bytes.
    fn local_bytes(&self, header: &[u8]) -> Result<usize> {
        let extra_bytes = Fields::new(header.get(LOCAL_BYTES - 2..).unwrap_or_default()).u16();
        let needed = LOCAL_BYTES + self.raw_name().len() + usize::from(extra_bytes);
        if self.room.checked_sub(self.claim.compressed).is_none_or(|room| room < needed as u64) {
            return Err(overlap());
        }
        Ok(needed)
    }

    /// Compares the local header with the directory.
    fn check_local(&self, header: &[u8]) -> Result<()> {
        let other = || archive(format!("the local header at byte {} differs from the central directory", self.offset));
        let mut fields = Fields::new(header);
        let signature = fields.bytes(4);
        let _version = fields.bytes(2);
        let (flags, method) = (fields.u16(), fields.u16());
        let _time = fields.bytes(4);
        let crc = fields.u32();
        let (mut compressed, mut size) = (fields.number::<4>(), fields.number::<4>());
        let (name_bytes, extra_bytes) = (fields.u16(), fields.u16());
        let name = fields.bytes(name_bytes.into());
        let extra = fields.bytes(extra_bytes.into());
        if fields.is_short || signature != LOCAL || method != self.method || name != self.raw_name() {
            return Err(other());
        }
        read_zip64(extra, [&mut size, &mut compressed]).ok_or_else(other)?;
        // Forward-only readers trust it alone, so it must agree.
        if flags & DESCRIPTOR == 0 && (Claim { crc, size, compressed }) != self.claim {
            return Err(other());
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests;

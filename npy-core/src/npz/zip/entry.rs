//! Entries of the central directory (APPNOTE 4.3.12).

use std::io::SeekFrom;

use super::ReadSeek;
use super::local_header::LocalHeader;
use super::problem::{archive, cannot_read, overlap};
use super::records::{Claim, ENCRYPTED, END_MARK, ENTRY, Fields, LOCAL_BYTES, ZIP64, decode_name, extra_fields, read_zip64};
use super::window::read_at;
use crate::error::Result;

/// Extra fields that every writer creates anew, or that hold no more than a date: 64-bit sizes,
/// alignment, times, and owners on Unix.
const REMADE: [u16; 4] = [ZIP64, 0xd935, 0x5455, 0x7875];

/// Extra fields of a usual local header at most: NumPy writes 20 bytes, and alignment takes up to 70
/// more.
pub(crate) const USUAL_EXTRA: u64 = 96;

/// A member, as the central directory describes it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its full name, `.npy` included.
    pub(crate) name: Box<str>,
    pub(crate) method: u16,
    pub(crate) is_encrypted: bool,
    /// Whether an end mark terminates LZMA data.
    pub(crate) has_end_mark: bool,
    pub(crate) has_comment: bool,
    pub(crate) claim: Claim,
    /// The offset of its local header in the file.
    pub(crate) offset: u64,
    /// Bytes from there to the next member, or to the directory.
    pub(super) room: u64,
    /// Boxed, because few of perhaps a hundred thousand entries have it.
    rare: Option<Box<Rare>>,
}

/// The fields of few entries.
#[derive(Clone, Debug)]
struct Rare {
    /// The stored name, if its bytes differ from those of the decoded one.
    raw_name: Option<Box<[u8]>>,
    extra: Box<[u8]>,
}

impl Entry {
    /// Parses the entry at the beginning of `bytes`. Returns it with the remaining bytes.
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
        let _comment = fields.bytes(comment_bytes.into());
        if fields.is_short || signature != ENTRY {
            return None;
        }
        read_zip64(extra, [&mut size, &mut compressed, &mut offset])?;
        let decoded = decode_name(name, flags);
        let raw_name = (decoded.as_bytes() != name).then(|| name.into());
        let extra = unusual_fields(extra);
        let rare = (raw_name.is_some() || !extra.is_empty()).then(|| Box::new(Rare { raw_name, extra: extra.into() }));
        let entry = Self {
            name: decoded.into(),
            method,
            is_encrypted: flags & ENCRYPTED != 0,
            has_end_mark: flags & END_MARK != 0,
            has_comment: comment_bytes > 0,
            claim: Claim { crc, size, compressed },
            offset: offset.checked_add(prefix)?,
            room: 0,
            rare,
        };
        Some((entry, fields.rest))
    }

    /// The key of the member: its name without one trailing `.npy`.
    pub(crate) fn key(&self) -> &str {
        self.name.strip_suffix(".npy").unwrap_or(&self.name)
    }

    /// The name as stored in the archive.
    pub(crate) fn raw_name(&self) -> &[u8] {
        let raw = self.rare.as_ref().and_then(|rare| rare.raw_name.as_deref());
        raw.unwrap_or(self.name.as_bytes())
    }

    /// The extra fields that a writer of zip archives does not create anew.
    pub(crate) fn extra(&self) -> &[u8] {
        self.rare.as_ref().map_or(&[], |rare| &rare.extra)
    }

    /// Checks the local header, and seeks `reader` to the data. Returns their offset.
    pub(crate) fn seek_to_data(&self, reader: &mut dyn ReadSeek) -> Result<u64> {
        let mut count = self.front_bytes(USUAL_EXTRA);
        let bytes = loop {
            let header = read_at(reader, self.offset, count)?;
            count = self.check_local_header(&header)?;
            if count <= header.len() as u64 {
                break count;
            }
        };
        reader.seek(SeekFrom::Start(self.offset + bytes)).map_err(cannot_read)
    }

    /// The size of a first read of the local header and `more` bytes, within the member.
    pub(crate) fn front_bytes(&self, more: u64) -> u64 {
        self.room.min((LOCAL_BYTES + self.raw_name().len()) as u64 + more)
    }

    /// Compares the local header at the beginning of `bytes` with this entry. Returns its length. If
    /// `bytes` are fewer, only the length is checked.
    pub(crate) fn check_local_header(&self, bytes: &[u8]) -> Result<u64> {
        let extra_bytes = Fields::new(bytes.get(LOCAL_BYTES - 2..).unwrap_or_default()).u16();
        let needed = (LOCAL_BYTES + self.raw_name().len()) as u64 + u64::from(extra_bytes);
        if self.room.checked_sub(self.claim.compressed).is_none_or(|room| room < needed) {
            return Err(overlap());
        }
        if needed <= bytes.len() as u64 && !self.is_described_by(bytes) {
            return Err(archive(format!("the local header at byte {} differs from the central directory", self.offset)));
        }
        Ok(needed)
    }

    fn is_described_by(&self, bytes: &[u8]) -> bool {
        let Some(mut header) = LocalHeader::parse(bytes) else { return false };
        // Forward-only readers trust it alone, so it must agree.
        header.read_text(&bytes[LOCAL_BYTES..]) == Some(self.raw_name())
            && header.method == self.method
            && header.claim().is_none_or(|claim| claim == self.claim)
    }
}

/// The extra fields that are not in [`REMADE`].
fn unusual_fields(extra: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    for (id, field) in extra_fields(extra).filter(|(id, _)| !REMADE.contains(id)) {
        // The length of a truncated field is 0, like all lengths no more than 16 bits.
        let length = u16::try_from(field.len()).unwrap_or_default();
        kept.extend(id.to_le_bytes().into_iter().chain(length.to_le_bytes()));
        kept.extend(field);
    }
    kept
}

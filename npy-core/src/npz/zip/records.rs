//! The fields of zip records (APPNOTE 4.3).

use super::cp437;

pub(crate) const END: &[u8; 4] = b"PK\x05\x06";
pub(crate) const END64_LOCATOR: &[u8; 4] = b"PK\x06\x07";
pub(crate) const END64: &[u8; 4] = b"PK\x06\x06";
pub(crate) const ENTRY: &[u8; 4] = b"PK\x01\x02";
pub(crate) const LOCAL: &[u8; 4] = b"PK\x03\x04";
pub(crate) const DESCRIPTOR_SIGNATURE: &[u8; 4] = b"PK\x07\x08";

/// Bytes of a local header without its name and extra fields.
pub(crate) const LOCAL_BYTES: usize = 30;
/// Bytes of an entry of the central directory without its name, extra fields and comment.
pub(crate) const ENTRY_BYTES: usize = 46;
/// Bytes of the end record without its comment.
pub(crate) const END_BYTES: usize = 22;
pub(crate) const END64_LOCATOR_BYTES: usize = 20;
pub(crate) const END64_BYTES: usize = 56;

/// Stands for a number whose 64-bit value is in the zip64 extra field.
pub(crate) const IN_ZIP64: u64 = 0xffff_ffff;
pub(crate) const ZIP64: u16 = 1;

/// Compression methods (APPNOTE 4.4.5).
pub(crate) const STORED: u16 = 0;
pub(crate) const DEFLATED: u16 = 8;

/// Flag bits: the data are encrypted; an end mark terminates LZMA data; a data descriptor follows
/// the data; the name is UTF-8.
pub(crate) const ENCRYPTED: u16 = 1;
pub(crate) const END_MARK: u16 = 1 << 1;
pub(crate) const DESCRIPTOR: u16 = 1 << 3;
pub(crate) const UTF8: u16 = 1 << 11;

/// The checksum and sizes that an archive states for a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) crc: u32,
    /// Bytes of the content.
    pub(crate) size: u64,
    /// Bytes in the archive.
    pub(crate) compressed: u64,
}

/// Returns whether a name holds a local header: its entry in the central directory would then look
/// like a member that the directory does not list.
pub(crate) fn holds_local_header(name: &[u8]) -> bool {
    name.windows(LOCAL.len()).any(|bytes| bytes == LOCAL)
}

/// A cursor over the little-endian fields of a record. After the end every field is 0, and
/// `is_short` is set.
pub(crate) struct Fields<'a> {
    pub(crate) rest: &'a [u8],
    pub(crate) is_short: bool,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest, is_short: false }
    }

    #[inline]
    pub(crate) fn bytes(&mut self, count: usize) -> &'a [u8] {
        match self.rest.split_at_checked(count) {
            Some((bytes, rest)) => {
                self.rest = rest;
                bytes
            }
            None => {
                self.is_short = true;
                &[]
            }
        }
    }

    pub(crate) fn number<const N: usize>(&mut self) -> u64 {
        self.bytes(N).iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    pub(crate) fn u16(&mut self) -> u16 {
        // Two bytes.
        u16::try_from(self.number::<2>()).unwrap_or_default()
    }

    pub(crate) fn u32(&mut self) -> u32 {
        // Four bytes.
        u32::try_from(self.number::<4>()).unwrap_or_default()
    }
}

/// The end record, or the zip64 record before it.
#[derive(Clone, Copy)]
pub(crate) struct EndRecord {
    /// Whether the archive is split into several parts.
    pub(crate) is_split: bool,
    /// The number of entries of the central directory.
    pub(crate) entries: u64,
    /// The size and the offset of the central directory.
    pub(crate) bytes: u64,
    pub(crate) offset: u64,
    pub(crate) comment_bytes: usize,
}

impl EndRecord {
    /// Parses the end record at the beginning of `bytes`. `None` if there is none.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        let signature = fields.bytes(4);
        let (disk, directory_disk, _, entries) = (fields.u16(), fields.u16(), fields.u16(), fields.u16().into());
        let (bytes, offset, comment_bytes) = (fields.number::<4>(), fields.number::<4>(), fields.u16().into());
        let is_split = (disk, directory_disk) != (0, 0);
        (!fields.is_short && signature == END).then_some(Self { is_split, entries, bytes, offset, comment_bytes })
    }

    /// Takes the numbers of the zip64 record at the beginning of `bytes`. `None` if there is none.
    pub(crate) fn with_zip64(self, bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        let signature = fields.bytes(4);
        let _size_versions_disks_and_entries_of_the_disk = fields.bytes(28);
        let (entries, bytes, offset) = (fields.number::<8>(), fields.number::<8>(), fields.number::<8>());
        (!fields.is_short && signature == END64).then_some(Self { is_split: false, entries, bytes, offset, ..self })
    }
}

/// Replaces the numbers that do not fit 32 bits by those of the zip64 extra field. Returns whether
/// there is such a field; `None` if it is truncated.
#[inline]
pub(crate) fn read_zip64<const N: usize>(extra: &[u8], numbers: [&mut u64; N]) -> Option<bool> {
    // Without the field, a number is 4 GiB less one byte.
    let Some(field) = find_field(extra, ZIP64) else { return Some(false) };
    let mut zip64 = Fields::new(field);
    for number in numbers {
        if *number == IN_ZIP64 {
            *number = zip64.number::<8>();
        }
    }
    (!zip64.is_short).then_some(true)
}

/// Finds the first extra field with an identifier; it is empty if it is truncated.
pub(crate) fn find_field(extra: &[u8], identifier: u16) -> Option<&[u8]> {
    extra_fields(extra).find(|(id, _)| *id == identifier).map(|(_, field)| field)
}

/// Returns the identifiers and the data of extra fields.
pub(crate) fn extra_fields(extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut fields = Fields::new(extra);
    std::iter::from_fn(move || {
        if fields.rest.len() < 4 {
            return None;
        }
        let (id, length) = (fields.u16(), fields.u16());
        Some((id, fields.bytes(length.into())))
    })
}

pub(crate) fn decode_name(name: &[u8], flags: u16) -> String {
    if flags & UTF8 != 0 { String::from_utf8_lossy(name).into_owned() } else { cp437::decode(name) }
}

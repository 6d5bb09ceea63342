//! The fields of zip records (APPNOTE 4.3).

use super::cp437;

pub(crate) const END: &[u8; 4] = b"PK\x05\x06";
pub(crate) const END64_LOCATOR: &[u8; 4] = b"PK\x06\x07";
pub(crate) const END64: &[u8; 4] = b"PK\x06\x06";
pub(crate) const ENTRY: &[u8; 4] = b"PK\x01\x02";
pub(crate) const LOCAL: &[u8; 4] = b"PK\x03\x04";
pub(crate) const DESCRIPTOR_SIGNATURE: &[u8; 4] = b"PK\x07\x08";

/// Bytes of the header before the data of a member, without name and extra fields.
pub(crate) const LOCAL_BYTES: usize = 30;

/// What a 32-bit number says of which the zip64 extra field has the 64-bit one.
pub(crate) const IN_ZIP64: u64 = 0xffff_ffff;
pub(crate) const ZIP64: u16 = 1;

/// Flag bits: the data are encrypted; LZMA data end with a mark; a descriptor with checksum and
/// sizes follows the data; the name is UTF-8.
pub(crate) const ENCRYPTED: u16 = 1;
pub(crate) const END_MARK: u16 = 1 << 1;
pub(crate) const DESCRIPTOR: u16 = 1 << 3;
pub(crate) const UTF8: u16 = 1 << 11;

/// What is said of a content before or behind its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) crc: u32,
    /// Bytes of the content.
    pub(crate) size: u64,
    /// Bytes in the archive.
    pub(crate) compressed: u64,
}

/// Whether the name holds a local header: its entry in the central directory would then look like a
/// member that the directory does not list.
pub(crate) fn holds_local_header(name: &[u8]) -> bool {
    name.windows(LOCAL.len()).any(|bytes| bytes == LOCAL)
}

/// A cursor over the fields of a record, little-endian. After the end everything is 0, and
/// `is_short`.
pub(crate) struct Fields<'a> {
    pub(crate) rest: &'a [u8],
    pub(crate) is_short: bool,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest, is_short: false }
    }

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

/// Reads those of the numbers that do not fit 32 bits, which stand among the extra fields; tells
/// whether such a field is there.
pub(crate) fn read_zip64<const N: usize>(extra: &[u8], numbers: [&mut u64; N]) -> Option<bool> {
    // Of exactly 4 GiB less one byte, and no field: so it is.
    let Some(field) = find_field(extra, ZIP64) else { return Some(false) };
    let mut zip64 = Fields::new(field);
    for number in numbers {
        if *number == IN_ZIP64 {
            *number = zip64.number::<8>();
        }
    }
    (!zip64.is_short).then_some(true)
}

/// The first of the extra fields that has this identifier; empty if it is cut off.
pub(crate) fn find_field(extra: &[u8], identifier: u16) -> Option<&[u8]> {
    extra_fields(extra).find(|(id, _)| *id == identifier).map(|(_, field)| field)
}

/// Whether there are extra fields that have none of these identifiers.
pub(crate) fn has_other_field(extra: &[u8], identifiers: &[u16]) -> bool {
    extra_fields(extra).any(|(id, _)| !identifiers.contains(&id))
}

/// The identifiers of the extra fields, and what they hold.
fn extra_fields(extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
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

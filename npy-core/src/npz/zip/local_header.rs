//! Local headers, and their forward reader.

use std::io::{self, Read};

use super::problem::{archive, cannot_read, no_end};
use super::records::{
    Claim, DESCRIPTOR, DESCRIPTOR_SIGNATURE, ENCRYPTED, END, END_MARK, END64, END64_LOCATOR, ENTRY, Fields, LOCAL, LOCAL_BYTES,
    decode_name, read_zip64,
};
use crate::error::{Error, Result};

/// The header before the data of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalHeader {
    pub(crate) flags: u16,
    pub(crate) method: u16,
    /// Without a meaning if a data descriptor follows the data.
    claim: Claim,
    name_bytes: usize,
    extra_bytes: usize,
    /// Whether the sizes of the data descriptor have 64 bits.
    is_wide: bool,
}

/// The record that a forward reader meets.
pub(crate) enum Record {
    /// A member, with its full name.
    Member(LocalHeader, String),
    /// The end of the archive.
    End,
    /// Another signature.
    Unknown([u8; 4]),
}

impl LocalHeader {
    /// Parses the fields before the name. `None` if they are truncated or lack the signature.
    #[inline]
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::new(bytes);
        let signature = fields.bytes(4);
        let _version = fields.bytes(2);
        let (flags, method) = (fields.u16(), fields.u16());
        let _time = fields.bytes(4);
        let crc = fields.u32();
        let (compressed, size) = (fields.number::<4>(), fields.number::<4>());
        let (name_bytes, extra_bytes) = (fields.u16().into(), fields.u16().into());
        let claim = Claim { crc, size, compressed };
        (!fields.is_short && signature == LOCAL).then_some(Self { flags, method, claim, name_bytes, extra_bytes, is_wide: false })
    }

    /// The length of the name and the extra fields, at most 128 KiB.
    pub(crate) fn text_bytes(&self) -> usize {
        self.name_bytes + self.extra_bytes
    }

    /// Takes the 64-bit sizes from the extra fields in `text`, and returns the name before them.
    ///
    /// `None` if `text` is truncated or the sizes are.
    #[inline]
    pub(crate) fn read_text<'t>(&mut self, text: &'t [u8]) -> Option<&'t [u8]> {
        let (name, extra) = text.get(..self.text_bytes())?.split_at(self.name_bytes);
        self.is_wide = read_zip64(extra, [&mut self.claim.size, &mut self.claim.compressed])?;
        Some(name)
    }

    /// The checksum and the sizes; `None` if they follow the data.
    pub(crate) fn claim(&self) -> Option<Claim> {
        (self.flags & DESCRIPTOR == 0).then_some(self.claim)
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.flags & ENCRYPTED != 0
    }

    /// Whether an end mark terminates LZMA data.
    pub(crate) fn has_end_mark(&self) -> bool {
        self.flags & END_MARK != 0
    }

    /// Reads the header that begins here. Skips central directories, because members may follow.
    pub(crate) fn read(reader: &mut dyn Read) -> Result<Record> {
        let mut bytes = [0; LOCAL_BYTES];
        let (signature, rest) = bytes.split_at_mut(4);
        read_exact(reader, signature)?;
        loop {
            match signature.first_chunk().unwrap_or(&[0; 4]) {
                LOCAL => break,
                ENTRY => skip_record(reader, 42, &[24, 26, 28])?,
                END64_LOCATOR => skip_record(reader, 16, &[])?,
                END64 => {
                    let mut bytes = [0; 8];
                    read_exact(reader, &mut bytes)?;
                    skip_bytes(reader, u64::from_le_bytes(bytes))?;
                }
                END => {
                    skip_record(reader, 18, &[16])?;
                    // The bytes after an archive need not be another one.
                    match reader.read_exact(signature) {
                        Ok(()) if signature == LOCAL => break,
                        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(cannot_read(error)),
                        _ => return Ok(Record::End),
                    }
                }
                unknown => return Ok(Record::Unknown(*unknown)),
            }
            read_exact(reader, signature)?;
        }
        read_exact(reader, rest)?;
        let invalid = || archive("invalid local header");
        let mut header = Self::parse(&bytes).ok_or_else(invalid)?;
        let mut text = vec![0; header.text_bytes()];
        read_exact(reader, &mut text)?;
        let name = header.read_text(&text).ok_or_else(invalid)?;
        Ok(Record::Member(header, decode_name(name, header.flags)))
    }

    /// Reads the data descriptor.
    pub(crate) fn read_descriptor(&self, reader: &mut dyn Read) -> Result<Claim> {
        let mut number = |bytes: usize| {
            let mut number = [0; 8];
            read_exact(reader, &mut number[..bytes])?;
            Ok::<u64, Error>(u64::from_le_bytes(number))
        };
        let mut crc = number(4)?;
        // Some writers omit the signature.
        if crc == u64::from(u32::from_le_bytes(*DESCRIPTOR_SIGNATURE)) {
            crc = number(4)?;
        }
        let width = if self.is_wide { 8 } else { 4 };
        let (compressed, size) = (number(width)?, number(width)?);
        Ok(Claim { crc: u32::try_from(crc).unwrap_or_default(), size, compressed })
    }
}

/// Skips a record of `bytes` bytes and its text, whose lengths are at these offsets of the record.
fn skip_record(reader: &mut dyn Read, bytes: usize, lengths: &[usize]) -> Result<()> {
    let mut record = [0; 42];
    let record = &mut record[..bytes];
    read_exact(reader, record)?;
    let length = |at: &usize| u64::from(Fields::new(&record[*at..]).u16());
    skip_bytes(reader, lengths.iter().map(length).sum())
}

/// Skips `bytes` bytes.
pub(crate) fn skip_bytes(reader: &mut dyn Read, bytes: u64) -> Result<()> {
    let skipped = io::copy(&mut reader.take(bytes), &mut io::sink()).map_err(cannot_read)?;
    if skipped < bytes { Err(no_end()) } else { Ok(()) }
}

fn read_exact(reader: &mut dyn Read, bytes: &mut [u8]) -> Result<()> {
    reader.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => no_end(),
        _ => cannot_read(error),
    })
}

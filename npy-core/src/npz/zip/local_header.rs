//! Local file headers, for forward-only readers.

use std::io::{self, Read};

use super::problem::{archive, cannot_read, no_end, not_zip};
use super::records::{
    Claim, DESCRIPTOR, DESCRIPTOR_SIGNATURE, ENCRYPTED, END, END_MARK, END64, END64_LOCATOR, ENTRY, Fields, LOCAL, LOCAL_BYTES,
    decode_name, read_zip64,
};
use crate::error::{Error, Result};

/// The header before the data of a member, for those that read an archive forward only.
#[derive(Clone, Debug)]
pub(crate) struct LocalHeader {
    name: String,
    pub(crate) method: u16,
    pub(crate) is_encrypted: bool,
    /// Whether LZMA data say themselves where they end.
    pub(crate) has_end_mark: bool,
    /// `None` if it follows the data.
    pub(crate) claim: Option<Claim>,
    /// Whether the sizes behind the data have 64 bits.
    is_wide: bool,
}

impl LocalHeader {
    /// Reads the header that begins here; `None` at the end of the archive. Skips central
    /// directories, because members may have been appended after them.
    pub(crate) fn read(reader: &mut dyn Read) -> Result<Option<Self>> {
        let mut signature = [0; 4];
        read_exact(reader, &mut signature)?;
        loop {
            match &signature {
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
                    // What comes after an archive need not be one.
                    match reader.read_exact(&mut signature) {
                        Ok(()) if &signature == LOCAL => break,
                        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(cannot_read(error)),
                        _ => return Ok(None),
                    }
                }
                found => return Err(not_zip(found)),
            }
            read_exact(reader, &mut signature)?;
        }
        let mut header = [0; LOCAL_BYTES - 4];
        read_exact(reader, &mut header)?;
        let mut fields = Fields::new(&header);
        let _version = fields.bytes(2);
        let (flags, method) = (fields.u16(), fields.u16());
        let _time = fields.bytes(4);
        let crc = fields.u32();
        let (mut compressed, mut size) = (fields.number::<4>(), fields.number::<4>());
        let (name_bytes, extra_bytes) = (fields.u16(), fields.u16());
        // At most 128 KiB.
        let mut text = vec![0; usize::from(name_bytes) + usize::from(extra_bytes)];
        read_exact(reader, &mut text)?;
        let (name, extra) = text.split_at(name_bytes.into());
        let is_wide = read_zip64(extra, [&mut size, &mut compressed]).ok_or_else(|| archive("invalid local header"))?;
        let claim = (flags & DESCRIPTOR == 0).then_some(Claim { crc, size, compressed });
        let (is_encrypted, has_end_mark) = (flags & ENCRYPTED != 0, flags & END_MARK != 0);
        Ok(Some(Self { name: decode_name(name, flags), method, is_encrypted, has_end_mark, claim, is_wide }))
    }

    /// The key of the member: its name without one `.npy` at its end.
    pub(crate) fn key(&self) -> &str {
        self.name.strip_suffix(".npy").unwrap_or(&self.name)
    }

    /// The fields that follow the data.
    pub(crate) fn read_descriptor(&self, reader: &mut dyn Read) -> Result<Claim> {
        let mut number = |bytes: usize| {
            let mut number = [0; 8];
            read_exact(reader, &mut number[..bytes])?;
            Ok::<u64, Error>(u64::from_le_bytes(number))
        };
        let mut crc = number(4)?;
        // Some writers leave the signature out.
        if crc == u64::from(u32::from_le_bytes(*DESCRIPTOR_SIGNATURE)) {
            crc = number(4)?;
        }
        let width = if self.is_wide { 8 } else { 4 };
        let (compressed, size) = (number(width)?, number(width)?);
        Ok(Claim { crc: u32::try_from(crc).unwrap_or_default(), size, compressed })
    }
}

/// Skips a record of `bytes` bytes and what follows it, whose lengths are at these places of the
/// record.
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

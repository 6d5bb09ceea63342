//! The header before the data of a member, for those that read an archive forward only.

use std::io::Read;

use super::fields::{
    Claim, DESCRIPTOR, DESCRIPTOR_SIGNATURE, ENCRYPTED, END, END_MARK, END64, ENTRY, Fields, LOCAL, LOCAL_BYTES, decode_name,
    read_zip64,
};
use super::problem::{archive, cannot_read};
use crate::error::{ArchiveProblem, Error, Result};

/// The header before the data of a member, for those that read an archive forward only.
#[derive(Clone, Debug)]
pub(super) struct LocalHeader {
    name: String,
    pub(super) method: u16,
    pub(super) is_encrypted: bool,
    /// Whether LZMA data say themselves where they end.
    pub(super) has_end_mark: bool,
    /// `None` where it stands behind the data.
    pub(super) claim: Option<Claim>,
    /// Whether the sizes behind the data have 64 bits.
    is_wide: bool,
}

impl LocalHeader {
    /// The header that begins here; `None` at the end of the members.
    pub(super) fn read(reader: &mut impl Read) -> Result<Option<Self>> {
        let mut signature = [0; 4];
        reader.read_exact(&mut signature).map_err(cannot_read)?;
        match &signature {
            LOCAL => {}
            ENTRY | END | END64 => return Ok(None),
            found => return Err(archive(ArchiveProblem::NotZip { found: found.to_vec() })),
        }
        let mut header = [0; LOCAL_BYTES - 4];
        reader.read_exact(&mut header).map_err(cannot_read)?;
        let mut fields = Fields::new(&header);
        let _version = fields.bytes(2);
        let (flags, method) = (fields.u16(), fields.u16());
        let _time = fields.bytes(4);
        let crc = fields.u32();
        let (mut compressed, mut size) = (fields.number::<4>(), fields.number::<4>());
        let (name_bytes, extra_bytes) = (fields.u16(), fields.u16());
        // At most 128 KiB.
        let mut text = vec![0; usize::from(name_bytes) + usize::from(extra_bytes)];
        reader.read_exact(&mut text).map_err(cannot_read)?;
        let (name, extra) = text.split_at(name_bytes.into());
        let is_wide =
            read_zip64(extra, [&mut size, &mut compressed]).ok_or_else(|| archive(ArchiveProblem::LocalHeader { offset: 0 }))?;
        let claim = (flags & DESCRIPTOR == 0).then_some(Claim { crc, size, compressed });
        let (is_encrypted, has_end_mark) = (flags & ENCRYPTED != 0, flags & END_MARK != 0);
        Ok(Some(Self { name: decode_name(name, flags), method, is_encrypted, has_end_mark, claim, is_wide }))
    }

    /// The key of the member: its name without one `.npy` at its end.
    pub(super) fn key(&self) -> &str {
        self.name.strip_suffix(".npy").unwrap_or(&self.name)
    }

    /// What stands behind the data.
    pub(super) fn read_descriptor(&self, reader: &mut impl Read) -> Result<Claim> {
        let mut number = |bytes: usize| {
            let mut number = [0; 8];
            reader.read_exact(&mut number[..bytes]).map_err(cannot_read)?;
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

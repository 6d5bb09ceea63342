//! Writes local headers, data descriptors and the central directory as Python's `zipfile` does.

use super::records::{Claim, DESCRIPTOR_SIGNATURE, END, END64, END64_LOCATOR, ENTRY, IN_ZIP64, LOCAL, LOCAL_BYTES};

/// The version of the format with 64-bit sizes; made on Unix.
const VERSION: u16 = 45;
const MADE_BY: u16 = 3 << 8 | VERSION;

/// Midnight of 1980-01-01, NumPy's date of all members.
const DATE: u16 = 0x21;

/// Readable and writable by the owner.
const ATTRIBUTES: u32 = 0o600 << 16;

/// `zipfile` puts every number beyond 31 bits into the zip64 field.
const ZIP64_LIMIT: u64 = i32::MAX as u64;
const MOST_MEMBERS: u64 = u16::MAX as u64;

/// The alignment of members that can be viewed in place, and of the data in an `.npy` file.
const ALIGNMENT: u64 = 64;

/// The header fields of a member.
#[derive(Clone, Default)]
pub(crate) struct Local {
    pub(crate) name: Vec<u8>,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) claim: Claim,
    /// The offset of its local header.
    pub(crate) offset: u64,
    /// An extra field of the local header that is padding.
    pub(crate) padding: Vec<u8>,
    /// An extra field of the directory that locates blocks.
    pub(crate) blocks: Vec<u8>,
}

/// Identifier, length, and the two sizes.
const ZIP64_FIELD_BYTES: usize = 20;

impl Local {
    /// Encodes the local header, whose sizes are always in the zip64 field, as NumPy's are.
    pub(crate) fn header(&self) -> Vec<u8> {
        let mut bytes = LOCAL.to_vec();
        for number in [VERSION, self.flags, self.method, 0, DATE] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.claim.crc.to_le_bytes());
        bytes.extend([0xff; 8]);
        bytes.extend(self.name_bytes());
        let field = zip64_field(&[self.claim.size, self.claim.compressed]);
        // At most 20 bytes, and a padding of 69.
        bytes.extend([u8::try_from(field.len() + self.padding.len()).unwrap_or_default(), 0]);
        bytes.extend(&self.name);
        bytes.extend(field);
        bytes.extend(&self.padding);
        bytes
    }

    /// Encodes the data descriptor.
    pub(crate) fn descriptor(&self) -> Vec<u8> {
        let mut bytes = DESCRIPTOR_SIGNATURE.to_vec();
        bytes.extend(self.claim.crc.to_le_bytes());
        bytes.extend(self.claim.compressed.to_le_bytes());
        bytes.extend(self.claim.size.to_le_bytes());
        bytes
    }

    /// Appends the member's entry in the directory.
    pub(crate) fn push_entry(&self, out: &mut Vec<u8>) {
        let mut wide = Vec::new();
        let Claim { mut compressed, mut size, .. } = self.claim;
        if size > ZIP64_LIMIT || compressed > ZIP64_LIMIT {
            wide.extend([size, compressed]);
            (compressed, size) = (IN_ZIP64, IN_ZIP64);
        }
        let mut offset = self.offset;
        if offset > ZIP64_LIMIT {
            wide.push(offset);
            offset = IN_ZIP64;
        }
        let mut extra = if wide.is_empty() { Vec::new() } else { zip64_field(&wide) };
        extra.extend(&self.blocks);
        out.extend(ENTRY);
        for number in [MADE_BY, VERSION, self.flags, self.method, 0, DATE] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.claim.crc.to_le_bytes());
        out.extend(low_half(compressed));
        out.extend(low_half(size));
        out.extend(self.name_bytes());
        // At most 28 bytes, and the blocks, which leave space for them.
        out.extend(u16::try_from(extra.len()).unwrap_or_default().to_le_bytes());
        // No comment, the first disk, no internal attributes.
        out.extend([0; 6]);
        out.extend(ATTRIBUTES.to_le_bytes());
        out.extend(low_half(offset));
        out.extend(&self.name);
        out.extend(extra);
    }

    /// Encodes the length of the name, which was checked.
    fn name_bytes(&self) -> [u8; 2] {
        u16::try_from(self.name.len()).unwrap_or_default().to_le_bytes()
    }
}

/// Creates the extra field that aligns data to 64 bytes, for a local header at `begin`.
///
/// It has the form of Android's `zipalign`: identifier, length, alignment, zeros.
pub(crate) fn padding_field(begin: u64, name: &[u8]) -> Vec<u8> {
    const HEAD: usize = 6;
    let end = begin + (LOCAL_BYTES + name.len() + ZIP64_FIELD_BYTES + HEAD) as u64;
    // Less than the alignment.
    let zeros = usize::try_from(end.next_multiple_of(ALIGNMENT) - end).unwrap_or_default();
    let mut bytes = vec![0x35, 0xd9, u8::try_from(2 + zeros).unwrap_or_default(), 0];
    bytes.extend(u16::try_from(ALIGNMENT).unwrap_or_default().to_le_bytes());
    bytes.resize(bytes.len() + zeros, 0);
    bytes
}

/// Creates the zip64 extra field.
fn zip64_field(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = vec![1, 0, u8::try_from(8 * numbers.len()).unwrap_or_default(), 0];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

/// Encodes a number of 32 bits.
fn low_half(number: u64) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

/// Appends the end records to the entries in `out`, which begin at `offset` of the archive.
pub(crate) fn push_end(out: &mut Vec<u8>, members: u64, offset: u64, comment: &[u8]) {
    let size = out.len() as u64;
    if members > MOST_MEMBERS || offset > ZIP64_LIMIT || size > ZIP64_LIMIT {
        out.extend(END64);
        out.extend(44_u64.to_le_bytes());
        out.extend(VERSION.to_le_bytes());
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 8]);
        for number in [members, members, size, offset] {
            out.extend(number.to_le_bytes());
        }
        out.extend(END64_LOCATOR);
        out.extend([0; 4]);
        out.extend((offset + size).to_le_bytes());
        out.extend(1_u32.to_le_bytes());
    }
    let members = u16::try_from(members).unwrap_or(u16::MAX).to_le_bytes();
    out.extend(END);
    out.extend([0; 4]);
    out.extend(members);
    out.extend(members);
    out.extend(low_half(size));
    out.extend(low_half(offset));
    // Its length was read from 16 bits.
    out.extend(u16::try_from(comment.len()).unwrap_or_default().to_le_bytes());
    out.extend(comment);
}

#[cfg(test)]
mod tests {
    use super::super::entry::Entry;
    use super::*;

    /// Like `zipfile`, puts exactly the numbers beyond the limit into the zip64 field.
    #[test]
    fn numbers_beyond_31_bits_are_wide() {
        let numbers = [0, ZIP64_LIMIT, ZIP64_LIMIT + 1, u64::from(u32::MAX), 1 << 40];
        for size in numbers {
            for compressed in numbers {
                for offset in numbers {
                    let claim = Claim { crc: 7, size, compressed };
                    let mut bytes = Vec::new();
                    Local { name: b"x.npy".to_vec(), method: 8, claim, offset, ..Local::default() }.push_entry(&mut bytes);
                    let are_sizes_wide = size > ZIP64_LIMIT || compressed > ZIP64_LIMIT;
                    let wide = 2 * usize::from(are_sizes_wide) + usize::from(offset > ZIP64_LIMIT);
                    assert_eq!(bytes.len(), 46 + 5 + if wide > 0 { 4 + 8 * wide } else { 0 }, "{size} {compressed} {offset}");
                    let (entry, rest) = Entry::parse(&bytes, 0).unwrap();
                    assert!(rest.is_empty());
                    assert_eq!((entry.claim.size, entry.claim.compressed, entry.offset), (size, compressed, offset));
                }
            }
        }
    }

    #[test]
    fn ends_beyond_their_limits_are_wide() {
        for (members, offset, is_wide) in
            [(0, 0, false), (MOST_MEMBERS, ZIP64_LIMIT, false), (MOST_MEMBERS + 1, 0, true), (1, ZIP64_LIMIT + 1, true)]
        {
            let mut bytes = vec![0; 50];
            push_end(&mut bytes, members, offset, b"note");
            assert_eq!(bytes.len(), 50 + 22 + 4 + if is_wide { 56 + 20 } else { 0 }, "{members} {offset}");
            assert_eq!(bytes[50..].starts_with(END64), is_wide);
        }
    }
}

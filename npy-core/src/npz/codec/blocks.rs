//! Independent blocks of compressed data, and the extra field that locates them.
//!
//! A deflated member of more than one block has an extra field in its entry of the central
//! directory, which other readers ignore. All numbers are little-endian:
//!
//! | bytes | |
//! |---|---|
//! | 2 | identifier, the letters `np` |
//! | 2 | bytes of what follows |
//! | 1 | version of this layout, 1 |
//! | 1 | the logarithm to base 2 of the bytes of content in a block |
//! | 4 | bytes of content in the first block; the last has what is left |
//! | 4 each | bytes of each block in the archive; all together are the member |
//!
//! Blocks are independent: no match reaches into another one. Each but the last ends with an empty
//! stored block at a byte boundary. A reader checks that each block ends where the next begins, and has the stated
//! number of bytes.

use std::ops::Range;

use super::super::zip::entry::Entry;
use super::super::zip::records::{Claim, DEFLATED, Fields, find_field};

/// The identifier of the extra field.
pub(crate) const BLOCKS: u16 = u16::from_le_bytes(*b"np");
const VERSION: u8 = 1;

/// The logarithm of [`BLOCK_BYTES`].
const BLOCK_LOG: u8 = 20;
/// Bytes of content in a block. Their independence adds up to 0.35 % to the size.
pub(crate) const BLOCK_BYTES: usize = 1 << BLOCK_LOG;

/// The largest plausible blocks.
const MOST_LOG: u8 = 40;

/// The most blocks in a field, which share 64 KiB with other fields. More are merged.
const MOST_BLOCKS: usize = 15_000;

/// Creates the extra field of a member, which is empty for a single block.
///
/// `front` is the size of a shorter first block, in the content and in the archive, and `blocks` the
/// size of each other block in the archive.
pub(crate) fn blocks_field(front: Option<(u64, u64)>, blocks: &[u64]) -> Vec<u8> {
    if blocks.len() + usize::from(front.is_some()) < 2 {
        return Vec::new();
    }
    let (mut log, mut together) = (BLOCK_LOG, 1);
    while blocks.len().div_ceil(together) > MOST_BLOCKS {
        (log, together) = (log + 1, together * 2);
    }
    let first = front.map_or(1 << log, |(content, _)| content);
    let lengths = front.map(|(_, bytes)| bytes).into_iter().chain(blocks.chunks(together).map(|blocks| blocks.iter().sum()));
    let mut field = vec![VERSION, log];
    for number in std::iter::once(first).chain(lengths) {
        // Blocks of 4 GiB need no list.
        let Ok(number) = u32::try_from(number) else { return Vec::new() };
        field.extend(number.to_le_bytes());
    }
    // At most 60,006.
    let length = u16::try_from(field.len()).unwrap_or_default().to_le_bytes();
    [&BLOCKS.to_le_bytes()[..], &length, &field].concat()
}

/// A block of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its range of the member's data.
    pub(crate) bytes: Range<u64>,
    /// Its range of the content.
    pub(crate) content: Range<u64>,
}

/// The blocks of a member.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
}

impl Blocks {
    /// The blocks of a deflated member.
    pub(crate) fn of(entry: &Entry) -> Option<Self> {
        if entry.method == DEFLATED { Self::parse(entry.extra(), entry.claim) } else { None }
    }

    /// Parses the blocks among the extra fields of a member; `None` without them, or if they
    /// contradict its entry.
    fn parse(extra: &[u8], claim: Claim) -> Option<Self> {
        let mut fields = Fields::new(find_field(extra, BLOCKS)?);
        let &[version, log] = fields.bytes(2) else { return None };
        if version != VERSION || !(BLOCK_LOG..=MOST_LOG).contains(&log) {
            return None;
        }
        let mut content_bytes = u64::from(fields.u32());
        let mut blocks = Vec::with_capacity(fields.rest.len() / 4);
        let (mut at, mut begin) = (0_u64, 0_u64);
        while !fields.rest.is_empty() {
            let end = at.checked_add(fields.u32().into())?;
            let content_end = begin.checked_add(content_bytes)?.min(claim.size);
            // No block is empty, neither in the archive nor in the content.
            if fields.is_short || end == at || content_end == begin {
                return None;
            }
            blocks.push(Block { bytes: at..end, content: begin..content_end });
            (at, begin, content_bytes) = (end, content_end, 1 << log);
        }
        (at == claim.compressed && begin == claim.size && blocks.len() > 1).then_some(Self { blocks })
    }

    /// Returns the blocks within a range of the content, if one begins where it does.
    pub(crate) fn within(&self, content: Range<u64>) -> &[Block] {
        let begin = self.blocks.partition_point(|block| block.content.start < content.start);
        let end = self.blocks.partition_point(|block| block.content.end <= content.end);
        match self.blocks.get(begin..end) {
            Some(blocks) if blocks.first().is_some_and(|block| block.content.start == content.start) => blocks,
            _ => &[],
        }
    }

    /// Returns the block of a byte of the content.
    pub(crate) fn block_of(&self, at: u64) -> Option<&Block> {
        self.blocks.get(self.blocks.partition_point(|block| block.content.end <= at))
    }

    /// Returns whether a block ends the member.
    pub(crate) fn is_end(&self, block: &Block) -> bool {
        self.blocks.last() == Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn claim(size: u64, compressed: u64) -> Claim {
        Claim { crc: 0, size, compressed }
    }

    #[test]
    fn parses_its_own_field() {
        let field = blocks_field(None, &[10, 20, 30]);
        assert_eq!(field, *b"np\x12\0\x01\x14\0\0\x10\0\x0a\0\0\0\x14\0\0\0\x1e\0\0\0");
        let blocks = Blocks::parse(&[b"xy\x01\0z", &field[..]].concat(), claim(2 * MIB + 5, 60)).unwrap();
        let last = Block { bytes: 30..60, content: 2 * MIB..2 * MIB + 5 };
        assert_eq!(blocks.within(MIB..3 * MIB), [Block { bytes: 10..30, content: MIB..2 * MIB }, last.clone()]);
        assert_eq!(blocks.within(MIB..2 * MIB + 4).len(), 1);
        assert!(blocks.within(MIB + 1..3 * MIB).is_empty() && blocks.within(9 * MIB..9 * MIB).is_empty());
        let end_of = |at| blocks.block_of(at).map(|block| (block.content.end, block.bytes.end));
        assert_eq!((end_of(0), end_of(MIB - 1), end_of(MIB)), (Some((MIB, 10)), Some((MIB, 10)), Some((2 * MIB, 30))));
        assert_eq!((end_of(2 * MIB + 4), end_of(2 * MIB + 5)), (Some((2 * MIB + 5, 60)), None));
        assert!(blocks.is_end(&last) && !blocks.is_end(&blocks.blocks[1]));
        // After a front.
        let field = blocks_field(Some((128, 133)), &[10, 20]);
        let blocks = Blocks::parse(&field, claim(128 + MIB + 1, 163)).unwrap();
        assert_eq!(blocks.within(128..2 * MIB)[0], Block { bytes: 133..143, content: 128..128 + MIB });
    }

    #[test]
    fn merges_many_blocks() {
        let field = blocks_field(None, &vec![3; 100_000]);
        assert!(field.len() <= 60_010);
        let blocks = Blocks::parse(&field, claim(99_999 * MIB + 1, 300_000)).unwrap();
        assert_eq!((blocks.blocks.len(), blocks.blocks[1].bytes.clone()), (12_500, 24..48));
        assert!(blocks_field(None, &[3]).is_empty() && blocks_field(None, &[3, 1 << 32]).is_empty());
    }

    #[test]
    fn ignores_fields_that_contradict_the_member() {
        let field = blocks_field(None, &[10, 20, 30]);
        for (size, compressed) in [(2 * MIB + 5, 61), (2 * MIB + 5, 59), (2 * MIB, 60), (3 * MIB + 1, 60), (0, 60), (u64::MAX, 60)]
        {
            assert!(Blocks::parse(&field, claim(size, compressed)).is_none(), "{size} {compressed}");
        }
        let spoiled = |at: usize, byte: u8| {
            let mut field = field.clone();
            field[at] = byte;
            Blocks::parse(&field, claim(2 * MIB + 5, 60)).is_none()
        };
        // Identifier, length, version, size of blocks, of the first, of others.
        for (at, byte) in
            [(0, 0), (2, 0x11), (2, 6), (2, 0xff), (4, 2), (5, 21), (5, 41), (5, 255), (8, 0), (10, 0), (13, 0xff), (18, 31)]
        {
            assert!(spoiled(at, byte), "{at}");
        }
        assert!(Blocks::parse(&[], claim(5, 5)).is_none());
    }
}

//! Bits as deflate has them: each byte from its lowest bit on.

use std::io;

/// Bytes that are collected before they go to memory that grows.
const STAGE_BYTES: usize = 4096;

/// Bytes that are written at a time, which the buffer must have capacity for.
const WORD_BYTES: usize = 8;

/// The capacity of an empty stage in words.
pub(super) const MOST_WORDS: usize = STAGE_BYTES / WORD_BYTES;

/// A stream of bits.
pub(super) struct Bits {
    bytes: Vec<u8>,
    stage: [u8; STAGE_BYTES],
    /// Where on the stage the next word goes.
    at: usize,
    /// Bits that fill no byte yet; fewer than 8.
    word: u64,
    count: u32,
}

impl Bits {
    /// Creates a buffer with capacity for `bits` bits.
    pub(super) fn with_capacity(bits: u64) -> io::Result<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(bits.div_ceil(8)).unwrap_or(usize::MAX))?;
        Ok(Self { bytes, stage: [0; STAGE_BYTES], at: 0, word: 0, count: 0 })
    }

    /// Appends words of bits with their lengths: at most 56 bits, of which the others are zero, and
    /// [`MOST_WORDS`] words.
    #[inline(always)]
    pub(super) fn extend(&mut self, words: impl Iterator<Item = (u64, u32)>) {
        self.empty_stage();
        // In variables, because the stage might lie over the fields of `self` for all that the
        // compiler knows.
        let (mut at, mut word, mut count) = (0_usize, self.word, self.count);
        for (bits, length) in words {
            word |= bits << count;
            count += length;
            if let Some(place) = self.stage.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
                *place = word.to_le_bytes();
            }
            // At most 7.
            at += usize::try_from(count >> 3).unwrap_or_default();
            word = word.wrapping_shr(count & !7);
            count &= 7;
        }
        (self.at, self.word, self.count) = (at, word, count);
    }

    /// Brings the bytes of the stage to memory.
    fn empty_stage(&mut self) {
        self.bytes.extend_from_slice(self.stage.get(..self.at).unwrap_or(&self.stage));
        self.at = 0;
    }

    /// Appends few bits at a time.
    pub(super) fn write(&mut self, bits: u64, count: u32) {
        self.extend(std::iter::once((bits, count)));
    }

    /// Fills up the byte by zeros.
    pub(super) fn fill_byte(&mut self) {
        self.write(0, self.count.wrapping_neg() & 7);
    }

    /// Appends bytes at the border of a byte.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.empty_stage();
        self.bytes.extend_from_slice(bytes);
    }

    /// The bytes, the last of them filled up by zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.fill_byte();
        self.empty_stage();
        self.bytes
    }
}

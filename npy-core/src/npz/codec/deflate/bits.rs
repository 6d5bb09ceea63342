//! A stream of bits in the order of deflate: each byte from its lowest bit on.

use std::io;

/// Bytes that are collected in a fixed buffer before the vector grows by them.
const STAGE_BYTES: usize = 4096;

/// Bytes of one store.
const WORD_BYTES: usize = 8;

/// The capacity of an empty stage in words.
pub(super) const MOST_WORDS: usize = STAGE_BYTES / WORD_BYTES;

/// A stream of bits.
pub(super) struct Bits {
    bytes: Vec<u8>,
    stage: [u8; STAGE_BYTES],
    /// The position of the next word in the stage.
    at: usize,
    /// The last bits, fewer than 8.
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

    /// Appends words of at most 56 bits with their lengths, and at most [`MOST_WORDS`] of them. Bits
    /// beyond the length are zero.
    #[inline(always)]
    pub(super) fn extend(&mut self, words: impl Iterator<Item = (u64, u32)>) {
        self.empty_stage();
        // In variables, because the compiler assumes that the stage may alias the fields.
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

    /// Moves the bytes of the stage to the vector.
    fn empty_stage(&mut self) {
        self.bytes.extend_from_slice(self.stage.get(..self.at).unwrap_or(&self.stage));
        self.at = 0;
    }

    /// Appends some bits.
    pub(super) fn write(&mut self, bits: u64, count: u32) {
        self.extend(std::iter::once((bits, count)));
    }

    /// Pads the last byte with zeros.
    pub(super) fn fill_byte(&mut self) {
        self.write(0, self.count.wrapping_neg() & 7);
    }

    /// Appends bytes at a byte boundary.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.empty_stage();
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the bytes, padded with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.fill_byte();
        self.empty_stage();
        self.bytes
    }
}

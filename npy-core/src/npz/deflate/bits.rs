//! Bits as deflate has them: each byte from its lowest bit on.

/// Bytes that are written at a time, so that there has to be room for as many.
const WORD_BYTES: usize = 8;

/// A stream of bits in memory of a size that is known before.
pub(super) struct Bits {
    bytes: Vec<u8>,
    /// Where the next word goes.
    at: usize,
    /// Bits that fill no byte yet; after [`flush`](Self::flush) fewer than 8.
    word: u64,
    count: u64,
}

impl Bits {
    /// With room for so many bits.
    pub(super) fn with_room(bits: u64) -> Self {
        let bytes = usize::try_from(bits / 8).unwrap_or(usize::MAX);
        Self { bytes: vec![0; bytes.saturating_add(2 * WORD_BYTES)], at: 0, word: 0, count: 0 }
    }

    /// Appends `count` bits, of which there may be 56 between two flushes.
    #[inline(always)]
    pub(super) fn push(&mut self, bits: u64, count: u64) {
        self.word |= bits << self.count;
        self.count += count;
    }

    /// Brings whole bytes to memory. What there is no room for is lost, so that a wrong size shows as a stream that is too short.
    #[inline(always)]
    pub(super) fn flush(&mut self) {
        if let Some(place) = self.bytes.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut()) {
            *place = self.word.to_le_bytes();
        }
        // At most 8.
        self.at += usize::try_from(self.count >> 3).unwrap_or_default();
        self.word >>= self.count & !7;
        self.count &= 7;
    }

    /// Appends few bits at a time.
    pub(super) fn write(&mut self, bits: u64, count: u64) {
        self.push(bits, count);
        self.flush();
    }

    /// Fills up the byte by zeros.
    pub(super) fn fill_byte(&mut self) {
        self.write(0, self.count.wrapping_neg() & 7);
    }

    /// Appends bytes at the border of a byte.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(self.at..).and_then(|rest| rest.get_mut(..bytes.len())) {
            place.copy_from_slice(bytes);
        }
        self.at += bytes.len();
    }

    /// The bytes, the last of them filled up by zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes.truncate(self.at + usize::from(self.count > 0));
        self.bytes
    }
}

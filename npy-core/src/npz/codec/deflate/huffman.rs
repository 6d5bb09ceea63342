//! Deflate without matches: each byte by the Huffman code of its part of the block.

use std::io;

use super::bits::{Bits, MOST_WORDS};
use super::lengths::{code_lengths, codes};

/// Bytes that share a code. It takes about a hundred bytes to describe.
const PART_BYTES: usize = 256 * 1024;

/// The longest code, of which four fit a word of 64 bits beside seven remaining bits. The format
/// allows 15.
const LONGEST: usize = 14;

/// Symbols: the bytes, and the end of a block.
const SYMBOLS: usize = 257;
const END_OF_BLOCK: usize = 256;

/// The alphabet of code lengths, and the order of its own code lengths (RFC 1951, 3.2.7).
const LENGTH_SYMBOLS: usize = 19;
const LENGTH_ORDER: [usize; LENGTH_SYMBOLS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST_OF_LENGTHS: usize = 7;
/// Repeats the previous length 3 to 6 times; 3 to 10 zeros; 11 to 138 zeros.
const AGAIN: u8 = 16;
const ZEROS: u8 = 17;
const MANY_ZEROS: u8 = 18;

/// The most bytes of a stored block, and the most bits before them, with padding.
const STORED_BYTES: usize = u16::MAX as usize;
const STORED_BITS: u64 = 7 + 3 + 32;

/// The Huffman codes of the parts of a block.
pub(super) struct Plan<'a> {
    parts: Vec<(&'a [u8], Option<Code>)>,
    /// The encoded bits, without padding.
    pub(super) bits: u64,
}

impl<'a> Plan<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut bits = 0;
        let mut parts = Vec::new();
        for part in bytes.chunks(PART_BYTES) {
            let stored = stored_bits(part);
            let code = Code::new(part);
            bits += code.bits.min(stored);
            parts.push((part, (code.bits < stored).then_some(code)));
        }
        Self { parts, bits }
    }

    /// Encodes deflate blocks that end at a byte boundary.
    pub(super) fn encode(&self, is_last: bool) -> io::Result<Vec<u8>> {
        let mut out = Bits::with_capacity(self.bits + STORED_BITS + 8)?;
        for (i, (part, code)) in self.parts.iter().enumerate() {
            let is_final = is_last && i + 1 == self.parts.len();
            match code {
                Some(code) => code.encode(part, is_final, &mut out),
                None => store(part, is_final, &mut out),
            }
        }
        if self.parts.is_empty() || !is_last {
            store_block(&[], is_last, &mut out);
        }
        Ok(out.finish())
    }
}

/// The bits of bytes by a single code, without its description, or stored.
pub(super) fn bits_of(bytes: &[u8]) -> u64 {
    let code = Code::new(bytes);
    (code.bits - code.description.bits).min(stored_bits(bytes))
}

/// The bits of stored bytes.
fn stored_bits(bytes: &[u8]) -> u64 {
    bytes.len() as u64 * 8 + bytes.len().div_ceil(STORED_BYTES) as u64 * STORED_BITS
}

fn store(bytes: &[u8], is_final: bool, out: &mut Bits) {
    let blocks = bytes.chunks(STORED_BYTES);
    let last = blocks.len();
    for (i, block) in blocks.enumerate() {
        store_block(block, is_final && i + 1 == last, out);
    }
}

fn store_block(bytes: &[u8], is_final: bool, out: &mut Bits) {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    out.write(is_final.into(), 3);
    out.fill_byte();
    out.write(u64::from(length) | u64::from(!length) << 16, 32);
    out.append(bytes);
}

/// A histogram of bytes, in four tables, so that equal bytes do not wait for each other's store.
struct Counts([[u32; 256]; 4]);

impl Counts {
    fn new() -> Self {
        Self([[0; 256]; 4])
    }

    fn add(&mut self, bytes: &[u8]) {
        let [first, second, third, fourth] = &mut self.0;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            first[usize::from(word[0])] += 1;
            second[usize::from(word[1])] += 1;
            third[usize::from(word[2])] += 1;
            fourth[usize::from(word[3])] += 1;
            first[usize::from(word[4])] += 1;
            second[usize::from(word[5])] += 1;
            third[usize::from(word[6])] += 1;
            fourth[usize::from(word[7])] += 1;
        }
        for byte in rest {
            first[usize::from(*byte)] += 1;
        }
    }

    /// The frequencies of all symbols.
    fn sums(&self) -> [u32; SYMBOLS] {
        let mut sums = [0; SYMBOLS];
        for (symbol, sum) in sums[..256].iter_mut().enumerate() {
            *sum = self.0.iter().map(|table| table[symbol]).sum();
        }
        sums[END_OF_BLOCK] = 1;
        sums
    }
}

/// The Huffman code of a part.
struct Code {
    lengths: [u8; SYMBOLS],
    description: Description,
    /// The bits of the whole block.
    bits: u64,
}

impl Code {
    /// Creates the code of these bytes.
    fn new(bytes: &[u8]) -> Self {
        let mut counts = Counts::new();
        counts.add(bytes);
        let frequencies = counts.sums();
        let lengths = code_lengths(&frequencies, LONGEST);
        let description = Description::new(&lengths);
        let data: u64 = frequencies.iter().zip(lengths).map(|(count, length)| u64::from(*count) * u64::from(length)).sum();
        let bits = description.bits + data;
        Self { lengths, description, bits }
    }

    fn encode(&self, bytes: &[u8], is_final: bool, out: &mut Bits) {
        self.description.write(is_final, out);
        let codes = codes(&self.lengths);
        let mut table = Table { codes: [0; 256], lengths: [0; 256] };
        for (symbol, (code, length)) in table.codes.iter_mut().zip(&mut table.lengths).enumerate() {
            (*code, *length) = (codes[symbol], self.lengths[symbol].into());
        }
        // The number of codes that fit a word beside seven remaining bits.
        match self.lengths.iter().max() {
            Some(..=8) => table.encode::<7>(bytes, out),
            Some(9) => table.encode::<6>(bytes, out),
            Some(10 | 11) => table.encode::<5>(bytes, out),
            _ => table.encode::<4>(bytes, out),
        }
        out.write(codes[END_OF_BLOCK], self.lengths[END_OF_BLOCK].into());
    }
}

/// The codes of bytes. Two tables, because one of packed words was slower.
struct Table {
    codes: [u64; 256],
    lengths: [u32; 256],
}

impl Table {
    /// Appends the codes of bytes, `N` at a time.
    fn encode<const N: usize>(&self, bytes: &[u8], out: &mut Bits) {
        let (groups, rest) = bytes.as_chunks::<N>();
        for groups in groups.chunks(MOST_WORDS) {
            out.extend(groups.iter().map(|group| self.join(group)));
        }
        for byte in rest {
            out.extend(std::iter::once(self.join(&[*byte])));
        }
    }

    /// Joins the codes of some bytes in one word. Returns it with its number of bits.
    #[inline(always)]
    fn join<const N: usize>(&self, group: &[u8; N]) -> (u64, u32) {
        let (mut bits, mut count) = (0, 0_u32);
        for byte in group {
            bits |= self.codes[usize::from(*byte)].wrapping_shl(count);
            count += self.lengths[usize::from(*byte)];
        }
        (bits, count)
    }
}

/// The header of a block with dynamic codes, without its first three bits.
struct Description {
    /// Symbols of the code of lengths, with a repeat count for some and its width in bits.
    runs: Vec<(u8, u64, u32)>,
    lengths: [u8; LENGTH_SYMBOLS],
    /// The number of written `lengths`.
    count: usize,
    bits: u64,
}

impl Description {
    fn new(lengths: &[u8; SYMBOLS]) -> Self {
        // Two distance codes of one bit, as other encoders write without distances. Some decoders
        // reject fewer.
        let mut all = lengths.to_vec();
        all.extend([1, 1]);
        let mut runs = Vec::new();
        for equal in all.chunk_by(|a, b| a == b) {
            push_runs(equal[0], equal.len(), &mut runs);
        }
        let mut frequencies = [0_u32; LENGTH_SYMBOLS];
        for (symbol, ..) in &runs {
            frequencies[usize::from(*symbol)] += 1;
        }
        let lengths = code_lengths(&frequencies, LONGEST_OF_LENGTHS);
        let count = LENGTH_ORDER.iter().rposition(|symbol| lengths[*symbol] > 0).map_or(4, |last| (last + 1).max(4));
        let symbols: u64 = runs.iter().map(|(symbol, _, extra)| u64::from(lengths[usize::from(*symbol)]) + u64::from(*extra)).sum();
        let bits = 3 + 5 + 5 + 4 + 3 * count as u64 + symbols;
        Self { runs, lengths, count, bits }
    }

    fn write(&self, is_final: bool, out: &mut Bits) {
        // A dynamic block of 257 symbols and two distances.
        out.write(u64::from(is_final) | 2 << 1, 3);
        out.write(0, 5);
        out.write(1, 5);
        out.write(self.count as u64 - 4, 4);
        for symbol in &LENGTH_ORDER[..self.count] {
            out.write(self.lengths[*symbol].into(), 3);
        }
        let codes = codes(&self.lengths);
        for (symbol, times, extra) in &self.runs {
            out.write(codes[usize::from(*symbol)], self.lengths[usize::from(*symbol)].into());
            out.write(*times, *extra);
        }
    }
}

/// Appends `count` equal lengths in as few symbols as possible.
fn push_runs(length: u8, mut count: usize, runs: &mut Vec<(u8, u64, u32)>) {
    if length > 0 {
        runs.push((length, 0, 0));
        count -= 1;
    }
    let (symbol, most, extra) = if length > 0 { (AGAIN, 6, 2) } else { (ZEROS, 10, 3) };
    while count > 0 {
        if length == 0 && count > most {
            let times = count.min(138);
            runs.push((MANY_ZEROS, times as u64 - 11, 7));
            count -= times;
        } else if count >= 3 {
            let times = count.min(most);
            runs.push((symbol, times as u64 - 3, extra));
            count -= times;
        } else {
            runs.push((length, 0, 0));
            count -= 1;
        }
    }
}

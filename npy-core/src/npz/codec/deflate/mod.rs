//! Blocks of content deflated, each for itself: by `zlib-rs`, or by a code for bytes alone where
//! repetitions gain nothing.

mod bits;
mod lengths;
mod huffman;
mod repeats;

use std::io;

use flate2::{Compress, Compression, FlushCompress};

use huffman::Plan;
use repeats::{Repeats, repeats_in};

/// Below this `zlib-rs` takes no time.
const LEAST: usize = 16 * 1024;

/// Bytes that are compressed both ways where a look at them does not tell: twice as far as a
/// repetition may be away.
const SAMPLE_BYTES: usize = 64 * 1024;

/// How many times as small repetitions must make a block for the time that the search for them
/// takes: 1 %.
const WORTH_SEARCHING: (u64, u64) = (99, 100);

/// Compresses a block that is independent of earlier data and ends at a byte boundary. The stream
/// ends there or continues.
pub(super) fn compress_block(block: &[u8], level: u32, is_last: bool) -> io::Result<Vec<u8>> {
    if level == 0 || block.len() < LEAST {
        return search(block, level, is_last);
    }
    let plan = Plan::new(block);
    let gains = match repeats_in(block, plan.bits()) {
        Repeats::None => false,
        Repeats::Many => true,
        Repeats::Some { at } => {
            let rest = block.get(at..).unwrap_or(block);
            let sample = rest.get(..SAMPLE_BYTES).unwrap_or(rest);
            let bits = search(sample, level, false)?.len() as u64 * 8;
            bits * WORTH_SEARCHING.1 < Plan::new(sample).bits() * WORTH_SEARCHING.0
        }
    };
    if gains { search(block, level, is_last) } else { Ok(plan.encode(is_last)) }
}

/// By `zlib-rs`, which searches for repetitions.
fn search(block: &[u8], level: u32, is_last: bool) -> io::Result<Vec<u8>> {
    let flush = if is_last { FlushCompress::Finish } else { FlushCompress::Sync };
    let mut compress = Compress::new(Compression::new(level), false);
    let mut output = Vec::new();
    loop {
        // Data that cannot be compressed grow by less.
        output.try_reserve(block.len() / 16 + 4096 + block.len() * usize::from(output.is_empty()))?;
        let used = usize::try_from(compress.total_in()).map_err(io::Error::other)?;
        compress.compress_vec(&block[used..], &mut output, flush).map_err(io::Error::other)?;
        if output.len() < output.capacity() {
            return Ok(output);
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Decompress, FlushDecompress, Status};

    use super::huffman::Plan;
    use super::{LEAST, compress_block, search};

    fn random(state: &mut u64) -> u32 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(*state >> 33).unwrap()
    }

    /// What the data of blocks hold, of which the last must end the stream with its last byte.
    fn inflate(blocks: &[Vec<u8>], size: usize) -> Vec<u8> {
        let (mut decoder, bytes) = (Decompress::new(false), blocks.concat());
        let mut content = Vec::with_capacity(size + 1);
        let status = decoder.decompress_vec(&bytes, &mut content, FlushDecompress::Finish).unwrap();
        assert_eq!((status, decoder.total_in()), (Status::StreamEnd, bytes.len() as u64));
        content
    }

    /// Normal random numbers, as the bytes of `f64`.
    fn noise(count: usize) -> Vec<u8> {
        let mut state = 7;
        let mut uniform = || (f64::from(random(&mut state)) + 0.5) / f64::from(1_u32 << 31);
        (0..count).flat_map(|_| ((-2.0 * uniform().ln()).sqrt() * uniform().cos()).to_le_bytes()).collect()
    }

    /// Every number of symbols, of every steepness, at every length of a rest: the codes are those
    /// of the inflater.
    #[test]
    fn codes_of_every_kind_are_read() {
        let mut state = 1;
        for symbols in [1, 2, 3, 17, 100, 255, 256] {
            for steepness in [1, 2, 5, 40] {
                for length in [1, 2, 3, 4, 7, 1000, 70_001, 300_000] {
                    let pick = |state: &mut u64| (0..steepness).map(|_| random(state) % symbols).min().unwrap_or_default();
                    let block: Vec<u8> = (0..length).map(|_| pick(&mut state).to_le_bytes()[0]).collect();
                    let plan = Plan::new(&block);
                    let (first, last) = (plan.encode(false), plan.encode(true));
                    // Up to a byte for each end, and the mark between blocks; where only some bytes
                    // were counted, somewhat more or less.
                    let more_or_less = if symbols == 256 { plan.bits() / 8 / 500 } else { 0 };
                    let difference = (last.len() as u64).abs_diff(plan.bits() / 8);
                    assert!(difference <= 8 * (1 + length / 65_535) + more_or_less, "{symbols} {length} {difference}");
                    assert_eq!(inflate(&[first, last], 2 * block.len()), [&block[..], &block].concat(), "{symbols} {length}");
                }
            }
        }
        assert!(inflate(&[Plan::new(&[]).encode(false), Plan::new(&[]).encode(true)], 0).is_empty());
    }

    /// What is counted of a part is noise, and the rest is not: the code is made again, by all of
    /// it.
    #[test]
    fn samples_that_deceive_cost_nothing() {
        let mut state = 5;
        for steepness in [1, 2, 3] {
            let mut noise = || (0..steepness).map(|_| random(&mut state).to_le_bytes()[1]).min().unwrap_or_default();
            let block: Vec<u8> = (0..1 << 18).map(|i| if i % 16_411 < 4096 { noise() } else { noise() % 4 }).collect();
            let plan = Plan::new(&block);
            let encoded = plan.encode(true);
            // A quarter is any bytes, and the others are four.
            assert!(encoded.len() < block.len() * 6 / 10, "{steepness} {} {}", plan.bits(), encoded.len());
            assert_eq!(inflate(&[plan.encode(false), encoded], 2 * block.len()), [&block[..], &block].concat());
        }
    }

    #[test]
    fn bytes_that_no_code_makes_shorter_are_stored() {
        let mut state = 3;
        let block: Vec<u8> = (0..1 << 20).map(|_| random(&mut state).to_le_bytes()[1]).collect();
        let compressed = compress_block(&block, 6, true).unwrap();
        assert!(compressed.len() < block.len() + block.len() / 4096, "{}", compressed.len());
        assert_eq!(inflate(&[compressed], block.len()), block);
    }

    /// The search is left out where it gains nothing, and only there.
    #[test]
    fn each_block_is_compressed_by_what_makes_it_small() {
        let noise = noise(1 << 17);
        let steps: Vec<u8> = (0..1_u32 << 17).flat_map(|i| u64::from(i / 7).to_le_bytes()).collect();
        let mut state = 9;
        let few: Vec<u8> = (0..1 << 20).map(|_| b"ACGT"[usize::from(random(&mut state).to_le_bytes()[1] % 4)]).collect();
        for (block, searches) in [(&noise, false), (&steps, true), (&few, false)] {
            let (quick, slow) = (Plan::new(block).encode(true), search(block, 6, true).unwrap());
            let chosen = compress_block(block, 6, true).unwrap();
            assert_eq!(chosen == slow, searches);
            assert_eq!(chosen == quick, !searches);
            assert!(chosen.len() * 99 <= quick.len().min(slow.len()) * 100, "{} {} {}", chosen.len(), quick.len(), slow.len());
            assert_eq!(inflate(&[chosen], block.len()), *block);
        }
        // Nothing is done at level 0, and not a code made for little.
        assert!(compress_block(&noise, 0, true).unwrap().len() > noise.len());
        let little = &noise[..LEAST - 1];
        assert_eq!(compress_block(little, 6, true).unwrap(), search(little, 6, true).unwrap());
    }
}

//! Independent deflate blocks: by `zlib-rs`, or by Huffman codes alone where matches gain nothing.
//!
//! Against `zlib-rs` at level 6, on 16 MiB: Huffman codes alone write noise 18 × as fast. They write a
//! random walk of `f64` 4 to 7 × as fast, and 1.6 % larger.

mod bits;
mod lengths;
mod huffman;
mod repeats;

use std::io;

use flate2::{Compress, Compression, FlushCompress};

use huffman::{Plan, bits_of};
use repeats::{LEAST_GAIN, Repeats, estimates};

/// Smaller blocks are left to `zlib-rs`.
const LEAST: usize = 16 * 1024;

/// Bytes that are compressed both ways if the estimate does not decide: twice the window of deflate.
const SAMPLE_BYTES: usize = 64 * 1024;

/// The ratio of sizes at which a search is worth its time: 1 % less.
const WORTH_SEARCHING: (u64, u64) = (99, 100);

/// Bytes that compressed data may have beyond the content before their buffer grows.
const SLACK_BYTES: usize = 4096;

/// Compresses blocks, and reuses its memory.
#[derive(Default)]
pub(super) struct Compressor {
    /// The last level and its stream.
    stream: Option<(u32, Compress)>,
}

impl Compressor {
    /// Compresses a block that is independent of earlier data and ends at a byte boundary.
    pub(super) fn compress(&mut self, block: &[u8], level: u32, is_last: bool) -> io::Result<Vec<u8>> {
        let end = if is_last { FlushCompress::Finish } else { FlushCompress::Sync };
        if level == 0 || block.len() < LEAST {
            return self.search(block, level, end);
        }
        let (mut refuted, mut most) = (None, None);
        for (at, repeats) in estimates(block) {
            match repeats {
                Repeats::None => {}
                Repeats::Many => return self.search(block, level, end),
                // A sample of the front is free: the search continues it if it gains.
                Repeats::Some(gained) if at == 0 => {
                    let (sample, rest) = block.split_at(SAMPLE_BYTES.min(block.len()));
                    let mut search = self.begin(level, block.len())?;
                    search.push(sample, if rest.is_empty() { end } else { FlushCompress::Sync })?;
                    if gains(sample, &search.output) {
                        if !rest.is_empty() {
                            search.push(rest, end)?;
                        }
                        return Ok(search.output);
                    }
                    refuted = Some(gained + gained / 4 + LEAST_GAIN);
                }
                Repeats::Some(gained) => most = most.max(Some((gained, at))),
            }
        }
        // A share whose estimate clearly exceeds the one that was refuted.
        if let Some((gained, at)) = most
            && refuted.is_none_or(|refuted| gained > refuted)
        {
            let rest = block.get(at..).unwrap_or(block);
            let sample = rest.get(..SAMPLE_BYTES).unwrap_or(rest);
            if gains(sample, &self.search(sample, level, FlushCompress::Sync)?) {
                return self.search(block, level, end);
            }
        }
        Plan::new(block).encode(is_last)
    }

    /// Compresses bytes by `zlib-rs`, which searches for matches.
    fn search(&mut self, bytes: &[u8], level: u32, end: FlushCompress) -> io::Result<Vec<u8>> {
        let mut search = self.begin(level, bytes.len())?;
        search.push(bytes, end)?;
        Ok(search.output)
    }

    fn begin(&mut self, level: u32, bytes: usize) -> io::Result<Search<'_>> {
        let mut output = Vec::new();
        output.try_reserve(bytes + SLACK_BYTES)?;
        let (last, stream) = self.stream.get_or_insert_with(|| (level, Compress::new(Compression::new(level), false)));
        if *last == level {
            stream.reset();
        } else {
            (*last, *stream) = (level, Compress::new(Compression::new(level), false));
        }
        Ok(Search { stream, output })
    }
}

/// Returns whether a search was worth its time in a sample.
fn gains(sample: &[u8], searched: &[u8]) -> bool {
    searched.len() as u64 * 8 * WORTH_SEARCHING.1 < bits_of(sample) * WORTH_SEARCHING.0
}

/// A stream of `zlib-rs`.
struct Search<'a> {
    stream: &'a mut Compress,
    output: Vec<u8>,
}

impl Search<'_> {
    fn push(&mut self, bytes: &[u8], flush: FlushCompress) -> io::Result<()> {
        let before = self.stream.total_in();
        loop {
            let used = usize::try_from(self.stream.total_in() - before).map_err(io::Error::other)?;
            self.stream.compress_vec(&bytes[used..], &mut self.output, flush).map_err(io::Error::other)?;
            if self.output.len() < self.output.capacity() {
                return Ok(());
            }
            // Incompressible data grow by less.
            self.output.try_reserve(bytes.len() / 16 + SLACK_BYTES)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Decompress, FlushCompress, FlushDecompress, Status};

    use super::huffman::Plan;
    use super::{Compressor, LEAST, SAMPLE_BYTES};
    use crate::some::some;

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

    /// Small steps up and down, as the bytes of `i32`: repetitions gain some per cent.
    fn walk(count: usize) -> Vec<u8> {
        let (mut state, mut at) = (3, 0_i32);
        let mut step = || i32::from(random(&mut state).to_le_bytes()[2] % 64) - 32;
        (0..count)
            .flat_map(|_| {
                at += step();
                at.to_le_bytes()
            })
            .collect()
    }

    /// Every number of symbols, of every steepness, at every length of a rest: the codes are those
    /// of the inflater.
    #[test]
    fn codes_of_every_kind_are_read() {
        let mut state = 1;
        for symbols in [1, 2, 3, 17, 100, 255, 256] {
            let every = [1, 2, 5, 40].into_iter().cycle().skip(usize::try_from(symbols).unwrap() % 4).take(4);
            for steepness in some(every, 4) {
                for length in [1, 2, 3, 4, 7, 1000, 70_001, 300_000] {
                    let pick = |state: &mut u64| (0..steepness).map(|_| random(state) % symbols).min().unwrap_or_default();
                    let block: Vec<u8> = (0..length).map(|_| pick(&mut state).to_le_bytes()[0]).collect();
                    let plan = Plan::new(&block);
                    let (first, last) = (plan.encode(false).unwrap(), plan.encode(true).unwrap());
                    // Up to a byte for each end, and the mark between blocks.
                    let difference = (last.len() as u64).abs_diff(plan.bits / 8);
                    assert!(difference <= 8 * (1 + length / 65_535), "{symbols} {length} {difference}");
                    assert_eq!(inflate(&[first, last], 2 * block.len()), [&block[..], &block].concat(), "{symbols} {length}");
                }
            }
        }
        assert!(inflate(&[Plan::new(&[]).encode(false).unwrap(), Plan::new(&[]).encode(true).unwrap()], 0).is_empty());
    }

    #[test]
    fn bytes_that_no_code_makes_shorter_are_stored() {
        let mut state = 3;
        let block: Vec<u8> = (0..1 << 20).map(|_| random(&mut state).to_le_bytes()[1]).collect();
        let compressed = Compressor::default().compress(&block, 6, true).unwrap();
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
        let walk = walk(1 << 18);
        // The front alone would tell the wrong thing.
        let late = [&few[..1 << 17], &walk[1 << 17..]].concat();
        let mut compressor = Compressor::default();
        let mut search = |block: &[u8]| compressor.search(block, 6, FlushCompress::Finish).unwrap();
        for (i, (block, searches)) in
            [(&noise, false), (&steps, true), (&few, false), (&walk, true), (&late, true)].into_iter().enumerate()
        {
            let (quick, slow) = (Plan::new(block).encode(true).unwrap(), search(block));
            let chosen = Compressor::default().compress(block, 6, true).unwrap();
            assert_eq!(chosen == quick, !searches, "{i}");
            assert!(chosen.len() * 99 <= quick.len().min(slow.len()) * 100, "{} {} {}", chosen.len(), quick.len(), slow.len());
            assert_eq!(inflate(&[chosen], block.len()), *block);
        }
        // Not a code made for little.
        let little = &noise[..LEAST - 1];
        assert_eq!(Compressor::default().compress(little, 6, true).unwrap(), search(little));
        // Nothing is done at level 0.
        assert!(Compressor::default().compress(&noise, 0, true).unwrap().len() > noise.len());
    }

    /// Another thread may have compressed the block before.
    #[test]
    fn blocks_depend_on_nothing_that_was_compressed_before() {
        let (walk, noise) = (walk(1 << 18), noise(1 << 17));
        let mut compressor = Compressor::default();
        for level in [6, 6, 1, 9, 0, 6] {
            for length in [0, 1, LEAST, SAMPLE_BYTES - 1, SAMPLE_BYTES, SAMPLE_BYTES + 1, 1 << 20] {
                for block in [&walk[..length], &noise[..length]] {
                    let [first, last] = [false, true].map(|is_last| compressor.compress(block, level, is_last).unwrap());
                    assert_eq!(Compressor::default().compress(block, level, false).unwrap(), first, "{level} {length}");
                    assert_eq!(Compressor::default().compress(block, level, true).unwrap(), last, "{level} {length}");
                    assert_eq!(inflate(&[first, last], 2 * length), [block, block].concat(), "{level} {length}");
                }
            }
        }
    }
}

//! Decompressing: one loop over the methods that zip archives have (APPNOTE 4.4.5).

mod step;
#[cfg(feature = "lzma")]
mod lzma;
#[cfg(feature = "zstd")]
mod zstd;

use std::io::{self, BufRead, Read};

use flate2::{Decompress, FlushDecompress};

use self::step::Step;
use super::inflate::is_between_blocks;
use super::input::Input;
use super::problem::damaged;
use crate::alloc::Spare;
use crate::error::ArchiveProblem;

const STORED: u16 = 0;
pub(super) const DEFLATED: u16 = 8;
const BZIP2: u16 = 12;
const LZMA: u16 = 14;
const ZSTD: u16 = 93;

/// Gives the content of a member, of its bytes in the archive.
pub(super) enum Decoder {
    Stored,
    Deflated(Box<Decompress>),
    #[cfg(feature = "bzip2")]
    Bzip2(Box<bzip2::Decompress>),
    #[cfg(feature = "lzma")]
    Lzma(Box<lzma::Lzma>),
    #[cfg(feature = "zstd")]
    Zstd(Box<zstd::Zstd>),
}

impl Decoder {
    /// The decoder of a method. `has_end_mark` and `size` are for LZMA, whose data say themselves where they end, or do not.
    pub(super) fn new(method: u16, has_end_mark: bool, size: Option<u64>) -> Result<Self, ArchiveProblem> {
        // Without the feature `lzma` nobody asks.
        let _ = (has_end_mark, size);
        Ok(match method {
            STORED => Self::Stored,
            DEFLATED => Self::Deflated(Box::new(Decompress::new(false))),
            #[cfg(feature = "bzip2")]
            BZIP2 => Self::Bzip2(Box::new(bzip2::Decompress::new(false))),
            #[cfg(not(feature = "bzip2"))]
            BZIP2 => return Err(ArchiveProblem::MissingFeature { method, name: "bzip2", feature: "bzip2" }),
            #[cfg(feature = "lzma")]
            LZMA => Self::Lzma(Box::new(lzma::Lzma::new(if has_end_mark { None } else { size }, size))),
            #[cfg(not(feature = "lzma"))]
            LZMA => return Err(ArchiveProblem::MissingFeature { method, name: "LZMA", feature: "lzma" }),
            #[cfg(feature = "zstd")]
            ZSTD => Self::Zstd(Box::new(zstd::Zstd::new(size))),
            #[cfg(not(feature = "zstd"))]
            ZSTD => return Err(ArchiveProblem::MissingFeature { method, name: "Zstandard", feature: "zstd" }),
            method => return Err(ArchiveProblem::UnknownMethod { method }),
        })
    }

    /// Whether the bytes in the archive are the content.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored)
    }

    /// Gives some bytes of the content; tells whether it ends there, which compressed data say themselves.
    pub(super) fn fill<R: Read>(&mut self, input: &mut Input<R>, spare: &mut Spare<'_>) -> io::Result<bool> {
        if let Self::Stored = self {
            return input.fill(spare).map(|()| false);
        }
        #[cfg(feature = "zstd")]
        if let Self::Zstd(decoder) = self {
            return decoder.fill(input, spare);
        }
        loop {
            let available = input.fill_buf()?;
            let is_empty = available.is_empty();
            let step = spare.fill_with(|output| {
                let step = self.step(available, output);
                let given = step.as_ref().map_or(0, |step| step.given);
                (step, given)
            })?;
            input.consume(step.used);
            if step.is_end {
                #[cfg(feature = "lzma")]
                if let Self::Lzma(decoder) = self {
                    input.put_back(decoder.unused());
                }
                return Ok(true);
            }
            match step {
                Step { given: 1.., .. } => return Ok(false),
                Step { used: 1.., .. } => {}
                // Neither input nor output, and no end.
                _ if is_empty => return Err(io::ErrorKind::UnexpectedEof.into()),
                _ => return Err(damaged()),
            }
        }
    }

    /// Whether deflate data that gave all their bytes so far end a block with these few; then it is ready for the next block, which needs nothing of those
    /// before.
    pub(super) fn begin_block(&mut self, last: &[u8]) -> bool {
        let Self::Deflated(decoder) = self else { return false };
        let is_between = is_between_blocks(decoder, last);
        decoder.reset(false);
        is_between
    }

    /// One call of the decompressor.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> io::Result<Step> {
        match self {
            Self::Stored => Err(damaged()),
            Self::Deflated(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let status = decoder.decompress(input, output, FlushDecompress::None).map_err(|_| damaged())?;
                let (used, given) = (difference(decoder.total_in(), before.0), difference(decoder.total_out(), before.1));
                Ok(Step { used, given, is_end: status == flate2::Status::StreamEnd })
            }
            #[cfg(feature = "bzip2")]
            Self::Bzip2(decoder) => {
                let before = (decoder.total_in(), decoder.total_out());
                let status = decoder.decompress(input, output).map_err(|_| damaged())?;
                let (used, given) = (difference(decoder.total_in(), before.0), difference(decoder.total_out(), before.1));
                Ok(Step { used, given, is_end: status == bzip2::Status::StreamEnd })
            }
            #[cfg(feature = "lzma")]
            Self::Lzma(decoder) => decoder.step(input, output),
            // Reads for itself.
            #[cfg(feature = "zstd")]
            Self::Zstd(_) => Err(damaged()),
        }
    }
}

/// How much a count has grown, by no more than a slice's length.
fn difference(after: u64, before: u64) -> usize {
    usize::try_from(after - before).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Decoder;

    /// What is not read says which feature would read it.
    #[test]
    fn methods_are_read_with_their_features() {
        let problem = |method| Decoder::new(method, false, Some(1)).err().map(|problem| problem.to_string());
        let features = [
            (0, true, ""),
            (8, true, ""),
            (12, cfg!(feature = "bzip2"), "it is compressed by bzip2 (method 12), which is read with the feature `bzip2`"),
            (14, cfg!(feature = "lzma"), "it is compressed by LZMA (method 14), which is read with the feature `lzma`"),
            (93, cfg!(feature = "zstd"), "it is compressed by Zstandard (method 93), which is read with the feature `zstd`"),
        ];
        for (method, is_there, message) in features {
            assert_eq!(problem(method).as_deref(), if is_there { None } else { Some(message) });
        }
        assert!(problem(9).unwrap().starts_with("it is compressed by method 9, which is not read; stored (0), deflate (8)"));
    }
}

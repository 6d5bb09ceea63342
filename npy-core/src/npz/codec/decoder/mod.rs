//! Decompression: one loop over the methods of zip archives (APPNOTE 4.4.5).

mod fuse;
#[cfg(feature = "lzma")]
mod lzma;
mod step;
#[cfg(feature = "zstd")]
mod zstd;

use std::io::{self, BufRead, Read};

use flate2::Decompress;

use super::super::zip::problem::damaged;
use super::super::zip::records::{DEFLATED, STORED};
use super::inflate::is_between_blocks;
use super::input::Input;
use crate::error::{Error, ErrorKind, Result};
use crate::memory::ReadBuf;
use fuse::Fuse;
use step::Step;

const BZIP2: u16 = 12;
const LZMA: u16 = 14;
const ZSTD: u16 = 93;

/// Decompresses the data of a member.
pub(crate) enum Decoder {
    Stored,
    Compressed(Fuse<Codec>),
    /// It reads its input itself.
    #[cfg(feature = "zstd")]
    Zstd(Fuse<Box<zstd::Zstd>>),
}

/// A decompressor, which [`Fuse::call`] does not call again after an error.
pub(crate) enum Codec {
    Deflated(Box<Decompress>),
    #[cfg(feature = "bzip2")]
    Bzip2(Box<bzip2::Decompress>),
    #[cfg(feature = "lzma")]
    Lzma(Box<lzma::Lzma>),
}

impl Decoder {
    /// Creates the decoder of a method. LZMA needs `has_end_mark`, and the `size` of the content
    /// otherwise.
    pub(crate) fn new(method: u16, has_end_mark: bool, size: Option<u64>) -> Result<Self> {
        // Unused without the feature `lzma`.
        let _ = (has_end_mark, size);
        let codec = match method {
            STORED => return Ok(Self::Stored),
            DEFLATED => Codec::Deflated(Box::new(Decompress::new(false))),
            #[cfg(feature = "bzip2")]
            BZIP2 => Codec::Bzip2(Box::new(bzip2::Decompress::new(false))),
            #[cfg(not(feature = "bzip2"))]
            BZIP2 => return Err(missing_feature("bzip2", method, "bzip2")),
            #[cfg(feature = "lzma")]
            LZMA => Codec::Lzma(Box::new(lzma::Lzma::new(if has_end_mark { None } else { size }, size))),
            #[cfg(not(feature = "lzma"))]
            LZMA => return Err(missing_feature("LZMA", method, "lzma")),
            #[cfg(feature = "zstd")]
            ZSTD => return Ok(Self::Zstd(Fuse::new(Box::new(zstd::Zstd::new(size))))),
            #[cfg(not(feature = "zstd"))]
            ZSTD => return Err(missing_feature("Zstandard", method, "zstd")),
            method => {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    format!(
                        "unknown compression method {method}: expected stored (0), deflate (8), bzip2 (12), LZMA (14) or Zstandard (93)"
                    ),
                ));
            }
        };
        Ok(Self::Compressed(Fuse::new(codec)))
    }

    pub(crate) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored)
    }

    /// Decompresses some bytes. Returns whether compressed data end after them.
    ///
    /// The call may be repeated after an error of the input.
    pub(crate) fn fill<R: Read>(&mut self, input: &mut Input<R>, buf: &mut ReadBuf<'_>) -> io::Result<bool> {
        let codec = match self {
            Self::Stored => return input.fill(buf).map(|()| false),
            Self::Compressed(codec) => codec,
            #[cfg(feature = "zstd")]
            Self::Zstd(decoder) => return decoder.call(|decoder| decoder.fill(input, buf)),
        };
        loop {
            let available = input.fill_buf()?;
            let step = codec.call(|codec| codec.step(available, buf).and_then(|step| step.expect_progress(available)))?;
            input.consume(step.used);
            if step.is_end {
                #[cfg(feature = "lzma")]
                codec.call(|codec| {
                    if let Codec::Lzma(decoder) = codec {
                        input.put_back(decoder.unused());
                    }
                    Ok(())
                })?;
                return Ok(true);
            }
            if step.given > 0 {
                return Ok(false);
            }
        }
    }

    /// Begins an independent deflate block after one whose last bytes are these.
    pub(crate) fn begin_block(&mut self, last: &[u8]) -> io::Result<()> {
        let Self::Compressed(codec) = self else { return Err(damaged()) };
        codec.call(|codec| {
            if let Codec::Deflated(decoder) = codec
                && is_between_blocks(decoder, last)
            {
                decoder.reset(false);
                return Ok(());
            }
            Err(damaged())
        })
    }

    /// Makes all further calls fail.
    pub(crate) fn fail(&mut self) {
        match self {
            Self::Stored => {}
            Self::Compressed(codec) => codec.discard(),
            #[cfg(feature = "zstd")]
            Self::Zstd(decoder) => decoder.discard(),
        }
    }
}

impl Codec {
    /// Calls the decompressor once.
    fn step(&mut self, input: &[u8], buf: &mut ReadBuf<'_>) -> io::Result<Step> {
        match self {
            Self::Deflated(decoder) => {
                let before = (decoder.total_in(), buf.filled());
                let status = buf.inflate_some(decoder, input).map_err(|_| damaged())?;
                let (used, given) = (difference(decoder.total_in(), before.0), buf.filled() - before.1);
                Ok(Step { used, given, is_end: status == flate2::Status::StreamEnd })
            }
            #[cfg(feature = "bzip2")]
            Self::Bzip2(decoder) => step_zeroed(buf, |output| {
                let before = (decoder.total_in(), decoder.total_out());
                let status = decoder.decompress(input, output).map_err(|_| damaged())?;
                let (used, given) = (difference(decoder.total_in(), before.0), difference(decoder.total_out(), before.1));
                Ok(Step { used, given, is_end: status == bzip2::Status::StreamEnd })
            }),
            #[cfg(feature = "lzma")]
            Self::Lzma(decoder) => step_zeroed(buf, |output| decoder.step(input, output)),
        }
    }
}

/// Calls a decompressor that needs initialised memory.
#[cfg(any(feature = "bzip2", feature = "lzma"))]
fn step_zeroed(buf: &mut ReadBuf<'_>, step: impl FnOnce(&mut [u8]) -> io::Result<Step>) -> io::Result<Step> {
    buf.fill_with(|output| {
        let step = step(output);
        let given = step.as_ref().map_or(0, |step| step.given);
        (step, given)
    })
}

/// The growth of a counter, at most the length of a slice.
fn difference(after: u64, before: u64) -> usize {
    usize::try_from(after - before).unwrap_or_default()
}

#[cfg(not(all(feature = "bzip2", feature = "lzma", feature = "zstd")))]
fn missing_feature(name: &str, method: u16, feature: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("unsupported compression: {name} (method {method}) needs feature `{feature}`"))
}

#[cfg(test)]
mod tests {
    use super::{BZIP2, DEFLATED, Decoder, LZMA, STORED, ZSTD};

    /// The error of reading content of unknown size.
    #[cfg(any(feature = "lzma", feature = "zstd"))]
    fn error_of(method: u16, data: &[u8]) -> String {
        let mut input = super::Input::new(data, |reader, buf| buf.read_from(reader));
        let mut byte = [0];
        let mut buf = super::ReadBuf::over(&mut byte);
        super::Error::from(Decoder::new(method, true, None).unwrap().fill(&mut input, &mut buf).unwrap_err()).to_string()
    }

    #[test]
    #[cfg(feature = "lzma")]
    fn rejects_large_lzma_dictionary() {
        let header = |dictionary: u32| [&[9, 20, 5, 0, 0x5d][..], &dictionary.to_le_bytes()].concat();
        assert_eq!(error_of(LZMA, &header((128 << 20) + 1)), "dictionary too large: expected at most 128 MiB");
        assert!(!error_of(LZMA, &header(1 << 20)).contains("dictionary"));
    }

    #[test]
    #[cfg(feature = "zstd")]
    fn rejects_large_zstd_window() {
        // A window of 1 KiB shifted by the upper five bits of the last byte.
        let header = |log: u8| [0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3];
        assert_eq!(error_of(ZSTD, &header(28)), "dictionary too large: expected at most 128 MiB");
        assert!(!error_of(ZSTD, &header(27)).contains("dictionary"));
    }

    #[test]
    fn errors_of_methods_name_their_features() {
        let problem = |method| Decoder::new(method, false, Some(1)).err().map(|problem| problem.to_string());
        let features = [
            (STORED, true, ""),
            (DEFLATED, true, ""),
            (BZIP2, cfg!(feature = "bzip2"), "unsupported compression: bzip2 (method 12) needs feature `bzip2`"),
            (LZMA, cfg!(feature = "lzma"), "unsupported compression: LZMA (method 14) needs feature `lzma`"),
            (ZSTD, cfg!(feature = "zstd"), "unsupported compression: Zstandard (method 93) needs feature `zstd`"),
        ];
        for (method, is_there, message) in features {
            assert_eq!(problem(method).as_deref(), if is_there { None } else { Some(message) });
        }
        assert!(problem(9).unwrap().starts_with("unknown compression method 9: expected stored (0), deflate (8)"));
    }
}

//! Zstandard in zip archives (method 93): one frame.

use std::io::{self, Read};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::super::input::Input;
use crate::memory::ReadBuf;
use crate::npz::zip::problem::{damaged, large_dictionary};

/// The window of an encoder that does not know the size of its input.
const USUAL_WINDOW: u64 = 8 << 20;

/// The largest window that is allocated, and the one of the highest level.
const MOST_WINDOW: u64 = 128 << 20;

/// Decompresses the data of a member.
pub(crate) struct Zstd {
    decoder: FrameDecoder,
    has_begun: bool,
}

impl Zstd {
    /// Creates a decoder for content of `size` bytes, which bounds the window.
    pub(super) fn new(size: Option<u64>) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(size.unwrap_or(MOST_WINDOW).clamp(USUAL_WINDOW, MOST_WINDOW).next_power_of_two());
        Self { decoder, has_begun: false }
    }

    /// Decompresses some bytes. Returns whether the content ends after them. The decoder reads no byte
    /// after the frame.
    pub(super) fn fill<R: Read>(&mut self, input: &mut Input<R>, buf: &mut ReadBuf<'_>) -> io::Result<bool> {
        let Self { decoder, has_begun } = self;
        let mut noting = Noting { input, error: None };
        if let Err(cause) = decode_some(decoder, has_begun, &mut noting) {
            let Noting { input, error } = noting;
            return Err(match (error, cause) {
                (Some(error), _) => error,
                (None, FrameDecoderError::WindowSizeTooBig { max, .. }) => large_dictionary(max),
                (None, _) if input.left() == Some(0) => io::ErrorKind::UnexpectedEof.into(),
                (None, _) => damaged(),
            });
        }
        buf.fill_with(|output| {
            let given = decoder.read(output);
            let count = *given.as_ref().unwrap_or(&0);
            (given.map(|_| ()), count)
        })?;
        Ok(decoder.is_finished() && decoder.can_collect() == 0)
    }
}

/// Decodes until there are bytes to return, or the frame ends.
fn decode_some(decoder: &mut FrameDecoder, has_begun: &mut bool, mut input: impl Read) -> Result<(), FrameDecoderError> {
    if !*has_begun {
        decoder.init(&mut input)?;
        *has_begun = true;
    }
    while decoder.can_collect() == 0 && !decoder.is_finished() {
        decoder.decode_blocks(&mut input, BlockDecodingStrategy::UptoBlocks(1))?;
    }
    Ok(())
}

/// Keeps an error of the reader, which the decoder replaces by its own.
struct Noting<'a, R> {
    input: &'a mut Input<R>,
    error: Option<io::Error>,
}

impl<R: Read> Read for Noting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer).map_err(|error| {
            let kind = error.kind();
            self.error = Some(error);
            kind.into()
        })
    }
}

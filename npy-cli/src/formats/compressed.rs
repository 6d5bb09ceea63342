//! Files that gzip or Zstandard has compressed as a whole, by their content.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use npy_core::error::ForeignFormat;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::below::input_of;
use crate::failure::{Failure, Result};
use crate::input::{Input, Named, Other, Spool, not_spooled};
use crate::signals::Checked;

/// A stream of bytes.
type Stream = Box<dyn Read + Send>;

/// A file in one of NumPy's formats, compressed as a whole.
pub(crate) struct Compressed {
    file: Other,
    format: ForeignFormat,
}

/// Opens an argument in one of NumPy's formats, which may be compressed as a whole.
pub(crate) fn numpy(text: &OsStr) -> Result<Input> {
    match Input::find(text)? {
        Named::Other(other) => Compressed::of(other)?.into_file(),
        named => input_of(named),
    }
}

impl Compressed {
    /// Fails for a file that is not compressed as a whole.
    pub(super) fn of(file: Other) -> Result<Self> {
        match ForeignFormat::of(&file.front).filter(|format| is_compression(*format)) {
            Some(format) => Ok(Self { file, format }),
            None => Err(file.failure()),
        }
    }

    /// The content as a stream, which is not in a temporary file unless its format needs that.
    pub(crate) fn into_stream(mut self) -> Result<Input> {
        let content = self.content()?;
        input_of(Input::of_stream(&self.file.name, content, self.file.part)?)
    }

    /// The content in a temporary file, so that all of it is whole before any is used.
    pub(crate) fn into_file(mut self) -> Result<Input> {
        let spool = self.content().and_then(spooled).map_err(|failure| failure.about(&self.file.name))?;
        input_of(Input::spooled(&self.file.name, spool, None)?.with_part(self.file.part)?)
    }

    fn content(&mut self) -> Result<Stream> {
        let stream = self.file.bytes()?;
        Ok(decoder(self.format, stream))
    }
}

/// Whether this is a format of files that are compressed as a whole.
fn is_compression(format: ForeignFormat) -> bool {
    matches!(format, ForeignFormat::Gzip | ForeignFormat::Zstd)
}

/// The format that a regular file has by its first bytes.
fn looks_like(path: &Path) -> Option<ForeignFormat> {
    // Opening a pipe would wait for its writer.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut front = Vec::new();
    File::open(path).ok()?.take(ForeignFormat::FRONT_BYTES as u64).read_to_end(&mut front).ok()?;
    ForeignFormat::of(&front)
}

/// The decompressed content of a stream.
fn decoder(format: ForeignFormat, stream: Stream) -> Stream {
    let compressed = BufReader::with_capacity(1 << 16, Checked(stream));
    let content: Stream = match format {
        ForeignFormat::Gzip => Box::new(MultiGzDecoder::new(compressed)),
        _ => Box::new(Frames { compressed, decoder: FrameDecoder::new(), is_open: false }),
    };
    Box::new(Decoder { format, content })
}

/// The content of a compressed file in a temporary one; `None` of any other file.
pub(super) fn decompressed(path: &Path) -> Result<Option<Spool>> {
    let Some(format) = looks_like(path).filter(|format| is_compression(*format)) else { return Ok(None) };
    let file = File::open(path).map_err(Failure::cannot("open the file"))?;
    spooled(decoder(format, Box::new(file))).map(Some)
}

/// The content that a decoder gives, in a temporary file.
fn spooled(mut content: Stream) -> Result<Spool> {
    // An error of the decoder has a message.
    let failed =
        |error: io::Error| if error.get_ref().is_some() { Failure::Nameless(error.to_string()) } else { not_spooled(&error) };
    Spool::written(|file| io::copy(&mut content, file).map(drop).map_err(failed))
}

/// Decompressed data, whose errors name the compression.
struct Decoder {
    format: ForeignFormat,
    content: Stream,
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Not as the end of the file, which would be that of the content.
        self.content.read(buffer).map_err(|error| io::Error::other(format!("cannot decompress {}: {error}", self.format)))
    }
}

/// The data of frames of Zstandard that follow each other.
struct Frames<R> {
    compressed: R,
    decoder: FrameDecoder,
    /// Whether the decoder has a frame that is not at its end.
    is_open: bool,
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the data is damaged")
}

impl<R: BufRead> Frames<R> {
    /// Begins the next frame that is not to be skipped; `false` at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.compressed.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.compressed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut self.compressed.by_ref().take(length.into()), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
                    return Err(io::Error::other("its window is larger than this decoder supports; use zstd -d"));
                }
                Err(_) => return Err(damaged()),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_open && !self.begin()? {
                return Ok(0);
            }
            self.is_open = true;
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let block = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.compressed, block).map_err(|_| damaged())?;
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let sum = self.decoder.get_checksum_from_data();
            if sum.is_some() && sum != self.decoder.get_calculated_checksum() {
                return Err(damaged());
            }
            self.is_open = false;
        }
    }
}

/// The path without `.gz` or `.zst`.
pub(super) fn inner(path: &Path) -> &Path {
    let is_compressed =
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz") || extension.eq_ignore_ascii_case("zst"));
    path.file_stem().filter(|_| is_compressed).map_or(path, Path::new)
}

//! Files that gzip or Zstandard has compressed as a whole, by their content.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use npy_core::error::ForeignFormat;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::Spool;
use crate::signals;

/// The format that a file of another extension looks like.
pub(super) fn looks_like(path: &Path) -> Option<ForeignFormat> {
    // Opening a pipe would wait for its writer.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut front = Vec::new();
    File::open(path).ok()?.take(ForeignFormat::FRONT_BYTES as u64).read_to_end(&mut front).ok()?;
    ForeignFormat::of(&front)
}

/// The content of a compressed file; `None` of any other.
pub(super) fn decompressed(path: &OsStr) -> Result<Option<Spool>> {
    let format = looks_like(Path::new(path));
    let Some(format @ (ForeignFormat::Gzip | ForeignFormat::Zstd)) = format else { return Ok(None) };
    let failed = |error: io::Error| Failure::new(format!("{}: cannot decompress {format}: {error}", escape::path(path)));
    let mut compressed = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    Spool::written(|file| {
        if format == ForeignFormat::Gzip {
            return copy(&mut MultiGzDecoder::new(compressed), file).map_err(failed);
        }
        // Several frames follow each other.
        while !compressed.fill_buf().map_err(failed)?.is_empty() {
            copy_frame(&mut compressed, file).map_err(failed)?;
            signals::check()?;
        }
        Ok(())
    })
    .map(Some)
}

/// Copies the data of a frame of Zstandard, which has none if it is to be skipped.
fn copy_frame(compressed: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the data is damaged");
    let mut frame = match StreamingDecoder::new(&mut *compressed) {
        Ok(frame) => frame,
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            let skipped = io::copy(&mut compressed.take(length.into()), &mut io::sink())?;
            return if skipped == u64::from(length) { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
            return Err(io::Error::other("its window is larger than this decoder supports; use zstd -d"));
        }
        Err(_) => return Err(damaged()),
    };
    copy(&mut frame, to).map_err(|error| if error.kind() == io::ErrorKind::Other { damaged() } else { error })?;
    let decoder = frame.into_frame_decoder();
    let is_whole = decoder.get_checksum_from_data().is_none_or(|sum| decoder.get_calculated_checksum() == Some(sum));
    if is_whole || signals::came() { Ok(()) } else { Err(damaged()) }
}

/// Copies to the end, or until a signal comes.
fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    while !signals::came() && io::copy(&mut from.take(1 << 24), to)? > 0 {}
    Ok(())
}

/// The path without `.gz` or `.zst`.
pub(super) fn inner(path: &Path) -> &Path {
    let is_compressed =
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz") || extension.eq_ignore_ascii_case("zst"));
    path.file_stem().filter(|_| is_compressed).map_or(path, Path::new)
}

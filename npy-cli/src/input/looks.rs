//! Recognizes files that are no arrays, for the advice of errors.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use npy_core::FileFormat;
use npy_core::error::ForeignFormat;

use crate::failure::Failure;

/// Bytes that are read to tell the format of a file.
pub(super) const FRONT_BYTES: u64 = ForeignFormat::FRONT_BYTES as u64;

/// The error for a file that begins like this: the format that it seems to be, and advice.
pub(super) fn unknown_format(front: &[u8]) -> Failure {
    let found = match ForeignFormat::of(front) {
        _ if front.is_empty() => "an empty file".to_owned(),
        Some(format) => match advice(format) {
            None => format.to_string(),
            Some(advice) => format!("{format}; {advice}"),
        },
        None => format!("\"{}\"", front[..front.len().min(16)].escape_ascii()),
    };
    Failure::Nameless(format!("unknown format: expected an .npy, .npz or .ra file, found {found}"))
}

/// The command that reads such a file, or else the advice of the library.
fn advice(format: ForeignFormat) -> Option<&'static str> {
    Some(match format {
        ForeignFormat::Png => "`npy convert image.png image.npy` reads it",
        ForeignFormat::Gzip => "decompress it first, as in `gzip -dc FILE | npy info -`",
        ForeignFormat::Bzip2 => "decompress it first, as in `bzip2 -dc FILE | npy info -`",
        ForeignFormat::Xz => "decompress it first, as in `xz -dc FILE | npy info -`",
        ForeignFormat::Zstd => "decompress it first, as in `zstd -dc FILE | npy info -`",
        ForeignFormat::Lz4 => "decompress it first, as in `lz4 -dc FILE | npy info -`",
        ForeignFormat::Tar => "extract the files in it first, as by `tar -xf FILE`",
        ForeignFormat::Parquet => "`npy convert --from parquet FILE data.npy` reads it, if built with the feature `arrow`",
        ForeignFormat::Arrow => "`npy convert --from arrow FILE data.npy` reads it, if built with the feature `arrow`",
        ForeignFormat::Base64 => "decode it first, as in `base64 -d FILE | npy info -`",
        ForeignFormat::Json => "`npy convert --from json data.txt data.npy` reads arrays of it",
        ForeignFormat::Safetensors => "`npy convert model.safetensors model.npz` reads it",
        ForeignFormat::Csv => "`npy convert --from csv table.txt table.npy` reads it",
        ForeignFormat::Tsv => "`npy convert --from tsv table.txt table.npy` reads it",
        ForeignFormat::Numbers => "`tr -s ' ' , < table.txt | npy convert --from csv - table.npy` reads them",
        ForeignFormat::Text => "`npy convert --from csv data.txt data.npy` reads it line by line",
        _ => return format.advice(),
    })
}

/// The damage of a transfer in text mode, if an `.npy` file that lacks `missing` bytes shows it.
pub(crate) fn text_transfer(path: &Path, missing: u64) -> Option<&'static str> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path).ok()?);
    if FileFormat::is_text_transfer(reader.fill_buf().ok()?) {
        return Some(
            "damaged by a transfer in text mode: each \"\\n\" became another line end, which changes the elements; copy it again in binary mode",
        );
    }
    let bytes = path.metadata().ok()?.len();
    // Of random bytes a transfer loses one in 65536. A few bytes tell nothing.
    let is_lost = missing > 0 && missing <= bytes / 1024 && bytes >= 8192 && !has_line_ends(reader).ok()?;
    is_lost.then_some("perhaps damaged by a transfer in text mode: no \"\\r\\n\" is left in it; copy it again in binary mode")
}

/// Whether there is a `\r\n`.
fn has_line_ends(mut reader: impl Read) -> std::io::Result<bool> {
    let (mut buffer, mut last) = (vec![0; 1 << 16], 0);
    loop {
        let count = reader.read(&mut buffer)?;
        let bytes = buffer.get(..count).unwrap_or_default();
        let Some(end) = bytes.last() else { return Ok(false) };
        if last == b'\r' && bytes.first() == Some(&b'\n') || bytes.windows(2).any(|pair| pair == b"\r\n") {
            return Ok(true);
        }
        last = *end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_a_file_looks_like() {
        for (front, expected) in [
            (&b""[..], "an empty file"),
            (b"\x89HDF\r\n\x1a\n", "an HDF5 file; read it with h5py or `h5dump`"),
            (b"\x1f\x8b\x08", "gzip data; decompress it first, as in `gzip -dc FILE | npy info -`"),
            (b"a,b\n1,2\n", "comma-separated text; `npy convert --from csv table.txt table.npy` reads it"),
            (b"%PDF-1.7", "a PDF document"),
            (b"\x00\x01\x02", "\"\\x00\\x01\\x02\""),
        ] {
            let message = unknown_format(front).to_string();
            assert!(message.ends_with(&format!("found {expected}")), "{message}");
        }
    }
}

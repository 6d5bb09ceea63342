//! Recognizes files that are no arrays, for the advice of errors.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use npy_core::FileFormat;
use npy_core::error::ForeignFormat;

use crate::failure::Failure;

/// Bytes that are read to tell the format of a file.
pub(super) const FRONT_BYTES: u64 = ForeignFormat::FRONT_BYTES as u64;

/// The error for a file of this name that begins like this: the format that it seems to be, and advice.
pub(super) fn unknown_format(front: &[u8], name: &str) -> Failure {
    let found = match ForeignFormat::of(front) {
        _ if front.is_empty() => "an empty file".to_owned(),
        Some(format) => match advice(format) {
            None => format.to_string(),
            Some(advice) => format!("{format}; {}", advice.replace("FILE", &shell_word(name))),
        },
        None => format!("\"{}\"", front[..front.len().min(16)].escape_ascii()),
    };
    Failure::Nameless(format!("unknown format: expected an .npy, .npz or .ra file, found {found}"))
}

/// The command that reads such a `FILE`, or else the advice of the library.
fn advice(format: ForeignFormat) -> Option<&'static str> {
    Some(match format {
        ForeignFormat::Png => "`npy convert FILE image.npy` reads it",
        ForeignFormat::Gzip => "decompress it first, as in `gzip -dc FILE | npy info -`",
        ForeignFormat::Bzip2 => "decompress it first, as in `bzip2 -dc FILE | npy info -`",
        ForeignFormat::Xz => "decompress it first, as in `xz -dc FILE | npy info -`",
        ForeignFormat::Zstd => "decompress it first, as in `zstd -dc FILE | npy info -`",
        ForeignFormat::Lz4 => "decompress it first, as in `lz4 -dc FILE | npy info -`",
        ForeignFormat::Tar => "extract the files in it first, as by `tar -xf FILE`",
        ForeignFormat::Parquet => "`npy convert --from parquet FILE data.npy` reads it, if built with the feature `arrow`",
        ForeignFormat::Arrow => "`npy convert --from arrow FILE data.npy` reads it, if built with the feature `arrow`",
        ForeignFormat::Base64 => "decode it first, as in `base64 -d FILE | npy info -`",
        ForeignFormat::Json => "`npy convert --from json FILE data.npy` reads arrays of it",
        ForeignFormat::Safetensors => "`npy convert FILE model.npz` reads it",
        ForeignFormat::Csv => "`npy convert --from csv FILE table.npy` reads it",
        ForeignFormat::Tsv => "`npy convert --from tsv FILE table.npy` reads it",
        ForeignFormat::Numbers => "`npy convert --from csv --delimiter space FILE table.npy` reads them",
        ForeignFormat::Text => "`npy convert --from csv FILE data.npy` reads it line by line",
        _ => return format.advice(),
    })
}

/// A name as a shell reads it.
fn shell_word(name: &str) -> Cow<'_, str> {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./:=@%+,".contains(character);
    if name.chars().all(is_plain) { Cow::Borrowed(name) } else { Cow::Owned(format!("'{}'", name.replace('\'', r"'\''"))) }
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
            (b"\x1f\x8b\x08", "gzip data; decompress it first, as in `gzip -dc a.dat | npy info -`"),
            (b"a,b\n1,2\n", "comma-separated text; `npy convert --from csv a.dat table.npy` reads it"),
            (b"%PDF-1.7", "a PDF document"),
            (b"\x00\x01\x02", "\"\\x00\\x01\\x02\""),
        ] {
            let message = unknown_format(front, "a.dat").to_string();
            assert!(message.ends_with(&format!("found {expected}")), "{message}");
        }
        let message = unknown_format(b"a,b\n1,2\n", "it's 1.txt").to_string();
        assert!(message.ends_with(r"`npy convert --from csv 'it'\''s 1.txt' table.npy` reads it"), "{message}");
    }
}

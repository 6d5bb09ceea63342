//! What a file that is not an array looks like.

use crate::failure::Failure;

/// Bytes that are read to tell the format of a file.
pub(super) const FRONT_BYTES: u64 = 512;

/// The error for a file that begins like this: what it looks like, and what to do about it.
pub(super) fn unknown_format(front: &[u8]) -> Failure {
    let found = match look(front) {
        Some(found) => found.to_owned(),
        None => format!("\"{}\"", front[..front.len().min(16)].escape_ascii()),
    };
    Failure::Nameless(format!("unknown format: expected an .npy, .npz or .ra file, found {found}"))
}

fn look(front: &[u8]) -> Option<&'static str> {
    let text = std::str::from_utf8(front).or_else(|error| std::str::from_utf8(&front[..error.valid_up_to()]));
    let text = text.unwrap_or_default().trim_start();
    let lower = text.get(..15).unwrap_or(text).to_ascii_lowercase();
    Some(match front {
        [] => "an empty file",
        [0x89, b'H', b'D', b'F', ..] => "an HDF5 file; read it with h5py or `h5dump`",
        [0x89, b'P', b'N', b'G', ..] => "a PNG image; `npy convert image.png image.npy` reads it",
        [0xff, 0xd8, 0xff, ..] => "a JPEG image",
        [b'G', b'I', b'F', b'8', ..] => "a GIF image",
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => "a TIFF image",
        [0x1f, 0x8b, ..] => "gzip data; decompress it first, as in `gzip -dc FILE | npy info -`",
        [b'B', b'Z', b'h', ..] => "bzip2 data; decompress it first, as in `bzip2 -dc FILE | npy info -`",
        [0xfd, b'7', b'z', b'X', b'Z', ..] => "xz data; decompress it first, as in `xz -dc FILE | npy info -`",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "Zstandard data; decompress it first, as in `zstd -dc FILE | npy info -`",
        [b'P', b'A', b'R', b'1', ..] => "a Parquet file",
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => "an Arrow IPC file",
        [b'C', b'D', b'F', 1 | 2 | 5, ..] => "a NetCDF file",
        [0x80, 2..=5, ..] => "a Python pickle, which is not an array; load it in Python, and save it by np.save",
        [0x93, b'N', b'U', b'M', ..] => "the beginning of an .npy file; the file is truncated",
        [0xc2, 0x93, b'N', b'U', ..] | [0xef, 0xbf, 0xbd, b'N', ..] | [b'?', b'N', b'U', b'M', b'P', b'Y', ..] => {
            "an .npy file damaged by a text conversion; copy it again in binary mode"
        }
        [0x7f, b'E', b'L', b'F', ..] => "an ELF program",
        [b'%', b'P', b'D', b'F', ..] => "a PDF document",
        _ if front.starts_with(b"MATLAB 5.0") => "a MATLAB file; read it with scipy.io.loadmat",
        _ if front.starts_with(b"SQLite format 3") => "an SQLite database",
        _ if text.starts_with("version https://git-lfs") => "a git-lfs pointer; run `git lfs pull` to get the file itself",
        _ if lower.starts_with("<!doctype html") || lower.starts_with("<html") => {
            "an HTML page; the download gave a web page instead of the file"
        }
        _ if text.starts_with(['{', '[']) => "JSON text; `npy convert --from json data.txt data.npy` reads arrays of it",
        _ if front.get(8) == Some(&b'{') && front.get(4..8) == Some(&[0; 4]) => {
            "a safetensors file; `npy convert model.safetensors model.npz` reads it"
        }
        _ if is_table(text, ',') => "comma-separated text; `npy convert --from csv table.txt table.npy` reads it",
        _ if is_table(text, '\t') => "tab-separated text; `npy convert --from tsv table.txt table.npy` reads it",
        _ if is_numbers(text) => {
            "numbers between spaces; `tr -s ' ' , < table.txt | npy convert --from csv - table.npy` reads them"
        }
        _ if !text.is_empty() && text.len() + 4 > front.len() && !text.contains('\0') => {
            "plain text; `npy convert --from csv data.txt data.npy` reads it line by line"
        }
        _ => return None,
    })
}

/// Whether the first two lines have the same number of delimiters, and at least one.
fn is_table(text: &str, delimiter: char) -> bool {
    let mut counts = text.lines().take(2).map(|line| line.matches(delimiter).count());
    matches!((counts.next(), counts.next()), (Some(first @ 1..), Some(second)) if first == second)
}

/// Whether the first line has several numbers, as `np.savetxt` writes them.
fn is_numbers(text: &str) -> bool {
    let mut words = text.lines().next().unwrap_or_default().split(' ').filter(|word| !word.is_empty()).peekable();
    words.next().is_some_and(|word| word.parse::<f64>().is_ok())
        && words.peek().is_some()
        && words.all(|word| word.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_a_file_looks_like() {
        for (front, expected) in [
            (&b""[..], "an empty file"),
            (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
            (b"\x89PNG\r\n\x1a\n", "a PNG image"),
            (b"version https://git-lfs.github.com/spec/v1\n", "a git-lfs pointer"),
            (b"<!DOCTYPE html>\n<html>", "an HTML page"),
            (b"\x1f\x8b\x08", "gzip data"),
            (b"a,b\n1,2\n", "comma-separated text"),
            (b"{\"a\": 1}", "JSON text"),
            (b"a\tb\n1\t2\n", "tab-separated text"),
            (b"1.0e+00 2.0e+00\n3.0e+00 4.0e+00\n", "numbers between spaces"),
            (b"hello\n", "plain text"),
            (b"\x00\x01\x02", "\"\\x00\\x01\\x02\""),
        ] {
            let message = unknown_format(front).to_string();
            assert!(message.contains(&format!("found {expected}")), "{message}");
        }
    }
}

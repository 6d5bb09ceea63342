//! Files of other formats, recognized by how they begin.

use std::fmt;

/// A format that this library does not read, or damage to one that it does.
///
/// Errors name it, with what to do.
///
/// ```
/// use npy_core::error::ForeignFormat;
///
/// let found = ForeignFormat::of(b"version https://git-lfs.github.com/spec/v1\n").unwrap();
/// assert_eq!(found.to_string(), "a git-lfs pointer");
/// assert_eq!(found.advice(), Some("run `git lfs pull` to get the file itself"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForeignFormat {
    /// HDF5.
    Hdf5,
    /// A PNG image.
    Png,
    /// A JPEG image.
    Jpeg,
    /// A GIF image.
    Gif,
    /// A TIFF image.
    Tiff,
    /// gzip, of one file or of an archive.
    Gzip,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
    /// Zstandard.
    Zstd,
    /// LZ4 frames.
    Lz4,
    /// A tar archive.
    Tar,
    /// A 7z archive.
    SevenZip,
    /// Parquet.
    Parquet,
    /// Arrow IPC, also called Feather.
    Arrow,
    /// The classic format of `NetCDF`.
    NetCdf,
    /// A pickle of Python.
    Pickle,
    /// MATLAB.
    Matlab,
    /// `SQLite`.
    Sqlite,
    /// A program for Unix.
    Elf,
    /// PDF.
    Pdf,
    /// The pointer that Git LFS stores instead of a large file.
    GitLfs,
    /// A web page.
    Html,
    /// XML.
    Xml,
    /// JSON.
    Json,
    /// safetensors.
    Safetensors,
    /// Lines of columns between commas.
    Csv,
    /// Lines of columns between tabs.
    Tsv,
    /// Lines of numbers between spaces, as `np.savetxt` writes them.
    Numbers,
    /// An `.npy` file as text in base64.
    Base64,
    /// Other text.
    Text,
    /// The first bytes of an `.npy` file.
    TruncatedNpy,
    /// An `.npy` file that was decoded as text and encoded again.
    ConvertedNpy,
}

impl ForeignFormat {
    /// The number of bytes that [`of`](Self::of) needs to recognize every format.
    pub const FRONT_BYTES: usize = 512;

    /// Returns the format of a file that begins with `front`, or `None` if it is unknown.
    pub fn of(front: &[u8]) -> Option<Self> {
        Some(match front {
            [] => return None,
            [0x89, b'H', b'D', b'F', ..] => Self::Hdf5,
            [0x89, b'P', b'N', b'G', ..] => Self::Png,
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'G', b'I', b'F', b'8', ..] => Self::Gif,
            [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => Self::Tiff,
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', ..] => Self::Xz,
            // A frame with data, or one to be skipped, with which parallel programs begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [4, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            [b'7', b'z', 0xbc, 0xaf, ..] => Self::SevenZip,
            _ if front.get(257..262) == Some(b"ustar") => Self::Tar,
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::Arrow,
            [b'C', b'D', b'F', 1 | 2 | 5, ..] => Self::NetCdf,
            [0x80, 2..=5, ..] => Self::Pickle,
            [0x7f, b'E', b'L', b'F', ..] => Self::Elf,
            [b'%', b'P', b'D', b'F', ..] => Self::Pdf,
            _ if front.starts_with(b"MATLAB ") => Self::Matlab,
            _ if front.starts_with(b"SQLite f") => Self::Sqlite,
            _ if b"\x93NUMPY\x01\x00".starts_with(front) => Self::TruncatedNpy,
            _ if is_converted(front) => Self::ConvertedNpy,
            _ if front.starts_with(b"k05VTVBZ") => Self::Base64,
            _ if front.get(8) == Some(&b'{') && front.get(4..8) == Some(&[0; 4]) => Self::Safetensors,
            _ => return Self::of_text(front),
        })
    }

    fn of_text(front: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(front).or_else(|error| std::str::from_utf8(&front[..error.valid_up_to()]));
        let text = text.unwrap_or_default().trim_start_matches('\u{feff}').trim_start();
        let lower: String = text.chars().take(9).collect::<String>().to_ascii_lowercase();
        // Of a stream there are 8 bytes.
        let begins = |whole: &str| lower.len() >= 5 && (lower.starts_with(whole) || whole.starts_with(&lower));
        Some(match text {
            _ if begins("<!doctype") || begins("<html") => Self::Html,
            _ if text.starts_with("<?xml") => Self::Xml,
            _ if text.starts_with("version https://git-lfs") || text == "version " => Self::GitLfs,
            _ if text.starts_with(['{', '[']) => Self::Json,
            _ if is_table(text, ',') => Self::Csv,
            _ if is_table(text, '\t') => Self::Tsv,
            _ if is_numbers(text) => Self::Numbers,
            // All of it, but for a character that is cut off.
            _ if (text.len() > 8 || text.ends_with('\n')) && text.len() + 4 > front.len() && !text.contains('\0') => Self::Text,
            _ => return None,
        })
    }

    /// Returns what to do with such a file, if there is advice.
    pub const fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::Hdf5 => "read it with h5py or `h5dump`",
            Self::Gzip | Self::Bzip2 | Self::Xz | Self::Zstd | Self::Lz4 => "decompress it first",
            Self::Tar | Self::SevenZip => "extract the files in it first",
            Self::Png | Self::Parquet | Self::Arrow | Self::Json | Self::Safetensors | Self::Csv | Self::Tsv => {
                "the command `npy convert` reads it"
            }
            Self::Numbers | Self::Text => "the command `npy convert --from csv` reads text line by line",
            Self::Pickle => "load it in Python, and save its arrays with np.save",
            Self::Matlab => "read it with scipy.io.loadmat",
            Self::GitLfs => "run `git lfs pull` to get the file itself",
            Self::Html | Self::Xml => "the download gave a page instead of the file",
            Self::Base64 => "decode it first",
            Self::ConvertedNpy => "copy it again in binary mode",
            Self::TruncatedNpy => "the file is truncated",
            Self::Jpeg | Self::Gif | Self::Tiff | Self::NetCdf | Self::Sqlite | Self::Elf | Self::Pdf => return None,
        })
    }
}

impl fmt::Display for ForeignFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hdf5 => "an HDF5 file",
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
            Self::Gif => "a GIF image",
            Self::Tiff => "a TIFF image",
            Self::Gzip => "gzip data",
            Self::Bzip2 => "bzip2 data",
            Self::Xz => "xz data",
            Self::Zstd => "Zstandard data",
            Self::Lz4 => "LZ4 data",
            Self::Tar => "a tar archive",
            Self::SevenZip => "a 7z archive",
            Self::Parquet => "a Parquet file",
            Self::Arrow => "an Arrow IPC file",
            Self::NetCdf => "a NetCDF file",
            Self::Pickle => "a Python pickle",
            Self::Matlab => "a MATLAB file",
            Self::Sqlite => "an SQLite database",
            Self::Elf => "an ELF program",
            Self::Pdf => "a PDF document",
            Self::GitLfs => "a git-lfs pointer",
            Self::Html => "an HTML page",
            Self::Xml => "an XML document",
            Self::Json => "JSON text",
            Self::Safetensors => "a safetensors file",
            Self::Csv => "comma-separated text",
            Self::Tsv => "tab-separated text",
            Self::Numbers => "numbers between spaces",
            Self::Base64 => "an .npy file in base64",
            Self::Text => "plain text",
            Self::TruncatedNpy => "the beginning of an .npy file",
            Self::ConvertedNpy => "an .npy file damaged by a text conversion",
        })
    }
}

/// Whether the magic string was decoded as Latin-1, as invalid UTF-8, as ASCII or as 7 bits, and
/// encoded as UTF-8 or UTF-16.
fn is_converted(front: &[u8]) -> bool {
    let wide = |at: usize| front.get(at..).is_some_and(|rest| rest.starts_with(b"N\0U\0M\0"));
    match front {
        // The last one of Windows-1252, whose 0x93 is a quotation mark.
        [0xc2, 0x93, b'N', b'U', ..]
        | [0xef, 0xbf, 0xbd, b'N', b'U', ..]
        | [b'?' | 0x13 | 0x1a, b'N', b'U', b'M', b'P', b'Y', ..]
        | [0xe2, 0x80, 0x9c, b'N', b'U', ..] => true,
        [0xff, 0xfe, ..] => wide(4),
        _ => front.starts_with(b"NUMPY\x01\x00") || wide(2),
    }
}

/// Whether the first two lines have the same number of delimiters, and at least one.
fn is_table(text: &str, delimiter: char) -> bool {
    let mut counts = text.lines().take(2).map(|line| line.matches(delimiter).count());
    matches!((counts.next(), counts.next()), (Some(first @ 1..), Some(second)) if first == second)
}

/// Whether the first line has several numbers.
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
    fn recognizes_formats_by_their_first_bytes() {
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        for (front, expected) in [
            (&b"\x89HDF\r\n\x1a\n"[..], "an HDF5 file"),
            (b"\x89PNG\r\n\x1a\n", "a PNG image"),
            (b"\x1f\x8b\x08", "gzip data"),
            (b"BZh9", "bzip2 data"),
            (b"\xfd7zXZ\0", "xz data"),
            (b"\x28\xb5\x2f\xfd\x24", "Zstandard data"),
            (&tar, "a tar archive"),
            (b"PAR1\x15\x04", "a Parquet file"),
            (b"ARROW1\0\0", "an Arrow IPC file"),
            (b"version https://git-lfs.github.com/spec/v1\n", "a git-lfs pointer"),
            (b"version ", "a git-lfs pointer"),
            (b"<!DOCTYPE html>\n<html>", "an HTML page"),
            (b"<!DOCTYP", "an HTML page"),
            (b"\n <HTML lang=\"en\">", "an HTML page"),
            (b"<?xml version=\"1.0\"?>", "an XML document"),
            (b"a,b\n1,2\n", "comma-separated text"),
            (b"\xef\xbb\xbfa,b\r\n1,2\r\n", "comma-separated text"),
            (b"{\"a\": 1}", "JSON text"),
            (b"a\tb\n1\t2\n", "tab-separated text"),
            (b"1.0e+00 2.0e+00\n3.0e+00 4.0e+00\n", "numbers between spaces"),
            (b"hello, world\n", "plain text"),
            (b"\x93NUM", "the beginning of an .npy file"),
            (b"\xc2\x93NUMPY\x01\0", "an .npy file damaged by a text conversion"),
            (b"\xef\xbf\xbdNUMPY\x01", "an .npy file damaged by a text conversion"),
            (b"\xe2\x80\x9cNUMPY", "an .npy file damaged by a text conversion"),
            (b"?NUMPY\x01\0", "an .npy file damaged by a text conversion"),
            (b"NUMPY\x01\0v", "an .npy file damaged by a text conversion"),
            (b"\xff\xfe\x93\0N\0U\0M\0P\0Y\0", "an .npy file damaged by a text conversion"),
            (b"k05VTVBZAQB2AHsn", "an .npy file in base64"),
        ] {
            let found = ForeignFormat::of(front).map(|format| format.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{}", front.escape_ascii());
        }
        for front in [&b""[..], b"\x00\x01\x02", b"\x93NUMPX\x01\x00", b"hello"] {
            assert_eq!(ForeignFormat::of(front), None, "{}", front.escape_ascii());
        }
    }
}

//! Headers whose text is given, valid or not, until `npy-core` writes them.

use npy_core::Version;

/// Puts the magic string, the length and the padding of a version around the text of a header.
pub(crate) fn wrap(text: &str, version: Version) -> Option<Vec<u8>> {
    let encoded = match version {
        Version::V1 | Version::V2 => text.chars().map(|char| u8::try_from(char).ok()).collect::<Option<Vec<u8>>>()?,
        _ => text.as_bytes().to_vec(),
    };
    let prefix = if version == Version::V1 { 10 } else { 12 };
    let total = (prefix + encoded.len() + 1) / 64 * 64 + 64;
    let length = total - prefix;
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version.major(), 0]);
    match version {
        Version::V1 => bytes.extend(u16::try_from(length).ok()?.to_le_bytes()),
        _ => bytes.extend(u32::try_from(length).ok()?.to_le_bytes()),
    }
    bytes.extend(encoded);
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    Some(bytes)
}

/// Whether a header has integers as Python 2 wrote them, such as `3L`.
pub(crate) fn is_of_python_2(bytes: &[u8]) -> bool {
    let mut quote = None;
    bytes.windows(2).any(|pair| match (quote, pair) {
        (Some(open), [_, next]) => {
            if *next == open {
                quote = None;
            }
            false
        }
        (None, [digit, b'L']) if digit.is_ascii_digit() => true,
        (None, [_, next @ (b'\'' | b'"')]) => {
            quote = Some(*next);
            false
        }
        _ => false,
    })
}

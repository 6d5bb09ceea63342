//! Headers whose text is given, valid or not, as NumPy's `write_array_header_1_0` takes them. `npy-core` writes those that are valid.

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

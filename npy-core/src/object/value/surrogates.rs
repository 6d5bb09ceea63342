//! Python text with lone surrogates, which a `String` cannot hold.

/// A `str` with lone surrogates, such as `'\ud800'`.
///
/// Converting it to a `String` fails. It is printed with the surrogates escaped, and written as read.
///
/// See [`code_points`](Self::code_points) for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurrogateStr {
    bytes: Box<[u8]>,
}

impl SurrogateStr {
    /// Decodes UTF-8 with encoded surrogates (`surrogatepass`). Fails with the position of invalid bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, usize> {
        let mut rest = bytes;
        while let Err(error) = str::from_utf8(rest) {
            match rest.get(error.valid_up_to()..) {
                Some([0xed, 0xa0..=0xbf, 0x80..=0xbf, after @ ..]) => rest = after,
                from => return Err(bytes.len().saturating_sub(from.map_or(0, <[u8]>::len))),
            }
        }
        Ok(Self { bytes: bytes.into() })
    }

    /// Returns the text as UTF-8 with encoded surrogates: Python's `bytes.decode("utf-8", "surrogatepass")` reads it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the code points, surrogates included.
    ///
    /// ```
    /// # use npy_core::object::SurrogateStr;
    /// fn lossy(text: &SurrogateStr) -> String {
    ///     text.code_points().map(|code| char::from_u32(code).unwrap_or('\u{fffd}')).collect()
    /// }
    /// ```
    pub fn code_points(&self) -> impl Iterator<Item = u32> + Clone {
        let mut rest = &*self.bytes;
        std::iter::from_fn(move || {
            let length = match *rest.first()? {
                0..=0x7f => 1,
                0x80..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            let ([first, others @ ..], after) = rest.split_at_checked(length)? else { return None };
            rest = after;
            let mask = if length == 1 { 0x7f } else { 0x7f >> length };
            Some(others.iter().fold(u32::from(first & mask), |code, byte| code << 6 | u32::from(byte & 0x3f)))
        })
    }
}

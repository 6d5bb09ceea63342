//! Encoding of a header, as `numpy.lib.format` does: with padding and spare digits for growth.

use std::io::Write;

use super::super::dtype;
use super::{Escapes, Header, MAGIC, MAGIC_BYTES, Version, unstorable};
use crate::error::Result;
use crate::error::describe::Tuple;
use crate::options::Order;

/// NumPy aligns the data to this from 1.14 on.
pub(super) const ALIGNMENT: usize = 64;

/// Space for the length of the axis along which an array grows: the digits of 2⁶⁴, plus one.
const GROWTH_DIGITS: usize = 21;

impl Header {
    /// Encodes the header into a vector with capacity for `room` bytes of elements.
    pub(crate) fn to_bytes_with_room(&self, room: usize) -> Vec<u8> {
        // Encoding failed in `new` if it can fail: a header of 4 GiB.
        self.encode(room, Escapes::Allowed).map(|(_, bytes)| bytes).unwrap_or_default()
    }

    /// Encodes the header in the first version from `self.version` on that can hold it, if possible
    /// with capacity for `room` more bytes.
    pub(super) fn encode(&self, room: usize, escapes: Escapes) -> Result<(Version, Vec<u8>)> {
        // The length of the header is filled in afterwards. Another version replaces the prefix.
        let mut bytes = Vec::with_capacity(room.saturating_add(2 * ALIGNMENT + dtype::descr_room(&self.dtype)));
        bytes.extend_from_slice(b"\x93NUMPY\x01\0\0\0{'descr': ");
        let prefix = Version::V1.prefix_bytes();
        let growth = self.push_rest_of_dict(&mut bytes);
        let total = padded(bytes.len() + growth);
        if self.version == Version::V1
            && bytes[prefix..].is_ascii()
            && let Ok(length) = u16::try_from(total - prefix)
        {
            bytes[MAGIC_BYTES..prefix].copy_from_slice(&length.to_le_bytes());
            // Space for growth, and padding.
            bytes.resize(total, b' ');
            bytes[total - 1] = b'\n';
            return Ok((Version::V1, bytes));
        }
        bytes.resize(bytes.len() + growth, b' ');
        self.encode_dict(std::str::from_utf8(&bytes[prefix..]).unwrap_or_default(), escapes)
    }

    /// Appends the dict from its first value on. Returns the number of spaces for growth that follow.
    fn push_rest_of_dict(&self, text: &mut Vec<u8>) -> usize {
        dtype::write_descr(&self.dtype, text);
        match self.order {
            Order::C => text.extend_from_slice(b", 'fortran_order': False, 'shape': "),
            Order::Fortran => text.extend_from_slice(b", 'fortran_order': True, 'shape': "),
        }
        // A vector takes everything.
        let _ = write!(text, "{}", Tuple(&self.shape));
        text.extend_from_slice(b", }");
        self.growth()
    }

    /// The number of spaces after the dict for more digits of the axis along which an array grows.
    pub(super) fn growth(&self) -> usize {
        let growing = if self.order == Order::Fortran { self.shape.last() } else { self.shape.first() };
        growing.map_or(0, |length| {
            let digits = length.checked_ilog10().map_or(1, |log| log as usize + 1);
            GROWTH_DIGITS.saturating_sub(digits)
        })
    }

    /// The header with this dict in the first version that can hold it.
    pub(super) fn encode_dict(&self, text: &str, escapes: Escapes) -> Result<(Version, Vec<u8>)> {
        // One byte for each character, if all are in Latin-1.
        let mut latin1: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(character).ok()).collect();
        if latin1.is_none() && escapes == Escapes::Allowed {
            latin1 = Some(escape(text));
        }
        for version in Version::ALL {
            let encoded = if version == Version::V3 { Some(text.as_bytes()) } else { latin1.as_deref() };
            let Some(encoded) = encoded.filter(|_| version >= self.version) else { continue };
            let prefix = version.prefix_bytes();
            let total = padded(prefix + encoded.len());
            if total - prefix > version.longest_header() {
                continue;
            }
            let mut bytes = Vec::with_capacity(total);
            bytes.resize(prefix, 0);
            put_prefix(&mut bytes, version, total);
            bytes.extend(encoded);
            bytes.resize(total - 1, b' ');
            bytes.push(b'\n');
            return Ok((version, bytes));
        }
        Err(unstorable("expected a header of at most 4 GiB"))
    }
}

/// Encodes the text as latin-1. Other characters occur in names and titles only, which are Python
/// strings.
fn escape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u32::from(character) {
            code @ ..=0xffff => match u8::try_from(character) {
                Ok(byte) => bytes.push(byte),
                Err(_) => bytes.extend_from_slice(format!("\\u{code:04x}").as_bytes()),
            },
            code => bytes.extend_from_slice(format!("\\U{code:08x}").as_bytes()),
        }
    }
    bytes
}

/// The padded length of a header whose dict ends after `length` bytes. NumPy adds 1 to 64 spaces,
/// never 0, and a line feed.
fn padded(length: usize) -> usize {
    let unpadded = length + 1;
    unpadded + (ALIGNMENT - unpadded % ALIGNMENT)
}

/// Stores the magic string, the version and the length of the header in the space before the dict.
fn put_prefix(bytes: &mut [u8], version: Version, total: usize) {
    let length = (total - version.prefix_bytes()).to_le_bytes();
    let prefix = MAGIC.iter().copied().chain([version.major(), 0]).chain(length);
    bytes.iter_mut().zip(prefix).take(version.prefix_bytes()).for_each(|(slot, byte)| *slot = byte);
}

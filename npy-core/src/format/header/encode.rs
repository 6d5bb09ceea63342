//! Encoding of a header, as `numpy.lib.format` does: with padding and spare digits for growth.

use super::super::dtype;
use super::super::dtype::{DType, Scalar};
use super::{Header, MAGIC, MAGIC_BYTES, Version};
use crate::error::{ErrorKind, Result, StorageProblem};
use crate::options::Order;

/// NumPy aligns the data to this from 1.14 on.
const ALIGNMENT: usize = 64;

/// Room for the length of the axis along which an array grows: the digits of 2⁶⁴, plus one.
const GROWTH_DIGITS: usize = 21;

/// How many bytes the header of a plain dtype has, unless its shape is a long one.
pub(crate) const PLAIN_HEADER_BYTES: usize = 2 * ALIGNMENT;

/// Appends the header of a number's array of a few axes, as nearly all are, to an empty vector; of
/// others what it appends is not a header, and it gives `None`. Only what differs is written, over a
/// header that has the rest.
///
/// Lengths whose product fits an `isize` have at most 22 digits, so there is always room for growth.
#[inline]
pub(crate) fn encode_plain(scalar: Scalar, order: Order, shape: &[usize], bytes: &mut Vec<u8>) -> Option<()> {
    const C: [u8; PLAIN_HEADER_BYTES] = plain(b"False, 'shape': (");
    const FORTRAN: [u8; PLAIN_HEADER_BYTES] = plain(b"True, 'shape': (");
    let code = scalar.short_code().filter(|_| shape.len() <= MOST_PLAIN_AXES)?;
    let (begin, header) = match order {
        Order::C => (BEFORE_ORDER.len() + b"False, 'shape': (".len(), &C),
        Order::Fortran => (BEFORE_ORDER.len() + b"True, 'shape': (".len(), &FORTRAN),
    };
    bytes.extend_from_slice(header);
    *bytes.get_mut(CODE_AT..)?.first_chunk_mut()? = code;

    // Eight bytes at a time, of which the next ones overwrite what is too much.
    let mut end = begin;
    let mut put = |text: &[u8; 8], length: usize| {
        *bytes.get_mut(end..)?.first_chunk_mut()? = *text;
        end += length;
        Some(())
    };
    for (axis, length) in shape.iter().enumerate() {
        if axis > 0 {
            put(b",       ", 2)?;
        }
        let (digits, count) = dtype::decimal(*length)?;
        put(&digits, count)?;
    }
    if shape.len() == 1 { put(b",), }   ", 5) } else { put(b"), }    ", 4) }
}

impl Header {
    /// Encodes the header into a vector with capacity for `room` more bytes.
    pub(crate) fn to_bytes_with_room(&self, room: usize) -> Vec<u8> {
        if self.version == Version::V1
            && let DType::Scalar(scalar) = self.dtype
        {
            let mut bytes = Vec::with_capacity(room.saturating_add(PLAIN_HEADER_BYTES));
            if encode_plain(scalar, self.order, &self.shape, &mut bytes).is_some() {
                return bytes;
            }
        }
        // Encoding failed in `new` if it can fail: a header of 4 GiB.
        self.encode(room, Escapes::Allowed).map(|(_, bytes)| bytes).unwrap_or_default()
    }

    /// Encodes the header in the first version from `self.version` on that can hold it, if possible
    /// with capacity for `room` more bytes.
    pub(super) fn encode(&self, room: usize, escapes: Escapes) -> Result<(Version, Vec<u8>)> {
        // The length of the header comes in its place afterwards, and what is in front of the dict,
        // if it is another version.
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
            // What is left for growth, and what pads.
            bytes.resize(total, b' ');
            bytes[total - 1] = b'\n';
            return Ok((Version::V1, bytes));
        }
        bytes.resize(bytes.len() + growth, b' ');
        self.encode_dict(std::str::from_utf8(&bytes[prefix..]).unwrap_or_default(), escapes)
    }

    /// Appends what comes behind the key of the dtype; tells how many spaces come behind that,
    /// which leave room for growth.
    fn push_rest_of_dict(&self, text: &mut Vec<u8>) -> usize {
        dtype::write_descr(&self.dtype, text);
        match self.order {
            Order::C => text.extend_from_slice(b", 'fortran_order': False, 'shape': "),
            Order::Fortran => text.extend_from_slice(b", 'fortran_order': True, 'shape': "),
        }
        dtype::write_shape(&self.shape, text);
        text.extend_from_slice(b", }");
        let growing = if self.order == Order::Fortran { self.shape.last() } else { self.shape.first() };
        growing.map_or(0, |length| {
            let digits = length.checked_ilog10().map_or(1, |log| log as usize + 1);
            GROWTH_DIGITS.saturating_sub(digits)
        })
    }

    /// The header with this dict in the first version that can hold it.
    fn encode_dict(&self, text: &str, escapes: Escapes) -> Result<(Version, Vec<u8>)> {
        // One byte a character, unless there are others than those of latin-1.
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
        Err(ErrorKind::UnstorableDType { problem: StorageProblem::HeaderTooLong }.into())
    }
}

/// Whether the escapes of Python may stand for characters that latin-1 lacks. NumPy writes version
/// 3.0 instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    Never,
    Allowed,
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

/// With at most this many axes of at most eight digits each, spaces follow the dict.
const MOST_PLAIN_AXES: usize = 4;

/// The front of a header of [`PLAIN_HEADER_BYTES`] bytes, whose length is that without the first
/// ten; the dtype stands where spaces are.
const BEFORE_ORDER: &[u8] = b"\x93NUMPY\x01\0\x76\0{'descr': '   ', 'fortran_order': ";

/// Where the dtype stands.
const CODE_AT: usize = b"\x93NUMPY\x01\0\x76\0{'descr': '".len();

/// A header of a plain dtype, without that and without its shape.
const fn plain(behind: &[u8]) -> [u8; PLAIN_HEADER_BYTES] {
    let mut header = [b' '; PLAIN_HEADER_BYTES];
    let (front, rest) = header.split_at_mut(BEFORE_ORDER.len());
    front.copy_from_slice(BEFORE_ORDER);
    rest.split_at_mut(behind.len()).0.copy_from_slice(behind);
    header[PLAIN_HEADER_BYTES - 1] = b'\n';
    header
}

/// The padded length of a header whose dict ends after `length` bytes. NumPy adds 1 to 64 spaces,
/// never 0, and a line feed.
fn padded(length: usize) -> usize {
    let unpadded = length + 1;
    unpadded + (ALIGNMENT - unpadded % ALIGNMENT)
}

/// Puts in front what the magic string, the version and the length of the header are, where there
/// is room for it.
fn put_prefix(bytes: &mut [u8], version: Version, total: usize) {
    let length = (total - version.prefix_bytes()).to_le_bytes();
    let prefix = MAGIC.iter().copied().chain([version.major(), 0]).chain(length);
    bytes.iter_mut().zip(prefix).take(version.prefix_bytes()).for_each(|(slot, byte)| *slot = byte);
}

#[cfg(test)]
mod tests {
    use super::super::{Header, Version};
    use super::{Escapes, encode_plain};
    use crate::format::dtype::DType;
    use crate::options::Order;

    /// What is written over a header that has the rest is what is written from the front.
    #[test]
    fn both_writers_agree() {
        let (mut plain, mut others) = (0, 0);
        let lengths = [
            0,
            1,
            7,
            10,
            99,
            1000,
            65_535,
            9_999_999,
            99_999_999,
            100_000_000,
            4_000_000_000,
            usize::MAX >> 9,
            isize::MAX.unsigned_abs(),
        ];
        for dtype in ["<f8", ">f4", "|b1", "<u2", "<c16", "|S3", "|V5", "<M8[ns]", "<m8", "|O", "<f16", "[('a', '<f8')]"] {
            let dtype: DType = dtype.parse().unwrap();
            for order in [Order::C, Order::Fortran] {
                for axes in 0..6 {
                    for first in lengths {
                        for last in lengths {
                            let mut shape = vec![3; axes];
                            if let Some(length) = shape.first_mut() {
                                *length = first;
                            }
                            if let Some(length) = shape.last_mut() {
                                *length = last;
                            }
                            let Ok(header) = Header::new(dtype.clone(), order, &shape) else { continue };
                            let (version, bytes) = header.encode(0, Escapes::Never).unwrap();
                            assert_eq!(version, Version::V1);
                            assert_eq!(header.to_bytes(), bytes, "{header:?}");
                            let mut found = Vec::new();
                            let scalar = if let DType::Scalar(scalar) = dtype { Some(scalar) } else { None };
                            match scalar.and_then(|scalar| encode_plain(scalar, order, &shape, &mut found)) {
                                Some(()) => {
                                    assert_eq!(found, bytes);
                                    plain += 1;
                                }
                                None => others += 1,
                            }
                            let newer = header.with_version(Version::V2).unwrap();
                            assert_eq!(newer.to_bytes()[6], 2);
                        }
                    }
                }
            }
        }
        assert!(plain > 2000 && others > 2000, "{plain} plain, {others} others");
    }
}

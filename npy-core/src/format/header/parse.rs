//! Parses headers: of bytes and of streams, as lenient as `np.load`.

use std::io::{BufRead, Read};

use super::super::dtype::{Cursor, DType, SubArray};
use super::super::inline::Lengths;
use super::super::literal::{Dialect, Fault, Node, Value};
use super::super::shape::{MOST_DIMENSIONS, element_count, too_many_dimensions};
use super::super::trust::read_once;
use super::super::{dtype, literal};
use super::encode::ALIGNMENT;
use super::lenient::{Leniencies, Leniency};
use super::{Escapes, Header, MAGIC, MAGIC_BYTES, Version, check_storable};
use crate::error::describe::{describe_magic, first_names};
use crate::error::{Error, ErrorKind, ForeignFormat, Result};
use crate::limits::Limits;
use crate::options::{Order, ReadOptions};

/// The most bytes that padding and spare digits add to the text of a header.
const MOST_ADDED: usize = 256;

/// The size of most headers.
const TYPICAL_BYTES: usize = 128;

/// Below this limit on brackets, the caller has set one, and the literal parser enforces it.
const BRACKETS: usize = 32;

impl Header {
    /// Parses the header at the beginning of `bytes`, and returns the data offset.
    ///
    /// As lenient as `np.load`: any white space, comments, either quote, keys in any order, Python
    /// 2's `10L`, data at any offset.
    ///
    /// A dtype that is a sub-array of one element (`'1u4'`, `('<u4', (1, 1))`) is read as its base,
    /// as `np.load` does. Other sub-arrays (`'2|b1'`, `'(2,)|S8'`) are read as elements `[T; N]`,
    /// although `np.load` refuses all such files but empty ones.
    ///
    /// # Errors
    ///
    /// Fails if `bytes` do not begin with a header that NumPy would accept, or if it exceeds the
    /// default [`Limits`].
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize)> {
        Self::parse_within(bytes, &const { Limits::new() })
    }

    /// [`parse`](Self::parse) with options: limits.
    pub fn parse_with(bytes: &[u8], options: impl Into<ReadOptions>) -> Result<(Self, usize)> {
        Self::parse_within(bytes, &options.into().limits)
    }

    /// Returns how many bytes of the beginning of a file [`parse`](Self::parse) needs, as far as
    /// these tell.
    ///
    /// For files that are fetched piece by piece: read as many bytes as it returns, and ask again
    /// until there are enough. That is once, and once more for a header longer than the first
    /// piece.
    ///
    /// # Errors
    ///
    /// Fails if `bytes` are not the beginning of an `.npy` file, or if the header is longer than
    /// the default [`Limits`] allow.
    ///
    /// ```
    /// use npy_core::Header;
    ///
    /// let mut file = Vec::new();
    /// npy_core::write(&mut file, &[1_u8, 2, 3])?;
    /// assert_eq!(Header::bytes_needed(&[])?, 10); // the magic string, the version, the length
    /// assert_eq!(Header::bytes_needed(&file[..10])?, 128);
    /// assert_eq!(Header::bytes_needed(&file)?, 128);
    /// assert!(Header::parse(&file[..128]).is_ok());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn bytes_needed(bytes: &[u8]) -> Result<usize> {
        Self::bytes_needed_within(bytes, &const { Limits::new() })
    }

    /// [`bytes_needed`](Self::bytes_needed) with options: limits.
    pub fn bytes_needed_with(bytes: &[u8], options: impl Into<ReadOptions>) -> Result<usize> {
        Self::bytes_needed_within(bytes, &options.into().limits)
    }

    /// Reads a header from a stream, which is left just after it.
    pub fn read(reader: impl Read) -> Result<Self> {
        Self::read_with(reader, Limits::new())
    }

    /// [`read`](Self::read) with options: limits.
    pub fn read_with(reader: impl Read, options: impl Into<ReadOptions>) -> Result<Self> {
        Ok(Self::read_with_offset(reader, &options.into().limits)?.0)
    }

    fn bytes_needed_within(bytes: &[u8], limits: &Limits) -> Result<usize> {
        if bytes.is_empty() || is_part_of_magic(bytes) {
            return Ok(Version::V1.prefix_bytes());
        }
        let version = parse_magic(bytes)?;
        let prefix = version.prefix_bytes();
        if bytes.len() < prefix {
            return Ok(prefix);
        }
        header_length(bytes, version, limits).map(|length| prefix + length)
    }

    fn parse_within(bytes: &[u8], limits: &Limits) -> Result<(Self, usize)> {
        let version = parse_magic(bytes)?;
        let length = header_length(bytes, version, limits)?;
        let text = &bytes[version.prefix_bytes()..];
        match text.get(..length) {
            Some(text) => Self::from_text(text, version, limits),
            None => Err(truncated("the header", version.prefix_bytes(), length, text.len())),
        }
    }

    /// Parses the header at the beginning of `bytes`, and returns the data offset; `None` if `bytes`
    /// have only a part of it, or no header.
    pub(crate) fn parse_front(bytes: &[u8], limits: &Limits) -> Result<Option<(Self, usize)>> {
        match Self::bytes_needed_within(bytes, limits) {
            Ok(needed) if needed <= bytes.len() => Self::parse_within(bytes, limits).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads a header from the reader's buffer if that has all of it. Returns the data offset, too.
    pub(crate) fn read_buffered(mut reader: impl BufRead, limits: &Limits) -> Result<(Self, usize)> {
        if let Ok(buffer) = reader.fill_buf()
            && let Some((header, offset)) = Self::parse_front(buffer, limits)?
        {
            reader.consume(offset);
            return Ok((header, offset));
        }
        Self::read_with_offset(reader, limits)
    }

    /// Reads a header, and returns the data offset, counted from the beginning of the header.
    pub(crate) fn read_with_offset(mut reader: impl Read, limits: &Limits) -> Result<(Self, usize)> {
        let mut bytes = Vec::with_capacity(TYPICAL_BYTES);
        loop {
            let needed = Self::bytes_needed_within(&bytes, limits)?;
            let missing = needed.saturating_sub(bytes.len());
            fetch(&mut reader, missing, &mut bytes)?;
            if missing == 0 || bytes.len() < needed {
                return Self::parse_within(&bytes, limits);
            }
        }
    }

    /// Parses the text of a header, and returns the data offset.
    fn from_text(text: &[u8], version: Version, limits: &Limits) -> Result<(Self, usize)> {
        let canonical = parse_canonical(text, limits);
        // NumPy's padding may be longer, and so may text that is written in another way.
        let is_literal = canonical.is_none();
        let may_need_newer = is_literal || text.len() + MOST_ADDED > version.longest_header();
        let (dtype, order, shape) = match canonical {
            Some(canonical) => canonical,
            None => Self::values_of_literal(text, (version, version.prefix_bytes()), limits)?,
        };
        let data_offset = version.prefix_bytes() + text.len();
        let mut leniencies = Leniencies::default().with(Leniency::Alignment, !data_offset.is_multiple_of(ALIGNMENT));
        let dtype = match dtype {
            DType::SubArray(array) => {
                let dtype = of_sub_arrays(array)?;
                leniencies = leniencies.with(Leniency::SubArrays, matches!(dtype, DType::SubArray(_)));
                dtype
            }
            dtype => dtype,
        };
        let itemsize = dtype.itemsize();
        if itemsize > limits.element_bytes {
            return Err(Error::limit_exceeded("bytes of an element", limits.element_bytes as u64, itemsize as u64));
        }
        check_storable(itemsize)?;
        let count = element_count(&shape, itemsize)?;
        check_data(&dtype, count, limits)?;
        let mut header = Self { dtype, order, shape, count, version, leniencies };
        if is_literal {
            header.leniencies = header.leniencies_of_text(text, limits);
        }
        if may_need_newer && version < Version::V3 && !matches!(header.dtype, DType::Scalar(_)) {
            header.version = header.encode(0, Escapes::Allowed)?.0;
        }
        Ok((header, data_offset))
    }

    /// The leniencies of a text that is not what NumPy would write.
    #[cold]
    fn leniencies_of_text(&self, text: &[u8], limits: &Limits) -> Leniencies {
        let is_digit = |at: usize| at.checked_sub(1).and_then(|before| text.get(before)).is_some_and(u8::is_ascii_digit);
        let current = text.iter().enumerate().filter(|(at, byte)| **byte != b'L' || !is_digit(*at)).map(|(_, byte)| *byte);
        // The text as Python 3 would write it. Version 3.0 has no such integers.
        let current: Vec<u8> = current.collect();
        let is_long = current.len() < text.len() && self.version != Version::V3 && {
            let dialect = Dialect { latin1: true, long_integers: false, is_dtype: false, base: 0, depth: limits.nesting_depth };
            literal::parse(text, dialect).is_err()
        };
        let is_spelled = !is_long || parse_canonical(&current, limits).is_none();
        self.leniencies.with(Leniency::LongIntegers, is_long).with(Leniency::Spelling, is_spelled)
    }

    /// Parses dtype, order and shape of a header in any form that NumPy accepts.
    ///
    /// Offsets of errors count from `base` bytes before the text.
    pub(super) fn values_of_literal(
        text: &[u8],
        (version, base): (Version, usize),
        limits: &Limits,
    ) -> Result<(DType, Order, Lengths)> {
        let latin1 = version != Version::V3;
        let dialect = Dialect { latin1, long_integers: latin1, is_dtype: false, base, depth: limits.nesting_depth };
        let node = literal::parse(text, dialect).map_err(not_a_literal)?;
        let [descr, fortran_order, shape] = entries(&node)?;
        let order = match fortran_order.value {
            Value::Bool(true) => Order::Fortran,
            Value::Bool(false) => Order::C,
            _ => return Err(wrong_value("fortran_order", fortran_order, "True or False")),
        };
        let shape = parse_shape(shape)?;
        let dtype = dtype::from_literal(descr, limits)?;
        Ok((dtype, order, shape))
    }
}

/// Refuses more bytes of data, or more elements without bytes, than the limits allow.
#[inline]
pub(crate) fn check_data(dtype: &DType, count: usize, limits: &Limits) -> Result<()> {
    let itemsize = dtype.itemsize() as u64;
    // `element_count` has checked the product.
    let (bytes, count) = (count as u64 * itemsize, count as u64);
    if bytes > limits.data_bytes {
        return Err(Error::limit_exceeded("bytes of data", limits.data_bytes, bytes));
    }
    if itemsize == 0 && count > limits.empty_elements && !dtype.has_object() {
        return Err(Error::limit_exceeded("elements without bytes", limits.empty_elements, count));
    }
    Ok(())
}

/// Parses a header whose text is letter for letter what NumPy would write. `None` for all others,
/// also for invalid ones.
///
/// Without it, a small array is loaded in 1.4 times the time, and one of records of five fields in
/// twice.
#[inline(always)]
pub(super) fn parse_canonical(text: &[u8], limits: &Limits) -> Option<(DType, Order, Lengths)> {
    if limits.nesting_depth < BRACKETS {
        return None;
    }
    let mut cursor = Cursor::new(text);
    cursor.pass(b"{'descr': ")?;
    let dtype = cursor.descr(limits.fields)?;
    // In pieces of up to 32 bytes, which are compared without a call.
    cursor.pass(b", 'fortran_order': ")?;
    let order = if cursor.pass(b"False, 'shape': ").is_some() {
        Order::C
    } else {
        cursor.pass(b"True, 'shape': ")?;
        Order::Fortran
    };
    let shape = cursor.shape()?;
    cursor.pass(b", }")?;
    let (last, spaces) = cursor.rest().split_last()?;
    if *last == b'\n' && are_spaces(spaces) { Some((dtype, order, shape)) } else { None }
}

/// Compares sixteen bytes at a time: there are up to 85. The last sixteen may overlap.
#[inline(always)]
fn are_spaces(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<16>() else { return bytes.iter().all(|byte| *byte == b' ') };
    // All of them, without looking at each before the next.
    let others = |found: u128, chunk: &[u8; 16]| found | (u128::from_le_bytes(*chunk) ^ u128::from_le_bytes([b' '; 16]));
    bytes.as_chunks::<16>().0.iter().fold(others(0, last), others) == 0
}

/// The dtype of elements that are sub-arrays. `np.load` adds their axes to one of the array, so that
/// at most 63 fit. The shape in the header then replaces axes of length 1.
#[cold]
fn of_sub_arrays(array: SubArray) -> Result<DType> {
    let (base, axes) = array.flattened();
    let found = axes.len() + 1;
    if found > MOST_DIMENSIONS {
        return Err(too_many_dimensions(found));
    }
    let is_one = axes.iter().all(|length| *length == 1);
    Ok(if is_one { base.clone() } else { array.into() })
}

/// Returns the values of the three keys, in alphabetical order.
fn entries<'a, 'b>(node: &'a Node<'b>) -> Result<[&'a Node<'b>; 3]> {
    const KEYS: [&str; 3] = ["descr", "fortran_order", "shape"];
    let Value::Dict(pairs) = &node.value else {
        return Err(wrong_value("header", node, "a dictionary"));
    };
    let mut found: [Option<&Node<'_>>; 3] = [None; 3];
    let (mut duplicate, mut unknown) = (Vec::new(), Vec::new());
    for (key, value) in pairs {
        let known = match &key.value {
            Value::Text(text) => KEYS.iter().position(|known| known == text),
            _ => None,
        };
        match known {
            Some(i) if found[i].replace(value).is_some() => duplicate.push(KEYS[i].to_owned()),
            Some(_) => {}
            None => unknown.push(dtype::excerpt_key(key)),
        }
    }
    if let ([Some(descr), Some(order), Some(shape)], true, true) = (found, duplicate.is_empty(), unknown.is_empty()) {
        return Ok([descr, order, shape]);
    }
    let missing = KEYS.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(key, _)| (*key).to_owned()).collect();
    Err(wrong_keys(&[("missing", missing), ("duplicate", duplicate), ("unknown", unknown)]))
}

#[cold]
fn wrong_keys(wrong: &[(&str, Vec<String>); 3]) -> Error {
    let wrong: Vec<_> =
        wrong.iter().filter(|(_, names)| !names.is_empty()).map(|(what, names)| format!("{what} {}", first_names(names))).collect();
    let message = "invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'";
    Error::new(ErrorKind::InvalidHeader, format!("{message}; {}", wrong.join("; ")))
}

fn parse_shape(node: &Node<'_>) -> Result<Lengths> {
    let wrong_shape = || wrong_value("shape", node, "a tuple of integers from 0 to 9223372036854775807");
    let Value::Tuple(items) = &node.value else { return Err(wrong_shape()) };
    items
        .iter()
        .map(|item| match item.value {
            Value::Integer(length @ 0..) => usize::try_from(length).ok(),
            _ => None,
        })
        .map(|length| length.ok_or_else(wrong_shape))
        .collect()
}

#[cold]
fn wrong_value(key: &'static str, node: &Node<'_>, expected: &'static str) -> Error {
    let (offset, found) = (node.offset, node.excerpt());
    let message = format!("invalid {key} at byte {offset}: expected {expected}, found {found}");
    Error::new(ErrorKind::InvalidHeader, message).at_byte(offset as u64)
}

#[cold]
fn not_a_literal(fault: Fault) -> Error {
    match fault {
        Fault::Syntax { offset, problem } => {
            Error::new(ErrorKind::InvalidHeader, format!("invalid header at byte {offset}: {problem}")).at_byte(offset as u64)
        }
        Fault::NestedTooDeep { limit } => {
            Error::new(ErrorKind::LimitExceeded, format!("header nesting exceeds the limit of {limit}"))
        }
    }
}

#[cold]
pub(crate) fn truncated(part: &str, offset: usize, expected: usize, found: usize) -> Error {
    Error::truncated(part, offset as u64, expected as u64, found as u64)
}

#[inline]
fn parse_magic(bytes: &[u8]) -> Result<Version> {
    match bytes.strip_prefix(MAGIC) {
        Some([1, 0, ..]) => Ok(Version::V1),
        Some([2, 0, ..]) => Ok(Version::V2),
        Some([3, 0, ..]) => Ok(Version::V3),
        _ => Err(wrong_magic(bytes)),
    }
}

/// Whether the bytes are a beginning of the magic string and the version, but not all of it.
fn is_part_of_magic(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.len() < MAGIC_BYTES && bytes.iter().zip(MAGIC).all(|(byte, expected)| byte == expected)
}

#[cold]
fn wrong_magic(bytes: &[u8]) -> Error {
    if is_part_of_magic(bytes) {
        return truncated("the magic string", 0, MAGIC_BYTES, bytes.len());
    }
    if let Some([major, minor, ..]) = bytes.strip_prefix(MAGIC) {
        let message = format!("unsupported format version {major}.{minor}: expected 1.0, 2.0 or 3.0");
        return Error::new(ErrorKind::Unsupported, message);
    }
    let found = bytes.get(..ForeignFormat::FRONT_BYTES).unwrap_or(bytes);
    Error::new(ErrorKind::WrongFormat, format!("not an .npy file: {}", describe_magic("\"\\x93NUMPY\"", found)))
}

/// Parses the length of the header, which follows the version.
#[inline]
fn header_length(file: &[u8], version: Version, limits: &Limits) -> Result<usize> {
    let bytes = &file[MAGIC_BYTES..];
    let length = match (version, bytes) {
        (Version::V1, [a, b, ..]) => u32::from(u16::from_le_bytes([*a, *b])),
        (Version::V2 | Version::V3, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]),
        _ => return Err(truncated("the header length", MAGIC_BYTES, version.prefix_bytes() - MAGIC_BYTES, bytes.len())),
    };
    match usize::try_from(length) {
        Ok(length) if length <= limits.header_bytes => Ok(length),
        _ => {
            let limit = limits.header_bytes as u64;
            Err(Error::limit_exceeded("bytes of the header", limit, u64::from(length)))
        }
    }
}

/// Appends up to `count` bytes of the stream. The memory grows with the bytes that are there.
pub(crate) fn fetch(reader: &mut impl Read, count: usize, bytes: &mut Vec<u8>) -> Result<()> {
    const STEP: usize = 4096;
    let end = bytes.len() + count;
    while bytes.len() < end {
        let begin = bytes.len();
        bytes.resize(end.min(begin + STEP), 0);
        let read = read_once(reader, &mut bytes[begin..]);
        bytes.truncate(begin + read.as_ref().map_or(0, |read| *read));
        match read {
            Ok(0) => break,
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => {
                return Err(Error::io("cannot read the header", error));
            }
            _ => {}
        }
    }
    Ok(())
}

//! The header, which is everything before the data of a file (NEP 1; `numpy.lib.format`).

mod canonical;
mod encode;

use std::fmt;
use std::io::{BufRead, Read, Write};

use super::dtype::{DType, MOST_BYTES, SubArray};
use super::inline::Lengths;
use super::literal::{Dialect, Fault, Node, Value};
use super::shape::{MOST_DIMENSIONS, element_count, too_many_dimensions};
use super::trust::read_once;
use super::{dtype, literal};
use crate::error::describe::{counted, describe_magic, first_names};
use crate::error::{Error, ErrorKind, ForeignFormat, Result};
use crate::limits::Limits;
use crate::options::{Order, ReadOptions, Version};

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The magic string and the version: what every file begins with.
const MAGIC_BYTES: usize = 8;

/// More bytes than padding and spare digits add to the text of a header.
const MOST_ADDED: usize = 256;

/// Whether the escapes of Python may stand for characters that latin-1 lacks. NumPy writes version
/// 3.0 instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    Never,
    Allowed,
}

impl Version {
    const ALL: [Self; 3] = [Self::V1, Self::V2, Self::V3];

    /// Bytes before the header: magic string, version and the header's length.
    fn prefix_bytes(self) -> usize {
        MAGIC_BYTES + if self == Self::V1 { 2 } else { 4 }
    }

    fn longest_header(self) -> usize {
        if self == Self::V1 { usize::from(u16::MAX) } else { u32::MAX as usize }
    }
}

/// The header of an array: dtype, order and shape.
///
/// ```
/// use npy_core::{Header, NpyElement, Order};
///
/// let header = Header::new(f64::dtype(), Order::C, &[2, 3])?;
/// assert_eq!((header.element_count(), header.data_bytes()), (6, 48));
///
/// let bytes = header.to_bytes();
/// assert_eq!(bytes.len(), 128); // so that the data begin at a multiple of 64
/// assert!(bytes[10..].starts_with(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"));
///
/// let (parsed, data_offset) = Header::parse(&bytes)?;
/// assert_eq!(parsed, header);
/// assert_eq!(data_offset, 128);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// A file is a header and the bytes of its elements, so that one can be made by hand:
///
/// ```
/// use npy_core::{Header, Order};
///
/// let mut file = Vec::new();
/// Header::new(">i2".parse()?, Order::Fortran, &[2, 2])?.write(&mut file)?;
/// file.extend([0, 1, 0, 2, 0, 3, 0, 4]);
///
/// let mut stream = &file[..];
/// let header = Header::read(&mut stream)?;
/// assert_eq!((header.dtype().to_string().as_str(), header.order()), (">i2", Order::Fortran));
/// assert_eq!(stream.len() as u64, header.data_bytes());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    dtype: DType,
    order: Order,
    shape: Lengths,
    count: usize,
    version: Version,
}

impl Header {
    /// Creates a header, in the oldest version that can hold it, as NumPy does.
    ///
    /// `shape` is the logical shape in both orders. NumPy says [`Order::C`] for every array that is
    /// contiguous in both (0-d, 1-d, empty, one row or column). Names beyond Latin-1 need
    /// [`Version::V3`].
    ///
    /// # Errors
    ///
    /// Fails if the array would exceed the address space or have more than 64 dimensions, or if the
    /// dtype is larger than 2³¹ − 1 bytes or a sub-array: NumPy has those as fields only.
    pub fn new(dtype: DType, order: Order, shape: &[usize]) -> Result<Self> {
        let mut header = Self::with_minimal_version(dtype, order, shape.into())?;
        if matches!(header.dtype, DType::SubArray(_)) {
            return Err(unstorable(
                "expected a scalar or a record, found a sub-array; add its dimensions to the shape, or make it a field of a record",
            ));
        }
        // A dtype without parts and at most 64 lengths are ASCII, and far from what the first
        // version can hold.
        if !matches!(header.dtype, DType::Scalar(_)) {
            header.version = header.encode(0, Escapes::Never)?.0;
        }
        Ok(header)
    }

    /// Sets the version, as `np.lib.format.write_array(..., version=...)` does.
    ///
    /// Fails if that version cannot hold it: it is too long, or Latin-1 cannot express a name.
    pub fn with_version(self, version: Version) -> Result<Self> {
        self.in_version(version, Escapes::Never)
    }

    /// [`with_version`](Self::with_version), maybe with escapes for characters that the version
    /// lacks.
    pub(crate) fn in_version(mut self, version: Version, escapes: Escapes) -> Result<Self> {
        self.version = version;
        let (needed, _) = self.encode(0, escapes)?;
        if needed != version {
            return Err(unstorable(format!("format version {version} cannot encode the header; version {needed} can")));
        }
        Ok(self)
    }

    fn with_minimal_version(dtype: DType, order: Order, shape: Lengths) -> Result<Self> {
        check_storable(dtype.itemsize())?;
        let count = element_count(&shape, dtype.itemsize())?;
        Ok(Self { dtype, order, shape, count, version: Version::V1 })
    }

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
        // Of a few bytes, which are not the beginning of another file.
        if bytes.len() < MAGIC_BYTES && MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
            return Ok(Version::V1.prefix_bytes());
        }
        let version = parse_magic(bytes)?;
        let prefix = version.prefix_bytes();
        if bytes.len() < prefix {
            return Ok(prefix);
        }
        header_length(&bytes[MAGIC_BYTES..], version, &Limits::new()).map(|length| prefix + length)
    }

    fn parse_within(bytes: &[u8], limits: &Limits) -> Result<(Self, usize)> {
        let version = parse_magic(bytes)?;
        let length = header_length(&bytes[MAGIC_BYTES..], version, limits)?;
        let start = version.prefix_bytes();
        let text = &bytes[start..];
        let text = text.get(..length).ok_or_else(|| truncated("the header", start, length, text.len()))?;
        Self::from_text(text, version, limits)
    }

    /// Reads a header from a stream, which is left just after it.
    pub fn read(reader: impl Read) -> Result<Self> {
        Self::read_with(reader, Limits::new())
    }

    /// [`read`](Self::read) with options: limits.
    pub fn read_with(reader: impl Read, options: impl Into<ReadOptions>) -> Result<Self> {
        Ok(Self::read_with_offset(reader, &options.into().limits)?.0)
    }

    /// [`read_with_offset`](Self::read_with_offset) from what is in the reader's buffer, if that
    /// has all of it.
    pub(crate) fn read_buffered(mut reader: impl BufRead, limits: &Limits) -> Result<(Self, usize)> {
        if let Ok(buffer) = reader.fill_buf()
            && let Some((header, offset)) = Self::parse_front(buffer, limits)?
        {
            reader.consume(offset);
            return Ok((header, offset));
        }
        Self::read_with_offset(reader, limits)
    }

    /// The header at the beginning of `bytes`, and where the data begin; `None` where not all of it
    /// is there, or no header.
    pub(crate) fn parse_front(bytes: &[u8], limits: &Limits) -> Result<Option<(Self, usize)>> {
        if let Ok(version) = parse_magic(bytes)
            && let Ok(length) = header_length(&bytes[MAGIC_BYTES..], version, limits)
            && let Some(text) = bytes[version.prefix_bytes()..].get(..length)
        {
            return Self::from_text(text, version, limits).map(Some);
        }
        Ok(None)
    }

    /// Also tells where the data begin, counted from the beginning of the header.
    pub(crate) fn read_with_offset(mut reader: impl Read, limits: &Limits) -> Result<(Self, usize)> {
        let mut prefix = Vec::with_capacity(Version::V3.prefix_bytes());
        fetch(&mut reader, MAGIC_BYTES, &mut prefix)?;
        let version = parse_magic(&prefix)?;
        fetch(&mut reader, version.prefix_bytes() - MAGIC_BYTES, &mut prefix)?;
        let length = header_length(&prefix[MAGIC_BYTES..], version, limits)?;
        let mut text = Vec::new();
        fetch(&mut reader, length, &mut text)?;
        if text.len() < length {
            return Err(truncated("the header", version.prefix_bytes(), length, text.len()));
        }
        Self::from_text(&text, version, limits)
    }

    /// The header of this text, and where the data begin.
    fn from_text(text: &[u8], version: Version, limits: &Limits) -> Result<(Self, usize)> {
        let canonical = canonical::parse(text, limits);
        // NumPy's padding may be longer, and so may text that is written in another way.
        let may_need_newer = canonical.is_none() || text.len() + MOST_ADDED > version.longest_header();
        let (dtype, order, shape) = match canonical {
            Some(canonical) => canonical,
            None => Self::values_of_literal(text, version, limits)?,
        };
        let dtype = match dtype {
            DType::SubArray(array) => of_sub_arrays(array)?,
            dtype => dtype,
        };
        let count = count_within(dtype.itemsize(), &shape, || dtype.has_object(), limits)?;
        let mut header = Self { dtype, order, shape, count, version };
        if may_need_newer && version < Version::V3 && !matches!(header.dtype, DType::Scalar(_)) {
            header.version = header.encode(0, Escapes::Allowed)?.0;
        }
        Ok((header, version.prefix_bytes() + text.len()))
    }

    /// Dtype, order and shape of a header in any form that NumPy takes.
    fn values_of_literal(text: &[u8], version: Version, limits: &Limits) -> Result<(DType, Order, Lengths)> {
        let latin1 = version != Version::V3;
        let base = version.prefix_bytes();
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

    /// Refuses an array of more bytes, or of more elements without bytes, than there may be.
    #[cfg(feature = "rawarray")]
    pub(crate) fn check_limits(&self, limits: &Limits) -> Result<()> {
        check_data(self.dtype.itemsize(), self.count, || self.dtype.has_object(), limits)
    }

    /// Writes the header, byte for byte as NumPy does.
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        writer.write_all(&self.to_bytes()).map_err(|error| Error::io("cannot write the header", error))
    }

    /// Returns the header as bytes, with its magic string and padding.
    ///
    /// Their number is a multiple of 64.
    ///
    /// They have the [`version`](Self::version) of the header. A name that was [read](Self::read)
    /// from a version in Latin-1, with an escape for another character, is written with that
    /// escape.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with_room(0)
    }

    /// The same array with its last axes as part of the elements, for elements that are arrays: an
    /// array of shape (5, 3) as 5 elements of 3 each. `None` if it has no such axes or they are
    /// empty, if its elements are arrays already, or if those of an element do not lie together.
    pub(crate) fn with_inner_axes(&self, axes: usize) -> Option<Self> {
        let outer = self.shape.len().checked_sub(axes)?;
        if matches!(self.dtype, DType::SubArray(_)) || self.order != Order::C {
            return None;
        }
        let (shape, inner) = self.shape.split_at(outer);
        if inner.contains(&0) {
            // Of elements without bytes there may be any number.
            return None;
        }
        let dtype = DType::from(dtype::SubArray::new_unchecked(self.dtype.clone(), inner.to_vec()));
        let count = shape.iter().product();
        Some(Self { dtype, order: self.order, shape: shape.into(), count, version: self.version })
    }

    /// The same array of another dtype, which has the same itemsize.
    #[cfg(feature = "dynamic")]
    pub(crate) fn with_dtype(&self, dtype: DType) -> Self {
        Self { dtype, ..self.clone() }
    }

    /// The same with another order.
    #[cfg(feature = "print")]
    pub(crate) fn in_order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Returns the header of an array of another shape, with the same dtype and order.
    ///
    /// Such as that of a region, whose bytes are then an array like any other.
    pub fn with_shape(&self, shape: &[usize]) -> Result<Self> {
        let mut header = self.reshaped(shape)?;
        // The text of the shape may be longer.
        if !matches!(header.dtype, DType::Scalar(_)) {
            header.version = header.encode(0, Escapes::Allowed)?.0;
        }
        Ok(header)
    }

    /// [`with_shape`](Self::with_shape) of a header that is not written.
    pub(crate) fn reshaped(&self, shape: &[usize]) -> Result<Self> {
        let count = element_count(shape, self.dtype.itemsize())?;
        Ok(Self { dtype: self.dtype.clone(), order: self.order, shape: shape.into(), count, version: self.version })
    }

    /// The same header but for the order.
    pub(crate) fn in_c_order(&self) -> Self {
        Self { order: Order::C, ..self.clone() }
    }

    /// Returns the dtype of the elements.
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the order of the elements in the file.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the lengths of the axes.
    ///
    /// An array without axes holds one element.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the version of the format, which [`to_bytes`](Self::to_bytes) writes.
    ///
    /// A header that was read has the version of its file. If NumPy's padding does not fit that, it
    /// has the next version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the number of elements: the product of the lengths of the axes, 1 without any.
    pub fn element_count(&self) -> usize {
        self.count
    }

    /// Returns the size of the elements in bytes.
    ///
    /// It is 0 for Python objects, whose pickle says so itself.
    pub fn data_bytes(&self) -> u64 {
        // Checked when the header was made.
        self.count as u64 * self.dtype.itemsize() as u64
    }
}

/// How many elements an array has, if it is within the limits.
#[inline]
fn count_within(itemsize: usize, shape: &[usize], has_object: impl FnOnce() -> bool, limits: &Limits) -> Result<usize> {
    check_itemsize(itemsize, limits)?;
    let count = element_count(shape, itemsize)?;
    check_data(itemsize, count, has_object, limits)?;
    Ok(count)
}

/// The dtype of elements that are sub-arrays. `np.load` gives the array their axes behind one of
/// its own, so that at most 63 fit, and then the shape in the header, with which axes of length 1
/// go.
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

/// Refuses more bytes of an element than there may be.
#[inline]
fn check_itemsize(itemsize: usize, limits: &Limits) -> Result<()> {
    if itemsize > limits.element_bytes {
        return Err(exceeded("bytes of an element", limits.element_bytes as u64, itemsize as u64));
    }
    check_storable(itemsize)
}

/// Refuses more bytes of an element than NumPy can have.
#[inline]
fn check_storable(itemsize: usize) -> Result<()> {
    if itemsize > MOST_BYTES { Err(element_too_large(itemsize)) } else { Ok(()) }
}

#[cold]
fn element_too_large(itemsize: usize) -> Error {
    unstorable(format!("expected an itemsize of at most {}, found {itemsize}", counted(MOST_BYTES, "byte")))
}

/// The error of a dtype that a header or a pickle cannot express.
#[cold]
pub(crate) fn unstorable(problem: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Unstorable, format!("cannot store the dtype: {problem}"))
}

/// Refuses more bytes, or more elements without bytes, than there may be.
#[inline]
fn check_data(itemsize: usize, count: usize, has_object: impl FnOnce() -> bool, limits: &Limits) -> Result<()> {
    // It was checked that they fit.
    let bytes = count as u64 * itemsize as u64;
    if bytes > limits.data_bytes {
        return Err(exceeded("bytes of data", limits.data_bytes, bytes));
    }
    if itemsize == 0 && !has_object() && count as u64 > limits.empty_elements {
        return Err(exceeded("elements without bytes", limits.empty_elements, count as u64));
    }
    Ok(())
}

#[cold]
fn exceeded(what: &'static str, limit: u64, found: u64) -> Error {
    Error::limit_exceeded(what, limit, found)
}

/// The values of the three keys, in alphabetical order.
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
    let start = &bytes[..bytes.len().min(MAGIC_BYTES)];
    if !start.starts_with(MAGIC) {
        return Err(no_magic(bytes));
    }
    match start[MAGIC.len()..] {
        [1, 0] => Ok(Version::V1),
        [2, 0] => Ok(Version::V2),
        [3, 0] => Ok(Version::V3),
        [major, minor] => {
            let message = format!("unsupported format version {major}.{minor}: expected 1.0, 2.0 or 3.0");
            Err(Error::new(ErrorKind::Unsupported, message))
        }
        _ => Err(truncated("the magic string", 0, MAGIC_BYTES, start.len())),
    }
}

#[cold]
fn no_magic(bytes: &[u8]) -> Error {
    let found = bytes.get(..ForeignFormat::FRONT_BYTES).unwrap_or(bytes);
    Error::new(ErrorKind::WrongFormat, format!("not an .npy file: {}", describe_magic("\"\\x93NUMPY\"", found)))
}

/// Reads the length of the header, which follows the version.
#[inline]
fn header_length(bytes: &[u8], version: Version, limits: &Limits) -> Result<usize> {
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

/// Appends up to `count` bytes of the stream. The memory grows with what is really there.
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

#[cfg(test)]
mod tests;

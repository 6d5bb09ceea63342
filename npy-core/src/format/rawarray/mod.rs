//! The header of an `.ra` file: eight bytes of magic, five numbers, and the dimensions.

mod kind;

use std::io::Read;

use crate::error::describe::{counted, describe_magic};
use crate::error::{Error, ErrorKind, ForeignFormat, Result};
use crate::format::dtype::{ByteOrder, DType};
use crate::format::header::Header;
use crate::format::header::parse::{check_data, fetch, truncated};
use crate::format::shape::MOST_DIMENSIONS;
use crate::limits::Limits;
use crate::options::{Order, ReadOptions};

pub use kind::RaKind;

const MAGIC: &[u8; 8] = b"rawarray";

const BIG_ENDIAN: u64 = 1 << 0;
const COMPRESSED: u64 = 1 << 1;

/// Where the numbers stand. All are little-endian and of 8 bytes, which have no type narrower than
/// that.
const FLAGS: usize = 8;
const KIND: usize = 16;
const ELEMENT_BYTES: usize = 24;
const DATA_BYTES: usize = 32;
const NDIMS: usize = 40;
const DIMS: usize = 48;

/// The header of an `.ra` file.
///
/// ```
/// use npy_core::rawarray::{RaHeader, RaKind};
/// use npy_core::dtype::ByteOrder;
/// use npy_core::Order;
///
/// let header = RaHeader::new(RaKind::Float, 8, ByteOrder::Big, &[2, 3])?;
/// assert_eq!(header.to_bytes()[..16], *b"rawarray\x01\0\0\0\0\0\0\0");
/// assert_eq!(header.to_npy().dtype().to_string(), ">f8");
/// assert_eq!(header.to_npy().order(), Order::Fortran);
///
/// let (parsed, data_offset) = RaHeader::parse(&header.to_bytes())?;
/// assert_eq!(parsed, header);
/// assert_eq!(data_offset, 64);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RaHeader {
    kind: RaKind,
    byte_order: ByteOrder,
    /// How many bytes the data have in the file, if they are compressed.
    compressed_bytes: Option<u64>,
    /// The same array as an `.npy` file has it.
    header: Header,
}

impl RaHeader {
    /// Creates a header for elements of a kind and a size.
    ///
    /// Fails if there are no such elements, or if the array would exceed the address space.
    pub fn new(kind: RaKind, element_bytes: usize, byte_order: ByteOrder, dims: &[usize]) -> Result<Self> {
        let Some(dtype) = kind.dtype(element_bytes, byte_order) else { return Err(unknown_width(kind, element_bytes as u64)) };
        // NumPy says C of arrays that are in both orders.
        let order = if Order::are_same(dims) { Order::C } else { Order::Fortran };
        Ok(Self { kind, byte_order, compressed_bytes: None, header: Header::new(dtype, order, dims)? })
    }

    /// Parses the header at the beginning of `bytes`, and returns the data offset.
    ///
    /// # Errors
    ///
    /// Fails if `bytes` do not begin with a header, or if a flag, the type code or the element size
    /// is unknown. Fails if the array would exceed the address space, or if the size of the data
    /// does not fit the dimensions.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize)> {
        Self::parse_with(bytes, Limits::new())
    }

    /// [`parse`](Self::parse) with options: limits.
    pub fn parse_with(bytes: &[u8], options: impl Into<ReadOptions>) -> Result<(Self, usize)> {
        let header = Self::read_with(bytes, options.into().limits)?;
        let data_offset = header.data_offset();
        Ok((header, data_offset))
    }

    /// Reads a header from a stream, which is left just after it.
    pub fn read(reader: impl Read) -> Result<Self> {
        Self::read_with(reader, Limits::new())
    }

    /// [`read`](Self::read) with options: limits.
    pub fn read_with(mut reader: impl Read, options: impl Into<ReadOptions>) -> Result<Self> {
        let limits = options.into().limits;
        let mut bytes = Vec::with_capacity(DIMS);
        fetch(&mut reader, DIMS, &mut bytes)?;
        check_magic(&bytes)?;
        if bytes.len() < DIMS {
            return Err(truncated("the header", MAGIC.len(), DIMS - MAGIC.len(), bytes.len() - MAGIC.len()));
        }
        let fixed = Fixed::parse(&bytes, &limits)?;
        let mut dims = Vec::with_capacity(fixed.dims_bytes);
        fetch(&mut reader, fixed.dims_bytes, &mut dims)?;
        if dims.len() < fixed.dims_bytes {
            return Err(truncated("the header", DIMS, fixed.dims_bytes, dims.len()));
        }
        fixed.with_dims(&dims, &limits)
    }

    /// Returns the header as bytes: 48, and 8 for each dimension.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let numbers = [self.flags(), self.kind.code(), self.element_bytes() as u64, self.data_bytes(), self.dims().len() as u64];
        let dims = self.dims().iter().map(|length| *length as u64);
        bytes.extend(numbers.into_iter().chain(dims).flat_map(u64::to_le_bytes));
        bytes
    }

    /// Returns the flags: 0x1 for big-endian data, 0x2 for compressed data.
    pub fn flags(&self) -> u64 {
        let order = if self.byte_order == ByteOrder::Big { BIG_ENDIAN } else { 0 };
        let compressed = if self.is_compressed() { COMPRESSED } else { 0 };
        order | compressed
    }

    /// Returns the kind of the elements.
    pub fn kind(&self) -> RaKind {
        self.kind
    }

    /// Returns the size of an element in bytes.
    pub fn element_bytes(&self) -> usize {
        self.header.dtype().itemsize()
    }

    /// Returns the size of the data in the file, compressed or not.
    pub fn data_bytes(&self) -> u64 {
        self.compressed_bytes.unwrap_or(self.header.data_bytes())
    }

    /// Returns the dimensions of the file: the first varies fastest.
    pub fn dims(&self) -> &[usize] {
        self.header.shape()
    }

    /// Returns the byte order of the data.
    pub fn byte_order(&self) -> ByteOrder {
        self.byte_order
    }

    /// Returns whether the data are compressed.
    pub fn is_compressed(&self) -> bool {
        self.compressed_bytes.is_some()
    }

    /// Returns the dtype of the elements.
    ///
    /// User-defined ones are raw bytes, unless [`with_dtype`](Self::with_dtype) has set another.
    pub fn dtype(&self) -> &DType {
        self.header.dtype()
    }

    /// Returns the header of an `.npy` file with the same data, decompressed.
    pub fn to_npy(&self) -> &Header {
        &self.header
    }

    /// Sets the dtype of user-defined elements, which the file does not name.
    ///
    /// It takes the byte order of the file, and is not written. Fails if the elements are not
    /// user-defined, or if their size is not that of the dtype.
    pub fn with_dtype(self, dtype: DType) -> Result<Self> {
        if dtype.has_object() {
            return Err(Error::object_array());
        }
        if self.kind != RaKind::User || dtype.itemsize() != self.element_bytes() {
            let (kind, size) = (self.kind.code(), counted(self.element_bytes(), "byte"));
            let expected = "expected user-defined ones (type code 0) of its size";
            let message = format!("cannot read the elements as {dtype}: {expected}, found type code {kind} with {size}");
            return Err(Error::new(ErrorKind::Unstorable, message));
        }
        let dtype = dtype.with_byte_order(self.byte_order);
        Ok(Self { header: Header::new(dtype, self.header.order(), self.dims())?, ..self })
    }

    /// Returns the data offset.
    pub(crate) fn data_offset(&self) -> usize {
        DIMS + 8 * self.dims().len()
    }

    /// Replaces the size of the compressed data; `None` is for uncompressed data.
    pub(crate) fn with_compressed_bytes(self, compressed_bytes: Option<u64>) -> Self {
        Self { compressed_bytes, ..self }
    }

    /// The array as elements of `dtype` see it: user-defined ones, whose dtype is not known, are of
    /// this one, if they have as many bytes and are of no kind that has a code of its own.
    pub(crate) fn seen_as(&self, dtype: DType) -> Result<Header> {
        let is_unknown =
            self.kind == RaKind::User && self.kind.dtype(self.element_bytes(), self.byte_order).as_ref() == Some(self.dtype());
        let is_possible = RaKind::of(&dtype) == RaKind::User && !matches!(dtype, DType::SubArray(_)) && !dtype.has_object();
        if is_unknown && is_possible && dtype.itemsize() == self.element_bytes() {
            return Header::new(dtype.with_byte_order(self.byte_order), self.header.order(), self.dims());
        }
        Ok(self.header.clone())
    }
}

/// The header of the `.ra` file for an array. If that is in C order, its elements have to be
/// transposed, unless it is in both orders.
impl TryFrom<&Header> for RaHeader {
    type Error = Error;

    /// Fails for Python objects, and for records of both byte orders.
    fn try_from(header: &Header) -> Result<Self> {
        let dtype = header.dtype();
        if dtype.has_object() {
            return Err(Error::object_array());
        }
        let orders = [ByteOrder::Little, ByteOrder::Big];
        let Some(byte_order) = orders.into_iter().find(|order| dtype.clone().with_byte_order(*order) == *dtype) else {
            let advice = "convert it with `array.astype(array.dtype.newbyteorder('<'))`";
            let message = format!("unsupported dtype {dtype}: expected one byte order, found both; {advice}");
            return Err(Error::new(ErrorKind::Unstorable, message));
        };
        let raw = Self::new(RaKind::of(dtype), dtype.itemsize(), byte_order, header.shape())?;
        if raw.kind == RaKind::User { raw.with_dtype(dtype.clone()) } else { Ok(raw) }
    }
}

/// The numbers before the dimensions.
struct Fixed {
    kind: RaKind,
    byte_order: ByteOrder,
    is_compressed: bool,
    element_bytes: usize,
    data_bytes: u64,
    dims_bytes: usize,
}

impl Fixed {
    fn parse(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let flags = number_at(bytes, FLAGS);
        if flags & !(BIG_ENDIAN | COMPRESSED) != 0 {
            let problem = format!("expected 0x1 (big-endian) and 0x2 (LZ4) at most, found {flags:#x}");
            return Err(invalid("unknown flags", FLAGS, &problem));
        }
        let code = number_at(bytes, KIND);
        let Some(kind) = RaKind::ALL.into_iter().find(|kind| kind.code() == code) else {
            let problem = format!("expected 0 (user-defined) to 5 (brain float), found {code}");
            return Err(invalid("unknown type code", KIND, &problem));
        };
        let found = number_at(bytes, ELEMENT_BYTES);
        if kind != RaKind::User && !kind.widths().iter().any(|width| u64::from(*width) == found) {
            return Err(unknown_width(kind, found));
        }
        let element_bytes = match usize::try_from(found) {
            Ok(element_bytes) if element_bytes <= limits.element_bytes => element_bytes,
            _ => return Err(Error::limit_exceeded("bytes of an element", limits.element_bytes as u64, found)),
        };
        let ndims = number_at(bytes, NDIMS);
        let dims_bytes = match usize::try_from(ndims) {
            Ok(ndims) if ndims <= MOST_DIMENSIONS => 8 * ndims,
            _ => {
                let message = format!("too many dimensions at byte {NDIMS}: expected at most {MOST_DIMENSIONS}, found {ndims}");
                return Err(Error::new(ErrorKind::TooLarge, message).at_byte(NDIMS as u64));
            }
        };
        if DIMS + dims_bytes > limits.header_bytes {
            return Err(Error::limit_exceeded("bytes of the header", limits.header_bytes as u64, (DIMS + dims_bytes) as u64));
        }
        Ok(Self {
            kind,
            byte_order: if flags & BIG_ENDIAN == 0 { ByteOrder::Little } else { ByteOrder::Big },
            is_compressed: flags & COMPRESSED != 0,
            element_bytes,
            data_bytes: number_at(bytes, DATA_BYTES),
            dims_bytes,
        })
    }

    fn with_dims(self, dims: &[u8], limits: &Limits) -> Result<RaHeader> {
        let (words, _) = dims.as_chunks::<8>();
        let numbers: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let lengths = numbers.iter().map(|length| usize::try_from(*length)).collect::<Result<Vec<_>, _>>();
        let header = lengths.ok().map(|lengths| RaHeader::new(self.kind, self.element_bytes, self.byte_order, &lengths));
        let overflow = || {
            let size = counted(self.element_bytes, "byte");
            let dims = format!("dimensions {numbers:?} with {size} per element overflow the address space");
            Error::new(ErrorKind::TooLarge, format!("array too large at byte {DIMS}: {dims}")).at_byte(DIMS as u64)
        };
        let header = header.unwrap_or_else(|| Err(overflow())).map_err(|error| match error.kind() {
            ErrorKind::TooLarge => overflow(),
            _ => error,
        })?;
        check_data(header.header.dtype(), header.header.element_count(), limits)?;
        self.check_size(header.header.data_bytes())?;
        Ok(header.with_compressed_bytes(self.is_compressed.then_some(self.data_bytes)))
    }

    /// Fails if the size of the data does not fit the elements.
    fn check_size(&self, expected: u64) -> Result<()> {
        let found = self.data_bytes;
        if !self.is_compressed {
            let problem = || format!("expected {}, found {found}", counted(expected, "byte"));
            return if found == expected { Ok(()) } else { Err(invalid("invalid data size", DATA_BYTES, &problem())) };
        }
        // A byte of LZ4 holds at most 255, and incompressible data grow by one in 255 (LZ4_COMPRESSBOUND).
        let most = (expected / 255).saturating_add(expected).saturating_add(16);
        if found > most || found.saturating_mul(255) < expected {
            let problem = format!("{} cannot decompress to {expected}", counted(found, "byte"));
            return Err(invalid("invalid compressed size", DATA_BYTES, &problem));
        }
        Ok(())
    }
}

fn check_magic(bytes: &[u8]) -> Result<()> {
    let found = &bytes[..bytes.len().min(MAGIC.len())];
    if found == MAGIC {
        return Ok(());
    }
    if !found.is_empty() && MAGIC.starts_with(found) {
        return Err(truncated("the magic string", 0, MAGIC.len(), found.len()));
    }
    let problem = match bytes {
        [b'y', b'a', b'r', b'r', b'a', b'w', ..] => {
            "expected \"rawarray\", found \"yarrawar\"; the header is in big-endian order".to_owned()
        }
        _ => describe_magic("\"rawarray\"", bytes.get(..ForeignFormat::FRONT_BYTES).unwrap_or(bytes)),
    };
    Err(Error::new(ErrorKind::WrongFormat, format!("not an .ra file: {problem}")))
}

/// The number that begins at `offset`, which is in `bytes`.
fn number_at(bytes: &[u8], offset: usize) -> u64 {
    bytes.get(offset..).and_then(<[u8]>::first_chunk::<8>).map_or(0, |word| u64::from_le_bytes(*word))
}

/// Creates the error of a number in the header, at an offset.
#[cold]
fn invalid(what: &str, offset: usize, problem: &str) -> Error {
    Error::new(ErrorKind::InvalidHeader, format!("{what} at byte {offset}: {problem}")).at_byte(offset as u64)
}

/// Creates the error of an element size that a kind does not have.
#[cold]
fn unknown_width(kind: RaKind, found: u64) -> Error {
    let known: Vec<_> = kind.widths().iter().map(u16::to_string).collect();
    let known = match known.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => known.concat(),
    };
    let problem = format!("expected {} for type code {}, found {found}", counted(known, "byte"), kind.code());
    invalid("invalid element size", ELEMENT_BYTES, &problem)
}

//! Elements as bytes, for code that is not compiled for their type.

use std::path::Path;

use super::replace::replace_file;
use crate::element::{self, Difference, NpyElement, PlanOf};
use crate::error::{Error, ErrorKind, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::memory::BulkLayout;
#[cfg(feature = "dynamic")]
use crate::memory::reserve_exact;
use crate::options::SaveOptions;

/// Elements in memory as the bytes of a dtype, perhaps in the other byte order.
///
/// They are written and printed without a copy of the array, by code that is not compiled for their type.
/// Times, of which the unit is known at run time, are stored as integers:
///
/// ```
/// use npy_core::adapter::ElementBytes;
/// use npy_core::types::{Datetime64, unit};
/// use npy_core::{Header, NpyElement, Order};
///
/// let days = [19_000_i64, 19_001];
/// let bytes = ElementBytes::new(&days, &i64::dtype()).unwrap();
/// let mut file = Vec::new();
/// bytes.write(&mut file, &Header::new("<M8[D]".parse()?, Order::C, &[2])?, Order::C)?;
/// let days: Vec<Datetime64<unit::Day>> = npy_core::read(&file[..])?;
/// assert_eq!(days[1].steps(), Some(19_001));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ElementBytes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) layout: BulkLayout,
    pub(super) difference: Difference,
}

impl<'a> ElementBytes<'a> {
    /// Creates the bytes of elements that are stored as `dtype`; `None` if each has to be encoded.
    ///
    /// See [`ElementBytes`] for an example.
    pub fn new<T: NpyElement>(items: &'a [T], dtype: &DType) -> Option<Self> {
        Self::of_plan(&element::plan::<T>(dtype).ok()?, dtype.itemsize(), items)
    }

    /// Elements that `plan` encodes to `itemsize` bytes; `None` if each of them has to be encoded.
    #[inline]
    pub(super) fn of_plan<T: NpyElement>(plan: &PlanOf<T>, itemsize: usize, items: &'a [T]) -> Option<Self> {
        let (bulk, difference) = element::bulk::<T>(plan, itemsize)?;
        Some(Self { bytes: bulk.bytes_of(items)?, layout: bulk.layout(), difference })
    }

    /// Creates elements from bytes as they are in a file of this dtype.
    ///
    /// ```
    /// use npy_core::adapter::ElementBytes;
    /// use npy_core::{Header, NpyReader, Order, SaveOptions};
    ///
    /// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
    /// let header = Header::new(">u2".parse()?, Order::Fortran, &[2, 2])?;
    /// let bytes = ElementBytes::from_bytes(&[0, 1, 0, 2, 0, 3, 0, 4], header.dtype());
    /// bytes.save(&path, &header, SaveOptions::new())?;
    /// assert_eq!(NpyReader::open(&path)?.into_vec::<u16>()?, [1, 2, 3, 4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn from_bytes(bytes: &'a [u8], dtype: &DType) -> Self {
        Self { bytes, layout: BulkLayout::of_bytes(dtype.itemsize()), difference: Difference::None }
    }

    /// Saves the elements as a file, atomically, in the order of the options or of the header.
    ///
    /// The elements are not copied. Fails like [`write`](Self::write).
    ///
    /// See [`from_bytes`](Self::from_bytes) for an example.
    pub fn save(self, path: impl AsRef<Path>, header: &Header, options: impl Into<SaveOptions>) -> Result<()> {
        let options = options.into();
        replace_file(path, options, |file| {
            file.reserve(header.data_bytes());
            self.write(file, header, options.order.unwrap_or(header.order()))
        })
    }

    /// Copies all elements.
    #[cfg(feature = "dynamic")]
    pub(crate) fn to_vec(self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        reserve_exact(&mut bytes, self.bytes.len())?;
        bytes.extend_from_slice(self.bytes);
        self.swap(&mut bytes);
        Ok(bytes)
    }

    /// Copies the elements at these indices.
    #[cfg(feature = "print")]
    pub(crate) fn pick(self, indices: &[usize]) -> Vec<u8> {
        let size = self.layout.size;
        let mut bytes: Vec<u8> = indices.iter().flat_map(|index| &self.bytes[index * size..][..size]).copied().collect();
        self.swap(&mut bytes);
        bytes
    }

    /// Fails unless these are the bytes of all elements of a header.
    pub(crate) fn check(self, header: &Header) -> Result<()> {
        let (expected, found) = (header.data_bytes(), self.bytes.len() as u64);
        let (itemsize, size) = (header.dtype().itemsize(), self.layout.size);
        if expected != found {
            return Err(Error::wrong_length(expected, found));
        }
        if itemsize != size {
            let message = format!("wrong itemsize: expected {itemsize}, found {size}");
            return Err(Error::new(ErrorKind::WrongShape, message));
        }
        Ok(())
    }

    #[cfg(feature = "dynamic")]
    fn swap(self, bytes: &mut [u8]) {
        if self.difference == Difference::ByteOrder {
            self.layout.swap(bytes);
        }
    }

    /// Returns the bytes as they are in memory.
    ///
    /// ```
    /// use npy_core::NpyElement;
    /// use npy_core::adapter::ElementBytes;
    ///
    /// let bytes = ElementBytes::new(&[1_u8, 2], &u8::dtype()).unwrap();
    /// assert_eq!(bytes.as_slice(), [1, 2]);
    /// ```
    pub fn as_slice(self) -> &'a [u8] {
        self.bytes
    }
}

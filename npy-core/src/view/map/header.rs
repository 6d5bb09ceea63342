//! The formats that can be mapped.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;

use crate::element::NpyElement;
use crate::error::Result;
#[cfg(feature = "rawarray")]
use crate::error::{Error, ErrorKind};
use crate::format::header::Header;
#[cfg(feature = "rawarray")]
use crate::format::rawarray::RaHeader;
use crate::limits::Limits;

/// The header of a file that can be mapped: [`Header`], or `RaHeader` of the feature `rawarray`.
///
/// See [`NpyMap`](crate::NpyMap) for an example. No other type can implement it.
pub trait MapHeader: Format + fmt::Debug {
    /// Returns the header of an `.npy` file with the same data.
    fn to_npy(&self) -> &Header;
}

/// How files of a format are mapped.
#[expect(unnameable_types, reason = "no other type can implement it")]
pub trait Format: Sized {
    /// Whether bytes after the data belong to the file.
    const HAS_METADATA: bool;

    /// Reads the header, and returns the data offset.
    fn read_header(file: &File, limits: &Limits) -> Result<(Self, usize)>;

    /// The header of the array, as elements of `T` see it.
    fn seen_as<T: NpyElement>(&self) -> Result<Cow<'_, Header>>;
}

impl MapHeader for Header {
    fn to_npy(&self) -> &Header {
        self
    }
}

impl Format for Header {
    const HAS_METADATA: bool = false;

    fn read_header(file: &File, limits: &Limits) -> Result<(Self, usize)> {
        Self::read_with_offset(file, limits)
    }

    fn seen_as<T: NpyElement>(&self) -> Result<Cow<'_, Header>> {
        Ok(Cow::Borrowed(self))
    }
}

#[cfg(feature = "rawarray")]
impl MapHeader for RaHeader {
    fn to_npy(&self) -> &Header {
        self.to_npy()
    }
}

#[cfg(feature = "rawarray")]
impl Format for RaHeader {
    const HAS_METADATA: bool = true;

    fn read_header(file: &File, limits: &Limits) -> Result<(Self, usize)> {
        let header = Self::read_with(file, *limits)?;
        if header.is_compressed() {
            return Err(Error::new(ErrorKind::NotViewable, "cannot map compressed data; `RaArray::load` reads them"));
        }
        let data_offset = header.data_offset();
        Ok((header, data_offset))
    }

    fn seen_as<T: NpyElement>(&self) -> Result<Cow<'_, Header>> {
        self.seen_as(T::dtype()).map(Cow::Owned)
    }
}

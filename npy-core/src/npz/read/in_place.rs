//! Archives in memory: borrows their arrays.

use std::borrow::Cow;
use std::io::Cursor;
use std::ops::Range;

use super::reader::NpzReader;
use crate::element::NpyElement;
use crate::error::{Error, ErrorKind, Result};
use crate::npz::zip::problem::overlap;
use crate::view::{NpyView, view_with};

impl<'a> NpzReader<Cursor<&'a [u8]>> {
    /// Reads the central directory of an archive in memory: read, mapped or embedded.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        Self::new(Cursor::new(bytes))
    }

    /// Borrows the elements of an array of an archive in memory, in the order of the file.
    ///
    /// The checksum is not checked, because that would read everything.
    ///
    /// # Errors
    ///
    /// Fails if there is no such member, if it is compressed, and like [`view`](crate::view()).
    /// NumPy's own archives put arrays at any address.
    /// [`WriteOptions::aligned`](crate::npz::WriteOptions::aligned) aligns them, and
    /// [`view_or_read`](Self::view_or_read) reads a copy.
    pub fn view<T: NpyView>(&mut self, name: &str) -> Result<&'a [T]> {
        let index = self.find(name)?;
        let limits = self.limits;
        self.stored(index).and_then(|bytes| view_with(bytes, limits)).map_err(|error| error.with_member(name))
    }

    /// Borrows the elements of an array if possible, and reads a copy otherwise.
    ///
    /// Members that are compressed, misaligned or in the other byte order are copied, and their
    /// checksum is checked.
    pub fn view_or_read<T: NpyView + NpyElement + Clone>(&mut self, name: &str) -> Result<Cow<'a, [T]>> {
        match self.view(name) {
            Ok(view) => Ok(Cow::Borrowed(view)),
            Err(error) if error.kind() == ErrorKind::NotViewable => self.by_name(name).map(Cow::Owned),
            Err(error) => Err(error),
        }
    }

    /// Borrows the content of a stored member, without checking it. Fails if it is compressed.
    pub fn stored(&mut self, index: usize) -> Result<&'a [u8]> {
        if !self.member(index)?.is_stored() {
            return Err(Error::new(ErrorKind::NotViewable, "cannot view a compressed member; read a copy (`view_or_read`)"));
        }
        let Range { start, end } = self.data_range(index)?;
        let range = usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
        let bytes: &'a [u8] = self.input.reader().get_ref();
        bytes.get(range).ok_or_else(overlap)
    }
}

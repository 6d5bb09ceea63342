//! Adds arrays, scalars, streams of unknown length and other files.

use std::io::Write;

use super::{Front, NpzWriter, cannot_write};
use crate::element::NpyElement;
use crate::error::{Error, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::write::bytes::ElementBytes;
use crate::write::{NpyWriter, dtype_of, header_of};

impl<W: Write> NpzWriter<W> {
    /// Adds a one-dimensional array.
    ///
    /// Fails if the name is taken, if an element cannot be expressed in the dtype, or if writing
    /// fails.
    pub fn add_slice<T: NpyElement>(&mut self, name: &str, items: &[T]) -> Result<()> {
        let header = header_of(dtype_of(items.iter()), &[items.len()]).map_err(|error| self.refuse(error))?;
        self.add(name, &header, |writer| writer.write_slice(items))
    }

    /// Adds an array of any shape, order and dtype.
    ///
    /// `write` writes its elements in the order of the header. Fails if they are fewer than the header
    /// says, or if the dtype does not fit `T`.
    pub fn add<T: NpyElement>(
        &mut self,
        name: &str,
        header: &Header,
        write: impl FnOnce(&mut NpyWriter<T, &mut dyn Write>) -> Result<()>,
    ) -> Result<()> {
        self.add_member(&format!("{name}.npy"), Front::Nothing, header.data_bytes(), |sink| {
            let mut writer = NpyWriter::with_header(sink, header)?;
            write(&mut writer).inspect_err(|_| writer.abandon())?;
            writer.finish()?;
            Ok(None)
        })
    }

    /// Adds an array of elements as bytes, in the order of the header, without copying them.
    ///
    /// Fails if the header has another number of elements or itemsize.
    ///
    /// ```
    /// use npy_core::adapter::ElementBytes;
    /// use npy_core::npz::{NpzReader, NpzWriter};
    /// use npy_core::{Header, Order};
    ///
    /// let header = Header::new("<u2".parse()?, Order::C, &[2])?;
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_elements("x", ElementBytes::from_bytes(&[1, 0, 2, 0], header.dtype()), &header)?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(archive.by_name::<u16>("x")?, [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn add_elements(&mut self, name: &str, elements: ElementBytes<'_>, header: &Header) -> Result<()> {
        self.add_member(&format!("{name}.npy"), Front::Nothing, header.data_bytes(), |sink| {
            elements.write(sink, header, header.order())?;
            Ok(None)
        })
    }

    /// Adds an array as a complete `.npy` file, which `write` writes, for example by
    /// [`write`](crate::write()).
    pub fn add_content(&mut self, name: &str, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        self.add_member(&format!("{name}.npy"), Front::Nothing, 0, |sink| write(sink).map(|()| None))
    }

    /// Adds a member that is not an array, under its full name.
    pub fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.add_member(name, Front::Known(bytes), 0, |sink| sink.write_all(bytes).map(|()| None).map_err(cannot_write))
    }

    /// Adds an array without dimensions, as `np.savez` makes of a number.
    pub fn add_scalar<T: NpyElement>(&mut self, name: &str, item: &T) -> Result<()> {
        let header = header_of(dtype_of(std::iter::once(item)), &[]).map_err(|error| self.refuse(error))?;
        self.add(name, &header, |writer| writer.push(item))
    }

    /// Adds a one-dimensional array of unknown length.
    ///
    /// The elements may be measurements that arrive, or the lines of a text. An error of `write`
    /// leaves the archive as it was; wrap other errors in
    /// [`io::Error::other`](std::io::Error::other).
    ///
    /// The bytes are those of an array of known length. For text without a fixed width, whose dtype
    /// is unknown in advance, see [`add_stream_of`](Self::add_stream_of).
    ///
    /// # Errors
    ///
    /// Fails if the stream of the archive cannot seek ([`streaming`](Self::streaming)), because the
    /// length is written afterwards.
    pub fn add_stream<T: NpyElement>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut NpyWriter<T, &mut dyn Write>) -> Result<()>,
    ) -> Result<()> {
        self.add_stream_of(name, T::dtype(), write)
    }

    /// [`add_stream`](Self::add_stream) with a dtype, such as a width of text: `"<U8".parse()?`.
    pub fn add_stream_of<T: NpyElement>(
        &mut self,
        name: &str,
        dtype: DType,
        write: impl FnOnce(&mut NpyWriter<T, &mut dyn Write>) -> Result<()>,
    ) -> Result<()> {
        // As long as the header of any length, because NumPy reserves space for the digits.
        let empty = header_of(dtype.clone(), &[0]).map_err(|error| self.refuse(error))?;
        self.add_member(&format!("{name}.npy"), Front::Head(&empty), 0, |sink| {
            let mut writer = NpyWriter::open_ended(sink, &empty)?;
            write(&mut writer).inspect_err(|_| writer.abandon())?;
            let count = usize::try_from(writer.finish_open()?).map_err(|_| Error::out_of_memory(usize::MAX))?;
            header_of(dtype, &[count]).map(Some)
        })
    }
}

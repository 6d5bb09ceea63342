//! Adds members: arrays, scalars, streams of unknown length, other files.

use std::io::Write;

use super::{Front, NpzWriter, cannot_write};
use crate::element::NpyElement;
use crate::error::{ErrorKind, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::write::{NpyWriter, dtype_of, header_of};

impl<W: Write> NpzWriter<W> {
    /// Adds a one-dimensional array.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_slice("times", &[0.5_f64, 1.5])?;
    /// archive.add_slice("names", &["Ada".to_owned(), "Grace".to_owned()])?;
    /// assert!(archive.add_slice("times", &[2.5_f64]).is_err()); // a name is there once
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(archive.by_name::<String>("names")?, ["Ada", "Grace"]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the name is taken, if an element cannot be expressed in the dtype, or if writing
    /// fails.
    pub fn add_slice<T: NpyElement>(&mut self, name: &str, items: &[T]) -> Result<()> {
        let header = header_of(dtype_of(items.iter()), &[items.len()]).map_err(|error| self.refuse(error))?;
        self.add(name, &header, |writer| writer.write_slice(items))
    }

    /// Adds an array of any shape, order and dtype.
    ///
    /// `write` writes its elements in the order of the header.
    ///
    /// ```
    /// use npy_core::npz::{NpzReader, NpzWriter};
    /// use npy_core::{Header, NpyElement, Order};
    ///
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// let header = Header::new(f64::dtype(), Order::Fortran, &[2, 3])?;
    /// archive.add("matrix", &header, |matrix| {
    ///     (0..3).try_for_each(|column| matrix.write_slice(&[f64::from(column), 0.0]))
    /// })?;
    /// assert_eq!(NpzReader::new(archive.finish()?)?.header(0)?, header);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the name is taken, if the dtype does not fit `T`, if `write` writes fewer elements
    /// than the header says, or if writing fails.
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

    /// Adds an array that `write` writes as a complete `.npy` file.
    ///
    /// # Errors
    ///
    /// Fails if the name is taken, or if writing fails.
    ///
    /// ```
    /// # use npy_core::npz::NpzWriter;
    /// let mut file = std::io::Cursor::new(Vec::new());
    /// let mut archive = NpzWriter::new(&mut file);
    /// archive.add_content("x", |member| npy_core::write(member, &[1_u8, 2]))?;
    /// archive.finish()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn add_content(&mut self, name: &str, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        self.add_member(&format!("{name}.npy"), Front::Nothing, 0, |sink| write(sink).map(|()| None))
    }

    /// Adds a member that is not an array, under its full name.
    ///
    /// ```
    /// # use npy_core::npz::NpzWriter;
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_bytes("notes.txt", b"hello")?; // b'hello' in NumPy
    /// archive.finish()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the name is taken, or if writing fails.
    pub fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.add_member(name, Front::Known(bytes), 0, |sink| sink.write_all(bytes).map(|()| None).map_err(cannot_write))
    }

    /// Adds an array without dimensions, which is one element.
    ///
    /// `np.savez` makes such an array of a number.
    ///
    /// # Errors
    ///
    /// Fails if the name is taken, if the element cannot be expressed in the dtype, or if writing
    /// fails.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_scalar("rate", &0.01_f64)?;
    /// archive.add_scalar("name", &"SGD".to_owned())?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(archive.scalar::<f64>("rate")?, 0.01);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
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
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_stream::<f64>("readings", |readings| {
    ///     for word in "0.5 1.5 2.5".split(' ') {
    ///         readings.push(&word.parse().unwrap_or(f64::NAN))?;
    ///     }
    ///     Ok(())
    /// })?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(archive.by_name::<f64>("readings")?, [0.5, 1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the stream of the archive cannot seek ([`streaming`](Self::streaming)), because the
    /// length is written afterwards, and like [`add`](Self::add).
    pub fn add_stream<T: NpyElement>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut NpyWriter<T, &mut dyn Write>) -> Result<()>,
    ) -> Result<()> {
        self.add_stream_of(name, T::dtype(), write)
    }

    /// [`add_stream`](Self::add_stream) with a dtype, such as a width of text.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_stream_of::<String>("words", "<U8".parse()?, |words| {
    ///     "to be or not".split(' ').try_for_each(|word| words.push(&word.to_owned()))
    /// })?;
    /// let mut archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(archive.header(0)?.dtype().to_string(), "<U8");
    /// assert_eq!(archive.by_name::<String>("words")?, ["to", "be", "or", "not"]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`add_stream`](Self::add_stream).
    pub fn add_stream_of<T: NpyElement>(
        &mut self,
        name: &str,
        dtype: DType,
        write: impl FnOnce(&mut NpyWriter<T, &mut dyn Write>) -> Result<()>,
    ) -> Result<()> {
        // As long as that of any number of elements, because NumPy leaves space for the digits.
        let empty = header_of(dtype.clone(), &[0]).map_err(|error| self.refuse(error))?;
        self.add_member(&format!("{name}.npy"), Front::Head(&empty), 0, |sink| {
            let mut writer = NpyWriter::open_ended(sink, &empty)?;
            write(&mut writer).inspect_err(|_| writer.abandon())?;
            let count = usize::try_from(writer.finish_open()?).map_err(|_| ErrorKind::Allocation { bytes: usize::MAX })?;
            header_of(dtype, &[count]).map(Some)
        })
    }
}

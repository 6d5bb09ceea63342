//! Writing archives: byte for byte what `np.savez` writes, by the rules of Python's `zipfile`.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::element::NpyElement;
use crate::error::{ArchiveProblem, Error, ErrorKind, Result};
use crate::header::Header;
use crate::save::Replacement;
use crate::write::{NpyWriter, dtype_of, header_of};

/// The version of the format that knows of 64-bit sizes; made on Unix.
const VERSION: u16 = 45;
const MADE_BY: u16 = 3 << 8 | VERSION;

/// Midnight of 1980-01-01, as NumPy dates all members.
const DATE: u16 = 0x21;

/// Read and written by the owner.
const ATTRIBUTES: u32 = 0o600 << 16;

/// Flag bits: a descriptor with checksum and sizes follows the data; the name is UTF-8.
const DESCRIPTOR: u16 = 1 << 3;
const UTF8: u16 = 1 << 11;

/// `zipfile` takes the 64-bit field for every number that does not fit 31 bits.
const ZIP64_LIMIT: u64 = i32::MAX as u64;
const MOST_MEMBERS: u64 = u16::MAX as u64;
const IN_ZIP64: u32 = u32::MAX;

/// Of members that can be viewed in place: that of the data in an `.npy` file.
const ALIGNMENT: u64 = 64;

/// What NumPy's `savez_compressed` takes.
const LEVEL: u32 = 6;

/// Where in a local header the checksum stands, and behind which the sizes stand in the zip64 field.
const CRC_AT: u64 = 14;
const LOCAL_BYTES: u64 = 30;

/// Writes an archive of arrays: one after another, each stored or compressed.
///
/// ```
/// use npy_core::npz::NpzWriter;
/// use npy_core::{Header, NpyElement, Order};
///
/// let mut file = std::io::Cursor::new(Vec::new());
/// let mut archive = NpzWriter::new(&mut file);
/// archive.add_slice("times", &[0.5_f64, 1.5])?;
///
/// archive.set_compressed(true);
/// let header = Header::new(u8::dtype(), Order::C, &[100, 100])?;
/// archive.add("image", &header, |image| image.write_slice(&[0_u8; 10_000]))?;
/// archive.finish()?; // np.load opens it
/// assert!(file.get_ref().len() < 1000);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[must_use = "without `finish` the archive has no directory"]
pub struct NpzWriter<W: Write> {
    writer: W,
    /// Writes checksum and sizes into a local header; without `Seek` they follow the data instead.
    patch: Option<fn(&mut W, &Local) -> io::Result<()>>,
    replacement: Option<Replacement>,
    is_compressed: bool,
    is_aligned: bool,
    members: Vec<Local>,
    names: HashSet<String>,
    /// Bytes written so far.
    position: u64,
    /// Whether writing has failed, so that what the stream holds is not known.
    failed: bool,
}

/// A member that was written.
struct Local {
    name: String,
    method: u16,
    flags: u16,
    crc: u32,
    compressed: u64,
    size: u64,
    /// Where its local header begins.
    offset: u64,
    /// An extra field of the local header that does nothing but take room.
    padding: Vec<u8>,
}

impl NpzWriter<File> {
    /// Begins a file, as `np.savez` does. It stands under `path` when it is finished; until then, and after an error, what stood there
    /// still does.
    ///
    /// # Errors
    ///
    /// When the file cannot be made.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (file, replacement) = Replacement::begin(path).map_err(|error| error.with_path(path))?;
        // A pipe or a device has no place to come back to.
        let mut writer = if replacement.is_file() { Self::new(file) } else { Self::streaming(file) };
        writer.replacement = Some(replacement);
        Ok(writer)
    }

    /// [`create`](Self::create) with compression, as `np.savez_compressed` does.
    ///
    /// # Errors
    ///
    /// Like [`create`](Self::create).
    pub fn create_compressed(path: impl AsRef<Path>) -> Result<Self> {
        let mut writer = Self::create(path)?;
        writer.is_compressed = true;
        Ok(writer)
    }
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Begins an archive in a stream that can be gone back in: checksums and sizes stand before the data. The archive begins where the
    /// stream stands.
    pub fn new(writer: W) -> Self {
        Self { patch: Some(patch), ..Self::streaming(writer) }
    }

    /// [`new`](Self::new) with compression, as `np.savez_compressed` does.
    pub fn new_compressed(writer: W) -> Self {
        Self { is_compressed: true, ..Self::new(writer) }
    }
}

impl<W: Write> NpzWriter<W> {
    /// Begins an archive in any stream: checksums and sizes stand behind the data, as `np.savez` puts them into a pipe.
    pub fn streaming(writer: W) -> Self {
        Self {
            writer,
            patch: None,
            replacement: None,
            is_compressed: false,
            is_aligned: false,
            members: Vec::new(),
            names: HashSet::new(),
            position: 0,
            failed: false,
        }
    }

    /// Whether the members from here on are compressed.
    pub fn set_compressed(&mut self, compressed: bool) {
        self.is_compressed = compressed;
    }

    /// Whether the members from here on begin at multiples of 64 bytes of the archive, so that the arrays of a stored member can be viewed in
    /// place ([`NpzReader::view`](super::NpzReader::view)). The archive stays one that NumPy and others read; it is no longer byte for
    /// byte what `np.savez` writes.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.set_aligned(true);
    /// archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// let file = archive.finish()?.into_inner();
    /// # let mut memory = vec![0; file.len() + 64];
    /// # let begin = memory.as_ptr().align_offset(64);
    /// # memory[begin..][..file.len()].copy_from_slice(&file);
    /// # let map = &memory[begin..][..file.len()];
    ///
    /// let mut archive = NpzReader::new(std::io::Cursor::new(map))?; // of a map of the file, say
    /// let x: &[f64] = archive.view("x")?;
    /// assert_eq!(x, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn set_aligned(&mut self, aligned: bool) {
        self.is_aligned = aligned;
    }

    /// Adds a one-dimensional array.
    ///
    /// # Errors
    ///
    /// When there is one of that name already, when an element cannot be expressed in the dtype, or when writing fails.
    pub fn add_slice<T: NpyElement>(&mut self, name: &str, items: &[T]) -> Result<()> {
        let header = header_of(dtype_of(items.iter()), items.len())?;
        self.add(name, &header, |writer| writer.write_slice(items))
    }

    /// Adds an array of any shape, order and dtype, whose elements `write` writes in the order that the header says.
    ///
    /// # Errors
    ///
    /// When there is one of that name already, when the dtype does not fit `T`, when `write` writes fewer elements than the header says,
    /// or when writing fails.
    pub fn add<T: NpyElement>(
        &mut self,
        name: &str,
        header: &Header,
        write: impl FnOnce(&mut NpyWriter<T, &mut dyn Write>) -> Result<()>,
    ) -> Result<()> {
        self.add_with(name, |sink| {
            let mut writer = NpyWriter::with_header(sink, header)?;
            write(&mut writer)?;
            writer.finish()?;
            Ok(())
        })
    }

    /// Adds an array that `write` writes as a whole `.npy` file.
    ///
    /// # Errors
    ///
    /// When there is one of that name already, or writing fails.
    ///
    /// ```
    /// # use npy_core::npz::NpzWriter;
    /// let mut file = std::io::Cursor::new(Vec::new());
    /// let mut archive = NpzWriter::new(&mut file);
    /// archive.add_with("x", |member| npy_core::write(member, &[1_u8, 2]))?;
    /// archive.finish()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn add_with(&mut self, name: &str, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        self.add_member(&format!("{name}.npy"), write)
    }

    /// Adds a member that is no array, under its whole name.
    ///
    /// # Errors
    ///
    /// When there is one of that name already, or writing fails.
    pub fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.add_member(name, |sink| sink.write_all(bytes).map_err(cannot_write))
    }

    fn add_member(&mut self, name: &str, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let named = |error: Error| error.with_member(name.strip_suffix(".npy").unwrap_or(name));
        if self.failed {
            return Err(cannot_write(io::Error::other("an earlier write failed, and left it torn")));
        }
        if name.len() > usize::from(u16::MAX) || name.contains('\0') {
            return Err(named(ErrorKind::Archive { problem: ArchiveProblem::InvalidName }.into()));
        }
        if !self.names.insert(name.to_owned()) {
            return Err(named(ErrorKind::Archive { problem: ArchiveProblem::DuplicateName }.into()));
        }
        self.failed = true;
        let flags = if name.is_ascii() { 0 } else { UTF8 } | if self.patch.is_some() { 0 } else { DESCRIPTOR };
        let method = if self.is_compressed { 8 } else { 0 };
        let padding = if self.is_aligned { padding_field(self.position + LOCAL_BYTES + name.len() as u64) } else { Vec::new() };
        let mut local =
            Local { name: name.to_owned(), method, flags, crc: 0, compressed: 0, size: 0, offset: self.position, padding };
        let header = local.header();
        self.writer.write_all(&header).map_err(cannot_write)?;
        self.position += header.len() as u64;

        write_content(&mut self.writer, &mut local, write).map_err(named)?;
        self.position += local.compressed;
        match self.patch {
            Some(patch) => patch(&mut self.writer, &local).map_err(cannot_write)?,
            None => {
                let descriptor = local.descriptor();
                self.writer.write_all(&descriptor).map_err(cannot_write)?;
                self.position += descriptor.len() as u64;
            }
        }
        self.members.push(local);
        self.failed = false;
        Ok(())
    }

    /// Writes the archive's directory, and gives the stream back.
    ///
    /// # Errors
    ///
    /// When writing fails, or an earlier write did.
    pub fn finish(mut self) -> Result<W> {
        if self.failed {
            return Err(cannot_write(io::Error::other("an earlier write failed, and left it torn")));
        }
        let mut directory = Vec::new();
        for member in &self.members {
            member.push_entry(&mut directory);
        }
        push_end(&mut directory, self.members.len() as u64, self.position);
        self.writer.write_all(&directory).and_then(|()| self.writer.flush()).map_err(cannot_write)?;
        if let Some(replacement) = self.replacement {
            replacement.commit()?;
        }
        Ok(self.writer)
    }
}

/// Writes the content of a member, and notes its checksum and sizes.
fn write_content(writer: &mut impl Write, local: &mut Local, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let counting = Counting { writer, count: 0 };
    let output = match local.method {
        0 => Output::Stored(counting),
        _ => Output::Deflated(DeflateEncoder::new(counting, Compression::new(LEVEL))),
    };
    let mut sink = Sink { output, crc: crc32fast::Hasher::new(), size: 0 };
    write(&mut sink)?;
    local.size = sink.size;
    local.crc = sink.crc.finalize();
    local.compressed = match sink.output {
        Output::Stored(counting) => counting.count,
        Output::Deflated(encoder) => encoder.finish().map_err(cannot_write)?.count,
    };
    Ok(())
}

/// Goes back to the member's local header, which is `written` bytes back, and puts in what is known now.
fn patch<W: Write + Seek>(writer: &mut W, local: &Local) -> io::Result<()> {
    let name_bytes = local.name.len() as u64;
    let to_header = LOCAL_BYTES + name_bytes + ZIP64_FIELD_BYTES + local.padding.len() as u64 + local.compressed;
    // Relative to here, because the archive need not begin where the stream does.
    let back = |bytes: u64| i64::try_from(bytes).map(|bytes| SeekFrom::Current(-bytes)).map_err(io::Error::other);
    writer.seek(back(to_header - CRC_AT)?)?;
    writer.write_all(&local.crc.to_le_bytes())?;
    let to_sizes = LOCAL_BYTES + name_bytes + 4 - CRC_AT - 4;
    writer.seek(SeekFrom::Current(i64::try_from(to_sizes).map_err(io::Error::other)?))?;
    writer.write_all(&local.size.to_le_bytes())?;
    writer.write_all(&local.compressed.to_le_bytes())?;
    let to_end = local.padding.len() as u64 + local.compressed;
    writer.seek(SeekFrom::Current(i64::try_from(to_end).map_err(io::Error::other)?))?;
    Ok(())
}

/// Identifier, length, and the two sizes.
const ZIP64_FIELD_BYTES: u64 = 20;

impl Local {
    /// The header before the data, in which the sizes are always those of the zip64 field: NumPy does not know them before.
    fn header(&self) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04".to_vec();
        for number in [VERSION, self.flags, self.method, 0, DATE] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.crc.to_le_bytes());
        bytes.extend([0xff; 8]);
        bytes.extend(self.name_bytes());
        let field = zip64_field(&[self.size, self.compressed]);
        // At most 20, and a padding of 69.
        bytes.extend([u8::try_from(field.len() + self.padding.len()).unwrap_or_default(), 0]);
        bytes.extend(self.name.as_bytes());
        bytes.extend(field);
        bytes.extend(&self.padding);
        bytes
    }

    /// What follows the data where the header could not be changed.
    fn descriptor(&self) -> Vec<u8> {
        let mut bytes = b"PK\x07\x08".to_vec();
        bytes.extend(self.crc.to_le_bytes());
        bytes.extend(self.compressed.to_le_bytes());
        bytes.extend(self.size.to_le_bytes());
        bytes
    }

    /// Appends the member's entry in the directory.
    fn push_entry(&self, out: &mut Vec<u8>) {
        let mut wide = Vec::new();
        let (mut compressed, mut size) = (self.compressed, self.size);
        if size > ZIP64_LIMIT || compressed > ZIP64_LIMIT {
            wide.extend([size, compressed]);
            (compressed, size) = (IN_ZIP64.into(), IN_ZIP64.into());
        }
        let mut offset = self.offset;
        if offset > ZIP64_LIMIT {
            wide.push(offset);
            offset = IN_ZIP64.into();
        }
        let extra = if wide.is_empty() { Vec::new() } else { zip64_field(&wide) };
        out.extend(b"PK\x01\x02");
        for number in [MADE_BY, VERSION, self.flags, self.method, 0, DATE] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.crc.to_le_bytes());
        out.extend(low_half(compressed));
        out.extend(low_half(size));
        out.extend(self.name_bytes());
        // At most 28 bytes.
        out.extend([u8::try_from(extra.len()).unwrap_or_default(), 0]);
        // No comment, the first disk, no internal attributes.
        out.extend([0; 6]);
        out.extend(ATTRIBUTES.to_le_bytes());
        out.extend(low_half(offset));
        out.extend(self.name.as_bytes());
        out.extend(extra);
    }

    /// The length of the name, which was checked.
    fn name_bytes(&self) -> [u8; 2] {
        u16::try_from(self.name.len()).unwrap_or_default().to_le_bytes()
    }
}

/// The field that makes data begin at a multiple of 64, if all before the extra fields ends at `end`. It is that of Android's `zipalign`:
/// identifier, length, alignment, zeros.
fn padding_field(end: u64) -> Vec<u8> {
    const HEAD: u64 = 6;
    let end = end + ZIP64_FIELD_BYTES + HEAD;
    // Less than the alignment.
    let zeros = usize::try_from(end.next_multiple_of(ALIGNMENT) - end).unwrap_or_default();
    let mut bytes = vec![0x35, 0xd9, u8::try_from(2 + zeros).unwrap_or_default(), 0];
    bytes.extend(u16::try_from(ALIGNMENT).unwrap_or_default().to_le_bytes());
    bytes.resize(bytes.len() + zeros, 0);
    bytes
}

/// The extra field of numbers that do not fit 32 bits.
fn zip64_field(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = vec![1, 0, u8::try_from(8 * numbers.len()).unwrap_or_default(), 0];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

/// The lower 32 bits, of a number that has no others.
fn low_half(number: u64) -> [u8; 4] {
    u32::try_from(number).unwrap_or(IN_ZIP64).to_le_bytes()
}

/// Appends the end of the archive to its directory, which begins at `offset`.
fn push_end(out: &mut Vec<u8>, members: u64, offset: u64) {
    let size = out.len() as u64;
    if members > MOST_MEMBERS || offset > ZIP64_LIMIT || size > ZIP64_LIMIT {
        out.extend(b"PK\x06\x06");
        out.extend(44_u64.to_le_bytes());
        out.extend(VERSION.to_le_bytes());
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 8]);
        for number in [members, members, size, offset] {
            out.extend(number.to_le_bytes());
        }
        out.extend(b"PK\x06\x07");
        out.extend([0; 4]);
        out.extend((offset + size).to_le_bytes());
        out.extend(1_u32.to_le_bytes());
    }
    let members = u16::try_from(members).unwrap_or(u16::MAX).to_le_bytes();
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    out.extend(members);
    out.extend(members);
    out.extend(low_half(size));
    out.extend(low_half(offset));
    out.extend([0; 2]);
}

/// Counts what goes through.
struct Counting<W> {
    writer: W,
    count: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Where the content of a member goes.
struct Sink<W: Write> {
    output: Output<W>,
    crc: crc32fast::Hasher,
    size: u64,
}

enum Output<W: Write> {
    Stored(Counting<W>),
    Deflated(DeflateEncoder<Counting<W>>),
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.output {
            Output::Stored(output) => output.write(bytes),
            Output::Deflated(output) => output.write(bytes),
        }?;
        self.crc.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        // The member goes on, and flushing would end a block of compressed data.
        Ok(())
    }
}

impl<W: Write> fmt::Debug for NpzWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpzWriter").field("members", &self.members.len()).field("position", &self.position).finish_non_exhaustive()
    }
}

#[cold]
fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write the archive", error)
}

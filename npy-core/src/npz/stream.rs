//! Reading archives from their beginning to their end, from what cannot be gone back in.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use flate2::{Decompress, FlushDecompress, Status};

use super::directory::{LocalHeader, archive, cannot_read};
use super::member::damaged;
use crate::alloc::Spare;
use crate::error::{ArchiveProblem, Result};
use crate::limits::Limits;
use crate::read::{NpyReader, Source};

/// Reads the arrays of an archive one after another from any stream: a pipe, a socket, a decompressor.
///
/// No more is kept in memory than the array that is asked for. What is not read of a member is passed over, and checked all the same.
/// Reads archives with sizes before the data, and NumPy's own from a pipe, in which they stand behind it.
///
/// ```
/// use npy_core::npz::{NpzStream, NpzWriter};
///
/// let mut archive = NpzWriter::streaming(Vec::new());
/// archive.add_slice("x", &[1.0_f64, 2.0])?;
/// archive.add_slice("y", &[3_u8])?;
/// let pipe = archive.finish()?;
///
/// let mut archive = NpzStream::new(&pipe[..]);
/// while let Some(mut member) = archive.next()? {
///     if member.name() == "x" {
///         assert_eq!(member.array()?.into_vec::<f64>()?, [1.0, 2.0]);
///     }
/// }
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct NpzStream<R> {
    reader: BufReader<R>,
    limits: Limits,
    /// The member that the stream stands in.
    current: Option<Content>,
    /// Whether the directory was reached, or reading failed.
    is_over: bool,
}

/// What is known of a member's content, and how far it was read.
struct Content {
    header: LocalHeader,
    inflate: Option<Box<Decompress>>,
    /// Bytes of the content that are left; not known where the sizes stand behind the data, until the array's header was read.
    left: Option<u64>,
    compressed: u64,
    size: u64,
    crc: crc32fast::Hasher,
    /// Whether the compressed data have ended.
    is_at_end: bool,
}

impl<R: Read> NpzStream<R> {
    /// Begins to read an archive.
    pub fn new(reader: R) -> Self {
        Self::with_limits(reader, Limits::new())
    }

    /// [`new`](Self::new) with limits of one's own.
    pub fn with_limits(reader: R, limits: Limits) -> Self {
        Self { reader: BufReader::with_capacity(64 * 1024, reader), limits, current: None, is_over: false }
    }

    /// The next member; `None` at the end of the archive. What was not read of the one before is passed over.
    ///
    /// # Errors
    ///
    /// When reading fails, when the member before is damaged, or no member begins here.
    #[expect(clippy::should_implement_trait, reason = "an iterator's items cannot borrow from it")]
    pub fn next(&mut self) -> Result<Option<StreamMember<'_, R>>> {
        if self.is_over {
            return Ok(None);
        }
        let is_of_unknown_size = |content: &Content| content.inflate.is_none() && content.left.is_none();
        if self.current.as_ref().is_some_and(is_of_unknown_size) {
            // The header of the array tells where it ends.
            let limits = self.limits;
            drop(MemberContent { stream: self }.into_reader(limits));
        }
        // Until it went well.
        self.is_over = true;
        if let Some(content) = self.current.take() {
            let name = content.header.key().to_owned();
            pass_over(&mut self.reader, content).map_err(|error| error.with_member(name))?;
        }
        let Some(header) = LocalHeader::read(&mut self.reader)? else { return Ok(None) };
        let inflate = match header.method {
            0 => None,
            8 => Some(Box::new(Decompress::new(false))),
            method => return Err(archive(ArchiveProblem::UnknownMethod { method }).with_member(header.key())),
        };
        if header.is_encrypted {
            return Err(archive(ArchiveProblem::Encrypted).with_member(header.key()));
        }
        let left = header.sizes.map(|(size, _)| size);
        let crc = crc32fast::Hasher::new();
        let content = Content { header, inflate, left, compressed: 0, size: 0, crc, is_at_end: false };
        self.is_over = false;
        self.current = Some(content);
        Ok(Some(StreamMember { stream: self }))
    }
}

/// A member of an archive that is read forward only.
pub struct StreamMember<'a, R> {
    stream: &'a mut NpzStream<R>,
}

impl<R: Read> StreamMember<'_, R> {
    /// Its name, without one `.npy` at its end.
    pub fn name(&self) -> &str {
        self.stream.current.as_ref().map_or("", |content| content.header.key())
    }

    /// A reader of the array. Its checksum is checked when the last element was read, or else when the next member is asked for.
    ///
    /// # Errors
    ///
    /// When the member is damaged or no array.
    pub fn array(&mut self) -> Result<NpyReader<MemberContent<'_, R>>> {
        let name = self.name().to_owned();
        let limits = self.stream.limits;
        let stream = &mut *self.stream;
        MemberContent { stream }.into_reader(limits).map_err(|error| error.with_member(name))
    }
}

/// The content of a member of an archive that is read forward only.
pub struct MemberContent<'a, R> {
    stream: &'a mut NpzStream<R>,
}

impl<R: Read> MemberContent<'_, R> {
    /// A reader of the array that the member is.
    fn into_reader(self, limits: Limits) -> Result<NpyReader<Self>> {
        let source = Source { fill: Self::fill, length: |_, _| None, bytes: |_| &[], consume: |_, _| (), finish: Self::finish };
        let mut reader = NpyReader::with_source(self, source, &limits)?;
        let bytes = reader.header().data_bytes();
        reader.source_mut().set_array_bytes(bytes);
        Ok(reader)
    }

    /// Notes how long the content is, once the array's header says it.
    fn set_array_bytes(&mut self, bytes: u64) {
        // In a stored member of unknown size nothing else says where it ends.
        if let Some(content) = &mut self.stream.current
            && content.inflate.is_none()
            && content.left.is_none()
        {
            content.left = Some(bytes);
        }
    }

    fn fill(&mut self, spare: &mut Spare<'_>) -> io::Result<()> {
        let NpzStream { reader, current, .. } = &mut *self.stream;
        match current {
            Some(content) => content.fill(reader, spare),
            None => Ok(()),
        }
    }

    /// Reads what is left of the member, and checks it.
    fn finish(&mut self) -> Result<()> {
        let NpzStream { reader, current, is_over, .. } = &mut *self.stream;
        let Some(content) = current.take() else { return Ok(()) };
        let name = content.header.key().to_owned();
        pass_over(reader, content).map_err(|error| {
            *is_over = true;
            error.with_member(name)
        })
    }
}

impl<R: Read> Read for MemberContent<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut spare = Spare::over(buffer);
        self.fill(&mut spare)?;
        Ok(spare.filled())
    }
}

impl Content {
    /// Gives some of what is left; nothing at the end.
    fn fill(&mut self, reader: &mut BufReader<impl Read>, spare: &mut Spare<'_>) -> io::Result<()> {
        if self.is_at_end || self.left == Some(0) {
            return Ok(());
        }
        let most = self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        let Self { inflate, compressed, is_at_end, .. } = self;
        let given = spare.fill_at_most(most, |spare| match inflate {
            Some(inflate) => inflate_some(inflate, reader, spare, compressed, is_at_end),
            None => {
                let before = spare.filled();
                spare.read_from(reader)?;
                *compressed += (spare.filled() - before) as u64;
                Ok(())
            }
        })?;
        self.crc.update(given);
        self.size += given.len() as u64;
        if let Some(left) = &mut self.left {
            *left -= given.len() as u64;
        }
        Ok(())
    }
}

/// Inflates some bytes of what is buffered, which is taken only as far as it is used: behind it the archive goes on.
fn inflate_some(
    inflate: &mut Decompress,
    reader: &mut BufReader<impl Read>,
    spare: &mut Spare<'_>,
    compressed: &mut u64,
    is_at_end: &mut bool,
) -> io::Result<()> {
    loop {
        let input = reader.fill_buf()?;
        let is_empty = input.is_empty();
        let before = (inflate.total_in(), inflate.total_out());
        let status = spare.fill_with(|output| {
            let status = inflate.decompress(input, output, FlushDecompress::None);
            (status, usize::try_from(inflate.total_out() - before.1).unwrap_or_default())
        });
        let used = inflate.total_in() - before.0;
        *compressed += used;
        reader.consume(usize::try_from(used).unwrap_or_default());
        match status {
            Ok(Status::StreamEnd) => {
                *is_at_end = true;
                return Ok(());
            }
            Ok(_) if inflate.total_out() > before.1 => return Ok(()),
            Ok(_) if is_empty => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) if used > 0 => {}
            _ => return Err(damaged()),
        }
    }
}

/// Reads what is left of a member, and checks it against what is said before or behind it.
fn pass_over<R: Read>(reader: &mut BufReader<R>, mut content: Content) -> Result<()> {
    if content.inflate.is_none() && content.left.is_none() {
        return Err(archive(ArchiveProblem::UnknownSize));
    }
    let mut scratch = [0; 4096];
    loop {
        let before = content.size;
        let mut spare = Spare::over(&mut scratch);
        match content.fill(reader, &mut spare) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(cannot_read(error)),
            // The end of compressed data may come without another byte.
            Ok(()) if content.size == before => break,
            Ok(()) => {}
        }
    }
    if content.left.is_some_and(|left| left > 0) {
        return Err(archive(ArchiveProblem::WrongSize {
            expected: content.size + content.left.unwrap_or_default(),
            found: content.size,
        }));
    }
    if let (Some(inflate), false) = (&mut content.inflate, content.is_at_end) {
        // All bytes were given; the end of the stream is still to be read.
        let mut more = [0];
        let mut spare = Spare::over(&mut more);
        inflate_some(inflate, reader, &mut spare, &mut content.compressed, &mut content.is_at_end).map_err(cannot_read)?;
        if spare.filled() > 0 {
            return Err(archive(ArchiveProblem::WrongSize { expected: content.size, found: content.size + 1 }));
        }
    }
    let (crc, size, compressed) = match content.header.sizes {
        Some((size, compressed)) => (content.header.crc, size, compressed),
        None => content.header.read_descriptor(reader)?,
    };
    if content.size != size || content.compressed != compressed {
        return Err(archive(ArchiveProblem::WrongSize { expected: size, found: content.size }));
    }
    let found = content.crc.finalize();
    if found != crc {
        return Err(archive(ArchiveProblem::WrongChecksum { expected: crc, found }));
    }
    Ok(())
}

impl<R> fmt::Debug for NpzStream<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let member = self.current.as_ref().map(|content| content.header.key());
        f.debug_struct("NpzStream").field("member", &member).finish_non_exhaustive()
    }
}

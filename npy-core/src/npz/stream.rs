//! Reading archives from their beginning to their end, from what cannot be gone back in.

use std::fmt;
use std::io::{self, Read};

use super::content::Content;
use super::decoder::Decoder;
use super::input::Input;
use super::local::LocalHeader;
use super::problem::archive;
use crate::alloc::Spare;
use crate::error::{ArchiveProblem, Result};
use crate::limits::Limits;
use crate::read::{NpyReader, Source};

/// Reads the arrays of an archive one after another from any stream: a pipe, a socket, a decompressor.
///
/// No more is kept in memory than the array that is asked for. What is not read of a member is passed over, and checked all the same.
/// Reads archives with sizes before the data, and NumPy's own from a pipe, in which they stand behind it. The stream is read to its end, because
/// members may have been added behind the directory; where it does not end, give it one with [`Read::take`].
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
    input: Input<R>,
    limits: Limits,
    /// The member that the stream stands in, and how far it was read.
    current: Option<(LocalHeader, Content)>,
    /// Whether the directory was reached, or reading failed.
    is_over: bool,
}

impl<R: Read> NpzStream<R> {
    /// Begins to read an archive.
    pub fn new(reader: R) -> Self {
        Self::with_limits(reader, Limits::new())
    }

    /// [`new`](Self::new) with limits of one's own.
    pub fn with_limits(reader: R, limits: Limits) -> Self {
        Self { input: Input::new(reader, |reader, spare| spare.read_from(reader)), limits, current: None, is_over: false }
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
        if self.current.as_ref().is_some_and(|(_, content)| content.is_endless()) {
            // The header of the array tells where it ends.
            let limits = self.limits;
            drop(MemberContent { stream: self }.into_reader(limits));
        }
        self.pass_over()?;
        // Until it went well.
        self.is_over = true;
        self.input.begin(None);
        let Some(header) = LocalHeader::read(&mut self.input)? else { return Ok(None) };
        let content = self.begin(&header).map_err(|error| error.with_member(header.key()))?;
        self.is_over = false;
        self.current = Some((header, content));
        Ok(Some(StreamMember { stream: self }))
    }

    /// Begins to read the content of the member that has this header.
    fn begin(&mut self, header: &LocalHeader) -> Result<Content> {
        if header.is_encrypted {
            return Err(archive(ArchiveProblem::Encrypted));
        }
        let size = header.claim.map(|claim| claim.size);
        let decoder = Decoder::new(header.method, header.has_end_mark, size).map_err(archive)?;
        self.input.begin(header.claim.map(|claim| claim.compressed));
        Ok(Content::new(decoder, size, self.limits.member_bytes))
    }

    /// Reads what is left of the member, and checks it.
    fn pass_over(&mut self) -> Result<()> {
        let Some((header, mut content)) = self.current.take() else { return Ok(()) };
        // Until it went well.
        self.is_over = true;
        let mut finish = || {
            if content.is_endless() {
                return Err(archive(ArchiveProblem::UnknownSize));
            }
            content.finish(&mut self.input, |input| match header.claim {
                Some(claim) => Ok(claim),
                None => header.read_descriptor(input),
            })
        };
        finish().map_err(|error| error.with_member(header.key()))?;
        self.is_over = false;
        Ok(())
    }
}

/// A member of an archive that is read forward only.
pub struct StreamMember<'a, R> {
    stream: &'a mut NpzStream<R>,
}

impl<R: Read> StreamMember<'_, R> {
    /// Its name, without one `.npy` at its end.
    pub fn name(&self) -> &str {
        self.stream.current.as_ref().map_or("", |(header, _)| header.key())
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
        if let Some((_, content)) = &mut self.stream.current {
            content.set_end(bytes);
        }
    }

    fn fill(&mut self, spare: &mut Spare<'_>) -> io::Result<()> {
        let NpzStream { input, current, .. } = &mut *self.stream;
        match current {
            Some((_, content)) => content.fill(input, spare),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.stream.pass_over()
    }
}

impl<R: Read> Read for MemberContent<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut spare = Spare::over(buffer);
        self.fill(&mut spare)?;
        Ok(spare.filled())
    }
}

impl<R> fmt::Debug for NpzStream<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let member = self.current.as_ref().map(|(header, _)| header.key());
        f.debug_struct("NpzStream").field("member", &member).finish_non_exhaustive()
    }
}

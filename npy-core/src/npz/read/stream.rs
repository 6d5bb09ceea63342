//! Forward-only reading of archives, from streams that cannot seek.

use std::fmt;
use std::io::{self, Read};

use super::super::codec::decoder::Decoder;
use super::super::codec::input::Input;
use super::super::zip::local_header::{LocalHeader, Record, skip_bytes};
use super::super::zip::problem::{cannot_read, encrypted, failed_before, no_member_at, not_zip, unknown_size};
use super::super::zip::records::Claim;
use super::content::{Content, check_size, read_at_most};
use super::member::MOST_TRAILING;
use crate::error::{Error, ErrorKind, ForeignFormat, Result};
use crate::limits::Limits;
use crate::memory::ReadBuf;
use crate::options::ReadOptions;
use crate::read::NpyReader;
use crate::read::source::Source;

/// Reads the arrays of an archive from any stream, one after another.
///
/// The stream may be a pipe, a socket or a decompressor.
///
/// Only the requested array is in memory. The rest of a member is skipped, and checked all the
/// same. Sizes may precede the data, or follow them, as in NumPy's own archives from a pipe. The
/// stream is read to its end, because members may have been added after the central directory.
/// Bound a stream without an end by [`Read::take`].
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
    position: Position,
    /// The name of the last member, without one trailing `.npy`.
    name: String,
    /// The checksum and sizes of the last member that was read to its end.
    claim: Option<Claim>,
    /// Whether the last member was abandoned.
    has_failed: bool,
}

/// The position of the stream.
enum Position {
    /// Before a member, or at the end of the archive.
    Between,
    /// In a member.
    In(Box<Current>),
    /// In an abandoned member, with a number of bytes before the next.
    Before(u64),
    /// Unknown.
    Lost,
    /// At the end.
    Over,
}

/// The member that is being read.
struct Current {
    header: LocalHeader,
    content: Content,
}

impl<R: Read> NpzStream<R> {
    /// Begins to read an archive.
    pub fn new(reader: R) -> Self {
        Self::new_with(reader, Limits::new())
    }

    /// [`new`](Self::new) with options: limits.
    pub fn new_with(reader: R, options: impl Into<ReadOptions>) -> Self {
        Self {
            input: Input::new(reader, |reader, buf| buf.read_from(reader)),
            limits: options.into().limits,
            position: Position::Between,
            name: String::new(),
            claim: None,
            has_failed: false,
        }
    }

    /// Returns the next member; `None` at the end of the archive.
    ///
    /// The rest of the previous member is skipped.
    ///
    /// After an error the next members can still be read if their position is known: after a
    /// member with a wrong checksum, or one whose compressed size precedes its data.
    ///
    /// # Errors
    ///
    /// Fails if reading fails, if the previous member is damaged, if this one is compressed by an
    /// unknown method, or if no member begins here.
    #[expect(clippy::should_implement_trait, reason = "an iterator's items cannot borrow from it")]
    pub fn next(&mut self) -> Result<Option<StreamMember<'_, R>>> {
        self.skip()?;
        match std::mem::replace(&mut self.position, Position::Lost) {
            Position::Before(bytes) => skip_bytes(&mut self.input, bytes)?,
            Position::Over => {
                self.position = Position::Over;
                return Ok(None);
            }
            Position::Lost => {
                return Err(Error::new(
                    ErrorKind::BrokenStream,
                    "unknown position: the previous member is damaged; read the archive from a file",
                ));
            }
            Position::Between | Position::In(..) => {}
        }
        self.input.begin(None);
        let header = match LocalHeader::read(&mut self.input)? {
            Record::Member(header, name) => {
                self.name = name;
                header
            }
            Record::End => {
                self.position = Position::Over;
                return Ok(None);
            }
            Record::Unknown(signature) => return Err(self.unknown_record(signature)),
        };
        self.name.truncate(self.name.strip_suffix(".npy").unwrap_or(&self.name).len());
        let content = self.begin(&header).map_err(|error| {
            self.position = header.claim().map_or(Position::Lost, |claim| Position::Before(claim.compressed));
            error.with_member(&*self.name)
        })?;
        self.has_failed = false;
        self.position = Position::In(Box::new(Current { header, content }));
        Ok(Some(StreamMember { stream: self }))
    }

    /// Creates the error of bytes that begin no record, with more of them.
    fn unknown_record(&mut self, signature: [u8; 4]) -> Error {
        let offset = self.input.total().saturating_sub(signature.len() as u64);
        let mut found = signature.to_vec();
        let rest = (ForeignFormat::FRONT_BYTES - signature.len()) as u64;
        if let Err(error) = (&mut self.input).take(rest).read_to_end(&mut found) {
            return cannot_read(error);
        }
        if offset == 0 { not_zip(&found) } else { no_member_at(offset, &found) }
    }

    /// Reads the rest of the member and checks it.
    fn skip(&mut self) -> Result<()> {
        if let Position::In(member) = &self.position
            && member.content.is_endless()
        {
            // The header of the array determines its end.
            let limits = self.limits;
            drop(MemberContent { stream: self }.into_reader(limits));
        }
        self.finish_member(None)
    }

    /// Reads and checks the member that begins here. Returns its checksum and sizes, and the number of
    /// bytes up to the next record.
    pub(crate) fn measure(mut self) -> Result<(Claim, u64)> {
        // Members may be much smaller than the usual buffer, which would be filled for each of them.
        const BUFFER_BYTES: usize = 1024;
        self.input.set_buffer(BUFFER_BYTES);
        let _ = self.next()?;
        self.skip()?;
        let claim = self.claim.ok_or_else(unknown_size)?;
        Ok((claim, self.input.total()))
    }

    /// Begins to read the content of the member with this header.
    fn begin(&mut self, header: &LocalHeader) -> Result<Content> {
        if header.is_encrypted() {
            return Err(encrypted());
        }
        let size = header.claim().map(|claim| claim.size);
        check_size(size.unwrap_or_default(), self.limits.member_bytes)?;
        let decoder = Decoder::new(header.method, header.has_end_mark(), size)?;
        self.input.begin(header.claim().map(|claim| claim.compressed));
        Ok(Content::new(decoder, size, self.limits.member_bytes))
    }

    /// Reads the rest of the member, up to a limit, and checks it.
    fn finish_member(&mut self, most: Option<u64>) -> Result<()> {
        if !matches!(self.position, Position::In(_)) {
            return Ok(());
        }
        let Position::In(member) = std::mem::replace(&mut self.position, Position::Between) else { return Ok(()) };
        let Current { header, mut content } = *member;
        let result = if content.is_endless() {
            Err(unknown_size())
        } else {
            content.finish_data(&mut self.input, most, |input| {
                let claim = header.claim().map_or_else(|| header.read_descriptor(input), Ok)?;
                self.claim = Some(claim);
                Ok(claim)
            })
        };
        if result.is_err() {
            self.position = self.input.left().map_or(Position::Lost, Position::Before);
        }
        result.and_then(|claim| content.check(&claim)).map_err(|error| {
            self.has_failed = true;
            error.with_member(&*self.name)
        })
    }
}

/// A member of an [`NpzStream`].
///
/// See [`NpzStream`] for an example.
pub struct StreamMember<'a, R> {
    stream: &'a mut NpzStream<R>,
}

impl<R: Read> StreamMember<'_, R> {
    /// Returns the name of the member, without `.npy` at its end.
    pub fn name(&self) -> &str {
        &self.stream.name
    }

    /// Returns a reader of the array.
    ///
    /// The checksum is checked when the last element is read, or when the next member is requested.
    pub fn array(&mut self) -> Result<NpyReader<MemberContent<'_, R>>> {
        let name = self.stream.name.clone();
        let limits = self.stream.limits;
        MemberContent { stream: self.stream }.into_reader(limits).map_err(|error| error.with_member(name))
    }

    /// Reads the content of a member, array or not.
    ///
    /// Fails if it is longer than `most` bytes, or if its end is unknown, because the sizes follow stored
    /// data.
    pub fn bytes(&mut self, most: u64) -> Result<Vec<u8>> {
        self.read_bytes(most).map_err(|error| error.with_member(&*self.stream.name))
    }

    fn read_bytes(&mut self, most: u64) -> Result<Vec<u8>> {
        if let Position::In(member) = &self.stream.position
            && member.content.is_endless()
        {
            return Err(unknown_size());
        }
        let mut content = MemberContent { stream: self.stream };
        let bytes = read_at_most(&mut content, most)?;
        content.finish()?;
        Ok(bytes)
    }
}

/// The content of a member of an [`NpzStream`].
///
/// See [`NpzStream`] for an example.
pub struct MemberContent<'a, R> {
    stream: &'a mut NpzStream<R>,
}

impl<R: Read> MemberContent<'_, R> {
    /// Reads the header of the array.
    fn into_reader(self, limits: Limits) -> Result<NpyReader<Self>> {
        let source = Source {
            fill: Self::fill,
            length: |_, _| None,
            bytes: |_| &[],
            consume: |_, _| (),
            finish: Self::finish,
            is_owned: true,
            file: None,
        };
        let mut reader = NpyReader::with_source(self, source, &limits)?;
        let bytes = reader.header().data_bytes();
        reader.source_mut().set_array_bytes(bytes);
        Ok(reader)
    }

    /// Records the size of the array, which ends a stored member of unknown size.
    fn set_array_bytes(&mut self, bytes: u64) {
        if let Position::In(member) = &mut self.stream.position {
            member.content.set_end(bytes);
        }
    }

    fn fill(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        match &mut self.stream.position {
            Position::In(member) => member.content.fill(&mut self.stream.input, buf, u64::MAX),
            _ if self.stream.has_failed => Err(failed_before()),
            _ => Ok(()),
        }
    }

    /// Reads the rest of the member after its array, and checks it.
    fn finish(&mut self) -> Result<()> {
        self.stream.finish_member(Some(MOST_TRAILING))
    }
}

impl<R: Read> Read for MemberContent<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut buf = ReadBuf::over(buffer);
        self.fill(&mut buf)?;
        let filled = buf.filled();
        if filled == 0 && !buffer.is_empty() {
            self.finish()?;
        }
        Ok(filled)
    }
}

impl<R> fmt::Debug for NpzStream<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let member = match &self.position {
            Position::In(_) => Some(&*self.name),
            _ => None,
        };
        f.debug_struct("NpzStream").field("member", &member).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::NpzStream;

    use crate::limits::Limits;
    use crate::npz::NpzWriter;

    fn archive() -> Vec<u8> {
        let mut archive = NpzWriter::streaming(Vec::new());
        archive.add_slice("x", &[1_u8, 2, 3]).unwrap();
        archive.add_bytes("notes.txt", b"hello").unwrap();
        archive.finish().unwrap()
    }

    /// The names of the members, and whether the stream ends without an error.
    fn names(file: &[u8]) -> (Vec<String>, bool) {
        let (mut stream, mut names) = (NpzStream::new(file), Vec::new());
        loop {
            match stream.next() {
                Ok(Some(member)) => names.push(member.name().to_owned()),
                Ok(None) => return (names, true),
                Err(_) => return (names, false),
            }
        }
    }

    #[test]
    fn streams_end_behind_the_last_archive() {
        let file = archive();
        let both = || vec!["x".to_owned(), "notes.txt".to_owned()];
        assert_eq!(names(&file), (both(), true));
        assert_eq!(names(&[&file[..], b"any other bytes, as many as a local header has"].concat()), (both(), true));
        assert_eq!(names(&[&file[..], b"PK"].concat()), (both(), true));
        assert_eq!(names(&[&file[..], &file].concat()), ([both(), both()].concat(), true));
    }

    #[test]
    fn truncated_directories_are_errors() {
        let mut file = archive();
        let members = file.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        // A comment of three bytes.
        let end = file.len();
        file[end - 2] = 3;
        file.extend(b"abc");
        assert!(names(&file).1);
        for length in members..file.len() {
            assert!(!names(&file[..length]).1, "{length}");
        }
    }

    #[test]
    fn members_have_as_many_bytes_as_the_limit() {
        let file = archive();
        let read = |most: u64| {
            let mut stream = NpzStream::new_with(&file[..], Limits::new().member_bytes(most));
            stream.next().map(drop).and_then(|()| stream.next()?.expect("a second member").bytes(100))
        };
        assert_eq!(read(131).unwrap(), b"hello");
        let error = read(130).unwrap_err();
        assert!(error.to_string().contains("at most 130 bytes of a member, found 131; "), "{error}");
        // A stored member of known size is refused before it is read.
        let mut archive = NpzWriter::streaming(Vec::new());
        archive.add_bytes("notes.txt", b"hello").unwrap();
        let file = archive.finish().unwrap();
        let begin = |most: u64| NpzStream::new_with(&file[..], Limits::new().member_bytes(most)).next().map(drop);
        begin(5).unwrap();
        let error = begin(4).unwrap_err();
        assert!(error.to_string().contains("at most 4 bytes of a member, found 5; "), "{error}");
    }

    #[test]
    fn reading_at_the_end_gives_nothing_again() {
        let file = archive();
        let mut stream = NpzStream::new(&file[..]);
        let mut member = stream.next().unwrap().unwrap();
        let mut content = member.array().unwrap().into_inner();
        let mut data = Vec::new();
        for _ in 0..3 {
            content.read_to_end(&mut data).unwrap();
            assert_eq!(data, [1, 2, 3]);
        }
    }
}

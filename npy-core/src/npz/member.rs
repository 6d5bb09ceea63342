//! A member that the directory describes.

use std::io::{self, Read};

use super::content::Content;
use super::decoder::Decoder;
use super::directory::Entry;
use super::fields::Claim;
use super::input::Input;
use super::problem::{archive, wrapped};
use crate::alloc::Spare;
use crate::error::{ArchiveProblem, ErrorKind, Result};
use crate::limits::Limits;
use crate::read::{NpyReader, Source};

/// Bytes that may follow an array in its member. They are read, because the checksum is also theirs.
pub(super) const MOST_TRAILING: u64 = 1 << 20;

/// How many times as large as in the archive a member may be for memory to be taken at once.
const PLAUSIBLE_RATIO: u64 = 16;

/// The content of a member of an archive, read from its beginning to its end. Its checksum is checked at the end.
pub struct Member<'a, R> {
    input: &'a mut Input<R>,
    content: Content,
    claim: Claim,
    /// Bytes of the content that were given.
    given: u64,
    is_checked: bool,
}

impl<'a, R: Read> Member<'a, R> {
    /// The member whose data `input` stands at.
    pub(super) fn new(entry: &Entry, input: &'a mut Input<R>, limits: &Limits) -> Result<Self> {
        if entry.is_encrypted {
            return Err(archive(ArchiveProblem::Encrypted));
        }
        let claim = entry.claim;
        if claim.size > limits.member_bytes {
            let (limit, found) = (limits.member_bytes, claim.size);
            return Err(ErrorKind::LimitExceeded { what: "bytes of a member", limit, found }.into());
        }
        let decoder = Decoder::new(entry.method, entry.has_end_mark, Some(claim.size)).map_err(archive)?;
        if decoder.is_stored() && claim.compressed != claim.size {
            return Err(archive(ArchiveProblem::WrongSize { expected: claim.size, found: claim.compressed }));
        }
        input.begin(Some(claim.compressed));
        let content = Content::new(decoder, Some(claim.size), limits.member_bytes);
        Ok(Self { input, content, claim, given: 0, is_checked: false })
    }

    /// A reader of the array that the member is.
    pub(super) fn into_reader(self, limits: Limits) -> Result<NpyReader<Self>> {
        let source = Source {
            fill: Self::fill,
            length: |member, _| member.length(),
            bytes: |_| &[],
            consume: |_, _| (),
            finish: Self::finish,
            file: None,
        };
        NpyReader::with_source(self, source, &limits)
    }

    /// Whether its bytes in the archive are its content.
    pub(super) fn is_stored(&self) -> bool {
        self.content.is_stored()
    }

    /// How many bytes the content has, if that can be believed before they were read.
    pub(super) fn length(&self) -> Option<u64> {
        (self.claim.size / PLAUSIBLE_RATIO <= self.claim.compressed).then_some(self.claim.size)
    }

    /// Gives some of what is left; nothing at the end.
    fn fill(&mut self, spare: &mut Spare<'_>) -> io::Result<()> {
        let before = spare.filled();
        self.content.fill(self.input, spare)?;
        self.given += (spare.filled() - before) as u64;
        Ok(())
    }

    /// Reads what is left, and checks the content as a whole.
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.is_checked {
            return Ok(());
        }
        let left = self.claim.size - self.given;
        if left > MOST_TRAILING && !self.content.is_at_end() {
            return Err(archive(ArchiveProblem::Trailing { bytes: left }));
        }
        self.content.finish(self.input, None, |_| Ok(self.claim))?;
        self.is_checked = true;
        Ok(())
    }
}

impl<R: Read> Read for Member<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut spare = Spare::over(buffer);
        self.fill(&mut spare)?;
        let filled = spare.filled();
        if filled == 0 && !buffer.is_empty() {
            self.finish().map_err(wrapped)?;
        }
        Ok(filled)
    }
}

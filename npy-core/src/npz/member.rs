//! The content of a member: stored or deflated bytes, which are checked against what the directory says of them.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};

use super::directory::{Entry, archive};
use crate::alloc::Spare;
use crate::error::{ArchiveProblem, Error, Result};
use crate::limits::Limits;
use crate::read::{NpyReader, Source};

/// Compressed bytes that are read at a time.
const INPUT_BYTES: usize = 64 * 1024;

/// Bytes that may follow an array in its member. They are read, because the checksum is also theirs.
const MOST_TRAILING: u64 = 1 << 20;

/// How many times as large as in the archive a member may be for memory to be taken at once.
const PLAUSIBLE_RATIO: u64 = 16;

/// How to read from an `R`.
pub(super) type FillFrom<R> = fn(&mut R, &mut Spare<'_>) -> io::Result<()>;

/// The content of a member of an archive, read from its beginning to its end. Its checksum is checked at the end.
pub struct Member<'a, R> {
    reader: &'a mut R,
    fill: FillFrom<R>,
    method: Method,
    /// Bytes in the archive that were not read yet.
    compressed: u64,
    /// Bytes of the content that were not given yet.
    left: u64,
    size: u64,
    /// Whether so large a size is one that memory may be taken for at once.
    is_plausible: bool,
    crc: crc32fast::Hasher,
    expected_crc: u32,
    is_checked: bool,
}

enum Method {
    Stored,
    Deflated(Box<Inflater>),
}

struct Inflater {
    decompress: Decompress,
    input: Vec<u8>,
    /// Where in `input` begins what was not inflated yet.
    begin: usize,
}

impl<'a, R: Read> Member<'a, R> {
    /// The member whose data `reader` stands at.
    pub(super) fn new(entry: &Entry, reader: &'a mut R, fill: FillFrom<R>) -> Result<Self> {
        if entry.is_encrypted {
            return Err(archive(ArchiveProblem::Encrypted));
        }
        let method = match entry.method {
            0 if entry.compressed != entry.size => {
                return Err(archive(ArchiveProblem::WrongSize { expected: entry.size, found: entry.compressed }));
            }
            0 => Method::Stored,
            8 => Method::Deflated(Box::new(Inflater { decompress: Decompress::new(false), input: Vec::new(), begin: 0 })),
            method => return Err(archive(ArchiveProblem::UnknownMethod { method })),
        };
        Ok(Self {
            reader,
            fill,
            method,
            compressed: entry.compressed,
            left: entry.size,
            size: entry.size,
            is_plausible: entry.size / PLAUSIBLE_RATIO <= entry.compressed,
            crc: crc32fast::Hasher::new(),
            expected_crc: entry.crc,
            is_checked: false,
        })
    }

    /// A reader of the array that the member is.
    pub(super) fn into_reader(self, limits: Limits) -> Result<NpyReader<Self>> {
        let source = Source {
            fill: Self::fill,
            length: |member, _| member.length(),
            bytes: |_| &[],
            consume: |_, _| (),
            finish: Self::finish,
        };
        NpyReader::with_source(self, source, &limits)
    }

    /// Whether its bytes in the archive are its content.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self.method, Method::Stored)
    }

    /// How many bytes the content has, if that can be believed before they were read.
    fn length(&self) -> Option<u64> {
        self.is_plausible.then_some(self.size)
    }

    /// Gives some of what is left; nothing at the end.
    fn fill(&mut self, spare: &mut Spare<'_>) -> io::Result<()> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let Self { reader, fill, method, compressed, .. } = self;
        let given = spare.fill_at_most(most, |spare| match method {
            Method::Stored => fill(reader, spare),
            Method::Deflated(inflater) => inflater.fill(*reader, compressed, spare),
        })?;
        self.crc.update(given);
        if let Method::Stored = self.method {
            self.compressed -= given.len() as u64;
        }
        self.left -= given.len() as u64;
        Ok(())
    }

    /// Reads what is left, and checks the content as a whole.
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.is_checked {
            return Ok(());
        }
        if self.left > MOST_TRAILING {
            return Err(archive(ArchiveProblem::Trailing { bytes: self.left }));
        }
        let mut scratch = [0; 4096];
        while self.left > 0 {
            match self.read(&mut scratch) {
                Ok(0) => return Err(archive(ArchiveProblem::WrongSize { expected: self.size, found: self.size - self.left })),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => drop(result.map_err(super::directory::cannot_read)?),
            }
        }
        if let Method::Deflated(inflater) = &mut self.method {
            inflater.expect_end(self.reader, &mut self.compressed, self.size).map_err(super::directory::cannot_read)?;
        }
        let found = self.crc.clone().finalize();
        if found != self.expected_crc {
            return Err(archive(ArchiveProblem::WrongChecksum { expected: self.expected_crc, found }));
        }
        self.is_checked = true;
        Ok(())
    }
}

impl<R: Read> Read for Member<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut spare = Spare::over(buffer);
        self.fill(&mut spare)?;
        Ok(spare.filled())
    }
}

impl Inflater {
    /// Inflates some bytes; none at the end of the stream.
    fn fill(&mut self, reader: &mut impl Read, compressed: &mut u64, spare: &mut Spare<'_>) -> io::Result<()> {
        loop {
            self.refill(reader, compressed)?;
            let before = (self.decompress.total_in(), self.decompress.total_out());
            let flush = if *compressed == 0 { FlushDecompress::Finish } else { FlushDecompress::None };
            let status = spare.fill_with(|output| {
                let status = self.decompress.decompress(&self.input[self.begin..], output, flush);
                let given = self.decompress.total_out() - before.1;
                // Of the output at most.
                (status, usize::try_from(given).unwrap_or_default())
            });
            self.begin += usize::try_from(self.decompress.total_in() - before.0).unwrap_or_default();
            let status = status.map_err(|_| damaged())?;
            let is_stuck = (self.decompress.total_in(), self.decompress.total_out()) == before;
            match status {
                Status::StreamEnd => return Ok(()),
                _ if self.decompress.total_out() > before.1 => return Ok(()),
                // Neither input nor output, and no end.
                _ if is_stuck && *compressed == 0 => return Err(damaged()),
                _ => {}
            }
        }
    }

    fn refill(&mut self, reader: &mut impl Read, compressed: &mut u64) -> io::Result<()> {
        if self.begin < self.input.len() || *compressed == 0 {
            return Ok(());
        }
        let most = usize::try_from(*compressed).unwrap_or(usize::MAX).min(INPUT_BYTES);
        self.input.resize(most, 0);
        self.begin = 0;
        let read = loop {
            match reader.read(&mut self.input) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?.min(most),
            }
        };
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.input.truncate(read);
        *compressed -= read as u64;
        Ok(())
    }

    /// Sees that the stream ends here, and that nothing comes after it.
    fn expect_end(&mut self, reader: &mut impl Read, compressed: &mut u64, size: u64) -> io::Result<()> {
        let mut more = [0];
        let mut spare = Spare::over(&mut more);
        self.fill(reader, compressed, &mut spare)?;
        if spare.filled() > 0 {
            return Err(wrapped(ArchiveProblem::WrongSize { expected: size, found: size + 1 }));
        }
        if self.begin < self.input.len() || *compressed > 0 {
            let bytes = *compressed + (self.input.len() - self.begin) as u64;
            return Err(wrapped(ArchiveProblem::Unused { bytes }));
        }
        Ok(())
    }
}

pub(super) fn damaged() -> io::Error {
    wrapped(ArchiveProblem::Damaged)
}

/// An error on its way through `io`.
fn wrapped(problem: ArchiveProblem) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Error::from(crate::ErrorKind::Archive { problem }))
}

//! The content of a member: decompresses it, and checks its size and CRC.

use std::io::{self, Read};
use std::mem::MaybeUninit;

use super::super::codec::decoder::Decoder;
use super::super::codec::input::Input;
use super::super::zip::problem::{archive, cannot_read, damaged, trailing, unused, wrong_size};
use super::super::zip::records::Claim;
use crate::error::describe::counted;
use crate::error::{Error, Result};
use crate::memory::ReadBuf;

/// Bytes between two updates of the checksum: few enough to be in the cache.
const STORED_STEP_BYTES: usize = 1 << 18;
/// More for a decompressor, which copies its window whenever it stops.
const STEP_BYTES: usize = 1 << 20;

/// Refuses a member whose content exceeds the limit.
pub(crate) fn check_size(size: u64, limit: u64) -> Result<()> {
    if size > limit { Err(Error::limit_exceeded("bytes of a member", limit, size)) } else { Ok(()) }
}

/// Refuses content of more bytes than the caller takes.
pub(crate) fn check_most(size: u64, most: u64) -> Result<()> {
    const ADVICE: &str = "pass a larger `most` if the archive is trusted";
    if size > most { Err(Error::limit_exceeded_with("bytes of a member", most, size, ADVICE)) } else { Ok(()) }
}

/// Reads content of at most `most` bytes.
pub(crate) fn read_at_most(content: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A damaged member may have more bytes than it states.
    content.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(cannot_read)?;
    check_most(bytes.len() as u64, most).map(|()| bytes)
}

/// A reader of the content of a member.
pub(crate) struct Content {
    decoder: Decoder,
    /// The number of remaining bytes; `None` if unknown.
    left: Option<u64>,
    /// The number of bytes returned so far.
    size: u64,
    /// The limit of `size`.
    most: u64,
    /// `None` after a seek.
    crc: Option<crc32fast::Hasher>,
    /// Whether the compressed data have ended.
    is_at_end: bool,
}

impl Content {
    /// Creates a content of `size` bytes, or of unknown size. `most` is the limit.
    pub(crate) fn new(decoder: Decoder, size: Option<u64>, most: u64) -> Self {
        Self { decoder, left: size, size: 0, most, crc: Some(crc32fast::Hasher::new()), is_at_end: false }
    }

    pub(crate) fn is_stored(&self) -> bool {
        self.decoder.is_stored()
    }

    /// Whether the compressed data have ended.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Whether its end is unknown: it is stored and its size follows the data.
    pub(crate) fn is_endless(&self) -> bool {
        self.left.is_none() && self.is_stored()
    }

    /// Sets the number of remaining bytes of an [endless](Self::is_endless) content.
    pub(crate) fn set_end(&mut self, left: u64) {
        if self.is_endless() {
            self.left = Some(left);
        }
    }

    /// Records a seek in a stored content of known size, whose checksum is not checked any more.
    pub(crate) fn move_to(&mut self, position: u64) {
        self.left = self.left.map(|left| (left + self.size).saturating_sub(position));
        self.size = position;
        self.crc = None;
    }

    /// Reads at most `most` of the remaining bytes, and nothing at the end.
    pub(crate) fn fill<R: Read>(&mut self, input: &mut Input<R>, buf: &mut ReadBuf<'_>, most: u64) -> io::Result<()> {
        self.check_limit()?;
        if self.is_at_end || self.left == Some(0) || buf.is_full() {
            return Ok(());
        }
        let Self { decoder, left, is_at_end, .. } = self;
        let most = left.map_or(most, |left| left.min(most));
        let step = if decoder.is_stored() { STORED_STEP_BYTES } else { STEP_BYTES };
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(step);
        let given = buf.fill_at_most(most, |buf| {
            *is_at_end = decoder.fill(input, buf)?;
            Ok(())
        })?;
        if let Some(crc) = &mut self.crc {
            crc.update(given);
        }
        let count = given.len() as u64;
        self.size += count;
        if let Some(left) = &mut self.left {
            if count == 0 && decoder.is_stored() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            *left -= count;
        }
        self.check_limit()
    }

    /// Skips whole deflate blocks that were inflated elsewhere. `before` are the last bytes of the
    /// previous block.
    ///
    /// Fails if that block does not end with them.
    pub(crate) fn skip_blocks(&mut self, before: &[u8], bytes: u64, crc: &crc32fast::Hasher, is_end: bool) -> io::Result<()> {
        self.decoder.begin_block(before)?;
        let Some(left) = self.left.and_then(|left| left.checked_sub(bytes)) else {
            self.decoder.fail();
            return Err(damaged());
        };
        if let Some(all) = &mut self.crc {
            all.combine(crc);
        }
        self.size += bytes;
        self.left = Some(left);
        self.is_at_end = is_end;
        Ok(())
    }

    fn check_limit(&self) -> io::Result<()> {
        check_size(self.size, self.most).map_err(Into::into)
    }

    /// Reads at most `most` remaining bytes, and checks the sizes. The position of the next member is
    /// known then, even if the [`check`](Self::check) of the checksum fails.
    ///
    /// `claim` returns the checksum and the sizes, or reads them after the data.
    pub(crate) fn finish_data<R: Read>(
        &mut self,
        input: &mut Input<R>,
        most: Option<u64>,
        claim: impl FnOnce(&mut Input<R>) -> Result<Claim>,
    ) -> Result<Claim> {
        let mut scratch = [MaybeUninit::uninit(); 4096];
        let begin = self.size;
        loop {
            let before = self.size;
            if most.is_some_and(|most| before - begin > most) {
                return Err(trailing(before - begin));
            }
            match self.fill(input, &mut ReadBuf::new(&mut scratch), u64::MAX) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(error)),
                // Compressed data may end without another byte.
                Ok(()) if self.size == before => break,
                Ok(()) => {}
            }
        }
        if let Some(left @ 1..) = self.left {
            return Err(wrong_size(self.size + left, self.size));
        }
        if !self.is_at_end && !self.is_stored() {
            self.expect_end(input)?;
        }
        if let Some(bytes @ 1..) = input.left() {
            return Err(unused(bytes));
        }
        let compressed = input.used();
        let claim = claim(input)?;
        if claim.size != self.size {
            return Err(wrong_size(claim.size, self.size));
        }
        if claim.compressed != compressed {
            return Err(archive(format!("expected {} of data, found {compressed}", counted(claim.compressed, "byte"))));
        }
        Ok(claim)
    }

    /// Checks the checksum of the content, which was read to its end.
    pub(crate) fn check(&self, claim: &Claim) -> Result<()> {
        let expected = claim.crc;
        match self.crc.clone().map(crc32fast::Hasher::finalize) {
            Some(found) if found != expected => {
                Err(archive(format!("wrong checksum: expected {expected:#010x}, found {found:#010x}; the data are damaged")))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the compressed data end after the last byte of the content.
    fn expect_end<R: Read>(&mut self, input: &mut Input<R>) -> Result<()> {
        let mut more = [0];
        while !self.is_at_end {
            let mut buf = ReadBuf::over(&mut more);
            let result = self.decoder.fill(input, &mut buf);
            if buf.filled() > 0 {
                // Otherwise another call would find the end, and succeed.
                self.decoder.fail();
                return Err(wrong_size(self.size, self.size + 1));
            }
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(error)),
                Ok(is_at_end) => self.is_at_end = is_at_end,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Returns a few bytes at a time, each after an interruption.
    struct Trickle<'a>(&'a [u8], bool);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let most = buffer.len().min(3);
            self.0.read(&mut buffer[..most])
        }
    }

    const STORED: u16 = 0;
    const DEFLATED: u16 = 8;
    const BYTES: u64 = 5000;

    /// A content, and its data by a method.
    fn data(method: u16) -> (Vec<u8>, Vec<u8>) {
        let bytes: Vec<u8> = (0..BYTES).map(|i| (i * i % 251) as u8).collect();
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&bytes).unwrap();
        let stored = if method == STORED { bytes.clone() } else { encoder.finish().unwrap() };
        (bytes, stored)
    }

    /// Reads `first` bytes of a content, then finishes it. Returns the error and the counted bytes.
    fn finished(method: u16, stored: &[u8], size: Option<u64>, limits: [u64; 2], first: u64, claim: Claim) -> (String, u64) {
        let [most, most_behind] = limits;
        let mut input = Input::new(Trickle(stored, false), |reader, buf| buf.read_from(reader));
        input.begin(Some(stored.len() as u64));
        let mut content = Content::new(Decoder::new(method, false, size).unwrap(), size, most);
        let mut given = vec![0; usize::try_from(first).unwrap()];
        let mut buf = ReadBuf::over(&mut given);
        while !buf.is_full() {
            let before = buf.filled();
            match content.fill(&mut input, &mut buf, first - before as u64) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (Error::from(error).to_string(), content.size),
                Ok(()) if buf.filled() == before => break,
                Ok(()) => {}
            }
        }
        let result = content.finish_data(&mut input, Some(most_behind), |_| Ok(claim)).and_then(|claim| content.check(&claim));
        (result.map_or_else(|error| format!("{error:#}"), |()| "whole".to_owned()), content.size)
    }

    #[test]
    fn contents_are_checked_after_any_read() {
        for method in [STORED, DEFLATED] {
            let (bytes, stored) = data(method);
            let claim = Claim { crc: crc32fast::hash(&bytes), size: BYTES, compressed: stored.len() as u64 };
            let limits = [u64::MAX; 2];
            let check = |stored: &[u8], size, limits, first, claim| finished(method, stored, size, limits, first, claim);
            for first in [0, 1, 4999, 5000, 5001] {
                for size in [Some(BYTES), None].into_iter().filter(|size| size.is_some() || method != STORED) {
                    assert_eq!(check(&stored, size, limits, first, claim), ("whole".to_owned(), BYTES), "{method} {first}");
                    let (error, _) = check(&stored, size, limits, first, Claim { crc: 1, ..claim });
                    assert!(error.contains("checksum"), "{error}");
                    let (error, _) = check(&stored, size, limits, first, Claim { size: 4999, ..claim });
                    assert!(error.contains("4999"), "{error}");
                    let (error, _) = check(&stored, size, limits, first, Claim { compressed: 7, ..claim });
                    assert!(error.contains('7'), "{error}");
                    // One byte of the data too many, or too few.
                    let (error, _) = check(&[&stored[..], b"x"].concat(), size, limits, first, claim);
                    assert_ne!(error, "whole");
                    let (error, _) = check(&stored[..stored.len() - 1], size, limits, first, claim);
                    assert_ne!(error, "whole");
                }
                // A stated size that is one byte too small, or too large.
                for size in [BYTES - 1, BYTES + 1] {
                    let (error, _) = check(&stored, Some(size), limits, first, Claim { size, ..claim });
                    assert_ne!(error, "whole", "{method} {first} {size}");
                }
                // At the limit, and one byte beyond.
                assert_eq!(check(&stored, Some(BYTES), [BYTES, u64::MAX], first, claim).0, "whole");
                let (error, _) = check(&stored, Some(BYTES), [BYTES - 1, u64::MAX], first, claim);
                assert!(error.contains("4999"), "{error}");
                let behind = BYTES.saturating_sub(first);
                assert_eq!(check(&stored, Some(BYTES), [u64::MAX, behind], first, claim).0, "whole");
                if behind > 0 {
                    assert_ne!(check(&stored, Some(BYTES), [u64::MAX, behind - 1], first, claim).0, "whole", "{method} {first}");
                }
            }
        }
    }

    #[test]
    fn seeks_in_stored_content() {
        let (bytes, stored) = data(STORED);
        for (from, to) in [(0, 3000), (100, 100), (4000, 10), (10, 5000)] {
            let mut content = Content::new(Decoder::new(STORED, false, Some(BYTES)).unwrap(), Some(BYTES), BYTES);
            (content.size, content.left) = (from, Some(BYTES - from));
            content.move_to(to);
            assert_eq!((content.size, content.left, content.crc.is_none()), (to, Some(BYTES - to), true));
            let mut input = Input::new(&stored[usize::try_from(to).unwrap()..], |reader, buf| buf.read_from(reader));
            input.begin(Some(BYTES - to));
            let mut rest = vec![0; 6000];
            let mut buf = ReadBuf::over(&mut rest);
            content.fill(&mut input, &mut buf, u64::MAX).unwrap();
            let filled = buf.filled();
            assert_eq!(rest[..filled], bytes[usize::try_from(to).unwrap()..]);
        }
    }

    #[test]
    fn only_stored_contents_of_unknown_size_are_endless() {
        for (method, size, is_endless) in
            [(STORED, None, true), (STORED, Some(3), false), (DEFLATED, None, false), (DEFLATED, Some(3), false)]
        {
            let mut content = Content::new(Decoder::new(method, false, size).unwrap(), size, BYTES);
            assert_eq!((content.is_endless(), content.is_at_end()), (is_endless, false));
            content.set_end(7);
            assert_eq!(content.left, if is_endless { Some(7) } else { size });
        }
    }
}
